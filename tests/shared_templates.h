#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Every test uses these templates. They are compiled once, in shared_templates.cc: without
// optimization, each test program would contain its own copy of all their functions.
// NOLINTBEGIN(bugprone-std-namespace-modification,cppcoreguidelines-special-member-functions):
// instantiates only
extern template class nlohmann::basic_json<>;
extern template class std::vector<nlohmann::json>;
extern template class std::map<std::string, nlohmann::json, std::less<>>;
// NOLINTEND(bugprone-std-namespace-modification,cppcoreguidelines-special-member-functions)
