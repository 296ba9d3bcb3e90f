#include "kernel/worker/shared_tensor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace hone::kernel {
namespace {

using model::ElementType;

/// Returns a NaN that no computation produces: signalling if the type has one, with a random
/// payload. For integers, returns a random number, which may occur by chance.
std::uint64_t markFor(ElementType type, Random& random) {
  const std::uint64_t bits = random.next();
  switch (type) {
    case ElementType::f64:
      return 0x7ff0000000000001U | (bits & 0x8007fffffffffffeU);
    case ElementType::f32:
      return 0x7f800001U | (bits & 0x803ffffeU);
    case ElementType::f16:
      return 0x7c01U | (bits & 0x81feU);
    case ElementType::bf16:
      return 0x7f81U | (bits & 0x803eU);
    case ElementType::i1:
      return 0xa5;  // neither 0 nor 1
    default:
      return bits;
  }
}

}  // namespace

Result<SharedTensor> SharedTensor::create(std::filesystem::path file, const model::TensorType& type,
                                          Placement placement) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  SharedTensor tensor;
  tensor.file_ = std::move(file);
  tensor.type_ = type;
  const std::size_t bytes = type.bytes();
  const std::size_t mapBytes = std::max<std::size_t>(1, (bytes + page - 1) / page) * page;
  tensor.offset_ = placement == Placement::begin ? 0 : mapBytes - bytes;
  const int fd = ::open(tensor.file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    return errnoError(fmt::format("cannot create {}", tensor.file_.string()));
  }
  // Allocate now: writing to a page that cannot be allocated raises SIGBUS.
  if (const int code = ::posix_fallocate(fd, 0, static_cast<off_t>(mapBytes)); code != 0) {
    ::close(fd);
    errno = code;
    return errnoError(
        fmt::format("cannot allocate {} bytes for {}", mapBytes, tensor.file_.string()));
  }
  void* map = ::mmap(nullptr, mapBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const auto error = errnoError(fmt::format("cannot map {}", tensor.file_.string()));
  ::close(fd);
  if (map == MAP_FAILED) {
    return error;
  }
  tensor.map_ = static_cast<std::byte*>(map);
  tensor.mapBytes_ = mapBytes;
  return tensor;
}

SharedTensor::SharedTensor(SharedTensor&& other) noexcept
    : file_(std::move(other.file_)),
      type_(std::move(other.type_)),
      map_(std::exchange(other.map_, nullptr)),
      mapBytes_(other.mapBytes_),
      offset_(other.offset_),
      guard_(std::move(other.guard_)),
      mark_(other.mark_) {}

SharedTensor& SharedTensor::operator=(SharedTensor&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(type_, other.type_);
  std::swap(map_, other.map_);
  std::swap(mapBytes_, other.mapBytes_);
  std::swap(offset_, other.offset_);
  std::swap(guard_, other.guard_);
  std::swap(mark_, other.mark_);
  return *this;
}

SharedTensor::~SharedTensor() {
  if (map_ != nullptr) {
    ::munmap(map_, mapBytes_);
    unlinkFile();
  }
}

void SharedTensor::unlinkFile() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

std::vector<std::byte> SharedTensor::guardBytes() const {
  std::vector<std::byte> bytes(map_, map_ + offset_);
  bytes.insert(bytes.end(), map_ + offset_ + type_.bytes(), map_ + mapBytes_);
  return bytes;
}

void SharedTensor::guard(Random& random) {
  const auto fill = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      map_[i] = static_cast<std::byte>(random.next() & 0xffU);
    }
  };
  fill(0, offset_);
  fill(offset_ + type_.bytes(), mapBytes_);
  guard_ = guardBytes();
}

bool SharedTensor::guardIntact() const { return guard_.empty() || guardBytes() == guard_; }

template <typename Bits>
void SharedTensor::fillWithMark() {
  const std::span<std::byte> all = data();
  std::ranges::fill(std::span(reinterpret_cast<Bits*>(all.data()), all.size() / sizeof(Bits)),
                    static_cast<Bits>(mark_));
}

void SharedTensor::markUnwritten(Random& random) {
  mark_ = markFor(type_.element, random);
  markAgain();
}

void SharedTensor::markAgain() {
  switch (byteWidth(type_.element)) {
    case 8:
      fillWithMark<std::uint64_t>();
      break;
    case 4:
      fillWithMark<std::uint32_t>();
      break;
    case 2:
      fillWithMark<std::uint16_t>();
      break;
    default:
      fillWithMark<std::uint8_t>();
  }
}

template <typename Bits>
std::optional<std::int64_t> SharedTensor::firstMarked(std::span<const std::byte> copy) const {
  const auto mark = static_cast<Bits>(mark_);
  const std::span all(reinterpret_cast<const Bits*>(copy.data()), copy.size() / sizeof(Bits));
  const auto first = std::ranges::find(all, mark);
  if (first == all.end()) {
    return std::nullopt;
  }
  // An integer may equal the mark by chance, but not all of them.
  const bool isCertain = isFloat(type_.element) || type_.element == ElementType::i1;
  const bool left = isCertain || std::ranges::count(all, mark) == std::ssize(all);
  return left ? std::optional<std::int64_t>(first - all.begin()) : std::nullopt;
}

std::optional<std::int64_t> SharedTensor::firstUnwritten(std::span<const std::byte> copy) const {
  switch (byteWidth(type_.element)) {
    case 8:
      return firstMarked<std::uint64_t>(copy);
    case 4:
      return firstMarked<std::uint32_t>(copy);
    case 2:
      return firstMarked<std::uint16_t>(copy);
    default:
      return firstMarked<std::uint8_t>(copy);
  }
}

}  // namespace hone::kernel
