// What `hone kernel optimize` makes of every shipped kernel, without a network, on one thread: the
// speedup over the original and over PyTorch, and what it took. For the matmul also the share of
// oneDNN's speed, measured right after it. KERNELS=cpp takes only those below that folder; the
// budget of each is that of the variable BUDGET, or none.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "report/render/table.h"
#include "support.h"

namespace hone::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using report::Align;

constexpr double kMuch = 2;
constexpr std::int64_t kMatmulSize = 480;

/// The kernels below the folder of examples, without references and results of hone.
std::vector<fs::path> kernels(const fs::path& folder, bool quick) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool isKernel = name.ends_with(".cc") || name.ends_with(".py");
    if (isKernel && !name.contains(".reference.") && !name.contains("_optimized_")) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  files.resize(quick ? std::min<std::size_t>(1, files.size()) : files.size());
  return files;
}

std::string intervalText(const json& comparison) {
  return comparison.is_object()
             ? fmt::format("{:.2f} ({:.2f} - {:.2f})", comparison.at("speedup").get<double>(),
                           comparison.at("low").get<double>(), comparison.at("high").get<double>())
             : "-";
}

/// GFLOP/s of oneDNN for the matmul of the examples.
Result<double> librarySpeed(const fs::path& folder) {
  const std::string size = std::to_string(kMatmulSize);
  const HoneAnswer answer =
      HONE_TRY(askHone(folder, {"profile", "--problem-m", size, "--problem-n", size, "--problem-k",
                                size, "--type", "f32", "--providers", "onednn", "--device",
                                "local-sync", "--generated-dir", folder / "generated"}));
  return answer.json.at("rows").at(0).at("gflops").get<double>();
}

Result<void> measure(const Options& options) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-kernels"));
  const char* part = std::getenv("KERNELS");
  const char* budget = std::getenv("BUDGET");
  const fs::path examples = fs::path(HONE_EXAMPLE_KERNELS) / (part != nullptr ? part : "");
  report::Table table({{"kernel"},
                       {"original", Align::right},
                       {"best", Align::right},
                       {"over the original", Align::right},
                       {"over PyTorch", Align::right},
                       {"turns", Align::right},
                       {"trials", Align::right},
                       {"minutes", Align::right}});
  std::size_t much = 0;
  std::string share;
  std::string notes;
  for (const fs::path& file : kernels(examples, options.quick)) {
    const std::string name = file.lexically_relative(HONE_EXAMPLE_KERNELS).string();
    std::vector<std::string> arguments = {"kernel", "optimize", "--kernel", file, "--no-save"};
    if (budget != nullptr) {
      arguments.insert(arguments.end(), {"--budget", budget});
    }
    const auto answer = askHone(folder.path(), arguments);
    if (!answer) {
      notes += fmt::format("{}: {}\n", name, answer.error().message);
      continue;
    }
    const json& confirmed = answer->json.at("confirmed");
    if (confirmed.is_null()) {
      notes += fmt::format("{}: {}\n", name, answer->json.value("note", ""));
      continue;
    }
    const double bestNs = confirmed.at("best_ns").get<double>();
    much += confirmed.at("original").at("low").get<double>() >= kMuch ? 1 : 0;
    table.add({name, humanTime(confirmed.at("original_ns").get<double>()), humanTime(bestNs),
               intervalText(confirmed.at("original")), intervalText(confirmed.at("pytorch")),
               std::to_string(answer->json.at("turns").size()),
               answer->json.at("candidates").dump(), fmt::format("{:.1f}", answer->seconds / 60)});
    if (file.filename() == "matmul.cc") {
      const double gflops = 2.0 * kMatmulSize * kMatmulSize * kMatmulSize / bestNs;
      const double library = HONE_TRY(librarySpeed(folder.path()));
      share = fmt::format("matmul.cc: {:.1f} of oneDNN's {:.1f} GFLOP/s: {:.0f} % (aim 80 %)\n",
                          gflops, library, 100 * gflops / library);
    }
  }
  fmt::print("{}{}{} surely {}x or more over the original (aim 6)\n{}", table.text(), notes, much,
             kMuch, share);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("kernel_examples", argc, argv, hone::bench::measure);
}
