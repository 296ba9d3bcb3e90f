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

/// Reads the looks of eight plain series and all roles, and their distances in CIELAB as seen with
/// normal vision and with protanopia, deuteranopia and tritanopia (Machado et al., 2009).
constexpr const char* kLooks = R"(
  const kViews = [
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  ];
  const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, one, i) => sum + one * vector[i], 0));
  const linear = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  const lab = (rgb) => {
    const xyz = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]],
      rgb.map((one) => Math.min(Math.max(one, 0), 1)));
    const [x, y, z] = xyz.map((one, i) => one / [0.95047, 1, 1.08883][i])
      .map((one) => (one > 216 / 24389 ? Math.cbrt(one) : ((24389 / 27) * one + 16) / 116));
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const distance = (a, b) => Math.min(...kViews.map((view) =>
    Math.hypot(...lab(times(view, linear(a))).map((one, i) => one - lab(times(view, linear(b)))[i]))));
  const looks = hone.looks([...Array(8).fill({ role: "plain" }), { role: "baseline" }, { role: "winner" }]);
  const pairs = looks.flatMap((one, i) => looks.slice(i + 1).map((other) => [one, other]));
  const paper = hone.color("paper");
  const light = (color) => times([[0.2126, 0.7152, 0.0722]], linear(color))[0] + 0.05;
  const contrast = (color) => Math.max(light(color), light(paper)) / Math.min(light(color), light(paper));
  return {
    nearest: Math.min(...pairs.map(([one, other]) => distance(one.color, other.color))),
    contrast: Math.min(...looks.map((one) => contrast(one.color))),
    shapes: new Set(looks.map((one) => [one.shape, one.rotation, one.hollow].join())).size,
    dashes: new Set(looks.slice(0, 8).map((one) => one.dash.join())).size,
    many: new Set(hone.looks(Array(40).fill({ role: "plain" })).map((one) =>
      [one.color, one.shape, one.rotation, one.hollow, one.dash].join())).size,
  };
)";

TEST_F(PageBehaviour, DistinguishesEightSeriesWithoutColour) {
  openReport(addTune(3));
  for (const char* scheme : {"light", "dark"}) {
    ASSERT_TRUE(browser().prefer(scheme));
    const nlohmann::json looks = run(kLooks);
    EXPECT_EQ(looks.at("shapes"), 10) << scheme;
    EXPECT_EQ(looks.at("dashes"), 8) << scheme;
    EXPECT_EQ(looks.at("many"), 40) << "40 lines differ in some way";
    EXPECT_GT(looks.at("nearest"), 15) << scheme;
    EXPECT_GT(looks.at("contrast"), 2) << scheme;
  }
}

TEST_F(PageBehaviour, DrawsMarksOfSeriesInLegend) {
  openReport(addSplit(8));
  const nlohmann::json seen = run(std::string(kPixels) + R"(
    hone.drawAll();
    const box = [...document.querySelectorAll(".plot .canvas")].find((one) => one.honeDrawn.data.datasets.length === 8);
    const chart = box.honeDrawn;
    const pixels = pixelsOf(chart.canvas);
    const scale = chart.canvas.width / chart.canvas.offsetWidth;
    const rgb = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    /** Returns the distance between the first and the last pixel of a colour. */
    const width = ({ left, top, height }, color) => {
      const found = [];
      for (let y = Math.round(top * scale); y < (top + height) * scale; ++y) {
        for (let x = Math.round(left * scale); x < (left + 34) * scale; ++x) {
          const at = 4 * (y * chart.canvas.width + x);
          if (pixels[at + 3] > 127 && rgb(color).every((one, i) => Math.abs(one - pixels[at + i]) <= 40)) {
            found.push(x);
          }
        }
      }
      return found.length > 0 ? (Math.max(...found) - Math.min(...found)) / scale : 0;
    };
    return chart.data.datasets.map((dataset, i) => width(chart.legend.legendHitBoxes[i], dataset.borderColor));
  )");
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_THAT(seen.get<std::vector<double>>(), testing::Each(testing::Gt(18)))
      << "a piece of the line, with its dash pattern";
}

