#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace hone::kernel {

/// A descriptor that is closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  void close() {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_ = -1;
};

/// Returns a nameless file in memory with these contents, to be read from its start.
[[nodiscard]] Result<Descriptor> makeMemoryFile(std::string_view contents);

/// Memory shared with one child process.
template <typename Contents>
class SharedPage {
 public:
  [[nodiscard]] static Result<SharedPage> create() {
    SharedPage page;
    page.writable_ = HONE_TRY(makeMemoryFile(std::string(sizeof(Contents), '\0')));
    void* memory = ::mmap(nullptr, sizeof(Contents), PROT_READ | PROT_WRITE, MAP_SHARED,
                          page.writable_.number(), 0);
    // A descriptor that cannot write: no mapping of it can be made writable.
    page.readOnly_ = Descriptor(::open(
        fmt::format("/proc/self/fd/{}", page.writable_.number()).c_str(), O_RDONLY | O_CLOEXEC));
    if (memory == MAP_FAILED || page.readOnly_.number() < 0) {
      return errnoError("cannot share memory with a kernel's process");
    }
    page.contents_ = new (memory) Contents();
    return page;
  }
  SharedPage(SharedPage&& other) noexcept
      : writable_(std::move(other.writable_)),
        readOnly_(std::move(other.readOnly_)),
        contents_(std::exchange(other.contents_, nullptr)) {}
  SharedPage& operator=(SharedPage&& other) noexcept {
    std::swap(writable_, other.writable_);
    std::swap(readOnly_, other.readOnly_);
    std::swap(contents_, other.contents_);
    return *this;
  }
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() {
    if (contents_ != nullptr) {
      ::munmap(contents_, sizeof(Contents));
    }
  }

  [[nodiscard]] Contents& operator*() { return *contents_; }
  [[nodiscard]] const Contents& operator*() const { return *contents_; }
  [[nodiscard]] Contents* operator->() { return contents_; }
  /// Descriptors for the child.
  [[nodiscard]] int readOnly() const { return readOnly_.number(); }
  [[nodiscard]] int writable() const { return writable_.number(); }

 private:
  SharedPage() = default;
  Descriptor writable_;
  Descriptor readOnly_;
  Contents* contents_ = nullptr;
};

}  // namespace hone::kernel
