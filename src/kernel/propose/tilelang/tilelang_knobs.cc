#include "kernel/propose/tilelang/tilelang_knobs.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/random.h"
#include "base/text/text.h"
#include "kernel/propose/tilelang/tilelang_loops.h"
#include "kernel/propose/tilelang/tilelang_program.h"
#include "kernel/propose/tilelang/tilelang_structure.h"

namespace hone::kernel {
namespace {

/// Returns the technique that the number of a name belongs to; "" if it is not a knob.
std::string techniqueForName(std::string_view name) {
  const std::string lower = toLower(name);
  struct Entry {
    std::string_view part;
    std::string_view technique;
  };
  static constexpr std::array kParts = {Entry{"thread", "threads"},    Entry{"warp", "threads"},
                                        Entry{"stage", "pipelining"},  Entry{"unroll", "unrolling"},
                                        Entry{"vec", "vectorization"}, Entry{"block", "tiling"},
                                        Entry{"tile", "tiling"},       Entry{"chunk", "tiling"}};
  const auto found =
      std::ranges::find_if(kParts, [&](const Entry& entry) { return lower.contains(entry.part); });
  return found == kParts.end() ? "" : std::string(found->technique);
}

std::vector<std::string> nearbyValues(std::int64_t value, std::string_view technique, bool cpu) {
  std::vector<std::int64_t> all;
  if (technique == "pipelining") {
    all = {value + 1, value - 1, value + 2};
    std::erase_if(all, [](std::int64_t v) { return v < 0 || v > 5; });
  } else {
    const bool threads = technique == "threads";
    all = {value * 2, value / 2, value * 4, value / 4};
    if (cpu) {  // a block may be a whole row there
      all = {value * 4, value * 16, value * 2, value / 2, value / 4};
    }
    std::erase_if(all, [&](std::int64_t v) {
      return v < (threads ? 32 : 1) || v > 1024 || (threads && v % 32 != 0);
    });
  }
  std::vector<std::string> texts;
  for (const std::int64_t v : all) {
    const std::string text = fmt::format("{}", v);
    if (v != value && std::ranges::find(texts, text) == texts.end()) {
      texts.push_back(text);
    }
  }
  return texts;
}

std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
    ++at;
  }
  return at;
}

/// Returns the place of the number in `name = 12`, `name=12` or `name: int = 12`, where `at` is the
/// end of the name.
std::optional<TextKnob::Place> numberAfter(std::string_view text, std::size_t at) {
  at = skipBlanks(text, at);
  if (at < text.size() && text[at] == ':') {
    at = skipBlanks(text, at + 1);
    while (at < text.size() && isWordCharacter(text[at])) {
      ++at;
    }
    at = skipBlanks(text, at);
  }
  if (at + 1 >= text.size() || text[at] != '=' || text[at + 1] == '=') {
    return std::nullopt;
  }
  at = skipBlanks(text, at + 1);
  std::size_t end = at;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
    ++end;
  }
  const std::size_t next = skipBlanks(text, end);
  const bool whole = next == text.size() || text[next] == ',' || text[next] == ')' ||
                     text[next] == '\n' || text[next] == '\r';
  if (end == at || !whole) {
    return std::nullopt;
  }
  return TextKnob::Place{at, end - at};
}

