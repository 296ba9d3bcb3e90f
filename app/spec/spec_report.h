#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "iree/spec/spec_check.h"
#include "iree/spec/spec_file.h"

namespace hone::app {

/// Formats one line per entry: what it matches and what it sets.
[[nodiscard]] std::string specTable(const iree::Spec& spec);
[[nodiscard]] nlohmann::json toJson(const iree::Spec& spec);

/// Formats one line per entry with the dispatches it applies to, then warnings.
[[nodiscard]] std::string checkText(const iree::SpecCheck& check);
[[nodiscard]] nlohmann::json toJson(const iree::SpecCheck& check);

}  // namespace hone::app
