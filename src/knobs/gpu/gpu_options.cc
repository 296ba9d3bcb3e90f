#include "knobs/gpu/gpu_options.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/text/text.h"

namespace hone::knobs {
namespace {

constexpr std::int64_t kLeftToCompiler = -1;
/// Larger spaces are slow to hold, and no search visits that many points.
constexpr std::size_t kMaxOptionPoints = 200'000;

constexpr const char* kWaves = "waves_per_eu";
constexpr const char* kBankConflicts = "no_bank_conflict_padding";
constexpr const char* kReorder = "reorder_workgroups";
constexpr const char* kPromote = "promote";

/// Returns all combinations of the options' values, or the defaults and each single change.
std::vector<std::vector<std::int64_t>> combinations(const std::vector<search::Knob>& options,
                                                    bool all) {
  std::vector<std::vector<std::int64_t>> made = {
      std::vector<std::int64_t>(options.size(), kLeftToCompiler)};
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::size_t before = all ? made.size() : 1;
    for (std::size_t m = 0; m < before; ++m) {
      for (const std::int64_t value : options[i].values) {
        if (value != kLeftToCompiler) {
          auto changed = made[m];
          changed[i] = value;
          made.push_back(std::move(changed));
        }
      }
    }
  }
  return made;
}

/// Returns the position of the bracket that closes the one at `open`.
std::optional<std::size_t> closing(std::string_view text, std::size_t open) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '<' || c == '{' || c == '[' || c == '(')) {
      ++depth;
    } else if (!quoted &&
               (c == '}' || c == ']' || c == ')' || (c == '>' && (i == 0 || text[i - 1] != '-')))) {
      if (--depth == 0) {
        return i;
      }
    }
  }
  return std::nullopt;
}

/// Sets "name = value" among the entries after the bracket at `open`; adds it in front if missing.
void setEntry(std::string& text, std::size_t open, std::string_view name, std::string_view value) {
  const std::size_t end = closing(text, open).value_or(text.size());
  const std::string key = fmt::format("{} = ", name);
  const std::size_t at = text.find(key, open);
  if (at == std::string::npos || at > end) {
    const bool empty = end == open + 1;
    text.insert(open + 1, fmt::format("{}{}{}", key, value, empty ? "" : ", "));
    return;
  }
  const std::size_t from = at + key.size();
  std::size_t to = from;
  while (to < end && text[to] != ',') {
    const bool opens = text[to] == '<' || text[to] == '{' || text[to] == '[';
    to = opens ? closing(text, to).value_or(end - 1) + 1 : to + 1;
  }
  text.replace(from, to - from, value);
}

/// Returns the position of the bracket that opens the entry's value; adds the entry if missing.
std::size_t findOrAddEntry(std::string& text, std::size_t open, std::string_view name,
                           std::string_view defaultValue) {
  const std::size_t end = closing(text, open).value_or(text.size());
  std::size_t at = text.find(fmt::format("{} = ", name), open);
  if (at == std::string::npos || at > end) {
    setEntry(text, open, name, defaultValue);
    at = text.find(fmt::format("{} = ", name), open);
  }
  return text.find_first_of("<{", at);
}

/// Returns the begin and end of an entry's value, which must be a dictionary or a list.
std::optional<std::pair<std::size_t, std::size_t>> entryRange(std::string_view text,
                                                              std::string_view name) {
  const std::size_t at = text.find(fmt::format("{} = ", name));
  const std::size_t open = at == std::string::npos ? at : text.find_first_of("{[", at);
  const auto end = open == std::string::npos ? std::nullopt : closing(text, open);
  return end ? std::optional(std::pair(open, *end)) : std::nullopt;
}

/// Keeps the elements of the list at `open` that are marked in `wanted`.
void keepElements(std::string& text, std::size_t open, const std::vector<bool>& wanted) {
  const std::size_t end = closing(text, open).value_or(open + 1);
  std::vector<std::string> kept;
  std::size_t place = 0;
  for (const std::string& element : splitAt(text.substr(open + 1, end - open - 1), ',')) {
    if (place < wanted.size() && wanted[place]) {
      kept.emplace_back(trim(element));
    }
    ++place;
  }
  text.replace(open + 1, end - open - 1, join(kept, ", "));
}

/// Keeps only the operands of the mask in the lists of promoted operands. The products of an
/// attention have separate lists: queries and keys are operands 0 and 1 of the first. The values
/// are operand 1 of the second, and operand 2 of the whole.
void promoteOnly(std::string& info, std::int64_t mask) {
  constexpr std::string_view kOperands = "promote_operands = ";
  constexpr std::string_view kTypes = ", promotion_types = ";
  for (std::size_t at = info.find(kOperands); at != std::string::npos;
       at = info.find(kOperands, at + 1)) {
    const auto second = entryRange(info, "pv_attrs");
    const std::int64_t shift = second && at > second->first && at < second->second ? 1 : 0;
    const std::size_t open = at + kOperands.size();
    const std::size_t end = closing(info, open).value_or(open + 1);
    std::vector<bool> wanted;
    for (const std::string& operand : splitAt(info.substr(open + 1, end - open - 1), ',')) {
      const std::int64_t bit = std::strtol(operand.c_str(), nullptr, 10) + shift;
      wanted.push_back((mask >> bit & 1) != 0);
    }
    if (info.compare(end + 1, kTypes.size(), kTypes) == 0) {
      keepElements(info, end + 1 + kTypes.size(), wanted);
    }
    keepElements(info, open, wanted);
  }
}

