#include "app/common/find_run.h"

#include "base/text/text.h"

namespace hone::app {

using store::Store;

Result<Store> openStore(const Context& context) {
  std::error_code code;
  if (!std::filesystem::exists(context.store, code)) {
    return userError("there is no store {} yet: hone makes it with the first run",
                     context.store.string());
  }
  return Store::open(context.store, Store::Mode::read);
}

Result<store::Run> findRun(const Store& store, const Context& context, std::int64_t id) {
  auto run = HONE_TRY(store.run(id));
  if (run) {
    return std::move(*run);
  }
  constexpr std::int64_t kNamed = 5;
  std::vector<std::string> ids;
  for (const store::RunLine& line : HONE_TRY(store.listRuns(kNamed))) {
    ids.push_back(std::to_string(line.id));
  }
  if (ids.empty()) {
    return userError("there is no run {}: the store {} has no runs yet", id,
                     context.store.string());
  }
  return userError("there is no run {} in {}; the last ones are {} (`hone runs` lists them)", id,
                   context.store.string(), join(ids, ", "));
}

Result<store::Run> findRun(const Store& store, const Context& context, const std::string& name) {
  if (const auto id = parseInt(name)) {
    return findRun(store, context, *id);
  }
  if (name != "last") {
    return userError("'{}' is not a run: give its number, as `hone runs` lists it, or last", name);
  }
  const auto newest = HONE_TRY(store.listRuns(1));
  return findRun(store, context, newest.empty() ? 0 : newest.front().id);
}

}  // namespace hone::app
