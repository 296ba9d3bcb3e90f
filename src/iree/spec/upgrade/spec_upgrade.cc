#include "iree/spec/upgrade/spec_upgrade.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "iree/mlir/named_products.h"
#include "iree/spec/upgrade/config_upgrade.h"
#include "iree/spec/upgrade/loop_order.h"
#include "iree/spec/upgrade/operation_syntax.h"
#include "iree/spec/upgrade/spec_source.h"

namespace hone::iree {
namespace {

/// Returns true for the constants of a matcher that hone rewrites: a compilation_info, or a
/// dictionary of lowering configurations.
bool isConfig(std::string_view value) {
  return value.starts_with("#iree_codegen.compilation_info") ||
         (value.starts_with('{') && value.contains("lowering_config"));
}

/// Returns the compiler's message without the place in a temporary file.
std::string withoutPlace(std::string message) {
  static const RE2 kPlace(R"(^\S*:\d+:\d+: (?:error: )?| \(at \S*:\d+:\d+\))", RE2::Latin1);
  RE2::GlobalReplace(&message, kPlace, "");
  return message;
}

/// Replaces the configurations in a sequence by those that `rewrite` returns.
template <typename Rewrite>
std::string withConfigs(std::string text, const Rewrite& rewrite) {
  const auto constants = constantsIn(text);
  for (const auto& one : std::views::reverse(constants)) {
    if (isConfig(one.value)) {
      text.replace(one.begin, one.end - one.begin, rewrite(one.value));
    }
  }
  return text;
}

/// An entry while it is upgraded.
struct EntryState {
  SourcePair pair;
  UpgradedEntry result;
  OperationForm form;  ///< of its matcher

  [[nodiscard]] bool failed() const { return !result.failure.empty(); }
  void change(const std::string& what) {
    if (std::ranges::count(result.changes, what) == 0) {
      result.changes.push_back(what);
    }
  }
};

/// Upgrades one spec. The sequences are rewritten in place.
class SpecUpgrader {
 public:
  SpecUpgrader(Compiler& compiler, SpecSource source, const UpgradeOptions& options)
      : compiler_(compiler), source_(std::move(source)), options_(options) {}

  Result<SpecUpgrade> upgrade();

 private:
  void rewriteOperations();
  /// Lets the compiler read the matchers without configurations, which say how many loops their
  /// operations have.
  Result<void> readMatchers();
  void rewriteConfigs();
  /// Returns the loops of the operation that an entry matches. A matcher that does not state them
  /// gets those of the program's operation.
  [[nodiscard]] LoopInfo loopsFor(const EntryState& entry) const;
  /// Explains how to supply loops that a matcher does not state.
  [[nodiscard]] std::string explainMissingLoops(const EntryState& entry) const;
  /// Fails entries whose matchers accept only operations that the compiler does not have any more.
  /// With a program, fitToProgram() finds their successors.
  void rejectRemovedNames();
  /// Lets the compiler verify the entries; those that it rejects fail.
  Result<void> verify();
  /// Replaces matchers that match nothing in the program.
  Result<void> fitToProgram(SpecUpgrade& result);
  /// Replaces the matcher of an entry by those of the operations that compute the same.
  Result<void> fitMatcher(EntryState& entry);
  /// Returns the matcher of an entry for the form that an operation has in the program; nothing if
  /// its configuration cannot be kept.
  Result<std::optional<SourceSequence>> matcherFor(EntryState& entry,
                                                   const ProgramOperation& operation);

  /// Returns the spec of the entries, with `rewrite` applied to the text of each sequence.
  template <typename Rewrite>
  std::string assemble(const std::vector<const EntryState*>& entries, const Rewrite& rewrite) const;
  [[nodiscard]] std::string assemble(const std::vector<const EntryState*>& entries) const {
    return assemble(entries, [](const std::string& text) { return text; });
  }
  /// Lets the compiler read the spec of the entries. On failure, reads them one by one and notes
  /// the reasons. Returns the entries that it read, with their descriptions.
  template <typename Rewrite>
  Result<std::vector<std::pair<EntryState*, ReadEntry>>> readEntries(const Rewrite& rewrite);
  Result<JobAnswer<ReadSpecJob>> read(const std::string& text);
  [[nodiscard]] std::vector<const EntryState*> goodEntries() const;
  SourceSequence* sequence(const std::string& name) {
    const auto found = std::ranges::find(source_.sequences, name, &SourceSequence::name);
    return found == source_.sequences.end() ? nullptr : &*found;
  }
  /// Returns the names of the sequences that an entry needs, its matcher first.
  [[nodiscard]] std::vector<std::string> needed(const SourcePair& pair) const;

