// Misbehaving kernels in a worker: each is reported, and none affects the judge.
#include "kernel/worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "kernel/judge/input/call_tensors.h"
#include "kernel/judge/input/input_values.h"
#include "kernel/judge/runnable.h"
#include "kernel/judge/running_kernel.h"
#include "kernel/worker/cpp/cpp_build.h"
#include "kernel/worker/sandbox/defences.h"

namespace hone::kernel {
namespace {

using model::Outcome;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr const char* kHead =
    "#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
    "#include <cmath>\n#include <mutex>\n#include <new>\n#include <stdexcept>\n#include <thread>\n"
    "#include <vector>\n#include <unistd.h>\n#include <fcntl.h>\n#include <signal.h>\n"
    "#include <sys/mman.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n";

/// AddressSanitizer needs files and system calls that a worker may not use when a kernel ends it.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr const char* kSkipReason = "the sanitizer cannot shut down in a worker";

/// Loads kernels that compute C[i] = 2 * A[i] into a worker, without the source scan.
class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    shape_.sizes = {{"N", 1000}};
    shape_.inputs = {{"A", {{1000}, model::ElementType::f32}}};
    shape_.outputs = {{"C", {{1000}, model::ElementType::f32}}};
    options_.folder = folder_.path();
    options_.program = HONE_PROGRAM;
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
  options.program = HONE_PROGRAM;
  options.device = "cuda";
  EXPECT_TRUE(cppRunnable(options, "kernel.so", "kernel").value().onCpu());
  EXPECT_FALSE((Runnable{{}, {{"device", "cuda"}}}).onCpu());
  EXPECT_TRUE((Runnable{{}, {{"device", "cpu"}}}).onCpu());
}

TEST_F(WorkerTest, ComputesAndIsTimed) {
  auto running = load(kWork);
  ASSERT_TRUE(running);
  EXPECT_EQ(judged_.facts["sandbox"], "seccomp");
  EXPECT_EQ(judged_.facts.value("missing_defences", std::vector<std::string>()), missingDefences());
  EXPECT_TRUE(call(*running));
  expectCorrect();
  const auto timed = running->time(*tensors_, 2, 100, 5, milliseconds(60'000), judged_).value();
  ASSERT_TRUE(timed);
  EXPECT_GT(timed->wallNs, 0);
  EXPECT_GT(timed->cpuNs, 0);
  expectCorrect();
  EXPECT_EQ(running->worker().busyWhileIdle(), "");
  EXPECT_EQ(running->detectWorkAfterReply(*timed), "");
  EXPECT_EQ(running->detectLeftThreads(1), "");
  const auto again = running->time(*tensors_, 0, 1, 5, milliseconds(60'000), judged_).value();
  ASSERT_TRUE(again);
  EXPECT_EQ(running->detectWorkAhead(*timed, *again), "");
}

TEST_F(WorkerTest, RunsOpenMpThreads) {
  options_.threads = 2;
  auto running = load(std::string("#pragma omp parallel for\n") + kWork, "", {"-fopenmp"});
  ASSERT_TRUE(running) << judged_.message;
  EXPECT_TRUE(call(*running)) << judged_.message;
  expectCorrect();
  EXPECT_EQ(running->worker().busyWhileIdle(), "");
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
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[0], 2);
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
  expectFailure("throw std::runtime_error(\"no way\");", Outcome::runFailed, "no way");
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
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[0], 1);
}
TEST_F(WorkerTest, ClosesFilesOpenedWhileLoading) {
  auto running = load("char c; C[0] = before >= 0 && read(before, &c, 1) == 1 ? 1 : 2;",
                      "static int before = -1;\n__attribute__((constructor)) static void early() { "
                      "before = open(\"/proc/self/maps\", O_RDONLY); }\n");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running)) << judged_.message;
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[0], 2);
}
TEST_F(WorkerTest, HidesUserFilesWhileLoading) {
  const ScratchFolder other = ScratchFolder::create("hone-worker-user").value();
  const std::string secret = (other.path() / "secret").string();
  ASSERT_TRUE(writeFile(secret, "secret"));
  const std::string text =
      kHead + ("static int before = open(\"" + secret) +
      "\", O_RDONLY);\nextern \"C\" void kernel(const float* A, float* C, std::int64_t N) { C[0] = "
      "before < 0 ? 1 : 2; }\n";
  const CppBuilt built = builder_.build(text, {}).value();
  ASSERT_TRUE(built.ok()) << built.diagnostics;
  const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
  Worker worker = Worker::start(runnable.command).value();
  const auto ask = [&](const nlohmann::json& request) {
    return worker.ask(request, milliseconds(60'000)).value();
  };
  nlohmann::json list = nlohmann::json::array();
  tensors_->describe(list);
  ASSERT_TRUE(ask({{"do", "tensors"}, {"tensors", list}}).ok());
  const Reply loaded = ask(runnable.load);
  ASSERT_TRUE(loaded.ok()) << loaded.message;
  if (!loaded.body.value("landlock", false)) {
    GTEST_SKIP() << "this system has no Landlock";
  }
  ASSERT_TRUE(ask(tensors_->request("call")).ok());
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[0], 1);
}
TEST_F(WorkerTest, RejectsWritingFromConstructor) {
  const std::string file = (folder_.path() / "early").string();
  auto running = load(kWork, "__attribute__((constructor)) static void early() { close(creat(\"" +
                                 file + "\", 0644)); }\n");
  EXPECT_FALSE(running);
  EXPECT_EQ(judged_.outcome, Outcome::invalid);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(WorkerTest, DetectsForgedReply) {
  expectFailure(
      "const char* done = \"{\\\"id\\\":1,\\\"ok\\\":true}\\n\";\n"
      "(void)!write(4, done, strlen(done)); for (;;) {}",
      Outcome::invalid, "wrote to the judge's channel");
}
TEST_F(WorkerTest, DetectsClosedChannel) {
  expectFailure("close(4); for (;;) {}", Outcome::invalid, "closed the judge's channel");
}
TEST_F(WorkerTest, DetectsLeftThreads) {
  auto running = load(std::string("std::thread([] { for (volatile int i = 0;; i = i + 1) {} })"
                                  ".detach();") +
                      kWork);
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running));
  EXPECT_THAT(running->worker().busyWhileIdle(), HasSubstr("leaves threads running"));
}

