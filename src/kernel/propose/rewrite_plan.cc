#include "kernel/propose/rewrite_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/text/text.h"
#include "kernel/nest/nest.h"
#include "kernel/nest/nest_parser.h"
#include "kernel/nest/nest_printer.h"
#include "kernel/nest/normal_form.h"
#include "kernel/nest/rewrite/cache_calls.h"
#include "kernel/nest/rewrite/fuse_loops.h"
#include "kernel/nest/rewrite/hoist_invariants.h"
#include "kernel/nest/rewrite/one_pass_statistics.h"
#include "kernel/nest/rewrite/order_loops.h"
#include "kernel/nest/rewrite/tile_contractions.h"
#include "kernel/nest/rewrite/use_threads.h"
#include "kernel/nest/rewrite/vector_code.h"
#include "kernel/nest/rewrite/vectorize_loops.h"

namespace hone::kernel {
namespace {

constexpr std::string_view kFlags = "compile-flags";
constexpr std::string_view kThreads = "threads";
/// Vector registers of x86-64 with AVX-512. With fewer the compiler spills, which the timing shows.
constexpr std::int64_t kRegisters = 32;

using Rewrite = std::function<bool(nest::Function&, const RewritePlan::Knobs&)>;

bool tileWithPack(nest::Function& function, RewritePlan::Knobs knobs, std::int64_t pack) {
  knobs["pack"] = pack;
  return nest::tileContractions(function, knobs);
}

Rewrite findRewrite(std::string_view technique) {
  static const std::map<std::string_view, Rewrite> kRewrites = {
      {"one-pass-statistics", nest::onePassStatistics},
      {"fusion", nest::fuseLoops},
      {"cached-exp", nest::cacheCalls},
      {"hoisting", nest::hoistInvariants},
      {"threads", nest::useThreads},
      {"register-tile",
       [](nest::Function& function, const RewritePlan::Knobs& knobs) {
         return tileWithPack(function, knobs, 0);
       }},
      {"packing", [](nest::Function& function,
                     const RewritePlan::Knobs& knobs) { return tileWithPack(function, knobs, 1); }},
      {"loop-order", nest::orderLoops},
      {"vectorization", nest::vectorizeLoops}};
  const auto found = kRewrites.find(technique);
  return found == kRewrites.end() ? Rewrite() : found->second;
}

std::vector<std::string> planFlags(const RewritePlan& plan) {
  std::vector<std::string> flags = {"-O3"};
  const auto step = plan.steps().find(kFlags);
  if (step != plan.steps().end()) {
    const auto add = [&](std::initializer_list<const char*> more) {
      flags.insert(flags.end(), more.begin(), more.end());
    };
    switch (step->second.at("math")) {
      case 1:
        add({"-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math",
             "-freciprocal-math"});
        break;
      case 2:
        add({"-ffast-math"});
        break;
      default:
        break;
    }
    if (step->second.at("unroll") != 0) {
      add({"-funroll-loops"});
    }
    if (step->second.at("wide") != 0) {
      add({"-mprefer-vector-width=512"});
    }
  }
  if (plan.has(kThreads)) {
    flags.emplace_back("-fopenmp");
  }
  return flags;
}

}  // namespace

std::span<const Technique> cppTechniques() {
  static const std::vector<Technique> kAll = {
      {"one-pass-statistics", {}, "compute mean and variance in one pass"},
      {"fusion", {{"rows", {8, 16, 32, 64, 128}, 64}}, "fuse loops over the same range"},
      {"cached-exp", {}, "compute each exponential once"},
      {"hoisting", {}, "hoist divisions and roots out of inner loops"},
      {"threads", {}, "run the outermost parallel loop on threads"},
      {"register-tile",
       {{"rows", {2, 4, 6, 8, 10, 12, 14}, 6},
        {"vectors", {1, 2, 3, 4}, 4},
        {"width", {8, 16}, 16},
        {"unroll", {1, 2, 4}, 1}},
       "accumulate sums of products in a register tile"},
      {"packing",
       {{"rows", {2, 4, 6, 8, 10, 12, 14}, 8},
        {"vectors", {1, 2, 3, 4}, 3},
        {"width", {8, 16}, 16},
        {"depth", {64, 128, 192, 256, 384, 512}, 256},
        {"block", {0, 96, 192, 384}, 0},
        {"unroll", {1, 2, 4}, 1},
        {"prefetch", {0, 1}, 0}},
       "pack panels of the right-hand side and use a register tile"},
      {"loop-order",
       {{"block", {0, 64, 128, 256, 512}, 0}},
       "make the contiguous loop the innermost"},
      {"vectorization",
       {{"width", {4, 8, 16}, 16}, {"unroll", {1, 2, 4, 8}, 4}},
       "use explicit vectors with several accumulators"},
      {"compile-flags",
       {{"math", {0, 1, 2}, 1}, {"unroll", {0, 1}, 0}, {"wide", {0, 1}, 0}},
       "change the compiler flags"}};
  return kAll;
}

const Technique* findTechnique(std::string_view name) {
  const auto all = cppTechniques();
  const auto found = std::ranges::find(all, name, &Technique::name);
  return found == all.end() ? nullptr : &*found;
}

void RewritePlan::add(std::string_view technique) {
  const Technique* found = findTechnique(technique);
  if (found == nullptr || has(technique)) {
    return;
  }
  Knobs knobs;
  for (const RewriteKnob& knob : found->knobs) {
    knobs.emplace(knob.name, knob.start);
  }
  steps_.emplace(technique, std::move(knobs));
}

void RewritePlan::set(std::string_view technique, std::string_view knob, std::int64_t value) {
  const auto step = steps_.find(technique);
  if (step != steps_.end()) {
    step->second.insert_or_assign(std::string(knob), value);
  }
}

void RewritePlan::remove(std::string_view technique) {
  const auto step = steps_.find(technique);
  if (step != steps_.end()) {
    steps_.erase(step);
  }
}

std::vector<std::string> RewritePlan::techniques() const {
  std::vector<std::string> names;
  for (const Technique& technique : cppTechniques()) {
    if (has(technique.name)) {
      names.emplace_back(technique.name);
    }
  }
  return names;
}

std::string RewritePlan::text() const {
  std::vector<std::string> parts;
  for (const std::string& technique : techniques()) {
    std::string part = technique;
    for (const auto& [knob, value] : steps_.find(technique)->second) {
      part += fmt::format(" {}={}", knob, value);
    }
    parts.push_back(std::move(part));
  }
  return join(parts, "; ");
}

std::optional<RewritePlan> RewritePlan::from(std::string_view text) {
  RewritePlan plan;
  if (trim(text).empty()) {
    return plan;
  }
  for (const std::string& part : splitAt(text, ';')) {
    const std::vector<std::string> words = splitAt(trim(part), ' ');
    const Technique* technique = findTechnique(words[0]);
    if (technique == nullptr) {
      return std::nullopt;
    }
    plan.add(words[0]);
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const auto value =
          parseInt(std::string_view(words[i]).substr(std::min(equals + 1, words[i].size())));
      const std::string_view knob = std::string_view(words[i]).substr(0, equals);
      const auto known = std::ranges::find(technique->knobs, knob, &RewriteKnob::name);
      if (equals == std::string::npos || !value || known == technique->knobs.end() ||
          std::ranges::find(known->values, *value) == known->values.end()) {
        return std::nullopt;
      }
      plan.set(words[0], knob, *value);
    }
  }
  return plan;
}

