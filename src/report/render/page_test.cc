#include "report/render/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/file.h"
#include "base/text/json.h"

namespace hone::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Document named(const std::string& name) {
  Document document;
  document.title = name;
  document.answer.headline = name;
  document.facts = {{name, name}};
  document.add(TextBlock{.title = name, .text = name});
  return document;
}

/// Extracts the document embedded in the page.
std::string extractData(const std::string& page) {
  constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"document\">";
  const auto begin = page.find(kBegin) + kBegin.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(Page, IsSelfContained) {
  const std::string html = page(named("a run"));
  EXPECT_THAT(html, testing::StartsWith("<!doctype html>"));
  EXPECT_THAT(html, HasSubstr("Chart.js v"));
  EXPECT_THAT(html, HasSubstr("hone.show"));
  EXPECT_THAT(html, HasSubstr("--paper"));
  for (const char* outside : {"src=\"", "<link rel=\"stylesheet", "@import", "url(http"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
}

TEST(Page, RoundTripsDocument) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    const std::string name = "</script><script>" + std::string(bytes.begin(), bytes.end()) + "<!--";
    const std::string data = extractData(page(named(name)));
    RC_ASSERT(data.find('<') == std::string::npos);
    const std::string kept = jsonText(named(name).json());
    RC_ASSERT(nlohmann::json::parse(data) == nlohmann::json::parse(kept));
  }));
}

TEST(Page, AllowsOnlyItsScripts) {
  const std::string html = page(named("a run"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, testing::ContainsRegex("script-src 'sha256-[A-Za-z0-9+/]{43}='"));
  EXPECT_THAT(html, HasSubstr("connect-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe")));
}

TEST(Page, SubscribesToEventsWhenLive) {
  const std::string html = page(named("a run"), {.live = true});
  EXPECT_THAT(html, HasSubstr("EventSource"));
  EXPECT_THAT(html, HasSubstr("connect-src 'self'"));
  EXPECT_THAT(page(named("a run")), Not(HasSubstr("EventSource")));
}

TEST(Page, RejectsUnknownRun) {
  const ScratchFolder folder = ScratchFolder::create("hone-page").value();
  const auto store = store::Store::open(folder.path() / "s.db", store::Store::Mode::write).value();
  const auto missing = runPage(store, 7);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, Fault::user);
  EXPECT_THAT(missing.error().message, HasSubstr("no run 7"));
}

}  // namespace
}  // namespace hone::report
