#include "model/workload/miopen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/text.h"
#include "model/problem/test_problems.h"

namespace hone::model {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

Result<std::vector<Problem>> read(std::string_view line) {
  const std::vector<std::string> words = splitAt(line, ' ');
  return problemsFromCommand(std::vector<std::string_view>(words.begin(), words.end()));
}

std::vector<std::string> names(std::string_view line) {
  const auto problems = read(line);
  if (!problems) {
    return {"error: " + problems.error().message};
  }
  std::vector<std::string> out;
  for (const Problem& problem : *problems) {
    out.push_back(nameOf(problem));
  }
  return out;
}

std::string miopenFault(std::string_view line) {
  const auto problems = read(line);
  return problems ? "" : problems.error().message;
}

TEST(MiopenConv, ParsesShortOptions) {
  EXPECT_THAT(names("convbfp16 -n 16 -c 96 -H 48 -W 40 -k 192 -y 3 -x 5 -p 1 -q 2 -u 2 -v 3 -l 4 "
                    "-j 6 -m conv -g 3 -F 4 -t 1 --iter 100 --in_layout NHWC --out_layout NHWC "
                    "--fil_layout NHWC"),
              ElementsAre("conv_wrw_nhwc_16x96x48x40_k192_3x5_s2x3_p1x2_d4x6_g3_bf16_bf16_f32"));
}

TEST(MiopenConv, ParsesLongOptions) {
  EXPECT_EQ(names("convfp16 --batchsize 16 --in_channels 96 --in_h 48 --in_w 40 --out_channels 192 "
                  "--fil_h 3 --fil_w 5 --pad_h 1 --pad_w 2 --conv_stride_h 2 --conv_stride_w 3 "
                  "--dilation_h 4 --dilation_w 6 --mode conv --group_count 3 --forw=2 "
                  "--in_layout=nhwc --out_layout nhwc --fil_layout nhwc --spatial_dim 2"),
            names("convfp16 -n 16 -c 96 -H 48 -W 40 -k 192 -y 3 -x 5 -p 1 -q 2 -u 2 -v 3 -l 4 -j 6 "
                  "-m conv -g 3 -F 2 -I NHWC -O NHWC -f NHWC -_ 2"));
}

TEST(MiopenConv, UsesDefaultsOfDriver) {
  EXPECT_THAT(names("conv"),
              ElementsAre("conv_fwd_nchw_100x3x32x32_k32_3x3_s1x1_p0x0_d1x1_g1_f32",
                          "conv_bwd_nchw_100x3x32x32_k32_3x3_s1x1_p0x0_d1x1_g1_f32",
                          "conv_wrw_nchw_100x3x32x32_k32_3x3_s1x1_p0x0_d1x1_g1_f32"));
  EXPECT_THAT(names("convint8 -F 1"),
              ElementsAre("conv_fwd_nchw_100x3x32x32_k32_3x3_s1x1_p0x0_d1x1_g1_i8_i8_i32"));
}

TEST(MiopenConv, ParsesDirectionsAsBitMask) {
  EXPECT_THAT(names("conv -F 0"), testing::SizeIs(3));
  EXPECT_THAT(names("conv -F 7"), testing::SizeIs(3));
  EXPECT_THAT(names("conv -F 6"), ElementsAre(HasSubstr("bwd"), HasSubstr("wrw")));
  EXPECT_THAT(names("conv -F 5"), ElementsAre(HasSubstr("fwd"), HasSubstr("wrw")));
  EXPECT_THAT(miopenFault("conv -F 8"), HasSubstr("invalid -F 8"));
  EXPECT_THAT(miopenFault("conv -F -1"), HasSubstr("invalid -F -1"));
}

TEST(MiopenConv, IgnoresOptionsThatDoNotAffectTheProblem) {
  EXPECT_EQ(names("conv -F 1 -t 1 -V 0 -i 10 --iter 10 -w 1 -s 0 -P 0 -o 0 -d in.bin -e w.bin "
                  "--solution -1 -S 85 -G 1 -C /tmp/cache -Z 0 -b 0 -z default --in_d 4 -r 0 "
                  "--trans_output_pad_h 0"),
            names("conv -F 1"));
}

TEST(MiopenConv, ParsesThreeDimensions) {
  EXPECT_THAT(
      names("convbfp16 -n 16 -c 288 --in_d 4 -H 48 -W 32 -k 96 --fil_d 2 -y 1 -x 3 --pad_d 0 "
            "-p 0 -q 1 --conv_stride_d 2 -u 1 -v 1 --dilation_d 1 -l 1 -j 1 --spatial_dim 3 "
            "-g 3 -F 2 --in_layout NDHWC --out_layout NDHWC --fil_layout NDHWC"),
      ElementsAre("conv3d_bwd_ndhwc_16x288x4x48x32_k96_2x1x3_s2x1x1_p0x0x1_d1x1x1_g3_"
                  "bf16_bf16_f32"));
}

TEST(Miopen, AcceptsProfilerNameAsLine) {
  EXPECT_THAT(names("attention_4x256x128x64_f16t_f16t_f16t"),
              ElementsAre("attention_4x256x128x64_f16"));
  EXPECT_THAT(miopenFault("matmul_1x2_f32t"), HasSubstr("invalid operation name"));
}

TEST(MiopenConv, RejectsUnsupportedOptionsByName) {
  EXPECT_THAT(miopenFault("conv -m trans"), HasSubstr("-m trans is not supported"));
  EXPECT_THAT(miopenFault("conv --spatial_dim 4"), HasSubstr("--spatial_dim 4 is not supported"));
  EXPECT_THAT(miopenFault("conv --spatial_dim 3 -I NHWC -O NHWC -f NHWC"),
              HasSubstr("layout 'NHWC' is not supported; use NDHWC or NCDHW"));
  EXPECT_THAT(miopenFault("conv -z same"), HasSubstr("-z same is not supported"));
  EXPECT_THAT(miopenFault("conv --tensor_vect 1"), HasSubstr("--tensor_vect 1 is not supported"));
  EXPECT_THAT(miopenFault("conv -b 1"), HasSubstr("-b 1 is not supported"));
  EXPECT_THAT(miopenFault("conv --in_cast_type fp8"),
              HasSubstr("--in_cast_type fp8 is not supported"));
  EXPECT_THAT(miopenFault("conv --in_layout NHWC"),
              HasSubstr("mixed layouts are not supported: in NHWC, out NCHW, fil NCHW"));
  EXPECT_THAT(miopenFault("conv -I CHWN -O CHWN -f CHWN"),
              HasSubstr("layout 'CHWN' is not supported"));
}

TEST(MiopenGemm, ParsesOptions) {
  EXPECT_THAT(names("gemm -m 3072 -n 16 -k 128 -u 0 -v 1"),
              ElementsAre("matmul_3072x16x128_f32_tb"));
  EXPECT_THAT(names("gemmfp16 --a_h 5 --b_w 6 --a_w 7 --transA 1 --transB 0 --batch_count 3"),
              ElementsAre("batch_matmul_3x5x6x7_f16_f16_f32_ta"));
  EXPECT_THAT(names("gemmbfp16 --m=5 --n=6 --k=7 --iter 4 --alpha 0.5 --beta 0.0 -F 1"),
              ElementsAre("matmul_5x6x7_bf16_bf16_f32"));
  EXPECT_THAT(names("gemmint8"), ElementsAre("matmul_256x256x256_i8_i8_i32"));
  EXPECT_THAT(names("gemm -b 1"), ElementsAre("matmul_256x256x256_f32"));
}

TEST(MiopenGemm, SwapsOperandsOfColumnMajorProduct) {
  EXPECT_THAT(names("gemm -m 5 -n 6 -k 7 -u 1 -v 0 -C 1"), ElementsAre("matmul_6x5x7_f32_tb"));
}

TEST(MiopenGemm, RejectsUnsupportedOptionsByName) {
  EXPECT_THAT(miopenFault("gemm -F 2"), HasSubstr("-F 2 is not supported"));
  EXPECT_THAT(miopenFault("gemm -B 1.0"), HasSubstr("-B 1.0 is not supported"));
  EXPECT_THAT(miopenFault("gemm -u 2"), HasSubstr("-u: expected 0 or 1, got '2'"));
  EXPECT_THAT(miopenFault("gemm -b 0"), HasSubstr("batch count must be at least 1, got 0"));
}

TEST(Miopen, ErrorsSuggestFix) {
  EXPECT_THAT(miopenFault("pool -n 1"),
              AllOf(HasSubstr("unknown command 'pool'; use one of conv, "),
                    EndsWith("gemmbfp16, gemmint8, or a name such as matmul_64x64x128_f32")));
  EXPECT_THAT(miopenFault("convfp8"), HasSubstr("unknown command 'convfp8'"));
  EXPECT_THAT(miopenFault("conv --fil_heigth 3"),
              HasSubstr("unknown option '--fil_heigth'; did you"));
  EXPECT_THAT(miopenFault("conv -Q 3"), HasSubstr("unknown option '-Q'"));
  EXPECT_THAT(miopenFault("conv 3"), HasSubstr("expected an option, got '3'"));
  EXPECT_THAT(miopenFault("conv -n"), HasSubstr("-n has no value"));
  EXPECT_THAT(miopenFault("conv -n -c 3"), HasSubstr("-n has no value"));
  EXPECT_THAT(miopenFault("conv -n 1.5"), HasSubstr("-n: expected an integer, got '1.5'"));
  EXPECT_THAT(miopenFault("conv -n 99999999999999999999"), HasSubstr("-n: expected an integer"));
  EXPECT_THAT(miopenFault("conv -c 0"), HasSubstr("c must be at least 1, got 0; correct"));
  EXPECT_THAT(miopenFault("conv -p -1"), HasSubstr("padding height must be at least 0, got -1"));
  EXPECT_THAT(miopenFault("conv -H 2 -y 5"), HasSubstr("output is empty"));
  EXPECT_THAT(miopenFault("conv -c 6 -k 6 -g 4"), HasSubstr("groups 4 must divide c 6 and k 6"));
  EXPECT_THAT(miopenFault("gemm -m 0"), HasSubstr("m must be at least 1, got 0"));
}

TEST(Miopen, UsesLastValueOfRepeatedOption) {
  EXPECT_EQ(names("gemm -m 5 -m 6"), names("gemm -m 6"));
}

TEST(Miopen, WritesCanonicalLines) {
  for (const std::string line :
       {"convbfp16 -n 16 -c 96 -H 48 -W 32 -k 96 -y 3 -x 3 -p 1 -q 1 -u 1 -v 1 -l 1 -j 1 -m conv "
        "-g 3 -F 2 --in_layout NHWC --out_layout NHWC --fil_layout NHWC",
        "gemm -m 3072 -n 16 -k 128 -u 0 -v 1", "gemmfp16 -m 5 -n 6 -k 7 -u 1 -v 0 -b 3",
        "gemm -m 5 -n 6 -k 7 -u 0 -v 0 -b 1 --unit_batch 1 --lhs_type f64 --rhs_type i8"}) {
    EXPECT_EQ(formatCommandLine(read(line).value().at(0)), line);
  }
}

RC_GTEST_PROP(Miopen, CommandLineRoundTrips, ()) {
  const Problem problem = *anyProblem();
  RC_ASSERT(read(formatCommandLine(problem)).value() == std::vector{problem});
}

}  // namespace
}  // namespace hone::model
