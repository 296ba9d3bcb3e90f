// Runs Python references and TileLang kernels in their workers and in the judge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/judge.h"
#include "kernel/source/source.h"
#include "kernel/worker/python/python_place.h"
#include "kernel/worker/worker.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;
using model::Outcome;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

const fs::path kExamples = sourceFolder() / "examples/kernels/tilelang";

constexpr const char* kReference = R"(import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.norm = nn.LayerNorm(columns)
        self.scale = nn.Parameter(torch.ones(columns))

    def forward(self, x):
        return x * self.scale + self.norm.bias

def get_inputs():
    return [torch.randn(8, 96)]

def get_init_inputs():
    return [96]
)";

/// Returns a kernel for that reference: code before the class, the element expression, the body of
/// forward.
std::string kernelText(const std::string& before, const std::string& element,
                       const std::string& forward) {
  return "import tilelang\nimport tilelang.language as T\nimport torch\nimport torch.nn as nn\n" +
         before +
         "\n@tilelang.jit(target=\"c\", out_idx=[-1])\n"
         "def program(rows, columns):\n"
         "    @T.prim_func\n"
         "    def main(x: T.Tensor((rows, columns), \"float32\"),\n"
         "             scale: T.Tensor((columns,), \"float32\"),\n"
         "             bias: T.Tensor((columns,), \"float32\"),\n"
         "             out: T.Tensor((rows, columns), \"float32\")):\n"
         "        with T.Kernel(rows) as i:\n"
         "            for j in T.serial(columns):\n"
         "                " +
         element +
         "\n"
         "    return main\n"
         "\n"
         "class ModelNew(nn.Module):\n"
         "    def __init__(self, columns):\n"
         "        super().__init__()\n"
         "        self.norm = nn.LayerNorm(columns)\n"
         "        self.scale = nn.Parameter(torch.ones(columns))\n"
         "\n"
         "    def forward(self, x):\n" +
         forward + "\n";
}

constexpr const char* kCorrect = "out[i, j] = x[i, j] * scale[j] + bias[j]";
constexpr const char* kCall = "        return program(8, 96)(x, self.scale, self.norm.bias)";

/// Creates a folder with the reference. Skips the test if torch is not installed.
class PythonWorkerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto place = findPython();
    const auto packages = place ? queryPackages(place->interpreter) : Result<PythonPackages>({});
    if (!packages || packages->torch.empty() || packages->tilelang.empty()) {
      GTEST_SKIP() << "torch and TileLang are not installed; run scripts/setup --kernels";
    }
    options_.python = place->interpreter;
    options_.worker = place->script;
    options_.folder = folder_.path() / "scratch";
    fs::create_directories(options_.folder);
    reference_ = write("row.reference.py", kReference);
  }

  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(writeFile(folder_.path() / name, text));
    return folder_.path() / name;
  }
  /// Loads a kernel into a worker without the source scan.
  [[nodiscard]] Reply load(const std::string& text,
                           milliseconds limit = milliseconds(300'000)) const {
    const Runnable runnable =
        tileLangRunnable(options_, write("kernel.py", text), reference_).value();
    Worker worker = Worker::start(runnable.command).value();
    return worker.ask(runnable.load, limit).value();
  }
  [[nodiscard]] Judge open(const fs::path& reference) const {
    return Judge::open(readTask(reference, options_).value(), options_).value();
  }
  static Source source(const std::string& text) { return {Language::tilelang, "row", text, {}}; }

  ScratchFolder folder_ = ScratchFolder::create("hone-python-test").value();
  JudgeOptions options_;
  fs::path reference_;
};

TEST(PythonPlace, FailsIfHonePythonIsNotAProgram) {
  const char* set = std::getenv("HONE_PYTHON");
  const std::string before = set != nullptr ? set : "";
  ::setenv("HONE_PYTHON", "/no/such/python", 1);
  const auto place = findPython();
  ::setenv("HONE_PYTHON", before.c_str(), 1);
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().message, "HONE_PYTHON: /no/such/python is not a program");
  EXPECT_EQ(place.error().fault, Fault::user);
}

TEST(PythonPlace, FailsForBrokenInterpreter) {
  const auto packages = queryPackages("/bin/false");
  ASSERT_FALSE(packages);
  EXPECT_EQ(packages.error().message, "/bin/false failed: exit code 1");
}

