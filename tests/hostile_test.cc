// Hostile inputs and surroundings: files from other machines, devices, pipes, links and tight
// limits. hone answers with one line and leaves nothing behind.
#include <SQLiteCpp/Database.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "cli.h"
#include "store/store.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Hostile : public testing::Test {
 protected:
  void SetUp() override { box_.write("m.mlir", matmulText(16, 16, 16)); }

  /// Sets a limit for the programs started next.
  void limit(decltype(RLIMIT_NOFILE) what, rlim_t value) {
    box_.prepare([what, value] {
      const rlimit limit{value, value};
      return ::setrlimit(what, &limit) == 0;
    });
  }

  Sandbox box_;
  const std::vector<std::string> bench_ = {"bench", "m.mlir", "--rounds", "5", "--quiet"};
};

TEST_F(Hostile, LongLinesDoNotCrash) {
  const std::string name(20'000, 'x');
  box_.write("long.mlir", "func.func @main() { " + name);
  box_.write("longer.mlir", "func.func @" + std::string(1'000'000, 'x') + "( {");
  expectError(box_.hone({"bench", "long.mlir"}), 2, {"cannot parse long.mlir"});
  expectError(box_.hone({"bench", "longer.mlir"}), 2, {"cannot parse longer.mlir"});
  expectError(box_.hone({"bench", "m.mlir", "--flags=--iree-" + name}), 2, {"xxx"});
  expectError(box_.hone({"bench", "m.mlir", "--" + name}), 2, {"xxx"});
}

TEST_F(Hostile, RegexesMatchInLinearTime) {
  const CommandResult ran =
      box_.hone({"tune", "m.mlir", "--explain", "--dispatches", "(((.*)*)*)*q", "--quiet"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("excluded by --dispatches"));
}

TEST_F(Hostile, WritesOutputToDevicesAndThroughLinks) {
  ASSERT_EQ(box_.hone(bench_).code, 0);
  const fs::path null = box_.work() / "null";
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {  // root only
    EXPECT_EQ(box_.hone({"runs", "export", "1", "--csv", "-o", "null"}).code, 0);
    EXPECT_EQ(box_.hone({"report", "1", "-o", "null"}).code, 0);
    EXPECT_TRUE(fs::is_character_file(null));
  }
  fs::create_symlink("target.csv", box_.work() / "link.csv");
  EXPECT_EQ(box_.hone({"runs", "export", "1", "--csv", "-o", "link.csv"}).code, 0);
  EXPECT_TRUE(fs::is_symlink(box_.work() / "link.csv"));
  const std::string csv = readFile(box_.work() / "target.csv").value();
  EXPECT_THAT(csv, HasSubstr("wall_ns"));
  const CommandResult printed = box_.hone({"runs", "export", "1", "--csv", "-o", "/dev/stdout"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_EQ(printed.out, csv);
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
}

TEST_F(Hostile, RefusesEndlessFilesAtOnce) {
  ASSERT_EQ(::mkfifo((box_.work() / "pipe.db").c_str(), 0600), 0);
  expectError(box_.hone({"runs", "--store", "pipe.db"}), 2, {"pipe.db is a pipe or a device"});
  std::vector<std::string> arguments = bench_;
  arguments.insert(arguments.end(), {"--store", "pipe.db"});
  expectError(box_.hone(arguments), 2, {"pipe.db is a pipe or a device"});
  expectError(box_.hone({"runs", "--store", "/dev/null"}), 2, {"/dev/null is a pipe or a device"});
  ASSERT_EQ(::mkfifo((box_.work() / "pipe.mlir").c_str(), 0600), 0);
  expectError(box_.hone({"bench", "pipe.mlir"}), 2, {"pipe.mlir", "no process writes to it"});
  expectError(box_.hone({"bench", "m.mlir", "--configs", "pipe.mlir"}), 2, {"pipe.mlir"});
  expectError(box_.hone({"spec", "show", "/dev/random"}), 2, {"/dev/random is a device"});
  expectError(box_.hone({"bench", "/dev/zero"}), 2, {"/dev/zero is a device"});
  expectError(box_.hone({"generate", "--problem-m", "1:100000:1"}), 2,
              {"--problem-m", "more than 10000 sizes"});
}

TEST_F(Hostile, RefusesOutputsThatAreInputs) {
  box_.write("w.txt", "gemm -m 8 -n 8 -k 8\n");
  box_.write("a.mlir", "module {}\n");
  const std::string program = readFile(box_.work() / "m.mlir").value();
  fs::create_symlink("m.mlir", box_.work() / "link.mlir");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"tune", "m.mlir", "-o", "m.mlir"}, "--output m.mlir is also an input (PROGRAM"},
      {{"tune", "m.mlir", "-o", "./link.mlir"}, "--output ./link.mlir is also an input"},
      {{"tune", "m.mlir", "--input", "16x16xf32=@a.mlir", "-o", "a.mlir"}, "(--input)"},
      {{"spec", "merge", "a.mlir", "m.mlir", "-o", "m.mlir"}, "(B)"},
      {{"split", "annotate", "m.mlir", "-o", "m.mlir"}, "is also an input"},
      {{"profile", "w.txt", "-o", "w.txt"}, "--output w.txt is also an input"},
      {{"profile", "w.txt", "-o", "new", "--junit", "./new"}, "write to the same file ./new"},
      {{"runs", "export", "1", "-o", box_.store().string()}, "is the store"}};
  for (const auto& [arguments, says] : cases) {
    expectError(box_.hone(arguments), 2, {says, "choose another"});
  }
  EXPECT_EQ(readFile(box_.work() / "m.mlir").value(), program);
  EXPECT_FALSE(fs::exists(box_.work() / "new"));
}

TEST_F(Hostile, RefusesRecursivePrograms) {
  box_.write("r.mlir",
             "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
             "  %y = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
             "  return %y : tensor<4xf32>\n}\n");
  for (const char* command : {"bench", "tune", "profile"}) {
    expectError(box_.hone({command, "r.mlir"}), 2, {"r.mlir: @main calls @main", "recursion"});
  }
}

TEST_F(Hostile, ReportsFailedWriteOfProfile) {
  const std::vector<std::string> profile = {"profile",       "--problem-m=8",
                                            "--problem-n=8", "--problem-k=8",
                                            "--quiet",       "--profiling-enabled=false"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = profile;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return box_.hone(arguments);
  };
  ASSERT_EQ(::mkfifo((box_.work() / "pipe.db").c_str(), 0600), 0);
  expectError(with({"-o", "missing/data.csv"}), 2, {"folder missing does not exist"});
  expectError(with({"--store", "pipe.db"}), 2, {"pipe.db is a pipe or a device"});
  EXPECT_FALSE(fs::exists(box_.work() / "generated")) << "refused before anything is written";
  const CommandResult full = with({"-o", "/dev/full"});
  EXPECT_EQ(full.code, 3) << full.err;
  EXPECT_THAT(full.err, testing::StartsWith("hone: cannot write /dev/full: No space left"));
  EXPECT_EQ(std::ranges::count(full.err, '\n'), 1) << full.err;
}

TEST_F(Hostile, NamesMissingHome) {
  box_.setVariable("HOME", "");
  box_.setVariable("XDG_DATA_HOME", "");
  expectError(box_.hone(bench_), 3, {"HOME is not set", "XDG_DATA_HOME"});
  expectError(box_.hone({"runs"}), 3, {"HOME is not set"});
  EXPECT_EQ(box_.hone({"runs", "--store", "s.db"}).code, 0);
  box_.setVariable("XDG_CACHE_HOME", "");
  expectError(box_.hone(bench_), 3, {"HOME is not set", "XDG_CACHE_HOME"});
  EXPECT_EQ(box_.hone({"completions", "bash"}).code, 0) << "needs no folder";
}

TEST_F(Hostile, ReportsTooFewDescriptors) {
  limit(RLIMIT_NOFILE, 8);
  const CommandResult ran = box_.hone(bench_);
  expectError(ran, 3, {"Too many open files"});
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
  EXPECT_TRUE(box_.allProcessesEnd());
}

TEST_F(Hostile, ReportsSmallStack) {
  limit(RLIMIT_STACK, 65536);
  expectError(box_.hone({"runs"}), 3, {"stack limit", "64 KiB", "ulimit -s"});
}

TEST_F(Hostile, ReportsLimitOfFileSize) {
  limit(RLIMIT_FSIZE, 1024);
  const CommandResult ran = box_.hone(bench_);
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.err, testing::AnyOf(HasSubstr("File too large"), HasSubstr("ulimit -f")));
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
}

