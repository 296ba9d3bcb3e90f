#include "model/workload/miopen.h"

#include <array>

#include "base/text/text.h"
#include "model/problem/profiler_name.h"
#include "model/problem/shown.h"
#include "model/workload/miopen_conv.h"
#include "model/workload/miopen_gemm.h"
#include "model/workload/miopen_types.h"

namespace hone::model {
namespace {

using ReadOptions = Result<std::vector<Problem>> (*)(const CommandTypes&,
                                                     std::span<const std::string_view>);

struct Command {
  std::string_view name;
  ReadOptions read;
};

constexpr std::array<Command, 2> kCommands = {{{"conv", convProblems}, {"gemm", gemmProblems}}};

std::unexpected<Error> unknownCommand(std::string_view word) {
  std::vector<std::string> known;
  for (const Command& command : kCommands) {
    for (const CommandTypes& types : commandTypes()) {
      known.push_back(fmt::format("{}{}", command.name, types.suffix));
    }
  }
  return userError("unknown command '{}'; use one of {}, or a name such as matmul_64x64x128_f32",
                   shown(word), join(known, ", "));
}

/// Returns true for commands of the drivers that normalize: they sum, but multiply no matrices.
bool isNormalization(std::string_view command) {
  return command.starts_with("layernorm") || command.starts_with("bnorm");
}

}  // namespace

Result<std::vector<Problem>> problemsFromCommand(std::span<const std::string_view> words) {
  if (words.empty()) {
    return userError("no command found; use one such as conv or gemm");
  }
  for (const Command& command : kCommands) {
    for (const CommandTypes& types : commandTypes()) {
      if (words[0].starts_with(command.name) &&
          words[0].substr(command.name.size()) == types.suffix) {
        return command.read(types, words.subspan(1));
      }
    }
  }
  if (words.size() == 1 && words[0].contains('_')) {
    return std::vector{HONE_TRY(problemFromProfilerName(words[0]))};
  }
  if (isNormalization(words[0])) {
    return userError(
        "{} is neither a matmul nor a convolution, so it has no reduction to split; remove the "
        "line",
        shown(words[0]));
  }
  return unknownCommand(words[0]);
}

std::string formatCommandLine(const Problem& problem) {
  const auto* matmul = std::get_if<Matmul>(&problem);
  const auto* conv = std::get_if<Conv>(&problem);
  if (!findEpilogue(problem).isNone() || (conv != nullptr && conv->spatial == 1)) {
    return profilerName(problem);
  }
  if (matmul != nullptr) {
    return gemmCommand(*matmul);
  }
  return conv != nullptr ? convCommand(*conv) : profilerName(problem);
}

}  // namespace hone::model
