#include "kernel/propose/tilelang/tilelang_structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kSlowProduct = R"(import tilelang.language as T

with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
    a_shared = T.alloc_shared((64, 32), "float16")
    for step in T.serial(T.ceildiv(k, 32)):
        for i, j in T.Parallel(64, 32):
            a_shared[i, j] = a[by * 64 + i, step * 32 + j]

        T.copy(b[step * 32, bx * 64], b_shared)
        T.gemm(a_shared, b_shared, sums)
    for i, j in T.Parallel(64, 64):
        c[by * 64 + i, bx * 64 + j] = sums[i, j]
    for x in T.serial(4):
        total[0] += sums[x, 0]
)";

/// Returns the text after every change of the named knobs.
std::vector<std::string> changedTexts(const std::string& text, const std::string& name) {
  std::vector<std::string> texts;
  for (const TextKnob& knob : structureKnobs(text)) {
    for (const std::string& value : knob.values) {
      if (knob.name == name) {
        texts.push_back(withKnob(text, knob, value));
      }
    }
  }
  return texts;
}

TEST(TileLangStructure, PipelinesLoopsWithCopies) {
  EXPECT_THAT(changedTexts(kSlowProduct, "pipeline"),
              ElementsAre(HasSubstr("for step in T.Pipelined(T.ceildiv(k, 32), num_stages=2):\n"),
                          HasSubstr("for step in T.Pipelined(T.ceildiv(k, 32), num_stages=3):\n")));
}

TEST(TileLangStructure, CopiesTilesAtOnce) {
  EXPECT_THAT(
      changedTexts(kSlowProduct, "copy"),
      ElementsAre(
          HasSubstr("\n        T.copy(a[by * 64, step * 32], a_shared)\n\n        T.copy(b["),
          HasSubstr("\n    T.copy(sums, c[by * 64, bx * 64])\n    for x")));
  for (const char* body :
       {"a_shared[j, i] = a[by * 64 + i, j]", "a_shared[i, j] = a[by * i + i, j + 1]",
        "a_shared[i, j] = a[by + i, j] * 2", "a_shared[i, j] = a[i, j]  # why",
        "a_shared[i, j] = T.max(a[i, j], 0)"}) {
    EXPECT_THAT(
        changedTexts(std::string("for i, j in T.Parallel(64, 32):\n    ") + body + "\n", "copy"),
        IsEmpty())
        << body;
  }
}

TEST(TileLangStructure, SwizzlesGridsOfProducts) {
  EXPECT_THAT(changedTexts(kSlowProduct, "swizzle").at(0),
              HasSubstr("as (bx, by):\n    T.use_swizzle(panel_size=10)\n    a_shared = "));
  const std::string swizzled = changedTexts(kSlowProduct, "swizzle").at(0);
  EXPECT_THAT(changedTexts(swizzled, "swizzle"), IsEmpty());
  std::string other = kSlowProduct;
  other.replace(other.find("T.gemm"), 6, "T.copy");
  EXPECT_THAT(changedTexts(other, "swizzle"), IsEmpty());
}

/// A product by hand, with the module and the loops of `loops` around its only statement.
std::string productText(const std::string& type, const std::string& statement) {
  return "import tilelang.language as tl\n\n@tl.prim_func\ndef main(\n    a: tl.Tensor((m, k), " +
         type + "),\n    b: tl.Tensor((k, n), " + type +
         "),\n    c: tl.Tensor((m, n), \"float32\"),\n):\n"
         "    with tl.Kernel(tl.ceildiv(n, 64), tl.ceildiv(m, 64), threads=128) as (bx, by):\n"
         "        sums = tl.alloc_fragment((64, 64), \"float32\")\n        tl.clear(sums)\n" +
         statement + "        tl.copy(sums, c[by * 64, bx * 64])\n";
}

constexpr const char* kProductLoops =
    "        for p in tl.serial(k):\n            for i, j in tl.Parallel(64, 64):\n"
    "                sums[i, j] += tl.cast(a[by * 64 + i, p], \"float32\") * b[p, j + bx * 64]\n";

