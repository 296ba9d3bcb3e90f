#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "profile/operation.h"

namespace CLI {
class App;
}

namespace hone::app {

/// The options that say which operations are meant, for `generate` and `profile`.
struct OperationOptions {
  std::string file;  ///< a workload, or a program in MLIR
  std::vector<std::string> problems;
  std::string kind;
  std::string m = "256", n = "256", k = "256", batch;
  std::string type;
  std::string lhs = "t", rhs = "t";
  std::string epilogue = "none";
  std::string splitKSlices = "2,4,8";
  std::string direction = "fwd", layout = "nhwc";
  std::string channels = "64", filters = "64", groups = "1";
  std::string image = "56", filter = "3", stride = "1", pad = "1", dilation = "1";
  std::string queries = "256", keys = "256", headDim = "64";
  std::int64_t limit = 0;  ///< 0: all

  void addTo(CLI::App& verb);
  /// Whether any of them was given on this command line.
  [[nodiscard]] bool given() const;
  /// Whether the file is a program rather than a workload.
  [[nodiscard]] bool isProgram() const;

 private:
  const CLI::App* verb_ = nullptr;
};

/// The operations that the options ask for, each once. The compiler reads a program; lines of a
/// workload that cannot be read are told and left out.
[[nodiscard]] Result<std::vector<profile::Operation>> operationsFrom(
    const OperationOptions& options, iree::Compiler& compiler,
    const std::vector<std::string>& flags, std::vector<std::string>& warnings);

/// What `generate` makes when it is not told: a few of every kind.
[[nodiscard]] std::vector<profile::Operation> usualOperations(std::string_view target);

}  // namespace hone::app