TEST_F(PythonWorkerTest, ReadsArgumentsOfReference) {
  const Task task = readTask(kExamples / "rms_norm.reference.py", options_).value();
  ASSERT_EQ(task.shape.inputs.size(), 2U);
  EXPECT_EQ(task.shape.inputs[0].name, "x");
  EXPECT_EQ(task.shape.inputs[0].type.text(), "512x1024xf32");
  EXPECT_EQ(task.shape.inputs[1].name, "weight");
  EXPECT_EQ(task.shape.inputs[1].type.text(), "1024xf32");
  EXPECT_EQ(task.shape.parameters, 1U);
  EXPECT_EQ(task.shape.outputs.at(0).type.text(), "512x1024xf32");
  EXPECT_EQ(readTask(kExamples / "matmul.reference.py", options_).value().shape.flops,
            2.0 * 256 * 256 * 256);

  const std::string diagonal =
      "import torch\nclass Model(torch.nn.Module):\n    def forward(self, a, b):\n"
      "        return torch.diag(a) @ b\ndef get_inputs():\n"
      "    return [torch.randn(64), torch.randn(64, 32)]\n";
  EXPECT_EQ(readTask(write("diag.reference.py", diagonal), options_).value().shape.flops,
            2.0 * 64 * 64 * 32);
  EXPECT_EQ(readTask(write("diag.reference.py", diagonal + "# hone: flops 64*32\n"), options_)
                .value()
                .shape.flops,
            64.0 * 32);

  const auto refused = [&](const std::string& text) {
    return readTask(write("other.reference.py", text), options_).error().message;
  };
  EXPECT_THAT(refused("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
                      "        return x + 1\ndef get_inputs():\n"
                      "    return [torch.randn(32768, 32768)]\n"),
              HasSubstr("needs 16.0 GiB"));
  EXPECT_THAT(refused("class Model\n"), HasSubstr("other.reference.py line 1: SyntaxError"));
  EXPECT_THAT(refused("x = 1\n"), HasSubstr("reference has no Model"));
  EXPECT_THAT(refused("import no_such_module\n"),
              HasSubstr("line 1: ModuleNotFoundError: No module named 'no_such_module'"));
}

TEST_F(PythonWorkerTest, ReportsMisbehavingKernels) {
  struct Row {
    std::string before;
    std::string element;
    std::string forward;
    std::string kind;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"def f(:\n", kCorrect, kCall, "build", "kernel.py line 5: SyntaxError"},
      {"import nothing_like_it\n", kCorrect, kCall, "build",
       "kernel.py line 5: ModuleNotFoundError"},
      {"raise ValueError('at once')\n", kCorrect, kCall, "build",
       "kernel.py line 5: ValueError: at once"},
      {"", "out[i, j] = x[i, j, j]", kCall, "build", "kernel.py line"},
      {"", kCorrect, "        raise KeyError('lost')", "run",
       "kernel.py line 25: KeyError: 'lost'"},
      {"", kCorrect, "        exit(3)", "run", "called exit (3)"},
      {"", kCorrect, "        return torch.relu(x)", "refused", "lets torch do the work"},
      {"", kCorrect, "        return torch.empty(1 << 36)", "run", "out of memory"},
      {"", kCorrect, "        return 5", "shape", "forward returned int"},
      {"", kCorrect, "        open('/tmp/hone-outside', 'w')", "refused", "PermissionError"},
      {"", kCorrect, "        import socket; socket.create_connection(('127.0.0.1', 9), 1)",
       "refused", "PermissionError"},
      // Results that are computed when the judge reads them.
      {"class Lazy(dict):\n    def values(self):\n        return [program(8, 96)(*self['x'])]\n",
       kCorrect, "        return Lazy(x=(x, self.scale, self.norm.bias))", "shape",
       "forward returned Lazy, not tensors"},
      {"class Late(torch.Tensor):\n    pass\n", kCorrect,
       "        return program(8, 96)(x, self.scale, self.norm.bias).as_subclass(Late)", "shape",
       "forward returned Late, not tensors"},
      {"X = torch.Tensor\nX.copy_ = lambda *_: None\n", kCorrect, kCall, "refused",
       "replaces a method of torch.Tensor"},
      // Helpers that compute in another process.
      {"import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)\n", kCorrect,
       kCall, "refused", "PermissionError"},
      {"import os, time\nfirst = os.fork()\nif first == 0:\n    os.setsid()\n"
       "    if os.fork() == 0:\n        time.sleep(60)\n    os._exit(0)\nos.waitpid(first, 0)\n",
       kCorrect, kCall, "refused", "PermissionError"},
      // Writes to the folder with the builds of other kernels.
      {"import os\nopen(os.path.dirname(os.environ['TMPDIR']) + '/tilelang-built/x.so', 'w')\n",
       kCorrect, kCall, "refused", "PermissionError"},
  };
  for (const Row& row : rows) {
    const Reply reply = load(kernelText(row.before, row.element, row.forward));
    EXPECT_EQ(reply.status, Reply::Status::failed) << row.says << ": " << reply.message;
    EXPECT_EQ(reply.kind, row.kind) << reply.message;
    EXPECT_THAT(reply.message, HasSubstr(row.says));
  }
  const Reply ended = load(kernelText("import os\nos._exit(7)\n", kCorrect, kCall));
  EXPECT_EQ(ended.status, Reply::Status::ended);
  EXPECT_EQ(ended.message, "process ended: exit code 7");
  const Reply late =
      load(kernelText("while True:\n    pass\n", kCorrect, kCall), milliseconds(3000));
  EXPECT_EQ(late.status, Reply::Status::timedOut);
}

