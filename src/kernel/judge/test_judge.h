#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "kernel/judge/judge.h"
#include "kernel/source/test_kernels.h"

// Judges of small tasks for tests.

namespace hone::kernel {

/// The judge of one task; tests of the same task share it.
class TestJudge {
 public:
  explicit TestJudge(const std::string& reference, JudgeOptions options = {}) {
    const auto file = folder_.path() / "task.reference.cc";
    EXPECT_TRUE(writeFile(file, reference));
    options.folder = scratch();
    options.limits.wall = std::chrono::seconds(20);
    judge_.emplace(Judge::open(readTask(file, options).value(), options).value());
  }
  Judge& judge() { return *judge_; }

 private:
  /// Shared by all judges, so that their common libraries are built once.
  static const std::filesystem::path& scratch() {
    static const ScratchFolder kFolder = ScratchFolder::create("hone-judge-scratch").value();
    return kFolder.path();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-judge-test").value();
  std::optional<Judge> judge_;
};

inline TestJudge& matmulJudge() {
  static TestJudge test(kMatmulReference);
  return test;
}

/// Returns a matmul kernel with code before its loops, or instead of them.
inline std::string matmulText(const std::string& before, const std::string& top = "",
                              const std::string& work = "") {
  const std::string plain =
      "  for (std::int64_t i = 0; i < M; ++i)\n    for (std::int64_t j = 0; j < N; ++j) {\n"
      "      float sum = 0;\n      for (std::int64_t k = 0; k < K; ++k) sum += A[i * K + k] * B[k "
      "* "
      "N + j];\n      C[i * N + j] = sum;\n    }\n";
  return "#include <cstdint>\n#include <cstdlib>\n#include <cstring>\n#include <cmath>\n" + top +
         "\nextern \"C\" void kernel(const float* A, const float* B, float* C, std::int64_t M, "
         "std::int64_t N, std::int64_t K) {\n" +
         before + "\n" + (work.empty() ? plain : work) + "}\n";
}

inline JudgeResult judgeMatmul(const std::string& text, std::uint64_t salt = 1,
                               const std::vector<std::string>& flags = {}) {
  return matmulJudge().judge().judge({Language::cpp, "matmul", text, flags}, salt).value();
}

}  // namespace hone::kernel
