#include "app/tune/dispatch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text/text.h"

namespace hone::app {
namespace {

using tune::TunableDispatch;

/// Share of the program's time below which dispatches are summed up in one line.
constexpr double kMinShownShare = 0.01;

/// Returns all names, or the first ones and the number of the others.
std::string listNames(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  if (names.size() <= kShown + 1) {
    return join(names, ", ");
  }
  return fmt::format("{} and {} more", join(std::span(names).first(kShown), ", "),
                     names.size() - kShown);
}

}  // namespace

std::string shortName(std::string_view dispatch) {
  const auto at = dispatch.find("dispatch_");
  return std::string(at == std::string_view::npos ? dispatch : dispatch.substr(at));
}

std::string formatSpace(const TunableDispatch& tunable) {
  return tunable.knobs
             ? fmt::format("{}{}", tunable.knobs->space.size(), tunable.knobs->complete ? "" : "+")
             : "-";
}

std::string formatShare(const TunableDispatch& tunable) {
  return fmt::format("{:.0f} %", 100 * tunable.share);
}

std::string formatWork(const TunableDispatch& tunable) {
  return std::string(model::describeWork(tunable.name, tunable.root));
}

std::string formatMove(const TunableDispatch& tunable) {
  const std::string work = formatWork(tunable);
  const model::RootKind kind = tunable.root.kind;
  return work != nameOf(kind) || kind == model::RootKind::packing ? work : "";
}

std::string notTuned(const TunableDispatch& tunable) {
  return tunable.skipReason.empty() ? "" : fmt::format("not tuned: {}", tunable.skipReason);
}

bool SmallDispatches::add(const TunableDispatch& tunable) {
  if (tunable.skipReason.empty() || tunable.estimated || tunable.share >= kMinShownShare) {
    return false;
  }
  ++count_;
  share_ += tunable.share;
  return true;
}

std::optional<std::pair<std::string, std::string>> SmallDispatches::line() const {
  if (count_ == 0) {
    return std::nullopt;
  }
  return std::pair(fmt::format("{} below 1 % each", count_), fmt::format("{:.0f} %", 100 * share_));
}

void Reasons::add(const std::string& reason, const TunableDispatch& tunable) {
  if (reason.empty()) {
    return;
  }
  const auto known = std::find_if(reasons_.begin(), reasons_.end(),
                                  [&](const Reason& one) { return one.reason == reason; });
  Reason& one = known == reasons_.end() ? reasons_.emplace_back(reason) : *known;
  one.dispatches.push_back(shortName(tunable.name));
}

void Reasons::print() const {
  for (const Reason& one : reasons_) {
    fmt::print("{}: {}\n", listNames(one.dispatches), one.reason);
  }
}

}  // namespace hone::app
