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

double timeCall(OneDnnCall& call) {
  const std::int64_t start = nowNs();
  call.execute();
  return static_cast<double>(nowNs() - start);
}

/// Returns true if `one` is faster than `other`. Alternates between them, so that other load
/// affects both, and compares the minima.
bool isFaster(OneDnnCall& one, OneDnnCall& other) {
  constexpr int kSamples = 8;
  constexpr std::int64_t kTimeLimitNs = 500'000'000;
  const std::int64_t start = nowNs();
  one.execute();
  other.execute();
  double oneNs = timeCall(one);
  double otherNs = timeCall(other);
  for (int i = 1; i < kSamples && nowNs() - start < kTimeLimitNs; ++i) {
    oneNs = std::min(oneNs, timeCall(one));
    otherNs = std::min(otherNs, timeCall(other));
  }
  return oneNs < otherNs;
}

/// Plans the call in these layouts; returns nullopt if oneDNN has only reference code for it.
std::optional<OneDnnCall> planOptimized(const model::Problem& problem, PlainTensors& tensors,
                                        Layouts layouts) {
  try {
    OneDnnCall call = planCall(problem, tensors, layouts);
    const auto& names = call.implementations();
    const bool isReference = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("ref");
    });
    return isReference ? std::nullopt : std::optional(std::move(call));
  } catch (const dnnl::error& error) {
    // No implementation, or an unknown kind of problem, such as an integer backward convolution.
    if (error.status == dnnl_unimplemented || error.status == dnnl_invalid_arguments) {
      return std::nullopt;
    }
    throw;
  }
}

std::optional<OneDnnCall> fastestCall(const model::Problem& problem, PlainTensors& tensors) {
  auto chosen = planOptimized(problem, tensors, Layouts::chosen);
  if (chosen && chosen->reorders() == 0) {
    return chosen;  // oneDNN chose the plain layouts
  }
  auto plain = planOptimized(problem, tensors, Layouts::plain);
  if (!chosen || !plain) {
    return chosen ? std::move(chosen) : std::move(plain);
  }
  return isFaster(*plain, *chosen) ? std::move(plain) : std::move(chosen);
}

Result<LibraryTimes> timeOptimized(OneDnnCall& call, const CallCounts& counts) {
  LibraryTimes times;
  times.implementation = join(call.implementations(), " + ");
  times.reorders = static_cast<std::int64_t>(call.reorders());
  times.weightsPrepacked = call.weightsPrepacked();
  const auto execute = [&]() -> Result<void> {
    call.execute();
    return {};
  };
  HONE_CHECK(timeCalls(execute, counts, times));
  return times;
}

}  // namespace

Result<LibraryTimes> timeOneDnn(const model::Problem& problem, int threads, std::int64_t iterations,
                                std::int64_t repetitions) {
  HONE_CHECK(model::check(problem));
  HONE_CHECK(checkTypes(problem));
  if (threads < 1 || iterations < 1 || repetitions < 1) {
    return userError("invalid threads, iterations or repetitions: expected at least 1");
  }
  const OmpThreads scope(threads);
  try {
    PlainTensors tensors(problem);
    auto call = fastestCall(problem, tensors);
    if (!call) {
      return userError("{} has no optimized code for {} on this CPU", referenceLibrary(),
                       nameOf(problem));
    }
    return timeOptimized(*call, {.iterations = iterations, .repetitions = repetitions});
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
