// Pages of `hone serve` in a browser: they follow a run without a reload.
#include <fmt/format.h>

#include <future>

#include "browser/page_test.h"
#include "store/progress_file.h"
#include "store/store.h"
#include "tests/serve/served.h"

namespace hone::test {
namespace {

using testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef-token";

class LivePage : public PageTest {
 protected:
  void open(const Served& served, const std::string& path) {
    ASSERT_TRUE(browser().open(fmt::format("http://127.0.0.1:{}{}", served.port(), path)));
    run("window.loadedOnce = true; return 1");
  }
  /// Expects that the page was not reloaded since open().
  void expectNotReloaded() { EXPECT_EQ(run("return window.loadedOnce === true"), true); }
  [[nodiscard]] std::string text() {
    return run("return document.body.innerText").get<std::string>();
  }
  /// Returns true if the document contains `what`, shown or folded.
  [[nodiscard]] bool says(const std::string& what) {
    return run("return JSON.stringify(hone.document)").get<std::string>().contains(what);
  }
  [[nodiscard]] store::Store writer() {
    return store::Store::open(box().store(), store::Store::Mode::write).value();
  }
  static std::int64_t addRun(store::Store& store) {
    store::Run run;
    run.command = "bench";
    run.arguments = {"bench", "m.mlir"};
    run.device = "local-sync";
    return store.addRun(run).value();
  }
  static void addTrial(store::Store& store, std::int64_t run, const std::string& name,
                       double ns = 1e6) {
    store::Trial trial;
    trial.key = trial.config.name = name;
    trial.problem = "matmul";
    const model::Sample sample{.stage = model::Stage::screen, .wallNs = ns, .cpuNs = ns};
    ASSERT_TRUE(store.addTrial(run, trial, {{sample}}));
  }
};

TEST_F(LivePage, FollowsRunTrialByTrial) {
  store::Store store = writer();
  const std::int64_t id = addRun(store);
  addTrial(store, id, "first trial");
  const Served served(box());
  open(served, "/runs/1");
  run("document.querySelector('details.block').open = true; return 1");
  EXPECT_TRUE(eventually([&] { return text().contains("first trial"); }));
  std::string picture;
  double ns = 1e6;
  for (const char* name : {"second <b>trial</b>", "third trial"}) {
    addTrial(store, id, name, ns /= 2);
    EXPECT_TRUE(eventually([&] { return text().contains(name); })) << text();
    expectDrawn();
    const std::string before = picture;
    picture = run("return document.querySelector('.canvas canvas').toDataURL()");
    EXPECT_NE(picture, before) << "one more bar";
  }
  EXPECT_THAT(text(), HasSubstr("first trial")) << "earlier trials stay";
  EXPECT_EQ(run("return document.querySelectorAll('#page b').length"), 0);
  ASSERT_TRUE(store.finishRun(id, store::RunStatus::finished, {{"candidates", {}}}));
  EXPECT_TRUE(eventually([&] { return text().contains("finished; 3 trials"); })) << text();
  expectNotReloaded();
  expectQuietConsole();
}

TEST_F(LivePage, ReportsDrawErrorAndContinues) {
  store::Store store = writer();
  const std::int64_t id = addRun(store);
  const Served served(box());
  open(served, "/runs/1");
  run("const real = hone.show;"
      "hone.show = () => { hone.show = real; throw new Error('cannot draw this'); }; return 1");
  addTrial(store, id, "first trial");
  std::vector<std::string> said;
  EXPECT_TRUE(eventually([&] {
    const auto lines = browser().console().value();
    said.insert(said.end(), lines.begin(), lines.end());
    return !said.empty();
  }));
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr("cannot draw this")));
  EXPECT_FALSE(says("first trial")) << "the failed update is discarded";
  addTrial(store, id, "second trial");
  EXPECT_TRUE(eventually([&] { return says("second trial"); }));
  EXPECT_TRUE(says("first trial")) << "it was requested again";
  expectQuietConsole();
}

TEST_F(LivePage, UpdatesWhileFilterIsFocused) {
  store::Store store = writer();
  for (int i = 0; i < 12; ++i) {
    addRun(store);
  }
  const Served served(box());
  open(served, "/");
  run("const input = document.querySelector('input[type=search]'); input.focus();"
      "input.value = 'bench'; input.dispatchEvent(new Event('input'));"
      "input.setSelectionRange(1, 3); return 1");
  addRun(store);
  EXPECT_TRUE(eventually([&] { return text().contains("13 rows"); })) << text();
  EXPECT_EQ(run("const input = document.activeElement;"
                "return [input.type, input.value, input.selectionStart, input.selectionEnd]"),
            nlohmann::json({"search", "bench", 1, 3}));
  expectQuietConsole();
}

