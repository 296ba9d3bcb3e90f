#include "iree/compile/evidence/code_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "iree/compile/compiler.h"
#include "iree/compile/evidence/amd_code.h"
#include "iree/compile/evidence/ptx_code.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/compile/toolchain/target.h"

namespace hone::iree {
namespace {

using ::testing::IsEmpty;

void put(std::string& bytes, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    bytes += static_cast<char>(number >> (8 * i) & 0xff);
  }
}

/// Returns an AMD code object with one section, a note with the metadata.
std::string amdElf(const nlohmann::json& metadata) {
  const auto packed = nlohmann::json::to_msgpack(metadata);
  std::string note;
  put(note, 7, 4);
  put(note, packed.size(), 4);
  put(note, 32, 4);
  note += std::string("AMDGPU\0\0", 8);
  note.append(packed.begin(), packed.end());
  constexpr std::size_t kHeader = 64;
  std::string file =
      "\x7f"
      "ELF\x02\x01";
  file.resize(18);
  put(file, 224, 2);
  file.resize(40);
  put(file, kHeader + note.size(), 8);
  file.resize(58);
  put(file, 64, 2);
  put(file, 1, 2);
  file.resize(kHeader);
  file += note;
  std::string section;
  section.resize(4);
  put(section, 7, 4);
  section.resize(24);
  put(section, kHeader, 8);
  put(section, note.size(), 8);
  section.resize(64);
  return file + section;
}

nlohmann::json kernelMetadata() {
  return {{"amdhsa.kernels",
           {{{".name", "k"},
             {".vgpr_count", 40},
             {".vgpr_spill_count", 3},
             {".private_segment_fixed_size", 8},
             {".group_segment_fixed_size", 512},
             {".max_flat_workgroup_size", 256},
             {".wavefront_size", 64}}}}};
}

TEST(CodeEvidence, ReadsMetadataOfAmdCodeObjects) {
  const std::string module = "anything before" + amdElf(kernelMetadata()) + "and after";
  const auto kernels = amdKernels(module);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0], (KernelResources{"k", 40, 12, 512, 256, 64}));
}

TEST(CodeEvidence, SkipsDamagedCodeObjects) {
  const std::string whole = amdElf(kernelMetadata());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(amdKernels(whole.substr(0, size)), IsEmpty()) << size;
  }
  EXPECT_THAT(amdKernels(amdElf({{"amdhsa.kernels", 5}})), IsEmpty());
  EXPECT_THAT(amdKernels(amdElf(nlohmann::json::array({1, 2}))), IsEmpty());
}

TEST(CodeEvidence, ParsesReportOfPtxas) {
  const auto kernels = parsePtxasReport(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
      "ptxas info    : Function properties for a\n"
      "    16 bytes stack frame, 24 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 255 registers, used 1 barriers, 128 bytes smem, 368 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
      "ptxas info    : Used 15 registers\n");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0], (KernelResources{"a", 255, 24, 128, 0, 32}));
  EXPECT_EQ(kernels[1], (KernelResources{"b", 15, 0, 0, 0, 32}));
}

TEST(CodeEvidence, EstimatesRegistersFromLiveRanges) {
  const auto kernels = estimateRegisters(
      ".visible .entry k(\n)\n{\n .reg .b32 %r<9>;\n .reg .b64 %rd<9>;\n .reg .pred %p<2>;\n"
      " mov.u32 %r1, %tid.x;\n"
      " add.s32 %r2, %r1, 1;\n"
      " add.s32 %r3, %r2, 1;\n"
      " setp.eq.s32 %p1, %r3, 0;\n"
      " cvt.u64.u32 %rd1, %r3;\n}\n");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "k");
  EXPECT_EQ(kernels[0].registers, 3) << "a 64-bit register counts twice, predicates do not";
}

TEST(CodeEvidence, FindsNothingInOtherBytes) {
  EXPECT_THAT(findPtx("no CDA1 executable").programs, IsEmpty());
  EXPECT_THAT(findPtx(std::string("\x08\0\0\0CDA1\xff\xff\xff\xff\xff\xff", 14)).programs,
              IsEmpty());
}

/// Compiles a sum of rows for a target and returns the evidence.
CodeEvidence evidenceFor(const std::string& target) {
  const std::string text =
      "func.func @main(%a: tensor<64x256xf32>) -> tensor<64xf32> {\n"
      "  %z = arith.constant 0.0 : f32\n  %e = tensor.empty() : tensor<64xf32>\n"
      "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>\n"
      "  %r = linalg.reduce {arith.addf} ins(%a : tensor<64x256xf32>) outs(%f : tensor<64xf32>) "
      "dimensions = [1]\n  return %r : tensor<64xf32>\n}\n";
  const ScratchFolder folder = ScratchFolder::create("hone-evidence-test").value();
  const auto file = folder.path() / "sum.mlir";
  EXPECT_TRUE(writeFile(file, text));
  const Installation installation = findInstallation("").value();
  Compiler compiler{CompilePool::start({installation.compilerLibrary(), 1, {}}).value(),
                    ArtifactCache(folder.path() / "cache"),
                    Limits{std::chrono::seconds(120), std::uint64_t{8} << 30U}};
  const std::vector<CompileRequest> requests = {
      {file, hashBytes(text), targetFrom(target)->flags, {}}};
  const auto compiled = compiler.compileAll(requests, {}).value();
  EXPECT_TRUE(compiled[0].report.ok()) << compiled[0].report.message;
  return readEvidence(compiled[0].module, target).value();
}

TEST(CodeEvidence, ReadsCompiledAmdModule) {
  const CodeEvidence evidence = evidenceFor("rocm:gfx942");
  EXPECT_EQ(evidence.source, EvidenceSource::amdMetadata);
  ASSERT_EQ(evidence.kernels.size(), 1U);
  EXPECT_GT(evidence.kernels[0].registers, 0);
  EXPECT_EQ(evidence.kernels[0].threads % 64, 0);
  EXPECT_EQ(evidence.kernels[0].subgroupSize, 64);
}

TEST(CodeEvidence, ReadsCompiledNvidiaModule) {
  const CodeEvidence evidence = evidenceFor("cuda:sm_80");
  EXPECT_NE(evidence.source, EvidenceSource::none);
  ASSERT_EQ(evidence.kernels.size(), 1U);
  EXPECT_GT(evidence.kernels[0].registers, 0);
  EXPECT_EQ(evidence.kernels[0].threads % 32, 0);
  EXPECT_GT(evidence.kernels[0].threads, 0) << "from the launch parameters";
}

}  // namespace
}  // namespace hone::iree
