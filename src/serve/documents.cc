#include "serve/documents.h"

#include <algorithm>
#include <ranges>

#include "base/clock.h"
#include "base/text/json.h"
#include "report/pages/run_document.h"
#include "report/pages/run_list.h"
#include "report/render/page.h"
#include "store/records.h"

namespace hone::serve {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxCached = 8;
constexpr std::int64_t kMaxListedRuns = 500;
/// Minimum interval between builds of a document, as a multiple of its cost.
constexpr int kCostFactor = 100;
constexpr std::chrono::seconds kRefreshPeriod{1};

bool covers(const std::shared_ptr<const DocumentVersion>& made, std::int64_t version) {
  return made != nullptr && made->first <= version && version <= made->last;
}

std::shared_ptr<const Content> makeContent(json document) {
  std::string text = jsonText(document);
  return std::make_shared<Content>(Content{std::move(document), std::move(text)});
}

bool isOver(std::optional<store::RunStatus> status) {
  return status && *status != store::RunStatus::running;
}

}  // namespace

Result<std::optional<store::RunStatus>> Documents::runStatus(Page page) {
  return store_.read([&](const store::Store& store) { return store.status(page); });
}

Result<json> Documents::make(Page page) {
  if (page != kRunList) {
    return store_.read([&](const store::Store& store) -> Result<json> {
      return HONE_TRY(report::runDocument(store, page)).json();
    });
  }
  // Reads one more than is shown, to detect that there are more.
  const auto runs = HONE_TRY(
      store_.read([this](const store::Store& store) -> Result<std::vector<store::RunLine>> {
        auto lines = HONE_TRY(store.listRuns(kMaxListedRuns + 1));
        HONE_CHECK(results_.load(store, lines));
        return lines;
      }));
  return report::runListDocument(runs, results_, kMaxListedRuns).json();
}

Result<Documents::Entry> Documents::entryFor(Page page) {
  const std::int64_t start = threadCpuNs();
  const std::int64_t version = HONE_TRY(store_.version());
  dropReplaced();
  const auto known = entries_.find(page);
  Entry entry = known == entries_.end() ? Entry{} : known->second;
  if (entry.now != nullptr && entry.now->last == version) {
    return entry;
  }
  const auto status = page == kRunList ? std::nullopt : HONE_TRY(runStatus(page));
  if (page != kRunList && !status) {
    entries_.erase(page);
    return Entry{};
  }
  const bool settled = entry.now != nullptr && isOver(status) && entry.status == status;
  const auto content = settled ? entry.now->content : makeContent(HONE_TRY(make(page)));
  if (entry.now != nullptr && (settled || entry.now->content->document == content->document)) {
    entry.now = std::make_shared<DocumentVersion>(
        DocumentVersion{entry.now->content, entry.now->first, version});
  } else {
    entry.before = std::move(entry.now);
    entry.now = std::make_shared<DocumentVersion>(DocumentVersion{content, version, version});
  }
  entry.status = status;
  entry.timing = {Clock::now(), std::chrono::nanoseconds(threadCpuNs() - start)};
  keep(page, entry);
  return entry;
}

void Documents::dropReplaced() {
  if (const std::int64_t opened = store_.opened(); opened != opened_) {
    entries_.clear();
    results_.clear();
    opened_ = opened;
  }
}

void Documents::keep(Page page, Entry entry) {
  entry.used = ++uses_;
  entries_[page] = std::move(entry);
  if (entries_.size() > kMaxCached) {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& one) { return one.second.used; }));
  }
}

void Documents::recordCost(Page page, const Timing& made, std::int64_t answerCpuNs) {
  const std::scoped_lock lock(timingMutex_);
  Timing& timing = timings_[page];
  if (timing.madeAt != made.madeAt) {
    timing = made;
  }
  timing.cost = std::max<Clock::duration>(timing.cost, std::chrono::nanoseconds(answerCpuNs));
  std::erase_if(timings_, [now = Clock::now()](const auto& one) {
    return now - one.second.madeAt > std::chrono::hours(1);
  });
}

Result<std::shared_ptr<const DocumentVersion>> Documents::current(Page page) {
  const std::scoped_lock lock(making_);
  const std::int64_t start = threadCpuNs();
  auto entry = HONE_TRY(entryFor(page));
  recordCost(page, entry.timing, threadCpuNs() - start);
  return entry.now;
}

Result<std::optional<Update>> Documents::updateSince(Page page, std::int64_t have) {
  const std::scoped_lock lock(making_);
  const std::int64_t start = threadCpuNs();
  const Entry entry = HONE_TRY(entryFor(page));
  if (entry.now == nullptr) {
    return std::nullopt;
  }
  Update update = updateFrom(entry, have);
  recordCost(page, entry.timing, threadCpuNs() - start);
  return update;
}

Update Documents::updateFrom(const Entry& entry, std::int64_t have) {
  Update update{.kind = Update::Kind::none, .body = {}, .version = entry.now->last};
  if (covers(entry.now, have)) {
    return update;
  }
  const Content& now = *entry.now->content;
  if (covers(entry.before, have)) {
    update.kind = Update::Kind::patch;
    update.body = jsonText(json::diff(entry.before->content->document, now.document));
  }
  if (update.body.empty() || update.body.size() >= now.text.size()) {
    update.kind = Update::Kind::whole;
    update.body = now.text;
  }
  return update;
}

Documents::Clock::time_point Documents::nextRefresh(Page page, std::size_t listeners) const {
  const std::scoped_lock lock(timingMutex_);
  const auto at = timings_.find(page);
  if (at == timings_.end()) {
    return Clock::now();
  }
  const auto pause = at->second.cost * kCostFactor * static_cast<std::int64_t>(listeners);
  return at->second.madeAt + std::max<Clock::duration>(kRefreshPeriod, pause);
}

Result<Documents::Change> Documents::changeSince(Page page, std::int64_t have) {
  if (page == kRunList) {
    return Change::changed;
  }
  const auto status = HONE_TRY(runStatus(page));
  if (!status) {
    return Change::gone;
  }
  const std::scoped_lock lock(making_);
  dropReplaced();
  const auto known = entries_.find(page);
  const bool same =
      known != entries_.end() && known->second.status == status && known->second.now->first <= have;
  return isOver(status) && same ? Change::none : Change::changed;
}

}  // namespace hone::serve
