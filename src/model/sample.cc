#include "model/sample.h"

#include <array>

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"screen", "race", "final"};

}  // namespace

std::string_view nameOf(Stage stage) { return kNames[static_cast<std::size_t>(stage)]; }

std::optional<Stage> stageFrom(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<Stage>(i);
    }
  }
  return std::nullopt;
}

}  // namespace hone::model
