#pragma once

#include <cstddef>
#include <filesystem>

#include "iree/compile/server/compile_pool.h"

namespace hone::iree {

/// Upper limit of a message between the pool and its fork server.
inline constexpr std::size_t kMaxMessage = std::size_t{160} << 10U;

/// Runs the fork server: sends a ServerHello, then reads jobs from the socket, forks a child per
/// job, kills children that time out, and reports how each ended. Returns when the other end is
/// closed; the caller then exits. Children work in <scratch>/<id> and write stdout and stderr to
/// <scratch>/<id>/log.
void runForkServer(int socket, const CompilePool::Options& options,
                   const std::filesystem::path& scratch);

}  // namespace hone::iree
