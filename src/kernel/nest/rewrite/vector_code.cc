#include "kernel/nest/rewrite/vector_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/nest/nest_walk.h"
#include "kernel/nest/normal_form.h"

namespace hone::kernel::nest {
namespace {

constexpr std::string_view kVectors = R"(typedef float Vector __attribute__((vector_size({bytes})));
typedef std::int32_t Lanes __attribute__((vector_size({bytes})));
constexpr std::int64_t kWidth = {width};

static inline Vector load(const float* from) {{
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}}
static inline void store(float* to, Vector v) {{ std::memcpy(to, &v, sizeof v); }}
static inline Vector all(float x) {{ return x - Vector{{}}; }}
)";

constexpr std::string_view kChoices =
    R"(static inline Vector maxOf(Vector a, Vector b) { return a < b ? b : a; }
static inline Vector minOf(Vector a, Vector b) { return b < a ? b : a; }
)";

constexpr std::string_view kSums = R"(static inline float sumOf(Vector v) {
  float part[kWidth];
  std::memcpy(part, &v, sizeof v);
  for (std::int64_t half = kWidth / 2; half > 0; half /= 2) {
    for (std::int64_t i = 0; i < half; ++i) {
      part[i] += part[i + half];
    }
  }
  return part[0];
}
)";

constexpr std::string_view kExtremes = R"(static inline float largestOf(Vector v) {
  float result = v[0];
  for (std::int64_t i = 1; i < kWidth; ++i) {
    result = result < v[i] ? v[i] : result;
  }
  return result;
}
static inline float smallestOf(Vector v) { return -largestOf(-v); }
)";

constexpr std::string_view kSqrt = R"(static inline Vector sqrtOf(Vector v) {
  for (std::int64_t i = 0; i < kWidth; ++i) {
    v[i] = __builtin_sqrtf(v[i]);
  }
  return v;
}
)";

constexpr std::string_view kExp = R"(// 2^n for integer n, from the exponent bits.
static inline Vector powerOf(Lanes n) { return (Vector)((n + 127) << 23); }
// exp(x) = 2^n * exp(r) with |r| <= ln(2) / 2; the polynomial is within 4e-9 of exp(r).
static inline Vector expOf(Vector x) {
  x = maxOf(minOf(x, all(89.0f)), all(-104.0f));
  const Lanes n = __builtin_convertvector(x * 1.44269504f + 256.5f, Lanes) - 256;
  const Vector k = __builtin_convertvector(n, Vector);
  const Vector r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  Vector p = r * 0.001381230752f + 0.008369823041f;
  p = p * r + 0.04166849698f;
  p = p * r + 0.1666651138f;
  p = p * r + 0.4999999281f;
  p = p * (r * r) + r + 1.0f;
  const Lanes half = n >> 1;
  return p * powerOf(half) * powerOf(n - half);
}
static inline float expOf(float x) { return expOf(all(x))[0]; }
)";

constexpr std::string_view kTanh = R"(static inline Vector tanhOf(Vector x) {
  const Vector size = maxOf(x, -x);
  const Vector e = expOf(-2.0f * size);
  const Vector large = (1.0f - e) / (1.0f + e);
  const Vector s = x * x;
  Vector p = s * -0.005895085186f + 0.02079591439f;
  p = p * s - 0.05378381496f;
  p = p * s + 0.1333192397f;
  p = p * s - 0.33333298f;
  const Vector small = p * s * x + x;
  return size < all(0.6f) ? small : (x < Vector{} ? -large : large);
}
static inline float tanhOf(float x) { return tanhOf(all(x))[0]; }
)";

void addOnce(Function& function, std::string_view helper) {
  if (std::ranges::find(function.helpers, helper) == function.helpers.end()) {
    function.helpers.emplace_back(helper);
  }
}

void ensureHeader(Function& function, std::string_view header) {
  const std::string line = fmt::format("#include {}\n", header);
  if (!function.before.contains(line)) {
    const std::size_t first = function.before.find("#include");
    function.before.insert(first == std::string::npos ? function.before.size() : first, line);
  }
}

/// Adds a helper and the helpers it depends on.
void ensureHelper(Function& function, std::string_view helper) {
  if (helper == kExp || helper == kTanh) {
    addOnce(function, kChoices);
    addOnce(function, kExp);
  }
  addOnce(function, helper);
}

std::string floatText(std::string text) {
  while (!text.starts_with("0x") && (text.ends_with('f') || text.ends_with('F') ||
                                     text.ends_with('L') || text.ends_with('l'))) {
    text.pop_back();
  }
  const bool whole = text.find_first_of(".eE") == std::string::npos;
  return fmt::format("{}{}f", text, whole ? ".0" : "");
}

Expr all(Expr value) { return call("all", {std::move(value)}); }

}  // namespace

void ensureHeaders(Function& function) {
  for (const std::string_view header : {"<cstring>", "<cstdint>", "<cmath>", "<algorithm>"}) {
    ensureHeader(function, header);
  }
}

void ensureVectors(Function& function, std::int64_t width) {
  addOnce(function, fmt::format(kVectors, fmt::arg("bytes", width * 4), fmt::arg("width", width)));
}

