#include "kernel/worker/python/python_fork_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/file.h"
#include "base/process/interrupt.h"

namespace hone::kernel {
namespace {

/// A shell script in place of Python; replies to the first request, whenever it comes.
constexpr const char* kFakeServer = R"(printf '{"ready": true}' >&3
dd bs=65536 count=1 <&3 >/dev/null 2>&1
printf '{"pid": 77}' >&3
dd bs=65536 count=1 <&3 >/dev/null 2>&1
)";

/// Interrupts a fork, then forks again. Exits with 0 if both return errors: the late reply to the
/// first request must not answer the second.
[[noreturn]] void interruptFork(const std::filesystem::path& script) {
  catchInterrupts();
  const auto forkServer = PythonForkServer::of("/bin/sh", script);
  if (!forkServer) {
    std::_Exit(1);
  }
  std::raise(SIGINT);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const ChildDescriptors all{.requests = null, .replies = null, .log = null};
  const auto forked = (*forkServer)->fork({}, all);
  if (forked || forked.error().fault != Fault::interrupted) {
    std::_Exit(2);
  }
  std::_Exit((*forkServer)->fork({}, all) ? 3 : 0);
}

TEST(PythonForkServer, IgnoresLateReply) {
  const ScratchFolder folder = ScratchFolder::create("hone-fork-server-test").value();
  const auto script = folder.path() / "fork-server";
  ASSERT_TRUE(writeFile(script, kFakeServer));
  EXPECT_EXIT(interruptFork(script), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hone::kernel