TEST_F(LivePage, KeepsTableState) {
  store::Store store = writer();
  for (int i = 0; i < 12; ++i) {
    addRun(store);
  }
  const Served served(box());
  open(served, "/");
  run("const input = document.querySelector('input[type=search]'); input.value = 'bench';"
      "input.dispatchEvent(new Event('input'));"
      "document.querySelector('th button').click(); return 1");
  const auto first = [&] {
    return run("return document.querySelector('tbody tr td').textContent").get<std::string>();
  };
  EXPECT_EQ(first(), "1") << "sorted by run, ascending";
  addRun(store);
  EXPECT_TRUE(eventually([&] { return text().contains("13 rows"); })) << text();
  EXPECT_EQ(first(), "1");
  EXPECT_EQ(run("return document.querySelector('input[type=search]').value"), "bench");
  run("document.querySelector('tbody a').click(); return 1");
  EXPECT_TRUE(eventually([&] { return run("return location.pathname") == "/runs/1"; }));
  expectQuietConsole();
}

TEST_F(LivePage, ListShowsResultsOnPhone) {
  store::Store store = writer();
  addRun(store);
  const std::int64_t failed = addRun(store);
  ASSERT_TRUE(store.finishRun(failed, store::RunStatus::failed,
                              {{"error", "m.mlir has an operation that does not compile"}}));
  const Served served(box());
  ASSERT_TRUE(browser().resize(390, 800));
  open(served, "/");
  const nlohmann::json seen = run(R"(
    const edge = document.querySelector(".tablebox").getBoundingClientRect().right;
    const number = [...document.querySelectorAll("th")].findIndex((one) => one.textContent === "result");
    return [...document.querySelectorAll("tbody tr")].map((row) => row.children[number])
      .map((cell) => [cell.textContent, cell.getBoundingClientRect().right <= edge]);
  )");
  EXPECT_EQ(
      seen,
      nlohmann::json::array(
          {nlohmann::json::array({"failed: m.mlir has an operation that does not compile", true}),
           nlohmann::json::array({"not finished: 0 trials so far", true})}));
  expectQuietConsole();
}

/// A running search with nested tabs, plots and a folded table.
class LiveTune : public LivePage {
 protected:
  void begin(store::Store& store) {
    store::Run run;
    run.command = "tune";
    run.arguments = {"tune", "m.mlir"};
    run.device = "local-sync";
    for (const char* scope : {"m_dispatch_0", "m_dispatch_1"}) {
      run.details.spaces[scope] = {{.name = "rows"}, {.name = "peel"}};
    }
    run_ = store.addRun(run).value();
    for (const char* scope : {"m_dispatch_0", "m_dispatch_1"}) {
      add(store, scope, "default");
      for (int rows = 4; rows <= 7; ++rows) {
        add(store, scope, fmt::format("rows={} peel={}", rows, rows % 2));
      }
    }
  }
  void add(store::Store& store, const std::string& scope, const std::string& name) {
    store::Trial trial;
    trial.key = fmt::format("{} {}", scope, name);
    trial.config.name = name;
    trial.details.scope = scope;
    trial.details.screenNs = 1000 + ++added_;
    trial.details.atMs = added_;
    ASSERT_TRUE(store.addTrial(run_, trial, {}));
  }
  /// Returns the visible state of tabs, folds, filters and tables.
  [[nodiscard]] nlohmann::json seen() {
    return run(R"(
      const texts = (which) => [...document.querySelectorAll(which)].map((one) => one.textContent);
      const block = document.querySelector("details.block");
      return {
        tabs: texts(".tablist [aria-selected=true]"),
        numbers: [...document.querySelectorAll("details.numbers")].map((one) => one.open),
        filter: block.querySelector("input").value,
        sorted: [...block.querySelectorAll("th")].map((one) => one.getAttribute("aria-sort")),
        rows: [...block.querySelectorAll("tbody tr")].map((row) => row.children[2].textContent),
      };
    )");
  }

 private:
  std::int64_t run_ = 0;
  int added_ = 0;
};