  Compiler& compiler_;
  SpecSource source_;
  const UpgradeOptions& options_;
  std::vector<EntryState> entries_;
  std::vector<EntryState> added_;             ///< for further forms of an operation
  std::vector<ProgramOperation> operations_;  ///< of the program, if one was given
};

std::vector<std::string> SpecUpgrader::needed(const SourcePair& pair) const {
  std::vector<std::string> names = {pair.matcher, pair.action};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SourceSequence* one = source_.find(names[i]);
    for (const std::string& symbol : symbolsIn(one == nullptr ? "" : one->text)) {
      if (source_.find(symbol) != nullptr && std::ranges::count(names, symbol) == 0) {
        names.push_back(symbol);
      }
    }
  }
  return names;
}

std::vector<const EntryState*> SpecUpgrader::goodEntries() const {
  std::vector<const EntryState*> good;
  for (const EntryState& entry : entries_) {
    if (!entry.failed()) {
      good.push_back(&entry);
    }
  }
  return good;
}

template <typename Rewrite>
std::string SpecUpgrader::assemble(const std::vector<const EntryState*>& entries,
                                   const Rewrite& rewrite) const {
  SpecParts parts;
  std::set<std::string> matchers;
  std::set<std::string> used;
  for (const EntryState* entry : entries) {
    matchers.insert(entry->pair.matcher);
    for (const std::string& name : needed(entry->pair)) {
      used.insert(name);
    }
    parts.pairs.push_back(
        fmt::format("@\"{}\" -> @\"{}\"", entry->pair.matcher, entry->pair.action));
  }
  for (const SourceSequence& one : source_.sequences) {
    if (used.contains(one.name)) {
      auto& list = matchers.contains(one.name) ? parts.matchers : parts.actions;
      list.push_back({one.comment, rewrite(one.text)});
    }
  }
  return specText(parts);
}

Result<JobAnswer<ReadSpecJob>> SpecUpgrader::read(const std::string& text) {
  const std::string hash = hashBytes(text);
  const auto file = options_.folder / (hash.substr(0, 16) + ".mlir");
  HONE_CHECK(writeFile(file, text));
  return compiler_.jobs().run({.file = file, .hash = hash, .flags = {}}, ReadSpecJob{});
}

template <typename Rewrite>
Result<std::vector<std::pair<EntryState*, ReadEntry>>> SpecUpgrader::readEntries(
    const Rewrite& rewrite) {
  std::vector<std::pair<EntryState*, ReadEntry>> found;
  const auto good = goodEntries();
  if (good.empty()) {
    return found;
  }
  const auto all = HONE_TRY(read(assemble(good, rewrite)));
  for (EntryState& entry : entries_) {
    if (entry.failed()) {
      continue;
    }
    std::optional<JobAnswer<ReadSpecJob>> alone;
    if (!all.report.ok()) {
      alone = HONE_TRY(read(assemble({&entry}, rewrite)));
    }
    const auto& answer = alone ? *alone : all;
    if (!answer.report.ok()) {
      entry.result.failure = withoutPlace(answer.report.message);
      continue;
    }
    const auto described =
        std::ranges::find(answer.reply.entries, entry.pair.matcher, &SpecEntryDescription::name);
    if (described != answer.reply.entries.end()) {
      found.emplace_back(&entry, ReadEntry{*described, ""});
    }
  }
  return found;
}

void SpecUpgrader::rewriteOperations() {
  std::map<std::string, std::vector<std::string>> changes;
  for (SourceSequence& one : source_.sequences) {
    OperationUpgrade upgraded = upgradeOperations(std::move(one.text));
    one.text = std::move(upgraded.text);
    changes[one.name] = std::move(upgraded.changes);
  }
  for (const SourcePair& pair : source_.pairs) {
    EntryState entry{
        .pair = pair, .result = {.entry = pair.matcher, .changes = {}, .failure = ""}, .form = {}};
    for (const std::string& name : {pair.matcher, pair.action}) {
      if (source_.find(name) == nullptr) {
        entry.result.failure = fmt::format("the spec has no sequence @{}", name);
      }
    }
    for (const std::string& name : needed(pair)) {
      std::ranges::for_each(changes[name], [&](const std::string& what) { entry.change(what); });
      const SourceSequence* used = source_.find(name);
      const std::string_view removed = used == nullptr ? "" : removedOperation(used->text);
      if (!removed.empty() && !entry.failed()) {
        entry.result.failure = fmt::format("this compiler has no operation {}", removed);
      }
    }
    entries_.push_back(std::move(entry));
  }
}

Result<void> SpecUpgrader::readMatchers() {
  const auto bare = [](const std::string& text) {
    return withConfigs(text, [](const std::string&) { return std::string("unit"); });
  };
  for (auto& [entry, description] : HONE_TRY(readEntries(bare))) {
    entry->form = std::move(description.form);
  }
  return {};
}

LoopInfo SpecUpgrader::loopsFor(const EntryState& entry) const {
  LoopInfo loops = findLoops(entry.form);
  const auto near = findNearMiss(entry.form, operations_);
  if (!near || (!near->differences.empty() && !near->sameComputation)) {
    return loops;
  }
  const OperationForm& operation = operations_[near->operation].form;
  LoopInfo found = findLoops(operation);
  if (loops.count == 0) {
    return found;
  }
  const auto mapping = correspondingLoops(entry.form, operation);
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    loops.sizes[i] = found.sizes[static_cast<std::size_t>(mapping[i])];
  }
  return loops;
}

