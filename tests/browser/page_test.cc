#include "browser/page_test.h"

#include <fmt/format.h>

namespace hone::test {

using nlohmann::json;
using testing::IsEmpty;
using testing::StartsWith;

const char* const PageTest::kPixels = R"(
  const pixelsOf = (canvas) => {  // of a copy: Chromium warns about repeated reads of a canvas
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    return context.getImageData(0, 0, copy.width, copy.height).data;
  };
)";

void PageTest::SetUp() {
  if (!Browser::isThere()) {
    GTEST_SKIP() << "chromium or chromedriver not found; run scripts/setup --browser";
  }
  auto started = Browser::start();
  ASSERT_TRUE(started) << started.error().message;
  browser_.emplace(std::move(*started));
}

void PageTest::openReport(std::int64_t run) {
  const CommandResult ran = box_.hone({"report", std::to_string(run), "-o", "report.html"});
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
  expectNumbers();
  EXPECT_THAT(run("return performance.getEntriesByType('resource').map((one) => one.name)"),
              IsEmpty());
  expectNoHorizontalScrolling();
  expectPrints();
  expectQuietConsole();
}

void PageTest::expectQuietConsole() {
  const auto lines = browser_->console();
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_THAT(*lines, IsEmpty());
}

void PageTest::expectDrawn() {
  const json canvases = run(std::string(kPixels) + R"(
    hone.drawAll();
    const kNear = 3;  // pixels around a place, for hatched bars and small shapes
    const kAlike = 48;
    const pixelsAt = (canvas, x, y, around) => {
      const scale = canvas.width / canvas.offsetWidth;
      const side = 2 * around + 1;
      const [left, top] = [x, y].map((one) => Math.round(one * scale) - around);
      return Array.from({ length: side * side }, (_, i) => {
        const at = 4 * ((top + Math.floor(i / side)) * canvas.width + left + (i % side));
        return [...canvas.pixels.slice(at, at + 4)];
      });
    };
    const rgb = (color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
    const has = (canvas, [x, y], color) => pixelsAt(canvas, x, y, kNear).some((pixel) =>
      pixel[3] > 60 && rgb(color).every((one, i) => Math.abs(one - pixel[i]) <= kAlike));

    /** Where a series should have its colour: at its points, and in its bars that are long enough, beside the middle. */
    const placesIn = (chart, number) => chart.getDatasetMeta(number).data
      .filter((one) => Number.isFinite(one.x) && Number.isFinite(one.y) && !(Math.abs(one.x - one.base) <= 6))
      .map((one) => (one.base === undefined ? [one.x, one.y] : [(one.x + one.base) / 2, one.y + one.height / 4]));
    /** Every series has its colour in one of its places, unless all of them lie under what is drawn later. */
    const lackOfChart = (chart) => chart.data.datasets.flatMap((dataset, number) => {
      const order = (one) => chart.data.datasets[one].order ?? 0;
      const over = chart.data.datasets.flatMap((_, other) =>
        order(other) < order(number) || (order(other) === order(number) && other < number) ? placesIn(chart, other) : []);
      const free = ([x, y]) => over.every(([left, top]) => Math.hypot(left - x, top - y) > 8);
      const places = chart.isDatasetVisible(number) ? placesIn(chart, number) : [];
      const seen = places.some((place) => has(chart.canvas, place, dataset.borderColor)) || !places.some(free);
      return seen ? [] : [`no point of ${dataset.label}`];
    });
    /** The best of the cells that are shown is darker than the worst. */
    const lackOfHeat = ({ part, corner }, canvas) => {
      const cells = part.cells.flatMap((row, r) => row.map((value, c) => ({ value, place: corner(r, c) })))
        .filter(({ value, place }) => value !== null && place[1] + 20 <= canvas.offsetHeight - 58)
        .sort((a, b) => a.value - b.value);
      const light = ({ place: [x, y] }) => {
        const [red, green, blue, alpha] = pixelsAt(canvas, x + 3, y + 3, 0)[0];
        return alpha === 255 ? red + green + blue : -1;
      };
      const lights = cells.map(light);
      return lights.includes(-1) ? ["an empty cell"]
        : cells[0].value < cells.at(-1).value && lights[0] >= lights.at(-1) ? ["the best is not darker than the worst"] : [];
    };
    /** Every line that has both values is there between the first two axes, the winner's in its colour. */
    const lackOfLines = ({ part, at }, canvas) => {
      const [first, second, result] = [part.knobs[0], part.knobs[1], part.knobs.at(-1)].map((knob) => knob.values);
      const between = (i) => [0, 1].map((axis) => (at(0, i)[axis] + at(1, i)[axis]) / 2);
      const known = [...first.keys()].filter((i) => ![first[i], second[i], result[i]].includes(null));
      const gone = known.filter((i) => !pixelsAt(canvas, ...between(i), 1).some((pixel) => pixel[3] > 0));
      const winner = part.winner < 0 || has(canvas, between(part.winner), hone.color("winner"));
      return [...gone.slice(0, 3).map((i) => `no line of candidate ${i}`), ...(winner ? [] : ["no line of the winner"])];
    };
    /** Every node and edge is there, and every node has a size. */
    const lackOfGraph = ({ part }, graph) => {
      const nodes = [...graph.querySelectorAll(".node rect")].filter((node) => node.getBoundingClientRect().width > 0);
      return [...(nodes.length === part.nodes.length ? [] : ["a node is missing"]),
        ...(graph.querySelectorAll(".edge path").length === part.edges.length ? [] : ["an edge is missing"])];
    };
    return [...document.querySelectorAll(".canvas")].map((box) => {
      const graph = box.querySelector("svg.graph");
      if (graph) {
        return { title: graph.ariaLabel, lacks: box.honeDrawn ? lackOfGraph(box.honeDrawn, graph) : ["not drawn"] };
      }
      const canvas = box.querySelector("canvas");
      const made = box.honeDrawn;
      if (canvas) {
        canvas.pixels = pixelsOf(canvas);
      }
      const lacks = !canvas || !made ? ["not drawn"] : made.data ? lackOfChart(made) : made.corner ? lackOfHeat(made, canvas) : lackOfLines(made, canvas);
      return { title: box.parentElement.querySelector("h3")?.textContent ?? "", lacks };
    });
  )");
  EXPECT_FALSE(canvases.empty()) << "no plot";
  for (const json& canvas : canvases) {
    EXPECT_THAT(canvas.at("lacks"), IsEmpty()) << canvas;
  }
}

void PageTest::expectNumbers() {
  const json rows = run(R"(
    const opened = (fold) => new Promise((done) => {
      fold.addEventListener("toggle", done, { once: true });
      fold.open = true;
    });
    const folds = [...document.querySelectorAll("details.numbers")];
    return Promise.all(folds.filter((one) => !one.open).map(opened))
      .then(() => folds.map((fold) => fold.querySelectorAll("tbody tr").length));
  )");
  EXPECT_EQ(rows.size(), run("return document.querySelectorAll('.canvas').length"));
  EXPECT_THAT(rows.get<std::vector<int>>(), testing::Each(testing::Gt(0)));
}

void PageTest::expectNoHorizontalScrolling() {
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
  run(std::string(kPixels) + R"(
    window.atPrint = null;
    window.beforePrint = [document.querySelectorAll("[role=tab]").length, document.querySelectorAll(".canvas").length];
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;  // only a dark page can print pale ink
    addEventListener("beforeprint", () => {
      // The axis colour of a dark page.
      const isPale = (canvas) => {
        const data = pixelsOf(canvas);
        let count = 0;
        for (let i = 0; i < data.length; i += 4) {
          count += data[i + 3] > 127 && [0xa0, 0xab, 0xb6].every((one, at) => Math.abs(one - data[i + at]) <= 2) ? 1 : 0;
        }
        return count > 5;
      };
      const namesIn = (parts) => parts.flatMap((part) => part.type !== "tabs" ? []
        : [...(part.tabs.length > 1 ? part.tabs.map((tab) => tab.name) : []), ...part.tabs.flatMap((tab) => namesIn(tab.parts))]);
      const titles = [...document.querySelectorAll("h4")].map((one) => one.textContent);
      window.atPrint = {
        tabs: document.querySelectorAll("[role=tab]").length,
        untold: namesIn(hone.document.parts).filter((name) => !titles.includes(name)),
        undrawn: [...document.querySelectorAll(".canvas")].filter((box) => !box.honeDrawn).length,
        pale: [...document.querySelectorAll(":not(.heat) > .canvas > canvas")].filter((one) => dark && isPale(one)).map((one) => one.ariaLabel),
        paper: getComputedStyle(document.body).backgroundColor,
      };
    }, { once: true });
    return 1;
  )");
  const auto pdf = browser_->print();
  ASSERT_TRUE(pdf) << pdf.error().message;
  EXPECT_THAT(*pdf, StartsWith("%PDF-"));
  EXPECT_EQ(run("return atPrint"), json({{"tabs", 0},
                                         {"untold", json::array()},
                                         {"undrawn", 0},
                                         {"pale", json::array()},
                                         {"paper", "rgb(255, 255, 255)"}}));
  EXPECT_EQ(run("return [document.querySelectorAll('[role=tab]').length, "
                "document.querySelectorAll('.canvas').length]"),
            run("return beforePrint"))
      << "tabs are restored after printing";
  EXPECT_EQ(run("return document.documentElement.className"), "");
}

}  // namespace hone::test