TEST_F(LiveTune, KeepsTabsAndFolds) {
  store::Store store = writer();
  begin(store);
  const Served served(box());
  open(served, "/runs/1");
  run(R"(
    const opened = (fold) => new Promise((done) => {
      fold.addEventListener("toggle", done, { once: true });
      fold.open = true;
    });
    const tab = (name) => [...document.querySelectorAll("[role=tab]")].find((one) => one.textContent === name);
    tab("over time").click();
    tab("dispatch_1").click();
    tab("peel").click();
    const block = document.querySelector("details.block");
    return Promise.all([opened(block), opened([...document.querySelectorAll("details.numbers")].at(-1))]).then(() => {
      const filter = block.querySelector("input");
      filter.value = "peel=1";
      filter.dispatchEvent(new Event("input"));
      const heading = block.querySelectorAll("th button")[2];
      heading.click();
      heading.click();
      return 1;
    });
  )");
  nlohmann::json left = seen();
  EXPECT_EQ(left.at("tabs"), nlohmann::json({"over time", "dispatch_1", "peel"}));
  EXPECT_EQ(left.at("rows"),
            nlohmann::json({"rows=7 peel=1", "rows=7 peel=1", "rows=5 peel=1", "rows=5 peel=1"}));
  add(store, "m_dispatch_0", "rows=9 peel=1");
  EXPECT_TRUE(eventually([&] { return says("rows=9 peel=1"); }));
  left.at("rows").insert(left.at("rows").begin(), "rows=9 peel=1");
  EXPECT_EQ(seen(), left);
  expectNotReloaded();
  expectQuietConsole();
}

TEST_F(LiveTune, KeepsPlotStateAndScrollPosition) {
  store::Store store = writer();
  begin(store);
  for (int rows = 10; rows < 40; ++rows) {
    add(store, "m_dispatch_0", fmt::format("rows={} peel=0", rows));
  }
  const Served served(box());
  open(served, "/runs/1");
  const std::string seen = std::string(kPixels) + R"(
    hone.drawAll();
    const plot = document.querySelector(".plot .canvas").honeDrawn;
    return {
      hidden: plot.data.datasets.filter((_, i) => !plot.isDatasetVisible(i)).map((one) => one.label),
      scrolled: document.querySelector("details.block .tablebox").scrollTop,
      orange: (() => {  // the selected value has a box in the winner's colour
        const data = pixelsOf(document.querySelector(".parallel canvas"));
        return data.some((_, i) => i % 4 === 0 && data[i] > 180 && data[i + 2] < 60 && data[i + 3] > 180);
      })(),
    };
  )";
  const std::string act = R"(
    hone.drawAll();
    const plot = document.querySelector(".plot .canvas").honeDrawn;
    const item = plot.legend.legendItems.at(-1);
    plot.options.plugins.legend.onClick.call(plot.legend, {}, item, plot.legend);
    const box = document.querySelector(".parallel .canvas");
    const canvas = box.querySelector("canvas");
    const place = canvas.getBoundingClientRect();
    const [x, y] = box.honeDrawn.at(1, 0);
    canvas.dispatchEvent(new MouseEvent("click", { clientX: place.left + x, clientY: place.top + y }));
    const block = document.querySelector("details.block");
    return new Promise((done) => {
      block.addEventListener("toggle", done, { once: true });
      block.open = true;
    }).then(() => { block.querySelector(".tablebox").scrollTop = 90; return 1; });
  )";
  run(act);
  const nlohmann::json left = run(seen);
  EXPECT_EQ(left,
            nlohmann::json({{"hidden", {"all candidates"}}, {"scrolled", 90}, {"orange", true}}));
  add(store, "m_dispatch_0", "rows=99 peel=1");
  EXPECT_TRUE(eventually([&] { return says("rows=99 peel=1"); }));
  EXPECT_EQ(run(seen), left);
  expectNotReloaded();
  expectQuietConsole();
}

TEST_F(LivePage, ShowsProgress) {
  store::Store store = writer();
  const std::int64_t id = addRun(store);
  Served served(box());
  open(served, "/runs/1");
  {
    store::ProgressFile file(box().store(), id);
    file.see({.stage = "race",
              .done = 3,
              .total = 9,
              .best = "<i>5 ms</i>",
              .note = "a note",
              .secondsLeft = 70},
             true);
    EXPECT_TRUE(eventually([&] { return text().contains("race 3/9"); }));
    EXPECT_THAT(text(), HasSubstr("best <i>5 ms</i>"));
    EXPECT_THAT(text(), HasSubstr("1 min left"));
  }
  EXPECT_TRUE(eventually([&] { return !text().contains("race 3/9"); })) << "the run is finished";
  served.process().signal(SIGTERM);
  EXPECT_EQ(served.process().wait().code, 0);
  EXPECT_TRUE(eventually([&] { return text().contains("does not respond"); }));
  expectNotReloaded();
}