int lineAt(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

void addNumber(std::vector<TextKnob>& knobs, std::string_view text, std::string_view name,
               const TextKnob::Place& place, bool cpu) {
  const std::string technique = techniqueForName(name);
  const std::string value(text.substr(place.begin, place.length));
  const auto number = parseInt(value);
  if (technique.empty() || !number) {
    return;
  }
  const auto same = std::ranges::find_if(
      knobs, [&](const TextKnob& knob) { return knob.name == name && knob.value == value; });
  if (same != knobs.end()) {
    same->places.push_back(place);
    return;
  }
  knobs.push_back({std::string(name),
                   technique,
                   value,
                   nearbyValues(*number, technique, cpu),
                   {place},
                   lineAt(text, place.begin)});
}

/// Order of the iterations of a loop.
enum class Order : std::uint8_t { anyOrder, inOrder };

void addLoop(std::vector<TextKnob>& knobs, std::string_view text, std::size_t at,
             std::string_view kind, Order order) {
  const std::vector<std::string_view> kinds =
      order == Order::anyOrder
          ? std::vector<std::string_view>{"Parallel", "vectorized", "unroll", "serial"}
          : std::vector<std::string_view>{"unroll", "serial"};
  std::vector<std::string> others;
  for (const std::string_view other : kinds) {
    if (other != kind) {
      others.emplace_back(other);
    }
  }
  knobs.push_back({"loop",
                   "vectorization",
                   std::string(kind),
                   std::move(others),
                   {{at, kind.size()}},
                   lineAt(text, at)});
}

void addOrders(std::vector<TextKnob>& knobs, std::string_view text, std::string_view code) {
  for (LoopPair& pair : loopPairs(code)) {
    const std::string_view before = text.substr(pair.begin, pair.length);
    if (before == code.substr(pair.begin, pair.length)) {  // keeps all comments
      knobs.push_back({"order",
                       "loop-order",
                       std::string(before),
                       {std::move(pair.swapped)},
                       {{pair.begin, pair.length}},
                       pair.line});
    }
  }
}

/// Adds flags to all programs of a file without flags. -O3 and -march=native are always set.
void addFlags(std::vector<TextKnob>& knobs, std::string_view text, std::string_view code) {
  constexpr std::string_view kJit = "tilelang.jit(";
  TextKnob knob{"compile_flags",
                "compile-flags",
                "",
                {R"(compile_flags=["-ffast-math", "-mprefer-vector-width=512"], )",
                 R"(compile_flags=["-ffast-math", "-funroll-loops"], )",
                 R"(compile_flags=["-ffast-math"], )"},
                {},
                0};
  for (std::size_t at = code.find(kJit); at != std::string_view::npos;
       at = code.find(kJit, at + 1)) {
    knob.places.push_back({at + kJit.size(), 0});
  }
  if (!knob.places.empty() && !code.contains("compile_flags")) {
    knob.line = lineAt(text, knob.places.front().begin);
    knobs.push_back(std::move(knob));
  }
}

/// Returns true if the text starts with "(n)" for a small number n.
bool isShortLoop(std::string_view arguments) {
  constexpr std::int64_t kMaxUnrolled = 32;
  const std::size_t close = arguments.find(')');
  const auto extent = arguments.empty() || close == std::string_view::npos
                          ? std::nullopt
                          : parseInt(trim(arguments.substr(1, close - 1)));
  return extent && *extent <= kMaxUnrolled;
}

bool overlap(const TextKnob& a, const TextKnob& b) {
  return std::ranges::any_of(a.places, [&](const TextKnob::Place& one) {
    return std::ranges::any_of(b.places, [&](const TextKnob::Place& other) {
      return one.begin < other.begin + other.length && other.begin < one.begin + one.length;
    });
  });
}

/// Returns the weight of a knob. Of a finding that names a number, like "small tile (BLOCK_N=8)",
/// other knobs of the technique get half of the weight.
double knobWeight(const std::vector<Finding>& findings, const TextKnob& knob) {
  double weight = 0.05;
  for (const Finding& finding : findings) {
    if (finding.technique == knob.technique) {
      const bool namesAnother =
          finding.what.contains('=') && !finding.what.contains(fmt::format("({}=", knob.name));
      weight = std::max(weight, finding.weight * (namesAnother ? 0.5 : 1));
    }
  }
  return weight;
}

/// Describes a knob that rewrites several lines; "" for others.
std::string_view describeRewrite(std::string_view knob) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTexts = {
      {{"gemm", "T.gemm instead of loops"},
       {"shared", "tiles in shared memory, copied in a pipeline"},
       {"reduction", "a tiled reduction instead of a serial loop"},
       {"epilogue", "results through shared memory"}}};
  const auto* const found = std::ranges::find(kTexts, knob, &decltype(kTexts)::value_type::first);
  return found == kTexts.end() ? "" : found->second;
}

