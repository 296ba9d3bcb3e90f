#pragma once

#include <string_view>

namespace hone::report {

// The files of web/ and Chart.js, as the build put them into the program.

[[nodiscard]] std::string_view webStyle();
/// Chart.js and all that draws a document.
[[nodiscard]] std::string_view webScript();
/// What a live page has besides.
[[nodiscard]] std::string_view webLiveScript();

}  // namespace hone::report
