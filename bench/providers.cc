// GFLOP/s of IREE with the compiler's own choices and of oneDNN, on one thread: 20 matmuls of
// DeepBench's list and 10 forward convolutions of a training workload, in f32; a table, and a plot
// beside this program (providers.svg).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/table.h"
#include "support.h"

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

/// One operation by both providers; a speed of 0: that one failed.
struct Pair {
  std::string name;
  double iree = 0;
  double library = 0;
};

std::string workload(bool quick) {
  std::string text;
  for (const std::string_view line : std::span(kMatmuls).first(quick ? 2 : kMatmuls.size())) {
    text += fmt::format("gemm {}\n", line);
  }
  for (const std::string_view line : std::span(kConvs).first(quick ? 1 : kConvs.size())) {
    text += fmt::format("conv {} -F 1 -I NHWC -O NHWC -f NHWC\n", line);
  }
  return text;
}

Result<std::vector<Pair>> profileAll(const std::filesystem::path& folder, bool quick) {
  const std::filesystem::path file = folder / "workload.txt";
  HONE_CHECK(writeFile(file, workload(quick)));
  Command command;
  command.argv = {HONE_TRY(honeProgram()), "profile",         file,   "--providers",
                  "iree,onednn",           "--generated-dir", folder, "--json"};
  command.environment = {{"XDG_CACHE_HOME", (folder / "cache").string()},
                         {"XDG_DATA_HOME", (folder / "data").string()}};
  const Finished finished = HONE_TRY(runCommand(command));
  const auto json = nlohmann::json::parse(finished.out, nullptr, false);
  if (!json.is_object() || !json.contains("rows")) {
    return machineError("hone profile ended with {}: {}", finished.ending.describe(), finished.err);
  }
  std::vector<Pair> pairs;
  for (const auto& row : json["rows"]) {
    const auto name = row.at("operation").get<std::string>();
    auto at = std::find_if(pairs.begin(), pairs.end(),
                           [&](const Pair& pair) { return pair.name == name; });
    if (at == pairs.end()) {
      at = pairs.insert(pairs.end(), Pair{name});
    }
    (row.at("provider") == "oneDNN" ? at->library : at->iree) = row.value("gflops", 0.0);
  }
  return pairs;
}

/// Bars for each operation, IREE's above oneDNN's.
std::string plot(const std::vector<Pair>& pairs) {
  constexpr int kRow = 26;
  constexpr int kLeft = 430;
  constexpr int kWide = 420;
  double most = 1;
  for (const Pair& pair : pairs) {
    most = std::max({most, pair.iree, pair.library});
  }
  const int height = 60 + kRow * static_cast<int>(pairs.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 {0}\" width=\"920\" "
      "height=\"{0}\" font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"920\" height=\"{0}\" fill=\"white\"/>\n"
      "<text x=\"{1}\" y=\"20\" font-size=\"14\">GFLOP/s on one thread, f32</text>\n"
      "<rect x=\"{1}\" y=\"30\" width=\"10\" height=\"10\" fill=\"#0072b2\"/>"
      "<text x=\"{2}\" y=\"39\">IREE, the compiler's own choice</text>\n"
      "<rect x=\"{3}\" y=\"30\" width=\"10\" height=\"10\" fill=\"#e69f00\"/>"
      "<text x=\"{4}\" y=\"39\">oneDNN</text>\n",
      height, kLeft, kLeft + 15, kLeft + 220, kLeft + 235);
  int y = 52;
  for (const Pair& pair : pairs) {
    // The title says the type; of a convolution the rest of the name is long enough.
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8, y + 13,
                       pair.name.substr(0, pair.name.find("_f32nhwc")));
    for (const auto& [value, color, top] :
         {std::tuple(pair.iree, "#0072b2", y), std::tuple(pair.library, "#e69f00", y + 10)}) {
      const double wide = kWide * value / most;
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"9\" fill=\"{}\"/>"
          "<text x=\"{:.1f}\" y=\"{}\" font-size=\"9\">{:.1f}</text>\n",
          kLeft, top, wide, color, kLeft + wide + 4, top + 8, value);
    }
    y += kRow;
  }
  return svg + "</svg>\n";
}

Result<void> measure(const Options& options) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-providers"));
  const std::vector<Pair> pairs = HONE_TRY(profileAll(scratch.path(), options.quick));
  using report::Align;
  report::Table table({{"operation", Align::left},
                       {"IREE GFLOP/s", Align::right},
                       {"oneDNN GFLOP/s", Align::right},
                       {"oneDNN / IREE", Align::right}});
  double logs = 0;
  int both = 0;
  for (const Pair& pair : pairs) {
    const bool known = pair.iree > 0 && pair.library > 0;
    table.add({pair.name, fmt::format("{:.1f}", pair.iree), fmt::format("{:.1f}", pair.library),
               known ? fmt::format("{:.2f}x", pair.library / pair.iree) : "-"});
    logs += known ? std::log(pair.library / pair.iree) : 0;
    both += known ? 1 : 0;
  }
  fmt::print("{}", table.text());
  if (both > 0) {
    fmt::print("geometric mean over {}: oneDNN is {:.2f}x as fast\n", both, std::exp(logs / both));
  }
  const auto file = HONE_TRY(honeProgram()).parent_path() / "providers.svg";
  HONE_CHECK(writeFile(file, plot(pairs)));
  fmt::print("plot: {}\n", file.string());
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("providers", argc, argv, hone::bench::measure);
}
