#include "kernel/judge/facts/failure_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace hone::kernel {
namespace {

using Status = Reply::Status;

/// Sentences of hone's Python code.
constexpr auto kSentences = std::to_array<std::string_view>({
    "leaves a process running",
    "replaces a method of torch.Tensor",
    "leaves a torch dispatch mode enabled",
    "lets torch do the work",
    "out of memory: exceeds its memory limit",
    "writes outside of a tensor that it created",
    "writes to its input",
    "compiles again after its first call",
    "no class ModelNew",
    "cannot be built for the CPU",
    "is not allowed; use -O…, -m…, --param=… and those -f… that optimize",
    "landlock failed to restrict the kernel",
    "seccomp failed to restrict the kernel",
});

constexpr auto kExceptions = std::to_array<std::string_view>({
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BufferError",
    "EOFError",
    "FileNotFoundError",
    "FloatingPointError",
    "ImportError",
    "IndentationError",
    "IndexError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "StopIteration",
    "SyntaxError",
    "SystemError",
    "TabError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "ValueError",
    "ZeroDivisionError",
    "InternalError",
    "TVMError",
    "DiagnosticError",
});

std::string_view describeKind(const std::string& kind) {
  return kind == "build"      ? "it cannot be built or loaded"
         : kind == "shape"    ? "forward returns other tensors than the reference"
         : kind == "refused"  ? "it attempted a forbidden operation"
         : kind == "protocol" ? "it wrote to the judge's channel"
                              : "it raised an exception";
}

/// Returns "line 12" for "kernel.py line 12: …"; "" if the message has no line.
std::string findLine(const std::string& message) {
  static const RE2 kPlace(R"(^[^:]{1,200} (line \d{1,6}): )");
  std::string line;
  return RE2::PartialMatch(message, kPlace, &line) ? line : "";
}

std::string findException(const std::string& message) {
  static const RE2 kName(R"((?:^|: )([A-Z][A-Za-z]{2,30})(?::|$))");
  std::string name;
  const bool known = RE2::PartialMatch(message, kName, &name) &&
                     std::ranges::find(kExceptions, name) != kExceptions.end();
  return known ? name : "";
}

/// Returns a sentence of hone that the message contains, with its types of tensors; "" if none.
std::string findSentence(const std::string& message) {
  static const RE2 kNumbers(
      R"((forward returned [0-9x]{0,60}x?(?:bf16|[fi]\d{1,2}), )"
      R"(the reference [0-9x]{0,60}x?(?:bf16|[fi]\d{1,2})|)"
      R"(forward returned \d{1,6} tensors, the reference \d{1,6}|called exit \(-?\d{1,6}\)))");
  std::string found;
  if (RE2::PartialMatch(message, kNumbers, &found)) {
    return found;
  }
  for (const std::string_view sentence : kSentences) {
    if (message.contains(sentence)) {
      return std::string(sentence);
    }
  }
  return "";
}

/// Copies the statistics of compiled GPU kernels.
std::vector<GpuKernel> adoptKernels(const nlohmann::json& kernels) {
  constexpr std::size_t kMaxKernels = 64;
  std::vector<GpuKernel> adopted;
  for (const nlohmann::json& kernel : kernels) {
    if (!kernel.is_object() || adopted.size() == kMaxKernels) {
      continue;
    }
    for (const char* arch : {"sm_80", "sm_90"}) {
      if (kernel.value("arch", nlohmann::json()) == arch) {
        GpuKernel& one = adopted.emplace_back(GpuKernel{arch, kernel.contains("error")});
        adoptNumbers(kernel, one.numbers);
      }
    }
  }
  return adopted;
}

}  // namespace

std::string describeFailure(const Reply& reply) {
  if (reply.status != Status::failed) {
    return reply.message;  // written by this process
  }
  const std::string text = findLine(reply.message);
  const std::string sentence = findSentence(reply.message);
  const std::string exception = sentence.empty() ? findException(reply.message) : "";
  const std::string what = !sentence.empty()    ? sentence
                           : !exception.empty() ? exception
                                                : std::string(describeKind(reply.kind));
  return text.empty() ? what : text + ": " + what;
}

void adoptFacts(const nlohmann::json& body, KernelFacts& facts) {
  const auto given = body.find("facts");
  if (given != body.end() && given->is_object()) {
    adoptNumbers(*given, facts.gpu);
    if (const auto kernels = given->find("kernels");
        kernels != given->end() && kernels->is_array()) {
      facts.kernels = adoptKernels(*kernels);
    }
    facts.onCuda = facts.onCuda || given->value("device", nlohmann::json()) == "cuda";
    facts.timed = facts.timed && given->value("timed", nlohmann::json()) != false;
    if (given->contains("cuda_error")) {
      facts.cudaError = "compiling for CUDA failed";
    }
    constexpr const char* kLock = "none: GPU drivers need files and processes";
    if (given->value("lock", nlohmann::json()) == kLock) {
      facts.lock = kLock;
    }
  }
  facts.missingDefences.clear();
  const auto missing = body.find("missing");
  for (const char* name : {"seccomp", "landlock", "a network namespace"}) {
    if (missing != body.end() && missing->is_array() &&
        std::ranges::find(*missing, nlohmann::json(name)) != missing->end()) {
      facts.missingDefences.emplace_back(name);
    }
  }
}

}  // namespace hone::kernel
