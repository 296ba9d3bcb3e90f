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

/// What the page of a run shows, as the store has it now. Unknown runs are a user error.
[[nodiscard]] Result<Document> runDocument(const store::Store& store, std::int64_t run);

/// What several runs came to.
struct RunsAnswers {
  struct Of {
    std::int64_t run = 0;
    std::string verb;
    std::string command;  ///< "hone tune m.mlir"
    Document document;
    bool compared = false;  ///< some of the gains are its own
  };
  std::vector<Gain> gains;  ///< in the order of the runs
  std::vector<Of> runs;
};
[[nodiscard]] Result<RunsAnswers> runsAnswers(const store::Store& store,
                                              std::span<const std::int64_t> runs);

/// Several runs: what got faster in one table, then each of them under a tab of its own.
[[nodiscard]] Document runsDocument(const RunsAnswers& answers);

}  // namespace hone::report
