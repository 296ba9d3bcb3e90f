#include "knobs/gpu/occupancy.h"

#include <algorithm>
#include <array>

#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

/// Resources of a compute unit (AMD) or streaming multiprocessor (NVIDIA).
struct ComputeUnit {
  std::string_view chips;       ///< beginning of the chips' names
  std::int64_t schedulers = 4;  ///< each holds a part of the subgroups
  std::int64_t maxSubgroups;    ///< per scheduler
  std::int64_t registers;       ///< per scheduler and lane, of a subgroup of `lanes`
  std::int64_t lanes;
  std::int64_t granule;  ///< registers are allocated in multiples of it
  std::int64_t sharedBytes;
  std::int64_t maxWorkgroups;
};

constexpr std::int64_t kKiB = 1024;

// More specific names first. AMD: the ISA guides; NVIDIA: the table of compute capabilities.
constexpr std::array kComputeUnits = {
    ComputeUnit{"gfx950", 4, 8, 512, 64, 8, 160 * kKiB, 32},
    ComputeUnit{"gfx94", 4, 8, 512, 64, 8, 64 * kKiB, 32},
    ComputeUnit{"gfx90a", 4, 8, 512, 64, 8, 64 * kKiB, 32},
    ComputeUnit{"gfx9", 4, 10, 256, 64, 4, 64 * kKiB, 32},
    ComputeUnit{"gfx1100", 2, 16, 1536, 32, 24, 64 * kKiB, 32},
    ComputeUnit{"gfx1101", 2, 16, 1536, 32, 24, 64 * kKiB, 32},
    ComputeUnit{"gfx12", 2, 16, 1536, 32, 24, 64 * kKiB, 32},
    ComputeUnit{"gfx1", 2, 16, 1024, 32, 16, 64 * kKiB, 32},
    ComputeUnit{"sm_75", 4, 8, 512, 32, 8, 64 * kKiB, 16},
    ComputeUnit{"sm_86", 4, 12, 512, 32, 8, 100 * kKiB, 16},
    ComputeUnit{"sm_89", 4, 12, 512, 32, 8, 100 * kKiB, 24},
    ComputeUnit{"sm_8", 4, 16, 512, 32, 8, 164 * kKiB, 32},
    ComputeUnit{"sm_9", 4, 16, 512, 32, 8, 228 * kKiB, 32},
    ComputeUnit{"sm_10", 4, 16, 512, 32, 8, 228 * kKiB, 32},
    ComputeUnit{"sm_", 4, 16, 512, 32, 8, 96 * kKiB, 32},
};

const ComputeUnit& unitFor(std::string_view target) {
  const std::string_view chip = target.substr(std::min(target.find(':'), target.size() - 1) + 1);
  const auto* const at = std::ranges::find_if(
      kComputeUnits, [&](const ComputeUnit& unit) { return chip.starts_with(unit.chips); });
  return at == kComputeUnits.end() ? kComputeUnits.back() : *at;
}

}  // namespace

double occupancy(std::string_view target, const KernelUse& use) {
  const ComputeUnit& unit = unitFor(target);
  const std::int64_t lanes = std::max<std::int64_t>(use.subgroupSize, 1);
  // A subgroup with more lanes than the registers are counted for takes several rows of them.
  const std::int64_t rows = ceilDiv(lanes, unit.lanes);
  const std::int64_t allocated =
      std::max<std::int64_t>(1, ceilDiv(std::max<std::int64_t>(use.registers, 1), unit.granule)) *
      unit.granule * rows;
  const std::int64_t held = std::min(unit.maxSubgroups, unit.registers / allocated);
  const std::int64_t perWorkgroup = ceilDiv(std::max<std::int64_t>(use.threads, 1), lanes);
  std::int64_t workgroups = std::min(unit.maxWorkgroups, held * unit.schedulers / perWorkgroup);
  if (use.sharedBytes > 0) {
    workgroups = std::min(workgroups, unit.sharedBytes / use.sharedBytes);
  }
  return std::min(1.0, static_cast<double>(workgroups * perWorkgroup) /
                           static_cast<double>(unit.maxSubgroups * unit.schedulers));
}

}  // namespace hone::knobs
