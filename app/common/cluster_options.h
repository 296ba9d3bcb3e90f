#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cluster/settings/options.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Options of every command that can run on a cluster. They override hone.toml.
class ClusterOptions {
 public:
  void addTo(CLI::App& command);
  /// Merges the options with the settings in ./hone.toml or the file of --settings.
  [[nodiscard]] Result<cluster::Options> resolve() const;
  /// Returns the file of --settings; "" if it is not given.
  [[nodiscard]] const std::string& settings() const { return settings_; }

 private:
  CLI::App* command_ = nullptr;
  cluster::Options given_;
  std::string shared_;
  std::string settings_;
};

}  // namespace hone::app
