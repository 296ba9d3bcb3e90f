#include "kernel/worker/python/worker_requests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::kernel {
namespace {

using nlohmann::json;

TEST(WorkerRequests, LoadKernels) {
  const LoadRequest load{.role = LoadRequest::Role::kernel,
                         .source = "/a.py",
                         .reference = "/r.py",
                         .threads = 2,
                         .seed = 7,
                         .others = {{{"ROWS", 37}, {"COLUMNS", 2048}}}};
  EXPECT_EQ(toJson(load),
            (json{{"do", "load"},
                  {"role", "kernel"},
                  {"source", "/a.py"},
                  {"reference", "/r.py"},
                  {"device", "cpu"},
                  {"threads", 2},
                  {"seed", 7},
                  {"others", json::parse(R"([[["ROWS", 37], ["COLUMNS", 2048]]])")}}));
}

TEST(WorkerRequests, LoadReferencesWithTheirPrecision) {
  const LoadRequest load{.role = LoadRequest::Role::reference,
                         .reference = "/r.py",
                         .precision = LoadRequest::Precision::f64};
  const json body = toJson(load);
  EXPECT_EQ(body.at("precision"), "f64");
  EXPECT_FALSE(body.contains("source"));
  EXPECT_FALSE(body.contains("others"));
}

TEST(WorkerRequests, LoadTheEmptyModelWithoutFiles) {
  EXPECT_EQ(toJson(LoadRequest{.role = LoadRequest::Role::empty, .device = "cuda"}),
            (json{{"do", "load"}, {"role", "empty"}, {"device", "cuda"}, {"threads", 1}}));
}

TEST(WorkerRequests, MakeInputsOfCall) {
  const CallRequest call{.inputs = {"t.A"}, .outputs = {"t.C"}, .sizes = {10}};
  EXPECT_EQ(toJson(MakeRequest{.call = call, .reference = "/r.py", .seed = 5}),
            (json{{"do", "make"},
                  {"inputs", {"t.A"}},
                  {"outputs", {"t.C"}},
                  {"sizes", {10}},
                  {"reference", "/r.py"},
                  {"seed", 5}}));
}

}  // namespace
}  // namespace hone::kernel
