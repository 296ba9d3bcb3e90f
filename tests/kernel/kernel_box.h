#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "kernel/chat/test_chat_server.h"
#include "tests/cli/cli.h"

namespace hone::test {

namespace fs = std::filesystem;
using kernel::test::ChatServer;

inline constexpr const char* kKey = "sk-very-secret-4711";

/// Reference: each element plus the mean of its row.
inline constexpr const char* kReference = R"(#include <cstdint>
// hone: sizes R=48 C=256
// hone: other R=3 C=17
// hone: input X f32 RxC
// hone: output Y f32 RxC
// hone: flops 2*R*C
extern "C" void reference(const double* X, double* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < C; ++j) {
      sum += X[i * C + j];
    }
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = X[i * C + j] + sum / C;
    }
  }
}
)";

/// Slow: recomputes the mean for every element.
inline constexpr const char* kSlow = R"(#include <cstdint>
extern "C" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    for (std::int64_t j = 0; j < C; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < C; ++k) {
        sum += X[i * C + k];
      }
      Y[i * C + j] = X[i * C + j] + sum / C;
    }
  }
}
)";

inline constexpr const char* kFast = R"(#include <cstdint>
extern "C" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    float sum = 0;
    for (std::int64_t k = 0; k < C; ++k) {
      sum += X[i * C + k];
    }
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = X[i * C + j] + sum / C;
    }
  }
}
)";

inline std::string fenced(const std::string& code) { return "```cpp\n" + code + "```\n"; }

inline std::string goodAnswer() {
  return "### Candidate 1: the mean once a row\nTechniques: hoisting\n" + fenced(kFast);
}

/// Returns the text of the last message of a request.
inline std::string lastMessage(const nlohmann::json& body) {
  return body["messages"].back()["content"];
}

/// Runs `hone kernel` on a needlessly slow kernel, with a scripted language model on loopback.
class Kernel : public testing::Test {
 protected:
  void SetUp() override {
    // Measure the roofline once for all tests.
    static const ScratchFolder kCache = ScratchFolder::create("hone-kernel-cli-cache").value();
    box_.setVariable("XDG_CACHE_HOME", kCache.path().string());
    box_.setVariable("OPENAI_API_KEY", kKey);
    box_.setVariable("HONE_API_KEY", "");
    box_.write("mean.cc", kSlow);
    box_.write("mean.reference.cc", kReference);
  }

  [[nodiscard]] static std::vector<std::string> optimize(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"kernel",  "optimize", "--kernel",
                                          "mean.cc", "--rounds", "5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  [[nodiscard]] static std::vector<std::string> ask(const ChatServer& server,
                                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--api-base", server.base(), "--model", "tiny"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return optimize(arguments);
  }
  /// Returns all files below the sandbox that contain the key.
  [[nodiscard]] std::vector<std::string> filesWithTheKey() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(box_.root())) {
      if (entry.is_regular_file() && readFile(entry.path()).value_or("").contains(kKey)) {
        found.push_back(entry.path().string());
      }
    }
    return found;
  }
  [[nodiscard]] nlohmann::json history() const {
    return nlohmann::json::parse(
        readFile(box_.work() / "results/multiturn_logs/optimization_history_mean.json")
            .value_or("null"),
        nullptr, false);
  }
  [[nodiscard]] std::vector<fs::path> optimizedFiles() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(box_.work())) {
      if (entry.path().filename().string().contains("_optimized_")) {
        files.push_back(entry.path());
      }
    }
    return files;
  }

  Sandbox box_;
};

}  // namespace hone::test
