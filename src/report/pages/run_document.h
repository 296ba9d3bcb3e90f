#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/data/document.h"
#include "report/pages/gains.h"
#include "store/store.h"

namespace hone::report {

/// Builds the page of a run from the current state of the store; fails with a user error if the run
/// does not exist.
[[nodiscard]] Result<Document> runDocument(const store::Store& store, std::int64_t run);

/// Results of several runs.
struct RunsAnswers {
  struct RunAnswer {
    std::int64_t run = 0;
    std::string command;
    std::string commandLine;  ///< "hone tune m.mlir"
    std::string result;       ///< as in the list of runs
    Document document;
    bool compared = false;  ///< contributed to `gains`
  };
  std::vector<Gain> gains;  ///< in order of the runs
  std::vector<RunAnswer> runs;
};
[[nodiscard]] Result<RunsAnswers> runsAnswers(const store::Store& store,
                                              std::span<const std::int64_t> runs);

/// Builds the page of several runs: a table of all speedups, then one tab per run.
[[nodiscard]] Document runsDocument(const RunsAnswers& answers);

}  // namespace hone::report
