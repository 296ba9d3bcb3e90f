#pragma once

#include <span>
#include <string>

#include "tune/layers/layer_ways.h"

namespace hone::tune {

/// A layer and the way to compute it.
struct LayerChoice {
  model::Layer layer;
  Way way = Way::direct;

  bool operator==(const LayerChoice&) const = default;
};

/// Parts of a transform script that rewrite layers. Empty if there is nothing to rewrite.
struct LayerRewrites {
  std::string definitions;  ///< the functions that replace layers, and the matchers of the layers
  /// Statements that rewrite the module %module. They define %program, the handle of the rewritten
  /// module, and invalidate %module.
  std::string steps;
};

/// Returns the parts of a script that compute each layer in its way. A layer is matched by its
/// operation, operand types and attributes, so that others are never changed.
[[nodiscard]] LayerRewrites layerRewrites(std::span<const LayerChoice> choices);

/// Returns the flags that the ways need.
[[nodiscard]] std::vector<std::string> flagsFor(std::span<const LayerChoice> choices);

}  // namespace hone::tune