TEST_F(WorkerTest, CountsWorkAfterReply) {
  auto running = load("std::thread([=] { for (volatile int i = 0; i < 300000; i = i + 1) {}\n" +
                      std::string(kWork) + " }).detach();");
  ASSERT_TRUE(running);
  ASSERT_TRUE(running->time(*tensors_, 0, 1, 5, milliseconds(60'000), judged_).value());
  expectCorrect();  // the worker waited for the thread, so its time was included
}

/// A thread that sleeps and computes when new inputs arrive, while the judge is busy.
constexpr const char* kSleeper =
    "static void work(const float* A) { for (;;) { const float seen = *(volatile const float*)A;\n"
    "while (*(volatile const float*)A == seen) usleep(1000);\n"
    "for (volatile int i = 0; i < 30000000; i = i + 1) {} } }\n";
constexpr const char* kStart = "static std::thread* t = new std::thread(work, A); (void)t;\n";

TEST_F(WorkerTest, DetectsWorkOutsideOfTimedInterval) {
  auto running = load(std::string(kStart) + kWork, kSleeper);
  ASSERT_TRUE(running);
  const auto timed = running->time(*tensors_, 0, 1, 5, milliseconds(60'000), judged_).value();
  ASSERT_TRUE(timed);
  EXPECT_NE(running->detectLeftThreads(1), "");
  EXPECT_EQ(running->detectLeftThreads(2), "");
  tensors_->fill(makeInputs(shape_, ValueKind::unit, 2), random_);
  const std::int64_t before = timed->after.othersNs();
  for (int i = 0; i < 60'000 && running->worker().waitUntilIdle().othersNs() - before < 1'000'000;
       ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_THAT(running->detectWorkAfterReply(*timed), HasSubstr("continues to compute after"));
  const auto again = running->time(*tensors_, 0, 1, 5, milliseconds(60'000), judged_).value();
  ASSERT_TRUE(again);
  EXPECT_THAT(running->detectWorkAhead(*timed, *again), HasSubstr("before it is called"));
}

TEST(FairWall, IsAtLeastCpuTimePerThread) {
  TimedReply timed;
  timed.wallNs = 100;
  timed.cpuNs = 190;
  EXPECT_EQ(fairWallNs(timed, 2), 100);
  timed.cpuNs = 600;
  EXPECT_EQ(fairWallNs(timed, 2), 300);
}

TEST_F(WorkerTest, NeverRepeatsInputs) {
  // The kernel replies known inputs wrongly: correct outputs prove that no call was repeated.
  auto running = load(
      "std::vector<float> now(A, A + N);\n"
      "for (auto& old : seen) if (old == now) { C[0] = 1e9; return; }\n"
      "seen.push_back(now);\n" +
          std::string(kWork),
      "static std::vector<std::vector<float>> seen;\n");
  ASSERT_TRUE(running);
  ASSERT_TRUE(running->time(*tensors_, 3, 60, 5, milliseconds(60'000), judged_).value());
  expectCorrect();
}

TEST_F(WorkerTest, KeepsKernelOutput) {
  auto running = load("printf(\"hello from the kernel\\n\"); fflush(stdout); abort();");
  ASSERT_TRUE(running);
  EXPECT_FALSE(call(*running));
  EXPECT_THAT(judged_.diagnostics, HasSubstr("hello from the kernel"));
}

TEST_F(WorkerTest, HidesSecrets) {
  ::setenv("HONE_TEST_API_KEY", "secret", 1);
  ::setenv("HONE_TEST_PLAIN", "plain", 1);
  auto running = load(
      "C[0] = getenv(\"HONE_TEST_API_KEY\") ? 1 : 2; C[1] = getenv(\"HONE_TEST_PLAIN\") ? 1 : 2;");
  ASSERT_TRUE(running);
  EXPECT_TRUE(call(*running));
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[0], 2);
  EXPECT_EQ(verify::toNumbers<float>(tensors_->outputs()[0])[1], 1);
}

TEST_F(WorkerTest, ReportsMissingFunctionAsBuildFailure) {
  const CppBuilt built = builder_.build("void kernel() {}", {}).value();
  const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
  const std::array<const CallTensors*, 1> all = {&*tensors_};
  EXPECT_FALSE(RunningKernel::start(runnable, all, milliseconds(60'000), judged_).value());
  EXPECT_EQ(judged_.outcome, Outcome::compileFailed);
  EXPECT_THAT(judged_.message, HasSubstr("has no function 'kernel'"));
}

TEST_F(WorkerTest, FailsIfProgramIsNotAWorker) {
  options_.program = "/bin/true";
  const CppBuilt built = builder_.build("void kernel() {}", {}).value();
  const Runnable runnable = cppRunnable(options_, built.library, "kernel").value();
  const auto running = RunningKernel::start(runnable, {}, milliseconds(60'000), judged_);
  ASSERT_FALSE(running);
  EXPECT_THAT(running.error().message, HasSubstr("worker failed to start (/bin/true)"));
}

}  // namespace
}  // namespace hone::kernel
