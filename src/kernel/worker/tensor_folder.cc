#include "kernel/worker/tensor_folder.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "/dev/shm";
constexpr std::string_view kPrefix = "hone-judge-";

/// Removes folders "hone-judge-<pid>-XXXXXX" of processes that no longer exist.
void removeStaleFolders() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kMemory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) {
      continue;
    }
    const std::string rest = name.substr(kPrefix.size());
    const auto pid = parseInt(rest.substr(0, rest.find('-')));
    if (pid && *pid > 0 && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

Result<TensorFolder> TensorFolder::create(double bytes) {
  TensorFolder folder;
  std::error_code error;
  const auto space = fs::space(kMemory, error);
  if (!error && static_cast<double>(space.available) > bytes) {
    removeStaleFolders();
    std::string name = fmt::format("{}/{}{}-XXXXXX", kMemory, kPrefix, ::getpid());
    if (::mkdtemp(name.data()) != nullptr) {
      folder.inMemory_ = name;
      return folder;
    }
  }
  folder.onDisk_ = HONE_TRY(ScratchFolder::create("hone-judge"));
  return folder;
}

TensorFolder::TensorFolder(TensorFolder&& other) noexcept
    : inMemory_(std::exchange(other.inMemory_, {})),
      onDisk_(std::exchange(other.onDisk_, std::nullopt)) {}

TensorFolder::~TensorFolder() {
  if (!inMemory_.empty()) {
    std::error_code ignored;
    fs::remove_all(inMemory_, ignored);
  }
}

}  // namespace hone::kernel
