#include "base/error.h"

#include <cerrno>
#include <cstring>

namespace hone {

std::unexpected<Error> errnoError(std::string_view doing) {
  const int code = errno;
  return machineError("{}: {}", doing, std::strerror(code));
}

}  // namespace hone
