#include "verify/onednn/onednn_timing.h"

#include <algorithm>
#include <new>
#include <optional>

#include "base/clock.h"
#include "base/text/text.h"
#include "verify/onednn/omp_threads.h"
#include "verify/onednn/onednn_plans.h"
#include "verify/reference.h"

namespace hone::verify {
namespace {

double timeOf(OneDnnCall& call) {
  const std::int64_t start = nowNs();
  call.execute();
  return static_cast<double>(nowNs() - start);
}

/// Looks at both in turn, so that other load meets both, and judges by the best of each.
bool isQuicker(OneDnnCall& one, OneDnnCall& other) {
  constexpr int kLooks = 8;
  constexpr std::int64_t kLongEnoughNs = 500'000'000;
  const std::int64_t start = nowNs();
  one.execute();
  other.execute();
  double oneNs = timeOf(one);
  double otherNs = timeOf(other);
  for (int i = 1; i < kLooks && nowNs() - start < kLongEnoughNs; ++i) {
    oneNs = std::min(oneNs, timeOf(one));
    otherNs = std::min(otherNs, timeOf(other));
  }
  return oneNs < otherNs;
}

/// The call in these layouts, if oneDNN has code for it that is more than a definition.
std::optional<OneDnnCall> optimized(const model::Problem& problem, PlainTensors& tensors,
                                    Layouts layouts) {
  try {
    OneDnnCall call = planOf(problem, tensors, layouts);
    const auto& names = call.implementations();
    const bool isDefinition = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("ref");
    });
    return isDefinition ? std::nullopt : std::optional(std::move(call));
  } catch (const dnnl::error& error) {
    // It has no such code, or does not even know such a problem: integers in a backward
    // convolution.
    if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments) {
      return std::nullopt;
    }
    throw;
  }
}

std::optional<OneDnnCall> quickestCall(const model::Problem& problem, PlainTensors& tensors) {
  auto chosen = optimized(problem, tensors, Layouts::chosen);
  if (chosen && chosen->moves() == 0) {
    return chosen;  // plain layouts are what it likes best
  }
  auto plain = optimized(problem, tensors, Layouts::plain);
  if (!chosen || !plain) {
    return chosen ? std::move(chosen) : std::move(plain);
  }
  return isQuicker(*plain, *chosen) ? std::move(plain) : std::move(chosen);
}

LibraryTimes timed(OneDnnCall& call, std::int64_t iterations, std::int64_t repetitions) {
  LibraryTimes times;
  times.implementation = join(call.implementations(), " + ");
  times.moves = static_cast<std::int64_t>(call.moves());
  times.weightsPrepacked = call.weightsPrepacked();
  for (std::int64_t repetition = 0; repetition <= repetitions; ++repetition) {
    const std::int64_t wallStart = nowNs();
    const std::int64_t cpuStart = ownCpuNs();
    for (std::int64_t i = 0; i < iterations; ++i) {
      call.execute();
    }
    const std::int64_t cpu = ownCpuNs() - cpuStart;
    const std::int64_t wall = nowNs() - wallStart;
    if (repetition > 0) {  // the first touches memory and wakes the threads
      times.wallNs.push_back(static_cast<double>(wall) / static_cast<double>(iterations));
      times.cpuNs.push_back(static_cast<double>(cpu) / static_cast<double>(iterations));
    }
  }
  return times;
}

}  // namespace

Result<LibraryTimes> timeOneDnn(const model::Problem& problem, int threads, std::int64_t iterations,
                                std::int64_t repetitions) {
  HONE_CHECK(model::check(problem));
  HONE_CHECK(checkTypes(problem));
  if (threads < 1 || iterations < 1 || repetitions < 1) {
    return userError("threads, iterations and repetitions must be at least 1");
  }
  const OmpThreads scope(threads);
  try {
    PlainTensors tensors(problem);
    auto call = quickestCall(problem, tensors);
    if (!call) {
      return userError("{} has no optimized code for {} on this CPU", referenceLibrary(),
                       nameOf(problem));
    }
    return timed(*call, iterations, repetitions);
  } catch (const std::bad_alloc&) {
    return machineError("oneDNN: not enough memory for {}", nameOf(problem));
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) {
      return machineError("oneDNN: not enough memory for {}", nameOf(problem));
    }
    return machineError("oneDNN: {}: {}", nameOf(problem), error.message);
  }
}

}  // namespace hone::verify
