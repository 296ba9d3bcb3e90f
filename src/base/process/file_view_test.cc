#include "base/process/file_view.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process/subprocess.h"

namespace hone {
namespace {

TEST(FileView, HidesOtherFiles) {
  const ScratchFolder folder = ScratchFolder::create("hone-view").value();
  const auto own = folder.path() / "own";
  const auto root = folder.path() / "root";
  ASSERT_TRUE(makeFolder(own));
  ASSERT_TRUE(makeFolder(root));
  ASSERT_TRUE(writeFile(folder.path() / "secret", "secret\n"));
  const FileView view(
      {.readable = {"/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/does/not/exist"},
       .writable = {own, "/dev/null"}},
      root);
  const auto run = [&](const std::string& script) {
    Command command{.argv = {"/bin/sh", "-c", script}, .environment = {}, .limits = {}};
    command.view = &view;
    return runCommand(command).value();
  };
  if (run("test -e /proc").ending.ok()) {
    GTEST_SKIP() << "this system does not allow user namespaces";
  }
  const std::string place = own.string();
  EXPECT_EQ(run("echo a > " + place + "/f; cat " + place + "/f").out, "a\n");
  EXPECT_EQ(readFile(own / "f").value(), "a\n");
  EXPECT_FALSE(run("test -e " + place + "/../secret").ending.ok());
  EXPECT_FALSE(run("test -e /etc/passwd").ending.ok());
  EXPECT_EQ(run("echo /etc/*").out, "/etc/ld.so.cache\n");
  EXPECT_TRUE(std::filesystem::is_empty(root)) << "mounted only for the child";
}

}  // namespace
}  // namespace hone
