#include "report/pages/run_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/render/answer_text.h"

namespace hone::report {

Document runListDocument(std::span<const store::RunLine> all, const RunResults& results,
                         std::size_t most) {
  const auto runs = all.first(std::min(most, all.size()));
  Document document;
  document.title = "hone: runs";
  const auto running = std::count_if(runs.begin(), runs.end(), [](const store::RunLine& run) {
    return run.status == store::RunStatus::running;
  });
  document.answer.headline = runs.empty()        ? "No runs yet."
                             : all.size() > most ? fmt::format("Latest {} runs", most)
                                                 : counted(runs.size(), "run");
  document.answer.lines = {
      runs.empty() ? "Runs of hone bench, profile, split, tune and kernel appear here."
      : running > 0
          ? fmt::format("{} not finished: running, or waiting for hone runs resume.", running)
          : "No run is in progress."};
  DataTable table;
  table.title = "Runs";
  table.empty = "The store is empty.";
  table.columns = {{.name = "run", .leadsTo = "/runs/"},
                   {.name = "verb"},
                   {.name = "result"},
                   {.name = "status"},
                   {.name = "started (UTC)"},
                   {.name = "trials"},
                   {.name = "device"},
                   {.name = "command"}};
  for (const store::RunLine& run : runs) {
    table.columns[0].numbers.push_back(static_cast<double>(run.id));
    table.columns[1].texts.push_back(run.command);
    table.columns[2].texts.push_back(results.of(run.id));
    table.columns[3].texts.emplace_back(nameOf(run.status));
    table.columns[4].texts.push_back(run.startedAt);
    table.columns[5].numbers.push_back(static_cast<double>(run.trials));
    table.columns[6].texts.push_back(run.device);
    table.columns[7].texts.push_back(run.title);
  }
  document.add(table);
  return document;
}

}  // namespace hone::report
