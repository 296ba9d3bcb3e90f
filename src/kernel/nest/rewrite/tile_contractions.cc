#include "kernel/nest/rewrite/tile_contractions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text/text.h"
#include "kernel/nest/nest_walk.h"
#include "kernel/nest/rewrite/contraction_code.h"
#include "kernel/nest/sum_nest.h"

namespace hone::kernel::nest {
namespace {

std::int64_t knob(const Knobs& knobs, std::string_view name, std::int64_t fallback) {
  const auto found = knobs.find(name);
  return found == knobs.end() ? fallback : found->second;
}

bool tileIn(Function& function, std::vector<Stmt>& body, const TileShape& shape) {
  bool changed = false;
  for (Stmt& s : body) {
    const auto found = matchContraction(function, s);
    const auto lines = found ? contractionCode(function, *found, shape) : std::nullopt;
    if (lines) {
      s = raw(*lines);
      changed = true;
    } else {
      changed |= tileIn(function, s.body, shape);
      changed |= tileIn(function, s.otherwise, shape);
    }
  }
  return changed;
}

}  // namespace

bool tileContractions(Function& function, const Knobs& knobs) {
  const TileShape shape{.rows = knob(knobs, "rows", 8),
                        .vectors = knob(knobs, "vectors", 3),
                        .width = knob(knobs, "width", 16),
                        .pack = knob(knobs, "pack", 0) != 0,
                        .depth = knob(knobs, "depth", 256),
                        .rowBlock = knob(knobs, "block", 0),
                        .unroll = knob(knobs, "unroll", 1),
                        .prefetch = knob(knobs, "prefetch", 0) != 0};
  return tileIn(function, function.body, shape);
}

}  // namespace hone::kernel::nest
