#include "split/sweep/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text/csv.h"
#include "base/text/text.h"
#include "model/workload/workload.h"
#include "split/sweep/problem_reduction.h"
#include "split/sweep/result_columns.h"

namespace hone::split {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
/// Sort keys: the baseline file comes first and determines the order of the shapes, then the limits
/// ascending; no split is last.
constexpr std::int64_t kBaseline = 0;
constexpr std::int64_t kNoSplit = INT64_MAX;

struct ResultFile {
  std::int64_t limit = 0;  ///< or kBaseline, kNoSplit
  fs::path path;

  auto operator<=>(const ResultFile&) const = default;
};

/// Returns the CSV files with this prefix, by name without prefix and ".csv".
Result<std::map<std::string, fs::path>> findFiles(const fs::path& folder, std::string_view prefix) {
  std::error_code failure;
  std::map<std::string, fs::path> files;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".csv")) {
      files.emplace(name.substr(prefix.size(), name.size() - prefix.size() - 4), at->path());
    }
  }
  if (failure) {
    return userError("{}: cannot read the folder: {}", folder.string(), failure.message());
  }
  return files;
}

Result<std::vector<ResultFile>> limitFiles(const fs::path& folder) {
  std::vector<ResultFile> files;
  const auto named = HONE_TRY(findFiles(folder, "limit_"));
  for (const auto& [name, path] : named) {
    const std::string word = name.substr(0, name.find('_'));
    const auto limit = parseInt(word);
    if (word == "baseline" || word == "nosplit") {
      files.push_back({word == "baseline" ? kBaseline : kNoSplit, path});
    } else if (limit && *limit > 0 && *limit != kNoSplit) {
      files.push_back({*limit, path});
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A row of a results file. Its mean is 0 if it has no usable time.
struct TimedRow {
  std::int64_t line = 0;
  std::string arguments;
  Timing timing;
};

/// Column indices; SIZE_MAX for missing columns.
struct Columns {
  std::size_t arguments = SIZE_MAX;
  std::array<std::size_t, kTimeColumns.size()> times{};
};

Result<Columns> findColumns(const std::vector<std::string>& header) {
  const auto findColumn = [&](std::string_view name) {
    const auto at = std::find_if(header.begin(), header.end(),
                                 [&](const std::string& cell) { return trim(cell) == name; });
    return at == header.end() ? SIZE_MAX : static_cast<std::size_t>(at - header.begin());
  };
  Columns columns;
  columns.arguments = findColumn(kArgumentsColumn);
  if (columns.arguments == SIZE_MAX) {
    return userError("missing column '{}'", kArgumentsColumn);
  }
  for (std::size_t i = 0; i < kTimeColumns.size(); ++i) {
    columns.times[i] = findColumn(kTimeColumns[i].name);
    if (columns.times[i] == SIZE_MAX && kTimeColumns[i].member == &Timing::meanUs) {
      return userError("missing column '{}'; expected the times of IREE's BOO driver",
                       kTimeColumns[i].name);
    }
  }
  return columns;
}

/// Returns true for plausible times, between a picosecond and 30 years; keeps ratios finite.
bool isTime(double us) { return us > 1e-6 && us < 1e15; }

TimedRow timedRow(const CsvRow& row, const Columns& columns) {
  const auto cell = [&](std::size_t place) {
    return place < row.cells.size() ? trim(row.cells[place]) : std::string_view();
  };
  TimedRow timed{row.line, std::string(cell(columns.arguments)), {}};
  for (std::size_t i = 0; i < kTimeColumns.size(); ++i) {
    const auto value = parseDouble(cell(columns.times[i]));
    timed.timing.*kTimeColumns[i].member = value && isTime(*value) ? *value : 0;
  }
  return timed;
}

/// Reads the rows below the header; returns none for an empty file, which an interrupted run may
/// leave.
Result<std::vector<TimedRow>> readRows(const fs::path& file) {
  const auto parse = [](std::string_view text) -> Result<std::vector<TimedRow>> {
    text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
    const std::vector<CsvRow> rows = HONE_TRY(parseCsv(text));
    std::vector<TimedRow> timed;
    if (trim(text).empty()) {
      return timed;
    }
    const Columns columns = HONE_TRY(findColumns(rows.front().cells));
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].cells.size() > 1 || !trim(rows[i].cells.front()).empty()) {
        timed.push_back(timedRow(rows[i], columns));
      }
    }
    return timed;
  };
  const std::string text = HONE_TRY(readFile(file));
  auto rows = parse(text);
  return rows ? std::move(rows) : within(file.string(), rows.error());
}

