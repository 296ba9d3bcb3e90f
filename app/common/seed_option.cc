#include "app/common/seed_option.h"

#include <CLI/CLI.hpp>
#include <limits>

namespace hone::app {

CLI::Option* addSeedOption(CLI::App& command, std::uint64_t& seed) {
  // CLI11 wraps negative numbers, so the range is that of the signed type.
  return command.add_option("--seed", seed, "Random seed")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
}

}  // namespace hone::app
