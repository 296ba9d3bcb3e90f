// Takes a screenshot of a page, given as a file or URL:
//   page_pictures PAGE picture.png [WIDTH HEIGHT [light|dark]]
// HEIGHT 0 captures the whole page. Used for docs/pages; check those after every page change.
#include <fmt/format.h>

#include <cstdio>

#include "base/text/text.h"
#include "browser/web_driver.h"

namespace hone::test {
namespace {

struct Picture {
  std::string page, file;
  int width = 1000;
  int height = 1400;
  std::string scheme = "light";
};

Result<void> take(const Picture& picture) {
  Browser browser = HONE_TRY(Browser::start());
  const bool whole = picture.height == 0;
  constexpr int kScreen = 900;
  HONE_CHECK(browser.resize(picture.width, whole ? kScreen : picture.height));
  HONE_CHECK(browser.prefer(picture.scheme));
  HONE_CHECK(picture.page.contains("://") ? browser.open(picture.page)
                                          : browser.open(std::filesystem::path(picture.page)));
  constexpr const char* kDraw =
      "hone.drawAll(); return new Promise((done) => setTimeout(() => "
      "done(document.documentElement.scrollHeight), 300))";
  const nlohmann::json height = HONE_TRY(browser.run(kDraw));
  if (whole) {  // resize first: growing the viewport for a screenshot redraws the plots
    HONE_CHECK(browser.resize(picture.width, height));
    HONE_CHECK(browser.run(kDraw));
  }
  for (const std::string& line : HONE_TRY(browser.console())) {
    fmt::print(stderr, "{}\n", line);
  }
  const std::string png = HONE_TRY(browser.screenshot(Browser::Area::view));
  HONE_CHECK(writeFile(picture.file, png));
  fmt::print("{}: {} bytes\n", picture.file, png.size());
  return {};
}

Result<void> takeFromArguments(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    return userError("usage: page_pictures PAGE picture.png [WIDTH HEIGHT [light|dark]]");
  }
  Picture picture{arguments[0], arguments[1]};
  if (arguments.size() >= 4) {
    picture.width = static_cast<int>(parseInt(arguments[2]).value_or(picture.width));
    picture.height = static_cast<int>(parseInt(arguments[3]).value_or(picture.height));
  }
  if (arguments.size() >= 5) {
    picture.scheme = arguments[4];
  }
  return take(picture);
}

}  // namespace
}  // namespace hone::test

int main(int argc, char** argv) try {
  const auto taken = hone::test::takeFromArguments({argv + 1, argv + argc});
  if (!taken) {
    fmt::print(stderr, "page_pictures: {}\n", taken.error().message);
    return 2;
  }
  return 0;
} catch (const std::exception& exception) {
  std::fputs(exception.what(), stderr);
  return 3;
}
