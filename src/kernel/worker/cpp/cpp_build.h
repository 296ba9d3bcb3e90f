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

/// What the compiler made of a source.
struct CppBuilt {
  model::Outcome outcome = model::Outcome::ok;  ///< ok, invalid (a flag), compileFailed or -Timeout
  std::string message;                          ///< "line 12: error: …"
  std::string diagnostics;
  std::filesystem::path library;
  std::string artifact;  ///< content hash of the library
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  /// "line 7: loop vectorized using 32 byte vectors", "line 9: not vectorized: …"
  std::vector<std::string> remarks;
  /// What the compiler and the assembler read, without the text itself and the system's headers.
  std::vector<std::string> files;

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Builds C and C++ texts into shared objects by the system's g++, each in a child with limits.
/// What was built before is found in the folder again.
class CppBuilder {
 public:
  /// The user's machine has no g++: a machine error.
  [[nodiscard]] static Result<CppBuilder> open(std::filesystem::path folder, Limits limits);

  /// `flags` come after the builder's own, -O2 -march=native.
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

/// Why a flag is refused: it would run or write something else than the kernel. "" when it is fine.
[[nodiscard]] std::string whyNotFlag(std::string_view flag);

/// The compiler's first error, its place as "line 12:"; "" when there is none.
[[nodiscard]] std::string firstCompileError(std::string_view diagnostics);

/// The files behind the colon of a rule of make, as -MD writes it.
[[nodiscard]] std::vector<std::string> filesOfRule(std::string_view rule);

/// At most 30 remarks of -fopt-info-vec about the kernel's own lines: what was vectorized, then
/// what was not and why, each loop once.
[[nodiscard]] std::vector<std::string> vectorRemarks(std::string_view info,
                                                     std::string_view fileName);

}  // namespace hone::kernel
