#include "problem_lines.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

namespace hone::bench {
namespace {

constexpr std::array<std::string_view, 20> kMatmuls = {
    "-m 128 -n 1 -k 1024 -u 0 -v 0",    "-m 1024 -n 1 -k 512 -u 0 -v 0",
    "-m 512 -n 16 -k 512 -u 0 -v 0",    "-m 512 -n 32 -k 512 -u 0 -v 1",
    "-m 6144 -n 2 -k 2048 -u 0 -v 0",   "-m 3072 -n 16 -k 1024 -u 0 -v 0",
    "-m 2048 -n 16 -k 2048 -u 1 -v 0",  "-m 3072 -n 32 -k 1024 -u 1 -v 0",
    "-m 2048 -n 32 -k 2048 -u 0 -v 0",  "-m 6144 -n 16 -k 2048 -u 1 -v 0",
    "-m 128 -n 1500 -k 1280 -u 0 -v 0", "-m 4096 -n 16 -k 4096 -u 1 -v 0",
    "-m 8448 -n 16 -k 2816 -u 0 -v 0",  "-m 3072 -n 128 -k 1024 -u 0 -v 0",
    "-m 2560 -n 64 -k 2560 -u 0 -v 0",  "-m 2048 -n 128 -k 2048 -u 1 -v 0",
    "-m 7680 -n 32 -k 2560 -u 0 -v 0",  "-m 2560 -n 128 -k 2560 -u 1 -v 0",
    "-m 4224 -n 1500 -k 176 -u 0 -v 0", "-m 7680 -n 64 -k 2560 -u 1 -v 0"};

constexpr std::array<std::string_view, 10> kConvs = {
    "-n 16 -c 576 -H 1 -W 1 -k 576 -y 1 -x 1",
    "-n 16 -c 11 -H 225 -W 225 -k 11 -y 1 -x 1",
    "-n 16 -c 288 -H 24 -W 16 -k 288 -y 1 -x 1 -g 3",
    "-n 16 -c 64 -H 38 -W 19 -k 64 -y 5 -x 1 -p 2",
    "-n 16 -c 192 -H 48 -W 32 -k 96 -y 1 -x 1",
    "-n 16 -c 48 -H 48 -W 32 -k 48 -y 3 -x 3 -p 2 -q 2 -l 2 -j 2",
    "-n 16 -c 96 -H 48 -W 32 -k 96 -y 3 -x 1 -p 2 -l 2 -j 2",
    "-n 16 -c 48 -H 48 -W 32 -k 48 -y 5 -x 5 -p 8 -q 8 -l 4 -j 4",
    "-n 16 -c 96 -H 96 -W 64 -k 96 -y 3 -x 3 -p 1 -q 1 -u 2 -v 2",
    "-n 16 -c 49 -H 192 -W 128 -k 32 -y 3 -x 3 -p 1 -q 1"};

}  // namespace

std::vector<std::string> problemLines(bool quick) {
  std::vector<std::string> lines;
  for (const std::string_view line : std::span(kMatmuls).first(quick ? 2 : kMatmuls.size())) {
    lines.push_back(fmt::format("gemm {}", line));
  }
  for (const std::string_view line : std::span(kConvs).first(quick ? 1 : kConvs.size())) {
    lines.push_back(fmt::format("conv {} -F 1 -I NHWC -O NHWC -f NHWC", line));
  }
  return lines;
}

}  // namespace hone::bench
