#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "iree/spec/spec_check.h"
#include "iree/spec/spec_file.h"

namespace hone::app {

/// A line an entry: what it matches and what it sets.
[[nodiscard]] std::string specTable(const iree::Spec& spec);
[[nodiscard]] nlohmann::json toJson(const iree::Spec& spec);

/// A line an entry: where in the program it was put; then what a person should know.
[[nodiscard]] std::string checkText(const iree::SpecCheck& check);
[[nodiscard]] nlohmann::json toJson(const iree::SpecCheck& check);

}  // namespace hone::app
