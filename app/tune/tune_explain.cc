#include "app/tune/tune_explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/tune/dispatch_table.h"
#include "app/tune/tunable_report.h"
#include "app/tune/tuned_result.h"
#include "base/file.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "iree/mlir/attribute_text.h"
#include "iree/spec/spec_check.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using model::DispatchGraph;
using tune::TunableDispatch;

/// Tensors that are shown as text; larger graphs are easier to read on the page of a run.
constexpr std::size_t kMaxShownEdges = 60;

/// Prints the data flow as a table: one line per tensor.
std::string graphText(const DispatchGraph& graph) {
  if (graph.edges.empty()) {
    return "";
  }
  report::Table table({{"from", report::Align::left, 15},
                       {"tensor", report::Align::left, 12},
                       {"to", report::Align::left, 15}});
  const std::size_t shown = std::min(graph.edges.size(), kMaxShownEdges);
  for (std::size_t i = 0; i < shown; ++i) {
    const DispatchGraph::Edge& edge = graph.edges[i];
    const DispatchGraph::Node& to = graph.nodes[edge.to];
    const std::string constants =
        to.constants > 0
            ? fmt::format(" (and {} constant{})", to.constants, to.constants == 1 ? "" : "s")
            : "";
    table.add({shortName(graph.nodes[edge.from].name), edge.type, shortName(to.name) + constants});
  }
  std::string text = table.text(report::outputWidth());
  if (shown < graph.edges.size()) {
    text += fmt::format("{} more tensors\n", graph.edges.size() - shown);
  }
  return text;
}

/// Prints the members of an attribute, one per line: "workgroup = [32, 128, 0]".
void printMembers(const iree::AttributeText& attribute) {
  for (const auto& [name, member] : attribute.members) {
    if (name.empty() && member.kind == iree::AttributeText::Kind::dictionary) {
      printMembers(member);
    } else {
      fmt::print("  {:24} {}\n", name.empty() ? attribute.text : name, member.print());
    }
  }
}

/// Prints the knobs that the compiler has set.
void printCompilerValues(const model::RootOperation& root) {
  fmt::print("\ncompiler's values\n");
  for (const std::string& text : {root.loweringConfig, root.translationInfo}) {
    if (const auto attribute = iree::parseAttribute(text)) {
      printMembers(*attribute);
    }
  }
}

/// Prints the commands that show and change the same without hone.
void printCommands(const Toolchain& toolchain, const tune::WholeProgram& whole) {
  const bool old = toolchain.compiler.revision().starts_with("3.10.");
  const std::string flags = join(whole.flags, " ");
  const std::string program = whole.program.fileName();
  const std::string spec = iree::specFlagFor(toolchain.target, "spec.mlir");
  fmt::print(
      "\nthe same without hone\n"
      "  this IR; root_op marks the root operation\n"
      "    iree-compile {0} {1} --compile-to=executable-configurations {2} -o configured.mlir\n"
      "  all dispatches as files, and as programs that run alone\n"
      "    iree-compile {0} {1} --iree-hal-dump-executable-files-to=DIR "
      "--iree-hal-dump-executable-benchmarks-to=DIR -o OUT.vmfb\n"
      "  other values: edit lowering_config and translation_info in configured.mlir\n"
      "    iree-compile configured.mlir {1} --compile-from=executable-configurations -o OUT.vmfb\n"
      "  or set them with a tuning spec\n"
      "    iree-compile {0} {1} {3} -o OUT.vmfb\n",
      program, flags,
      old ? "--iree-config-add-tuner-attributes" : "--iree-codegen-add-tuner-attributes", spec);
}

/// Explains one program.
class Explanation {
 public:
  Explanation(const Context& context, Toolchain& toolchain, const tune::WholeProgram& whole)
      : context_(context), toolchain_(toolchain), whole_(whole) {}

  /// Finds the dispatches and their knobs.
  Result<void> find(const tune::DispatchSelection& selection, const iree::ModuleRunner* runner);
  [[nodiscard]] Result<void> print() const;
  [[nodiscard]] Result<void> addTo(nlohmann::json& json) const;

 private:
  /// Returns the dispatch that the user selected; null if there are none or several.
  [[nodiscard]] const TunableDispatch* selected() const {
    return selected_.size() == 1 ? &tunables_[selected_.front()] : nullptr;
  }
  [[nodiscard]] Result<std::string> printIr(const TunableDispatch& tunable) const {
    const auto request = requestFor(whole_, whole_.flags);
    return HONE_TRY(toolchain_.compiler.ask(request, iree::PrintDispatchJob{tunable.root.dispatch}))
        .text;
  }