std::optional<int> VectorCode::computeStride(const Expr& element) const {
  const auto at = toPolynomial(element.args[0]);
  const auto stride = at ? at->coefficientOf(variable_) : std::nullopt;
  const auto value = stride ? stride->constantValue() : std::nullopt;
  if (!value || (*value != 0 && *value != 1)) {
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::optional<Expr> VectorCode::vector(const Expr& expression) {
  auto result = value(expression);
  if (!result) {
    return std::nullopt;
  }
  return result->vector ? std::move(result->expression) : all(std::move(result->expression));
}

std::optional<VectorCode::Value> VectorCode::scalar(const Expr& e) const {
  const std::string type = elementType(function_, e.text);
  if (e.text == variable_ || type.empty() || type == "double" || type == "bool") {
    return std::nullopt;
  }
  if (type == "float") {
    return Value{e, false};
  }
  return Value{{Expr::Kind::cast, "float", {e}}, false};
}

std::optional<VectorCode::Value> VectorCode::value(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::number:
      return Value{{Expr::Kind::number, floatText(e.text), {}}, false};
    case Expr::Kind::name:
      if (vectors_.contains(e.text)) {
        return Value{e, true};
      }
      return scalar(e);
    case Expr::Kind::index: {
      const auto stride = computeStride(e);
      if (!stride || elementType(function_, e.text) != "float") {
        return std::nullopt;
      }
      if (*stride == 0) {
        return Value{e, false};
      }
      Expr address{Expr::Kind::unary, "&", {e}};
      return Value{call("load", {std::move(address)}), true};
    }
    case Expr::Kind::call:
      return function(e);
    case Expr::Kind::cast: {
      auto inner = value(e.args[0]);
      return e.text == "float" ? inner : std::nullopt;
    }
    case Expr::Kind::unary: {
      auto inner = value(e.args[0]);
      if (!inner || e.text != "-") {
        return std::nullopt;
      }
      return Value{{Expr::Kind::unary, "-", {std::move(inner->expression)}}, inner->vector};
    }
    default:
      return operation(e);
  }
}

std::optional<VectorCode::Value> VectorCode::operation(const Expr& e) {
  std::vector<Value> args;
  for (const Expr& arg : e.args) {
    auto one = value(arg);
    if (!one) {
      return std::nullopt;
    }
    args.push_back(std::move(*one));
  }
  if (e.kind == Expr::Kind::ternary) {
    if (!args[0].vector) {
      return std::nullopt;
    }
    Expr result{Expr::Kind::ternary, "?", {std::move(args[0].expression)}};
    for (std::size_t i = 1; i < 3; ++i) {
      result.args.push_back(args[i].vector ? std::move(args[i].expression)
                                           : all(std::move(args[i].expression)));
    }
    return Value{std::move(result), true};
  }
  static constexpr std::array<std::string_view, 4> kArithmetic = {"+", "-", "*", "/"};
  static constexpr std::array<std::string_view, 4> kComparisons = {"<", ">", "<=", ">="};
  const bool arithmetic = std::ranges::find(kArithmetic, e.text) != kArithmetic.end();
  const bool comparison = std::ranges::find(kComparisons, e.text) != kComparisons.end();
  const bool vector = args[0].vector || args[1].vector;
  if (!arithmetic && !comparison) {
    return std::nullopt;
  }
  for (Value& arg : args) {
    if (comparison && vector && !arg.vector) {
      arg.expression = all(std::move(arg.expression));
    }
  }
  return Value{binary(e.text, std::move(args[0].expression), std::move(args[1].expression)),
               vector};
}

std::optional<VectorCode::Value> VectorCode::function(const Expr& e) {
  struct Entry {
    Math math;
    std::string_view name;
    std::string_view helper;
  };
  static constexpr std::array kFunctions = {
      Entry{Math::exp, "expOf", kExp},     Entry{Math::tanh, "tanhOf", kTanh},
      Entry{Math::sqrt, "sqrtOf", kSqrt},  Entry{Math::max, "maxOf", kChoices},
      Entry{Math::min, "minOf", kChoices}, Entry{Math::abs, "absOf", kChoices}};
  const auto found = std::ranges::find(kFunctions, lookupMath(e.text), &Entry::math);
  if (found == kFunctions.end()) {
    return std::nullopt;
  }
  Expr result = call(std::string(found->name), {});
  bool vector = false;
  for (const Expr& arg : e.args) {
    const auto one = value(arg);
    if (!one) {
      return std::nullopt;
    }
    vector |= one->vector;
    result.args.push_back(one->vector ? one->expression : all(one->expression));
  }
  if (!vector) {
    return Value{e, false};
  }
  ensureHelper(function_, found->helper);
  if (found->math == Math::abs) {
    result.text = "maxOf";
    result.args.push_back({Expr::Kind::unary, "-", {result.args[0]}});
  }
  return Value{std::move(result), true};
}

Expr scalarCode(Function& function, Expr expression) {
  change(expression, [&](Expr& e) {
    if (e.kind != Expr::Kind::call) {
      return;
    }
    if (lookupMath(e.text) == Math::exp) {
      e.text = "expOf";
      ensureHelper(function, kExp);
    } else if (lookupMath(e.text) == Math::tanh) {
      e.text = "tanhOf";
      ensureHelper(function, kTanh);
    }
  });
  return expression;
}

void ensureReduction(Function& function, Math kind) {
  if (kind != Math::none) {
    addOnce(function, kChoices);
  }
  addOnce(function, kind == Math::none ? kSums : kExtremes);
}

}  // namespace hone::kernel::nest
