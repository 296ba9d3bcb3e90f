#pragma once

#include <string_view>

namespace hone::report {

// Contents of web/ and Chart.js, embedded by the build.

[[nodiscard]] std::string_view webStyle();
/// Chart.js and the scripts that draw a document.
[[nodiscard]] std::string_view webScript();
/// Additional script of a live page.
[[nodiscard]] std::string_view webLiveScript();

}  // namespace hone::report