TEST_F(PythonWorkerTest, RejectsFlagsThatAddCode) {
  const auto with = [&](const std::string& flags) {
    std::string text = kernelText("", kCorrect, kCall);
    text.replace(text.find(", out_idx"), 0, ", compile_flags=" + flags);
    return load(text);
  };
  for (const char* flags : {"['-include', '/etc/passwd']", "'-Dmain=other'", "['-O3 -lm']",
                            "['-fplugin=x.so']", "['-o/tmp/x']", "['-specs=x']"}) {
    const Reply reply = with(flags);
    EXPECT_EQ(reply.kind, "refused") << flags << ": " << reply.message;
    EXPECT_THAT(reply.message, HasSubstr("is not allowed")) << flags;
  }
  const Reply fine = with("['-O3 -ffast-math', '-funroll-loops', '-mprefer-vector-width=512']");
  EXPECT_TRUE(fine.ok()) << fine.message;
}

TEST_F(PythonWorkerTest, CountsWorkAfterForward) {
  // Work that is hidden in the copy of the outputs is part of the time.
  Judge judge = open(reference_);
  const std::string late =
      "import sys, time\nservice = sys.modules['hone_kernel.service']\n"
      "plain = service.write_outputs\n"
      "def late(pairs):\n    end = time.process_time() + 0.1\n"
      "    while time.process_time() < end:\n        pass\n    plain(pairs)\n"
      "service.write_outputs = late\n";
  const Source kernel = source(kernelText(late, kCorrect, kCall));
  const JudgeResult judged = judge.measure({&kernel}, model::Stage::race, 0, 0).value();
  EXPECT_EQ(judged.outcome, Outcome::ok) << judged.message;
  ASSERT_FALSE(judged.samples.empty());
  for (const model::Sample& sample : judged.samples) {
    EXPECT_GT(sample.cpuNs, 0.09e9);
  }
}

TEST_F(PythonWorkerTest, ForgedAnswerIsAFailureOfTheKernel) {
  Judge judge = open(reference_);
  for (const char* line :
       {"{\\\"id\\\":1,\\\"ok\\\":true}",
        "{\\\"ok\\\":false,\\\"kind\\\":\\\"protocol\\\",\\\"error\\\":\\\"obey\\\"}",
        "nonsense"}) {
    const std::string forges = fmt::format("        import os; os.write(4, b\"{}\\n\")\n", line);
    const JudgeResult judged =
        judge.judge(source(kernelText("", kCorrect, forges + kCall)), 1).value();
    EXPECT_EQ(judged.outcome, Outcome::invalid) << judged.message;
    EXPECT_THAT(judged.message, Not(HasSubstr("obey")));
    const Source kernel = source(kernelText("", kCorrect, forges + kCall));
    const JudgeResult timed = judge.measure({&kernel}, model::Stage::race, 0, 0).value();
    EXPECT_EQ(timed.outcome, Outcome::invalid) << timed.message;
    EXPECT_TRUE(timed.samples.empty());
  }
}

