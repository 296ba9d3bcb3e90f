#include "model/result/outcome.h"

#include <array>

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 8> kOutcomeNames = {
    "ok",         "invalid",     "compile_failed", "compile_timeout",
    "run_failed", "run_timeout", "mismatch",       "too_slow"};

}  // namespace

std::string_view nameOf(Outcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

std::optional<Outcome> outcomeFrom(std::string_view name) {
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    if (kOutcomeNames[i] == name) {
      return static_cast<Outcome>(i);
    }
  }
  return std::nullopt;
}

}  // namespace hone::model