TEST(TileLangStructure, ReplacesHandWrittenProductByGemm) {
  const auto texts = changedTexts(productText("\"float16\"", kProductLoops), "gemm");
  ASSERT_EQ(texts.size(), 2);
  EXPECT_THAT(texts[0], HasSubstr("a_shared = tl.alloc_shared((64, 32), \"float16\")\n"
                                  "        b_shared = tl.alloc_shared((32, 64), \"float16\")\n"
                                  "        for step in tl.Pipelined(tl.ceildiv(k, 32), "
                                  "num_stages=2):\n"
                                  "            tl.copy(a[by * 64, step * 32], a_shared)\n"
                                  "            tl.copy(b[step * 32, bx * 64], b_shared)\n"
                                  "            tl.gemm(a_shared, b_shared, sums)\n"
                                  "        tl.copy(sums, c["));
}

TEST(TileLangStructure, UsesTransposedTiles) {
  const std::string loops =
      "        for i, j in tl.Parallel(64, 64):\n            for p in tl.serial(k):\n"
      "                sums[i, j] = sums[i, j] + a[p, by * 64 + i] * b[bx * 64 + j, p]\n";
  EXPECT_THAT(changedTexts(productText("\"float16\"", loops), "gemm").at(0),
              HasSubstr("tl.copy(a[step * 32, by * 64], a_shared)\n"
                        "            tl.copy(b[bx * 64, step * 32], b_shared)\n"
                        "            tl.gemm(a_shared, b_shared, sums, transpose_A=True, "
                        "transpose_B=True)\n"));
}

TEST(TileLangStructure, KeepsFullPrecisionProducts) {
  const std::string text = productText("\"float32\"", kProductLoops);
  EXPECT_THAT(changedTexts(text, "gemm"), IsEmpty());
  EXPECT_THAT(changedTexts(text, "shared").at(0),
              HasSubstr("sums[i, j] += a_shared[i, inner] * b_shared[inner, j]\n"));
}

TEST(TileLangStructure, TilesSerialReductions) {
  const std::string text = productText("\"float32\"",
                                       "        row = tl.alloc_fragment((64,), \"float32\")\n"
                                       "        for i in tl.Parallel(64):\n"
                                       "            for p in tl.serial(k):\n"
                                       "                row[i] += a[by * 64 + i, p] * 2\n");
  EXPECT_THAT(changedTexts(text, "reduction").at(0),
              HasSubstr("row_partial[i, lane] += tl.if_then_else(step * 256 + lane < k, "
                        "a[by * 64 + i, (step * 256 + lane)] * 2, 0)\n"
                        "        tl.reduce_sum(row_partial, row_total, dim=1)\n"));
}

TEST(TileLangStructure, StoresResultsThroughSharedMemory) {
  EXPECT_THAT(changedTexts(productText("\"float16\"", kProductLoops), "epilogue").at(0),
              HasSubstr("        sums_shared = tl.alloc_shared((64, 64), \"float32\")\n"
                        "        tl.copy(sums, sums_shared)\n"
                        "        tl.copy(sums_shared, c[by * 64, bx * 64])"));
}

TEST(TileLangStructure, FindsIndependentLoops) {
  const TileProgram program(
      "for i in T.serial(8):\n    x[i] = y[i] + x[i]\n"
      "for i in T.serial(8):\n    total[0] += y[i]\n"
      "for i in T.serial(8):\n    x[i + 1] = x[i]\n"
      "for i in T.serial(8):\n    x[i // 2] = y[i]\n");
  EXPECT_THAT(independentLoops(program), ElementsAre(1));
}

TEST(TileLangStructure, MovesNameTheChange) {
  std::string titles;
  for (const TextMove& move : tileLangMoves(kSlowProduct, {}, 1)) {
    titles += move.title() + "\n";
  }
  EXPECT_THAT(titles, HasSubstr("T.Pipelined(T.ceildiv(k, 32), num_stages=2) instead of "
                                "T.serial(T.ceildiv(k, 32)) (line 5)"));
  EXPECT_THAT(titles, HasSubstr("T.copy(sums, c[by * 64, bx * 64]) instead of a loop (line 11)"));
  EXPECT_THAT(titles, HasSubstr("T.use_swizzle(panel_size=10) (line 3)"));
  const std::string cpu = std::string("target=\"c\"\n") + kSlowProduct;
  for (const TextMove& move : tileLangMoves(cpu, {}, 1)) {
    EXPECT_THAT(move.title(), Not(HasSubstr("Pipelined")));
  }
}

}  // namespace
}  // namespace hone::kernel
