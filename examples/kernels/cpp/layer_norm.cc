// Normalizes each row of X to mean 0 and variance 1, then scales and shifts. Slow: separate passes
// for mean and variance, and a square root and a division per element.
#include <cmath>
#include <cstdint>

extern "C" void kernel(const float* X, const float* G, const float* B, float* Y, std::int64_t R,
                       std::int64_t C) {
  for (std::int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (std::int64_t j = 0; j < C; ++j) {
      sum += X[i * C + j];
    }
    float mean = sum / C;
    float squares = 0.0f;
    for (std::int64_t j = 0; j < C; ++j) {
      float d = X[i * C + j] - mean;
      squares += d * d;
    }
    float variance = squares / C;
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = (X[i * C + j] - mean) / std::sqrt(variance + 1e-5f) * G[j] + B[j];
    }
  }
}
