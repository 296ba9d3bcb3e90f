#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

namespace hone {
namespace {

namespace fs = std::filesystem;

/// Sets or unsets an environment variable and restores it on destruction.
class ScopedVariable {
 public:
  ScopedVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) {
      old_ = old;
    }
    set(value);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    value != nullptr ? ::setenv(name_.c_str(), value, 1) : ::unsetenv(name_.c_str());
  }
  std::string name_;
  std::optional<std::string> old_;
};

class FileTest : public testing::Test {
 protected:
  ScratchFolder folder_ = ScratchFolder::create("file-test").value();
  fs::path file_ = folder_.path() / "file";

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }
};

TEST_F(FileTest, NamesMissingFileInUserError) {
  const auto result = readFile(file_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::user);
  EXPECT_NE(result.error().message.find(file_.string()), std::string::npos);
  EXPECT_NE(result.error().message.find("No such file"), std::string::npos);
}

TEST_F(FileTest, RejectsReadingFolder) {
  const auto result = readFile(folder_.path());
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("is a folder"), std::string::npos);
}

TEST_F(FileTest, OverwritesAndLeavesNoTemporaryFile) {
  ASSERT_TRUE(writeFile(file_, "old and longer"));
  ASSERT_TRUE(writeFile(file_, "new"));
  EXPECT_EQ(readFile(file_).value(), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(FileTest, LeavesNoTemporaryFileAfterFailedWrite) {
  ASSERT_TRUE(makeFolder(file_));
  const auto result = writeFile(file_, "text");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::machine);
  EXPECT_EQ(entries(), 1U);
  EXPECT_FALSE(writeFile(folder_.path() / "no" / "such", "text"));
}

TEST_F(FileTest, FollowsLinksWhenWriting) {
  const fs::path link = folder_.path() / "link";
  fs::create_directory(folder_.path() / "deep");
  fs::create_symlink("deep/second", link);
  fs::create_symlink("../file", folder_.path() / "deep/second");
  ASSERT_TRUE(writeFile(link, "through a dangling link"));
  ASSERT_TRUE(fs::is_symlink(link));
  ASSERT_TRUE(fs::is_symlink(folder_.path() / "deep/second"));
  EXPECT_EQ(readFile(file_).value(), "through a dangling link");
  ASSERT_TRUE(writeFile(link, "again"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(readFile(file_).value(), "again");
  EXPECT_EQ(entries(), 3U);
}

TEST_F(FileTest, KeepsModeOfExistingFile) {
  ASSERT_TRUE(writeFile(file_, "old"));
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(writeFile(file_, "new"));
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FileTest, WritesToDevicesAndPipes) {
  const fs::path null = folder_.path() / "null";  // root may create and replace a device
  if (::mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    EXPECT_TRUE(writeFile(null, "text"));
    EXPECT_TRUE(fs::is_character_file(null));
  }
  EXPECT_TRUE(writeFile("/dev/null", "text"));
  const auto full = writeFile("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  std::string seen;
  {
    const std::jthread reader([&] { seen = readFile(file_).value_or("error"); });
    EXPECT_TRUE(writeFile(file_, "through the pipe"));
  }
  EXPECT_EQ(seen, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(file_));
}

TEST_F(FileTest, ReadsPipeWithLateWriter) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const std::jthread writer([&] { EXPECT_TRUE(writeFile(file_, "through the pipe")); });
  EXPECT_EQ(readFile(file_).value(), "through the pipe");
}

TEST_F(FileTest, RejectsPipeWithoutWriter) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  const auto content = readFile(file_);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().fault, Fault::user);
  EXPECT_THAT(content.error().message, testing::HasSubstr("no process writes to it"));
}

TEST_F(FileTest, AppendsToOpenStream) {
  const int fd = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(fd, "before ", 7), 7);
  EXPECT_TRUE(writeFile(fmt::format("/dev/fd/{}", fd), "after"));
  ::close(fd);
  EXPECT_EQ(readFile(file_).value(), "before after");
}

TEST_F(FileTest, RefusesEndlessDevices) {
  for (const char* device : {"/dev/random", "/dev/zero", "/dev/urandom"}) {
    const auto content = readFile(device);
    ASSERT_FALSE(content);
    EXPECT_EQ(content.error().message, fmt::format("{} is a device, not a file", device));
  }
  EXPECT_EQ(readFile("/dev/null").value(), "");
  EXPECT_FALSE(readFile("/proc/self/status").value().empty()) << "a file of unknown size";
}