Result<model::Reduction> parseReduction(const std::string& line) {
  const auto problems = HONE_TRY(model::problemsFromLine(line));
  if (problems.empty()) {
    return userError("no problem found");
  }
  HONE_CHECK(model::check(problems.front()));
  const auto reduction = findReduction(problems.front());
  if (!reduction) {
    return userError("no reduction that can be split");
  }
  return *reduction;
}

class Reader {
 public:
  Result<void> add(const ResultFile& file) {
    const std::vector<TimedRow> rows = HONE_TRY(readRows(file.path));
    const std::string name = file.path.filename().string();
    for (const TimedRow& row : rows) {
      const auto skip = [&](std::string_view why) {
        ++sweep_.skippedRows;
        sweep_.failures.push_back(fmt::format("{}:{}: {}", name, row.line, why));
      };
      const Result<model::Reduction>& reduction = knownReduction(row.arguments);
      if (!reduction) {
        skip(reduction.error().message);
        continue;
      }
      ShapeResult& shape = findOrAddShape(row.arguments, *reduction);
      if (row.timing.meanUs > 0) {
        put(shape, file.limit, row.timing);
      } else {
        skip("no time");
      }
    }
    if (file.limit != kBaseline && file.limit != kNoSplit) {
      limits_.insert(file.limit);
    }
    return {};
  }

  SweepResult take() {
    sweep_.limits.assign(limits_.begin(), limits_.end());
    return std::move(sweep_);
  }

 private:
  /// Caches the result: every file has the same lines.
  const Result<model::Reduction>& knownReduction(const std::string& line) {
    const auto at = reductions_.find(line);
    return at == reductions_.end() ? reductions_.emplace(line, parseReduction(line)).first->second
                                   : at->second;
  }

  ShapeResult& findOrAddShape(const std::string& arguments, const model::Reduction& reduction) {
    const auto [at, isNew] = places_.try_emplace(arguments, sweep_.shapes.size());
    if (isNew) {
      sweep_.shapes.push_back({arguments, reduction, {}, {}, {}});
    }
    return sweep_.shapes[at->second];
  }

  static void put(ShapeResult& shape, std::int64_t limit, const Timing& timing) {
    if (limit == kBaseline) {
      shape.baseline = timing;
    } else if (limit == kNoSplit) {
      shape.noSplit = timing;
    } else {
      shape.limits[limit] = timing;
    }
  }

  SweepResult sweep_;
  std::set<std::int64_t> limits_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, Result<model::Reduction>> reductions_;
};

}  // namespace

Result<SweepResult> readResults(const fs::path& folder) {
  const std::vector<ResultFile> files = HONE_TRY(limitFiles(folder));
  Reader reader;
  for (const ResultFile& file : files) {
    HONE_CHECK(reader.add(file));
  }
  SweepResult sweep = reader.take();
  if (sweep.limits.empty()) {
    return userError(
        "{}: no results found (limit_<number>_<name>.csv); run hone split full, or specify the "
        "folder that contains them",
        folder.string());
  }
  return sweep;
}

Result<Validation> readValidation(const fs::path& folder, const SweepResult& sweep) {
  Validation validation;
  const auto files = HONE_TRY(findFiles(folder, "optimized_config_"));
  if (files.empty()) {
    return validation;
  }
  std::map<std::string, Timing> times;
  for (const auto& [stem, path] : files) {
    const auto rows = HONE_TRY(readRows(path));
    for (const TimedRow& row : rows) {
      if (row.timing.meanUs > 0) {
        times[row.arguments] = row.timing;
      }
    }
  }
  for (const ShapeResult& shape : sweep.shapes) {
    const auto time = times.find(shape.arguments);
    if (!shape.baseline || time == times.end()) {
      ++(shape.baseline ? validation.failed : validation.withoutBaseline);
      continue;
    }
    // A mean is never compared with a minimum.
    const bool spread = time->second.minUs > 0 && shape.baseline->minUs > 0;
    const double baseline = spread ? shape.baseline->timeUs() : shape.baseline->meanUs;
    const double tuned = spread ? time->second.timeUs() : time->second.meanUs;
    validation.shapes.push_back(
        {shape.arguments, baseline, tuned, std::nullopt, compareTimes(baseline, tuned)});
  }
  return validation;
}

}  // namespace hone::split