TEST_F(LivePage, ListensOnlyWhileVisibleAndReconnects) {
  store::Store store = writer();
  const std::int64_t id = addRun(store);
  const Served served(box());
  open(served, "/runs/1");
  run(R"(
    window.heard = [];
    const Real = EventSource;
    window.EventSource = class extends Real { constructor(address) { super(address); heard.push(this); } };
    const soon = setTimeout;
    window.setTimeout = (action, ms, ...more) => (ms < 30_000 ? soon(action, ms, ...more) : (window.later = action, 0));
    return 1;
  )");
  const auto hide = [&](bool hidden) {
    run("const hidden = arguments[0];"
        "Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });"
        "document.dispatchEvent(new Event('visibilitychange')); return 1",
        {hidden});
  };
  hide(false);
  hide(true);
  EXPECT_EQ(run("return heard.map((one) => one.readyState)"), nlohmann::json::array({2}))
      << "closed, none reopened";
  addTrial(store, id, "while hidden");
  hide(false);
  EXPECT_TRUE(eventually([&] { return says("while hidden"); }));
  run("heard.at(-1).close(); heard.at(-1).dispatchEvent(new Event('error')); return 1");
  EXPECT_THAT(text(), HasSubstr("does not respond"));
  addTrial(store, id, "while it was refused");
  run("later(); return 1");
  EXPECT_TRUE(eventually([&] { return says("while it was refused"); }));
  EXPECT_TRUE(eventually([&] { return !text().contains("does not respond"); }));
  EXPECT_EQ(run("return heard.length"), 3);
  expectNotReloaded();
  expectQuietConsole();
}

TEST_F(LivePage, ShowsNewBenchInList) {
  box().write("m.mlir", matmulText(64, 64, 64));
  const Served served(box());
  open(served, "/");
  EXPECT_THAT(text(), HasSubstr("No runs yet"));
  const CommandResult ran = box().hone({"bench", "m.mlir", "--rounds", "5", "--quiet"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(eventually([&] { return text().contains("finished"); })) << text();
  expectNotReloaded();
  open(served, "/runs/1");
  EXPECT_THAT(text(), HasSubstr("All runs"));
  expectDrawn();
  expectNoHorizontalScrolling();
  expectQuietConsole();
}

TEST_F(LivePage, AsksForTokenOnce) {
  box().setVariable("HONE_TOKEN", kToken);
  const Served served(box(), {"--token-from", "HONE_TOKEN"});
  ASSERT_TRUE(browser().open(fmt::format("http://127.0.0.1:{}/", served.port())));
  EXPECT_THAT(text(), HasSubstr("Token"));
  run("document.getElementById('token').value = arguments[0];"
      "document.getElementById('open').click(); return 1",
      {kToken});
  EXPECT_TRUE(eventually([&] { return text().contains("No runs yet"); }));
  EXPECT_THAT(run("return location.href").get<std::string>(), testing::Not(HasSubstr(kToken)));
  store::Store store = writer();
  addRun(store);
  EXPECT_TRUE(eventually([&] { return text().contains("m.mlir"); }))
      << "events need the token, too";
}

class ComparePage : public LivePage {};

TEST_F(ComparePage, ShowsRegressions) {
  box().write("m.mlir", matmulText(32, 32, 32));
  ASSERT_EQ(box().hone({"bench", "m.mlir", "--rounds", "10", "--quiet"}).code, 0);
  box().write("m.mlir", matmulText(128, 128, 128));
  ASSERT_EQ(box().hone({"bench", "m.mlir", "--rounds", "10", "--quiet"}).code, 0);
  ASSERT_EQ(box().hone({"compare", "1", "2", "--html", "compare.html"}).code, 1);
  ASSERT_TRUE(browser().open(box().work() / "compare.html"));
  EXPECT_EQ(headline(), "1 of 1 slower or broken.");
  expectGoodPage();
}

}  // namespace
}  // namespace hone::test
