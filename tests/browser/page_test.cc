#include "browser/page_test.h"

#include <fmt/format.h>

namespace hone::test {

using nlohmann::json;
using testing::IsEmpty;
using testing::StartsWith;

void PageTest::SetUp() {
  if (!Browser::isThere()) {
    GTEST_SKIP() << "no chromium and chromedriver here: scripts/setup --browser installs them";
  }
  auto started = Browser::start();
  ASSERT_TRUE(started) << started.error().message;
  browser_.emplace(std::move(*started));
}

void PageTest::openReport(std::int64_t run) {
  const Ran ran = box_.hone({"report", std::to_string(run), "-o", "report.html"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto opened = browser_->open(box_.work() / "report.html");
  ASSERT_TRUE(opened) << opened.error().message;
}

json PageTest::run(std::string_view script, const json& arguments) {
  auto value = browser_->run(script, arguments);
  EXPECT_TRUE(value) << script << "\n" << value.error().message;
  return value.value_or(json());
}

std::string PageTest::headline() {
  return run("return document.querySelector('.answer .headline').textContent");
}

std::vector<std::string> PageTest::titles() {
  return run(
      "return [...document.querySelectorAll('h2, h3, details.block > summary')]"
      ".map((one) => one.textContent)");
}

void PageTest::expectGoodPage() {
  EXPECT_FALSE(headline().empty());
  expectDrawn();
  EXPECT_THAT(run("return performance.getEntriesByType('resource').map((one) => one.name)"),
              IsEmpty());
  expectNoSidewaysScrolling();
  expectPrints();
  expectQuietConsole();
}

void PageTest::expectQuietConsole() {
  const auto lines = browser_->console();
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_THAT(*lines, IsEmpty());
}

void PageTest::expectDrawn() {
  const json canvases = run(R"(
    hone.drawAll();
    return [...document.querySelectorAll(".canvas")].map((box) => {
      const canvas = box.querySelector("canvas");
      const colors = new Set();
      let inked = 0;
      const data = canvas ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data : [];
      for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 0) {
          ++inked;
          colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        }
      }
      return { title: box.parentElement.querySelector("h3")?.textContent ?? "", inked, colors: colors.size };
    });
  )");
  EXPECT_FALSE(canvases.empty()) << "no plot at all";
  for (const json& canvas : canvases) {
    EXPECT_GT(canvas.at("inked"), 500) << canvas;
    EXPECT_GT(canvas.at("colors"), 3) << canvas;
  }
}

void PageTest::expectNoSidewaysScrolling() {
  for (const int width : {375, 1200}) {
    ASSERT_TRUE(browser_->resize(width, 800));
    run("hone.drawAll(); return new Promise((done) => requestAnimationFrame(() => "
        "requestAnimationFrame(() => done(1))))");
    const json wide = run(R"(
      const page = document.documentElement;
      return page.scrollWidth <= page.clientWidth ? [] : [...document.querySelectorAll("main *")]
        .filter((one) => one.getBoundingClientRect().right > page.clientWidth + 1 && !one.closest(".wide, .tablebox, pre"))
        .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`);
    )");
    EXPECT_THAT(wide, IsEmpty()) << "too wide at " << width << " pixels";
    EXPECT_LE(run("return document.documentElement.scrollWidth"), width);
  }
}

void PageTest::expectPrints() {
  const auto pdf = browser_->print();
  ASSERT_TRUE(pdf) << pdf.error().message;
  EXPECT_THAT(*pdf, StartsWith("%PDF-"));
  EXPECT_GT(pdf->size(), 10'000U);
}

}  // namespace hone::test
