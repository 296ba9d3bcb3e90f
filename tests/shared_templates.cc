#include "tests/shared_templates.h"

// NOLINTBEGIN(bugprone-std-namespace-modification): instantiates only
template class nlohmann::basic_json<>;
template class std::vector<nlohmann::json>;
template class std::map<std::string, nlohmann::json, std::less<>>;
// NOLINTEND(bugprone-std-namespace-modification)
