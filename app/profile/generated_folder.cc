#include "app/profile/generated_folder.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace hone::app {

void DispatchOptions::addTo(CLI::App& command, Context& context) {
  command.add_option("--generated-dir", folder, "Folder that contains the folder `generated`")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--dispatches,--dispatch", dispatches,
                  "Only matching dispatches, operations or kinds: REGEX,REGEX; * is any text")
      ->type_name("REGEX");
  command.add_option("--build-dir", context.ireeFolder, "Build folder of IREE; same as --iree")
      ->type_name("DIR");
}

std::unexpected<Error> noDispatchMatches(const profile::DispatchFilter& filter,
                                         const std::vector<std::string>& names) {
  return userError("no dispatch matches '{}'; similar names: {}", filter.text(),
                   fmt::join(profile::nearestNames(filter.text(), names, 3), ", "));
}

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
    return noDispatchMatches(filter, names);
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
