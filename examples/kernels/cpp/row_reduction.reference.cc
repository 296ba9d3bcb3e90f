// hone: sizes R=1024 C=2048
// hone: other R=3 C=77
// hone: other R=8 C=1
// hone: input X f32 RxC
// hone: output Y f32 R
// hone: flops 2*R*C
#include <cstdint>

extern "C" void reference(const double* X, double* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    Y[i] = 0;
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i] += X[i * C + j] * X[i * C + j];
    }
  }
}
