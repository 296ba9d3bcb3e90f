#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/settings/options.h"

namespace CLI {
class App;
}

namespace hone::app {

/// The options of every verb that a cluster can work for: what is given beats hone.toml.
class ClusterOptions {
 public:
  void addTo(CLI::App& verb);
  /// With the settings of hone.toml in this folder, or of the file given.
  [[nodiscard]] Result<cluster::Options> resolve() const;

 private:
  CLI::App* verb_ = nullptr;
  cluster::Options given_;
  std::string shared_;
  std::string settings_;
};

}  // namespace hone::app
