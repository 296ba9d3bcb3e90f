#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/library/examples.h"
#include "kernel/propose/proposer.h"

namespace hone::kernel {

/// The arguments of createKernel.
struct FirstKernelRequest {
  KernelJudge& kernelJudge;
  Language language = Language::cpp;
  std::string reference;          ///< text of the reference
  Proposer* proposer = nullptr;   ///< a language model; null: only plain kernels
  std::vector<Source> plain;      ///< candidates to try without a model, or after it failed
  std::vector<Example> examples;  ///< shown to the model
  std::size_t repairs = 2;
  Progress& progress;
};

/// A first kernel, or the reason why there is none.
struct FirstKernel {
  std::optional<Proposal> kernel;        ///< correct; nothing if none was found
  std::vector<JudgedProposal> failures;  ///< all candidates that failed
  bool byModel = false;
  std::string complaint;  ///< of the model's last answer
};

/// Writes a first kernel for a task: asks the model, if there is one, and returns its failed
/// candidates to it; then tries the plain ones. Returns the first correct kernel.
[[nodiscard]] Result<FirstKernel> createKernel(const FirstKernelRequest& request);

}  // namespace hone::kernel