TEST_F(Hostile, DoesNotFollowLinkAtPlaceOfLock) {
  box_.write("precious", "text");
  const fs::path lock =
      fmt::format("/tmp/hone-{}-{}.lane", ::getuid(), box_.root().filename().string());
  fs::create_symlink(box_.work() / "precious", lock);
  expectError(box_.hone(bench_), 3, {lock.string(), "is a symbolic link"});
  fs::remove(lock);
  fs::create_directories(box_.store().parent_path());
  fs::remove(box_.store().string() + ".lock");
  fs::create_symlink(box_.work() / "precious", box_.store().string() + ".lock");
  expectError(box_.hone(bench_), 3, {"hone.db.lock", "is a symbolic link"});
  EXPECT_EQ(readFile(box_.work() / "precious").value(), "text");
}

TEST_F(Hostile, RefusesProgramsNamedByFiles) {
  box_.write("c.json", R"([{"flags": ["--iree-llvmcpu-system-linker-path=/tmp/evil"]}])");
  expectError(box_.hone({"bench", "m.mlir", "--configs", "c.json"}), 2,
              {"c.json, entry 1", "system-linker-path", "--trust"});
  const auto folder = [&](const std::string& flags, const std::string& inputs) {
    box_.write("there/program.mlir", matmulText(16, 16, 16));
    box_.write("there/candidates.json",
               fmt::format(R"({{"target": "local", "function": "main", "flags": [{}],
                               "inputs": [{}], "seed": 1, "dispatches": []}})",
                           flags, inputs));
    return box_.hone({"tune", "--continue", "there", "--budget", "1trials", "--quiet"});
  };
  expectError(folder(R"("--iree-hal-preprocess-executables-with=evil")", ""), 2,
              {"there/candidates.json", "preprocess", "--trust"});
  expectError(folder("", R"("16x16xf32=@/etc/passwd", "16x16xf32")"), 2,
              {"/etc/passwd", "outside of there", "--trust"});
}

