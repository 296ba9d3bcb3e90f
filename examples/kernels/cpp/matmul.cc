// C = A * B as dot products. Slow: the inner loop traverses B by columns.
#include <cstdint>

extern "C" void kernel(const float* A, const float* B, float* C, std::int64_t M, std::int64_t N,
                       std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i) {
    for (std::int64_t j = 0; j < N; ++j) {
      float sum = 0.0f;
      for (std::int64_t k = 0; k < K; ++k) {
        sum += A[i * K + k] * B[k * N + j];
      }
      C[i * N + j] = sum;
    }
  }
}
