#include "app/profile/profile_cluster.h"

#include <map>
#include <nlohmann/json.hpp>

#include "app/profile/profile_output.h"
#include "base/file.h"
#include "base/machine.h"
#include "cluster/records.h"
#include "engine/machine_lock.h"
#include "profile/build.h"

namespace hone::app {
namespace {

using nlohmann::json;

/// What this machine allows for the operation, where that is known: on the CPU.
Result<std::optional<profile::Roofline>> rooflineFor(const Toolchain& toolchain,
                                                     profile::Rooflines& rooflines,
                                                     const profile::Operation& operation) {
  if (!toolchain.device->isLocal()) {
    return std::nullopt;
  }
  return HONE_TRY(rooflines.of(operandsOf(operation.problem).front().element));
}

json toJson(const profile::ProfileOptions& options) {
  return {{"verify", options.verify},
          {"measure", options.measure},
          {"iree", options.iree},
          {"library", options.library},
          {"fewest_rounds", options.fewestRounds},
          {"most_rounds", options.mostRounds},
          {"precision", options.precision},
          {"seed", options.seed}};
}

profile::ProfileOptions optionsFrom(const json& json) {
  profile::ProfileOptions options;
  options.verify = json.at("verify");
  options.measure = json.at("measure");
  options.iree = json.at("iree");
  options.library = json.at("library");
  options.fewestRounds = json.at("fewest_rounds");
  options.mostRounds = json.at("most_rounds");
  options.precision = json.at("precision");
  options.seed = json.at("seed");
  return options;
}

/// The operation as the files that it is generated as.
Result<json> filesOf(const profile::Generated& operation) {
  return json{{"kind", operation.operation.kind()},
              {"name", operation.operation.name()},
              {"json", HONE_TRY(readFile(operation.file(".json")))},
              {"mlir", HONE_TRY(readFile(operation.file(".mlir")))}};
}

Result<std::vector<profile::Generated>> generatedFrom(const json& files,
                                                      const std::filesystem::path& root) {
  const std::string name = files.at("name");
  const auto folder = profile::folderOf(root, files.at("kind").get<std::string>(), name);
  HONE_CHECK(makeFolder(folder));
  HONE_CHECK(writeFile(folder / (name + ".json"), files.at("json").get<std::string>()));
  HONE_CHECK(writeFile(folder / (name + ".mlir"), files.at("mlir").get<std::string>()));
  return profile::readGenerated(root);
}

/// A row for an operation of which nothing came.
model::ProfileRow failedRow(const profile::Generated& operation, const std::string& why) {
  model::ProfileRow row;
  row.opKind = operation.operation.kind();
  row.operation = operation.operation.name();
  row.dispatch = row.operation;
  row.provider = model::kIreeProvider;
  row.target = operation.target;
  row.verification = "FAILED";
  row.message = why;
  return row;
}

}  // namespace

Result<std::vector<model::ProfileRow>> profileOne(profile::Built& built,
                                                  const profile::DispatchFilter& filter,
                                                  const Toolchain& toolchain,
                                                  profile::Rooflines& rooflines,
                                                  profile::Profiler& profiler, bool measure) {
  const profile::Operation& operation = built.generated.operation;
  std::erase_if(built.dispatches, [&](const profile::BuiltDispatch& dispatch) {
    return !filter.takes(operation.kind(), operation.name(), dispatch.name);
  });
  const auto roofline =
      measure ? HONE_TRY(rooflineFor(toolchain, rooflines, operation)) : std::nullopt;
  auto rows = HONE_TRY(profiler.profile(built, roofline));
  sortBySpeed(rows);
  return rows;
}

std::vector<model::MeasuredRoofline> resultOf(const profile::Rooflines& rooflines) {
  std::vector<model::MeasuredRoofline> all;
  for (const auto& [type, roofline] : rooflines.known()) {
    all.push_back({std::string(nameOf(type)), roofline.gflops, roofline.gbps});
  }
  return all;
}

Result<ProfiledRows> profileOnCluster(ClusterRun& cluster,
                                      std::span<const profile::Generated> operations,
                                      const std::string& dispatches,
                                      const profile::ProfileOptions& options, Progress& progress,
                                      const std::function<void(const model::ProfileRow&)>& onRow) {
  std::vector<std::string> keys;
  for (const profile::Generated& operation : operations) {
    cluster::Unit unit;
    unit.kind = kProfileUnit;
    unit.order = {{"files", HONE_TRY(filesOf(operation))},
                  {"dispatches", dispatches},
                  {"options", toJson(options)}};
    unit.key = cluster::unitKey(unit.kind, unit.order);
    keys.push_back(unit.key);
    HONE_CHECK(cluster.head().handOut(std::move(unit)));
  }
  progress.stage("profile", static_cast<std::int64_t>(operations.size()));
  ProfiledRows profiled;
  std::vector<model::ProfileRow>& rows = profiled.rows;
  std::map<std::string, model::MeasuredRoofline> rooflines;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const cluster::Answer answer = HONE_TRY(cluster.head().await(keys[i]));
    if (answer.error) {
      rows.push_back(failedRow(operations[i], answer.error->message));
      onRow(rows.back());
      HONE_CHECK(cluster.keepFailed(operations[i].operation.name(), answer));
      continue;
    }
    HONE_CHECK(cluster.keep(answer));
    for (const json& row : answer.result.at("rows")) {
      rows.push_back(HONE_TRY(model::profileRowFrom(row)));
      onRow(rows.back());
    }
    for (const json& one : answer.result.at("rooflines")) {
      const model::MeasuredRoofline roofline = model::measuredRooflineFrom(one);
      rooflines[roofline.type] = roofline;  // all nodes that measure are of one kind
    }
    progress.step(cluster.head().status().text());
  }
  progress.finish();
  for (auto& [type, one] : rooflines) {
    profiled.rooflines.push_back(std::move(one));
  }
  return profiled;
}

Result<json> performProfile(const cluster::Unit& unit, Toolchain& toolchain, Progress& progress) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-profile"));
  const auto operations = HONE_TRY(generatedFrom(unit.order.at("files"), folder.path()));
  std::vector<profile::Built> built;
  {
    const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
    built = HONE_TRY(
        profile::build(toolchain.compiler, operations, {toolchain.target.flags, false}, progress));
  }
  if (unit.onlyCompile) {
    return json::object();
  }
  const auto options = optionsFrom(unit.order.at("options"));
  const auto filter =
      HONE_TRY(profile::DispatchFilter::from(unit.order.at("dispatches").get<std::string>()));
  cluster::ScratchStore scratch = HONE_TRY(cluster::ScratchStore::create());
  const iree::ModuleRunner runner = toolchain.runner();
  const profile::LibraryProvider library(HONE_TRY(ownProgram()), toolchain.runLimits);
  profile::Profiler profiler(runner, library, scratch.store(), progress, scratch.run(), options);
  profile::Rooflines rooflines(cacheFolder(), library, profile::threadsOf(*toolchain.device),
                               HONE_VERSION);
  json rows = json::array();
  json roofs = json::array();
  for (profile::Built& one : built) {
    for (const model::ProfileRow& row :
         HONE_TRY(profileOne(one, filter, toolchain, rooflines, profiler, options.measure))) {
      rows.push_back(model::toJson(row));
    }
  }
  for (const model::MeasuredRoofline& one : resultOf(rooflines)) {
    roofs.push_back(toJson(one));
  }
  return json{{"rows", std::move(rows)},
              {"rooflines", std::move(roofs)},
              {"records", cluster::toJson(HONE_TRY(scratch.records()))}};
}

}  // namespace hone::app
