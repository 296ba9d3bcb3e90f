#pragma once

#include <cstdint>
#include <string>

#include "app/common/context.h"
#include "store/store.h"

namespace hone::app {

/// The store to read from; a user error where no run made it yet.
[[nodiscard]] Result<store::Store> openStore(const Context& context);

/// The run, or an error that names the runs there are.
[[nodiscard]] Result<store::Run> findRun(const store::Store& store, const Context& context,
                                         std::int64_t id);
/// The same by what a user calls it: its number, or `last`.
[[nodiscard]] Result<store::Run> findRun(const store::Store& store, const Context& context,
                                         const std::string& name);

}  // namespace hone::app
