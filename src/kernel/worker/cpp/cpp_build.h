#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "model/result/outcome.h"

namespace hone::kernel {

/// Result of building a source.
struct CppBuilt {
  model::Outcome outcome =
      model::Outcome::ok;  ///< ok, invalid (a flag), compileFailed, compileTimeout
  std::string message;     ///< "line 12: error: …"
  std::string diagnostics;
  std::filesystem::path library;
  std::string artifact;  ///< content hash of the library
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  /// "line 7: loop vectorized using 32 byte vectors", "line 9: not vectorized: …"
  std::vector<std::string> remarks;
  /// Files that the compiler and the assembler read, except for the source and system headers.
  std::vector<std::string> files;

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Builds C and C++ sources into shared objects with the system's g++, each in a child with limits.
/// Caches the results in a folder.
class CppBuilder {
 public:
  /// Fails with a machine error if g++ is missing.
  [[nodiscard]] static Result<CppBuilder> open(std::filesystem::path folder, Limits limits);

  /// Builds a source. `flags` follow the default flags -O2 -march=native.
  [[nodiscard]] Result<CppBuilt> build(std::string_view text, std::span<const std::string> flags);

 private:
  CppBuilder(std::filesystem::path folder, Limits limits, std::string compiler, std::string version)
      : folder_(std::move(folder)),
        limits_(limits),
        compiler_(std::move(compiler)),
        version_(std::move(version)) {}
  [[nodiscard]] Result<CppBuilt> compile(const std::filesystem::path& stem, std::string_view text,
                                         std::span<const std::string> flags) const;

  std::filesystem::path folder_;
  Limits limits_;
  std::string compiler_;
  std::string version_;
};

/// Explains why a flag is rejected, e.g. because it runs or writes other files; "" if it is
/// allowed.
[[nodiscard]] std::string explainRejectedFlag(std::string_view flag);

/// Returns the compiler's first error about the source `fileName`, with its position as "line 12:".
/// Text about other files is dropped, because it may quote them. Returns "" if there is no error.
[[nodiscard]] std::string firstCompileError(std::string_view diagnostics,
                                            std::string_view fileName);

/// Returns the dependencies of a make rule, as written by -MD.
[[nodiscard]] std::vector<std::string> parseDependencies(std::string_view rule);

/// Returns at most 30 remarks of -fopt-info-vec about lines of `fileName`: first the vectorized
/// loops, then those that were not and why. Each remark occurs once.
[[nodiscard]] std::vector<std::string> vectorRemarks(std::string_view info,
                                                     std::string_view fileName);

}  // namespace hone::kernel
