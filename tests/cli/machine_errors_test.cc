// Errors of the machine, the store or IREE: one line, exit code 2 or 3, no data damaged.
#include <SQLiteCpp/Database.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "store/store.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class MachineErrors : public testing::Test {
 protected:
  void SetUp() override { box_.write("m.mlir", matmulText(16, 16, 16)); }

  /// Mounts a file system of `size` on the folder, only for the next program.
  void shrink(const fs::path& folder, const std::string& size) {
    fs::create_directories(folder);
    box_.prepare([folder, options = "size=" + size] {
      const int kinds = CLONE_NEWNS | (::geteuid() == 0 ? 0 : CLONE_NEWUSER);
      return ::unshare(kinds) == 0 &&
             ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             ::mount("none", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
    });
  }

  /// Creates a folder that looks like IREE's, with this text as the library.
  [[nodiscard]] fs::path fakeIree(const std::string& library) const {
    const fs::path site = box_.work() / "site";
    fs::create_directories(site / "iree/compiler/_mlir_libs");
    EXPECT_TRUE(writeFile(site / "iree/compiler/_mlir_libs/libIREECompiler.so", library));
    return site;
  }

  Sandbox box_;
  const std::vector<std::string> bench_ = {"bench", "m.mlir", "--rounds", "5", "--quiet"};
};

TEST_F(MachineErrors, KeepsStoreOfNewerSchema) {
  static_cast<void>(store::Store::open(box_.store(), store::Store::Mode::write).value());
  SQLite::Database(box_.store().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const std::string before = readFile(box_.store()).value();
  expectError(box_.hone(bench_), 2, {"schema version 99", "--store"});
  expectError(box_.hone({"runs"}), 2, {"schema version 99"});
  EXPECT_EQ(readFile(box_.store()).value(), before);
}

TEST_F(MachineErrors, KeepsForeignFile) {
  SQLite::Database((box_.work() / "other.db").string(),
                   SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE t (x)");
  box_.write("text.db", "good morning, this is a text and no store at all");
  for (const std::string name : {"other.db", "text.db", "m.mlir"}) {
    const std::string before = readFile(box_.work() / name).value();
    std::vector<std::string> arguments = bench_;
    arguments.insert(arguments.end(), {"--store", name});
    expectError(box_.hone(arguments), 2, {name, "not a hone store"});
    expectError(box_.hone({"runs", "--store", name}), 2, {name, "not a hone store"});
    EXPECT_EQ(readFile(box_.work() / name).value(), before);
  }
}

TEST_F(MachineErrors, ResumesAfterFullCacheDisk) {
  shrink(box_.cache(), "8k");
  const CommandResult full = box_.hone(bench_);
  if (full.code == Sandbox::kNotPermitted) {
    GTEST_SKIP() << "not permitted to mount a file system";
  }
  expectError(full, 3, {"the disk is full", box_.cache().string()});
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
  // With free space, the same command resumes the run.
  box_.prepare({});
  EXPECT_EQ(box_.hone(bench_).code, 0);
  const auto runs = box_.hone({"runs", "--json"}).json()["runs"];
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["status"], "finished");
}

TEST_F(MachineErrors, ReportsFullStoreDisk) {
  for (const char* size : {"16k", "100k"}) {
    shrink(box_.root() / "data", size);
    const CommandResult full = box_.hone(bench_);
    if (full.code == Sandbox::kNotPermitted) {
      GTEST_SKIP() << "not permitted to mount a file system";
    }
    expectError(full, 3, {"the disk is full", "hone.db"});
  }
}

TEST_F(MachineErrors, ReportsFullTemporaryFolder) {
  box_.write("large.mlir", matmulText(64, 64, 64));
  for (const char* size : {"8k", "40k"}) {  // too small for the inputs, then for the results
    shrink(box_.temporary(), size);
    const CommandResult full = box_.hone({"bench", "large.mlir", "--rounds", "5", "--quiet"});
    if (full.code == Sandbox::kNotPermitted) {
      GTEST_SKIP() << "not permitted to mount a file system";
    }
    expectError(full, 3, {box_.temporary().string()});
  }
}

TEST_F(MachineErrors, ReportsUnwritableOutput) {
  box_.prepare([] {
    const int full = ::open("/dev/full", O_WRONLY);
    return full >= 0 && ::dup2(full, STDOUT_FILENO) == STDOUT_FILENO;
  });
  expectError(box_.hone({"doctor", "--json"}), 3, {"standard output", "No space left"});
}

TEST_F(MachineErrors, ReportsUnwritableOutputBeforeWork) {
  expectError(box_.hone({"tune", "m.mlir", "-o", "/proc/spec.mlir"}), 2, {"/proc/spec.mlir"});
  EXPECT_FALSE(fs::exists(box_.store()));
}

TEST_F(MachineErrors, ReportsFolderThatCannotBeCreated) {
  expectError(box_.hone({"bench", "m.mlir", "--store", "/proc/none/hone.db"}), 3, {"/proc/none"});
}

TEST_F(MachineErrors, RejectsFolderWithoutIree) {
  expectError(box_.hone({"bench", "m.mlir", "--iree", "."}), 2, {"--iree", "libIREECompiler.so"});
  box_.setVariable("HONE_IREE", box_.work().string());
  expectError(box_.hone(bench_), 2, {"HONE_IREE", box_.work().string()});
}

TEST_F(MachineErrors, SuggestsHowToInstallIree) {
  box_.moveProgram();
  box_.setVariable("HONE_IREE", "");
  box_.setVariable("VIRTUAL_ENV", "");
  expectError(box_.hone(bench_), 3, {"no IREE compiler found", "pip install", "--iree"});
}

TEST_F(MachineErrors, RejectsInvalidCompilerLibrary) {
  const std::string site = fakeIree("good morning").string();
  expectError(box_.hone({"bench", "m.mlir", "--iree", site}), 3, {"cannot load", site});
  // A valid library, but not IREE's.
  const std::string other = fakeIree(readFile(HONE_OTHER_LIBRARY).value()).string();
  expectError(box_.hone({"bench", "m.mlir", "--iree", other}), 3, {other, "3.10 or newer"});
  EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
  EXPECT_TRUE(box_.allProcessesEnd());
}

}  // namespace
}  // namespace hone::test
