#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/process/subprocess.h"
#include "base/random.h"
#include "kernel/nest/test_nests.h"

namespace hone::kernel {

/// A kernel built as a shared object and loaded into this process.
class TestLibrary {
 public:
  TestLibrary(const std::string& text, const std::vector<std::string>& flags, const char* symbol)
      : folder_(ScratchFolder::create("hone-kernel-test").value()) {
    const auto source = folder_.path() / "kernel.cc";
    const auto library = folder_.path() / "kernel.so";
    EXPECT_TRUE(writeFile(source, text));
    Command command;
    command.argv = {findProgram("g++"),
                    "-O2",
                    "-march=native",
                    "-shared",
                    "-fPIC",
                    "-Wall",
                    "-Werror",
                    "-Wno-unused-function",
                    "-Wno-unknown-pragmas",
                    "-Wno-psabi"};  // vectors wider than this machine's registers
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    command.argv.insert(command.argv.end(), {"-o", library.string(), source.string()});
    const auto finished = runCommand(command);
    EXPECT_TRUE(finished && finished->ending.ok()) << finished->err << "\n" << text;
    if (finished && finished->ending.ok()) {
      // Never unloaded, because OpenMP threads outlive the call that created them.
      void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
      EXPECT_NE(handle, nullptr) << dlerror();
      entry_ = handle == nullptr ? nullptr : dlsym(handle, symbol);
    }
  }
  [[nodiscard]] bool ok() const { return entry_ != nullptr; }

  /// Calls the function with the pointers, then the sizes. The function ignores surplus arguments.
  void call(const std::vector<void*>& pointers, const std::vector<std::int64_t>& sizes) const {
    std::array<std::intptr_t, 12> a{};
    std::size_t count = 0;
    for (void* pointer : pointers) {
      a.at(count++) = reinterpret_cast<std::intptr_t>(pointer);
    }
    for (const std::int64_t size : sizes) {
      a.at(count++) = size;
    }
    using P = std::intptr_t;
    using Entry = void (*)(P, P, P, P, P, P, P, P, P, P, P, P);
    reinterpret_cast<Entry>(entry_)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                    a[10], a[11]);
  }

 private:
  ScratchFolder folder_;
  void* entry_ = nullptr;
};

/// Runs the kernel and the f64 reference on the same inputs. Returns the largest error relative to
/// the largest expected output; infinity if the kernel writes out of bounds or skips an element.
inline double worstError(const TestLibrary& kernel, const TestLibrary& reference,
                         const ExampleCall& call, double scale) {
  constexpr std::size_t kGuard = 64;
  constexpr float kCanary = 12345.0F;
  Random random(7);
  std::vector<std::vector<float>> inputs;
  std::vector<std::vector<double>> wide;
  for (const std::int64_t count : call.inputs) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) {
      value = static_cast<float>(scale * (2 * random.uniform() - 1));
    }
    wide.emplace_back(values.begin(), values.end());
    inputs.push_back(std::move(values));
  }
  const auto size = static_cast<std::size_t>(call.outputs);
  std::vector<float> out(size + 2 * kGuard, kCanary);
  std::fill_n(out.begin() + kGuard, size, std::nanf(""));
  std::vector<double> expected(size, std::nan(""));
  std::vector<void*> pointers;
  std::vector<void*> widePointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    pointers.push_back(inputs[i].data());
    widePointers.push_back(wide[i].data());
  }
  pointers.push_back(out.data() + kGuard);
  widePointers.push_back(expected.data());
  std::vector<std::int64_t> sizes;
  for (const auto& [name, value] : call.sizes) {
    sizes.push_back(value);
  }
  kernel.call(pointers, sizes);
  reference.call(widePointers, sizes);
  double worst = 0;
  double magnitude = 1e-30;
  for (std::size_t i = 0; i < size; ++i) {
    magnitude = std::max(magnitude, std::abs(expected[i]));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool inside = i >= kGuard && i < kGuard + size;
    if (inside) {
      const double error = std::abs(out[i] - expected[i - kGuard]) / magnitude;
      worst = error <= worst ? worst : (std::isnan(error) ? INFINITY : error);
    } else if (out[i] != kCanary) {
      return INFINITY;
    }
  }
  return worst;
}

}  // namespace hone::kernel
