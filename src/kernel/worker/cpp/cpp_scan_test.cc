// Scans kernels after preprocessing, as the judge does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "kernel/source/cheats/cheats.h"
#include "kernel/source/test_kernels.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the cheats in a source; its compile error if it cannot be preprocessed.
std::vector<std::string> scan(const std::string& text, const std::vector<std::string>& flags = {}) {
  static const ScratchFolder kFolder = ScratchFolder::create("hone-scan").value();
  static CppBuilder builder =
      CppBuilder::open(kFolder.path(), {std::chrono::seconds(60), 4ULL << 30U}).value();
  const CppPreprocessed expanded = builder.preprocess(text, flags).value();
  if (!expanded.ok()) {
    return {expanded.message};
  }
  std::vector<std::string> all;
  for (const Cheat& cheat : findCheats(Language::cpp, expanded.own)) {
    all.push_back(cheat.text());
  }
  return all;
}

struct ScanCase {
  const char* name;
  const char* text;
  const char* says;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest looks for this name
void PrintTo(const ScanCase& value, std::ostream* out) { *out << value.name; }

class CppCheat : public testing::TestWithParam<ScanCase> {};

TEST_P(CppCheat, IsReportedWithLine) {
  EXPECT_THAT(scan(std::string("#include <cstdint>\n") + GetParam().text),
              testing::Contains(HasSubstr(GetParam().says)));
}

INSTANTIATE_TEST_SUITE_P(
    All, CppCheat,
    testing::Values(
        ScanCase{"Fork", "void f() { fork(); }", "line 2: starts a process (fork)"},
        ScanCase{"System", "void f() { std::system(\"true\"); }", "starts a process (system)"},
        ScanCase{"Exit", "void f() {\n  exit(0); }", "line 3: ends the process (exit)"},
        ScanCase{"Dlopen", "auto h = dlopen(nullptr, 1);", "loads other code (dlopen)"},
        ScanCase{"Clock", "void f() { clock_gettime(0, nullptr); }", "reads a clock"},
        ScanCase{"Chrono", "auto t = std::chrono::steady_clock::now();", "reads a clock"},
        ScanCase{"PatchedClock", "extern \"C\" int clock_gettime(int, void*) { return 0; }",
                 "reads a clock"},
        ScanCase{"Time", "auto t = time(nullptr);", "reads a clock"},
        ScanCase{"Ptrace", "long x = ptrace(0);", "inspects other processes"},
        ScanCase{"Preload", "const char* x = \"LD_PRELOAD\";", "system resource (LD_PRELOAD)"},
        ScanCase{"Proc", "const char* x = \"/proc/self/mem\";", "system resource (/proc)"},
        ScanCase{"Header", "#include <sys/mman.h>\n", "includes <sys/mman.h>"},
        ScanCase{"OtherFile", "#include \"a.reference.cc\"\n",
                 "line 2: fatal error: a.reference.cc"},
        ScanCase{"AbsoluteFile", "#include </etc/passwd>\n",
                 "line 2: fatal error: /etc/passwd: No such file"},
        ScanCase{"PointerCache", "static const float* last = nullptr;", "keeps a pointer"},
        ScanCase{"AddressCache", "void f() { static std::uintptr_t key; }", "keeps a pointer"},
        ScanCase{"ThreadCache", "thread_local const void* seen;", "keeps a pointer"},
        ScanCase{"MapCache", "static std::unordered_map<const float*, int> cache;",
                 "keeps a table"},
        ScanCase{"Compares", "static float old[8];\nif (memcmp(A, old, 8) == 0) return;",
                 "line 3: compares its inputs"},
        ScanCase{"Detach", "std::thread([&] {}).detach();", "leaves a thread running"},
        ScanCase{"Pthread", "pthread_create(nullptr, nullptr, f, nullptr);", "creates a thread"},
        ScanCase{"Handler", "void f() { signal(11, nullptr); }", "handles signals (signal)"},
        ScanCase{"Constructor", "__attribute__((constructor)) void f() {}", "before it is called"},
        ScanCase{"Constructor11", "[[gnu::constructor]] void f() {}", "before it is called"},
        ScanCase{"Syscall", "asm volatile(\"syscall\" : : : );",
                 "assembly that calls the system (syscall)"},
        ScanCase{"SyscallInParts", "asm volatile(\"sys\" \"call\" : : : );", "(syscall)"},
        ScanCase{"Import", "#import \"/etc/passwd\"\n", "/etc/passwd: No such file"},
        ScanCase{"OtherSpelling", "%:include \"/etc/passwd\"\n", "/etc/passwd: No such file"},
        ScanCase{"CommentedInclude", "#/**/include \"/etc/passwd\"\n", "/etc/passwd: No such file"},
        ScanCase{"JoinedInclude", "#inc\\\nlude \"/etc/passwd\"\n", "/etc/passwd: No such file"},
        ScanCase{"JoinedName", "void f() { fo\\\nrk(); }", "starts a process (fork)"},
        ScanCase{"BehindDigitSeparator", "int a = 1' R\"x('; void f() { fork(); } // )x\"",
                 "starts a process (fork)"},
        ScanCase{"BehindSuffix", "auto a = \"a\"R\"x(\"; void f() { fork(); } // )x\"",
                 "starts a process (fork)"},
        ScanCase{"Digraphs", "[<:gnu::constructor:>] void f() <%%>", "before it is called"},
        ScanCase{"IncludeOverLines", "\n#include /* a\n */ \"/etc/passwd\"\n",
                 "line 3: fatal error: /etc/passwd: No such file"},
        ScanCase{"Trigraph",
                 "?"
                 "?=include \"/etc/passwd\"\n",
                 "names a system resource"},
        ScanCase{"LineMarker", "# 1 \"/usr/include/math.h\" 1 3\nvoid f() { fork(); }",
                 "line 3: starts a process (fork)"},
        ScanCase{"LineDirective", "#line 1 \"/usr/include/math.h\"\nvoid f() { fork(); }",
                 "line 3: starts a process (fork)"},
        ScanCase{"JoinedLineDirective", "%:\\\nli\\\nne 1 \"x.h\"\nvoid f() { fork(); }",
                 "line 5: starts a process (fork)"},
        ScanCase{"MarkerInRawLiteral",
                 "auto s = R\"(\n# 1 \"/usr/include/math.h\" 1 3\n)\"; void f() { fork(); }",
                 "line 4: starts a process (fork)"},
        ScanCase{"MarkerBehindComment",
                 "int x; /*\n*/ # 1 \"/usr/include/math.h\" 1 3\nvoid f() { fork(); }",
                 "starts a process (fork)"},
        ScanCase{"PastedRawLiteral",
                 "#define J(a, b) a##b\nauto s = J(R, \"x(a)x\"); void f() { fork(); }",
                 "line 3: starts a process (fork)"},
        ScanCase{"JoinedByStrayBackslash", "#define A 1 \\ // x\nvoid f() { fork(); }",
                 "line 3: starts a process (fork)"},
        ScanCase{"Incbin", "asm(\".incbin \\\"x\\\"\");", "assembly with the directive '.incbin'"},
        ScanCase{"Byte", "asm(\".byte 0x0f, 0x05\");", "assembly with the directive '.byte'"},
        ScanCase{"EscapedSyscall", "asm(\"\\x73ys\\143all\");", "calls the system (syscall)"},
        ScanCase{"RawSyscall", "asm(R\"(nop\n  rep syscall)\");", "calls the system (syscall)"},
        ScanCase{"SyscallFromOperand", "asm(\"%c0\" : : \"i\"(f));", "instruction cannot be read"},
        ScanCase{"SyscallOfDialect", "asm(\"{sys|x}call\");", "instruction cannot be read"},
        ScanCase{"SyscallBehindLabel", "asm(\"1: nop; 2:syscall\");", "calls the system (syscall)"},
        ScanCase{"MacroOfAssembler", "asm(\".macro x\\nsys\\\\()call\\n.endm\");",
                 "directive '.macro'"},
        ScanCase{"ThreadPointer", "asm(\"mov %%fs:0, %0\" : \"=r\"(x));", "inspects its thread"},
        ScanCase{"Section", "__attribute__((section(\".text\"))) const char code[] = {15, 5};",
                 "in another section (section)"},
        ScanCase{"Pch", "#pragma GCC pch_preprocess \"x\"\n", "a pragma that reads files"},
        ScanCase{"PchByOperator", "_Pragma(\"GCC pch_preprocess \\\"x\\\"\")\n",
                 "a pragma that reads files"},
        ScanCase{"TimeStampCounter", "#include <x86intrin.h>\nauto t = __rdtsc();",
                 "line 3: reads a clock"},
        ScanCase{"PastedName", "#define J(a, b) a##b\nvoid f() { J(fo, rk)(); }",
                 "line 3: starts a process (fork)"},
        ScanCase{"NameByFlag", "#ifdef __OPTIMIZE__\nvoid f() { fork(); }\n#endif",
                 "line 3: starts a process (fork)"},
        ScanCase{"FrameAddress", "void* p = __builtin_frame_address(0);", "inspects its caller"},
        ScanCase{"Macro", "#define WORK \\\n  fork()\nvoid f() { WORK; }",
                 "line 4: starts a process (fork)"},
        ScanCase{"File", "auto f = fopen(\"x\", \"w\");", "reads or writes files"},
        ScanCase{"Environment", "auto x = getenv(\"HOME\");", "the environment"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(CppCheats, AcceptsHonestKernels) {
  for (const TestKernel& kernel : honestKernels()) {
    EXPECT_THAT(scan(kernel.text, kernel.flags), IsEmpty()) << kernel.name;
  }
}

TEST(CppCheats, AcceptsSimilarHonestCode) {
  for (const char* text :
       {"#define UNUSED fork()\n",
        R"(static const float* const kRows[] = {nullptr};
static const float* const kRow = kRows[0];)",
        "static const char* const kName = \"softmax\";",
        "extern \"C\" float expf(float);",
        "extern \"C\" { double exp(double); float tanhf(float); }",
        R"(static const char kMagic[] = "ab";
bool f(const char* a) { return memcmp(a, kMagic, 2); })",
        "struct Panel { int socket; int fork; };\nint f(Panel p) { return p.socket + p.fork; }",
        "#include <map>\nstd::map<int, int> m;",
        "#include <list>\n#include <iostream>\n#include <unordered_map>\n#include <sstream>\n",
        "#include <chrono>\n#include <thread>\n#include <pthread.h>\n#include <fstream>\n",
        "#include \"immintrin.h\"\n#include \"stdio.h\"\n",
        "static float* scratch;\nstatic std::unordered_map<int, float> lookup;",
        R"(void f(const float* signal, int time) {
  auto read = [&](int i) { return signal[i]; };
  read(time);
})",
        "namespace dsp { float clock(float x); }\nfloat f(float x) { return dsp::clock(x); }",
        "int big = 1'000'000; const char* raw = R\"(a \"quoted\" text)\";",
        "asm volatile(\"1: dec %0\\n jnz 1b\" : \"+r\"(n));",
        R"(asm volatile(".p2align 4\n.Lloop%=:\n vmovups (%1), %%ymm0; jmp .Lloop%="
             : : "r"(a), "r"(b));)",
        "asm(\"%{vex%} vpdpbusd %0, %1, %2\" : : \"x\"(a));",
        "int f(int x) asm(\"renamed\");",
        "#line 10 \"generated.y\"\nint x;",
        "#pragma GCC optimize(\"O3\")\n#pragma GCC target(\"avx2\")\n#pragma omp simd\n",
        "#if 0\nit's fork() time\n#endif\n",
        "int f(int section, int constructor) { return g(section, constructor); }",
        "// fork() and clock_gettime() and /proc\n",
        "static const float kTable[] = {1, 2};",
        "static float* buffer = nullptr;",
        "static thread_local std::vector<float> packed;",
        "static inline const float* row(const float* a) { return a; }",
        "static float read(const float* a) { return *a; }\nfloat y = read(nullptr);",
        "asm volatile(\"\" ::: \"memory\");",
        "asm volatile(\"nop\\n\" \"nop\" : \"+r\"(a) : \"r\"(b));\nint s = a;",
        "asm(\"vfmadd231ps %0, %1, %2\");",
        "extern \"C\" void kernel(const float* A);\nextern \"C\" void kernel(const float* A) {}",
        "extern \"C\" __attribute__((target(\"avx512f\"))) void kernel(const float* A) {}",
        "extern \"C\" [[gnu::target(\"avx2\")]] void kernel(const float* A) {}",
        "extern \"C\" __attribute__((optimize(\"O3\"), hot)) void kernel(const float* A) {}",
        "extern \"C\" void __attribute__((aligned(64))) kernel(const float* A) {}",
        "extern alignas(64) float table[8];",
        "struct Panel { int open; int time; };\nint f(Panel p) { return p.open + p.time; }",
        "auto end = std::remove(v.begin(), v.end(), 0);",
        "#include <immintrin.h>\n",
        "static constexpr int kTile = 8;",
        "const float* a = A + i; float time = a[0] * 2;",
        "struct R { auto top() { return read(0); }\nauto read(int i) -> float { return i; } };",
        "struct R { float read(int i); };\nfloat R::read(int i) { return i; }",
        "auto send(int i) noexcept(true) -> int { return i; }\nint x = send(1);",
        "struct Base { virtual float read(int i) const = 0; float first() { return read(0); } };",
        "void f(int n) { std::vector<std::vector<float>> time(n); std::vector<int> send(1), b; }",
        "void f() { const auto& [open, close] = pair; close(open(1)); }",
        "struct Id {};\nstatic bool operator<(Id a, Id b) { std::map<int, float*> m; return 1; }",
        "#include <sys/types.h>\n#include <sys/param.h>\n"}) {
    EXPECT_THAT(scan(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace hone::kernel
