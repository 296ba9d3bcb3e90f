// Compares GFLOP/s of IREE, with the compiler's default configuration, and oneDNN, on one thread:
// 20 matmuls from DeepBench and 10 forward convolutions of a training workload, in f32. Prints a
// table and writes a plot next to this program (providers.svg).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "problem_lines.h"
#include "report/render/table.h"
#include "support.h"

namespace hone::bench {
namespace {

/// One operation by both providers; a speed of 0 means failure.
struct Pair {
  std::string name;
  double iree = 0;
  double library = 0;
};

Result<std::vector<Pair>> profileAll(const std::filesystem::path& folder, bool quick) {
  const std::filesystem::path file = folder / "workload.txt";
  HONE_CHECK(writeFile(file, join(problemLines(quick), "\n") + "\n"));
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

/// Draws two bars per operation: IREE above oneDNN.
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
      "<text x=\"{2}\" y=\"39\">IREE, compiler default</text>\n"
      "<rect x=\"{3}\" y=\"30\" width=\"10\" height=\"10\" fill=\"#e69f00\"/>"
      "<text x=\"{4}\" y=\"39\">oneDNN</text>\n",
      height, kLeft, kLeft + 15, kLeft + 220, kLeft + 235);
  int y = 52;
  for (const Pair& pair : pairs) {
    // The title contains the type, so omit it here: names of convolutions are long.
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
