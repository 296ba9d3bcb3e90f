// 3x3 convolution without padding, N x H x W x C to N x P x Q x K. Slow: the output channel is the
// outermost loop, and the inner loop traverses the filter by columns.
#include <cstdint>

extern "C" void kernel(const float* X, const float* F, float* Y, std::int64_t N, std::int64_t H,
                       std::int64_t W, std::int64_t P, std::int64_t Q, std::int64_t C,
                       std::int64_t K) {
  for (std::int64_t k = 0; k < K; ++k) {
    for (std::int64_t n = 0; n < N; ++n) {
      for (std::int64_t h = 0; h < P; ++h) {
        for (std::int64_t w = 0; w < Q; ++w) {
          float sum = 0.0f;
          for (std::int64_t y = 0; y < 3; ++y) {
            for (std::int64_t x = 0; x < 3; ++x) {
              for (std::int64_t c = 0; c < C; ++c) {
                sum += X[((n * H + h + y) * W + w + x) * C + c] * F[((y * 3 + x) * C + c) * K + k];
              }
            }
          }
          Y[((n * P + h) * Q + w) * K + k] = sum;
        }
      }
    }
  }
}
