#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// The part of the judge that stopped a kernel.
enum class Defence : std::uint8_t {
  none,         ///< the kernel passed
  scan,         ///< the source scan
  compiler,     ///< flags, confinement of the compiler, compile errors
  symbols,      ///< symbols and files that the built library needs
  sandbox,      ///< the process failed, or a forbidden operation was stopped
  comparison,   ///< outputs differ from the reference
  observation,  ///< clocks, threads and counters of the process, seen from outside
  limits,       ///< time limits
};

/// Returns e.g. "source scan".
[[nodiscard]] std::string_view nameOf(Defence defence);

/// Events of the processor per call.
struct EventCounts {
  double instructions = 0;
  double cycles = 0;
  double cacheMisses = 0;

  bool operator==(const EventCounts&) const = default;
};

/// Numbers that the compiler reports about GPU code; nothing if unknown. Work is that of a launch.
struct GpuNumbers {
  std::optional<double> registers{};           ///< per thread
  std::optional<double> spills{};              ///< bytes per thread
  std::optional<double> spillLoads{};          ///< bytes per thread
  std::optional<double> sharedMemory{};        ///< bytes per block
  std::optional<double> staticSharedMemory{};  ///< bytes per block
  std::optional<double> threads{};             ///< per block
  std::optional<double> blocks{};
  std::optional<double> globalBytes{};  ///< in sectors of 32 bytes
  std::optional<double> globalRequests{};
  std::optional<double> sharedBytes{};
  std::optional<double> tensorFlops{};
  std::optional<double> flops{};
  std::optional<double> barriers{};
  std::optional<double> stages{};

  bool operator==(const GpuNumbers&) const = default;
};

/// One kernel of a GPU program, compiled for one architecture.
struct GpuKernel {
  std::string arch;
  bool failed = false;  ///< does not compile for the architecture
  GpuNumbers numbers{};

  bool operator==(const GpuKernel&) const = default;
};

/// Observations of the judge about one source, for the analysis and the history.
struct KernelFacts {
  std::optional<Defence> stoppedBy{};                 ///< set if the outcome alone is ambiguous
  std::optional<std::vector<std::string>> remarks{};  ///< of the C++ compiler
  std::string sandbox{};                              ///< "" if no process was started
  std::vector<std::string> missingDefences{};         ///< that the system lacks
  std::string lock{};                                 ///< reason why files are not locked; or ""
  std::int64_t inputs = 0;                            ///< verified sets of inputs
  std::optional<double> worstError{}, errorBound{};  ///< of the output that is closest to its bound
  std::optional<double> overheadNs{};                ///< of stopping and resuming, subtracted
  bool belowNoise = false;                           ///< faster than the noise of the overhead
  std::optional<EventCounts> counters{};
  bool timed = true;        ///< false if the device is missing
  bool onCuda = false;      ///< ran on a CUDA device
  std::string cudaError{};  ///< reason why it does not compile for CUDA; or ""
  GpuNumbers gpu{};
  std::optional<std::vector<GpuKernel>> kernels{};

  bool operator==(const KernelFacts&) const = default;
};

/// Adopts the numbers of an object by their names; ignores all other members.
void adoptNumbers(const nlohmann::json& given, GpuNumbers& numbers);

/// Returns an object without the members that are unknown or at their defaults.
[[nodiscard]] nlohmann::json toJson(const KernelFacts& facts);

/// Reads facts that any version of hone stored. Ignores members of another form.
[[nodiscard]] KernelFacts factsFrom(const nlohmann::json& json);

}  // namespace hone::kernel
