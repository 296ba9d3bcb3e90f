#include "app/common/find_run.h"

#include "base/text/text.h"

namespace hone::app {

using store::Store;

Result<void> checkStoreNamed(const Context& context) {
  if (context.store.empty()) {
    HONE_CHECK(Store::defaultFile());
    return userError("no store given; use --store FILE");
  }
  return {};
}

Result<Store> openStore(const Context& context) {
  HONE_CHECK(checkStoreNamed(context));
  std::error_code code;
  if (!std::filesystem::exists(context.store, code)) {
    return userError("no store found at {}; the first run creates it", context.store.string());
  }
  return Store::open(context.store, Store::Mode::read);
}

Result<store::Run> findRun(const Store& store, const Context& context, std::int64_t id) {
  auto run = HONE_TRY(store.run(id));
  if (run) {
    return std::move(*run);
  }
  constexpr std::int64_t kMaxListed = 5;
  std::vector<std::string> ids;
  for (const store::RunLine& line : HONE_TRY(store.listRuns(kMaxListed))) {
    ids.push_back(std::to_string(line.id));
  }
  if (ids.empty()) {
    return userError("no run {} found: {} has no runs yet", id, context.store.string());
  }
  return userError("no run {} in {}; most recent: {} (`hone runs` lists all)", id,
                   context.store.string(), join(ids, ", "));
}

Result<store::Run> findRun(const Store& store, const Context& context, const std::string& name) {
  if (const auto id = parseInt(name)) {
    return findRun(store, context, *id);
  }
  if (name != "last") {
    return userError("invalid run '{}': expected a number or 'last' (`hone runs` lists all)", name);
  }
  const auto newest = HONE_TRY(store.listRuns(1));
  return findRun(store, context, newest.empty() ? 0 : newest.front().id);
}

}  // namespace hone::app
