#include "kernel/propose/plain_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/judge/task/reference_text.h"
#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string referenceIn(const std::string& type) {
  return "// hone: sizes M=4 N=8\n// hone: input A " + type + " Mx(N+2)\n// hone: output C " +
         type +
         " M\n#include <cstdint>\n#define HALF double\n"
         "// A reference with double in a comment.\n"
         "extern \"C\" void reference(const double* A, double* C, std::int64_t M, std::int64_t N) "
         "{\n"
         "  for (std::int64_t i = 0; i < M; ++i) C[i] = 0.5 * A[i * (N + 2)] + 1e-5 + 2;\n}\n";
}

TEST(PlainKernel, TranslatesReferenceToFloat) {
  const std::string reference = referenceIn("f32");
  const Task task = taskFromReference(reference, "x.reference.cc").value();
  const std::vector<Source> plain = plainKernels(task, reference);
  ASSERT_THAT(plain, SizeIs(3));
  EXPECT_THAT(plain[0].text, AllOf(HasSubstr("kernel(const float* A, float* C,"),
                                   HasSubstr("0.5f * A[i * (N + 2)] + 1e-5f + 2;"),
                                   HasSubstr("#define HALF double"),
                                   HasSubstr("with double in a comment"), Not(HasSubstr("hone:"))));
  EXPECT_THAT(plain[1].text, HasSubstr("0.5 * A[i * (N + 2)] + 1e-5 + 2;"));
  for (const Source& source : plain) {
    const auto point = findEntryPoint(source.text);
    ASSERT_TRUE(point) << source.text;
    EXPECT_TRUE(point->externC);
  }
}

TEST(PlainKernel, ConvertsOtherTypes) {
  const std::string reference = referenceIn("f16");
  const Task task = taskFromReference(reference, "x.reference.cc").value();
  const std::vector<Source> plain = plainKernels(task, reference);
  ASSERT_THAT(plain, SizeIs(1));
  EXPECT_THAT(
      plain[0].text,
      AllOf(HasSubstr("kernel(const _Float16* A, _Float16* C, std::int64_t M, std::int64_t N) {"),
            HasSubstr("wideA(A, A + (M) * ((N+2)));"),
            HasSubstr("computeInDouble(wideA.data(), wideC.data(), M, N);"),
            HasSubstr("C[i] = static_cast<_Float16>(wideC[i]);")));
}

TEST(PlainKernel, DeclaresEntryPoint) {
  const Task task = taskFromReference(referenceIn("f32"), "x.reference.cc").value();
  EXPECT_EQ(kernelDeclaration(task),
            "extern \"C\" void kernel(const float* A, float* C, std::int64_t M, std::int64_t N)");
  const Source skeleton = kernelSkeleton(task, Language::cpp);
  EXPECT_THAT(findEntryPoint(skeleton.text)->types, SizeIs(4));
  EXPECT_EQ(kernelSkeleton(task, Language::tilelang).text, "");
}

}  // namespace
}  // namespace hone::kernel
