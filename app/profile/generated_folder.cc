#include "app/profile/generated_folder.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace hone::app {

Result<std::vector<profile::Generated>> matching(std::vector<profile::Generated> all,
                                                 const profile::DispatchFilter& filter) {
  std::vector<std::string> names;
  std::vector<profile::Generated> chosen;
  for (profile::Generated& one : all) {
    const bool any = std::any_of(
        one.configs.begin(), one.configs.end(), [&](const profile::TuningConfig& config) {
          names.push_back(one.dispatchName(config));
          return filter.takes(one.operation.kind(), one.operation.name(), names.back());
        });
    if (any) {
      chosen.push_back(std::move(one));
    }
  }
  if (chosen.empty()) {
    return userError("no dispatch matches '{}'; similar names: {}", filter.text(),
                     fmt::join(profile::nearestNames(filter.text(), names, 3), ", "));
  }
  return chosen;
}

Result<std::vector<profile::Generated>> chooseGenerated(const std::string& folder,
                                                        const profile::DispatchFilter& filter,
                                                        ToolchainOptions& toolchain) {
  auto chosen = HONE_TRY(matching(HONE_TRY(profile::readGenerated(folder)), filter));
  for (const profile::Generated& one : chosen) {
    const std::string& wanted = toolchain.targetGiven ? toolchain.target : chosen.front().target;
    if (one.target != wanted) {
      return userError(
          "{} was generated for {}, not {}; regenerate it, or use --dispatches to select others",
          one.operation.name(), one.target, wanted);
    }
  }
  toolchain.target = chosen.front().target;
  return chosen;
}

}  // namespace hone::app
