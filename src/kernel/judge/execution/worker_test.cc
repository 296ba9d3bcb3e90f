// Misbehaving kernels in their processes: each is reported, and none affects the judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/execution/running_kernel.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHead =
    "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
    "#include <cmath>\n#include <mutex>\n#include <new>\n#include <stdexcept>\n#include <thread>\n"
    "#include <vector>\n#include <unistd.h>\n#include <fcntl.h>\n#include <signal.h>\n"
    "#include <sys/mman.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n";

/// AddressSanitizer needs files and system calls that a kernel may not use when it ends its
/// process.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kSkipReason = "the sanitizer cannot shut down in a kernel's process";

/// Runs kernels that compute C[i] = 2 * A[i], without the source scan.
class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    shape_.sizes = {{"N", 1000}};
    shape_.inputs = {{"A", {{1000}, model::ElementType::f32}}};
    shape_.outputs = {{"C", {{1000}, model::ElementType::f32}}};
    options_.folder = folder_.path();
    tensors_ = CallTensors::create(folder_.path(), "t", shape_, Placement::end, false).value();
    inputs_ = makeInputs(shape_, ValueKind::unit, 1);
    tensors_->fill(inputs_, random_);
  }

  /// Loads a kernel with this body; `before` precedes the function.
  std::optional<RunningKernel> load(const std::string& body, const std::string& before = "",
                                    const std::vector<std::string>& flags = {}) {
    const std::string text = kHead + before +
                             "\nextern \"C\" void kernel(const float* A, float* C, std::int64_t N) "
                             "{\n" +
                             body + "\n}\n";
    const CppBuilt built = builder_.build(text, flags).value();
    EXPECT_TRUE(built.ok()) << built.diagnostics;
    const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
    const std::array<const CallTensors*, 1> all = {&*tensors_};
    return RunningKernel::start(runnable, all, milliseconds(60'000), judged_).value();
  }
  bool call(RunningKernel& running, milliseconds limit = milliseconds(60'000)) {
    return running.call(*tensors_, limit, judged_).value();
  }
  std::optional<CallTime> time(RunningKernel& running) {
    return running.time(*tensors_, milliseconds(60'000), judged_).value();
  }
  /// Returns an element of the output.
  [[nodiscard]] float output(std::size_t index) const {
    return verify::toNumbers<float>(tensors_->outputs()[0])[index];
  }
  /// Loads and calls a kernel that must fail.
  void expectFailure(const std::string& body, Outcome outcome, const std::string& says,
                     milliseconds limit = milliseconds(60'000)) {
    auto running = load(body);
    ASSERT_TRUE(running) << judged_.message;
    EXPECT_FALSE(call(*running, limit));
    EXPECT_EQ(judged_.outcome, outcome) << judged_.message;
    EXPECT_THAT(judged_.message, HasSubstr(says));
  }
  void expectCorrect() {
    EXPECT_EQ(tensors_->findUnwritten(tensors_->outputs()), std::nullopt);
    EXPECT_EQ(tensors_->findStrayWrite(inputs_), std::nullopt);
    const auto a = verify::toNumbers<float>(inputs_[0]);
    const auto c = verify::toNumbers<float>(tensors_->outputs()[0]);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(c[i], 2 * a[i]) << i;
    }
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-worker").value();
  CppBuilder builder_ =
      CppBuilder::open(folder_.path() / "built", {std::chrono::seconds(120), 4ULL << 30U}).value();
  JudgeOptions options_;
  Shape shape_;
  std::optional<CallTensors> tensors_;
  std::vector<verify::Tensor> inputs_;
  Random random_{7};
  JudgeResult judged_;
};

constexpr const char* kWork = "for (std::int64_t i = 0; i < N; ++i) C[i] = 2 * A[i];";

TEST(Runnable, ReportsDevice) {
  JudgeOptions options;
  options.device = "cuda";
  options.runner = HONE_RUNNER;
  EXPECT_TRUE(cppRunnable(options, "kernel.so", "kernel").value().onCpu());
  EXPECT_FALSE((Runnable{.command = {}, .load = {.device = "cuda"}}).onCpu());
  EXPECT_TRUE((Runnable{.command = {}, .load = {.device = "cpu"}}).onCpu());
}

TEST_F(WorkerTest, ComputesAndIsTimed) {
  auto running = load(kWork);
  ASSERT_TRUE(running);
  EXPECT_EQ(judged_.facts.sandbox, "seccomp");
  EXPECT_EQ(judged_.facts.missingDefences, missingDefences());
  EXPECT_TRUE(call(*running));
  expectCorrect();
  for (int i = 0; i < 3; ++i) {
    inputs_ = makeInputs(shape_, ValueKind::unit, static_cast<std::uint64_t>(i) + 2);
    tensors_->fill(inputs_, random_);
    const auto timed = time(*running);
    ASSERT_TRUE(timed);
    EXPECT_GT(timed->wallNs, 0);
    EXPECT_GT(timed->cpuNs, 0);
    expectCorrect();
  }
  EXPECT_EQ(running->detectLeftThreads(1), "");
}

TEST_F(WorkerTest, HoldsNoCodeOfHone) {
  auto running = load(
      "C[0] = dlsym(RTLD_DEFAULT, \"dnnl_sgemm\") ? 1 : 2;\n"
      "C[1] = dlopen(\"libcurl.so.4\", RTLD_NOW | RTLD_NOLOAD) ? 1 : 2;\n"
      "C[2] = getenv(\"PATH\") || getenv(\"HOME\") ? 1 : 2;",
      "#include <dlfcn.h>\n");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  for (const int i : {0, 1, 2}) {
    EXPECT_EQ(output(i), 2) << i;
  }
}

TEST_F(WorkerTest, RunsOpenMpThreads) {
  options_.threads = 2;
  auto running = load(std::string("#pragma omp parallel for\n") + kWork, "", {"-fopenmp"});
  ASSERT_TRUE(running) << judged_.message;
  EXPECT_TRUE(call(*running)) << judged_.message;
  expectCorrect();
  EXPECT_NE(running->detectLeftThreads(1), "");
  EXPECT_EQ(running->detectLeftThreads(2), "");
  // Its threads survive freezing and resuming.
  for (int i = 0; i < 20; ++i) {
    tensors_->fill(inputs_, random_);
    ASSERT_TRUE(time(*running)) << judged_.message;
    expectCorrect();
  }
}

TEST_F(WorkerTest, AllowsJoinedThreads) {
  auto running = load(std::string("std::thread t([&] {") + kWork + "}); t.join();");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  expectCorrect();
  EXPECT_EQ(running->detectLeftThreads(1), "");
}

TEST_F(WorkerTest, DetectsReadPastInput) {
  expectFailure("C[0] = A[N];", Outcome::runFailed, "reads past the end of its input A");
}
TEST_F(WorkerTest, DetectsWritePastOutput) {
  expectFailure("C[N] = 1;", Outcome::runFailed, "writes past the end of its output C");
}
TEST_F(WorkerTest, DetectsWriteBeforeOutput) {
  expectFailure("C[-1000] = 1;", Outcome::runFailed, "writes before the start of its output C");
}
TEST_F(WorkerTest, DetectsWriteToInput) {
  expectFailure("const_cast<float*>(A)[3] = 1;", Outcome::runFailed, "writes to its input A");
}
TEST_F(WorkerTest, KeepsInputsReadOnly) {
  auto running = load(
      "auto* page = (char*)((std::uintptr_t)A & ~4095ul);\n"
      "C[0] = mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0 ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running));
  EXPECT_EQ(output(0), 2);
}
TEST_F(WorkerTest, ReportsCrash) {
  expectFailure("*(volatile int*)16 = 1;", Outcome::runFailed, "accesses unmapped");
}
TEST_F(WorkerTest, ReportsAbort) { expectFailure("abort();", Outcome::runFailed, "aborted"); }
TEST_F(WorkerTest, ReportsStackOverflow) {
  expectFailure("volatile char big[64 << 20]; big[0] = 1; for (auto& b : big) b = 2;",
                Outcome::runFailed, "accesses unmapped");
}
TEST_F(WorkerTest, ReportsException) {
  if (kSanitized) {
    GTEST_SKIP() << kSkipReason;
  }
  expectFailure("throw std::runtime_error(\"no way\");", Outcome::runFailed, "threw an exception");
  EXPECT_THAT(judged_.message, Not(HasSubstr("no way")));
}
TEST_F(WorkerTest, ReportsDivisionByZero) {
  expectFailure("volatile int zero = 0; C[0] = N / zero;", Outcome::runFailed, "by zero");
}
TEST_F(WorkerTest, LimitsMemory) {
  if (kSanitized) {
    GTEST_SKIP() << kSkipReason;
  }
  options_.limits.memoryBytes = 1ULL << 30U;
  expectFailure("std::vector<std::vector<char>> all; for (;;) all.emplace_back(100 << 20, 'x');",
                Outcome::runFailed, "exceeds its memory limit");
}
TEST_F(WorkerTest, ReportsExit) {
  if (kSanitized) {
    GTEST_SKIP() << kSkipReason;
  }
  expectFailure("exit(0);", Outcome::runFailed, "process ended: exit code 0");
}
TEST_F(WorkerTest, StopsEndlessLoop) {
  expectFailure("for (volatile int i = 0;; i = i + 1) {}", Outcome::runTimeout, "timed out",
                milliseconds(500));
}

TEST_F(WorkerTest, RejectsFork) {
  expectFailure("C[0] = fork();", Outcome::invalid, "tried to start a process");
}
TEST_F(WorkerTest, RejectsExec) {
  expectFailure("C[0] = execl(\"/bin/true\", \"true\", nullptr);", Outcome::invalid,
                "tried to start a program");
}
TEST_F(WorkerTest, RejectsShell) {
  expectFailure("C[0] = system(\"true\");", Outcome::invalid, "tried to");
}
TEST_F(WorkerTest, RejectsNetwork) {
  expectFailure("C[0] = socket(AF_INET, SOCK_STREAM, 0);", Outcome::invalid, "use the network");
}
TEST_F(WorkerTest, RejectsWritingFiles) {
  const std::string file = (folder_.path() / "written").string();
  expectFailure("C[0] = open(\"" + file + "\", O_CREAT | O_WRONLY, 0644);", Outcome::invalid,
                "open a file for writing");
  EXPECT_FALSE(std::filesystem::exists(file));
}
TEST_F(WorkerTest, RejectsRemovingFiles) {
  expectFailure("C[0] = unlink(\"" + (folder_.path() / "x").string() + "\");", Outcome::invalid,
                "remove a file");
}
TEST_F(WorkerTest, RejectsSignalHandlers) {
  expectFailure("signal(SIGSEGV, SIG_IGN);", Outcome::invalid, "set a signal handler");
}
TEST_F(WorkerTest, RejectsSignallingOthers) {
  expectFailure("kill(getppid(), 0); kill(1, 0);", Outcome::invalid, "signal a process");
}
TEST_F(WorkerTest, RejectsReadingTheJudge) {
  expectFailure("C[0] = syscall(SYS_process_vm_readv, getppid(), 0, 0, 0, 0, 0);", Outcome::invalid,
                "inspect a process");
}
TEST_F(WorkerTest, RejectsReadingFiles) {
  auto running = load("C[0] = open(\"/proc/self/maps\", O_RDONLY) < 0 ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(output(0), 1);
}
TEST_F(WorkerTest, RejectsFilesKeptOpen) {
  // Loaders may read library folders. The kernel keeps such a file.
  auto running = load("char c; C[0] = before >= 0 && read(before, &c, 1) == 1 ? 1 : 2;",
                      "static int before = -1;\n__attribute__((constructor)) static void early() { "
                      "before = open(\"/etc/ld.so.cache\", O_RDONLY); }\n");
  EXPECT_FALSE(running);
  EXPECT_EQ(judged_.outcome, Outcome::invalid);
  EXPECT_THAT(judged_.message, HasSubstr("keeps a file open"));
}
TEST_F(WorkerTest, OpensNoFileAfterLoading) {
  auto running = load(
      "C[0] = open(\"/etc/ld.so.cache\", O_RDONLY) < 0 ? 1 : 2;\n"
      "C[1] = dup(1) < 0 ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(output(0), 1);
  EXPECT_EQ(output(1), 1);
}
TEST_F(WorkerTest, RejectsFiltersOfTheKernel) {
  // A filter that makes later system calls of the runner succeed without effect.
  auto running = load("C[0] = early == -1 ? 1 : 2;",
                      "static long early = syscall(SYS_seccomp, 1, 0, nullptr);\n");
  ASSERT_TRUE(running) << judged_.message;
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(output(0), 1);
}
TEST_F(WorkerTest, HidesUserFilesWhileLoading) {
  const ScratchFolder other = ScratchFolder::create("hone-worker-user").value();
  const std::string secret = (other.path() / "secret").string();
  ASSERT_TRUE(writeFile(secret, "secret"));
  auto running = load("C[0] = before < 0 ? 1 : 2;",
                      "static int before = open(\"" + secret + "\", O_RDONLY);\n");
  if (!judged_.facts.missingDefences.empty()) {
    GTEST_SKIP() << "this system has no Landlock";
  }
  ASSERT_TRUE(running) << judged_.message;
  ASSERT_TRUE(call(*running));
  EXPECT_EQ(output(0), 1);
}
TEST_F(WorkerTest, RejectsWritingFromConstructor) {
  const std::string file = (folder_.path() / "early").string();
  auto running = load(kWork, "__attribute__((constructor)) static void early() { close(creat(\"" +
                                 file + "\", 0644)); }\n");
  EXPECT_FALSE(running);
  EXPECT_EQ(judged_.outcome, Outcome::invalid);
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Attacks on the boundary between the kernel and the supervisor.

TEST_F(WorkerTest, RejectsWritingToOtherDescriptors) {
  expectFailure(
      "const char* done = \"{\\\"id\\\":1,\\\"ok\\\":true}\\n\";\n"
      "(void)!write(4, done, strlen(done)); for (;;) {}",
      Outcome::invalid, "write to a file");
}
TEST_F(WorkerTest, HoldsNoRequest) {
  // Scans its stack and the memory of the runner for texts of a protocol and for descriptors.
  auto running = load(
      "volatile char here = 0; int found = 0;\n"
      "for (const char* at = (const char*)&here; at < (const char*)&here + 1500; ++at)\n"
      "  if (!memcmp(at, \"\\\"id\\\"\", 4) || !memcmp(at, \"\\\"do\\\"\", 4)) found = 1;\n"
      "C[0] = found ? 1 : 2;\n"
      "int open = 0; for (int fd = 3; fd < 64; ++fd) open += fcntl(fd, F_GETFD) >= 0;\n"
      "char c; for (int fd = 3; fd < 64; ++fd) open += read(fd, &c, 1) >= 0;\n"
      "C[1] = open ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(output(0), 2);
  EXPECT_EQ(output(1), 2);
}
TEST_F(WorkerTest, GainsNothingByEarlyDone) {
  // Stops before it computes. The supervisor did not count this stop, so it resumes the process,
  // and the kernel computes within its call.
  auto running =
      load("syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);\n" + std::string(kWork));
  ASSERT_TRUE(running);
  for (const std::uint64_t seed : {1, 2, 3}) {
    inputs_ = makeInputs(shape_, ValueKind::unit, seed);
    tensors_->fill(inputs_, random_);
    EXPECT_TRUE(call(*running));
    expectCorrect();
  }
}
TEST_F(WorkerTest, CannotResumeItself) {
  expectFailure(
      "std::thread([] { for (;;) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGCONT); })"
      ".join();",
      Outcome::invalid, "signal a process");
}
TEST_F(WorkerTest, FreezesThreadsAndCountsThem) {
  // A thread computes forever. It runs only during calls, whose CPU time includes it.
  auto running = load(
      "static std::thread* t = new std::thread([] { for (;;) ++spins; }); (void)t;\n"
      "const long before = spins; while (spins < before + 2000000) {}\n"
      "C[0] = last == spins || last == 0 ? 2 : 1; last = 0;\n"
      "C[1] = (float)(spins >> 20);",
      "#include <atomic>\nstatic std::atomic<long> spins; static long last;\n");
  ASSERT_TRUE(running);
  const auto first = time(*running);
  ASSERT_TRUE(first);
  const float spins = output(1);
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(output(1), spins);
  const auto second = time(*running);
  ASSERT_TRUE(second);
  EXPECT_GT(second->cpuNs, 1'000'000);
  EXPECT_NE(running->detectLeftThreads(1), "");
  EXPECT_EQ(running->detectLeftThreads(2), "");
}
TEST_F(WorkerTest, CannotComputeInFrozenTime) {
  // A thread waits for new inputs and computes as soon as they arrive, if it can.
  auto running = load(
      "static std::thread* t = new std::thread(work, A, C, N); (void)t;\n"
      "C[2] = (float)early; early = 0; seen = A[0];",
      "#include <atomic>\nstatic std::atomic<float> seen; static std::atomic<long> early;\n"
      "static void work(const float* A, float* C, std::int64_t N) { for (;;) {\n"
      "if (*(volatile const float*)A != seen.load()) { ++early; C[1] = 77; } } }\n");
  ASSERT_TRUE(running);
  ASSERT_TRUE(time(*running));
  tensors_->fill(makeInputs(shape_, ValueKind::unit, 2), random_);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_NE(output(1), 77);
}
TEST_F(WorkerTest, KeepsInputsReadOnlyByAnyMapping) {
  auto running = load(
      "auto* page = (char*)((std::uintptr_t)A & ~4095ul); bool changed = false;\n"
      "changed |= mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0;\n"
      "void* moved = mremap(page, 0, 4096, MREMAP_MAYMOVE);\n"
      "if (moved != MAP_FAILED) changed |= mprotect(moved, 4096, PROT_READ | PROT_WRITE) == 0;\n"
      "changed |= syscall(SYS_remap_file_pages, page, 4096, 0, 0, 0) == 0;\n"
      "changed |= syscall(SYS_userfaultfd, 0) >= 0;\n"
      "C[0] = changed ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(output(0), 2);
  EXPECT_EQ(tensors_->findStrayWrite(inputs_), std::nullopt);
}
TEST_F(WorkerTest, ForgedStatusIsAFailureOfTheKernel) {
  for (const int code : {101, 102, 103, 104, 105, 106}) {
    judged_ = {};
    auto running = load("_exit(" + std::to_string(code) + ");");
    ASSERT_TRUE(running);
    EXPECT_FALSE(call(*running));
    EXPECT_NE(judged_.outcome, Outcome::ok) << code;
    EXPECT_FALSE(load("", "__attribute__((constructor)) static void early() { _exit(" +
                              std::to_string(code) + "); }\n"))
        << code;
    EXPECT_NE(judged_.outcome, Outcome::ok) << code;
  }
}

TEST(FairWall, IsAtLeastCpuTimePerThread) {
  CallTime timed;
  timed.wallNs = 100;
  timed.cpuNs = 190;
  EXPECT_EQ(fairWallNs(timed, 2), 100);
  timed.cpuNs = 600;
  EXPECT_EQ(fairWallNs(timed, 2), 300);
}

TEST_F(WorkerTest, KeepsKernelOutput) {
  auto running = load("printf(\"hello from the kernel\\n\"); fflush(stdout); abort();");
  ASSERT_TRUE(running);
  EXPECT_FALSE(call(*running));
  EXPECT_THAT(judged_.diagnostics, HasSubstr("hello from the kernel"));
}

TEST_F(WorkerTest, HidesEnvironment) {
  ::setenv("HONE_TEST_API_KEY", "secret", 1);
  ::setenv("HONE_TEST_PLAIN", "plain", 1);
  auto running = load(
      "C[0] = getenv(\"HONE_TEST_API_KEY\") ? 1 : 2; C[1] = getenv(\"HONE_TEST_PLAIN\") ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running));
  EXPECT_EQ(output(0), 2);
  EXPECT_EQ(output(1), 2);
}

TEST_F(WorkerTest, ReportsMissingFunctionAsBuildFailure) {
  const CppBuilt built = builder_.build("void kernel() {}", {}).value();
  const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
  const std::array<const CallTensors*, 1> all = {&*tensors_};
  EXPECT_FALSE(RunningKernel::start(runnable, all, milliseconds(60'000), judged_).value());
  EXPECT_EQ(judged_.outcome, Outcome::compileFailed);
  EXPECT_THAT(judged_.message, HasSubstr("has no function 'kernel'"));
}

TEST_F(WorkerTest, FailsIfProgramIsNotARunner) {
  options_.runner = "/bin/true";
  const CppBuilt built = builder_.build("void kernel() {}", {}).value();
  const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
  const auto running = RunningKernel::start(runnable, {}, milliseconds(60'000), judged_);
  ASSERT_FALSE(running);
  EXPECT_THAT(running.error().message, HasSubstr("worker failed to start (/bin/true)"));
}

}  // namespace
}  // namespace hone::kernel
