#pragma once

#include <cstdint>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hone::app {

/// Adds `--seed`, which sets `seed` and must not be negative.
CLI::Option* addSeedOption(CLI::App& command, std::uint64_t& seed);

}  // namespace hone::app
