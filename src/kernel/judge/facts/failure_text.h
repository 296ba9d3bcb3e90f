#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kernel/judge/facts/kernel_facts.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {

/// Describes a failure that the process of a Python kernel reported, without text that the kernel
/// could have written: fixed sentences, line numbers, and names of Python's exceptions. The result
/// may be shown to a language model.
[[nodiscard]] std::string describeFailure(const Reply& reply);

/// Copies facts of a `load` reply that are numbers or known words, and the missing defences. All
/// others are dropped, because a kernel could have written them.
void adoptFacts(const nlohmann::json& body, KernelFacts& facts);

}  // namespace hone::kernel
