#include "iree/spec/spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text/text.h"
#include "iree/module/module_constraints.h"

namespace hone::iree {
namespace {

// The module is named to identify it in the compiler's dumps of linked specs.
constexpr std::string_view kBegin =
    R"(module @hone_tuning_spec attributes {
    iree_codegen.tuning_spec_with_default_entrypoint, transform.with_named_sequence} {
)";

constexpr std::string_view kApply =
    R"(transform.named_sequence @apply_op_config(
    %op: !transform.any_op {transform.readonly}, %config: !transform.any_param {transform.readonly}) {
  transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
  transform.yield
})";

constexpr std::string_view kApplyDecomposed =
    R"(transform.named_sequence @apply_attention_config(
    %op: !transform.any_op {transform.readonly}, %config: !transform.any_param {transform.readonly},
    %products: !transform.any_param {transform.readonly}) {
  transform.annotate %op "compilation_info" = %config : !transform.any_op, !transform.any_param
  transform.annotate %op "decomposition_config" = %products : !transform.any_op, !transform.any_param
  transform.yield
})";
constexpr std::string_view kApplyDecomposedName = "apply_attention_config";

std::string symbolFrom(std::string_view name) {
  std::string symbol;
  for (const char letter : name) {
    const bool fits = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
                      letter == '$' || letter == '.';
    symbol += fits ? letter : '_';
  }
  if (symbol.empty() || std::isdigit(static_cast<unsigned char>(symbol.front())) != 0) {
    symbol.insert(0, "_");
  }
  return symbol;
}

/// Indents each non-empty line by two spaces per level.
std::string indented(std::string_view text, std::size_t levels) {
  std::string moved;
  for (const std::string& line : splitAt(text, '\n')) {
    if (!trim(line).empty()) {
      moved += std::string(2 * levels, ' ') + line + "\n";
    }
  }
  return moved;
}

std::string commentText(std::string_view comment) {
  std::string text;
  if (trim(comment).empty()) {
    return text;
  }
  for (const std::string& line : splitAt(trim(comment), '\n')) {
    text += trim(line).empty() ? "  //\n" : fmt::format("  // {}\n", trim(line));
  }
  return text;
}

/// Results that a handle is split into: more than a dispatch has operations of one name.
constexpr std::size_t kMaxHandles = 32;

/// Appends the operations that configure the companions of one name. Uses more results than there
/// are operations rather than an overflow result: with one, the compiler aborts if a function has
/// fewer operations than results.
void addCompanions(const std::string& op, const std::map<std::size_t, std::string>& configs,
                   std::size_t number, std::string& text) {
  const std::size_t results = std::max(kMaxHandles, configs.rbegin()->first + 1);
  const std::vector<std::string> types(results, "!transform.any_op");
  text += fmt::format(
      "  %all{0} = transform.structured.match ops{{[\"{1}\"]}} in %function\n"
      "    : (!transform.any_op) -> !transform.any_op\n"
      "  %each{0}:{2} = \"transform.split_handle\"(%all{0})\n"
      "    <{{fail_on_payload_too_small = false}}>\n"
      "    : (!transform.any_op) -> ({3})\n",
      number, op, results, join(types, ", "));
  for (const auto& [ordinal, config] : configs) {
    text += fmt::format(
        "  %config{0}_{1} = transform.param.constant {2}\n"
        "    -> !transform.any_param\n"
        "  transform.annotate %each{0}#{1} \"lowering_config\" = %config{0}_{1}\n"
        "    : !transform.any_op, !transform.any_param\n",
        number, ordinal, trim(config));
  }
}

/// Returns an action that configures the matched operation and its companions.
SpecSequence makeAction(const SpecEntry& entry, const std::string& symbol) {
  std::map<std::string, std::map<std::size_t, std::string>> byName;
  for (const SpecCompanion& companion : entry.companions) {
    const auto mark = companion.op.rfind('#');
    const auto ordinal = parseInt(companion.op.substr(std::min(mark, companion.op.size() - 1) + 1));
    byName[companion.op.substr(0, mark)]
          [static_cast<std::size_t>(std::max<std::int64_t>(0, ordinal.value_or(0)))] =
              companion.loweringConfig;
  }
  std::string text = fmt::format(
      "transform.named_sequence @{}(\n"
      "    %op: !transform.any_op {{transform.readonly}}, "
      "%config: !transform.any_param {{transform.readonly}}) {{\n"
      "  transform.annotate %op \"compilation_info\" = %config : !transform.any_op, "
      "!transform.any_param\n"
      "  %function = \"transform.get_parent_op\"(%op) <{{op_name = \"func.func\"}}>\n"
      "    : (!transform.any_op) -> !transform.any_op\n",
      symbol);
  std::size_t number = 0;
  for (const auto& [op, configs] : byName) {
    addCompanions(op, configs, number++, text);
  }
  return {"Also configures the other operations of the function.", text + "  transform.yield\n}"};
}

/// Returns true if the sizes are worth showing: not empty and not unit strides or dilations.
bool isInformative(const MatchedSizes& sizes) {
  const bool steps = sizes.name == "strides" || sizes.name == "dilations";
  return !sizes.values.empty() &&
         !(steps && std::ranges::all_of(sizes.values, [](std::int64_t v) { return v == 1; }));
}

}  // namespace

std::string renamedSymbol(std::string text, const std::string& from, const std::string& to) {
  const std::string symbol = "@" + from;
  for (auto at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    const auto end = at + symbol.size();
    const bool goesOn =
        end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                              std::string_view("_$.-").contains(text[end]));
    if (!goesOn) {
      text.replace(at, symbol.size(), "@" + to);
    }
  }
  return text;
}