TEST_F(Hostile, RefusesArgumentsOfSettingsInTheWorkingFolder) {
  const std::vector<std::string> tune = {"tune", "m.mlir", "--budget", "1trials", "--quiet"};
  for (const char* argument : {"--output=/etc/cron.d/x", "--export=LD_PRELOAD=x", "--prolog=x"}) {
    box_.write("hone.toml", fmt::format("[cluster]\nsbatch-args = [\"{}\"]\n", argument));
    expectError(box_.hone(tune), 2, {"hone.toml", argument, "--settings hone.toml"});
  }
}

TEST_F(Hostile, RefusesCommandsOfOtherMachines) {
  {
    store::Store store = store::Store::open(box_.store(), store::Store::Mode::write).value();
    store::Run run;
    run.command = "bench";
    run.arguments = {"bench", "/tmp/evil.mlir"};
    run.workingFolder = box_.work();
    run.host = "elsewhere";
    ASSERT_TRUE(store.addRun(run));
  }
  expectError(box_.hone({"runs", "resume", "1"}), 2,
              {"recorded on elsewhere", "--trust", "bench /tmp/evil.mlir"});
  expectError(box_.hone({"runs", "resume", "1", "--trust"}), 2, {"/tmp/evil.mlir"});
}

TEST_F(Hostile, RejectsUnsoundJson) {
  const auto configs = [&](const std::string& text) {
    box_.write("c.json", text);
    return box_.hone({"bench", "m.mlir", "--configs", "c.json"});
  };
  expectError(configs(std::string(200'000, '[')), 2, {"c.json", "nested deeper"});
  expectError(configs("[\n1e999]"), 2, {"c.json", "too large"});
  expectError(configs(R"([{"name": "a\u001b[2Jb"}])"), 2, {"c.json, entry 1", "control character"});
  expectError(configs(R"([{"name": ["x"]}])"), 2, {"c.json, entry 1", "'name'"});
  expectError(configs(R"([{"a\nb": 1}])"), 2, {"c.json, entry 1", "unknown member"});
}

TEST_F(Hostile, SurvivesDamagedStoreRows) {
  ASSERT_EQ(box_.hone(bench_).code, 0);
  const std::vector<std::pair<std::string, std::string>> rows = {{"runs", "arguments"},
                                                                 {"runs", "details"},
                                                                 {"runs", "summary"},
                                                                 {"trials", "config"},
                                                                 {"trials", "details"}};
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  for (const auto& [table, column] : rows) {
    const fs::path copy = box_.work() / "copy.db";
    for (const std::string& value :
         {std::string("{"), std::string("7"), std::string("\"x\""), std::string("[{}]"),
          std::string(R"({"run": 1e300, "candidates": 7, "name": {}, "flags": 3})"),
          std::string(R"({"run": -1, "candidates": [{"speedup": "x", "rounds": 1e99}]})"), deep}) {
      fs::copy_file(box_.store(), copy, fs::copy_options::overwrite_existing);
      const SQLite::Database database(copy.string(), SQLite::OPEN_READWRITE);
      SQLite::Statement update(database, fmt::format("UPDATE {} SET {} = ?", table, column));
      update.bind(1, value);
      update.exec();
      for (const std::vector<std::string>& command : {std::vector<std::string>{"runs"},
                                                      {"runs", "show", "1"},
                                                      {"report", "1", "-o", "r.html"},
                                                      {"runs", "export", "1", "--csv"},
                                                      {"compare", "1", "1"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"--store", "copy.db"});
        const CommandResult ran = box_.hone(arguments);
        const std::string what = fmt::format("{} {} {}.{} = {}", arguments[0], arguments[1], table,
                                             column, value.substr(0, 40));
        EXPECT_LE(ran.code, 2) << what << ": " << ran.err;
        EXPECT_THAT(ran.err, Not(HasSubstr("internal error"))) << what;
      }
    }
  }
}

TEST_F(Hostile, RebuildsDamagedCacheEntries) {
  ASSERT_EQ(box_.hone(bench_).code, 0);
  int damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(box_.cache())) {
    if (entry.is_regular_file()) {
      fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
      ++damaged;
    }
  }
  EXPECT_GT(damaged, 2);
  std::vector<std::string> again = bench_;
  again.insert(again.end(), {"--seed", "2"});  // a new run
  const CommandResult ran = box_.hone(again);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "") << "silently";
}

TEST_F(Hostile, BudgetBoundsHopelessConfigs) {
  // Each needs its own lowering, and most are invalid in a different way.
  nlohmann::json configs = nlohmann::json::array();
  for (int i = 0; i < 60; ++i) {
    configs.push_back(
        {{"name", fmt::format("flags {}", i)},
         {"flags",
          {fmt::format("--iree-llvmcpu-distribution-size={}", 1 + i), "--iree-opt-level=O3"}}});
  }
  box_.write("c.json", configs.dump());
  ASSERT_EQ(box_.hone(bench_).code, 0) << "the baseline is cached";
  const CommandResult ran = box_.hone(
      {"bench", "m.mlir", "--configs", "c.json", "--budget", "3s", "--rounds", "5", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(ran.json().at("candidates").size(), 61U) << "some were not tried";
}

}  // namespace
}  // namespace hone::test
