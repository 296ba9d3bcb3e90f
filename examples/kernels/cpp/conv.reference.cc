// hone: sizes N=1 H=34 W=34 P=32 Q=32 C=64 K=64
// hone: other N=2 H=7 W=9 P=5 Q=7 C=5 K=19
// hone: other N=1 H=3 W=20 P=1 Q=18 C=3 K=1
// hone: input X f32 NxHxWxC
// hone: input F f32 3x3xCxK
// hone: output Y f32 NxPxQxK
// hone: flops 18*N*P*Q*C*K
#include <cstdint>

extern "C" void reference(const double* X, const double* F, double* Y, std::int64_t N,
                          std::int64_t H, std::int64_t W, std::int64_t P, std::int64_t Q,
                          std::int64_t C, std::int64_t K) {
  for (std::int64_t pixel = 0; pixel < N * P * Q; ++pixel) {
    const std::int64_t w = pixel % Q;
    const std::int64_t h = pixel / Q % P;
    const std::int64_t n = pixel / (P * Q);
    double* out = Y + pixel * K;
    for (std::int64_t k = 0; k < K; ++k) {
      out[k] = 0;
    }
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      const double* in = X + ((n * H + h + tap / 3) * W + w + tap % 3) * C;
      for (std::int64_t c = 0; c < C; ++c) {
        for (std::int64_t k = 0; k < K; ++k) {
          out[k] += in[c] * F[(tap * C + c) * K + k];
        }
      }
    }
  }
}
