#include "model/result/sample.h"

#include <array>

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 3> kStageNames = {"screen", "race", "final"};

}  // namespace

std::string_view nameOf(Stage stage) { return kStageNames[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stageFrom(std::string_view name) {
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    if (kStageNames[i] == name) {
      return static_cast<Stage>(i);
    }
  }
  return std::nullopt;
}

}  // namespace hone::model
