#include "kernel/judge/red_team/test_honest_styles.h"

#include <fmt/format.h>

#include <functional>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// An operation on rows: `row` computes row i and writes it to `out`.
struct RowOperation {
  std::string name;
  std::string header;     ///< lines of the reference
  std::string inputs;     ///< "A, B": names of the inputs
  std::string output;     ///< "C"
  std::string sizes;      ///< "M, N, K"
  std::string place;      ///< place of row i: "C + i * N"
  std::string length;     ///< elements of a row of the output
  std::string row;        ///< with REAL for the type of numbers
  std::string arguments;  ///< "A, B, C, M, N, K"

  [[nodiscard]] std::string parameters(const std::string& real,
                                       const std::string& integer = "std::int64_t") const {
    std::string text;
    for (const std::string& input : splitAt(inputs, ',')) {
      text += fmt::format("const {}* {}, ", real, trim(input));
    }
    text += fmt::format("{}* {}", real, output);
    for (const std::string& size : splitAt(sizes, ',')) {
      text += fmt::format(", {} {}", integer, trim(size));
    }
    return text;
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

RowOperation makeRowOperation(const std::string& name, const std::string& length,
                              const std::string& row) {
  return {name,
          fmt::format("// hone: sizes M=12 N=96\n// hone: other M=3 N=1\n// hone: other M=5 N=77\n"
                      "// hone: input X f32 MxN\n// hone: output Y f32 {}\n",
                      length == "1" ? "M" : "MxN"),
          "X",
          "Y",
          "M, N",
          length == "1" ? "Y + i" : "Y + i * N",
          length,
          "  const REAL* x = X + i * N;\n" + row,
          "X, Y, M, N"};
}

std::vector<RowOperation> rowOperations() {
  return {
      {"matmul",
       "// hone: sizes M=24 N=40 K=32\n// hone: other M=7 N=5 K=9\n// hone: input A f32 MxK\n"
       "// hone: input B f32 KxN\n// hone: output C f32 MxN\n// hone: flops 2*M*N*K\n",
       "A, B", "C", "M, N, K", "C + i * N", "N",
       "  for (long j = 0; j < N; ++j) {\n    REAL sum = 0;\n"
       "    for (long k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];\n"
       "    out[j] = sum;\n  }\n",
       "A, B, C, M, N, K"},
      makeRowOperation("softmax", "N",
                       "  REAL most = x[0], sum = 0;\n"
                       "  for (long j = 1; j < N; ++j) most = x[j] > most ? x[j] : most;\n"
                       "  for (long j = 0; j < N; ++j) sum += out[j] = std::exp(x[j] - most);\n"
                       "  for (long j = 0; j < N; ++j) out[j] /= sum;\n"),
      makeRowOperation(
          "layer_norm", "N",
          "  REAL mean = 0, square = 0;\n  for (long j = 0; j < N; ++j) mean += x[j];\n"
          "  mean /= N;\n"
          "  for (long j = 0; j < N; ++j) square += (x[j] - mean) * (x[j] - mean);\n"
          "  const REAL scale = 1 / std::sqrt(square / N + (REAL)1e-5);\n"
          "  for (long j = 0; j < N; ++j) out[j] = (x[j] - mean) * scale;\n"),
      makeRowOperation("reduction", "1",
                       "  REAL sum = 0;\n  for (long j = 0; j < N; ++j) sum += x[j] * x[j];\n"
                       "  out[0] = sum;\n"),
      makeRowOperation("gather", "N",
                       "  for (long j = 0; j < N; ++j) out[j] = x[(j * 7 + 3) % N];\n"),
      makeRowOperation("elementwise", "N",
                       "  for (long j = 0; j < N; ++j) out[j] = x[j] / (1 + std::exp(-x[j]));\n"),
      {"convolution",
       "// hone: sizes M=12 N=96 K=3\n// hone: other M=3 N=9 K=5\n// hone: input X f32 MxN\n"
       "// hone: input W f32 K\n// hone: output Y f32 MxN\n// hone: flops 2*M*N*K\n",
       "X, W", "Y", "M, N, K", "Y + i * N", "N",
       "  for (long j = 0; j < N; ++j) {\n    REAL sum = 0;\n"
       "    for (long k = 0; k < K; ++k) {\n      const long at = j + k - K / 2;\n"
       "      sum += at >= 0 && at < N ? W[k] * X[i * N + at] : 0;\n    }\n"
       "    out[j] = sum;\n  }\n",
       "X, W, Y, M, N, K"},
  };
}

/// A way to write a kernel.
struct KernelStyle {
  std::string name;
  std::function<std::string(const RowOperation&)> write;
  std::vector<std::string> flags;
};

constexpr const char* kUsualHeaders =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstdlib>\n"
    "#include <cstring>\n#include <vector>\n";

std::string rowText(const RowOperation& operation) {
  return replaced(operation.row, "REAL", "float");
}

/// Returns the row with its output pointer.
std::string rowWithOutput(const RowOperation& operation) {
  return fmt::format("  float* out = {};\n{}", operation.place, rowText(operation));
}

std::string withKernel(const RowOperation& operation, const std::string& before,
                       const std::string& body, const std::string& mark = "") {
  return fmt::format("{}{}\nextern \"C\" {}void kernel({}) {{\n{}}}\n", kUsualHeaders, before, mark,
                     operation.parameters("float"), body);
}

/// Returns a kernel that calls `row(…, i)` for every row.
std::string withRowFunction(const RowOperation& operation, const std::string& declaration,
                            const std::string& call, const std::string& before = "") {
  return withKernel(operation,
                    fmt::format("{}{}({}, std::int64_t i) {{\n{}}}\n", before, declaration,
                                operation.parameters("float"), rowWithOutput(operation)),
                    fmt::format("  for (std::int64_t i = 0; i < M; ++i) {}({}, i);\n", call,
                                operation.arguments));
}

/// Returns a kernel whose body surrounds the code of a row: `open` … `close`.
KernelStyle around(std::string name, std::string open, std::string close, std::string before = "",
                   std::vector<std::string> flags = {}) {
  return {std::move(name),
          [open = std::move(open), close = std::move(close),
           before = std::move(before)](const RowOperation& operation) {
            return withKernel(operation, before, open + rowWithOutput(operation) + close);
          },
          std::move(flags)};
}

/// Returns a kernel that computes rows in scratch memory `scratch`, created by `create`.
KernelStyle inScratch(std::string name, std::string create, std::string destroy = "",
                      std::string before = "") {
  return {
      std::move(name),
      [create = std::move(create), destroy = std::move(destroy),
       before = std::move(before)](const RowOperation& operation) {
        return withKernel(
            operation, before,
            fmt::format("  const std::size_t length = {0};\n{1}"
                        "  for (std::int64_t i = 0; i < M; ++i) {{\n  float* out = scratch;\n{2}"
                        "  std::memcpy({3}, out, length * sizeof(float));\n  }}\n{4}",
                        operation.length, create, rowText(operation), operation.place, destroy));
      },
      {}};
}

void addLoops(std::vector<KernelStyle>& styles) {
  constexpr const char* kFor = "  for (std::int64_t i = 0; i < M; ++i) {\n";
  styles.push_back(around("for", kFor, "  }\n"));
  styles.push_back(around("while", "  std::int64_t i = 0;\n  while (i < M) {\n", "  ++i;\n  }\n"));
  styles.push_back(around("do_while", "  if (M <= 0) return;\n  std::int64_t i = 0;\n  do {\n",
                          "  } while (++i < M);\n"));
  styles.push_back(around("goto", "  std::int64_t i = 0;\nagain:\n  if (i >= M) return;\n  {\n",
                          "  }\n  ++i;\n  goto again;\n"));
  styles.push_back(around("backwards", "  for (std::int64_t i = M; i-- > 0;) {\n", "  }\n"));
  styles.push_back(around("two_levels",
                          "  for (std::int64_t first = 0; first < M; first += 4)\n"
                          "  for (std::int64_t i = first; i < std::min(first + 4, M); ++i) {\n",
                          "  }\n"));
  styles.push_back(around("alternative_tokens",
                          "  for (std::int64_t i = 0; i < M and not(i < 0) or false; ++i) <%\n",
                          "  %>\n"));
  styles.push_back(around("pragma_simd",
                          "#pragma omp simd\n  for (std::int64_t i = 0; i < M; ++i) {\n", "  }\n",
                          "", {"-O3", "-fopenmp-simd"}));
  styles.push_back(around("pragma_parallel",
                          "#pragma omp parallel for schedule(static)\n"
                          "  for (std::int64_t i = 0; i < M; ++i) {\n",
                          "  }\n", "#include <omp.h>\n", {"-O3", "-fopenmp"}));
  styles.push_back(around(
      "pragma_unroll", "#pragma GCC unroll 4\n  for (std::int64_t i = 0; i < M; ++i) {\n", "  }\n",
      "#pragma GCC optimize(\"O3\", \"unroll-loops\")\n"
      "#define IVDEP _Pragma(\"GCC ivdep\")\n"));
  styles.push_back(around("indices",
                          "  std::vector<std::int64_t> rows(M);\n"
                          "  std::iota(rows.begin(), rows.end(), 0);\n"
                          "  for (const std::int64_t i : rows) {\n",
                          "  }\n", "#include <numeric>\n"));
  styles.push_back(around("for_each",
                          "  std::vector<std::int64_t> rows(M);\n"
                          "  std::iota(rows.begin(), rows.end(), 0);\n"
                          "  std::for_each(rows.begin(), rows.end(), [&](auto i) {\n",
                          "  });\n", "#include <numeric>\n"));
  styles.push_back(around("ranges",
                          "  for (const auto i : std::views::iota(std::int64_t{0}, M)) {\n",
                          "  }\n", "#include <ranges>\n"));
  styles.push_back(around("list",
                          "  std::list<std::int64_t> rows;\n"
                          "  for (std::int64_t r = 0; r < M; ++r) rows.push_back(r);\n"
                          "  for (auto at = rows.begin(); at != rows.end(); ++at) {\n"
                          "  const std::int64_t i = *at;\n",
                          "  }\n", "#include <list>\n#include <deque>\n"));
  styles.push_back(around("switch",
                          "  for (std::int64_t i = 0; i < M; ++i) {\n  switch (i % 4) {\n"
                          "  case 0: case 1: case 2: case 3: default: {\n",
                          "  }\n  }\n  }\n"));
}

void addFunctions(std::vector<KernelStyle>& styles) {
  const auto add = [&](std::string name, const std::string& declaration, const std::string& call,
                       const std::string& before = "") {
    styles.push_back({std::move(name),
                      [=](const RowOperation& operation) {
                        return withRowFunction(operation, declaration, call, before);
                      },
                      {}});
  };
  add("static_function", "static void row", "row");
  add("inline_function", "static inline __attribute__((always_inline, hot)) void row", "row");
  add("template", "template <int Unused = 3>\nvoid row", "row<4>");
  add("forward_declared", "static void row", "row", "struct Forward;\n");
  add("macro_name", "#define NAME(n) row_##n\nstatic void NAME(1)", "NAME(1)");
  add("friendly_names", "static void read", "read",
      "struct Panel {\n  int socket, fork, open, time;\n  float write(int clock) const { return "
      "clock + socket; }\n};\nstatic float use(const Panel& panel) { return "
      "panel.write(panel.time); "
      "}\n");
  add("attributes", "[[gnu::noinline]] [[gnu::target(\"sse4.2\")]] static void row", "row");
  add("extern_math", "static void row", "row",
      "extern \"C\" float expf(float);\nextern \"C\" { double exp(double); float tanhf(float); }\n"
      "static float unused(float x) { return expf(x) + tanhf(x); }\n");
  add("constant_table", "static void row", "row",
      "static const float kTable[4] = {1, 2, 3, 4};\nstatic const float* const kFirst = kTable;\n"
      "static const char* const kNames[] = {\"a\", \"b\"};\n"
      "static float lookUp(int at) { return kFirst[at] + static_cast<float>(kNames[0][0]); }\n");
  add("constexpr_table", "static void row", "row",
      "#include <array>\nconstexpr auto kSquares = [] {\n  std::array<float, 16> all{};\n"
      "  for (int i = 0; i < 16; ++i) all[i] = static_cast<float>(i * i);\n  return all;\n}();\n"
      "static_assert(kSquares[3] == 9.0F);\n");
  add("compares_constants", "static void row", "row",
      "static const char kMagic[] = \"hone\";\n"
      "static bool same(const char* text) { return std::memcmp(text, kMagic, 4) == 0 || "
      "std::strcmp(text, \"x\") == 0; }\n");
  add("concepts", "template <typename T = float>\n  requires std::is_floating_point_v<T>\nvoid row",
      "row", "#include <concepts>\n#include <type_traits>\n");
  add("iostream", "static void row", "row",
      "#include <iostream>\n#include <map>\n#include <string>\n"
      "static void complain(const std::map<int, std::string>& all) {\n"
      "  for (const auto& [key, text] : all) std::cerr << key << text << '\\n';\n}\n");
  add("exceptions", "static void row", "row",
      "#include <stdexcept>\nstatic void check(long n) {\n"
      "  if (n < 0) throw std::invalid_argument(\"a size is negative\");\n}\n");
  add("literals", "static void row", "row",
      "static const char* const kText = R\"doc(fork() in a \"raw\" literal, it's\nfine)doc\";\n"
      "static const int kLarge = 1'000'000;\nlong operator\"\"_kib(unsigned long long n) { return "
      "n * "
      "1024; }\nstatic const long kBytes = 4_kib;\n");
  add("comments", "static void row /* fork(); */", "row",
      "// system(\"true\"), /proc/self/mem, std::chrono and clock_gettime() are not used\n"
      "/* asm(\".byte 0x0f, 0x05\"); \\\n # 1 \"x.h\" 3 */\n#if 0\nit's exit(0)\n#endif\n");
  add("line_directive", "static void row", "row",
      "#line 100 \"generated.tpl\"\nstatic int unused;\n");
  add("lazy_table", "static void row", "row",
      "static float* lookup = nullptr;\nstatic bool ready = false;\nstatic void prepare() {\n"
      "  static float room[64];\n  if (!ready) for (int i = 0; i < 64; ++i) room[i] = "
      "static_cast<float>(i);\n  lookup = room;\n  ready = true;\n}\n");
  add("atomics", "static void row", "row",
      "#include <atomic>\n#include <mutex>\nstatic std::atomic<long> calls{0};\n"
      "static void count() { calls.fetch_add(1, std::memory_order_relaxed); }\n");
  add("prefetch", "static void row", "row",
      "#include <immintrin.h>\nstatic void near(const float* p) {\n"
      "  __builtin_prefetch(p);\n  _mm_prefetch(reinterpret_cast<const char*>(p), "
      "_MM_HINT_T0);\n}\n");
  add("intrinsics", "static void row", "row",
      "#include <immintrin.h>\nstatic float total(__m128 v) {\n"
      "  const __m128 high = _mm_movehl_ps(v, v);\n  return _mm_cvtss_f32(_mm_add_ps(v, "
      "high));\n}\n");
  add("vector_type", "static void row", "row",
      "typedef float Vector __attribute__((vector_size(32), aligned(4)));\n"
      "static Vector twice(Vector v) { return v * 2.0F; }\n");
  add("assembly", "static void row", "row",
      "static void fence() {\n  asm volatile(\"\" : : : \"memory\");\n"
      "  asm volatile(\"nop\\n\\tnop\" : : : \"memory\");\n}\n");
  add("bits", "static void row", "row",
      "#include <bit>\n#include <limits>\n#include <numbers>\n"
      "static std::uint32_t bitsOf(float x) { return std::bit_cast<std::uint32_t>(x); }\n");
  add("signal_names", "static void row", "row",
      "static float clock(const float* signal, long time) {\n  auto send = [&](long at) { return "
      "signal[at]; };\n  return send(time);\n}\n");
}

void addObjects(std::vector<KernelStyle>& styles) {
  styles.push_back(around("lambda", "  auto row = [&](std::int64_t i) {\n",
                          "  };\n  for (std::int64_t i = 0; i < M; ++i) row(i);\n"));
  styles.push_back(around("generic_lambda",
                          "  auto row = [=]<typename I>(I i) mutable noexcept {\n",
                          "  };\n  for (std::int64_t i = 0; i < M; ++i) row(i);\n"));
  styles.push_back(around("std_function", "  const std::function<void(long)> row = [&](long i) {\n",
                          "  };\n  for (long i = 0; i < M; ++i) row(i);\n",
                          "#include <functional>\n"));
  styles.push_back({"functor",
                    [](const RowOperation& operation) {
                      return withKernel(
                          operation,
                          fmt::format("struct Row {{\n  void operator()({}, std::int64_t i) const "
                                      "{{\n{}  }}\n}};\n",
                                      operation.parameters("float"), rowWithOutput(operation)),
                          fmt::format("  for (std::int64_t i = 0; i < M; ++i) Row{{}}({}, i);\n",
                                      operation.arguments));
                    },
                    {}});
  styles.push_back({"virtual_class",
                    [](const RowOperation& operation) {
                      return withKernel(
                          operation,
                          fmt::format("class Base {{\n public:\n  virtual ~Base() = default;\n"
                                      "  virtual void run({0}, std::int64_t i) = 0;\n}};\n"
                                      "class Row final : public Base {{\n public:\n"
                                      "  void run({0}, std::int64_t i) override {{\n{1}  }}\n}};\n",
                                      operation.parameters("float"), rowWithOutput(operation)),
                          fmt::format("  Row row;\n  Base& base = row;\n"
                                      "  for (std::int64_t i = 0; i < M; ++i) base.run({}, i);\n",
                                      operation.arguments));
                    },
                    {}});
  styles.push_back({"macro_body",
                    [](const RowOperation& operation) {
                      const std::string row = replaced(rowWithOutput(operation), "\n", " \\\n");
                      return withKernel(operation,
                                        "#define ROW(i) do { \\\n" + row + "} while (0)\n",
                                        "  for (std::int64_t i = 0; i < M; ++i) ROW(i);\n");
                    },
                    {}});
  styles.push_back(
      {"recursion",
       [](const RowOperation& operation) {
         return withKernel(
             operation,
             fmt::format("static void rows({}, std::int64_t begin, std::int64_t end) {{\n"
                         "  if (end - begin > 1) {{\n"
                         "    const std::int64_t middle = (begin + end) / 2;\n"
                         "    rows({}, begin, middle);\n    rows({}, middle, end);\n"
                         "    return;\n  }}\n  const std::int64_t i = begin;\n{}}}\n",
                         operation.parameters("float"), operation.arguments, operation.arguments,
                         rowWithOutput(operation)),
             fmt::format("  if (M > 0) rows({}, 0, M);\n", operation.arguments));
       },
       {}});
  styles.push_back(
      {"namespaces",
       [](const RowOperation& operation) {
         return withKernel(
             operation,
             fmt::format("namespace app::detail {{\ninline void row({}, long i) {{\n{}}}\n"
                         "}}\nusing namespace app::detail;\n",
                         operation.parameters("float"), rowWithOutput(operation)),
             fmt::format("  for (long i = 0; i < M; ++i) app::detail::row({}, i);\n",
                         operation.arguments));
       },
       {}});
  styles.push_back({"restrict",
                    [](const RowOperation& operation) {
                      return replaced(withKernel(operation, "",
                                                 "  for (std::int64_t i = 0; i < M; ++i) {\n" +
                                                     rowWithOutput(operation) + "  }\n",
                                                 "__attribute__((optimize(\"O3\"), hot)) "),
                                      "(const float* ", "(const float* __restrict__ ");
                    },
                    {}});
  styles.push_back({"c_language",
                    [](const RowOperation& operation) {
                      const std::string row =
                          replaced(replaced(rowWithOutput(operation), "std::exp", "expf"),
                                   "std::sqrt", "sqrtf");
                      return fmt::format(
                          "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
                          "void kernel({}) {{\n  int new = 0, class = new;\n"
                          "  for (int64_t i = class; i < M; ++i) {{\n{}  }}\n}}\n",
                          operation.parameters("float", "int64_t"), row);
                    },
                    {"-xc"}});
}

void addScratch(std::vector<KernelStyle>& styles) {
  styles.push_back(inScratch(
      "vector_scratch", "  std::vector<float> room(length);\n  float* scratch = room.data();\n"));
  styles.push_back(inScratch("static_scratch",
                             "  static thread_local std::vector<float> room;\n"
                             "  room.resize(length);\n  float* scratch = room.data();\n"));
  styles.push_back(inScratch("array_scratch",
                             "  alignas(64) std::array<float, 4096> room;\n"
                             "  float* scratch = room.data();\n",
                             "", "#include <array>\n"));
  styles.push_back(inScratch("unique_scratch",
                             "  const auto room = std::make_unique<float[]>(length);\n"
                             "  float* scratch = room.get();\n",
                             "", "#include <memory>\n"));
  styles.push_back(inScratch(
      "malloc_scratch", "  float* scratch = static_cast<float*>(std::malloc(length * 4 + 4));\n",
      "  std::free(scratch);\n"));
  styles.push_back(
      inScratch("aligned_scratch",
                "  float* scratch = static_cast<float*>(std::aligned_alloc(64, (length "
                "* 4 + 63) / 64 * 64));\n",
                "  std::free(scratch);\n"));
  styles.push_back(
      inScratch("new_scratch", "  float* scratch = new float[length];\n", "  delete[] scratch;\n"));
  styles.push_back(inScratch("global_scratch", "  float* scratch = gScratch;\n", "",
                             "static float gScratch[4096];\n"));
  styles.push_back(inScratch("span_scratch",
                             "  std::vector<float> room(length);\n"
                             "  const std::span<float> view(room);\n"
                             "  float* scratch = view.data();\n",
                             "", "#include <span>\n"));
  styles.push_back(inScratch("map_scratch",
                             "  std::map<int, std::vector<float>> rooms;\n"
                             "  rooms[0].resize(length);\n  float* scratch = rooms.at(0).data();\n",
                             "", "#include <map>\n#include <set>\n#include <unordered_map>\n"));
}

std::vector<KernelStyle> kernelStyles() {
  std::vector<KernelStyle> styles;
  addLoops(styles);
  addFunctions(styles);
  addObjects(styles);
  addScratch(styles);
  return styles;
}

std::string referenceText(const RowOperation& operation) {
  return fmt::format(
      "#include <cmath>\n#include <cstdint>\n{}extern \"C\" void reference({}) {{\n"
      "  for (std::int64_t i = 0; i < M; ++i) {{\n  double* out = {};\n{}  }}\n}}\n",
      operation.header, operation.parameters("double"), operation.place,
      replaced(operation.row, "REAL", "double"));
}

}  // namespace

std::vector<TestKernel> honestStyles() {
  std::vector<TestKernel> kernels;
  for (const RowOperation& operation : rowOperations()) {
    for (const KernelStyle& style : kernelStyles()) {
      kernels.push_back({fmt::format("{}_{}", operation.name, style.name), referenceText(operation),
                         style.write(operation), style.flags});
    }
  }
  return kernels;
}

std::size_t countHonestStyles() { return kernelStyles().size(); }

}  // namespace hone::kernel
