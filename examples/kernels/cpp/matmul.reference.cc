// hone: sizes M=480 N=480 K=480
// hone: other M=37 N=53 K=61
// hone: other M=1 N=100 K=7
// hone: other M=50 N=5 K=300
// hone: input A f32 MxK
// hone: input B f32 KxN
// hone: output C f32 MxN
// hone: flops 2*M*N*K
#include <cstdint>

extern "C" void reference(const double* A, const double* B, double* C, std::int64_t M,
                          std::int64_t N, std::int64_t K) {
  for (std::int64_t i = 0; i < M; ++i) {
    for (std::int64_t j = 0; j < N; ++j) {
      C[i * N + j] = 0;
    }
    for (std::int64_t k = 0; k < K; ++k) {
      for (std::int64_t j = 0; j < N; ++j) {
        C[i * N + j] += A[i * K + k] * B[k * N + j];
      }
    }
  }
}
