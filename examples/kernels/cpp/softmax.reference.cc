// hone: sizes R=512 C=1024
// hone: other R=7 C=61
// hone: other R=3 C=1
// hone: input X f32 RxC
// hone: output Y f32 RxC
// hone: flops 12*R*C
#include <cmath>
#include <cstdint>

extern "C" void reference(const double* X, double* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    const double* x = X + i * C;
    double* y = Y + i * C;
    double largest = x[0];
    for (std::int64_t j = 1; j < C; ++j) {
      largest = std::fmax(largest, x[j]);
    }
    double sum = 0;
    for (std::int64_t j = 0; j < C; ++j) {
      y[j] = std::exp(x[j] - largest);
      sum += y[j];
    }
    for (std::int64_t j = 0; j < C; ++j) {
      y[j] /= sum;
    }
  }
}
