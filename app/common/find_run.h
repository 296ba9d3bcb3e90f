#pragma once

#include <cstdint>
#include <string>

#include "app/common/context.h"
#include "store/store.h"

namespace hone::app {

/// Fails with a machine error if there is no store because HOME is not set.
[[nodiscard]] Result<void> checkStoreNamed(const Context& context);

/// Opens the store for reading; fails with a user error if it does not exist.
[[nodiscard]] Result<store::Store> openStore(const Context& context);

/// Returns the run; fails with a user error that lists recent runs if it does not exist.
[[nodiscard]] Result<store::Run> findRun(const store::Store& store, const Context& context,
                                         std::int64_t id);
/// Like above; `name` is the number of a run, or `last`.
[[nodiscard]] Result<store::Run> findRun(const store::Store& store, const Context& context,
                                         const std::string& name);

}  // namespace hone::app
