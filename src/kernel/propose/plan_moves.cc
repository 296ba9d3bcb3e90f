#include "kernel/propose/plan_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/random.h"

namespace hone::kernel {
namespace {

/// The weight of a technique that no finding suggests.
constexpr double kDefaultWeight = 0.05;

/// Maps a key of the technique library to the search's technique that covers it.
std::string_view techniqueFor(std::string_view key) {
  if (key == "online-softmax") {
    return "fusion";
  }
  if (key == "tiling" || key == "coalescing") {
    return "loop-order";
  }
  return key == "unrolling" ? "vectorization" : key;
}

using Names = std::set<std::string_view>;

/// Returns a plan of all techniques that apply one after the other, except `excluded`.
RewritePlan allApplicable(const Source& root, const Names& excluded) {
  RewritePlan plan;
  for (const Technique& technique : cppTechniques()) {
    if (excluded.contains(technique.name)) {
      continue;
    }
    RewritePlan more = plan;
    more.add(technique.name);
    if (applyPlan(more, root)) {
      plan = std::move(more);
    }
  }
  return plan;
}

/// Returns the share of the time that a technique may save according to the findings; a small
/// default for techniques without a finding.
double findingWeight(const std::vector<Finding>& findings, std::string_view technique) {
  double weight = kDefaultWeight;
  for (const Finding& finding : findings) {
    if (techniqueFor(finding.technique) == technique) {
      weight = std::max(weight, finding.weight);
    }
  }
  return weight;
}

/// Ranks a plan by the largest weight of its techniques, then by their sum.
double planWeight(const RewritePlan& plan, const std::vector<Finding>& findings) {
  double largest = 0;
  double total = 0;
  for (const std::string& technique : plan.techniques()) {
    const double weight = findingWeight(findings, technique);
    largest = std::max(largest, weight);
    total += weight;
  }
  return largest + 0.1 * total;
}

/// One changed knob.
struct KnobStep {
  std::string technique;
  std::string knob;
  std::int64_t value = 0;
  double priority = 0;
};

double knobPriority(std::string_view technique, std::string_view knob) {
  if (knob == "rows" || knob == "vectors") {
    return 0.35;
  }
  if (technique == "packing" || technique == "register-tile") {
    return 0.28;
  }
  return technique == "compile-flags" ? 0.12 : 0.22;
}

std::vector<KnobStep> knobSteps(const RewritePlan& base) {
  std::vector<KnobStep> steps;
  for (const auto& [name, knobs] : base.steps()) {
    const Technique* technique = findTechnique(name);
    for (const RewriteKnob& knob : technique->knobs) {
      const auto at = std::ranges::find(knob.values, knobs.find(knob.name)->second);
      const auto place = at - knob.values.begin();
      for (const std::ptrdiff_t by : {1, -1, 2, -2}) {
        const std::ptrdiff_t next = place + by;
        if (next >= 0 && next < std::ssize(knob.values)) {
          const double priority = knobPriority(name, knob.name) * (by == 1 || by == -1 ? 1 : 0.6);
          steps.push_back({name, std::string(knob.name),
                           knob.values[static_cast<std::size_t>(next)], priority});
        }
      }
    }
  }
  return steps;
}

/// Sets a knob. The vector width is set for all techniques, because a kernel has only one.
void setKnob(RewritePlan& plan, const KnobStep& step) {
  plan.set(step.technique, step.knob, step.value);
  if (step.knob == "width") {
    for (const std::string& technique : plan.techniques()) {
      const auto& knobs = plan.steps().find(technique)->second;
      if (knobs.contains("width")) {
        plan.set(technique, "width", step.value);
      }
    }
  }
}

void sortMoves(std::vector<Move>& moves) {
  std::ranges::stable_sort(moves,
                           [](const Move& a, const Move& b) { return a.priority > b.priority; });
}

void addTechniqueMoves(const RewritePlan& base, const std::vector<Finding>& findings, bool threads,
                       std::vector<Move>& moves) {
  for (const Technique& technique : cppTechniques()) {
    const std::string name(technique.name);
    RewritePlan plan = base;
    if (base.has(name)) {
      plan.remove(name);
      moves.push_back({std::move(plan), kDefaultWeight, fmt::format("without {}", name)});
    } else if (threads || name != "threads") {
      plan.add(name);
      moves.push_back(
          {std::move(plan), 0.2 + findingWeight(findings, name), fmt::format("with {}", name)});
    }
  }
  // Replace one way of register tiling by the other.
  for (const auto& [from, to] :
       {std::pair("packing", "register-tile"), std::pair("register-tile", "packing")}) {
    if (base.has(from) && !base.has(to)) {
      RewritePlan plan = base;
      plan.remove(from);
      plan.add(to);
      moves.push_back({std::move(plan), 0.4, fmt::format("{} instead of {}", to, from)});
    }
  }
}

}  // namespace

std::vector<Move> firstMoves(const Source& root, const std::vector<Finding>& findings,
                             bool threads) {
  std::vector<Move> moves;
  const auto add = [&](RewritePlan plan, double priority, std::string why) {
    const bool known =
        std::ranges::any_of(moves, [&](const Move& move) { return move.plan == plan; });
    if (!plan.empty() && !known) {
      moves.push_back({std::move(plan), priority, std::move(why)});
    }
  };
  const std::array<Names, 4> tiles = {Names{"register-tile"}, Names{"packing"}, Names{},
                                      Names{"packing", "register-tile"}};
  for (const bool fused : {true, false}) {
    for (Names excluded : tiles) {
      excluded.insert("compile-flags");
      if (!threads) {
        excluded.insert("threads");
      }
      if (!fused) {
        excluded.insert("fusion");
      }
      RewritePlan plan = allApplicable(root, excluded);
      const double weight = planWeight(plan, findings);
      add(std::move(plan), 10 + weight, "all applicable techniques");
    }
  }
  for (const Technique& technique : cppTechniques()) {
    if (technique.name != "threads" || threads) {
      RewritePlan plan;
      plan.add(technique.name);
      add(std::move(plan), findingWeight(findings, technique.name), "alone");
    }
  }
  sortMoves(moves);
  return moves;
}

std::vector<Move> nextMoves(const RewritePlan& base, const std::vector<Finding>& findings,
                            bool threads, std::uint64_t seed) {
  Random random(seed);
  std::vector<Move> moves;
  addTechniqueMoves(base, findings, threads, moves);
  const std::vector<KnobStep> steps = knobSteps(base);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const KnobStep& first = steps[i];
    RewritePlan plan = base;
    setKnob(plan, first);
    moves.push_back(
        {plan, first.priority, fmt::format("{} {}={}", first.technique, first.knob, first.value)});
    for (std::size_t k = i + 1; k < steps.size(); ++k) {
      const KnobStep& second = steps[k];
      if (first.technique == second.technique && first.knob == second.knob) {
        continue;
      }
      RewritePlan both = plan;
      setKnob(both, second);
      // The rows and vectors of a tile share the registers: one grows when the other shrinks.
      const bool tile = first.technique == second.technique &&
                        (first.knob == "rows" || first.knob == "vectors") &&
                        (second.knob == "rows" || second.knob == "vectors");
      const double priority =
          tile ? std::min(first.priority, second.priority) : first.priority * second.priority;
      moves.push_back({std::move(both), priority,
                       fmt::format("{} {}={}, {} {}={}", first.technique, first.knob, first.value,
                                   second.technique, second.knob, second.value)});
    }
  }
  for (Move& move : moves) {
    move.priority += 0.02 * random.uniform();
  }
  sortMoves(moves);
  return moves;
}

}  // namespace hone::kernel
