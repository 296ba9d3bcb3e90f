#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/program/program.h"
#include "stats/compare.h"

namespace hone::tune {

// Names of the files in a folder of `hone tune -o FOLDER`.
inline constexpr std::string_view kResultFile = "result.json";
inline constexpr std::string_view kFlagsFile = "flags.txt";
inline constexpr std::string_view kSpecFile = "spec.mlir";
inline constexpr std::string_view kPreprocessingFile = "preprocessing.mlir";
inline constexpr std::string_view kModuleFile = "model.vmfb";
inline constexpr std::string_view kModelFile = "model.mlirbc";
inline constexpr std::string_view kParametersFile = "model.irpa";

/// Cost of a run.
struct Effort {
  double seconds = 0;          ///< without waiting for other runs
  double candidateShare = 0;   ///< part of the time spent on trying candidates
  std::int64_t peakBytes = 0;  ///< memory of hone itself, without its children
};

[[nodiscard]] nlohmann::json toJson(const Effort& effort);

/// A tuned program, ready to ship. Paths are relative to the folder.
struct TunedFolder {
  std::string hone;      ///< version
  std::string compiler;  ///< revision
  std::string target;
  std::string device;
  std::string host;
  std::string cpu;
  std::string createdAt;

  std::string source;   ///< the user's file: .onnx or .mlir
  std::string program;  ///< the program that flags.txt compiles: kModelFile, or the user's
  std::string hash;     ///< SHA-256 of the program
  std::string function;
  std::vector<std::string> inputs;                           ///< the user's specs
  std::vector<std::optional<verify::IntegerBounds>> ranges;  ///< of integer inputs
  std::map<std::string, std::int64_t> sizes;                 ///< of dynamic dimensions
  std::vector<std::string> parameters;                       ///< "model=model.irpa"
  std::uint64_t seed = 1;

  std::vector<std::string> flags;       ///< of the default: the target's and the user's
  std::vector<std::string> tunedFlags;  ///< in addition, without the spec
  std::string spec;                     ///< kSpecFile, or "" if there is none

  bool improved = false;
  std::string verified;  ///< reference of the results: "reference" or "baseline"
  std::string note;      ///< on the reference
  std::optional<double> defaultNs, tunedNs;
  std::optional<stats::Interval> speedup;
  std::optional<double> onnxRuntimeNs;
  std::optional<Effort> effort;  ///< absent if other processes tried the candidates

  /// Returns the input specs with paths relative to the current folder.
  [[nodiscard]] std::vector<std::string> allInputs(const std::filesystem::path& folder) const;
  /// Returns the flags of the tuned program with absolute paths. `specFlag` is that of the spec.
  [[nodiscard]] std::vector<std::string> allTunedFlags(const std::filesystem::path& folder) const;
};

/// Reads result.json. Fails with a user error if the folder has none or it is not valid.
[[nodiscard]] Result<TunedFolder> readTunedFolder(const std::filesystem::path& folder);

/// Writes result.json.
[[nodiscard]] Result<void> writeResultFile(const TunedFolder& tuned,
                                           const std::filesystem::path& folder);

/// Returns the text of a response file for iree-compile, one flag per line.
[[nodiscard]] std::string responseFile(const std::vector<std::string>& flags);

/// Returns `flag` with the file that it names in `folder` as a relative path, or as it is.
[[nodiscard]] std::string relativeFlag(const std::string& flag,
                                       const std::filesystem::path& folder);

/// Returns an input spec whose file or folder, relative to `from` if it is not absolute, is named
/// relative to `to`.
[[nodiscard]] std::string moveInput(const std::string& spec, const std::filesystem::path& from,
                                    const std::filesystem::path& to);

/// Fails with a user error if `folder` exists and is not the result of an earlier run.
[[nodiscard]] Result<void> checkTunedFolder(const std::filesystem::path& folder);

}  // namespace hone::tune
