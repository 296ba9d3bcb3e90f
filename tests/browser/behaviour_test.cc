// Page behaviour in a browser: tables, tabs, hovers, special characters, empty and huge runs.
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
  /// Adds a run without trials.
  [[nodiscard]] std::int64_t addEmpty(const std::string& command, store::RunStatus status) {
    auto store = store::Store::open(box().store(), store::Store::Mode::write);
    store::Run run;
    run.key = run.command = command;
    run.arguments = {command};
    const std::int64_t id = store->addRun(run).value_or(0);
    if (status != store::RunStatus::running) {
      EXPECT_TRUE(store->finishRun(id, status, nlohmann::json::object()));
    }
    return id;
  }
  /// Expands the folded table of all trials.
  void unfoldTrials() {
    run("const fold = [...document.querySelectorAll('details.block')].at(-1);"
        "return new Promise((done) => { fold.addEventListener('toggle', () => done(1)); fold.open "
        "= true; })");
  }
  /// Returns the text of a column of that table.
  [[nodiscard]] std::vector<std::string> column(int number) {
    return run(
        "const table = [...document.querySelectorAll('table')].at(-1);"
        "return [...table.querySelectorAll('tbody tr')].map((row) => "
        "row.children[arguments[0]].textContent)",
        {number});
  }
};

TEST_F(PageBehaviour, ShowsAllPlotsOfTune) {
  openReport(addTune(60));
  EXPECT_THAT(headline(), HasSubstr("m.mlir is "));
  EXPECT_THAT(
      titles(),
      AllOf(Contains("Time breakdown of m.mlir"), Contains("Winner and default: time per round"),
            Contains("Best so far"), Contains("Effect of each knob"),
            Contains("Candidates by knob values"), Contains("One knob at a time")));
  expectGoodPage();
}

TEST_F(PageBehaviour, ShowsAllPlotsOfSplit) {
  openReport(addSplit(30));
  EXPECT_THAT(headline(), HasSubstr("the workload is 1.41x as fast"));
  const nlohmann::json regions =
      run("return hone.document.parts.find((one) => one.regions).regions.map((one) => one.label)");
  EXPECT_THAT(regions.get<std::vector<std::string>>(),
              ElementsAre("limit 32", "limit 128", "limit 8", "limit 32", "limit 2", "limit 8",
                          "at most 2"));
  expectGoodPage();
}

TEST_F(PageBehaviour, SortsTablesByHeading) {
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
  EXPECT_EQ(column(4).back(), "–") << "rows without a time are last";
  EXPECT_EQ(run(click), "descending");
  EXPECT_TRUE(std::ranges::is_sorted(values(), std::ranges::greater()));
  EXPECT_EQ(column(4).back(), "–") << "in both directions";
  EXPECT_NE(column(4), before);
}

TEST_F(PageBehaviour, FiltersRowsByAllWords) {
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

TEST_F(PageBehaviour, EscapesSpecialCharacters) {
  const std::string name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;";
  openReport(addTune(3, name));
  EXPECT_THAT(headline(), testing::StartsWith(name + " is "));
  EXPECT_EQ(run("return document.querySelectorAll('main script, main img').length"), 0);
  EXPECT_EQ(run("return document.querySelectorAll('script').length"), 2)
      << "the data and the page's script";
  expectGoodPage();
}

TEST_F(PageBehaviour, RunsOnlyItsOwnScripts) {
  openReport(addTune(3));
  run("const script = document.createElement('script'); script.textContent = 'window.stranger = 1';"
      "document.body.append(script); return 1");
  EXPECT_TRUE(run("return window.stranger ?? null").is_null());
  EXPECT_THAT(browser().console().value(), Contains(HasSubstr("Content Security Policy")));
}

TEST_F(PageBehaviour, ShowsPlotValuesOnHover) {
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

TEST_F(PageBehaviour, ShowsMapValuesOnHover) {
  openReport(addSplit(30));
  const nlohmann::json said = run(R"(
    hone.drawAll();
    const box = document.querySelector(".heat .canvas");
    const { part, corner } = box.honeDrawn;
    const [canvas, hover] = [box.querySelector("canvas"), box.querySelector(".hover")];
    const place = canvas.getBoundingClientRect();
    const [x, y] = corner(2, 3);
    canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: place.left + x + 9, clientY: place.top + y + 9 }));
    const lines = [...hover.children].map((one) => one.textContent);
    const shown = !hover.hidden;
    canvas.dispatchEvent(new MouseEvent("mouseleave"));
    return { shown, lines, gone: hover.hidden, wanted: [part.rows[2], `limit: ${part.columns[3]}`,
      `time relative to the best: ${hone.format(part.cells[2][3], "x")}`] };
  )");
  EXPECT_EQ(said.at("shown"), true);
  EXPECT_EQ(said.at("lines"), said.at("wanted"));
  EXPECT_EQ(said.at("gone"), true);
}

