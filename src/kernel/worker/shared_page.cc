#include "kernel/worker/shared_page.h"

#include <cerrno>

namespace hone::kernel {

Result<Descriptor> makeMemoryFile(std::string_view contents) {
  Descriptor file(::memfd_create("hone", MFD_CLOEXEC));
  if (file.number() < 0) {
    return errnoError("cannot create a file in memory");
  }
  while (!contents.empty()) {
    const ssize_t wrote = ::write(file.number(), contents.data(), contents.size());
    if (wrote < 0 && errno != EINTR) {
      return errnoError("cannot write a file in memory");
    }
    contents.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

}  // namespace hone::kernel
