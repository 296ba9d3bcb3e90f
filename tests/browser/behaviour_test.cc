// How pages behave in a real browser: tables, tabs, hovers, strange names, empty and huge runs.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "browser/page_test.h"
#include "browser/sample_runs.h"

namespace hone::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PageBehaviour : public PageTest {
 protected:
  [[nodiscard]] std::int64_t addTune(std::size_t candidates,
                                     const std::string& program = "m.mlir") {
    auto store = store::Store::open(box().store(), store::Store::Mode::write);
    EXPECT_TRUE(store) << store.error().message;
    const auto run = addTuneRun(*store, candidates, program);
    EXPECT_TRUE(run) << run.error().message;
    return run.value_or(0);
  }
  [[nodiscard]] std::int64_t addSplit(std::size_t shapes) {
    auto store = store::Store::open(box().store(), store::Store::Mode::write);
    EXPECT_TRUE(store) << store.error().message;
    const auto run = addSplitRun(*store, shapes);
    EXPECT_TRUE(run) << run.error().message;
    return run.value_or(0);
  }
  /// A run as it was begun, with nothing in it.
  [[nodiscard]] std::int64_t addEmpty(const std::string& verb, store::RunStatus status) {
    auto store = store::Store::open(box().store(), store::Store::Mode::write);
    store::Run run;
    run.key = run.verb = verb;
    run.arguments = {verb};
    const std::int64_t id = store->addRun(run).value_or(0);
    if (status != store::RunStatus::running) {
      EXPECT_TRUE(store->finishRun(id, status, nlohmann::json::object()));
    }
    return id;
  }
  /// Opens the table of all trials, which is folded.
  void unfoldTrials() {
    run("const fold = [...document.querySelectorAll('details.block')].at(-1);"
        "return new Promise((done) => { fold.addEventListener('toggle', () => done(1)); fold.open "
        "= true; })");
  }
  /// A column of that table as it is shown.
  [[nodiscard]] std::vector<std::string> column(int number) {
    return run(
        "const table = [...document.querySelectorAll('table')].at(-1);"
        "return [...table.querySelectorAll('tbody tr')].map((row) => "
        "row.children[arguments[0]].textContent)",
        {number});
  }
};

TEST_F(PageBehaviour, ATuneHasAllItsPictures) {
  openReport(addTune(60));
  EXPECT_THAT(headline(), HasSubstr("m.mlir is "));
  EXPECT_THAT(titles(),
              AllOf(Contains("Where the time of m.mlir goes"),
                    Contains("The winner against the default, round by round"),
                    Contains("The best so far"), Contains("What each knob does"),
                    Contains("All candidates over all knobs"), Contains("One knob at a time")));
  expectGoodPage();
}

TEST_F(PageBehaviour, ASplitHasAllItsPictures) {
  openReport(addSplit(30));
  EXPECT_THAT(headline(), HasSubstr("the workload is 1.41x as fast"));
  const nlohmann::json regions =
      run("return hone.document.parts.find((one) => one.regions).regions.map((one) => one.label)");
  EXPECT_THAT(regions.get<std::vector<std::string>>(),
              ElementsAre("limit 32", "limit 128", "limit 8", "limit 32", "limit 2", "limit 8",
                          "at most 2"));
  expectGoodPage();
}

TEST_F(PageBehaviour, TablesSortByTheirHeadings) {
  openReport(addTune(60));
  unfoldTrials();
  const auto before = column(4);
  const char* click =
      "const heading = [...document.querySelectorAll('table')].at(-1).querySelectorAll('th')[4];"
      "heading.firstChild.click(); return heading.getAttribute('aria-sort')";
  const auto values = [&] {
    return run("const table = hone.document.parts.at(-1);"
               "const times = table.columns[4].numbers;"
               "const shown = "
               "[...[...document.querySelectorAll('table')].at(-1).querySelectorAll('tbody tr')]"
               "  .map((row) => times[Number(row.children[0].textContent) - 1]);"
               "return shown.filter((one) => one !== null)")
        .get<std::vector<double>>();
  };
  EXPECT_EQ(run(click), "ascending");
  EXPECT_TRUE(std::ranges::is_sorted(values()));
  EXPECT_EQ(column(4).back(), "–") << "what has no time is last";
  EXPECT_EQ(run(click), "descending");
  EXPECT_TRUE(std::ranges::is_sorted(values(), std::ranges::greater()));
  EXPECT_EQ(column(4).back(), "–") << "both ways";
  EXPECT_NE(column(4), before);
}