/// Returns the masks to try besides the compiler's choice. The image of a convolution must stay
/// promoted: its conversion to a matrix happens in shared memory.
std::vector<std::int64_t> promotionMasks(model::RootKind kind) {
  switch (kind) {
    case model::RootKind::contraction:
      return {kLeftToCompiler, 0, 1, 2};
    case model::RootKind::convolution:
      return {kLeftToCompiler, 1};
    case model::RootKind::attention:
      return {kLeftToCompiler, 0, 1, 2, 3, 4, 5, 6};
    default:
      return {kLeftToCompiler};
  }
}

}  // namespace

std::vector<search::Knob> gpuOptionKnobs(bool amd, model::RootKind kind) {
  std::vector<search::Knob> knobs = {{kPrefetchStages, {kLeftToCompiler, 0, 3}, true},
                                     {kBankConflicts, {kLeftToCompiler, 1}, false},
                                     {kReorder, {kLeftToCompiler, 1}, false},
                                     {kPromote, promotionMasks(kind), false}};
  if (amd) {
    knobs.insert(knobs.begin(), {kWaves, {kLeftToCompiler, 1, 2, 4}, true});
  }
  return knobs;
}

OptionSpace withOptions(const search::Space& space, const std::vector<search::Knob>& options) {
  std::size_t product = 1;
  for (const search::Knob& option : options) {
    product *= option.values.size();
  }
  const bool all = space.size() * product <= kMaxOptionPoints;
  const auto choices = combinations(options, all);
  std::vector<search::Knob> knobs = space.knobs();
  knobs.insert(knobs.end(), options.begin(), options.end());
  std::vector<std::vector<std::int64_t>> points;
  points.reserve(space.size() * choices.size());
  for (std::size_t p = 0; p < space.size(); ++p) {
    for (const auto& choice : choices) {
      std::vector<std::int64_t> point(space.point(p).begin(), space.point(p).end());
      point.insert(point.end(), choice.begin(), choice.end());
      points.push_back(std::move(point));
    }
  }
  return {{std::move(knobs), std::move(points)}, all};
}

std::string withPromotions(std::string config, const std::map<std::string, std::int64_t>& values) {
  const auto mask = values.find(kPromote);
  if (mask != values.end() && mask->second != kLeftToCompiler) {
    promoteOnly(config, mask->second);
  }
  return config;
}

Result<std::string> withOptions(std::string info,
                                const std::map<std::string, std::int64_t>& values) {
  const auto findValue = [&](const std::string& name) {
    const auto at = values.find(name);
    return at == values.end() ? kLeftToCompiler : at->second;
  };
  bool changes = false;
  for (const char* name : {kWaves, kPrefetchStages, kBankConflicts, kReorder}) {
    changes = changes || findValue(name) != kLeftToCompiler;
  }
  info = withPromotions(std::move(info), values);
  if (!changes) {
    return info;
  }
  const std::size_t named = info.find("translation_info = ");
  const std::size_t open = named == std::string::npos ? named : info.find('<', named);
  const auto end = open == std::string::npos ? std::nullopt : closing(info, open);
  if (!end) {
    return machineError("unexpected form of the compiler's configuration: {}", info);
  }
  if (info[*end - 1] != '}') {
    info.insert(*end, ", {}");
  }
  // The dictionary is the last entry.
  std::size_t dictionary = open;
  for (std::size_t i = info.find(", {", open); i != std::string::npos && i < info.size();
       i = info.find(", {", i + 1)) {
    if (closing(info, i + 2) == closing(info, open).value_or(0) - 1) {
      dictionary = i + 2;
      break;
    }
  }
  if (const auto waves = findValue(kWaves); waves != kLeftToCompiler) {
    const std::size_t attributes = findOrAddEntry(info, dictionary, "llvm_func_attrs", "{}");
    setEntry(info, attributes, "\"amdgpu-waves-per-eu\"", fmt::format("\"{}\"", waves));
  }
  const std::array<std::pair<const char*, std::string>, 3> pipeline = {
      {{kPrefetchStages, fmt::format("prefetch_num_stages = {}", findValue(kPrefetchStages))},
       {kBankConflicts, "no_reduce_shared_memory_bank_conflicts = true"},
       {kReorder, "reorder_workgroups_strategy = <Transpose>"}}};
  for (const auto& [knob, entry] : pipeline) {
    if (findValue(knob) != kLeftToCompiler) {
      const std::size_t options =
          findOrAddEntry(info, dictionary, "gpu_pipeline_options", "#iree_gpu.pipeline_options<>");
      const std::size_t equals = entry.find(" = ");
      setEntry(info, options, entry.substr(0, equals), entry.substr(equals + 3));
    }
  }
  return info;
}

}  // namespace hone::knobs
