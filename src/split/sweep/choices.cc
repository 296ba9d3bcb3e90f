#include "split/sweep/choices.h"

#include <algorithm>

#include "base/text/text.h"
#include "split/fit/rule.h"

namespace hone::split {

std::string Choice::name() const {
  std::vector<std::string> parts;
  if (isBaseline) {
    parts.emplace_back("baseline");
  }
  if (isNoSplit) {
    parts.emplace_back("no split");
  }
  if (isRecommended) {
    parts.emplace_back("recommended code");
  }
  for (const std::int64_t limit : limits) {
    parts.push_back(fmt::format("limit {}", limit));
  }
  return join(parts, ", ");
}

iree::SplitSizes Choice::splitSizes() const {
  return sizes.empty() ? iree::SplitSizes{} : iree::SplitSizes{sizes};
}

std::vector<Choice> choicesFor(const std::optional<model::Reduction>& reduction,
                               const std::vector<std::int64_t>& compilersOwn,
                               std::span<const std::int64_t> limits) {
  std::vector<Choice> choices;
  const auto with = [&](const std::vector<std::int64_t>& sizes) -> Choice& {
    const auto at = std::find_if(choices.begin(), choices.end(),
                                 [&](const Choice& choice) { return choice.sizes == sizes; });
    if (at != choices.end()) {
      return *at;
    }
    choices.emplace_back().sizes = sizes;
    return choices.back();
  };
  with(compilersOwn).isBaseline = true;
  with({}).isNoSplit = true;
  for (const std::int64_t limit : limits) {
    with(reduction ? sizesUnder(*reduction, limit) : std::vector<std::int64_t>{})
        .limits.push_back(limit);
  }
  return choices;
}

std::optional<std::vector<std::int64_t>> oracleSizes(const ShapeResult& shape) {
  double bestUs = shape.baseline ? shape.baseline->timeUs() : 0;
  std::optional<std::vector<std::int64_t>> sizes;
  const auto offer = [&](const Timing& timing, std::vector<std::int64_t> offered) {
    if (bestUs == 0 || timing.timeUs() < bestUs) {
      bestUs = timing.timeUs();
      sizes = std::move(offered);
    }
  };
  if (shape.noSplit) {
    offer(*shape.noSplit, {});
  }
  for (const auto& [limit, timing] : shape.limits) {
    offer(timing, sizesUnder(shape.reduction, limit));
  }
  return sizes;
}

ChoiceCompiler attributeChoices(iree::Compiler& compiler, std::vector<std::int64_t> limits) {
  return
      [&compiler, limits = std::move(limits)](
          std::span<const iree::CompileRequest> requests) -> Result<std::vector<CompiledProblem>> {
        const auto programs = HONE_TRY(iree::prepareSplits(compiler, requests));
        std::vector<CompiledProblem> problems(programs.size());
        std::vector<iree::SplitOrder> orders;
        std::vector<CompiledProblem*> ordered;
        for (std::size_t i = 0; i < programs.size(); ++i) {
          const iree::Splittable& program = programs[i];
          CompiledProblem& problem = problems[i];
          problem.report = program.report;
          if (program.report.status != iree::CompileReport::Status::ok) {
            continue;
          }
          if (program.operations.size() == 1) {
            problem.reduction = program.operations.front();
          }
          problem.choices = choicesFor(problem.reduction,
                                       program.compilersOwn.empty() ? std::vector<std::int64_t>{}
                                                                    : program.compilersOwn.front(),
                                       limits);
          iree::SplitOrder order{&program, {}};
          for (const Choice& choice : problem.choices) {
            order.choices.push_back(choice.splitSizes());
          }
          orders.push_back(std::move(order));
          ordered.push_back(&problem);
        }
        auto compiled = HONE_TRY(iree::compileSplits(compiler, orders));
        for (std::size_t i = 0; i < ordered.size(); ++i) {
          ordered[i]->compiled = std::move(compiled[i]);
        }
        return problems;
      };
}

}  // namespace hone::split
