// End-to-end tests of `hone kernel new`, and of `hone kernel optimize` without a kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernel/kernel_box.h"

namespace hone::test {
namespace {

using kernel::test::says;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST_F(Kernel, WritesPlainFirstKernel) {
  box_.write("fresh.reference.cc", kReference);
  const std::vector<std::string> create = {"kernel", "new", "--reference", "fresh.reference.cc"};
  const CommandResult ran = box_.hone(create);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("fresh.cc is correct: a plain kernel"),
                             HasSubstr("next: hone kernel optimize --kernel fresh.cc")));
  EXPECT_THAT(readFile(box_.work() / "fresh.cc").value(),
              AllOf(HasSubstr("kernel(const float* X, float* Y"), Not(HasSubstr("hone:"))));
  expectError(box_.hone(create), 2, {"fresh.cc exists", "-o"});
  expectError(box_.hone({"kernel", "new", "--reference", "none.cc"}), 2, {"no reference none.cc"});
  expectError(
      box_.hone({"kernel", "new", "--reference", "fresh.reference.cc", "--language", "tilelang"}),
      2, {"TileLang kernel needs a Python reference"});
}

TEST_F(Kernel, TranslatesPythonReference) {
  box_.write("net.reference.py", R"(import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.norm = nn.LayerNorm(columns)
        self.linear = nn.Linear(columns, 7)

    def forward(self, x, y):
        mixed = self.linear(self.norm(torch.relu(x) + y.transpose(0, 1)))
        return torch.softmax(mixed, dim=-1).reshape(7, -1) * mixed.mean()


def get_inputs():
    return [torch.randn(14, 10), torch.randn(10, 14)]


def get_init_inputs():
    return [10]
)");
  // TileLang compiles every step for seconds, so its reference has few.
  box_.write("few.reference.py",
             "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
             "    def __init__(self):\n        super(Model, self).__init__()\n\n"
             "    def forward(self, x, y):\n"
             "        return torch.softmax(torch.relu(x) + y.transpose(0, 1), dim=-1)\n\n\n"
             "def get_inputs():\n    return [torch.randn(14, 10), torch.randn(10, 14)]\n\n\n"
             "def get_init_inputs():\n    return []\n");
  box_.write("pool.reference.py", R"(import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self):
        super(Model, self).__init__()
        self.conv = nn.Conv2d(4, 6, 3, groups=2)

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 3, stride=2, padding=1)
        return F.avg_pool2d(x, 2), F.max_pool2d(x, 2, ceil_mode=True), F.avg_pool1d(x.flatten(2), 3)


def get_inputs():
    return [torch.randn(2, 4, 13, 13)]


def get_init_inputs():
    return []
)");
  for (const auto& [language, reference] :
       {std::pair("cpp", "net.reference.py"), std::pair("cpp", "pool.reference.py"),
        std::pair("tilelang", "few.reference.py")}) {
    const CommandResult ran = box_.hone({"kernel", "new", "--reference", reference, "--language",
                                         language, "--run-timeout", "200", "-q"});
    if (ran.code == 2 && ran.err.contains("torch")) {
      GTEST_SKIP() << "needs scripts/setup --kernels: " << ran.err;
    }
    ASSERT_EQ(ran.code, 0) << language << ": " << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("a plain kernel"));
  }
  box_.write("sort.reference.py",
             "import torch\nimport torch.nn as nn\n\n\nclass Model(nn.Module):\n"
             "    def forward(self, x):\n        return torch.sort(x)[0]\n\n\n"
             "def get_inputs():\n    return [torch.randn(8)]\n\n\n"
             "def get_init_inputs():\n    return []\n");
  const CommandResult none = box_.hone({"kernel", "new", "--reference", "sort.reference.py", "-q"});
  EXPECT_EQ(none.code, 1) << none.err;
  EXPECT_THAT(none.out, AllOf(HasSubstr("the operator sort"), HasSubstr("--model")));
}

TEST_F(Kernel, WritesFirstKernelByModel) {
  box_.write("fresh.reference.cc", kReference);
  const ChatServer server(
      {says(fenced("#include <cstdint>\nextern \"C\" void kernel(const float* X, float* Y, "
                   "std::int64_t R, std::int64_t C) { Y[0] = 1; }\n")),
       says(goodAnswer())});
  const CommandResult ran = box_.hone({"kernel", "new", "--reference", "fresh.reference.cc",
                                       "--api-base", server.base(), "--model", "tiny", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["by"], "model") << ran.out;
  EXPECT_EQ(ran.json()["kernel"], "fresh.cc");
  EXPECT_EQ(readFile(box_.work() / "fresh.cc").value(), kFast);
  ASSERT_THAT(server.requests(), SizeIs(2));
  EXPECT_THAT(lastMessage(server.requests()[0].body),
              AllOf(HasSubstr("void reference(const double* X"), HasSubstr("one candidate")));
  EXPECT_THAT(lastMessage(server.requests()[1].body), HasSubstr("Y[0] = 1;"));
  EXPECT_TRUE(fs::exists(box_.work() / "results/multiturn_logs/dspy_history_fresh_new.txt"));
  EXPECT_THAT(filesWithTheKey(), IsEmpty());
}

TEST_F(Kernel, OptimizesReferenceWithoutKernel) {
  box_.write("fresh.reference.cc", kReference);
  const std::vector<std::string> arguments = {
      "kernel",           "optimize", "--reference",  "fresh.reference.cc",
      "--max-iterations", "1",        "--candidates", "2",
      "--rounds",         "5",        "--json"};
  const CommandResult ran = box_.hone(arguments);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_GE(ran.json()["candidates"], 1);
  EXPECT_TRUE(fs::exists(box_.work() / "fresh.cc"));
  EXPECT_EQ(box_.hone(arguments).code, 0) << "uses the kernel that exists now";
}

}  // namespace
}  // namespace hone::test
