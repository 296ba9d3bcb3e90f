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
#include "kernel/worker/cpp/cpp_compiler.h"
#include "model/result/outcome.h"

namespace hone::kernel {

/// Result of building a source.
struct CppBuilt {
  model::Outcome outcome =
      model::Outcome::ok;         ///< ok, invalid (a flag), compileFailed, compileTimeout
  std::string message;            ///< "line 12: error: …"
  std::string diagnostics;        ///< messages about the source and the system headers it uses
  std::filesystem::path library;  ///< alone in its folder
  std::string artifact;           ///< content hash of the library
  std::int64_t wallNs = 0;
  std::int64_t cpuNs = 0;
  /// "line 7: loop vectorized using 32 byte vectors", "line 9: not vectorized: …"
  std::vector<std::string> remarks;
  /// Files that the compiler and the assembler read, except for the source and system headers.
  std::vector<std::string> files;

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Result of preprocessing a source.
struct CppPreprocessed {
  model::Outcome outcome = model::Outcome::ok;  ///< as in CppBuilt
  std::string message;
  std::string diagnostics;
  /// Code of the source itself with macros expanded, see Preprocessed::own.
  std::string own;

  [[nodiscard]] bool ok() const { return outcome == model::Outcome::ok; }
};

/// Builds C and C++ sources into shared objects with a confined g++. Every source is built in a
/// separate folder, where the compiler finds no other file. It compiles exactly the tokens that
/// preprocess() returns. Caches the results.
class CppBuilder {
 public:
  /// Fails with a machine error if g++ is missing.
  [[nodiscard]] static Result<CppBuilder> open(std::filesystem::path folder, Limits limits);

  /// Expands macros and includes. Costs about a tenth of a build, which does not repeat it.
  [[nodiscard]] Result<CppPreprocessed> preprocess(std::string_view text,
                                                   std::span<const std::string> flags);
  /// Builds a source. `flags` follow the default flags -O2 -march=native.
  [[nodiscard]] Result<CppBuilt> build(std::string_view text, std::span<const std::string> flags);

 private:
  CppBuilder(std::filesystem::path folder, CppCompiler compiler)
      : folder_(std::move(folder)), compiler_(std::move(compiler)) {}
  [[nodiscard]] std::filesystem::path folderFor(std::string_view text,
                                                std::span<const std::string> flags) const;
  /// Writes the translation unit, the code of the source and the list of other files to `folder`.
  /// Records failures in `result`.
  [[nodiscard]] Result<void> expand(const std::filesystem::path& folder, std::string_view text,
                                    std::span<const std::string> flags, CppBuilt& result) const;
  [[nodiscard]] Result<CppBuilt> compile(const std::filesystem::path& folder, std::string_view text,
                                         std::span<const std::string> flags) const;

  std::filesystem::path folder_;
  CppCompiler compiler_;
};

}  // namespace hone::kernel
