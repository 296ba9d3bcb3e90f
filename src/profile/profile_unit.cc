#include "profile/profile_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/machine_lock.h"

namespace hone::profile {
namespace {

using nlohmann::json;

json toJson(const ProfileOptions& options) {
  return {{"verify", options.verify},
          {"measure", options.measure},
          {"iree", options.iree},
          {"library", options.library},
          {"fewest_rounds", options.fewestRounds},
          {"most_rounds", options.mostRounds},
          {"precision", options.precision},
          {"seed", options.seed}};
}

ProfileOptions optionsFrom(const json& json) {
  ProfileOptions options;
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

}  // namespace

void sortBySpeed(std::vector<model::ProfileRow>& rows) {
  std::ranges::stable_sort(rows, std::ranges::greater(), &model::ProfileRow::gflops);
}

Result<std::unique_ptr<engine::Unit>> ProfileUnit::fromOrder(const ProfileTools& tools,
                                                             const json& order) {
  ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-profile"));
  const std::string name = order.at("name");
  const auto folder = folderFor(scratch.path(), order.at("kind").get<std::string>(), name);
  HONE_CHECK(makeFolder(folder));
  HONE_CHECK(writeFile(folder / (name + ".json"), order.at("json").get<std::string>()));
  HONE_CHECK(writeFile(folder / (name + ".mlir"), order.at("mlir").get<std::string>()));
  auto operations = HONE_TRY(readGenerated(scratch.path()));
  auto filter = HONE_TRY(DispatchFilter::from(order.at("dispatches").get<std::string>()));
  auto unit = std::make_unique<ProfileUnit>(tools, std::move(operations.front()), std::move(filter),
                                            optionsFrom(order.at("options")));
  unit->folder_ = std::move(scratch);
  return unit;
}

Result<json> ProfileUnit::order(engine::FileShare& /*files*/) const {
  return json{{"kind", operation_.operation.kind()},
              {"name", operation_.operation.name()},
              {"json", HONE_TRY(readFile(operation_.file(".json")))},
              {"mlir", HONE_TRY(readFile(operation_.file(".mlir")))},
              {"dispatches", filter_.text()},
              {"options", toJson(options_)}};
}

Result<void> ProfileUnit::prepare(std::span<engine::Unit* const> batch) {
  std::vector<ProfileUnit*> units;
  std::vector<Generated> operations;
  for (engine::Unit* one : batch) {
    // NOLINTNEXTLINE(*-static-cast-downcast): all units of a batch are of one kind
    units.push_back(static_cast<ProfileUnit*>(one));
    operations.push_back(units.back()->operation_);
  }
  tools_.progress.step(fmt::format("compiling {} operations", operations.size()), 0);
  Progress quiet(true);  // keeps the stage of the profile
  const auto lock = HONE_TRY(engine::MachineLock::forCompiling());
  auto built = HONE_TRY(build(tools_.compiler, operations, {tools_.flags, false}, quiet));
  for (std::size_t i = 0; i < units.size(); ++i) {
    units[i]->built_ = std::move(built[i]);
  }
  return {};
}

Result<json> ProfileUnit::perform(engine::UnitContext& context) {
  if (!built_) {
    engine::Unit* self = this;
    HONE_CHECK(prepare(std::span(&self, 1)));
  }
  const Operation& operation = operation_.operation;
  std::erase_if(built_->dispatches, [&](const BuiltDispatch& dispatch) {
    return !filter_.takes(operation.kind(), operation.name(), dispatch.name);
  });
  // On other devices the limits are unknown.
  std::optional<Roofline> roofline;
  if (options_.measure && tools_.runner.device().isLocal()) {
    roofline = HONE_TRY(tools_.rooflines.of(operandTypes(operation.problem).front().element));
  }
  Profiler profiler(tools_.runner, tools_.library, context.log, options_);
  auto rows = HONE_TRY(profiler.profile(*built_, roofline));
  context.referenceCpuNs += profiler.referenceCpuNs();
  sortBySpeed(rows);
  json value = {{"rows", json::array()}, {"rooflines", json::array()}};
  for (const model::ProfileRow& row : rows) {
    value["rows"].push_back(model::toJson(row));
  }
  for (const auto& [type, one] : tools_.rooflines.known()) {
    value["rooflines"].push_back(
        model::toJson(model::MeasuredRoofline{std::string(nameOf(type)), one.gflops, one.gbps}));
  }
  return value;
}

Result<ProfiledRows> profiledRowsFrom(const json& value) {
  try {
    ProfiledRows profiled;
    for (const json& row : value.at("rows")) {
      profiled.rows.push_back(HONE_TRY(model::profileRowFrom(row)));
    }
    for (const json& one : value.at("rooflines")) {
      profiled.rooflines.push_back(model::measuredRooflineFrom(one));
    }
    return profiled;
  } catch (const json::exception& exception) {
    return machineError("cannot read profiled rows: {}", exception.what());
  }
}

}  // namespace hone::profile
