#pragma once

#include <string>
#include <vector>

#include "kernel/source/source.h"

namespace hone::kernel {

/// An honest kernel and its reference, as source text.
struct TestKernel {
  std::string name;
  std::string reference;
  std::string text;
  std::vector<std::string> flags;

  [[nodiscard]] Source source() const { return {Language::cpp, name, text, flags}; }
};

inline const char* const kMatmulReference = R"(#include <cstdint>
// hone: sizes M=24 N=40 K=32
// hone: other M=7 N=5 K=9
// hone: other M=17 N=33 K=3
// hone: input A f32 MxK
// hone: input B f32 KxN
// hone: output C f32 MxN
// hone: flops 2*M*N*K
extern "C" void reference(const double* A, const double* B, double* C, std::int64_t M,
                          std::int64_t N, std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
      C[i * N + j] = sum;
    }
}
)";

inline const char* const kMatmulKernel = R"(#include <cstdint>
extern "C" void kernel(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N,
                       std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i)
    for (std::int64_t j = 0; j < N; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < K; ++k) sum += A[i * K + k] * B[k * N + j];
      C[i * N + j] = sum;
    }
}
)";

inline const char* const kRowsHeader = R"(#include <cmath>
#include <cstdint>
#include <algorithm>
// hone: sizes M=12 N=300
// hone: other M=3 N=1
// hone: other M=5 N=77
// hone: input X f32 MxN
)";

inline std::string rowsReference(const std::string& output, const std::string& body) {
  return std::string(kRowsHeader) + "// hone: output Y f32 " + output +
         "\nextern \"C\" void reference(const double* X, double* Y, std::int64_t M, std::int64_t "
         "N) "
         "{\n  for (std::int64_t i = 0; i < M; ++i) {\n    const double* x = X + i * N;\n" +
         body + "  }\n}\n";
}

inline std::string rowsKernel(const std::string& body) {
  return "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <vector>\n"
         "extern \"C\" void kernel(const float* X, float* Y, std::int64_t M, std::int64_t N) {\n"
         "  for (std::int64_t i = 0; i < M; ++i) {\n    const float* x = X + i * N;\n" +
         body + "  }\n}\n";
}

inline std::vector<TestKernel> honestMatmuls() {
  std::vector<TestKernel> kernels;
  kernels.push_back({"matmul", kMatmulReference, kMatmulKernel, {}});
  kernels.push_back({"matmul_fast_math", kMatmulReference, kMatmulKernel, {"-O3", "-ffast-math"}});
  kernels.push_back({"matmul_threads",
                     kMatmulReference,
                     R"(#include <cstdint>
extern "C" void kernel(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N,
                       std::int64_t K) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < M; ++i) {
    float* row = C + i * N;
    for (std::int64_t j = 0; j < N; ++j) row[j] = 0;
    for (std::int64_t k = 0; k < K; ++k)
      for (std::int64_t j = 0; j < N; ++j) row[j] += A[i * K + k] * B[k * N + j];
  }
}
)",
                     {"-O3", "-fopenmp"}});
  kernels.push_back({"matmul_packed",
                     kMatmulReference,
                     R"(#include <cstdint>
#include <cstring>
#include <vector>
typedef float V __attribute__((vector_size(32), aligned(4)));
extern "C" void kernel(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N,
                       std::int64_t K) {
  static thread_local std::vector<float> packed;  // a buffer, filled in every call
  packed.resize(static_cast<std::size_t>(K * 8));
  for (std::int64_t j = 0; j < N; j += 8) {
    const std::int64_t width = N - j < 8 ? N - j : 8;
    for (std::int64_t k = 0; k < K; ++k)
      for (std::int64_t t = 0; t < 8; ++t) packed[k * 8 + t] = t < width ? B[k * N + j + t] : 0.0f;
    for (std::int64_t i = 0; i < M; ++i) {
      V sum{};
      for (std::int64_t k = 0; k < K; ++k)
        sum += A[i * K + k] * *reinterpret_cast<const V*>(&packed[k * 8]);
      std::memcpy(C + i * N + j, &sum, width * sizeof(float));
    }
  }
}
)",
                     {}});
  return kernels;
}