std::string SpecUpgrader::explainMissingLoops(const EntryState& entry) const {
  if (!options_.program) {
    return ": give the program, too";
  }
  const auto near = findNearMiss(entry.form, operations_);
  const std::string closest = near ? shown(*near) : "";
  return closest.empty() ? "" : fmt::format("; {}", closest);
}

void SpecUpgrader::rejectRemovedNames() {
  if (options_.program) {
    return;
  }
  for (EntryState& entry : entries_) {
    const auto& names = entry.form.names;
    const bool removed = !names.empty() && std::ranges::all_of(names, [](const auto& name) {
      const NamedProduct* product = findNamedProduct(name);
      return product != nullptr && product->name != product->current;
    });
    if (removed && !entry.failed()) {
      entry.result.failure =
          fmt::format("it matches {}, which is {} with indexing maps now: give the program, too",
                      names.front(), findNamedProduct(names.front())->current);
    }
  }
}

void SpecUpgrader::rewriteConfigs() {
  std::map<std::string, ConfigUpgrade> done;  // by sequence
  for (EntryState& entry : entries_) {
    if (entry.failed()) {
      continue;
    }
    const LoopInfo loops = loopsFor(entry);
    for (const std::string& name : needed(entry.pair)) {
      const auto [at, added] = done.try_emplace(name);
      ConfigUpgrade& summary = at->second;
      SourceSequence* used = sequence(name);
      if (added) {
        used->text = withConfigs(used->text, [&](const std::string& config) {
          ConfigUpgrade one = upgradeConfig(config, loops);
          if (!one.failure.empty()) {
            summary.failure =
                one.failure + (one.needsProgram ? explainMissingLoops(entry) : std::string());
            return config;
          }
          std::string fitted = options_.fitConfig ? options_.fitConfig(one.text) : one.text;
          // Ignore changes that fitConfig reverts.
          if (fitted != config) {
            summary.changes.insert(summary.changes.end(), one.changes.begin(), one.changes.end());
          }
          return fitted;
        });
      }
      std::ranges::for_each(summary.changes, [&](const std::string& what) { entry.change(what); });
      if (!summary.failure.empty()) {
        entry.result.failure = summary.failure;
      }
    }
  }
}

Result<void> SpecUpgrader::verify() {
  HONE_CHECK(readEntries([](const std::string& text) { return text; }));
  return {};
}

Result<std::optional<SourceSequence>> SpecUpgrader::matcherFor(EntryState& entry,
                                                               const ProgramOperation& operation) {
  SourceSequence& matcher = *sequence(entry.pair.matcher);
  std::vector<std::string> configs;
  for (const SourceConstant& constant : constantsIn(matcher.text)) {
    configs.push_back(constant.value);
  }
  if (operation.matcher.matcher.empty() || configs.empty() || configs.size() > 2) {
    return std::nullopt;
  }
  if (!entry.form.kind.empty() && !entry.form.maps.empty()) {
    const auto mapping = correspondingLoops(entry.form, operation.form);
    ConfigUpgrade reordered = reorderLoops(configs.front(), mapping);
    if (mapping.empty() || !reordered.failure.empty() ||
        (!reordered.changes.empty() && configs.size() > 1)) {
      return std::nullopt;
    }
    configs.front() = std::move(reordered.text);
    std::ranges::for_each(reordered.changes, [&](const auto& what) { entry.change(what); });
  }
  SourceSequence fitted = matcher;
  fitted.text = matcherSequence({.name = matcher.name,
                                 .comment = "",
                                 .matcher = operation.matcher.matcher,
                                 .compilationInfo = configs.front(),
                                 .decompositionConfig = configs.size() > 1 ? configs[1] : ""});
  std::swap(matcher, fitted);
  const auto checked = HONE_TRY(read(assemble({&entry})));
  std::swap(matcher, fitted);
  return checked.report.ok() ? std::optional(std::move(fitted)) : std::nullopt;
}

