#include "iree/spec/spec_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace hone::iree {
namespace {

/// Builds a merged spec entry by entry.
class Merge {
 public:
  explicit Merge(Prefer prefer) : prefer_(prefer) {}

  Result<void> addHelpers(const Spec& spec) {
    for (const auto& [name, text] : spec.helpers) {
      const auto [at, added] = helpers_.emplace(name, text);
      if (!added && at->second != text) {
        return userError(
            "sequence @{} differs between the specs; rename it and its uses in one of them", name);
      }
      names_.insert(name);
    }
    return {};
  }

  void add(const Spec& spec, const ReadEntry& entry) {
    const SpecAction& action = spec.actions.at(entry.action);
    const auto before =
        std::ranges::find(kept_, entry.key, [](const Kept& kept) { return kept.entry.key; });
    if (before == kept_.end() || entry.key.empty()) {
      kept_.push_back({entry, symbolFor(entry.name), actionFor(entry.action, action)});
    } else if (before->entry.config == entry.config &&
               actionKeys_.at(before->action) == action.key) {
      ++merged_.equal;
    } else {
      merged_.conflicts.push_back({before->entry.name, entry.name, shown(entry.matched)});
      if (prefer_ == Prefer::second) {
        *before = {entry, symbolFor(entry.name), actionFor(entry.action, action)};
      }
    }
  }

  MergedSpec finish() {
    merged_.entries = kept_.size();
    if (!merged_.conflicts.empty() && prefer_ == Prefer::neither) {
      return std::move(merged_);
    }
    SpecParts parts;
    for (const auto& [name, text] : actions_) {
      parts.actions.push_back({"", text});
    }
    for (const auto& [name, text] : helpers_) {
      parts.actions.push_back({"", text});
    }
    for (const Kept& kept : kept_) {
      parts.matchers.push_back(
          {kept.entry.comment, renamedSymbol(kept.entry.text, kept.entry.name, kept.symbol)});
      parts.pairs.push_back(fmt::format("@{} -> @{}", kept.symbol, kept.action));
    }
    merged_.text = specText(parts);
    return std::move(merged_);
  }

 private:
  struct Kept {
    ReadEntry entry;
    std::string symbol;
    std::string action;
  };

  /// Returns an unused symbol: the name, or the name with a number if it is taken.
  std::string symbolFor(const std::string& name) {
    std::string symbol = name;
    for (int number = 2; !names_.insert(symbol).second; ++number) {
      symbol = fmt::format("{}_{}", name, number);
    }
    return symbol;
  }

  /// Returns the action's symbol in the merged spec, adding the action if it is new.
  std::string actionFor(const std::string& name, const SpecAction& action) {
    for (const auto& [known, key] : actionKeys_) {
      if (key == action.key) {
        return known;
      }
    }
    const std::string symbol = symbolFor(name);
    actionKeys_[symbol] = action.key;
    actions_[symbol] = renamedSymbol(action.text, name, symbol);
    return symbol;
  }

  Prefer prefer_;
  MergedSpec merged_;
  std::vector<Kept> kept_;
  std::set<std::string> names_ = {"__kernel_config"};
  std::map<std::string, std::string> actions_;     ///< MLIR by symbol
  std::map<std::string, std::string> actionKeys_;  ///< by the same symbols
  std::map<std::string, std::string> helpers_;
};

}  // namespace

Result<MergedSpec> mergeSpecs(const Spec& first, const Spec& second, Prefer prefer) {
  Merge merge(prefer);
  for (const Spec* spec : {&first, &second}) {
    HONE_CHECK(merge.addHelpers(*spec));
  }
  for (const Spec* spec : {&first, &second}) {
    for (const ReadEntry& entry : spec->entries) {
      if (!spec->actions.contains(entry.action)) {
        return userError("{} has no sequence @{}", spec->file.string(), entry.action);
      }
      merge.add(*spec, entry);
    }
  }
  return merge.finish();
}

}  // namespace hone::iree
