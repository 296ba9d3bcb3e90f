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

/// The options of every verb that judges kernels.
struct KernelBenchOptions {
  std::string kernels = ".";  ///< where relative names are looked for
  std::string gpu;
  std::string device = "cpu";
  int threads = 1;
  std::uint64_t seed = 1;
  double runSeconds = 60;

  void addTo(CLI::App& verb);
};

/// What kernels are judged with: the judge's options and what is known of the machine.
struct KernelBench {
  ScratchFolder scratch;
  kernel::JudgeOptions judge;
  kernel::Measured machine;  ///< its roofline; no times
  iree::RankBy rankBy = iree::RankBy::cpu;

  /// A GPU that is not here is a user error: figures of another device would be no answer.
  [[nodiscard]] static Result<KernelBench> make(const KernelBenchOptions& options);
  /// "AMD EPYC 7763, 1 thread".
  [[nodiscard]] std::string machineName() const;
};

/// Ranks examples by meaning, in the Python of the judge.
[[nodiscard]] kernel::Embeddings embeddingsOf(const kernel::JudgeOptions& judge);

/// The library of examples of this user, with what hone ships.
[[nodiscard]] Result<kernel::Examples> openExamples();

}  // namespace hone::app
