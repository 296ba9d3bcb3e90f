#include "kernel/judge/facts/kernel_facts.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace hone::kernel {
namespace {

using nlohmann::json;

constexpr auto kDefenceNames =
    std::to_array<std::pair<Defence, std::string_view>>({{Defence::none, "nothing"},
                                                         {Defence::scan, "source scan"},
                                                         {Defence::compiler, "compiler"},
                                                         {Defence::symbols, "symbol table"},
                                                         {Defence::sandbox, "sandbox"},
                                                         {Defence::comparison, "comparison"},
                                                         {Defence::observation, "observation"},
                                                         {Defence::limits, "time limit"}});

constexpr auto kGpuNumbers =
    std::to_array<std::pair<const char*, std::optional<double> GpuNumbers::*>>(
        {{"registers", &GpuNumbers::registers},
         {"spills", &GpuNumbers::spills},
         {"spill_loads", &GpuNumbers::spillLoads},
         {"shared_memory", &GpuNumbers::sharedMemory},
         {"static_shared_memory", &GpuNumbers::staticSharedMemory},
         {"threads", &GpuNumbers::threads},
         {"blocks", &GpuNumbers::blocks},
         {"global_bytes", &GpuNumbers::globalBytes},
         {"global_requests", &GpuNumbers::globalRequests},
         {"shared_bytes", &GpuNumbers::sharedBytes},
         {"tensor_flops", &GpuNumbers::tensorFlops},
         {"flops", &GpuNumbers::flops},
         {"barriers", &GpuNumbers::barriers},
         {"stages", &GpuNumbers::stages}});

/// Returns an integer if the number is one, because compilers report integers.
json numberJson(double number) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  const bool isInteger = std::abs(number) <= kMaxExact && std::trunc(number) == number;
  return isInteger ? json(static_cast<std::int64_t>(number)) : json(number);
}

void writeNumbers(const GpuNumbers& numbers, json& object) {
  for (const auto& [name, member] : kGpuNumbers) {
    if (const auto& number = numbers.*member) {
      object[name] = numberJson(*number);
    }
  }
}

/// Returns the member of an object; null if it is absent.
json memberOf(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? json() : *found;
}

std::string textIn(const json& object, const char* name) {
  const json member = memberOf(object, name);
  return member.is_string() ? member.get<std::string>() : "";
}

std::optional<double> numberIn(const json& object, const char* name) {
  const json member = memberOf(object, name);
  return member.is_number() ? std::optional(member.get<double>()) : std::nullopt;
}

std::optional<std::vector<std::string>> textsIn(const json& object, const char* name) {
  const json member = memberOf(object, name);
  if (!member.is_array()) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const json& one : member) {
    if (one.is_string()) {
      texts.push_back(one.get<std::string>());
    }
  }
  return texts;
}

std::optional<Defence> defenceFrom(std::string_view given) {
  for (const auto& [defence, name] : kDefenceNames) {
    if (name == given) {
      return defence;
    }
  }
  return std::nullopt;
}

std::vector<GpuKernel> kernelsFrom(const json& list) {
  std::vector<GpuKernel> kernels;
  for (const json& one : list) {
    GpuKernel kernel{.arch = textIn(one, "arch"), .failed = memberOf(one, "failed") == true};
    adoptNumbers(one, kernel.numbers);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace

std::string_view nameOf(Defence defence) {
  for (const auto& [one, name] : kDefenceNames) {
    if (one == defence) {
      return name;
    }
  }
  return "unknown";
}

void adoptNumbers(const json& given, GpuNumbers& numbers) {
  for (const auto& [name, member] : kGpuNumbers) {
    if (const auto number = numberIn(given, name)) {
      numbers.*member = number;
    }
  }
}

json toJson(const KernelFacts& facts) {
  json object = json::object();
  const auto set = [&](const char* name, const auto& value, bool known) {
    if (known) {
      object[name] = value;
    }
  };
  set("stopped_by", nameOf(facts.stoppedBy.value_or(Defence::none)), facts.stoppedBy.has_value());
  set("remarks", facts.remarks.value_or(std::vector<std::string>()), facts.remarks.has_value());
  set("sandbox", facts.sandbox, !facts.sandbox.empty());
  set("missing_defences", facts.missingDefences, !facts.missingDefences.empty());
  set("lock", facts.lock, !facts.lock.empty());
  set("inputs", facts.inputs, facts.inputs > 0);
  set("worst_error", facts.worstError.value_or(0), facts.worstError.has_value());
  set("error_bound", facts.errorBound.value_or(0), facts.errorBound.has_value());
  set("overhead_ns", facts.overheadNs.value_or(0), facts.overheadNs.has_value());
  set("below_noise", true, facts.belowNoise);
  set("timed", false, !facts.timed);
  set("device", "cuda", facts.onCuda);
  set("cuda_error", facts.cudaError, !facts.cudaError.empty());
  if (const auto& counters = facts.counters) {
    object["counters"] = {{"instructions", counters->instructions},
                          {"cycles", counters->cycles},
                          {"cache_misses", counters->cacheMisses}};
  }
  writeNumbers(facts.gpu, object);
  if (facts.kernels) {
    json& list = object["kernels"] = json::array();
    for (const GpuKernel& kernel : *facts.kernels) {
      json& one = list.emplace_back(json{{"arch", kernel.arch}});
      writeNumbers(kernel.numbers, one);
      if (kernel.failed) {
        one["failed"] = true;
      }
    }
  }
  return object;
}

KernelFacts factsFrom(const nlohmann::json& json) {
  KernelFacts facts;
  facts.stoppedBy = defenceFrom(textIn(json, "stopped_by"));
  facts.remarks = textsIn(json, "remarks");
  facts.sandbox = textIn(json, "sandbox");
  facts.missingDefences = textsIn(json, "missing_defences").value_or(std::vector<std::string>());
  facts.lock = textIn(json, "lock");
  facts.inputs = static_cast<std::int64_t>(numberIn(json, "inputs").value_or(0));
  facts.worstError = numberIn(json, "worst_error");
  facts.errorBound = numberIn(json, "error_bound");
  facts.overheadNs = numberIn(json, "overhead_ns");
  facts.belowNoise = memberOf(json, "below_noise") == true;
  facts.timed = memberOf(json, "timed") != false;
  facts.onCuda = textIn(json, "device") == "cuda";
  facts.cudaError = textIn(json, "cuda_error");
  if (const auto counters = memberOf(json, "counters"); counters.is_object()) {
    facts.counters = EventCounts{.instructions = numberIn(counters, "instructions").value_or(0),
                                 .cycles = numberIn(counters, "cycles").value_or(0),
                                 .cacheMisses = numberIn(counters, "cache_misses").value_or(0)};
  }
  adoptNumbers(json, facts.gpu);
  if (const auto kernels = memberOf(json, "kernels"); kernels.is_array()) {
    facts.kernels = kernelsFrom(kernels);
  }
  return facts;
}

}  // namespace hone::kernel
