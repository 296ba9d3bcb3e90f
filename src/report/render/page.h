#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "report/data/document.h"
#include "store/store.h"

namespace hone::report {

struct PageOptions {
  /// The page listens for changes (web/live.js) and draws itself anew: for `hone serve`, whose
  /// address it came from.
  bool live = false;
  std::int64_t version = 0;  ///< of a live page: what the server calls this state of the document
};

/// One self-contained HTML file for the run as the store has it now.
[[nodiscard]] Result<std::string> runPage(const store::Store& store, std::int64_t run,
                                          const PageOptions& options = {});

/// The document in the house's style: one HTML file that needs nothing else. In the page,
/// `hone.show(document)` draws another document in its place.
[[nodiscard]] std::string page(const Document& document, const PageOptions& options = {});
/// The same of a document's JSON.
[[nodiscard]] std::string page(const nlohmann::json& document, const PageOptions& options = {});

}  // namespace hone::report
