#include "profile/operation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/problem/profiler_name.h"

namespace hone::profile {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Operation, ListsArgumentsLikeDispatchProfiler) {
  const Operation operation{model::Matmul{.m = 1, .n = 2, .k = 8, .transposeRhs = true}, {}};
  EXPECT_EQ(operation.name(), "matmul_1x2x8_f32t_f32n_f32t");
  EXPECT_EQ(operation.kind(), "matmul");
  EXPECT_THAT(listArguments(operation, 0),
              ElementsAre(Pair("batch_count", "1"), Pair("m", "1"), Pair("n", "2"), Pair("k", "8"),
                          Pair("lhs", "f32t"), Pair("rhs", "f32n"), Pair("result", "f32t"),
                          Pair("split_k_mode", "N/A"), Pair("split_k_slices", "N/A")));
}

TEST(Operation, TreatsSplitMatmulAsSeparateOperation) {
  const Operation operation{model::Matmul{.m = 1, .n = 2, .k = 8}, {2, 4}};
  EXPECT_EQ(operation.name(), "matmul_splitk_1x2x8_f32t_f32t_f32t");
  EXPECT_EQ(operation.kind(), "split_k_matmul");
  const auto arguments = listArguments(operation, 4);
  EXPECT_THAT(arguments[7], Pair("split_k_mode", "parallel"));
  EXPECT_THAT(arguments[8], Pair("split_k_slices", "4"));
  EXPECT_EQ(model::problemFromProfilerName(operation.name()).value(), operation.problem);
}

TEST(Operation, RoundTripsThroughJson) {
  for (const Operation& operation :
       {Operation{model::Matmul{.m = 1, .n = 2, .k = 8}, {2, 4}},
        Operation{model::Attention{4, 8, 16, 32, model::ElementType::f16}, {}},
        Operation{model::Conv{.n = 2, .epilogue = {.bias = true}}, {}}}) {
    EXPECT_EQ(operationFrom(toJson(operation)).value(), operation);
  }
  EXPECT_FALSE(operationFrom(nlohmann::json::object()));
}

}  // namespace
}  // namespace hone::profile
