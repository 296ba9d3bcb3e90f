#include "report/render/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::report {
namespace {

using model::ProfileRow;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Returns the example in the documentation of IREE's dispatch profiler.
ProfileRow seedRow() {
  ProfileRow row;
  row.dispatch = "matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync";
  row.provider = "IREE Codegen";
  row.opKind = "matmul";
  row.operation = "matmul_3456x1024x2048_f16t_f16t_f16t";
  row.configuration = "tile_config_128x128_32x5_tensorcore_mmasync";
  row.arguments = {{"batch_count", "1"}, {"m", "3456"},           {"n", "1024"},
                   {"k", "2048"},        {"lhs", "f16t"},         {"rhs", "f16t"},
                   {"result", "f16t"},   {"split_k_mode", "N/A"}, {"split_k_slices", "N/A"}};
  row.bytes = 25427968;
  row.flops = 14495514624;
  row.tile = "128x128_32x5";
  row.coreClass = "tensorcore";
  row.instructionClass = "mmasync";
  row.verification = "SUCCESS";
  row.timeNs = 62000;
  row.lowNs = 61000;
  row.highNs = 63500;
  row.rounds = 5;
  row.target = "cuda:sm_80";
  row.device = "cuda://0";
  return row;
}

TEST(ProfileBlock, MatchesDispatchProfilerExactly) {
  EXPECT_THAT(
      profileBlock(seedRow()),
      StartsWith(
          "---------------------------------------------------------------- \n"
          "Dispatch      : "
          "matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync\n"
          "Provider      : IREE Codegen\n"
          "OpKind        : OperationKind.Matmul\n"
          "Operation     : matmul_3456x1024x2048_f16t_f16t_f16t\n"
          "Configuration : tile_config_128x128_32x5_tensorcore_mmasync\n"
          "Arguments     : --batch_count=1 --m=3456 --n=1024 --k=2048 --lhs=f16t --rhs=f16t "
          "--result=f16t\n"
          "                --split_k_mode=N/A --split_k_slices=N/A\n"
          "Verification  : SUCCESS\n"
          "Runtime(ms)   : 0.062\n"
          "GFLOPs        : 233798.62\n"));
}

TEST(ProfileBlock, AddsIntervalAndRoofline) {
  ProfileRow row = seedRow();
  row.attainableGflops = 300000;
  EXPECT_THAT(profileBlock(row), HasSubstr("95% interval  : 0.061 - 0.064 ms, 5 rounds\n"));
  EXPECT_THAT(profileBlock(row), HasSubstr("Roofline      : 77.9 % of 300000 GFLOPs\n"));
  row.verification = "FAILED";
  row.message = "element [3,7]: got 1, expected 2";
  row.timeNs = 0;
  EXPECT_THAT(profileBlock(row), EndsWith("Message       : element [3,7]: got 1, expected 2\n"));
  EXPECT_THAT(profileBlock(row), Not(HasSubstr("Runtime")));
}

TEST(ProfileBlock, NamesKindsLikeDispatchProfiler) {
  ProfileRow row = seedRow();
  row.opKind = "split_k_matmul";
  EXPECT_THAT(profileBlock(row), HasSubstr("OperationKind.SplitkMatmul\n"));
  row.opKind = "batch_matmul";
  EXPECT_THAT(profileBlock(row), HasSubstr("OperationKind.BatchMatmul\n"));
}

TEST(ProfileCsv, StartsWithDispatchProfilerColumns) {
  const std::string csv = profileCsv(std::vector{seedRow()}, {{"branch", "a,b"}});
  EXPECT_THAT(csv,
              StartsWith("branch,Provider,op_kind,Operation,bytes,flops,batch_count,m,n,k,lhs,rhs,"
                         "result,split_k_mode,split_k_slices,Tile config,Core class,Instruction "
                         "class,Verification,Runtime(ms),GFLOPs,Dispatch,"));
  EXPECT_THAT(csv, HasSubstr("\n\"a,b\",IREE Codegen,matmul,matmul_3456x1024x2048_f16t_f16t_f16t,"
                             "25427968,14495514624,1,3456,1024,2048,f16t,f16t,f16t,N/A,N/A,"
                             "128x128_32x5,tensorcore,mmasync,SUCCESS,0.062000,233798.62,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
}

TEST(ProfileCsv, AppendsOnlyToEqualColumns) {
  const std::vector rows = {seedRow()};
  const std::string once = profileCsv(rows, {});
  const std::string twice = appendedCsv(once, rows, {}).value();
  EXPECT_EQ(std::count(twice.begin(), twice.end(), '\n'), 3);
  EXPECT_THAT(twice, StartsWith(once));
  EXPECT_EQ(appendedCsv("", rows, {}).value(), once);
  EXPECT_THAT(appendedCsv(once, rows, {{"tag", "x"}}).error().message, HasSubstr("columns differ"));
}

TEST(Tags, ParsesKeyValuePairs) {
  EXPECT_EQ(tagsFrom("a:b, c:d:e").value(), (Tags{{"a", "b"}, {"c", "d:e"}}));
  EXPECT_TRUE(tagsFrom("").value().empty());
  EXPECT_THAT(tagsFrom("a").error().message, HasSubstr("expected key:value, got 'a'"));
  EXPECT_THAT(tagsFrom("a:1,a:2").error().message, HasSubstr("duplicate key 'a'"));
}

TEST(ProfileJunit, ReportsFailuresAndSkips) {
  ProfileRow bad = seedRow();
  bad.verification = "FAILED";
  bad.message = "a < b & \"c\"\x01";
  ProfileRow unchecked = seedRow();
  unchecked.verification = "Not verified";
  const std::string xml = profileJunit(std::vector{seedRow(), bad, unchecked});
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"a &lt; b &amp; &quot;c&quot;?\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"Not verified\"/>"));
  EXPECT_THAT(xml, EndsWith("</testsuite>\n"));
}

TEST(ProfileTable, HasOneLinePerOperationAndConfiguration) {
  ProfileRow failed = seedRow();
  failed.timeNs = 0;
  failed.verification = "FAILED";
  const std::string table = profileTable(std::vector{seedRow(), failed}, 0);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
  EXPECT_THAT(table, HasSubstr("\nmatmul_3456x1024x2048_f16t_f16t_f16t\n"));
  EXPECT_THAT(table, HasSubstr("\n  128x128_32x5_tensorcore_mmasync  "));
  EXPECT_THAT(table, HasSubstr("62.0 us"));
}

TEST(ProfileTable, OmitsColumnsForOneConfigurationAndProvider) {
  ProfileRow row = seedRow();
  row.configuration = "tile_config_default";
  const std::string table = profileTable(std::vector{row}, 80);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2) << table;
  EXPECT_THAT(table, Not(HasSubstr("provider")));
  ProfileRow library = row;
  library.provider = "oneDNN";
  EXPECT_THAT(profileTable(std::vector{row, library}, 80), HasSubstr("provider"));
}

}  // namespace
}  // namespace hone::report