Result<void> SpecUpgrader::fitMatcher(EntryState& entry) {
  std::vector<SourceSequence> fitted;
  std::set<std::string> known;
  for (const std::size_t i : findSameComputations(entry.form, operations_)) {
    const ProgramOperation& operation = operations_[i];
    if (!known.insert(operation.matcher.matcher).second) {
      continue;  // the same matcher fits several dispatches
    }
    if (auto one = HONE_TRY(matcherFor(entry, operation))) {
      const auto differences = compareForms(entry.form, operation.form);
      entry.change(fmt::format("matches {} in {} now: {}", operation.form.names.front(),
                               operation.dispatch, shown(differences.front())));
      fitted.push_back(*std::move(one));
    }
  }
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    if (i == 0) {
      *sequence(entry.pair.matcher) = std::move(fitted[i]);
      continue;
    }
    const std::string name = fmt::format("{}_{}", entry.pair.matcher, i + 1);
    if (sequence(name) != nullptr) {
      continue;
    }
    fitted[i].text = renamedSymbol(std::move(fitted[i].text), entry.pair.matcher, name);
    fitted[i].name = name;
    source_.sequences.push_back(std::move(fitted[i]));
    EntryState more = entry;
    more.pair.matcher = name;
    more.result = {.entry = name,
                   .changes = {fmt::format("another form of @{}", entry.pair.matcher)},
                   .failure = ""};
    added_.push_back(std::move(more));
  }
  return {};
}

Result<void> SpecUpgrader::fitToProgram(SpecUpgrade& result) {
  const auto file = options_.folder / "upgraded.mlir";
  HONE_CHECK(writeFile(file, assemble(goodEntries())));
  const Spec first = HONE_TRY(readSpec(compiler_, file));
  for (const EntryUse& use : HONE_TRY(checkSpec(compiler_, *options_.program, first)).entries) {
    const auto entry = std::ranges::find_if(
        entries_, [&](const EntryState& one) { return one.pair.matcher == use.entry; });
    if (entry != entries_.end() && use.uses.empty()) {
      HONE_CHECK(fitMatcher(*entry));
    }
  }
  std::ranges::move(added_, std::back_inserter(entries_));
  HONE_CHECK(writeFile(file, assemble(goodEntries())));
  const Spec spec = HONE_TRY(readSpec(compiler_, file));
  result.compiled = HONE_TRY(compileWithSpec(compiler_, *options_.program, spec, ""));
  return {};
}

Result<SpecUpgrade> SpecUpgrader::upgrade() {
  if (options_.program) {
    operations_ = HONE_TRY(compiler_.ask(*options_.program, ListOperationsJob{}));
  }
  rewriteOperations();
  HONE_CHECK(readMatchers());
  rejectRemovedNames();
  rewriteConfigs();
  HONE_CHECK(verify());
  SpecUpgrade result;
  if (options_.program && !goodEntries().empty()) {
    HONE_CHECK(fitToProgram(result));
  }
  if (!goodEntries().empty()) {
    result.text = assemble(goodEntries());
  }
  for (EntryState& entry : entries_) {
    result.entries.push_back(std::move(entry.result));
  }
  return result;
}

}  // namespace

bool SpecUpgrade::good() const {
  return std::ranges::all_of(entries, [](const auto& one) { return one.failure.empty(); }) &&
         (!compiled || (compiled->check.good() && !compiled->compiled.module.empty()));
}

Result<SpecUpgrade> upgradeSpec(Compiler& compiler, const std::filesystem::path& file,
                                const UpgradeOptions& options) {
  const std::string text = HONE_TRY(readFile(file));
  auto source = parseSpecSource(text);
  if (!source) {
    return within(file.string(), std::move(source).error());
  }
  SpecUpgrade result = HONE_TRY(SpecUpgrader(compiler, *std::move(source), options).upgrade());
  const bool changed = std::ranges::any_of(result.entries, [](const UpgradedEntry& entry) {
    return !entry.changes.empty() || !entry.failure.empty();
  });
  if (!changed && readSpec(compiler, file)) {
    result.current = true;
    result.text = text;
  }
  return result;
}

std::string findOldSyntax(std::string_view text) {
  const auto source = parseSpecSource(text);
  if (!source) {
    return "";
  }
  for (const SourceSequence& sequence : source->sequences) {
    if (const std::string_view removed = removedOperation(sequence.text); !removed.empty()) {
      return fmt::format("this compiler has no operation {}", removed);
    }
    for (const std::string& change : upgradeOperations(sequence.text).changes) {
      if (change.ends_with(" now")) {
        return change;
      }
    }
    for (const SourceConstant& constant : constantsIn(sequence.text)) {
      if (!isConfig(constant.value)) {
        continue;
      }
      const ConfigUpgrade upgraded = upgradeConfig(constant.value, {});
      if (!upgraded.changes.empty()) {
        return upgraded.changes.front();
      }
      if (upgraded.failure.starts_with("this compiler has no")) {
        return upgraded.failure;
      }
    }
  }
  return "";
}

}  // namespace hone::iree
