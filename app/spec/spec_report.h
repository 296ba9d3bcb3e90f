#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "iree/spec/spec_check.h"
#include "iree/spec/spec_file.h"
#include "iree/spec/upgrade/spec_upgrade.h"

namespace hone::app {

/// Formats one line per entry: what it matches and what it sets.
[[nodiscard]] std::string specTable(const iree::Spec& spec);
[[nodiscard]] nlohmann::json toJson(const iree::Spec& spec);

/// Formats one line per entry with the dispatches it applies to, then warnings.
[[nodiscard]] std::string checkText(const iree::SpecCheck& check);
[[nodiscard]] nlohmann::json toJson(const iree::SpecCheck& check);

/// Formats the changes of each entry, or the reason why it cannot be upgraded; then the dispatches
/// it applies to, if the program is known.
[[nodiscard]] std::string upgradeText(const iree::SpecUpgrade& upgraded);
[[nodiscard]] nlohmann::json toJson(const iree::SpecUpgrade& upgraded);

}  // namespace hone::app