inline std::vector<TestKernel> honestRowKernels() {
  const std::string softmax = rowsReference(
      "MxN",
      "    double most = x[0], sum = 0;\n    for (int j = 1; j < N; ++j) most = std::max(most, "
      "x[j]);\n    for (int j = 0; j < N; ++j) sum += std::exp(x[j] - most);\n    for (int j = 0; "
      "j "
      "< N; ++j) Y[i * N + j] = std::exp(x[j] - most) / sum;\n");
  const std::string norm = rowsReference(
      "MxN",
      "    double mean = 0, var = 0;\n    for (int j = 0; j < N; ++j) mean += x[j] / N;\n    for "
      "(int j = 0; j < N; ++j) var += (x[j] - mean) * (x[j] - mean) / N;\n    for (int j = 0; j < "
      "N; ++j) Y[i * N + j] = (x[j] - mean) / std::sqrt(var + 1e-5);\n");
  const std::string squares = rowsReference(
      "M",
      "    double sum = 0;\n    for (int j = 0; j < N; ++j) sum += x[j] * x[j];\n    Y[i] = "
      "sum;\n");
  const std::string gelu = rowsReference("MxN",
                                         "    for (int j = 0; j < N; ++j) Y[i * N + j] = 0.5 * "
                                         "x[j] * (1 + std::tanh(0.7978845608028654 "
                                         "* (x[j] + 0.044715 * x[j] * x[j] * x[j])));\n");
  return {
      {"softmax",
       softmax,
       rowsKernel(
           "    float most = x[0], sum = 0;\n    for (int j = 1; j < N; ++j) most = std::max(most, "
           "x[j]);\n    for (int j = 0; j < N; ++j) sum += std::exp(x[j] - most);\n    for (int j "
           "= "
           "0; j < N; ++j) Y[i * N + j] = std::exp(x[j] - most) / sum;\n"),
       {}},
      {"softmax_cached",
       softmax,
       rowsKernel(
           "    float most = x[0], sum = 0;\n    float* y = Y + i * N;\n    for (int j = 1; j < N; "
           "++j) most = std::max(most, x[j]);\n    for (int j = 0; j < N; ++j) sum += y[j] = "
           "std::exp(x[j] - most);\n    const float scale = 1 / sum;\n    for (int j = 0; j < N; "
           "++j) y[j] *= scale;\n"),
       {"-O3", "-ffast-math"}},
      {"layer_norm",
       norm,
       rowsKernel(
           "    float mean = 0, var = 0;\n    for (int j = 0; j < N; ++j) mean += x[j];\n    mean "
           "/= "
           "N;\n    for (int j = 0; j < N; ++j) var += (x[j] - mean) * (x[j] - mean);\n    for "
           "(int "
           "j = 0; j < N; ++j) Y[i * N + j] = (x[j] - mean) / std::sqrt(var / N + 1e-5f);\n"),
       {}},
      {"row_squares",
       squares,
       rowsKernel(
           "    float sum = 0;\n    for (int j = 0; j < N; ++j) sum += x[j] * x[j];\n    Y[i] "
           "= sum;\n"),
       {}},
      {"gelu",
       gelu,
       rowsKernel("    for (int j = 0; j < N; ++j) Y[i * N + j] = 0.5f * x[j] * (1 + "
                  "std::tanh(0.79788456f * (x[j] + 0.044715f * x[j] * x[j] * x[j])));\n"),
       {"-O3"}},
  };
}

/// Returns attention with one head that stores all scores.
inline TestKernel honestAttention() {
  const auto text = [](const std::string& number, const std::string& name) {
    return "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <vector>\n"
           "extern \"C\" void " +
           name + "(const " + number + "* Q, const " + number + "* K, const " + number + "* V, " +
           number +
           "* O, std::int64_t S, std::int64_t D) {\n"
           "  std::vector<" +
           number +
           "> p(S);\n"
           "  for (int i = 0; i < S; ++i) {\n"
           "    " +
           number +
           " most = -1e30, sum = 0;\n"
           "    for (int j = 0; j < S; ++j) {\n"
           "      p[j] = 0;\n"
           "      for (int d = 0; d < D; ++d) p[j] += Q[i * D + d] * K[j * D + d];\n"
           "      p[j] /= std::sqrt(" +
           number +
           "(D));\n"
           "      most = std::max(most, p[j]);\n"
           "    }\n"
           "    for (int j = 0; j < S; ++j) sum += p[j] = std::exp(p[j] - most);\n"
           "    for (int d = 0; d < D; ++d) {\n"
           "      " +
           number +
           " o = 0;\n"
           "      for (int j = 0; j < S; ++j) o += p[j] * V[j * D + d];\n"
           "      O[i * D + d] = o / sum;\n"
           "    }\n  }\n}\n";
  };
  return {
      "attention",
      "// hone: sizes S=256 D=64\n// hone: other S=9 D=5\n// hone: input Q f32 SxD\n// hone: input "
      "K f32 SxD\n// hone: input V f32 SxD\n// hone: output O f32 SxD\n// hone: flops 4*S*S*D\n" +
          text("double", "reference"),
      text("float", "kernel"),
      {"-O3"}};
}

inline std::vector<TestKernel> honestKernels() {
  std::vector<TestKernel> kernels = honestMatmuls();
  for (TestKernel& kernel : honestRowKernels()) {
    kernels.push_back(std::move(kernel));
  }
  kernels.push_back(honestAttention());
  return kernels;
}

}  // namespace hone::kernel
