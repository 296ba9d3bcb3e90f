#pragma once

#include <string_view>

namespace hone::report {

// Contents of web/ and Chart.js, embedded by the build.

[[nodiscard]] std::string_view webStyle();
/// Returns Chart.js and the scripts that draw a document.
[[nodiscard]] std::string_view webScript();
/// Returns the additional script of a live page.
[[nodiscard]] std::string_view webLiveScript();

}  // namespace hone::report
