#include "iree/compile/toolchain/foreign_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::iree {
namespace {

using testing::HasSubstr;

TEST(ForeignFlags, AcceptsFlagsThatChangeOnlyCode) {
  for (const char* flag :
       {"--iree-opt-data-tiling", "--iree-opt-level=O3", "--iree-llvmcpu-enable-ukernels=all",
        "--iree-dispatch-creation-experimental-set-data-tiling-ops", "--iree-rocm-target=gfx942",
        "--iree-llvmcpu-loop-unrolling=false", "--iree-global-opt-use-im2col-for-convs",
        "--iree-codegen-llvmgpu-use-direct-convolution", "--iree-hal-target-device=local",
        "--iree-hal-indirect-command-buffers=false", "--iree-llvmcpu-target-cpu=host"}) {
    EXPECT_TRUE(isHarmlessFlag(flag)) << flag;
  }
}

TEST(ForeignFlags, RefusesProgramsAndFiles) {
  for (const char* flag : {"--iree-llvmcpu-system-linker-path=evil",
                           "--iree-llvmcpu-embedded-linker-path=evil",
                           "--iree-load-plugin=evil.so",
                           "--iree-plugin=x",
                           "--iree-cuda-use-ptxas-from=evil",
                           "--iree-hal-preprocess-executables-with=evil",
                           "--iree-hal-dump-executable-files-to=x",
                           "--iree-hal-substitute-executable-object=a=b",
                           "--iree-codegen-tuning-spec-path=x.mlir",
                           "--iree-codegen-transform-dialect-library=x.mlir",
                           "--iree-rocm-bc-dir=x",
                           "--iree-opt-import-parameters=x.irpa",
                           "--iree-opt-level=/etc/passwd",
                           "--iree-opt-level=../x",
                           "--iree-scheduling-dump-statistics-file=x",
                           "@flags.txt",
                           "--iree-preprocessing-pass-pipeline=builtin.module()",
                           "--mlir-print-ir-after-all",
                           "-o",
                           "evil",
                           "",
                           "--iree-parameter-encoder-output-file=x",
                           "--iree-link-bitcode=x"}) {
    EXPECT_FALSE(isHarmlessFlag(flag)) << flag;
    const std::string text = flag;
    const auto checked = checkForeignFlags(std::span(&text, 1), "c.json");
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().fault, Fault::user);
    EXPECT_THAT(checked.error().message, HasSubstr("c.json: the flag '"));
    EXPECT_THAT(checked.error().message, HasSubstr("--trust"));
  }
}

TEST(ForeignFlags, RefusesInputsOutsideTheFolder) {
  const ScratchFolder folder = ScratchFolder::create("hone-foreign").value();
  const auto accepts = [&](const std::string& input) {
    return checkForeignInputs(std::span(&input, 1), folder.path(), "c.json").has_value();
  };
  EXPECT_TRUE(accepts("4x8xf32"));
  EXPECT_TRUE(accepts("4x8xf32=1"));
  EXPECT_TRUE(accepts("4x8xf32=@" + (folder.path() / "x.npy").string()));
  EXPECT_FALSE(accepts("4x8xf32=@" + (folder.path() / "../x.npy").string()));
  EXPECT_FALSE(accepts("4x8xf32=@/etc/passwd"));
  EXPECT_FALSE(accepts("@/etc/passwd"));
  std::filesystem::create_symlink("/etc", folder.path() / "link");
  EXPECT_FALSE(accepts("4xf32=@" + (folder.path() / "link/passwd").string()));
}

}  // namespace
}  // namespace hone::iree
