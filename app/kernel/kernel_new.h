#pragma once

#include <filesystem>
#include <string>

#include "app/common/context.h"
#include "app/kernel/kernel_command.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Returns the kernel file that belongs to a reference: softmax.cc for softmax.reference.cc, and
/// kernel.cc for reference.cc.
[[nodiscard]] std::filesystem::path kernelFileFor(const std::filesystem::path& reference,
                                                  kernel::Language language);

/// Returns the language of a first kernel: that of the option, or that of the reference.
[[nodiscard]] kernel::Language languageForNew(const std::string& given,
                                              const std::filesystem::path& reference);

/// A written first kernel.
struct NewKernel {
  std::filesystem::path file;  ///< "" if no kernel was correct
  std::string message;         ///< one line about its origin, or why there is none
  std::string spent;           ///< cost of the model; "" without a model
  bool byModel = false;
};

/// Writes a first correct kernel for a reference to `file`. The language model of the command
/// writes it; without a model, it is a plain translation of the reference. Also writes the
/// conversation with the model, unless --no-save is given.
[[nodiscard]] Result<NewKernel> writeNewKernel(KernelCommand& command,
                                               const std::filesystem::path& reference,
                                               const std::filesystem::path& file);

/// Adds `hone kernel new`.
void addKernelNewCommand(CLI::App& kernel, Context& context);

}  // namespace hone::app
