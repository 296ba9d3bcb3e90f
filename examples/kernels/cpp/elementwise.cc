// Y = relu(1.7 * X + Z). Slow: traverses row-major matrices by columns.
#include <cstdint>

extern "C" void kernel(const float* X, const float* Z, float* Y, std::int64_t R, std::int64_t C) {
  for (std::int64_t j = 0; j < C; ++j) {
    for (std::int64_t i = 0; i < R; ++i) {
      float value = 1.7f * X[i * C + j] + Z[i * C + j];
      if (value < 0.0f) {
        value = 0.0f;
      }
      Y[i * C + j] = value;
    }
  }
}
