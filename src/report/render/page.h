#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "report/data/document.h"
#include "store/store.h"

namespace hone::report {

struct PageOptions {
  /// Follows changes through `hone serve` (web/live.js) and redraws itself.
  bool live = false;
  std::int64_t version = 0;  ///< of a live page: the server's number for this state of the document
};

/// Renders the current state of a run as one self-contained HTML file.
[[nodiscard]] Result<std::string> runPage(const store::Store& store, std::int64_t run,
                                          const PageOptions& options = {});

/// Renders a document as one self-contained HTML file. In the page, `hone.show(document)` replaces
/// the document shown.
[[nodiscard]] std::string page(const Document& document, const PageOptions& options = {});
/// As above, from the JSON of a document.
[[nodiscard]] std::string page(const nlohmann::json& document, const PageOptions& options = {});

}  // namespace hone::report