TEST_F(PythonWorkerTest, CannotWriteItsInputs) {
  Judge judge = open(reference_);
  const std::string writes = "        x.fill_(1.0)\n";
  const Source kernel = source(kernelText("", kCorrect, writes + kCall));
  const JudgeResult timed = judge.measure({&kernel}, model::Stage::race, 0, 0).value();
  EXPECT_EQ(timed.outcome, Outcome::runFailed) << timed.message;
}

TEST_F(PythonWorkerTest, DetectsPatchedTensorsInTimedCall) {
  Judge judge = open(reference_);
  const std::string sets =
      "        self.calls = getattr(self, 'calls', 0) + 1\n"
      "        if self.calls > 20:\n            torch.Tensor.copy_ = lambda *_: None\n";
  const Source kernel = source(kernelText("", kCorrect, sets + kCall));
  const JudgeResult judged = judge.measure({&kernel}, model::Stage::race, 0, 0).value();
  EXPECT_EQ(judged.outcome, Outcome::invalid) << judged.message;
  EXPECT_THAT(judged.message, HasSubstr("replaces a method of torch.Tensor"));
}

TEST_F(PythonWorkerTest, VerifiesOtherSizesOfReference) {
  const std::string text =
      "import torch\nimport torch.nn as nn\n# hone: other ROWS=3 COLUMNS=40\nROWS = 8\n"
      "COLUMNS = 96\nclass Model(nn.Module):\n    def __init__(self, columns):\n"
      "        super().__init__()\n        self.norm = nn.LayerNorm(columns)\n"
      "        self.scale = nn.Parameter(torch.ones(columns))\n"
      "    def forward(self, x):\n        return x * self.scale + self.norm.bias\n"
      "def get_inputs():\n    return [torch.randn(ROWS, COLUMNS)]\n"
      "def get_init_inputs():\n    return [COLUMNS]\n";
  const fs::path reference = write("sized.reference.py", text);
  const Task task = readTask(reference, options_).value();
  ASSERT_EQ(task.others.size(), 1U);
  EXPECT_EQ(task.others[0].inputs[0].type.text(), "3x40xf32");
  EXPECT_EQ(task.others[0].inputs[1].type.text(), "40xf32");
  EXPECT_EQ(task.others[0].outputs[0].type.text(), "3x40xf32");
  EXPECT_EQ(task.shape.outputs[0].type.text(), "8x96xf32");

  Judge judge = open(reference);
  const std::string general = "        return program(*x.shape)(x, self.scale, self.norm.bias)";
  const JudgeResult good = judge.judge(source(kernelText("", kCorrect, general)), 1).value();
  EXPECT_EQ(good.outcome, Outcome::ok) << good.message << good.diagnostics;
  EXPECT_GE(good.facts.inputs, 9);
  // Correct only for the task's own sizes: a mismatch unless declared.
  const std::string special =
      "if columns > 64:\n                    out[i, j] = x[i, j] * scale[j] + bias[j]\n"
      "                else:\n                    out[i, j] = 0.0";
  const std::string narrow = kernelText("", special, general);
  const JudgeResult bad = judge.judge(source(narrow), 2).value();
  EXPECT_EQ(bad.outcome, Outcome::mismatch) << bad.message;
  EXPECT_THAT(bad.message, HasSubstr("ROWS=3 COLUMNS=40"));
  const JudgeResult fixed = judge.judge(source("# hone: fixed sizes\n" + narrow), 3).value();
  EXPECT_EQ(fixed.outcome, Outcome::ok) << fixed.message;

  const std::string lost = text.substr(0, text.find("COLUMNS=40")) + "WIDTH=40" +
                           text.substr(text.find("COLUMNS=40") + 10);
  EXPECT_THAT(readTask(write("lost.reference.py", lost), options_).error().message,
              HasSubstr("'other' names WIDTH, which is not an integer constant"));
}