/// Returns the numbers that distinguish the values of a rewrite: "by 32".
std::string rewriteSize(const std::string& value) {
  static const RE2 kStep(R"(ceildiv\(.*, (\d+)\))");
  std::string size;
  return RE2::PartialMatch(value, kStep, &size) ? fmt::format("by {}", size) : "whole";
}

struct Change {
  const TextKnob* knob = nullptr;
  std::string value;
  double priority = 0;

  [[nodiscard]] std::string title() const {
    if (knob->name == "order") {
      return fmt::format("swap the two loops at line {}", knob->line);
    }
    if (knob->name == "compile_flags") {
      return value.substr(0, value.rfind(','));
    }
    if (knob->name == "pipeline" || knob->name == "memory") {
      return fmt::format("{} instead of {} (line {})", value, knob->value, knob->line);
    }
    if (knob->name == "copy" || knob->name == "swizzle") {
      return fmt::format("{}{} (line {})",
                         trim(std::string_view(value).substr(0, value.find('\n'))),
                         knob->name == "copy" ? " instead of a loop" : "", knob->line);
    }
    if (const std::string_view what = describeRewrite(knob->name); !what.empty()) {
      return fmt::format("{} (line {}, {})", what, knob->line, rewriteSize(value));
    }
    return knob->name == "loop"
               ? fmt::format("T.{} instead of T.{} (line {})", value, knob->value, knob->line)
               : fmt::format("{}={} instead of {}", knob->name, value, knob->value);
  }
};

/// Returns true if `order` makes a loop the innermost that `tile` makes longer, which helps
/// vectorization.
bool lengthensInner(const Change& order, const Change& tile) {
  if (order.knob->name != "order" || tile.knob->technique != "tiling") {
    return false;
  }
  const std::string heads = toLower(order.value);
  const auto before = parseInt(tile.knob->value);
  const auto after = parseInt(tile.value);
  return before && after && *after > *before &&
         heads.substr(heads.rfind('\n') + 1).contains(toLower(tile.knob->name));
}

/// One change, or two at a time.
struct Step {
  std::vector<const Change*> changes;
  double priority = 0;
};

/// Factors for the mean priority of two changes: lower than a single change, unless one helps the
/// other.
constexpr double kPairFactor = 0.5;
constexpr double kHelpedPairFactor = 1.2;

/// Sorts the steps by priority, but mixes techniques: each use of a technique lowers the priority
/// of its further uses. Only the first steps are mixed, because no turn needs more.
std::vector<Step> mixTechniques(std::vector<Step> steps) {
  constexpr double kRepeatFactor = 0.7;
  constexpr std::size_t kMaxMixed = 64;
  std::map<std::string_view, double> factors;
  const auto adjustedPriority = [&](const Step& step) {
    double factor = 1;
    for (const Change* change : step.changes) {
      factor *= factors.try_emplace(change->knob->technique, 1).first->second;
    }
    return step.priority * std::pow(factor, 1 / static_cast<double>(step.changes.size()));
  };
  std::vector<Step> ordered;
  while (!steps.empty() && ordered.size() < kMaxMixed) {
    const auto next = std::ranges::max_element(steps, {}, adjustedPriority);
    for (const Change* change : next->changes) {
      factors[change->knob->technique] *= kRepeatFactor;
    }
    ordered.push_back(std::move(*next));
    steps.erase(next);
  }
  std::ranges::stable_sort(steps, std::greater<>(), &Step::priority);
  std::ranges::move(steps, std::back_inserter(ordered));
  return ordered;
}