std::string matcherSequence(const SpecEntry& entry) {
  const std::string symbol = symbolFrom(entry.name);
  const bool decomposed = !entry.decompositionConfig.empty();
  const std::string products = decomposed ? fmt::format(
                                                "  %products = transform.param.constant {}\n"
                                                "    -> !transform.any_param\n",
                                                trim(entry.decompositionConfig))
                                          : "";
  return fmt::format(
      "transform.named_sequence @{}(%op: !transform.any_op {{transform.readonly}})\n"
      "    -> (!transform.any_op, !transform.any_param{}) {{\n"
      "{}"
      "  %config = transform.param.constant {}\n"
      "    -> !transform.any_param\n"
      "{}"
      "  transform.yield %op, %config{} : !transform.any_op, !transform.any_param{}\n"
      "}}",
      symbol, decomposed ? ", !transform.any_param" : "", indented(entry.matcher, 1),
      trim(entry.compilationInfo), products, decomposed ? ", %products" : "",
      decomposed ? ", !transform.any_param" : "");
}

std::string specText(const SpecParts& parts) {
  std::string text(kBegin);
  for (const auto* sequences : {&parts.actions, &parts.matchers}) {
    for (const SpecSequence& sequence : *sequences) {
      text += commentText(sequence.comment) + indented(sequence.text, 1) + "\n";
    }
  }
  text +=
      "  // The first matcher that matches an operation wins.\n"
      "  transform.named_sequence @__kernel_config(%module: !transform.any_op "
      "{transform.consumed})\n"
      "      -> !transform.any_op attributes {iree_codegen.tuning_spec_entrypoint} {\n"
      "    %updated = transform.foreach_match in %module\n";
  text += fmt::format("        {}\n", join(parts.pairs, ",\n        "));
  text +=
      "      : (!transform.any_op) -> !transform.any_op\n"
      "    transform.yield %updated : !transform.any_op\n"
      "  }\n"
      "}\n";
  return text;
}

Result<std::string> specText(std::span<const SpecEntry> entries) {
  if (entries.empty()) {
    return userError("a tuning spec needs at least one entry");
  }
  SpecParts parts;
  const auto decomposed = [](const SpecEntry& entry) { return !entry.decompositionConfig.empty(); };
  const auto hasOwnAction = [](const SpecEntry& entry) { return !entry.companions.empty(); };
  if (!std::ranges::all_of(entries, [&](const SpecEntry& entry) {
        return decomposed(entry) || hasOwnAction(entry);
      })) {
    parts.actions.push_back(
        {"Attaches the configuration to the matched operation.", std::string(kApply)});
  }
  if (std::ranges::any_of(entries, decomposed)) {
    parts.actions.push_back(
        {"Attaches both configurations to an attention.", std::string(kApplyDecomposed)});
  }
  std::set<std::string> symbols = {std::string(kApplyConfig), std::string(kApplyDecomposedName),
                                   "__kernel_config"};
  for (const SpecEntry& entry : entries) {
    const std::string symbol = symbolFrom(entry.name);
    if (!symbols.insert(symbol).second) {
      return userError("duplicate tuning spec entry '{}'", symbol);
    }
    parts.matchers.push_back({entry.comment, matcherSequence(entry)});
    std::string action(decomposed(entry) ? kApplyDecomposedName : kApplyConfig);
    if (hasOwnAction(entry)) {
      action = fmt::format("apply_{}", symbol);
      if (!symbols.insert(action).second) {
        return userError("duplicate tuning spec entry '{}'", action);
      }
      parts.actions.push_back(makeAction(entry, action));
    }
    parts.pairs.push_back(fmt::format("@{} -> @{}", symbol, action));
  }
  return specText(parts);
}

std::vector<SpecCompanion> findCompanions(const model::Config& config) {
  std::vector<SpecCompanion> companions;
  for (const model::OpAttribute& attribute : config.attributes) {
    if (attribute.name == kLoweringConfig && !attribute.op.empty()) {
      companions.push_back({attribute.op, attribute.value});
    }
  }
  return companions;
}

std::string shown(const Matched& matched) {
  const bool structure = matched.kind != "dag" && matched.kind != "other";
  std::string text = structure ? matched.kind : matched.op.empty() ? "an operation" : matched.op;
  for (const MatchedSizes& sizes : matched.sizes) {
    if (isInformative(sizes)) {
      text += fmt::format(" {}={}", sizes.name, fmt::join(sizes.values, "x"));
    }
  }
  if (!matched.types.empty()) {
    text += fmt::format(", {}", fmt::join(matched.types, " "));
  }
  return text;
}

Result<std::vector<DispatchMatcher>> queryMatchers(Compiler& compiler,
                                                   const CompileRequest& request) {
  const auto answer = HONE_TRY(compiler.jobs().run(jobSource(request), ListMatchersJob{}));
  if (!answer.report.ok()) {
    return userError("{}: {}", request.displayName(), answer.report.message);
  }
  const std::vector<RootMatcher>& found = answer.reply;
  std::vector<DispatchMatcher> matchers;
  for (const RootMatcher& one : found) {
    matchers.push_back({.dispatch = one.dispatch,
                        .matched = one.root.matched,
                        .matcher = one.root.matcher,
                        .failureReason = one.root.failureReason,
                        .exact = one.root.exact,
                        .equal = {},
                        .alike = {}});
  }
  for (std::size_t i = 0; i < matchers.size(); ++i) {
    for (std::size_t j = 0; j < matchers.size(); ++j) {
      if (i != j && !matchers[i].matcher.empty() && matchers[i].matcher == matchers[j].matcher) {
        const bool same = found[i].body == found[j].body;
        (same ? matchers[i].equal : matchers[i].alike).push_back(matchers[j].dispatch);
      }
    }
  }
  return matchers;
}

}  // namespace hone::iree
