#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/data/document.h"
#include "report/pages/gains.h"
#include "store/store.h"

namespace hone::report {

struct PageOptions {
  /// The page listens for changes (web/live.js) and draws itself anew: for `hone serve`, whose
  /// address it came from.
  bool live = false;
  std::int64_t version = 0;  ///< of a live page: what the server calls this state of the document
};

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

/// One self-contained HTML file for the run as the store has it now.
[[nodiscard]] Result<std::string> runPage(const store::Store& store, std::int64_t run,
                                          const PageOptions& options = {});

/// The document in the house's style: one HTML file that needs nothing else. In the page,
/// `hone.show(document)` draws another document in its place.
[[nodiscard]] std::string page(const Document& document, const PageOptions& options = {});
/// The same of a document's JSON.
[[nodiscard]] std::string page(const nlohmann::json& document, const PageOptions& options = {});

}  // namespace hone::report
