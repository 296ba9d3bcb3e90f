// Measures reports of tuning runs with 100 and 10,000 trials: CPU time of rendering, file size, and
// the browser's time from the start of navigation to the drawn page. A report of 10,000 trials
// should open within a second.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "browser/sample_runs.h"
#include "browser/web_driver.h"
#include "report/render/page.h"
#include "report/render/table.h"
#include "stats/summary.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::int64_t kOpenings = 5;
constexpr double kMaxDrawMs = 1000;  ///< until the report is drawn, for any number of trials

struct Figures {
  double makeMs = 0;
  double bytes = 0;
  double paintMs = 0;  ///< until the first content is visible
  double drawnMs = 0;  ///< until the visible plots are drawn
};

Result<void> openOnce(test::Browser& browser, const std::filesystem::path& file,
                      std::vector<double>& paintMs, std::vector<double>& drawnMs) {
  HONE_CHECK(browser.open(file));
  const nlohmann::json times = HONE_TRY(browser.run(R"(
    return new Promise((done) => {
      const look = () => {
        const drawn = performance.getEntriesByName("hone-drawn")[0];
        const paint = performance.getEntriesByName("first-contentful-paint")[0];
        drawn && paint ? done([paint.startTime, drawn.startTime]) : setTimeout(look, 5);
      };
      look();
    });
  )"));
  paintMs.push_back(times.at(0));
  drawnMs.push_back(times.at(1));
  return {};
}

Result<Figures> measure(test::Browser& browser, const std::filesystem::path& folder,
                        std::size_t trials, std::int64_t openings) {
  auto store = HONE_TRY(
      store::Store::open(folder / fmt::format("{}.db", trials), store::Store::Mode::write));
  const std::int64_t run = HONE_TRY(test::addTuneRun(store, trials, "model.mlir"));
  Figures figures{.makeMs = 1e300};
  const std::filesystem::path file = folder / fmt::format("{}.html", trials);
  std::vector<double> paintMs;
  std::vector<double> drawnMs;
  for (std::int64_t i = 0; i < openings; ++i) {
    const std::int64_t start = ownCpuNs();
    const std::string page = HONE_TRY(report::runPage(store, run));
    figures.makeMs = std::min(figures.makeMs, static_cast<double>(ownCpuNs() - start) / 1e6);
    figures.bytes = static_cast<double>(page.size());
    HONE_CHECK(writeFile(file, page));
    HONE_CHECK(openOnce(browser, file, paintMs, drawnMs));
  }
  figures.paintMs = stats::median(paintMs);
  figures.drawnMs = stats::median(drawnMs);
  return figures;
}

Result<void> measureAll(const Options& options) {
  if (!test::Browser::isThere()) {
    return machineError(
        "no chromium and chromedriver found; run scripts/setup --browser to install them");
  }
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-report-size"));
  test::Browser browser = HONE_TRY(test::Browser::start());
  using report::Align;
  report::Table table({{"trials", Align::right},
                       {"render, CPU ms", Align::right},
                       {"file kB", Align::right},
                       {"first paint ms", Align::right},
                       {"drawn ms", Align::right},
                       {"within a second"}});
  for (const std::size_t trials : {std::size_t{100}, std::size_t{10'000}}) {
    const Figures figures =
        HONE_TRY(measure(browser, folder.path(), trials, options.quick ? 2 : kOpenings));
    table.add({std::to_string(trials), fmt::format("{:.1f}", figures.makeMs),
               fmt::format("{:.0f}", figures.bytes / 1000), fmt::format("{:.0f}", figures.paintMs),
               fmt::format("{:.0f}", figures.drawnMs),
               figures.drawnMs <= kMaxDrawMs ? "met" : "missed"});
  }
  fmt::print("{}", table.text());
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("report_size", argc, argv, hone::bench::measureAll);
}
