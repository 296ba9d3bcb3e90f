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
#include "serve/live_store.h"

namespace hone::serve {

/// A page of the server: a run's, or the list of runs.
using Page = std::int64_t;
inline constexpr Page kRunList = 0;

/// A document, and its text.
struct Content {
  nlohmann::json document;
  std::string text;
};

/// A document as it was at a version of the store.
struct Made {
  std::shared_ptr<const Content> content;
  std::int64_t first = 0;  ///< the version that it was made at
  std::int64_t last = 0;   ///< the newest version at which it was still the same
};

/// What a page that has a document is to be sent.
struct Update {
  enum class Kind : std::uint8_t { none, patch, whole };
  Kind kind = Kind::none;
  std::string body;  ///< JSON; of a patch as RFC 6902 has it
  std::int64_t version = 0;
};

/// The documents behind the pages: made when asked for, once for all who ask, and kept for a while,
/// so that a page that has one is sent only what changed since.
class Documents {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Documents(LiveStore& store) : store_(store) {}

  /// As the store is now; null where there is no such run.
  [[nodiscard]] Result<std::shared_ptr<const Made>> current(Page page);
  /// What is new for a page that has the document of version `have`; nothing: no such run.
  [[nodiscard]] Result<std::optional<Update>> since(Page page, std::int64_t have);

  /// When the page may next be told to ask again: with so many listeners, making documents takes no
  /// more than a hundredth of a CPU.
  [[nodiscard]] Clock::time_point due(Page page, std::size_t listeners) const;
  /// Whether there may be anything new for a page that has the document of version `have`: a run
  /// that is over does not change any more, whatever else happens in the store.
  enum class News : std::uint8_t { none, changed, gone };
  [[nodiscard]] Result<News> newsFor(Page page, std::int64_t have);

 private:
  struct Timing {
    Clock::time_point madeAt;
    Clock::duration cost{};
  };
  struct Entry {
    std::shared_ptr<const Made> now;
    std::shared_ptr<const Made> before;
    std::optional<store::RunStatus> status;  ///< of the run, when it was made
    std::int64_t used = 0;                   ///< for forgetting the longest unused
    Timing timing;
  };

  [[nodiscard]] Result<Entry> entryFor(Page page);
  [[nodiscard]] Result<std::optional<store::RunStatus>> statusOf(Page page);
  [[nodiscard]] Result<nlohmann::json> make(Page page);
  [[nodiscard]] static Update updateFrom(const Entry& entry, std::int64_t have);
  void keep(Page page, Entry entry);
  /// What was made of a store that is not there any more.
  void forgetReplaced();
  /// What the page cost since it was made: making it, or the dearest answer.
  void note(Page page, const Timing& made, std::int64_t answerCpuNs);

  LiveStore& store_;
  std::mutex making_;
  std::map<Page, Entry> entries_;
  std::int64_t uses_ = 0;
  std::int64_t opened_ = 0;         ///< the store that the entries are of
  mutable std::mutex timingMutex_;  ///< apart: who waits must not wait for a document
  std::map<Page, Timing> timings_;
};

}  // namespace hone::serve
