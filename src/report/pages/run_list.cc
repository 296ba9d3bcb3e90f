#include "report/pages/run_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/render/answer_text.h"

namespace hone::report {

Document runListDocument(std::span<const store::RunLine> all, std::size_t most) {
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
  DataTable::Column id{.name = "run", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = "/runs/"};
  DataTable::Column verb{
      .name = "verb", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column started{
      .name = "started (UTC)", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column status{
      .name = "status", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column trials{
      .name = "trials", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column device{
      .name = "device", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  DataTable::Column command{
      .name = "command", .unit = {}, .numbers = {}, .texts = {}, .leadsTo = nullptr};
  for (const store::RunLine& run : runs) {
    id.numbers.push_back(static_cast<double>(run.id));
    verb.texts.push_back(run.command);
    started.texts.push_back(run.startedAt);
    status.texts.emplace_back(nameOf(run.status));
    trials.numbers.push_back(static_cast<double>(run.trials));
    device.texts.push_back(run.device);
    command.texts.push_back(run.title);
  }
  table.columns = {std::move(id),     std::move(verb),   std::move(started), std::move(status),
                   std::move(trials), std::move(device), std::move(command)};
  document.add(table);
  return document;
}

}  // namespace hone::report
