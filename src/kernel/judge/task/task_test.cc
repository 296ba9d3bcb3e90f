#include "kernel/judge/task/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "kernel/judge/judge.h"
#include "kernel/source/test_kernels.h"

namespace hone::kernel {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class TaskFile : public testing::Test {
 protected:
  fs::path write(const std::string& name, std::string_view text = "x\n") {
    const auto file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    EXPECT_TRUE(writeFile(file, text));
    return file;
  }
  std::string found(const fs::path& kernel, const fs::path& given = {}) {
    const auto reference = findReference(kernel, given);
    return reference ? fs::relative(*reference, folder_.path()).string()
                     : reference.error().message;
  }
  ScratchFolder folder_ = ScratchFolder::create("hone-task").value();
};

TEST_F(TaskFile, FindsReferenceNextToKernel) {
  const fs::path kernel = write("a.cc");
  EXPECT_THAT(found(kernel), HasSubstr("expected a.reference.cc"));
  write("reference.py");
  EXPECT_EQ(found(kernel), "reference.py");
  write("reference.cc");
  EXPECT_EQ(found(kernel), "reference.cc");
  write("a.reference.py");
  EXPECT_EQ(found(kernel), "a.reference.py");
  write("a.reference.cc");
  EXPECT_EQ(found(kernel), "a.reference.cc");
  EXPECT_EQ(found(kernel, write("other/b.cc")), "other/b.cc");
  EXPECT_THAT(found(kernel, folder_.path() / "none"), HasSubstr("no reference "));
  EXPECT_THAT(found(folder_.path() / "none.cc"), HasSubstr("no kernel file "));
}

TEST_F(TaskFile, FindsOnlyPythonReferencesForPythonKernels) {
  const fs::path kernel = write("a.py");
  write("a.reference.cc");
  EXPECT_THAT(found(kernel), HasSubstr("expected a.reference.py"));
  write("a.reference.py");
  EXPECT_EQ(found(kernel), "a.reference.py");
}

TEST_F(TaskFile, ReadsCppReferenceWithoutPython) {
  const fs::path reference = write("mm.reference.cc", kMatmulReference);
  Task task = readTask(reference, {}).value();
  EXPECT_EQ(task.name, "mm");
  EXPECT_EQ(task.reference, reference);
  EXPECT_EQ(task.pytorch, "");
  EXPECT_EQ(task.others.size(), 2u);
  write("mm.reference.py");
  task = readTask(reference, {}).value();
  EXPECT_EQ(task.pytorch, folder_.path() / "mm.reference.py");
  EXPECT_EQ(readTask(write("softmax/reference.cc", kMatmulReference), {})->name, "softmax");
}

TEST_F(TaskFile, NeedsPythonForPythonReference) {
  const auto task = readTask(write("a.reference.py"), {});
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().fault, Fault::user);
  EXPECT_THAT(task.error().message, HasSubstr("scripts/setup --kernels"));
  EXPECT_FALSE(readTask(folder_.path() / "none.py", {}));
  EXPECT_FALSE(readTask(folder_.path() / "none.cc", {}));
}

}  // namespace
}  // namespace hone::kernel
