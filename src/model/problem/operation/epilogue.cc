#include "model/problem/operation/epilogue.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "model/problem/shown.h"

namespace hone::model {
namespace {

constexpr std::array<std::string_view, 4> kActivationNames = {"", "relu", "gelu", "softmax"};

}  // namespace

std::string_view nameOf(Activation activation) {
  return kActivationNames[static_cast<std::size_t>(activation)];
}

std::string Epilogue::text() const {
  const std::string_view name = nameOf(activation);
  return fmt::format("{}{}{}", bias ? "bias" : "", bias && !name.empty() ? "_" : "", name);
}

bool takeWord(Epilogue& epilogue, std::string_view word) {
  if (epilogue.activation != Activation::none || word.empty()) {
    return false;
  }
  if (word == "bias" && !epilogue.bias) {
    epilogue.bias = true;
    return true;
  }
  const auto* at = std::find(kActivationNames.begin(), kActivationNames.end(), word);
  if (at == kActivationNames.end()) {
    return false;
  }
  epilogue.activation = static_cast<Activation>(at - kActivationNames.begin());
  return true;
}

Result<void> check(const Epilogue& epilogue, ElementType result) {
  const bool needsFloat =
      epilogue.activation == Activation::gelu || epilogue.activation == Activation::softmax;
  if (needsFloat && !isFloat(result)) {
    return userError("{} requires a floating-point result, got {}", nameOf(epilogue.activation),
                     nameOf(result));
  }
  return {};
}

Result<Epilogue> epilogueFrom(std::string_view text) {
  Epilogue epilogue;
  if (text.empty()) {
    return epilogue;
  }
  for (const std::string& word : splitAt(text, '_')) {
    if (!takeWord(epilogue, word)) {
      return userError(
          "invalid epilogue '{}'; use bias, relu, gelu, softmax or a combination such as bias_relu",
          shown(text));
    }
  }
  return epilogue;
}

}  // namespace hone::model
