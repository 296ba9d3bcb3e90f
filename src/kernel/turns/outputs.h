#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kernel/turns/optimizer.h"

namespace hone::kernel {

struct OutputOptions {
  std::filesystem::path kernelFile;  ///< names the best
  std::filesystem::path reference;   ///< named at its head
  std::string name;                  ///< of the history's files
  std::string machine;               ///< "AMD EPYC, 1 thread": where the figures are from
  std::string version;               ///< of hone
};

/// A file to write; without a name there is no reason to write it.
struct NamedText {
  std::string name;
  std::string text;
};

/// The files of an optimized kernel.
struct Outputs {
  NamedText kernel;  ///< the best, if it is proven
  NamedText history;
  NamedText conversation;  ///< with a model
};

/// The paths of the written files; "" for one that was not written.
struct OutputFiles {
  std::filesystem::path kernel;
  std::filesystem::path history;
  std::filesystem::path conversation;
};

/// "softmax_optimized_1.234x.cc" beside softmax.cc.
[[nodiscard]] std::filesystem::path optimizedFile(const std::filesystem::path& kernelFile,
                                                  double speedup);
/// Whether the file is such a result, not a kernel of its own.
[[nodiscard]] bool isOptimizedFile(const std::filesystem::path& file);

/// The flags of a line "// hone: flags -O3 …" that hone writes at the head of what it optimized, so
/// that such a file can be read back as it was proven. Only flags that optimize are taken.
[[nodiscard]] std::vector<std::string> flagsAtHead(std::string_view text);

/// The best kernel with its figures as comments at its head, which an empty line ends; the head of
/// an earlier optimization goes.
[[nodiscard]] std::string optimizedText(const Optimized& optimized, const OutputOptions& options);
/// An entry a turn; the last one also says why it was the last, and what was confirmed.
[[nodiscard]] nlohmann::json historyJson(const Optimized& optimized, const std::string& fileName);

/// Returns the best kernel, if it is proven, the history and the conversation as files.
[[nodiscard]] Outputs outputsOf(const Optimized& optimized, const OutputOptions& options);
/// Writes the kernel into its folder and the rest into the folder of logs; each to a temporary file
/// that is then renamed.
[[nodiscard]] Result<OutputFiles> writeOutputs(const Outputs& outputs,
                                               const std::filesystem::path& kernelFolder,
                                               const std::filesystem::path& logs);

/// The win as an example for kernels to come.
[[nodiscard]] Example exampleOf(const Optimized& optimized);

}  // namespace hone::kernel
