#include "cluster/perform_unit.h"

#include <nlohmann/json.hpp>

#include "cluster/spool/records.h"

namespace hone::cluster {

using nlohmann::json;

Result<json> performUnit(engine::Unit& unit, Progress& progress) {
  ScratchStore scratch = HONE_TRY(ScratchStore::create());
  engine::TrialLog log(scratch.store(), scratch.run());
  engine::UnitContext context{log, progress};
  json value = HONE_TRY(unit.perform(context));
  return json{{"value", std::move(value)}, {"records", toJson(HONE_TRY(scratch.records()))}};
}

}  // namespace hone::cluster
