#include "cluster/spool/worker_setup.h"

#include <nlohmann/json.hpp>

namespace hone::cluster {
namespace {

WorkerToolchain toolchainFrom(const nlohmann::json& json) {
  return {.iree = json.at("iree").get<std::string>(),
          .target = json.at("target"),
          .device = json.at("device"),
          .compileSeconds = json.at("compile_seconds"),
          .runSeconds = json.at("run_seconds")};
}

}  // namespace

nlohmann::json toJson(const WorkerSetup& setup) {
  nlohmann::json json = {{"version", setup.version},
                         {"shared", setup.shared.string()},
                         {"idle_seconds", setup.idleSeconds},
                         {"head_seconds", setup.headSeconds}};
  if (setup.cpu) {
    json["cpu"] = *setup.cpu;
  }
  if (setup.toolchain) {
    json["engine"] = {{"iree", setup.toolchain->iree.string()},
                      {"target", setup.toolchain->target},
                      {"device", setup.toolchain->device},
                      {"compile_seconds", setup.toolchain->compileSeconds},
                      {"run_seconds", setup.toolchain->runSeconds}};
  }
  return json;
}

Result<WorkerSetup> workerSetupFrom(const nlohmann::json& json) {
  try {
    WorkerSetup setup;
    setup.version = json.value("version", setup.version);
    setup.shared = json.value("shared", std::string());
    setup.idleSeconds = json.value("idle_seconds", setup.idleSeconds);
    setup.headSeconds = json.value("head_seconds", setup.headSeconds);
    if (const auto cpu = json.find("cpu"); cpu != json.end()) {
      setup.cpu = cpu->get<std::string>();
    }
    if (const auto toolchain = json.find("engine"); toolchain != json.end()) {
      setup.toolchain = toolchainFrom(*toolchain);
    }
    return setup;
  } catch (const nlohmann::json::exception& error) {
    return machineError("the setup of the workers is of another version of hone ({})",
                        error.what());
  }
}

}  // namespace hone::cluster
