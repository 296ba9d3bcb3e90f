#include "model/result/summary/profile_row.h"

#include <nlohmann/json.hpp>

#include "model/result/json_reader.h"

namespace hone::model {

double ProfileRow::rooflineShare() const {
  return attainableGflops > 0 ? gflops() / attainableGflops : 0;
}

nlohmann::json toJson(const ProfileRow& row) {
  nlohmann::json json = {{"dispatch", row.dispatch},
                         {"provider", row.provider},
                         {"op_kind", row.opKind},
                         {"operation", row.operation},
                         {"configuration", row.configuration},
                         {"arguments", row.arguments},
                         {"bytes", row.bytes},
                         {"flops", row.flops},
                         {"tile", row.tile},
                         {"core_class", row.coreClass},
                         {"instruction_class", row.instructionClass},
                         {"verification", row.verification},
                         {"target", row.target},
                         {"device", row.device}};
  if (!row.message.empty()) {
    json["message"] = row.message;
  }
  if (row.measured()) {
    json.update({{"low_ns", row.lowNs},
                 {"time_ns", row.timeNs},
                 {"high_ns", row.highNs},
                 {"rounds", row.rounds},
                 {"gflops", row.gflops()},
                 {"gbps", row.gbps()}});
  }
  if (row.attainableGflops > 0) {
    json["attainable_gflops"] = row.attainableGflops;
  }
  return json;
}

Result<ProfileRow> profileRowFrom(const nlohmann::json& json) {
  JsonReader reader(json, "row");
  ProfileRow row;
  double derived = 0;
  reader.required("dispatch", row.dispatch);
  reader.required("provider", row.provider);
  reader.required("op_kind", row.opKind);
  reader.required("operation", row.operation);
  reader.required("configuration", row.configuration);
  reader.required("arguments", row.arguments);
  reader.required("bytes", row.bytes);
  reader.required("flops", row.flops);
  reader.required("tile", row.tile);
  reader.required("core_class", row.coreClass);
  reader.required("instruction_class", row.instructionClass);
  reader.required("verification", row.verification);
  reader.required("target", row.target);
  reader.required("device", row.device);
  reader.optional("message", row.message);
  reader.optional("low_ns", row.lowNs);
  reader.optional("time_ns", row.timeNs);
  reader.optional("high_ns", row.highNs);
  reader.optional("rounds", row.rounds);
  reader.optional("attainable_gflops", row.attainableGflops);
  reader.optional("gflops", derived);
  reader.optional("gbps", derived);
  HONE_CHECK(reader.finish());
  return row;
}

}  // namespace hone::model
