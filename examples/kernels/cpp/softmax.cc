// Softmax of each row of X. Slow: three passes, and each exponential is computed twice.
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    float largest = X[i * C];
    for (std::int64_t j = 1; j < C; ++j) {
      if (X[i * C + j] > largest) {
        largest = X[i * C + j];
      }
    }
    float sum = 0.0f;
    for (std::int64_t j = 0; j < C; ++j) {
      sum += expf(X[i * C + j] - largest);
    }
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = expf(X[i * C + j] - largest) / sum;
    }
  }
}