bool isFeasible(const RewritePlan& plan) {
  std::optional<std::int64_t> width;
  for (const auto& [technique, knobs] : plan.steps()) {
    const auto own = knobs.find("width");
    if (own == knobs.end()) {
      continue;
    }
    // A kernel has only one vector type.
    if (width && *width != own->second) {
      return false;
    }
    width = own->second;
    const auto rows = knobs.find("rows");
    if (rows != knobs.end()) {
      const std::int64_t vectors = knobs.at("vectors");
      if ((rows->second + 1) * vectors + 1 > kRegisters || rows->second * vectors < 4) {
        return false;
      }
    }
  }
  return true;
}

std::optional<Source> applyPlan(const RewritePlan& plan, const Source& original) {
  if (plan.empty() || !isFeasible(plan)) {
    return std::nullopt;
  }
  Source result = original;
  const std::vector<std::string> flags = planFlags(plan);
  for (const std::string& flag : flags) {
    if (std::ranges::find(result.flags, flag) == result.flags.end()) {
      result.flags.push_back(flag);
    }
  }
  if (plan.techniques() == std::vector<std::string>{std::string(kFlags)}) {
    return result;
  }
  auto parsed = nest::parse(original.text);
  if (!parsed) {
    return std::nullopt;
  }
  auto function = nest::normalize(*std::move(parsed));
  if (!function) {
    return std::nullopt;
  }
  for (const std::string& technique : plan.techniques()) {
    const Rewrite rewrite = findRewrite(technique);
    if (rewrite && !rewrite(*function, plan.steps().find(technique)->second)) {
      return std::nullopt;
    }
  }
  nest::ensureHeaders(*function);
  result.text = nest::print(*function);
  return result;
}

}  // namespace hone::kernel