TEST_F(PageBehaviour, StartsAxesWhereTheDataIs) {
  openReport(addTune(60));
  const nlohmann::json axes = run(R"(
    hone.drawAll();
    const chartOf = (title) => [...document.querySelectorAll(".part")]
      .find((one) => one.querySelector("h3")?.textContent === title).querySelector(".canvas").honeDrawn;
    const range = ({ min, max }) => [min, max];
    const rounds = chartOf("Winner and default: time per round");
    const times = rounds.data.datasets.flatMap((one) => one.data.map((point) => point.y));
    return {
      x: range(rounds.scales.x), y: range(rounds.scales.y),
      ticks: rounds.scales.x.ticks.map((one) => one.value),
      low: Math.min(...times), high: Math.max(...times),
      bars: chartOf("Time breakdown of m.mlir").scales.x.min,
      ranges: [[{}, [98, 100]], [{}, [0.1, 10]], [{ log: true }, [0.75, 1.07]], [{}, [5]], [{}, [-2, 2]]]
        .map(([axis, values]) => range(hone.rangeOf(axis, values))),
    };
  )");
  const auto rangeOf = [&](const char* name) {
    return axes.at(name).get<std::pair<double, double>>();
  };
  const auto [left, right] = rangeOf("x");
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 1);
  EXPECT_LT(right, 21) << "20 rounds";
  EXPECT_THAT(axes.at("ticks").get<std::vector<double>>(), testing::Each(testing::Ge(1)));
  const double low = axes.at("low");
  const double high = axes.at("high");
  const auto [bottom, top] = rangeOf("y");
  EXPECT_GT(bottom, low - 0.1 * (high - low));
  EXPECT_LE(bottom, low);
  EXPECT_LT(top, high + 0.1 * (high - low));
  EXPECT_GE(top, high);
  EXPECT_EQ(axes.at("bars"), 0) << "the length of a bar is its value";
  const auto ranges = axes.at("ranges").get<std::vector<std::pair<double, double>>>();
  EXPECT_GT(ranges[0].first, 97);
  EXPECT_EQ(ranges[1].first, 0) << "no room below 0";
  EXPECT_GT(ranges[2].first, 0.7);
  EXPECT_LT(ranges[2].second, 1.15);
  EXPECT_LT(ranges[3].first, 5);
  EXPECT_LT(ranges[4].first, -2);
}

TEST_F(PageBehaviour, KeepsSpeedupInViewOnPhone) {
  const auto expectInView = [&] {
    ASSERT_TRUE(browser().resize(390, 800));
    const nlohmann::json seen = run(R"(
      const tables = [...document.querySelectorAll(".part.table .tablebox")];
      const found = tables.flatMap((box) => [...box.querySelectorAll("th")]
        .map((head, i) => ({ name: head.textContent, i, box }))
        .filter(({ name }) => /^(speedup|result)/.test(name)));
      const right = (one) => one.getBoundingClientRect().right;
      return {
        found: found.length,
        hidden: found.flatMap(({ name, i, box }) => [...box.querySelectorAll("tbody tr")].map((row) => row.children[i])
          .filter((cell) => right(cell) > right(box) + 1).map((cell) => `${name}: ${cell.textContent}`)),
        answer: right(document.querySelector(".answer .headline")) <= document.documentElement.clientWidth,
      };
    )");
    EXPECT_GT(seen.at("found"), 0);
    EXPECT_THAT(seen.at("hidden"), IsEmpty());
    EXPECT_EQ(seen.at("answer"), true);
  };
  const std::int64_t tune = addTune(20);
  const std::int64_t split = addSplit(8);
  openReport(tune);
  expectInView();
  openReport(split);
  expectInView();
  const CommandResult both =
      box().hone({"report", std::to_string(tune), std::to_string(split), "-o", "report.html"});
  ASSERT_EQ(both.code, 0) << both.err;
  ASSERT_TRUE(browser().open(box().work() / "report.html"));
  expectInView();
}

TEST_F(PageBehaviour, LeavesOutConstantKnobs) {
  openReport(addTune(20));
  const nlohmann::json seen = run(R"(
    hone.drawAll();
    const { part } = document.querySelector(".parallel .canvas").honeDrawn;
    return {
      varied: part.knobs.map((knob) => new Set(knob.values).size),
      knobs: part.knobs.length,
      note: [...document.querySelectorAll(".parallel .note")].map((one) => one.textContent).join(),
      tabs: [...document.querySelectorAll("[role=tab]")].map((one) => one.textContent),
    };
  )");
  EXPECT_EQ(seen.at("knobs"), 7) << "six knobs and the speedup";
  EXPECT_THAT(seen.at("varied").get<std::vector<int>>(), testing::Each(testing::Gt(1)));
  EXPECT_THAT(seen.at("note").get<std::string>(), HasSubstr("Constant: stages = 2."));
  EXPECT_THAT(seen.at("tabs").get<std::vector<std::string>>(),
              AllOf(Contains("unroll"), Not(Contains("stages"))));
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
