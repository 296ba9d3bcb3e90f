#include "cluster/settings/options.h"

#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <map>

#include "base/file.h"
#include "base/text/text.h"
#include "cluster/settings/toml.h"

namespace hone::cluster {
namespace {

/// Sets an option; returns false if the value has the wrong type.
using Setter = std::function<bool(Options&, const TomlValue&)>;

Setter text(std::string Options::* member) {
  return [member](Options& options, const TomlValue& value) {
    const auto* given = std::get_if<std::string>(&value);
    if (given != nullptr) {
      options.*member = *given;
    }
    return given != nullptr;
  };
}

Setter count(std::size_t Options::* member) {
  return [member](Options& options, const TomlValue& value) {
    const auto* given = std::get_if<double>(&value);
    const bool fits =
        given != nullptr && *given >= 0 && *given <= 1e6 && *given == std::floor(*given);
    if (fits) {
      options.*member = static_cast<std::size_t>(*given);
    }
    return fits;
  };
}

Setter seconds(double Options::* member) {
  return [member](Options& options, const TomlValue& value) {
    const auto* given = std::get_if<double>(&value);
    const bool fits = given != nullptr && *given > 0;
    if (fits) {
      options.*member = *given;
    }
    return fits;
  };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"executor", text(&Options::executor)},
      {"partition", text(&Options::partition)},
      {"gres", text(&Options::gres)},
      {"account", text(&Options::account)},
      {"nodes", count(&Options::nodes)},
      {"compile-nodes", count(&Options::compileNodes)},
      {"compile-partition", text(&Options::compilePartition)},
      {"idle-seconds", seconds(&Options::idleSeconds)},
      {"lost-seconds", seconds(&Options::lostSeconds)},
      {"head-seconds", seconds(&Options::headSeconds)},
      {"shared",
       [](Options& options, const TomlValue& value) {
         const auto* given = std::get_if<std::string>(&value);
         if (given != nullptr) {
           options.shared = *given;
         }
         return given != nullptr;
       }},
      {"sbatch-args", [](Options& options, const TomlValue& value) {
         const auto* given = std::get_if<std::vector<std::string>>(&value);
         if (given != nullptr) {
           options.sbatchArgs = *given;
         }
         return given != nullptr;
       }}};
  return all;
}

}  // namespace

std::filesystem::path Options::sharedFolder() const {
  return std::filesystem::absolute(shared.empty() ? cacheFolder().value_or("") / "cluster"
                                                  : shared);
}

Result<Options> withSettings(Options options, std::string_view content, const std::string& file) {
  for (const TomlEntry& entry : HONE_TRY(tomlFrom(content, file))) {
    if (entry.section != "cluster") {
      return userError("{}:{}: unknown section [{}]; expected [cluster]", file, entry.line,
                       entry.section);
    }
    const auto setter = setters().find(entry.key);
    if (setter == setters().end()) {
      std::vector<std::string> keys;
      for (const auto& [key, ignored] : setters()) {
        keys.push_back(key);
      }
      const auto near = nearest(entry.key, keys);
      return userError("{}:{}: unknown key '{}' in [cluster]; {}", file, entry.line, entry.key,
                       near ? fmt::format("did you mean '{}'?", *near)
                            : fmt::format("expected one of {}", fmt::join(keys, ", ")));
    }
    if (!setter->second(options, entry.value)) {
      return userError("{}:{}: invalid type of '{}'", file, entry.line, entry.key);
    }
  }
  if (options.executor != "local" && options.executor != "slurm") {
    return userError("{}: unknown executor '{}'; expected local or slurm", file, options.executor);
  }
  return options;
}

}  // namespace hone::cluster
