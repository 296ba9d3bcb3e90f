#include "split/sweep/rerun.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "split/sweep/result_files.h"

namespace hone::split {
namespace {

namespace fs = std::filesystem;

/// Returns true if the folder has a file limit_<word>_<stem>.csv; any stem if it is empty.
bool hasTable(const fs::path& folder, std::string_view stem) {
  const std::string end = stem.empty() ? ".csv" : fmt::format("_{}.csv", stem);
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), last; !failure && at != last;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("limit_") && name.ends_with(end)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool Rerun::includes(const Choice& choice) const {
  return (baseline && choice.isBaseline) || (noSplit && choice.isNoSplit) ||
         std::any_of(choice.limits.begin(), choice.limits.end(), [&](std::int64_t limit) {
           return std::find(limits.begin(), limits.end(), limit) != limits.end();
         });
}

std::string Rerun::names() const {
  Choice all;
  all.limits = limits;
  all.isBaseline = baseline;
  all.isNoSplit = noSplit;
  return all.name();
}

nlohmann::json toJson(const Rerun& rerun) {
  return {{"limits", rerun.limits}, {"baseline", rerun.baseline}, {"no_split", rerun.noSplit}};
}

Rerun rerunFrom(const nlohmann::json& json) {
  return {
      .limits = json.at("limits"), .baseline = json.at("baseline"), .noSplit = json.at("no_split")};
}

Rerun findDeleted(const fs::path& folder, std::string_view stem,
                  std::span<const std::int64_t> limits) {
  std::error_code ignored;
  // All tables may be deleted; the summary remains.
  const bool hasResults = hasTable(folder, stem) ||
                          (!hasTable(folder, "") && fs::exists(folder / kSummaryFile, ignored));
  Rerun rerun;
  if (!hasResults) {
    return rerun;
  }
  const auto isDeleted = [&](std::string_view word) {
    return !fs::exists(folder / tableFile(word, stem), ignored);
  };
  rerun.baseline = isDeleted(kBaselineTable);
  rerun.noSplit = isDeleted(kNoSplitTable);
  std::copy_if(limits.begin(), limits.end(), std::back_inserter(rerun.limits),
               [&](std::int64_t limit) { return isDeleted(std::to_string(limit)); });
  return rerun;
}

void removeTimes(ShapeResult& shape, const Rerun& rerun) {
  for (const std::int64_t limit : rerun.limits) {
    shape.limits.erase(limit);
  }
  if (rerun.baseline) {
    shape.baseline.reset();
  }
  if (rerun.noSplit) {
    shape.noSplit.reset();
  }
}

void addRerun(model::ShapeRecord& record, const model::ShapeRecord& measured) {
  for (const auto& [limit, timing] : measured.shape.limits) {
    record.shape.limits[limit] = timing;
  }
  if (measured.shape.baseline) {
    record.shape.baseline = measured.shape.baseline;
  }
  if (measured.shape.noSplit) {
    record.shape.noSplit = measured.shape.noSplit;
  }
  record.failures.insert(record.failures.end(), measured.failures.begin(), measured.failures.end());
}

}  // namespace hone::split
