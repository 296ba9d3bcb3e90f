// Y = gelu(X + B) + Z. Slow: a loop and a temporary per step.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void kernel(const float* X, const float* B, const float* Z, float* Y, std::int64_t R,
                       std::int64_t C) {
  std::vector<float> biased(R * C);
  std::vector<float> activated(R * C);
  for (std::int64_t i = 0; i < R; ++i) {
    for (std::int64_t j = 0; j < C; ++j) {
      biased[i * C + j] = X[i * C + j] + B[j];
    }
  }
  for (std::int64_t i = 0; i < R; ++i) {
    for (std::int64_t j = 0; j < C; ++j) {
      float x = biased[i * C + j];
      float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
      activated[i * C + j] = 0.5f * x * (1.0f + std::tanh(inner));
    }
  }
  for (std::int64_t i = 0; i < R; ++i) {
    for (std::int64_t j = 0; j < C; ++j) {
      Y[i * C + j] = activated[i * C + j] + Z[i * C + j];
    }
  }
}
