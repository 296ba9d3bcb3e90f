// Sum of squares of each row. Slow: one accumulator, so that each addition waits for the last one.
#include <cstdint>

extern "C" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (std::int64_t j = 0; j < C; ++j) {
      sum += X[i * C + j] * X[i * C + j];
    }
    Y[i] = sum;
  }
}
