#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "report/pages/run_result.h"
#include "serve/live_store.h"

namespace hone::serve {

/// A page of the server: the id of a run, or kRunList.
using Page = std::int64_t;
inline constexpr Page kRunList = 0;

/// A document and its serialized text.
struct Content {
  nlohmann::json document;
  std::string text;
};

/// A document at a version of the store.
struct DocumentVersion {
  std::shared_ptr<const Content> content;
  std::int64_t first = 0;  ///< version at which it was built
  std::int64_t last = 0;   ///< newest version at which it was still the same
};

/// Update for a page that already has a document.
struct Update {
  enum class Kind : std::uint8_t { none, patch, whole };
  Kind kind = Kind::none;
  std::string body;  ///< JSON; an RFC 6902 patch for Kind::patch
  std::int64_t version = 0;
};

/// Builds and caches the documents of the pages. A document is built on demand, once for all
/// clients. The previous version is kept, so that clients receive only the changes.
class Documents {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Documents(LiveStore& store) : store_(store) {}

  /// Returns the document for the current store, or null if there is no such run.
  [[nodiscard]] Result<std::shared_ptr<const DocumentVersion>> current(Page page);
  /// Returns the update for a page with version `have`, or nullopt if there is no such run.
  [[nodiscard]] Result<std::optional<Update>> updateSince(Page page, std::int64_t have);

  /// Returns the earliest time to notify the page's listeners. Limits building documents for that
  /// many listeners to 1 % of a CPU.
  [[nodiscard]] Clock::time_point nextRefresh(Page page, std::size_t listeners) const;
  /// Difference between a page and the store.
  enum class Change : std::uint8_t { none, changed, gone };
  /// Returns the change since version `have`. A finished run does not change, even if the store
  /// does.
  [[nodiscard]] Result<Change> changeSince(Page page, std::int64_t have);

 private:
  struct Timing {
    Clock::time_point madeAt;
    Clock::duration cost{};
  };
  struct Entry {
    std::shared_ptr<const DocumentVersion> now;
    std::shared_ptr<const DocumentVersion> before;
    std::optional<store::RunStatus> status;  ///< run status when the document was built
    std::int64_t used = 0;                   ///< for LRU eviction
    Timing timing;
  };

  [[nodiscard]] Result<Entry> entryFor(Page page);
  [[nodiscard]] Result<std::optional<store::RunStatus>> runStatus(Page page);
  [[nodiscard]] Result<nlohmann::json> make(Page page);
  [[nodiscard]] static Update updateFrom(const Entry& entry, std::int64_t have);
  void keep(Page page, Entry entry);
  /// Drops the documents of a store that was replaced.
  void dropReplaced();
  /// Records the cost of a page: the maximum of building it and of answering a request.
  void recordCost(Page page, const Timing& made, std::int64_t answerCpuNs);

  LiveStore& store_;
  std::mutex making_;
  std::map<Page, Entry> entries_;
  report::RunResults results_;  ///< for kRunList
  std::int64_t uses_ = 0;
  std::int64_t opened_ = 0;         ///< LiveStore::opened() of the entries
  mutable std::mutex timingMutex_;  ///< separate: listeners must not wait for a build
  std::map<Page, Timing> timings_;
};

}  // namespace hone::serve