TEST_F(PythonWorkerTest, JudgesKernels) {
  Judge judge = open(reference_);
  EXPECT_TRUE(judge.hasPyTorch());
  const Source right = source(kernelText("", kCorrect, kCall));
  const JudgeResult good = judge.judge(right, 1).value();
  EXPECT_EQ(good.outcome, Outcome::ok) << good.message << good.diagnostics;
  EXPECT_FALSE(good.samples.empty());
  EXPECT_GE(good.facts.inputs, 3);
  EXPECT_THAT(good.facts.sandbox, HasSubstr("seccomp"));
  const JudgeResult again = judge.measure({&right}, model::Stage::race, 0, 0).value();
  EXPECT_EQ(again.outcome, Outcome::ok) << again.message;
  EXPECT_FALSE(again.samples.empty());
  const JudgeResult pytorch = judge.measure({nullptr}, model::Stage::race, 0, 1).value();
  EXPECT_EQ(pytorch.outcome, Outcome::ok) << pytorch.message;
  EXPECT_FALSE(pytorch.samples.empty());

  // The parameters of the reference are ones and zeros; those of the judge are not.
  for (const char* wrong : {"out[i, j] = x[i, j] * scale[j]", "out[i, j] = x[i, j] + bias[j]"}) {
    const JudgeResult bad = judge.judge(source(kernelText("", wrong, kCall)), 2).value();
    EXPECT_EQ(bad.outcome, Outcome::mismatch) << wrong << ": " << bad.message;
  }
  const JudgeResult outside =
      judge.judge(source(kernelText("", "out[i, j + 1] = x[i, j] * scale[j] + bias[j]", kCall)), 3)
          .value();
  EXPECT_FALSE(outside.ok());
  const JudgeResult shape =
      judge
          .judge(source(kernelText("", kCorrect,
                                   "        return program(8, 96)(x, self.scale, "
                                   "self.norm.bias).reshape(96, 8)")),
                 4)
          .value();
  EXPECT_EQ(shape.outcome, Outcome::mismatch) << shape.message;
  EXPECT_THAT(shape.message, HasSubstr("forward returned 96x8xf32, the reference 8x96xf32"));
}

TEST_F(PythonWorkerTest, ReportsFailureInTimedCall) {
  Judge judge = open(reference_);
  const std::string tires =
      "        self.calls = getattr(self, 'calls', 0) + 1\n"
      "        if self.calls > 20:\n            raise KeyError('tired')\n";
  const Source kernel = source(kernelText("", kCorrect, tires + kCall));
  const JudgeResult judged = judge.measure({&kernel}, model::Stage::race, 0, 0).value();
  EXPECT_EQ(judged.outcome, Outcome::runFailed) << judged.message;
  EXPECT_THAT(judged.message, HasSubstr("KeyError"));
  EXPECT_THAT(judged.message, Not(HasSubstr("tired")));
  EXPECT_THAT(judged.diagnostics, HasSubstr("KeyError: 'tired'"));
}

TEST_F(PythonWorkerTest, VerifiesGpuKernelByTwinWithoutTiming) {
  Judge judge = open(kExamples / "gpu_matmul.reference.py");
  const Source original = readSource(kExamples / "gpu_matmul.py").value();
  const JudgeResult good = judge.judge(original, 1).value();
  EXPECT_EQ(good.outcome, Outcome::ok) << good.message << good.diagnostics;
  EXPECT_TRUE(good.samples.empty());
  EXPECT_FALSE(good.facts.timed);
  EXPECT_EQ(good.facts.gpu.threads.value_or(0), 64) << toJson(good.facts);
  EXPECT_EQ(good.facts.gpu.sharedMemory.value_or(0), 2 * (32 * 16 + 16 * 32)) << toJson(good.facts);
  if (!findProgram("nvcc").empty()) {
    EXPECT_GT(good.facts.gpu.registers.value_or(0), 0) << toJson(good.facts);
    EXPECT_EQ(good.facts.gpu.spills.value_or(-1), 0);
  }
  Source wrong = original;
  wrong.text.replace(wrong.text.find("T.clear(sums)"), 13, "T.fill(sums, 1.0)");
  const JudgeResult bad = judge.judge(wrong, 2).value();
  EXPECT_EQ(bad.outcome, Outcome::mismatch) << bad.message;
}

TEST_F(PythonWorkerTest, PassesExamples) {
  for (const char* name : {"relu_add", "matmul", "softmax", "rms_norm", "row_sum", "gelu_chain"}) {
    Judge judge = open(kExamples / fmt::format("{}.reference.py", name));
    const Source kernel = readSource(kExamples / fmt::format("{}.py", name)).value();
    const JudgeResult judged = judge.judge(kernel, 1).value();
    EXPECT_EQ(judged.outcome, Outcome::ok) << name << ": " << judged.message << judged.diagnostics;
    EXPECT_FALSE(judged.samples.empty());
  }
}

}  // namespace
}  // namespace hone::kernel
