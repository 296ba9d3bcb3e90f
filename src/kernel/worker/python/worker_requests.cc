#include "kernel/worker/python/worker_requests.h"

#include <nlohmann/json.hpp>

namespace hone::kernel {
namespace {

using nlohmann::json;

json bodyOf(const HelloRequest& /*hello*/) { return {{"do", "hello"}}; }

json bodyOf(const TaskRequest& task) {
  return {{"do", "task"}, {"reference", task.reference}, {"constants", task.constants}};
}

json bodyOf(const TensorsRequest& opened) {
  json list = json::array();
  for (const TensorsRequest::Entry& one : opened.tensors) {
    list.push_back({{"id", one.id},
                    {"name", one.name},
                    {"file", one.file},
                    {"offset", one.offset},
                    {"type", one.type},
                    {"role", one.isInput ? "input" : "output"}});
  }
  return {{"do", "tensors"}, {"tensors", std::move(list)}, {"writable", opened.writable}};
}

json bodyOf(const LoadRequest& load) {
  json body = {{"do", "load"},
               {"role", nameOf(load.role)},
               {"device", load.device},
               {"threads", load.threads}};
  if (load.role != LoadRequest::Role::empty) {
    body["reference"] = load.reference;
    body["seed"] = load.seed;
  }
  if (load.role == LoadRequest::Role::kernel) {
    body["source"] = load.source;
  }
  if (load.role == LoadRequest::Role::reference) {
    body["precision"] = nameOf(load.precision);
  }
  if (!load.others.empty()) {
    body["others"] = load.others;
  }
  return body;
}

json bodyOf(const CallRequest& call) {
  return {
      {"do", "call"}, {"inputs", call.inputs}, {"outputs", call.outputs}, {"sizes", call.sizes}};
}

json bodyOf(const MakeRequest& make) {
  json body = bodyOf(make.call);
  body["do"] = "make";
  body["reference"] = make.reference;
  body["seed"] = make.seed;
  return body;
}

json bodyOf(const ServeRequest& serve) {
  json calls = json::array();
  for (const CallRequest& call : serve.calls) {
    calls.push_back(bodyOf(call));
  }
  return {{"do", "serve"}, {"calls", std::move(calls)}};
}

}  // namespace

std::string_view nameOf(LoadRequest::Role role) {
  switch (role) {
    case LoadRequest::Role::kernel:
      return "kernel";
    case LoadRequest::Role::reference:
      return "reference";
    case LoadRequest::Role::empty:
      break;
  }
  return "empty";
}

std::string_view nameOf(LoadRequest::Precision precision) {
  return precision == LoadRequest::Precision::f64 ? "f64" : "f32";
}

json toJson(const WorkerRequest& request) {
  return std::visit([](const auto& one) { return bodyOf(one); }, request);
}

}  // namespace hone::kernel
