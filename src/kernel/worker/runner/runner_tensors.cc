#include "kernel/worker/runner/runner_tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hone::kernel {
namespace {

/// Maps the file between two inaccessible pages; returns null on failure.
std::byte* mapGuarded(int fd, std::size_t bytes, std::size_t page, int protection) {
  void* reserved = ::mmap(nullptr, bytes + 2 * page, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return nullptr;
  }
  auto* begin = static_cast<std::byte*>(reserved) + page;
  // Populate all pages, so that the first call is not slower than the others.
  void* mapped = ::mmap(begin, bytes, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, 0);
  return mapped == MAP_FAILED ? nullptr : begin;
}

/// Maps one tensor; `begin` is null on failure.
MappedTensor mapTensor(const RunnerTensor& tensor) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const int fd = ::open(tensor.file.c_str(), (tensor.isInput ? O_RDONLY : O_RDWR) | O_CLOEXEC);
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    return {};
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const bool fits = bytes > 0 && bytes % page == 0 && tensor.offset + tensor.bytes <= bytes;
  std::byte* view =
      fits ? mapGuarded(fd, bytes, page, tensor.isInput ? PROT_READ : PROT_READ | PROT_WRITE)
           : nullptr;
  ::close(fd);
  if (view == nullptr) {
    return {};
  }
  return {.begin = view + tensor.offset,
          .end = view + tensor.offset + tensor.bytes,
          .mapBegin = view - page,
          .mapEnd = view + bytes + page};
}

}  // namespace

std::vector<MappedTensor> mapTensors(const std::vector<RunnerTensor>& tensors) {
  std::vector<MappedTensor> mapped;
  for (const RunnerTensor& tensor : tensors) {
    mapped.push_back(mapTensor(tensor));
    if (mapped.back().begin == nullptr) {
      return {};
    }
  }
  return mapped;
}

}  // namespace hone::kernel
