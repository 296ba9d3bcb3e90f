#include "knobs/gpu/promoted_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>

#include "knobs/gpu/pipeline_space.h"
#include "knobs/tile_sizes.h"

namespace hone::knobs {
namespace {

constexpr std::int64_t kCopyBytes = 16;

/// Indices of the knobs that decide how operands are copied.
struct CopyKnobs {
  std::size_t threads = 0;
  std::vector<std::optional<std::size_t>> tiles;  ///< per loop
};

std::optional<std::size_t> knobWithPlace(const search::Space& space,
                                         const iree::PipelineConstraints& constraints,
                                         const std::string& place) {
  const auto places = knobsAt(space, {&constraints, 1}, place);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

std::optional<CopyKnobs> findCopyKnobs(const search::Space& space,
                                       const iree::PipelineConstraints& constraints,
                                       const model::RootOperation& root) {
  const auto threads = knobWithPlace(space, constraints, "workgroup_size[0]");
  if (!threads) {
    return std::nullopt;
  }
  CopyKnobs knobs{.threads = *threads, .tiles = {}};
  for (std::size_t loop = 0; loop < root.loops.size(); ++loop) {
    const std::string_view level = root.loops[loop].reduction ? "reduction" : "workgroup";
    knobs.tiles.push_back(knobWithPlace(space, constraints, fmt::format("{}[{}]", level, loop)));
  }
  return knobs;
}

/// Returns the tile of an operand. A loop without a knob has tiles of one iteration.
std::vector<std::int64_t> operandTile(const model::RootOperand& operand, const CopyKnobs& knobs,
                                      std::span<const std::int64_t> point) {
  std::vector<std::int64_t> tile;
  for (const auto& loops : operand.loops) {
    std::int64_t extent = 1;
    for (const std::size_t loop : loops) {
      const auto knob = knobs.tiles[loop];
      extent *= knob ? std::max<std::int64_t>(1, point[*knob]) : 1;
    }
    tile.push_back(extent);
  }
  return tile;
}

}  // namespace

bool canShareCopy(const std::vector<std::int64_t>& tile, std::int64_t elementBytes,
                  std::int64_t threads) {
  const std::int64_t vector = kCopyBytes / elementBytes;
  std::int64_t vectors = 1;
  for (const std::int64_t extent : tile) {
    vectors *= extent;
  }
  vectors /= vector;
  if (tile.empty() || tile.back() % vector != 0 || vectors < threads) {
    return true;
  }
  std::int64_t remaining = threads;
  for (std::size_t i = tile.size(); i-- > 0;) {
    const std::int64_t extent = i + 1 == tile.size() ? tile[i] / vector : tile[i];
    const std::int64_t along = std::min(extent, remaining);
    if (extent % along != 0 || remaining % along != 0) {
      return false;
    }
    remaining /= along;
  }
  return true;
}

search::Space withSharedCopies(search::Space space, const iree::PipelineConstraints& constraints,
                               const model::RootOperation& root) {
  if (constraints.pipeline != "VectorDistribute" || root.kind != model::RootKind::contraction) {
    return space;
  }
  const auto knobs = findCopyKnobs(space, constraints, root);
  if (!knobs) {
    return space;
  }
  std::vector<std::vector<std::int64_t>> kept;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const auto point = space.point(i);
    const bool shared = std::ranges::all_of(root.inputs, [&](const model::RootOperand& input) {
      return canShareCopy(operandTile(input, *knobs, point), elementBytes(input.element),
                          point[knobs->threads]);
    });
    if (shared) {
      kept.emplace_back(point.begin(), point.end());
    }
  }
  return {space.knobs(), std::move(kept)};
}

}  // namespace hone::knobs