/// Moves the pointer to the middle of a candidate's line between the first two axes.
constexpr const char* kHoverLine = R"(
  hone.drawAll();
  const box = document.querySelector(".parallel .canvas");
  const { part, at } = box.honeDrawn;
  const [canvas, hover] = [box.querySelector("canvas"), box.querySelector(".hover")];
  const pointAt = (i) => {
    const place = canvas.getBoundingClientRect();
    const [x, y] = [0, 1].map((axis) => (at(0, i)[axis] + at(1, i)[axis]) / 2);
    canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: place.left + x, clientY: place.top + y }));
  };
)";

TEST_F(PageBehaviour, ShowsLineValuesOnHover) {
  openReport(addTune(3));
  const nlohmann::json said = run(std::string(kHoverLine) + R"(
    const before = canvas.toDataURL();
    pointAt(0);
    const lines = [...hover.children].map((one) => one.textContent);
    const marked = canvas.toDataURL() !== before;
    canvas.dispatchEvent(new MouseEvent("mouseleave"));
    return { lines, marked, again: canvas.toDataURL() === before,
      speedup: `${part.knobs.at(-1).axis.label}: ${hone.format(part.knobs.at(-1).values[0], "x")}`,
      knob: `${part.knobs[0].axis.label}=${part.knobs[0].values[0]}` };
  )");
  ASSERT_EQ(said.at("lines").size(), 2U) << said;
  EXPECT_EQ(said.at("lines")[0], said.at("speedup"));
  EXPECT_THAT(said.at("lines")[1].get<std::string>(),
              HasSubstr(said.at("knob").get<std::string>()));
  EXPECT_EQ(said.at("marked"), true);
  EXPECT_EQ(said.at("again"), true);
}

TEST_F(PageBehaviour, DrawsSingleLineOnHover) {
  openReport(addTune(1'000));
  const nlohmann::json strokes = run(std::string(kHoverLine) + R"(
    const real = CanvasRenderingContext2D.prototype.stroke;
    let strokes = 0;
    CanvasRenderingContext2D.prototype.stroke = function (...all) {
      ++strokes;
      return real.apply(this, all);
    };
    pointAt(5);
    CanvasRenderingContext2D.prototype.stroke = real;
    return strokes;
  )");
  EXPECT_GT(strokes, 0);
  EXPECT_LT(strokes, 20) << "that line and one per axis";
}

TEST_F(PageBehaviour, KeepsMapLayoutOnRedraw) {
  openReport(addSplit(80));
  const nlohmann::json heights = run(R"(
    const height = () => document.documentElement.scrollHeight;
    const undrawn = height();
    hone.drawAll();
    const drawn = height();
    document.querySelector(".heat .more").click();
    const all = height();
    hone.show(structuredClone(hone.document));
    const again = height();
    hone.drawAll();
    return [undrawn - drawn, again - all, height() - all, document.querySelectorAll(".heat .more").length, all > drawn];
  )");
  EXPECT_EQ(heights, nlohmann::json({0, 0, 0, 0, true})) << "the layout below is stable";
}

TEST_F(PageBehaviour, SupportsDarkAndLight) {
  openReport(addTune(20));
  const char* paper = "return getComputedStyle(document.body).backgroundColor";
  ASSERT_TRUE(browser().prefer("light"));
  EXPECT_EQ(run(paper), "rgb(255, 255, 255)");
  ASSERT_TRUE(browser().prefer("dark"));
  EXPECT_EQ(run(paper), "rgb(20, 24, 29)");
  expectGoodPage();  // prints like a light page
  EXPECT_EQ(run(paper), "rgb(20, 24, 29)") << "dark again after printing";
}

TEST_F(PageBehaviour, ShowsTuneOfOneCandidate) {
  openReport(addTune(1));
  expectGoodPage();
}

TEST_F(PageBehaviour, ListsTenThousandCandidatesOnDemand) {
  const std::int64_t run10k = addTune(10'000);
  openReport(run10k);
  unfoldTrials();
  EXPECT_EQ(column(0).size(), 200U);
  run("[...document.querySelectorAll('button.more')].at(-1).click(); return 1");
  EXPECT_EQ(column(0).size(), 400U);
  expectGoodPage();
  EXPECT_LT(std::filesystem::file_size(box().work() / "report.html"), 3'000'000U);
}

TEST_F(PageBehaviour, ReportsEmptyRuns) {
  for (const char* command : {"bench", "profile", "split", "tune", "kernel", "something-new"}) {
    for (const auto status :
         {store::RunStatus::running, store::RunStatus::failed, store::RunStatus::finished}) {
      openReport(addEmpty(command, status));
      EXPECT_FALSE(headline().empty()) << command;
      EXPECT_THAT(run("return document.querySelector('main').textContent").get<std::string>(),
                  AllOf(HasSubstr("No trials stored yet."), Not(HasSubstr("NaN")),
                        Not(HasSubstr("undefined")), Not(HasSubstr("null"))))
          << command;
      expectNoHorizontalScrolling();
      expectQuietConsole();
    }
  }
}

}  // namespace
}  // namespace hone::test