TEST_F(PageBehaviour, TablesKeepTheRowsThatMatchAllWords) {
  openReport(addTune(60));
  unfoldTrials();
  const std::size_t all = column(3).size();
  const auto filter = [&](const std::string& words) {
    run("const field = [...document.querySelectorAll('input[type=search]')].at(-1);"
        "field.value = arguments[0]; field.dispatchEvent(new Event('input')); return 1",
        {words});
    return column(3);
  };
  EXPECT_THAT(filter("COMPILE_failed unroll"), testing::Each("compile_failed"));
  EXPECT_EQ(column(3).size(), 2U);
  EXPECT_THAT(filter("no such words"), IsEmpty());
  EXPECT_EQ(filter("").size(), all);
}

TEST_F(PageBehaviour, StrangeNamesStayText) {
  const std::string name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;";
  openReport(addTune(3, name));
  EXPECT_THAT(headline(), testing::StartsWith(name + " is "));
  EXPECT_EQ(run("return document.querySelectorAll('main script, main img').length"), 0);
  EXPECT_EQ(run("return document.querySelectorAll('script').length"), 2) << "the data and our own";
  expectGoodPage();
}

TEST_F(PageBehaviour, NoScriptButItsOwnRuns) {
  openReport(addTune(3));
  run("const script = document.createElement('script'); script.textContent = 'window.stranger = 1';"
      "document.body.append(script); return 1");
  EXPECT_TRUE(run("return window.stranger ?? null").is_null());
  EXPECT_THAT(browser().console().value(), Contains(HasSubstr("Content Security Policy")));
}

TEST_F(PageBehaviour, PlotsSayTheirNumbersWhenHovered) {
  openReport(addTune(60));
  const nlohmann::json said = run(R"(
    hone.drawAll();
    const canvas = document.querySelector(".plot canvas");
    const chart = Chart.getChart(canvas);
    const point = chart.getDatasetMeta(0).data[3];
    const place = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: place.left + point.x, clientY: place.top + point.y, bubbles: true }));
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    return frame().then(frame).then(() => ({
      opacity: chart.tooltip.opacity, lines: chart.tooltip.body.flatMap((one) => one.lines) }));
  )");
  EXPECT_EQ(said.at("opacity"), 1);
  EXPECT_THAT(
      said.at("lines").get<std::vector<std::string>>(),
      AllOf(Contains(HasSubstr("CPU time: ")), Contains(HasSubstr(" ms")), Contains("round: 4")));
}

TEST_F(PageBehaviour, EveryPlotHasItsNumbersBehindIt) {
  openReport(addTune(60));
  const nlohmann::json rows = run(R"(
    hone.drawAll();
    const folds = [...document.querySelectorAll("details.numbers")];
    const opened = (fold) => new Promise((done) => {
      fold.addEventListener("toggle", done);
      fold.open = true;
    });
    return Promise.all(folds.map(opened)).then(() => folds.map((fold) => fold.querySelectorAll("tbody tr").length));
  )");
  EXPECT_EQ(rows.size(), run("return document.querySelectorAll('.canvas').length"));
  EXPECT_THAT(rows.get<std::vector<int>>(), testing::Each(testing::Gt(0)));
}

TEST_F(PageBehaviour, DarkAndLight) {
  openReport(addTune(20));
  const char* paper = "return getComputedStyle(document.body).backgroundColor";
  ASSERT_TRUE(browser().prefer("light"));
  EXPECT_EQ(run(paper), "rgb(255, 255, 255)");
  ASSERT_TRUE(browser().prefer("dark"));
  EXPECT_EQ(run(paper), "rgb(20, 24, 29)");
  expectGoodPage();
}

TEST_F(PageBehaviour, ATuneOfOneCandidate) {
  openReport(addTune(1));
  expectGoodPage();
}

TEST_F(PageBehaviour, TenThousandCandidatesAreDrawnAndListedOnDemand) {
  const std::int64_t run10k = addTune(10'000);
  openReport(run10k);
  unfoldTrials();
  EXPECT_EQ(column(0).size(), 200U);
  run("[...document.querySelectorAll('button.more')].at(-1).click(); return 1");
  EXPECT_EQ(column(0).size(), 400U);
  expectGoodPage();
  EXPECT_LT(std::filesystem::file_size(box().work() / "report.html"), 3'000'000U);
}

TEST_F(PageBehaviour, RunsWithoutAnythingSaySo) {
  for (const char* verb : {"bench", "profile", "split", "tune", "kernel", "something-new"}) {
    for (const auto status :
         {store::RunStatus::running, store::RunStatus::failed, store::RunStatus::finished}) {
      openReport(addEmpty(verb, status));
      EXPECT_FALSE(headline().empty()) << verb;
      EXPECT_THAT(run("return document.querySelector('main').textContent").get<std::string>(),
                  AllOf(HasSubstr("No trial is in the store yet."), Not(HasSubstr("NaN")),
                        Not(HasSubstr("undefined")), Not(HasSubstr("null"))))
          << verb;
      expectNoSidewaysScrolling();
      expectQuietConsole();
    }
  }
}

}  // namespace
}  // namespace hone::test
