// hone: sizes R=512 C=1024
// hone: other R=5 C=67
// hone: other R=9 C=2
// hone: input X f32 RxC
// hone: input G f32 C
// hone: input B f32 C
// hone: output Y f32 RxC
// hone: flops 8*R*C
#include <cmath>
#include <cstdint>

extern "C" void reference(const double* X, const double* G, const double* B, double* Y,
                          std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    const double* x = X + i * C;
    double mean = 0;
    for (std::int64_t j = 0; j < C; ++j) {
      mean += x[j] / static_cast<double>(C);
    }
    double variance = 0;
    for (std::int64_t j = 0; j < C; ++j) {
      variance += (x[j] - mean) * (x[j] - mean) / static_cast<double>(C);
    }
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = (x[j] - mean) / std::sqrt(variance + 1e-5) * G[j] + B[j];
    }
  }
}
