#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "iree/run/device.h"
#include "kernel/judge/judge.h"
#include "kernel/library/embeddings.h"
#include "kernel/library/examples.h"
#include "kernel/propose/analysis/analysis.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options of every command that measures kernels.
struct KernelBenchOptions {
  std::string kernels = ".";  ///< base folder of relative paths
  std::string gpu;
  std::string device = "cpu";
  int threads = 1;
  std::uint64_t seed = 1;
  double runSeconds = 60;

  void addTo(CLI::App& command);
};

/// The judge's options and the machine's properties.
struct KernelBench {
  ScratchFolder scratch;
  kernel::JudgeOptions judge;
  kernel::Measured machine;  ///< its roofline; no times
  iree::RankBy rankBy = iree::RankBy::cpu;

  /// Fails with a user error if the requested GPU is not on this machine.
  [[nodiscard]] static Result<KernelBench> make(const KernelBenchOptions& options);
  /// Returns "AMD EPYC 7763, 1 thread".
  [[nodiscard]] std::string machineName() const;
};

enum class NeedsTileLang : std::uint8_t { no, yes };
/// Selects a Python with torch, and with TileLang if needed; keeps none if none is installed,
/// because C++ kernels do not need it.
[[nodiscard]] Result<void> setPython(kernel::JudgeOptions& judge, NeedsTileLang needs);

/// Returns the folder of the exploits that hone ships.
[[nodiscard]] std::filesystem::path exploitsFolder();

/// Returns the embedding model that ranks examples by meaning, run in the judge's Python.
[[nodiscard]] kernel::Embeddings makeEmbeddings(const kernel::JudgeOptions& judge);

/// Returns the path of a Python script that hone ships.
[[nodiscard]] std::filesystem::path pythonScript(const std::string& name);

/// Opens the user's library of examples, including those that hone ships.
[[nodiscard]] Result<kernel::Examples> openExamples();

}  // namespace hone::app
