#include "kernel/worker/cpp/library_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "kernel/source/test_kernels.h"
#include "kernel/worker/cpp/cpp_build.h"

namespace hone::kernel {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::IsSupersetOf;

class LibrarySymbols : public testing::Test {
 protected:
  /// Returns the symbols that a source needs but a kernel may not use.
  std::vector<std::string> findForbidden(const std::string& text,
                                         const std::vector<std::string>& flags = {}) {
    const CppBuilt built = builder_.build(text, flags).value();
    EXPECT_TRUE(built.ok()) << built.diagnostics;
    std::vector<std::string> needed = neededSymbols(built.library).value();
    std::erase_if(needed, isAllowedSymbol);
    return needed;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-symbols").value();
  CppBuilder builder_ =
      CppBuilder::open(folder_.path() / "built", {std::chrono::seconds(120), 4ULL << 30U}).value();
};

TEST_F(LibrarySymbols, AllowsHonestKernels) {
  for (const TestKernel& kernel : honestKernels()) {
    EXPECT_THAT(findForbidden(kernel.text, kernel.flags), IsEmpty()) << kernel.name;
  }
}

TEST_F(LibrarySymbols, AllowsStandardLibraries) {
  // Uses each part, so that its symbols are needed.
  const std::string text = R"(#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <complex>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <valarray>
#include <vector>
#include <omp.h>
extern "C" void kernel(const float* A, float* C, long N) {
  static std::once_flag once;
  static std::mutex mutex;
  static std::condition_variable waits;
  std::call_once(once, [] { std::printf("hello\n"); });
  std::vector<std::thread> all;
  std::atomic<int> done{0};
  for (int t = 0; t < 2; ++t)
    all.emplace_back([&] { std::lock_guard lock(mutex); done++; waits.notify_all(); });
  for (auto& t : all) t.join();
  std::unique_lock lock(mutex);
  waits.wait(lock, [&] { return done == 2; });
  std::unique_ptr<float[]> room(new float[N]);
  auto* more = static_cast<float*>(std::aligned_alloc(64, 4 * N));
  std::stable_sort(room.get(), room.get() + N);
  std::string name = std::to_string(N);
  name += name.substr(1);
  std::function<float(float)> f = [=](float x) { return x + N; };
  std::valarray<float> v(A, N);
  std::complex<float> z = std::pow(std::complex<float>(A[0], A[1]), std::complex<float>(2, 1));
  if (N < 0) throw std::runtime_error(name);
  assert(N > 0);
#pragma omp parallel for reduction(+ : C[:1]) schedule(dynamic)
  for (long i = 0; i < N; ++i)
    C[0] += f(std::sin(A[i])) + std::tanh(A[i]) + std::lgamma(A[i]) + omp_get_thread_num();
#pragma omp critical
  C[1] = v.sum() + z.real() + std::fmod(A[0], A[1]) + std::lround(A[2]);
  std::memcpy(more, A, N);
  std::free(more);
}
)";
  EXPECT_THAT(findForbidden(text, {"-fopenmp"}), IsEmpty());
  EXPECT_THAT(
      findForbidden("#include <cmath>\nextern \"C\" void kernel(const float* A, float* C, long "
                    "N) { for (long i = 0; i < N; ++i) C[i] = std::exp(A[i]) + std::pow(A[i], "
                    "A[i + 1]); }",
                    {"-O3", "-ffast-math"}),
      IsEmpty());
  EXPECT_THAT(
      findForbidden("#include <math.h>\n#include <stdlib.h>\nvoid kernel(const float* A, "
                    "float* C, long N) { float* m = malloc(N); C[0] = sinf(A[0]); free(m); }",
                    {"-xc"}),
      IsEmpty());
}

TEST_F(LibrarySymbols, RejectsSystemAccess) {
  const std::string head =
      "#include <chrono>\n#include <fstream>\n#include <thread>\n#include <unistd.h>\n#define "
      "JOIN(a, b) a##b\n";
  EXPECT_THAT(
      findForbidden("extern \"C\" { [[gnu::weak]] int dnnl_sgemm(char); }\nextern \"C\" void "
                    "kernel() { if (dnnl_sgemm) dnnl_sgemm('N'); }"),
      Contains("dnnl_sgemm"));
  EXPECT_THAT(
      findForbidden(head + "extern \"C\" void kernel() { JOIN(fo, rk)(); JOIN(us, leep)(1); }"),
      IsSupersetOf({"fork", "usleep"}));
  EXPECT_THAT(
      findForbidden("#include <dlfcn.h>\n#define JOIN(a, b) a##b\nextern \"C\" void* kernel() "
                    "{ return JOIN(dl, sym)(nullptr, \"x\"); }"),
      Contains("dlsym"));
  EXPECT_FALSE(findForbidden(head + "extern \"C\" long kernel() { return std::JOIN(chr, "
                                    "ono)::steady_clock::now().time_since_epoch().count(); }")
                   .empty());
  EXPECT_FALSE(findForbidden(head + "extern \"C\" bool kernel() { std::JOIN(if, stream) f(\"x\"); "
                                    "return f.good(); }")
                   .empty());
  EXPECT_FALSE(isAllowedSymbol("omp_get_wtime"));
  EXPECT_FALSE(isAllowedSymbol("clock_gettime"));
  EXPECT_FALSE(isAllowedSymbol("syscall"));
}

TEST_F(LibrarySymbols, RejectsOtherFiles) {
  const auto file = folder_.path() / "text";
  ASSERT_TRUE(writeFile(file, "no library"));
  EXPECT_FALSE(neededSymbols(file));
}

}  // namespace
}  // namespace hone::kernel
