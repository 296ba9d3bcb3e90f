#include "app/tune/tune_all.h"

#include <nlohmann/json.hpp>

#include "app/tune/tune_planned.h"
#include "base/file.h"

namespace hone::app {
namespace {

Result<tune::TuneResult> tuneOne(const engine::Workbench& bench, Toolchain& toolchain,
                                 const tune::WholeProgram& whole, tune::TuneOptions options,
                                 const std::string& starterSpec,
                                 const std::filesystem::path& scratch) {
  HONE_CHECK(makeFolder(scratch));
  if (!starterSpec.empty()) {
    options.planned = HONE_TRY(plannedBy(toolchain, whole, starterSpec, bench.progress));
  }
  auto tuner =
      HONE_TRY(tune::Tuner::make(bench, toolchain.target, whole, std::move(options), scratch));
  return tuner.run();
}

}  // namespace

Result<AllTuned> tuneAll(const engine::Workbench& bench, Toolchain& toolchain,
                         std::vector<tune::WholeProgram> programs, const tune::TuneOptions& options,
                         const std::string& starterSpec, const std::filesystem::path& folder) {
  AllTuned all;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    tune::WholeProgram& whole = programs[i];
    const std::string label = whole.program.label();
    if (programs.size() > 1) {
      whole.scope = fmt::format("{}: ", label);
      bench.progress.say(fmt::format("{} of {}: {}", i + 1, programs.size(), label));
    }
    auto result = tuneOne(bench, toolchain, whole, options, starterSpec,
                          folder / fmt::format("program{}", i));
    if (result) {
      all.tuned.push_back({std::move(whole), std::move(*result)});
      continue;
    }
    if (result.error().fault == Fault::machine && !all.tuned.empty()) {
      all.ended = result.error();
      return all;
    }
    const bool last = i + 1 == programs.size() && all.tuned.empty();
    if (result.error().fault != Fault::user || last) {
      return std::unexpected(result.error());
    }
    bench.progress.say(fmt::format("left out: {}", result.error().message));
    all.leftOut.push_back({label, result.error().message});
  }
  return all;
}

nlohmann::json summaryOf(const AllTuned& all) {
  nlohmann::json programs = nlohmann::json::array();
  nlohmann::json precedents = nlohmann::json::array();
  for (const TunedProgram& one : all.tuned) {
    nlohmann::json json = toJson(one);
    precedents.insert(precedents.end(), json["precedents"].begin(), json["precedents"].end());
    json.erase("precedents");
    programs.push_back(std::move(json));
  }
  nlohmann::json leftOut = nlohmann::json::array();
  for (const LeftOut& one : all.leftOut) {
    leftOut.push_back({{"program", one.program}, {"error", one.error}});
  }
  return {{"programs", std::move(programs)},
          {"precedents", std::move(precedents)},
          {"left_out", std::move(leftOut)}};
}

}  // namespace hone::app
