#include "tests/cli/cli.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/text/text.h"
#include "store/store.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

/// Generous timeout of all waits: no test measures time.
constexpr std::chrono::minutes kTimeout{5};
/// Pauses between polls of a condition, doubling each time. A poll may read a store or all of
/// /proc, so it must not compete with the program under test.
constexpr std::chrono::milliseconds kMinPause{1};
constexpr std::chrono::milliseconds kMaxPause{10};
constexpr const char* kMark = "HONE_TEST_SANDBOX";

void redirect(const fs::path& file, int to) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 || ::dup2(fd, to) != to) {
    ::_exit(127);
  }
}

std::string readEnvironment(const fs::path& process) {
  return readFile(process / "environ").value_or("");
}

}  // namespace

nlohmann::json CommandResult::json() const {
  auto parsed = nlohmann::json::parse(out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << "not JSON: " << out << "\nstderr: " << err;
  return parsed.is_discarded() ? nlohmann::json::object() : parsed;
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Process::signal(int number) const { ::kill(pid_, number); }

bool Process::ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

std::string Process::outputSoFar() const { return readFile(out_).value_or(""); }

CommandResult Process::wait() {
  if (!eventually([this] { return ended(); })) {
    ADD_FAILURE() << "the program does not exit";
    ::kill(-pid_, SIGKILL);
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          readFile(out_).value_or(""), readFile(err_).value_or("")};
}

Sandbox::Sandbox()
    : folder_(ScratchFolder::create("hone-cli-test").value()), program_(HONE_PROGRAM) {
  for (const fs::path& folder : {work(), temporary(), cache(), root() / "data", root() / "home"}) {
    fs::create_directories(folder);
  }
  variables_ = {{kMark, root().string()},
                {"HOME", (root() / "home").string()},
                {"TMPDIR", temporary().string()},
                {"XDG_CACHE_HOME", cache().string()},
                {"XDG_DATA_HOME", (root() / "data").string()},
                {"SLURMD_NODENAME", root().filename().string()},
                {"HONE_STORE", ""},
                {"OPENAI_API_BASE", ""},
                {"OPENAI_API_KEY", ""}};
}

Sandbox::~Sandbox() {
  const std::string node = root().filename().string();
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/tmp", ignored)) {
    if (entry.is_regular_file(ignored) && entry.path().filename().string().contains(node)) {
      fs::remove(entry.path(), ignored);  // the measurement lock
    }
  }
}

void Sandbox::write(const std::string& name, std::string_view text) const {
  fs::create_directories((work() / name).parent_path());
  EXPECT_TRUE(writeFile(work() / name, text));
}

void Sandbox::moveProgram() {
  fs::create_directories(root() / "bin");
  fs::copy_file(program_, root() / "bin/hone");
  program_ = root() / "bin/hone";
}

void Sandbox::setVariable(const std::string& name, const std::string& value) {
  variables_.emplace_back(name, value);
}

void Sandbox::execHone(const std::vector<std::string>& arguments, const fs::path& out,
                       const fs::path& err) const {
  ::setpgid(0, 0);
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  for (const auto& [name, value] : variables_) {
    if (value.empty()) {
      ::unsetenv(name.c_str());
    } else {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  std::vector<std::string> texts = {program_.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) {
    argv.push_back(text.data());
  }
  argv.push_back(nullptr);
  if (::chdir(work().c_str()) != 0 || (prepare_ && !prepare_())) {
    ::_exit(kNotPermitted);
  }
  ::execv(argv.front(), argv.data());
  ::_exit(127);
}

Process Sandbox::start(const std::vector<std::string>& arguments) {
  const int number = ++started_;
  const fs::path out = root() / fmt::format("out{}", number);
  const fs::path err = root() / fmt::format("err{}", number);
  const pid_t pid = ::fork();
  if (pid == 0) {
    execHone(arguments, out, err);
  }
  ::setpgid(pid, pid);
  return {pid, out, err};
}

std::int64_t Sandbox::countStoredTrials(std::int64_t run) const {
  if (!fs::exists(store())) {
    return 0;
  }
  const auto opened = store::Store::open(store(), store::Store::Mode::read);
  const auto trials = opened ? opened->listTrials(run) : std::unexpected(opened.error());
  return trials ? static_cast<std::int64_t>(trials->size()) : 0;
}

std::vector<pid_t> Sandbox::leftoverProcesses() const {
  const std::string mark = fmt::format("{}={}", kMark, root().string());
  std::vector<pid_t> left;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto pid = parseInt(entry.path().filename().string());
    if (pid && readEnvironment(entry.path()).contains(mark)) {
      left.push_back(static_cast<pid_t>(*pid));
    }
  }
  return left;
}

bool Sandbox::allProcessesEnd() const {
  return eventually([this] { return leftoverProcesses().empty(); });
}

std::vector<std::string> Sandbox::leftoverFiles() const {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(temporary())) {
    if (entry.is_directory()) {
      found.push_back(entry.path().string());
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(root())) {
    if (entry.path().string().contains(".part")) {
      found.push_back(entry.path().string());
    }
  }
  return found;
}

void expectError(const CommandResult& ran, int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(ran.code, code) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, StartsWith("hone: "));
  EXPECT_EQ(ran.err.find('\n') + 1, ran.err.size()) << "expected one line: " << ran.err;
  for (const std::string& text : parts) {
    EXPECT_THAT(ran.err, HasSubstr(text));
  }
}

void expectTablesFit(const CommandResult& ran) {
  constexpr std::ptrdiff_t kColumns = 80;
  for (const std::string& line : splitAt(ran.out, '\n')) {
    const auto characters = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    if (trim(line).contains("  ")) {
      EXPECT_LE(characters, kColumns) << line;
    }
  }
}

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  for (auto pause = kMinPause; !condition(); pause = std::min(2 * pause, kMaxPause)) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

std::string matmulText(int m, int n, int k, std::string_view start) {
  const std::string lhs = fmt::format("tensor<{}x{}xf32>", m, k);
  const std::string rhs = fmt::format("tensor<{}x{}xf32>", k, n);
  const std::string out = fmt::format("tensor<{}x{}xf32>", m, n);
  return fmt::format(
      "func.func @matmul(%lhs: {0}, %rhs: {1}) -> {2} {{\n"
      "  %start = arith.constant {3} : f32\n"
      "  %empty = tensor.empty() : {2}\n"
      "  %init = linalg.fill ins(%start : f32) outs(%empty : {2}) -> {2}\n"
      "  %result = linalg.matmul ins(%lhs, %rhs : {0}, {1}) outs(%init : {2}) -> {2}\n"
      "  return %result : {2}\n"
      "}}\n",
      lhs, rhs, out, start);
}

nlohmann::json tiles(const std::string& name, int rows, int columns, int reduction) {
  const std::string value = fmt::format(
      "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<"
      "distribution = [64, 64, 0], vector_common_parallel = [{}, {}, 0], "
      "vector_reduction = [0, 0, {}]>, translation_info = #iree_codegen.translation_info<"
      "pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>",
      rows, columns, reduction);
  const nlohmann::json attribute = {{"name", "compilation_info"}, {"value", value}};
  return {{"name", name}, {"attributes", nlohmann::json::array({attribute})}};
}

}  // namespace hone::test
