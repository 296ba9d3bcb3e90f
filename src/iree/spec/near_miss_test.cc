#include "iree/spec/near_miss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::iree {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::vector<std::string> kMatmulMaps = {"affine_map<(d0, d1, d2) -> (d0, d2)>",
                                              "affine_map<(d0, d1, d2) -> (d2, d1)>",
                                              "affine_map<(d0, d1, d2) -> (d0, d1)>"};

OperationForm matmul(const std::string& op, std::int64_t m, std::int64_t n, std::int64_t k) {
  OperationForm form;
  form.names = {op};
  form.kind = "contraction";
  form.operands = {{"f16", true, {m, k}}, {"f16", true, {k, n}}, {"f32", true, {m, n}}};
  form.maps = kMatmulMaps;
  form.roles = {{"batch", {}, {}}, {"m", {0}, {m}}, {"n", {1}, {n}}, {"k", {2}, {k}}};
  form.body = {"arith.mulf arg0 arg1", "arith.addf arg2 value0", "linalg.yield value1"};
  return form;
}

std::vector<std::string> differences(const OperationForm& matcher, const OperationForm& operation) {
  std::vector<std::string> lines;
  for (const FormDifference& one : compareForms(matcher, operation)) {
    lines.push_back(shown(one));
  }
  return lines;
}

TEST(NearMiss, NamesTheDifferentDimension) {
  EXPECT_THAT(
      differences(matmul("linalg.generic", 32, 64, 1024), matmul("linalg.generic", 32, 64, 512)),
      ElementsAre("k is 512 instead of 1024"));
}

TEST(NearMiss, NamesTheDifferentTypeAndMap) {
  OperationForm operation = matmul("linalg.generic", 32, 64, 128);
  operation.operands[1].element = "f32";
  operation.maps[1] = "affine_map<(d0, d1, d2) -> (d1, d2)>";
  EXPECT_THAT(differences(matmul("linalg.generic", 32, 64, 128), operation),
              ElementsAre("the element type of operand 1 is f32 instead of f16",
                          "the map of operand 1 is (d1, d2) instead of (d2, d1)"));
}

TEST(NearMiss, RecognizesGeneralizedOperation) {
  const std::vector<ProgramOperation> program = {
      {"dispatch_0", matmul("linalg.generic", 32, 64, 512), {}},
      {"dispatch_1", matmul("linalg.generic", 32, 64, 1024), {}}};
  const auto near = findNearMiss(matmul("linalg.matmul", 32, 64, 1024), program);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->dispatch, "dispatch_1");
  EXPECT_TRUE(near->sameComputation);
  ASSERT_THAT(near->differences, SizeIs(1));
  EXPECT_EQ(shown(near->differences[0]),
            "the operation is linalg.generic instead of linalg.matmul");
}

TEST(NearMiss, OtherSizesAreAnotherComputation) {
  const std::vector<ProgramOperation> program = {
      {"dispatch_0", matmul("linalg.generic", 32, 64, 512), {}}};
  const auto near = findNearMiss(matmul("linalg.matmul", 32, 64, 1024), program);
  ASSERT_TRUE(near);
  EXPECT_FALSE(near->sameComputation);
  EXPECT_FALSE(findNearMiss(matmul("linalg.matmul", 1, 1, 1), {}));
}

TEST(NearMiss, NamesKindThatTheProgramDoesNotHave) {
  OperationForm sum;
  sum.names = {"linalg.generic"};
  const std::vector<ProgramOperation> program = {{"dispatch_0", sum, {}}};
  EXPECT_EQ(findNearMiss(matmul("linalg.matmul", 1, 1, 1), program)->missingKind, "contraction");
  const std::vector<ProgramOperation> product = {{"a", matmul("linalg.generic", 2, 2, 2), {}}};
  EXPECT_EQ(findNearMiss(matmul("linalg.matmul", 1, 1, 1), product)->missingKind, "");
}

TEST(NearMiss, EvaluatesConditionsOnDimensions) {
  OperationForm matcher = matmul("linalg.generic", 32, 64, 128);
  matcher.roles.clear();
  matcher.kind = "";
  matcher.body.clear();
  matcher.operands[0].shape = {-1, 128};
  matcher.conditions = {{.operand = 0, .dimension = 0, .multipleOf = 24},
                        {.operand = 1, .dimension = 1, .least = 65, .most = 128}};
  EXPECT_THAT(differences(matcher, matmul("linalg.generic", 32, 64, 128)),
              ElementsAre("dimension 0 of operand 0 is 32 instead of a multiple of 24",
                          "dimension 1 of operand 1 is 64 instead of at least 65"));
}

TEST(NearMiss, ComparesBodiesOfOtherOperations) {
  OperationForm sum;
  sum.names = {"linalg.generic"};
  sum.operands = {{"f32", true, {8, 16}}, {"f32", true, {8}}};
  sum.maps = {"affine_map<(d0, d1) -> (d0, d1)>", "affine_map<(d0, d1) -> (d0)>"};
  sum.body = {"arith.addf arg0 arg1", "linalg.yield value0"};
  OperationForm swapped = sum;
  swapped.body[0] = "arith.addf arg1 arg0";
  OperationForm maximum = sum;
  maximum.body[0] = "arith.maximumf arg0 arg1";
  const std::vector<ProgramOperation> program = {{"a", swapped, {}}};
  const auto near = findNearMiss(sum, program);
  ASSERT_TRUE(near);
  EXPECT_TRUE(near->sameComputation) << "the same operations in another order";
  const std::vector<ProgramOperation> other = {{"a", maximum, {}}};
  EXPECT_FALSE(findNearMiss(sum, other)->sameComputation);
}

TEST(NearMiss, AcceptsOnlineFormOfAttention) {
  OperationForm attention;
  attention.names = {"iree_linalg_ext.attention"};
  attention.kind = "attention";
  attention.operands.assign(5, {"f16", true, {4, 8}});
  attention.body = {"iree_linalg_ext.yield arg0"};
  attention.roles = {{"m", {0}, {4}}};
  OperationForm online = attention;
  online.names = {"iree_linalg_ext.online_attention"};
  online.operands.assign(7, {"f32", true, {4, 8}});
  std::fill_n(online.operands.begin(), 3, OperandForm{"f16", true, {4, 8}});
  const std::vector<ProgramOperation> program = {{"a", online, {}}};
  const auto near = findNearMiss(attention, program);
  ASSERT_TRUE(near);
  EXPECT_TRUE(near->sameComputation);
}

TEST(NearMiss, FindsNoDifferenceForMatchingOperation) {
  EXPECT_THAT(differences(matmul("linalg.generic", 2, 3, 4), matmul("linalg.generic", 2, 3, 4)),
              IsEmpty());
}

}  // namespace
}  // namespace hone::iree
