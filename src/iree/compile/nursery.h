#pragma once

#include <filesystem>

#include "iree/compile/compile_job.h"
#include "iree/compile/compile_pool.h"

namespace hone::iree {

/// Datagrams between the pool and its nursery never grow beyond this.
inline constexpr std::size_t kMaxMessage = std::size_t{160} << 10U;

/// The nursery's life: reads jobs from the socket, forks a child for each, ends those over time,
/// reports how each ended. Returns when the other end is closed; the caller then exits. The first
/// message it sends is {"revision"} or {"error"}. Children work in <scratch>/<id>, their streams go
/// to <scratch>/<id>/log.
void runNursery(int socket, const CompilePool::Options& options,
                const std::filesystem::path& scratch);

}  // namespace hone::iree
