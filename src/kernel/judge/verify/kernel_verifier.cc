#include "kernel/judge/verify/kernel_verifier.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/hash.h"
#include "kernel/judge/input/natural_inputs.h"
#include "kernel/judge/verify/error_bound.h"
#include "kernel/judge/verify/reduction_length.h"

namespace hone::kernel {
namespace {

using model::Outcome;

/// `changed` follows `unit`, so that consecutive calls differ at few places.
constexpr std::array kKinds = {ValueKind::unit,     ValueKind::changed,  ValueKind::positive,
                               ValueKind::rows,     ValueKind::outliers, ValueKind::specials,
                               ValueKind::permuted, ValueKind::scaled};

/// Returns the set of inputs whose seed a set uses: changed, permuted and scaled values are made
/// from the first set.
std::size_t seedSet(std::size_t set) {
  const ValueKind kind = kKinds[set % kKinds.size()];
  const bool derived =
      kind == ValueKind::changed || kind == ValueKind::permuted || kind == ValueKind::scaled;
  return derived ? set - set % kKinds.size() : set;
}

/// Returns "M=37 N=53, special values".
std::string describe(const Shape& shape, ValueKind kind) {
  std::string text;
  for (const auto& [name, size] : shape.sizes) {
    text += fmt::format("{}={} ", name, size);
  }
  if (!text.empty()) {
    text.back() = ',';
    text += ' ';
  }
  return text + std::string(nameOf(kind));
}

std::string describe(const OutputComparison& compared, const Argument& output) {
  return fmt::format("{}{} is {:.9g}, expected {:.9g}; {} of {} elements are wrong", output.name,
                     indexText(output.type.shape, compared.element), compared.actual,
                     compared.expected, compared.wrong, compared.count);
}

/// Records the error that is closest to its bound.
void noteError(const OutputComparison& compared, JudgeResult& judged) {
  const auto share = [](double worst, double allowed) { return allowed > 0 ? worst / allowed : 0; };
  KernelFacts& facts = judged.facts;
  if (!facts.worstError || share(compared.worst, compared.allowed) >
                               share(*facts.worstError, facts.errorBound.value_or(0))) {
    facts.worstError = compared.worst;
    facts.errorBound = compared.allowed;
  }
}

}  // namespace

Result<Case> KernelVerifier::makeCase(std::size_t shape, ValueKind kind, std::uint64_t seed) {
  Case made;
  made.shape = shape;
  made.kind = kind;
  made.seed = seed;
  made.inputs = makeInputs(context_.shape(shape), kind, seed);
  mixNatural(context_.shape(shape), HONE_TRY(context_.reference.naturalInputs(shape, seed)), seed,
             made.inputs);
  HONE_CHECK(complete(made));
  return made;
}

Result<void> KernelVerifier::complete(Case& made) {
  made.expected = HONE_TRY(context_.reference.compute(made.shape, made.inputs));
  if (made.kind == ValueKind::specials) {
    HONE_CHECK(excludeSpecials(made));
  }
  for (std::size_t i = 0; i < made.expected.size(); ++i) {
    made.scales.push_back(
        errorScales(made.expected[i], context_.shape(made.shape).outputs[i].type.shape));
  }
  return {};
}

Result<void> KernelVerifier::excludeSpecials(Case& made) {
  // A maximum changes only for a large value, a minimum only for a large negative one.
  const std::array<double, 3> values = {0.5, 16 * kLarge, -16 * kLarge};
  for (const double value : values) {
    std::vector<verify::Tensor> inputs = made.inputs;
    replaceSpecials(inputs, value);
    const Expected other = HONE_TRY(context_.reference.compute(made.shape, inputs));
    for (std::size_t i = 0; i < other.size(); ++i) {
      for (std::size_t at = 0; at < other[i].size(); ++at) {
        if (other[i][at] != made.expected[i][at]) {
          made.expected[i][at] = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }
  return {};
}

Result<double> KernelVerifier::reductionLength(std::size_t shape) {
  lengths_.resize(context_.tensors.size());
  if (!lengths_[shape]) {
    const auto compute = [&](std::span<const verify::Tensor> inputs) {
      return context_.reference.compute(shape, inputs);
    };
    const std::uint64_t seed = seedFrom(context_.options.seed, fmt::format("length {}", shape));
    lengths_[shape] = HONE_TRY(findReductionLength(context_.shape(shape), compute, seed));
  }
  return *lengths_[shape];
}

std::uint64_t KernelVerifier::maxPerturbations(std::size_t shape,
                                               const OutputComparison& compared) const {
  // An element may hardly change by chance: two perturbations of an attention missed its
  // sensitivity in one set of inputs of a hundred, five in one of a thousand.
  constexpr std::chrono::nanoseconds kTime(200'000'000);
  // Where the reference rounds or compares, one perturbation of four crosses a step. A kernel that
  // is wrong in few elements only is worth the time to find out.
  constexpr std::chrono::nanoseconds kTimeForFew(4'000'000'000);
  const bool few = compared.wrong <= compared.count / 200 + 1;
  const auto once = std::max(context_.reference.longestCall(shape), std::chrono::nanoseconds(1));
  return static_cast<std::uint64_t>(
      std::clamp<std::int64_t>((few ? kTimeForFew : kTime) / once, 4, 32));
}

Result<void> KernelVerifier::widenScales(Case& expected) {
  const std::uint64_t seed = seedFrom(expected.seed, std::to_string(expected.perturbations++));
  const auto raise = [&](const Expected& seen) {
    expected.condition.resize(seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      std::vector<double>& condition = expected.condition[i];
      condition.resize(seen[i].size());
      std::ranges::transform(condition, seen[i], condition.begin(),
                             [](double a, double b) { return std::max(a, b); });
    }
  };
  raise(HONE_TRY(
      context_.reference.condition(expected.shape, expected.inputs, expected.expected, seed)));
  if (isUniform(expected.kind) && expected.kind != ValueKind::positive) {
    raise(HONE_TRY(context_.reference.signFlipMagnitudes(expected.shape, expected.inputs, seed)));
  }
  for (std::size_t i = 0; i < expected.scales.size(); ++i) {
    expected.scales[i] =
        errorScales(expected.expected[i], context_.shape(expected.shape).outputs[i].type.shape,
                    &expected.condition[i]);
  }
  return {};
}

Result<bool> KernelVerifier::check(const CallTensors& tensors,
                                   std::span<const verify::Tensor> outputs, Case& expected,
                                   JudgeResult& judged) {
  const Shape& shape = context_.shape(expected.shape);
  const auto fail = [&](const std::string& message) {
    judged.outcome = Outcome::mismatch;
    judged.message = fmt::format("{} ({})", message, describe(shape, expected.kind));
    return false;
  };
  if (const auto harm = tensors.findGuardWrite()) {
    return fail(*harm);
  }
  if (const auto left = tensors.findUnwritten(outputs)) {
    return fail(*left);
  }
  const double roundings =
      allowedRoundings(HONE_TRY(reductionLength(expected.shape)), isUniform(expected.kind));
  for (std::size_t i = 0; i < shape.outputs.size(); ++i) {
    OutputComparison compared =
        compareOutput(outputs[i], expected.expected[i], expected.scales[i], roundings);
    while (!compared.ok() && expected.perturbations < maxPerturbations(expected.shape, compared)) {
      HONE_CHECK(widenScales(expected));
      compared = compareOutput(outputs[i], expected.expected[i], expected.scales[i], roundings);
    }
    noteError(compared, judged);
    if (!compared.ok()) {
      return fail(describe(compared, shape.outputs[i]));
    }
  }
  return true;
}

Result<bool> KernelVerifier::callAndCheck(RunningKernel& running, Case& expected,
                                          Placement placement, JudgeResult& judged) {
  CallTensors& used = context_.tensors[expected.shape][placement == Placement::begin ? 0 : 1];
  if (expected.kind == ValueKind::changed) {
    // The outputs hold results of similar inputs, not marks, which a kernel could look for.
    used.refill(expected.inputs, context_.random);
  } else {
    used.fill(expected.inputs, context_.random);
  }
  if (!HONE_TRY(running.call(used, context_.callTimeout(expected.shape), judged))) {
    judged.message += fmt::format(" ({})", describe(context_.shape(expected.shape), expected.kind));
    return false;
  }
  ++judged.facts.inputs;
  return checkFair(running.detectLeftThreads(context_.options.threads), judged) &&
         HONE_TRY(check(used, used.outputs(), expected, judged));
}

Result<void> KernelVerifier::verify(const Runnable& runnable, bool general, std::uint64_t salt,
                                    JudgeResult& judged) {
  std::vector<const CallTensors*> all;
  const std::size_t shapes = general ? context_.tensors.size() : 1;
  for (std::size_t shape = 0; shape < shapes; ++shape) {
    for (const CallTensors& each : context_.tensors[shape]) {
      all.push_back(&each);
    }
  }
  const auto deriveSeed = [&](std::size_t shape, std::size_t set) {
    return seedFrom(context_.options.seed, fmt::format("{} {} {}", salt, shape, set));
  };
  auto running =
      HONE_TRY(RunningKernel::start(runnable, all, context_.options.limits.wall, judged));
  if (!running) {
    return {};
  }
  // Verify the other shapes first: they are small and find most errors.
  for (std::size_t shape = 1; shape < shapes; ++shape) {
    for (std::size_t set = 0; set < kKinds.size(); ++set) {
      Case made = HONE_TRY(makeCase(shape, kKinds[set], deriveSeed(shape, seedSet(set))));
      for (const Placement placement : {Placement::end, Placement::begin}) {
        if (!HONE_TRY(callAndCheck(*running, made, placement, judged))) {
          return {};
        }
      }
    }
  }
  // Same pointers with different contents, then different pointers with the same contents.
  const std::size_t sets = std::max<std::size_t>(1, context_.options.inputSets);
  for (std::size_t set = 0; set < sets; ++set) {
    Case made = HONE_TRY(makeCase(0, kKinds[set % kKinds.size()], deriveSeed(0, seedSet(set))));
    const bool last = set + 1 == sets;
    if (!HONE_TRY(callAndCheck(*running, made, Placement::begin, judged)) ||
        (last && !HONE_TRY(callAndCheck(*running, made, Placement::end, judged)))) {
      return {};
    }
  }
  return {};
}

}  // namespace hone::kernel
