#include "app/common/share.h"

#include "base/text/text.h"

namespace hone::app {

Result<double> shareFrom(std::string_view option, std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parseDouble(trim(text.substr(0, text.size() - (percent ? 1 : 0))));
  const double share = number.value_or(-1) / (percent ? 100 : 1);
  if (!number || share < 0 || share > 1) {
    return userError("{}: expected a share from 0 to 1 such as 5% or 0.05, got '{}'", option, text);
  }
  return share;
}

}  // namespace hone::app
