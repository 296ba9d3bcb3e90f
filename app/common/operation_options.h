#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/compiler.h"
#include "iree/compile/toolchain/target.h"
#include "profile/operation.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options of `generate` and `profile` that select operations.
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

  void addTo(CLI::App& command);
  /// Returns true if the command line has any of these options except --limit.
  [[nodiscard]] bool given() const;
  /// Returns true if the file is an MLIR program rather than a workload.
  [[nodiscard]] bool isProgram() const;

 private:
  const CLI::App* command_ = nullptr;
};

/// Returns the selected operations without duplicates. The compiler extracts the operations of an
/// MLIR program. Invalid lines of a workload are skipped and added to `warnings`. Without --type,
/// shapes get f32, on CUDA and ROCm also f16.
[[nodiscard]] Result<std::vector<profile::Operation>> operationsFrom(
    const OperationOptions& options, iree::Compiler& compiler, const iree::Target& target,
    std::vector<std::string>& warnings);

/// Returns the operations that `generate` uses by default: a few of each kind.
[[nodiscard]] std::vector<profile::Operation> usualOperations(std::string_view target);

}  // namespace hone::app
