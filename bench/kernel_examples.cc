// Runs `hone kernel optimize` on all shipped kernels, offline and on one thread. Reports the
// speedup over the original and over PyTorch, and the effort. For the matmul, also reports the
// fraction of oneDNN's speed, measured right after it. Environment: KERNELS=cpp selects a
// subfolder; BUDGET sets the budget per kernel (default: none).
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

constexpr double kMinSpeedup = 2;
constexpr std::int64_t kMatmulSize = 480;

/// Returns the example kernels, without references and outputs of hone.
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

std::string formatInterval(const json& comparison) {
  return comparison.is_object()
             ? fmt::format("{:.2f} ({:.2f} - {:.2f})", comparison.at("speedup").get<double>(),
                           comparison.at("low").get<double>(), comparison.at("high").get<double>())
             : "-";
}

/// Measures oneDNN's GFLOP/s for the matmul of the examples.
Result<double> librarySpeed(const fs::path& folder) {
  const std::string size = std::to_string(kMatmulSize);
  const HoneOutput answer =
      HONE_TRY(runHone(folder, {"profile", "--problem-m", size, "--problem-n", size, "--problem-k",
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
                       {"vs. original", Align::right},
                       {"vs. PyTorch", Align::right},
                       {"turns", Align::right},
                       {"trials", Align::right},
                       {"minutes", Align::right}});
  std::size_t fastKernels = 0;
  std::string share;
  std::string notes;
  for (const fs::path& file : kernels(examples, options.quick)) {
    const std::string name = file.lexically_relative(HONE_EXAMPLE_KERNELS).string();
    std::vector<std::string> arguments = {"kernel", "optimize", "--kernel", file, "--no-save"};
    if (budget != nullptr) {
      arguments.insert(arguments.end(), {"--budget", budget});
    }
    const auto answer = runHone(folder.path(), arguments);
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
    fastKernels += confirmed.at("original").at("low").get<double>() >= kMinSpeedup ? 1 : 0;
    table.add({name, humanTime(confirmed.at("original_ns").get<double>()), humanTime(bestNs),
               formatInterval(confirmed.at("original")), formatInterval(confirmed.at("pytorch")),
               std::to_string(answer->json.at("turns").size()),
               answer->json.at("candidates").dump(), fmt::format("{:.1f}", answer->seconds / 60)});
    if (file.filename() == "matmul.cc") {
      const double gflops = 2.0 * kMatmulSize * kMatmulSize * kMatmulSize / bestNs;
      const double library = HONE_TRY(librarySpeed(folder.path()));
      share = fmt::format("matmul.cc: {:.1f} of oneDNN's {:.1f} GFLOP/s: {:.0f} % (aim 80 %)\n",
                          gflops, library, 100 * gflops / library);
    }
  }
  fmt::print("{}{}{} at least {}x as fast as the original (95 % CI; aim 6)\n{}", table.text(),
             notes, fastKernels, kMinSpeedup, share);
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("kernel_examples", argc, argv, hone::bench::measure);
}
