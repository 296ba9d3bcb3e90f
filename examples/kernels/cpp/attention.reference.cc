// hone: sizes H=2 L=256 D=64
// hone: other H=3 L=37 D=19
// hone: other H=1 L=1 D=5
// hone: input Q f32 HxLxD
// hone: input K f32 HxLxD
// hone: input V f32 HxLxD
// hone: output O f32 HxLxD
// hone: flops 4*H*L*L*D
#include <cmath>
#include <cstdint>
#include <vector>

extern "C" void reference(const double* Q, const double* K, const double* V, double* O,
                          std::int64_t H, std::int64_t L, std::int64_t D) {
  std::vector<double> p(static_cast<std::size_t>(L));
  for (std::int64_t row = 0; row < H * L; ++row) {
    const std::int64_t first = row / L * L;
    double largest = -INFINITY;
    for (std::int64_t j = 0; j < L; ++j) {
      double sum = 0;
      for (std::int64_t d = 0; d < D; ++d) {
        sum += Q[row * D + d] * K[(first + j) * D + d];
      }
      p[j] = sum / std::sqrt(static_cast<double>(D));
      largest = std::fmax(largest, p[j]);
    }
    double total = 0;
    for (std::int64_t j = 0; j < L; ++j) {
      p[j] = std::exp(p[j] - largest);
      total += p[j];
    }
    for (std::int64_t d = 0; d < D; ++d) {
      double sum = 0;
      for (std::int64_t j = 0; j < L; ++j) {
        sum += p[j] * V[(first + j) * D + d];
      }
      O[row * D + d] = sum / total;
    }
  }
}
