#include "kernel/worker/child_tensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "kernel/worker/child_faults.h"

namespace hone::kernel {
namespace {

std::size_t pageBytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

/// Maps the file between two inaccessible pages; returns null on failure.
std::byte* mapGuarded(int fd, std::size_t bytes, int protection) {
  const std::size_t page = pageBytes();
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

struct File {
  int fd = -1;
  explicit File(const std::string& path, int flags) : fd(::open(path.c_str(), flags | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) {
      ::close(fd);
    }
  }
};

Result<ChildTensor> openTensor(const nlohmann::json& entry) {
  ChildTensor tensor;
  const auto path = entry.at("file").get<std::string>();
  const auto offset = entry.value("offset", std::size_t{0});
  tensor.id = entry.at("id").get<std::string>();
  tensor.name = entry.value("name", tensor.id);
  tensor.isInput = entry.at("role").get<std::string>() == "input";
  tensor.type = HONE_TRY(model::tensorTypeFrom(entry.at("type").get<std::string>()));
  const File own(path, O_RDWR);
  // A mapping of a read-only descriptor can never be made writable.
  const File kernels(path, tensor.isInput ? O_RDONLY : O_RDWR);
  struct stat status{};
  if (own.fd < 0 || kernels.fd < 0 || ::fstat(own.fd, &status) != 0) {
    return errnoError(fmt::format("cannot open {}", path));
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0 || bytes % pageBytes() != 0 || offset + tensor.type.bytes() > bytes) {
    return userError("{} has {} bytes, too few for {}", path, bytes, tensor.type.text());
  }
  std::byte* view =
      mapGuarded(kernels.fd, bytes, tensor.isInput ? PROT_READ : PROT_READ | PROT_WRITE);
  std::byte* writable = mapGuarded(own.fd, bytes, PROT_READ | PROT_WRITE);
  if (view == nullptr || writable == nullptr) {
    return errnoError(fmt::format("cannot map {}", path));
  }
  tensor.view = view + offset;
  tensor.writable = writable + offset;
  tensor.mapBegin = view - pageBytes();
  tensor.mapEnd = view + bytes + pageBytes();
  return tensor;
}

}  // namespace

Stirrable ChildTensor::stirrable() const {
  return {writable, static_cast<std::size_t>(type.count()), byteWidth(type.element)};
}

Result<void> ChildTensors::open(const nlohmann::json& request) {
  for (const nlohmann::json& entry : request.at("tensors")) {
    ChildTensor tensor = HONE_TRY(openTensor(entry));
    watchFaults(
        {tensor.name, tensor.isInput, tensor.mapBegin, tensor.view, tensor.end(), tensor.mapEnd});
    tensors_[tensor.id] = std::move(tensor);
  }
  return {};
}

const ChildTensor* ChildTensors::find(const std::string& id) const {
  const auto at = tensors_.find(id);
  return at == tensors_.end() ? nullptr : &at->second;
}

}  // namespace hone::kernel
