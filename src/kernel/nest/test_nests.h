#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "kernel/judge/task/task.h"
#include "kernel/source/source.h"
#include "tests/source_folder.h"

namespace hone::kernel {

/// One call of an example kernel: its sizes and the number of elements of each argument.
struct ExampleCall {
  std::string name;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::vector<std::int64_t> inputs;
  std::int64_t outputs = 0;
};

inline std::filesystem::path exampleKernels() { return sourceFolder() / "examples/kernels/cpp"; }

inline Source exampleSource(const std::string& name) {
  Source source;
  source.name = name;
  source.text = readFile(exampleKernels() / (name + ".cc")).value();
  return source;
}

/// Returns calls of all examples, with sizes that leave remainders for all tiles and with tiny
/// sizes.
inline std::vector<ExampleCall> exampleCalls() {
  using Sizes3 = std::vector<std::array<std::int64_t, 3>>;
  std::vector<ExampleCall> calls;
  for (const auto& [m, n, k] : Sizes3{{37, 53, 61}, {1, 100, 7}, {50, 5, 300}, {30, 96, 33}}) {
    calls.push_back({"matmul", {{"M", m}, {"N", n}, {"K", k}}, {m * k, k * n}, m * n});
  }
  for (const auto& [r, c] : std::vector<std::array<std::int64_t, 2>>{{33, 77}, {1, 5}, {4, 1}}) {
    calls.push_back({"elementwise", {{"R", r}, {"C", c}}, {r * c, r * c}, r * c});
    calls.push_back({"softmax", {{"R", r}, {"C", c}}, {r * c}, r * c});
    const std::int64_t d = c + 1;
    calls.push_back({"layer_norm", {{"R", r}, {"C", d}}, {r * d, d, d}, r * d});
    calls.push_back({"row_reduction", {{"R", r}, {"C", c}}, {r * c}, r});
    calls.push_back({"gelu_chain", {{"R", r}, {"C", c}}, {r * c, c, r * c}, r * c});
  }
  for (const auto& [n, h, w, c, k] : std::vector<std::array<std::int64_t, 5>>{
           {2, 7, 9, 5, 19}, {1, 3, 20, 3, 1}, {1, 4, 30, 6, 70}}) {
    const std::int64_t p = h - 2;
    const std::int64_t q = w - 2;
    calls.push_back({"conv",
                     {{"N", n}, {"H", h}, {"W", w}, {"P", p}, {"Q", q}, {"C", c}, {"K", k}},
                     {n * h * w * c, 9 * c * k},
                     n * p * q * k});
  }
  for (const auto& [h, l, d] : Sizes3{{3, 37, 19}, {1, 1, 5}, {2, 70, 64}}) {
    const std::int64_t all = h * l * d;
    calls.push_back({"attention", {{"H", h}, {"L", l}, {"D", d}}, {all, all, all}, all});
  }
  return calls;
}

}  // namespace hone::kernel