TEST_F(FileTest, NamesFileAndMissingFolderInUserError) {
  EXPECT_TRUE(checkParentFolder(file_));
  EXPECT_TRUE(checkParentFolder("file")) << "current folder";
  EXPECT_TRUE(checkParentFolder("")) << "empty path";
  const fs::path lost = folder_.path() / "no" / "such";
  const auto result = checkParentFolder(lost);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, Fault::user);
  EXPECT_EQ(result.error().message, fmt::format("cannot write {}: folder {} does not exist",
                                                lost.string(), lost.parent_path().string()));
  ASSERT_TRUE(writeFile(file_, ""));
  EXPECT_FALSE(checkParentFolder(file_ / "below")) << "a file is not a folder";
  EXPECT_FALSE(checkParentFolder("/proc/file")) << "no file can be created";
  EXPECT_TRUE(checkParentFolder("/dev/full"));
  EXPECT_FALSE(checkParentFolder(folder_.path())) << "a folder";
  EXPECT_TRUE(checkParentFolder(folder_.path() / "new"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(FileTest, KeepsParallelWritesAtomic) {
  const std::string a(300'000, 'a');
  const std::string b(200'000, 'b');
  const auto writer = [&](const std::string& text) {
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(writeFile(file_, text));
      const std::string seen = readFile(file_).value();
      ASSERT_TRUE(seen == a || seen == b);
    }
  };
  const std::jthread other(writer, a);
  writer(b);
}

RC_GTEST_FIXTURE_PROP(FileTest, RoundTripsAnyBytes, (const std::string& content)) {
  RC_ASSERT(writeFile(file_, content).has_value());
  RC_ASSERT(readFile(file_).value() == content);
}

TEST_F(FileTest, CreatesFoldersWithParents) {
  EXPECT_TRUE(makeFolder(folder_.path() / "a" / "b"));
  EXPECT_TRUE(makeFolder(folder_.path() / "a" / "b")) << "existing folder is not an error";
  EXPECT_TRUE(fs::is_directory(folder_.path() / "a" / "b"));
  ASSERT_TRUE(writeFile(file_, ""));
  EXPECT_FALSE(makeFolder(file_ / "below"));
}

TEST(HomeFolders, FollowTheEnvironment) {
  const ScopedVariable home("HOME", "/home/me");
  {
    const ScopedVariable data("XDG_DATA_HOME", "/data");
    const ScopedVariable cache("XDG_CACHE_HOME", "/cache");
    EXPECT_EQ(dataFolder().value(), "/data/hone");
    EXPECT_EQ(cacheFolder().value(), "/cache/hone");
  }
  const ScopedVariable data("XDG_DATA_HOME", nullptr);
  const ScopedVariable cache("XDG_CACHE_HOME", "");
  EXPECT_EQ(dataFolder().value(), "/home/me/.local/share/hone");
  EXPECT_EQ(cacheFolder().value(), "/home/me/.cache/hone");
}

TEST(HomeFolders, RequireHome) {
  const ScopedVariable data("XDG_DATA_HOME", nullptr);
  const ScopedVariable cache("XDG_CACHE_HOME", "/cache");
  for (const char* home : {static_cast<const char*>(nullptr), ""}) {
    const ScopedVariable unset("HOME", home);
    const auto folder = dataFolder();
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().fault, Fault::machine);
    EXPECT_EQ(folder.error().message, "HOME is not set; set it, or set XDG_DATA_HOME to a folder");
    EXPECT_EQ(cacheFolder().value(), "/cache/hone");
  }
}

TEST(ScratchFolder, RemovesItsContents) {
  fs::path path;
  {
    const ScratchFolder folder = ScratchFolder::create("scratch").value();
    path = folder.path();
    ASSERT_TRUE(makeFolder(path / "deep" / "er"));
    ASSERT_TRUE(writeFile(path / "deep" / "file", "x"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, MovesWithoutRemoving) {
  ScratchFolder first = ScratchFolder::create().value();
  const fs::path path = first.path();
  ScratchFolder second(std::move(first));
  EXPECT_TRUE(fs::exists(path));
  fs::path replaced;
  {
    ScratchFolder third = ScratchFolder::create().value();
    replaced = third.path();
    third = std::move(second);
    EXPECT_EQ(third.path(), path);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, RemovesLeftoversOfKilledProcessesOfThisMachine) {
  const ScratchFolder mine = ScratchFolder::create("scratch").value();
  const std::string name = mine.path().filename().string();
  const std::string prefix = "scratch-";
  // Above the largest pid.
  const std::string gone = fmt::format("-4194304-{}", ::getpid());
  const auto left =
      mine.path().parent_path() / (name.substr(0, name.find('-', prefix.size())) + gone);
  const auto otherMachine = mine.path().parent_path() / (prefix + "another" + gone);
  ASSERT_TRUE(makeFolder(left));
  ASSERT_TRUE(makeFolder(otherMachine));
  const ScratchFolder next = ScratchFolder::create("scratch").value();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::remove(otherMachine));
}

TEST(ScratchFolder, NamesUnusableTemporaryFolder) {
  const ScopedVariable temporary("TMPDIR", "/no/such/folder");
  const auto folder = ScratchFolder::create();
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("/no/such/folder"), std::string::npos)
      << folder.error().message;
  EXPECT_EQ(folder.error().message.find("Success"), std::string::npos) << folder.error().message;
}

TEST_F(FileTest, LockIsExclusiveUntilDestroyed) {
  {
    const auto lock = FileLock::tryLock(file_);
    ASSERT_TRUE(lock);
    const auto second = FileLock::tryLock(file_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().fault, Fault::user);
    EXPECT_NE(second.error().message.find("held by another"), std::string::npos);
  }
  auto again = FileLock::tryLock(file_);
  ASSERT_TRUE(again);
  const FileLock moved = std::move(*again);
  EXPECT_FALSE(FileLock::tryLock(file_)) << "a moved lock is still held";
}

TEST_F(FileTest, LockDoesNotFollowLinks) {
  const fs::path victim = folder_.path() / "victim";
  ASSERT_TRUE(writeFile(victim, "precious"));
  fs::create_symlink(victim, file_);
  const auto lock = FileLock::tryLock(file_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().fault, Fault::machine);
  EXPECT_NE(lock.error().message.find("is a symbolic link"), std::string::npos);
  EXPECT_FALSE(FileLock::waitFor(file_, FileLock::Share::exclusive));
  EXPECT_EQ(readFile(victim).value(), "precious");
}

TEST_F(FileTest, LockHoldsANote) {
  const auto lock = FileLock::tryLock(file_);
  ASSERT_TRUE(lock);
  lock->note("a long note\n");
  lock->note("4711\n");
  EXPECT_EQ(readFile(file_).value(), "4711\n");
}

TEST_F(FileTest, FailsToLockInMissingFolder) {
  const auto lock = FileLock::tryLock(folder_.path() / "no" / "lock");
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().fault, Fault::machine);
}

}  // namespace
}  // namespace hone
