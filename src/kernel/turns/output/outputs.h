#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/turns/optimizer.h"

namespace hone::kernel {

struct OutputOptions {
  std::filesystem::path kernelFile;  ///< the original; the output is named after it
  std::filesystem::path reference;   ///< named in the header
  std::string name;                  ///< part of the history file names
  std::string machine;               ///< "AMD EPYC, 1 thread": the machine of the measurements
  std::string version;               ///< of hone
};

/// A file to write; not written if the name is empty.
struct NamedText {
  std::string name;
  std::string text;
};

/// The files of an optimized kernel.
struct Outputs {
  NamedText kernel;  ///< the best kernel, if it is confirmed to be faster or could not be timed
  NamedText history;
  NamedText conversation;  ///< with a language model
};

/// The paths of the written files; "" for one that was not written.
struct OutputFiles {
  std::filesystem::path kernel;
  std::filesystem::path history;
  std::filesystem::path conversation;
};

/// Returns the path of the optimized kernel next to the original: "softmax_optimized_1.234x.cc".
[[nodiscard]] std::filesystem::path optimizedFile(const std::filesystem::path& kernelFile,
                                                  double speedup);
/// Returns the path of the most promising kernel that could not be timed: "gemm_not_timed.py".
[[nodiscard]] std::filesystem::path untimedFile(const std::filesystem::path& kernelFile);
/// Returns true if the file name is one that optimizedFile or untimedFile returns.
[[nodiscard]] bool isOptimizedFile(const std::filesystem::path& file);

/// Returns the best kernel with its measurements in a header of comments, ended by an empty line.
/// Replaces the header of an earlier optimization.
[[nodiscard]] std::string optimizedText(const Optimized& optimized, const OutputOptions& options);
/// Returns one entry per turn. The last one also has the stop reason and the confirmation.
[[nodiscard]] nlohmann::json historyJson(const Optimized& optimized, const std::string& fileName);

/// Returns the files to write: the best kernel if it is confirmed, or promising and not timed, the
/// history, the conversation.
[[nodiscard]] Outputs planOutputs(const Optimized& optimized, const OutputOptions& options);
/// Writes the kernel to its folder and the other files to `logs`. Each file is written to a
/// temporary file and renamed.
[[nodiscard]] Result<OutputFiles> writeOutputs(const Outputs& outputs,
                                               const std::filesystem::path& kernelFolder,
                                               const std::filesystem::path& logs);

/// Returns the improvement as an example for later kernels; nothing if the code is unchanged, for
/// example if only flags made it faster.
[[nodiscard]] std::optional<Example> makeExample(const Optimized& optimized);

}  // namespace hone::kernel
