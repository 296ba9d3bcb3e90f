#include "kernel/source/cheats/cheats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel/source/test_kernels.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> cheatsIn(Language language, const std::string& text) {
  std::vector<std::string> all;
  for (const Cheat& cheat : findCheats(language, text)) {
    all.push_back(cheat.text());
  }
  return all;
}

struct Case {
  const char* name;
  const char* text;
  const char* says;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name
void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

std::string caseName(const testing::TestParamInfo<Case>& info) { return info.param.name; }

class PythonCheat : public testing::TestWithParam<Case> {};

constexpr const char* kPythonHead =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport tilelang\n"
    "import tilelang.language as T\nclass ModelNew(nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n"
    "        self.linear = nn.Linear(4, 4)\n    def forward(self, x, y):\n";

TEST_P(PythonCheat, IsReportedWithLine) {
  const auto cheats =
      cheatsIn(Language::tilelang, std::string(kPythonHead) + "        " + GetParam().text);
  EXPECT_THAT(cheats, testing::Contains(HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    All, PythonCheat,
    testing::Values(
        Case{"Try", "try:\n            pass\n", "line 11: catches exceptions"},
        Case{"Matmul", "return torch.matmul(x, y)", "lets torch do the work (matmul)"},
        Case{"Operator", "return x @ y", "torch's operator @"},
        Case{"Functional", "return F.softmax(x, -1)", "lets torch do the work (softmax)"},
        Case{"LongFunctional", "return torch.nn.functional.relu(x)", "the work (relu)"},
        Case{"NnFunctional", "return nn.functional.relu(x)", "the work (relu)"},
        Case{"Method", "return x.softmax(-1)", "the work (softmax)"},
        Case{"MethodOfView", "return x.view(-1).sum()", "the work (sum)"},
        Case{"MethodOfWeight", "return self.linear.weight.mm(x)", "the work (mm)"},
        Case{"Layer", "return self.linear(x)", "lets a layer of torch do the work (linear)"},
        Case{"Compile", "return torch.compile(x)", "torch's compiler"},
        Case{"Arithmetic", "return x * 2", "with torch's operators (x)"},
        Case{"InFString", "return f'{torch.mm(x, y)}'", "the work (mm)"},
        Case{"FromImport", "pass\nfrom torch import matmul as mm\n", "that does the work (matmul)"},
        Case{"Reference", "return Model()(x)", "uses the reference"},
        Case{"ImportReference", "pass\nimport softmax_reference\n", "imports softmax_reference"},
        Case{"Subprocess", "pass\nimport subprocess\n", "imports subprocess"},
        Case{"Ctypes", "pass\nfrom ctypes import CDLL\n", "imports ctypes"},
        Case{"Threading", "pass\nimport os, threading as t\n", "imports threading"},
        Case{"Numpy", "pass\nimport numpy as np\n", "imports numpy"},
        Case{"PatchedEvent", "torch.cuda.Event = None", "clocks or streams (Event)"},
        Case{"PatchedTorch", "torch.empty = None", "replaces a part of torch (empty)"},
        Case{"PatchedTime", "pass\nimport time\ntime.perf_counter = None\n", "imports time"},
        Case{"DataPtr", "key = x.data_ptr()", "inspects the storage of a tensor"},
        Case{"Identity", "key = id(x)", "compares objects by identity"},
        Case{"KeptInput", "if x is self.last: return self.out", "with an earlier one"},
        Case{"Equal", "if x.equal(self.last): return self.out", "with an earlier one"},
        Case{"Modules", "g = globals()", "indirectly (globals)"},
        Case{"Getattr", "f = getattr(torch, 'mat' + 'mul')", "indirectly (getattr)"},
        Case{"Dunder", "f = torch.__dict__['matmul']", "uses Python internals"},
        Case{"Eval", "eval('1')", "executes a string as code"},
        Case{"Global", "global cache", "between calls"},
        Case{"ModulesOfAModule", "pass\nimport dataclasses\nm = dataclasses.sys.modules['os']\n",
             "forbidden member (sys)"},
        Case{"SystemOfAModule", "tilelang.env.os.system('x')", "forbidden member (os)"},
        Case{"NumpyOfATensor", "a = x.numpy()", "forbidden member (numpy)"},
        Case{"TorchOfAModule", "a = tilelang.utils.torch", "forbidden member (torch)"},
        Case{"FromImportOfAWayOut", "pass\nfrom enum import bltns as b\n",
             "forbidden member (bltns)"},
        Case{"ModulesByName", "f = y.modules['os']", "forbidden member (modules)"},
        Case{"StorageOffset", "if torch.empty(1).storage_offset() == 0: pass",
             "storage of a tensor"},
        Case{"Base", "if x._base is None: pass", "storage of a tensor"},
        Case{"FromLinalg", "pass\nfrom torch.linalg import multi_dot\n",
             "imports torch.linalg, which does the work"},
        Case{"ImportsInternals", "pass\nimport torch._C as c\n", "imports torch._C"},
        Case{"AnotherName", "G = F\n", "aliases torch (F)"},
        Case{"AnotherNameOfTorch", "self.g = torch\n", "aliases torch (torch)"},
        Case{"AnotherNameOfFunctional", "g = torch.nn.functional\n", "aliases torch"},
        Case{"OperatorModule", "pass\nimport operator\n", "imports operator"},
        Case{"AttributeGetter", "f = y.attrgetter('sys.modules')", "forbidden member (attrgetter)"},
        Case{"Pattern", "match y:\n            case object(sys=s):\n                pass\n",
             "line 12: matches objects"},
        Case{"TypeHints", "pass\nimport typing as t\nt.get_type_hints(y)\n",
             "forbidden member (get_type_hints)"},
        Case{"FromTyping", "pass\nfrom typing import get_type_hints as g\n",
             "forbidden member (get_type_hints)"},
        Case{"ModuleOfTyping", "pass\nimport typing\ntyping.re.compile('x')\n",
             "forbidden member (re)"},
        Case{"MakeClass", "pass\nfrom dataclasses import make_dataclass\n", "(make_dataclass)"},
        Case{"AnotherNameOfAModule", "pass\nimport typing\nt = typing\n",
             "aliases a module (typing)"},
        Case{"Extern", "T.call_extern('float32', 'f', x)", "forbidden member (call_extern)"},
        Case{"FromLanguage", "pass\nfrom tilelang.language import call_pure_extern\n",
             "forbidden member (call_pure_extern)"},
        Case{"ImportedSource", "T.import_source('int f();')", "forbidden member (import_source)"},
        Case{"Packed", "T.call_packed('f', x)", "forbidden member (call_packed)"},
        Case{"Tvm", "f = tilelang.tvm.get_global_func('x')", "forbidden member (tvm)"},
        Case{"PostProcess", "f = tilelang.register_c_postproc", "(register_c_postproc)"},
        Case{"Compiler", "pass\nfrom tilelang.contrib import cc\n", "forbidden member (contrib)"},
        Case{"PassedGetattr", "f = map(getattr, [torch], ['mm'])", "indirectly (getattr)"},
        Case{"RenamedExec", "f = exec\n", "executes a string as code (exec)"},
        Case{"RenamedOpen", "f = open\n", "reads or writes files (open)"},
        Case{"PatchedTensor", "X = torch.Tensor\n        X.copy_ = y\n",
             "changes an external object (copy_)"},
        Case{"ImportInLine", "if x: import os\n", "imports os"},
        Case{"FromImportInLine", "if x: from os import fork\n", "imports os"},
        Case{"NameOfOtherLetters", "\xEF\xBD\x85\xEF\xBD\x96\xEF\xBD\x81\xEF\xBD\x8C('1')",
             "not ASCII"},
        Case{"CarriageReturn", "pass  # x\reval('1')\n", "executes a string as code (eval)"},
        Case{"NestedBraces", "f'{ {} or eval(x) }'", "executes a string as code (eval)"},
        Case{"NestedQuotes", "f'{'' or eval('1')}'", "executes a string as code (eval)"},
        Case{"QuoteInFormat", "f'{x:\"}' + eval('1') + \"\"", "executes a string as code (eval)"},
        Case{"FormatInFormat", "f'{x:{eval(y)}}'", "executes a string as code (eval)"},
        Case{"Template", "t'{eval(y)}'", "executes a string as code (eval)"},
        Case{"File", "open('x')", "reads or writes files"}),
    caseName);

TEST(PythonCheats, RejectsForeignEncodings) {
  for (const char* text : {"# coding: utf_7\n", "\n# -*- coding=unicode_escape -*-\n",
                           "# my coding: of latin-1\r\n", "# coding coding:\tcp1252"}) {
    EXPECT_THAT(cheatsIn(Language::tilelang, text),
                testing::ElementsAre(HasSubstr("declares an encoding other than UTF-8")))
        << text;
  }
  for (const char* text : {"# coding: utf-8\n", "#!python\n# vim: set fileencoding=utf8 :\n",
                           "# encoding of x\n", "\n\n# coding: latin-1\n"}) {
    EXPECT_THAT(cheatsIn(Language::tilelang, text), IsEmpty()) << text;
  }
}

TEST(PythonCheats, AcceptsSimilarHonestCode) {
  for (const char* text : {"size = x.shape[0]\n        self.size = size\n",
                           "a = self.kernel(N=4, F=F)\n",
                           "a = nn.Parameter(torch.empty(4))\n",
                           "for m in self.modules():\n            pass\n",
                           "dtype = torch.float32\n",
                           "self._base = 4\n        b = self._base\n",
                           "pass\nfrom torch.nn.parameter import Parameter\n",
                           "pass\nfrom torch import Tensor, nn\n",
                           "pass\nfrom tilelang.layout import make_swizzled_layout\n",
                           "pass\nfrom typing import List, Optional\n",
                           "pass\nfrom functools import lru_cache\n",
                           "pass\nfrom tilelang import language, jit\n",
                           "input = x\n        a = self.f(input)\n",
                           "pass\ndef run(input, hash=3):\n    return input\n",
                           "T.annotate_layout({x: y})\n",
                           "case = 3\n",
                           "pass\nconfigs = {tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True}\n",
                           "self.kernel.block = 3\n",
                           "if x.ndim == 2: pass\n",
                           "name = f'{x.shape[0]:>8} is open {{eval}} {y!r}'\n",
                           "def g():\n            yield from self.parts\n",
                           "if x is None: raise ValueError(f'{x}') from None\n",
                           "pass\ndef conv(N, F, K=3):\n    filters = F\n    return filters\n"}) {
    EXPECT_THAT(cheatsIn(Language::tilelang, std::string(kPythonHead) + "        " + text),
                IsEmpty())
        << text;
  }
}

TEST(PythonCheats, AcceptsHonestKernels) {
  constexpr const char* kHonest = R"(import math
import torch
import torch.nn as nn
import tilelang
import tilelang.language as T
from typing import Optional

BLOCK_M = 32

@tilelang.jit(out_idx=[-1], target="c")
def softmax(M, N, block_M=BLOCK_M, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, block_M)) as bx:
            for i in T.serial(block_M):
                most = T.alloc_local((1,), dtype)
                most[0] = -T.infinity(dtype)
                for j in T.serial(N):
                    most[0] = T.max(most[0], X[bx * block_M + i, j])
                    Y[bx * block_M + i, j] = T.exp(X[bx * block_M + i, j] - most[0])
    return main

class ModelNew(nn.Module):
    """Like Model, but with try: import os, of our own."""

    def __init__(self, features: int, eps: Optional[float] = None):
        super(ModelNew, self).__init__()
        self.linear = nn.Linear(features, features)
        self.weight = nn.Parameter(torch.ones(features))
        self.scale = 1 / math.sqrt(features)  # x @ y

    def forward(self, x: torch.Tensor, *others) -> torch.Tensor:
        M, N = x.shape
        out = torch.empty((M, N), dtype=torch.float32, device=x.device)
        kernel = softmax(M, N // 1 * 1)
        kernel(x.contiguous().view(M, N), self.linear.weight.t(), *others)
        return out.reshape(x.size(0), -1)
)";
  EXPECT_THAT(cheatsIn(Language::tilelang, kHonest), IsEmpty());
}

TEST(CppCheats, ReadEveryTokenOnce) {
  // With a quadratic scan each of these takes minutes.
  for (const char* part :
       {"asm(", "static (", "static <", "static static ", "static a< >", "memcmp(a, ", "[[",
        "__attribute__((", "x a(", "x a() noexcept() ", "a<b> c(), ", "auto f() -> ", "auto [a, ",
        "static const char* memcmp(", "extern \"C\" x a(", "(", "<", "["}) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) {
      text += part;
    }
    static_cast<void>(findCheats(Language::cpp, text));
    text += std::string(200'000, ')') + "{" + std::string(200'000, '>') + "{}";
    static_cast<void>(findCheats(Language::cpp, text));
  }
}

TEST(CppCheats, FindStaticsInTemplateArguments) {
  for (const char* text :
       {"static std::vector<int> a; static std::vector<float*> b; static const float* last;",
        "static Row<decltype([] { static const float* last; return 1; })> row;",
        "bool b = a < c; static const float* last;", "static static const float* last;",
        "static std::map<const float*, std::vector<float>> last;",
        "static std::vector<std::map<float, std::uintptr_t>> last;",
        "struct A { static bool operator<(A, A) { static const float* last; } };"}) {
    EXPECT_THAT(cheatsIn(Language::cpp, text), testing::SizeIs(1)) << text;
  }
}

TEST(Cheats, AcceptsExamples) {
  namespace fs = std::filesystem;
  std::size_t read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(sourceFolder() / "examples/kernels")) {
    const fs::path& file = entry.path();
    const bool kernel = file.extension() == ".cc" || file.extension() == ".py";
    if (!kernel || file.stem().string().ends_with(".reference")) {
      continue;
    }
    const Source source = readSource(file).value();
    EXPECT_THAT(cheatsIn(source.language, source.text), IsEmpty()) << file;
    ++read;
  }
  EXPECT_GE(read, 15U);
}

}  // namespace
}  // namespace hone::kernel
