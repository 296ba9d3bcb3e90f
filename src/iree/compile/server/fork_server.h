#pragma once

#include <cstddef>
#include <filesystem>

#include "iree/compile/server/compile_pool.h"

namespace hone::iree {

/// Upper limit of a message between the pool and its fork server.
inline constexpr std::size_t kMaxMessage = std::size_t{160} << 10U;

/// Runs the fork server: reads jobs from the socket, forks a child for each, ends those over time,
/// reports how each ended. Returns when the other end is closed; the caller then exits. The first
/// message that it sends is a ServerHello. Children work in <scratch>/<id>, their streams go to
/// <scratch>/<id>/log.
void runForkServer(int socket, const CompilePool::Options& options,
                   const std::filesystem::path& scratch);

}  // namespace hone::iree