/// Returns the text with changed knobs. Edits from the end, so that earlier places stay valid.
std::string applyEdits(std::string_view text,
                       const std::vector<std::pair<const TextKnob*, std::string>>& values) {
  std::vector<std::pair<TextKnob::Place, std::string_view>> edits;
  for (const auto& [knob, value] : values) {
    for (const TextKnob::Place& place : knob->places) {
      edits.emplace_back(place, value);
    }
  }
  std::ranges::sort(edits, std::greater<>(), [](const auto& edit) { return edit.first.begin; });
  std::string result(text);
  for (const auto& [place, value] : edits) {
    result.replace(place.begin, place.length, value);
  }
  return result;
}

TextMove makeMove(std::string_view text, const Step& step) {
  std::vector<std::pair<const TextKnob*, std::string>> values;
  TextMove move;
  for (const Change* change : step.changes) {
    values.emplace_back(change->knob, change->value);
    move.changes.push_back(change->title());
    move.techniques.push_back(change->knob->technique);
  }
  move.text = applyEdits(text, values);
  return move;
}

}  // namespace

std::string TextMove::title() const { return join(changes, "; "); }

bool targetsCpu(std::string_view text) {
  return text.contains("target=\"c\"") || text.contains("target='c'");
}

std::vector<TextKnob> tileLangKnobs(std::string_view text) {
  const std::string code = blankComments(text);
  const bool cpu = targetsCpu(text);
  std::vector<TextKnob> knobs;
  const TileProgram program(text);
  const std::string& module = program.module();
  std::vector<int> independent;  // lines of loops
  if (cpu) {
    addFlags(knobs, text, code);
    addOrders(knobs, text, code);
  } else {
    knobs = structureKnobs(text);
    independent = independentLoops(program);
  }
  text = code;
  for (std::size_t at = 0; at < text.size();) {
    if (!isWordCharacter(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) {
      ++end;
    }
    const std::string_view word = text.substr(at, end - at);
    const bool ofT =
        at >= module.size() && text.substr(at - module.size(), module.size()) == module;
    if (ofT && (word == "serial" || word == "unroll" || word == "vectorized") &&
        end < text.size() && text[end] == '(') {
      const bool anyOrder = std::ranges::find(independent, lineAt(text, at)) != independent.end();
      addLoop(knobs, text, at, word, anyOrder ? Order::anyOrder : Order::inOrder);
      if (!cpu && !isShortLoop(text.substr(end))) {
        std::erase(knobs.back().values, "unroll");  // compiling long code takes minutes
      }
    } else if (const auto place = numberAfter(text, end)) {
      addNumber(knobs, text, word, *place, cpu);
    }
    at = end;
  }
  return knobs;
}

std::string withKnob(std::string_view text, const TextKnob& knob, std::string_view value) {
  return applyEdits(text, {{&knob, std::string(value)}});
}

std::vector<TextMove> tileLangMoves(std::string_view text, const std::vector<Finding>& findings,
                                    std::uint64_t seed) {
  const std::vector<TextKnob> knobs = tileLangKnobs(text);
  Random random(seed);
  std::vector<Change> changes;
  for (const TextKnob& knob : knobs) {
    double priority = knobWeight(findings, knob);
    for (const std::string& value : knob.values) {
      changes.push_back({&knob, value, priority + 0.01 * random.uniform()});
      priority *= 0.7;
    }
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    steps.push_back({{&changes[i]}, changes[i].priority});
    for (std::size_t k = 0; k < changes.size(); ++k) {
      const Change& a = changes[i];
      const Change& b = changes[k];
      // If one change helps the other, use only that order of the two.
      const bool helped = lengthensInner(a, b);
      if (a.knob != b.knob && !overlap(*a.knob, *b.knob) &&
          (helped || (i < k && !lengthensInner(b, a)))) {
        const double both = (a.priority + b.priority) / 2;
        steps.push_back({{&a, &b}, both * (helped ? kHelpedPairFactor : kPairFactor)});
      }
    }
  }
  std::vector<TextMove> moves;
  for (const Step& step : mixTechniques(std::move(steps))) {
    moves.push_back(makeMove(text, step));
  }
  return moves;
}

}  // namespace hone::kernel