  const Context& context_;
  Toolchain& toolchain_;
  const tune::WholeProgram& whole_;
  DispatchGraph graph_;
  std::optional<ScratchFolder> folder_;  ///< programs of the dispatches, which their knobs compile
  std::vector<TunableDispatch> tunables_;
  std::vector<std::size_t> selected_;
};

Result<void> Explanation::find(const tune::DispatchSelection& selection,
                               const iree::ModuleRunner* runner) {
  folder_ = HONE_TRY(ScratchFolder::create("hone-explain"));
  tune::TunableFinder finder(toolchain_.compiler, toolchain_.target, selection);
  tunables_ = HONE_TRY(finder.find(whole_, whole_.flags, runner, folder_->path()));
  graph_ = HONE_TRY(queryDispatchGraph(toolchain_, whole_));
  const Regex wanted = HONE_TRY(tune::dispatchRegex(selection.dispatches));
  for (std::size_t i = 0; i < tunables_.size() && !selection.dispatches.empty(); ++i) {
    if (wanted.matchesAnywhere(tunables_[i].name)) {
      selected_.push_back(i);
    }
  }
  return {};
}

Result<void> Explanation::print() const {
  if (const TunableDispatch* one = selected()) {
    fmt::print("{}\n", one->name);
    if (one->root.op.empty()) {
      fmt::print("root operation: none; the dispatch has no knobs\n");
    } else {
      fmt::print("root operation: {}, {}, loops {}\n", one->root.op,
                 model::describeWork(one->name, one->root), loopsText(one->root));
    }
    fmt::print("\n{}", graphText(graph_));
    fmt::print("\nIR with the compiler's configuration\n{}", HONE_TRY(printIr(*one)));
    printCompilerValues(one->root);
    if (one->knobs) {
      fmt::print("\nknobs of the search: {} legal configurations; [] marks the compiler's value\n",
                 one->knobs->space.size());
      printKnobs(*one->knobs, one->root);
    } else if (!one->skipReason.empty()) {
      fmt::print("\nnot tuned: {}\n", one->skipReason);
    }
    printCommands(toolchain_, whole_);
    return {};
  }
  printTunables(whole_, tunables_);
  if (!tunables_.empty() && tunables_.front().estimated) {
    fmt::print("\nshares are estimated from loops and calls; nothing was measured\n");
  }
  fmt::print("\n{}", graphText(graph_));
  return {};
}

Result<void> Explanation::addTo(nlohmann::json& json) const {
  const auto tensors = [&](const std::string& name, bool into) {
    nlohmann::json list = nlohmann::json::array();
    for (const DispatchGraph::Edge& edge : graph_.edges) {
      const auto& here = graph_.nodes[into ? edge.to : edge.from];
      const auto& there = graph_.nodes[into ? edge.from : edge.to];
      if (here.name == name) {
        list.push_back({{into ? "from" : "to", there.name}, {"type", edge.type}});
      }
    }
    return list;
  };
  for (const TunableDispatch& tunable : tunables_) {
    nlohmann::json& one = json.emplace_back(toJson(app::toResult(tunable)));
    one["reads"] = tensors(tunable.name, true);
    one["writes"] = tensors(tunable.name, false);
    if (&tunable == selected()) {
      one["ir"] = HONE_TRY(printIr(tunable));
    }
  }
  return {};
}

}  // namespace

Result<DispatchGraph> queryDispatchGraph(Toolchain& toolchain, const tune::WholeProgram& whole) {
  if (whole.program.from == iree::kPhaseExecutableSources) {
    return DispatchGraph{};
  }
  return toolchain.compiler.ask(requestFor(whole, whole.flags), iree::ListDispatchGraphJob{});
}

Result<int> explainPrograms(const Context& context, Toolchain& toolchain,
                            const std::vector<tune::WholeProgram>& programs,
                            const tune::DispatchSelection& selection) {
  nlohmann::json json = nlohmann::json::array();
  const auto runner = toolchain.device ? std::optional(toolchain.runner()) : std::nullopt;
  std::optional<Error> failed;
  std::size_t explained = 0;
  for (const tune::WholeProgram& whole : programs) {
    Explanation explanation(context, toolchain, whole);
    if (auto found = explanation.find(selection, runner ? &*runner : nullptr); !found) {
      if (found.error().isFatal()) {
        return std::unexpected(std::move(found).error());
      }
      failed = failed.value_or(found.error());
      if (programs.size() > 1) {
        fmt::print(stderr, "skipped: {}: {}\n", whole.program.label(), found.error().message);
      }
      continue;
    }
    ++explained;
    HONE_CHECK(context.json ? explanation.addTo(json) : explanation.print());
  }
  if (failed && explained == 0) {
    return std::unexpected(*failed);
  }
  if (context.json) {
    fmt::print("{}\n", jsonText(json, 2));
  }
  return 0;
}

}  // namespace hone::app
