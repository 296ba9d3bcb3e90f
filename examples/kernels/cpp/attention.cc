// O = softmax(Q * K^T / sqrt(D)) * V for each of H heads. Slow: stores all scores and computes each
// exponential twice.
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void kernel(const float* Q, const float* K, const float* V, float* O, std::int64_t H,
                       std::int64_t L, std::int64_t D) {
  std::vector<float> S(H * L * L);
  std::vector<float> P(H * L * L);
  for (std::int64_t h = 0; h < H; ++h) {
    for (std::int64_t i = 0; i < L; ++i) {
      for (std::int64_t j = 0; j < L; ++j) {
        float sum = 0.0f;
        for (std::int64_t d = 0; d < D; ++d) {
          sum += Q[(h * L + i) * D + d] * K[(h * L + j) * D + d];
        }
        S[(h * L + i) * L + j] = sum / std::sqrt(static_cast<float>(D));
      }
    }
  }
  for (std::int64_t h = 0; h < H; ++h) {
    for (std::int64_t i = 0; i < L; ++i) {
      float largest = S[(h * L + i) * L];
      for (std::int64_t j = 0; j < L; ++j) {
        largest = std::fmax(largest, S[(h * L + i) * L + j]);
      }
      float total = 0.0f;
      for (std::int64_t j = 0; j < L; ++j) {
        total += std::exp(S[(h * L + i) * L + j] - largest);
      }
      for (std::int64_t j = 0; j < L; ++j) {
        P[(h * L + i) * L + j] = std::exp(S[(h * L + i) * L + j] - largest) / total;
      }
    }
  }
  for (std::int64_t h = 0; h < H; ++h) {
    for (std::int64_t i = 0; i < L; ++i) {
      for (std::int64_t d = 0; d < D; ++d) {
        float sum = 0.0f;
        for (std::int64_t j = 0; j < L; ++j) {
          sum += P[(h * L + i) * L + j] * V[(h * L + j) * D + d];
        }
        O[(h * L + i) * D + d] = sum;
      }
    }
  }
}
