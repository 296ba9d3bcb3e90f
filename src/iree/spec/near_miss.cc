#include "iree/spec/near_miss.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/text.h"

namespace hone::iree {
namespace {

using Part = FormDifference::Part;

/// Returns the penalty for a difference of this part. A different computation outweighs sizes, and
/// sizes outweigh notation.
double penaltyFor(Part part) {
  switch (part) {
    case Part::operation:
      return 3;
    case Part::type:
      return 40;
    case Part::dimension:
      return 10;
    case Part::map:
      return 4;
    case Part::body:
      return 60;
    case Part::attribute:
      return 8;
  }
  return 0;
}
/// The query, the key and the value.
constexpr std::size_t kAttentionInputs = 3;
/// The penalty of another kind of computation.
constexpr double kOtherKind = 200;

std::string shownShape(const OperandForm& operand) {
  if (!operand.ranked) {
    return operand.element;
  }
  std::string text;
  for (const std::int64_t size : operand.shape) {
    text += size < 0 ? "?x" : fmt::format("{}x", size);
  }
  return operand.shape.empty() ? operand.element
                               : fmt::format("tensor<{}{}>", text, operand.element);
}

std::string shownSizes(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t value : values) {
    texts.push_back(value < 0 ? "?" : std::to_string(value));
  }
  return texts.empty() ? "none" : join(texts, "x");
}

std::string withArticle(const std::string& kind) {
  return (kind == "attention" ? "an " : "a ") + kind;
}

bool acceptsSizes(const std::vector<std::int64_t>& required,
                  const std::vector<std::int64_t>& found) {
  return required.size() == found.size() &&
         std::ranges::equal(required, found, [](std::int64_t wanted, std::int64_t has) {
           return wanted < 0 || wanted == has;
         });
}

/// Returns the results of a map: "(d0, d2)".
std::string mapResults(const std::string& map) {
  const auto arrow = map.find("-> ");
  const auto end = map.rfind('>');
  return arrow == std::string::npos || end == std::string::npos || end <= arrow + 3
             ? map
             : map.substr(arrow + 3, end - arrow - 3);
}

/// Collects the differences between a matcher and an operation.
class FormComparison {
 public:
  FormComparison(const OperationForm& matcher, const OperationForm& operation)
      : matcher_(matcher), operation_(operation) {}

  std::vector<FormDifference> compare() {
    compareNames();
    compareTypes();
    if (!compareRoles()) {
      compareShapes();
    }
    compareMaps();
    compareConditions();
    if (isExample() && matcher_.kind.empty()) {
      compareBody();
    }
    compareAttributes();
    return std::move(differences_);
  }

 private:
  void add(Part part, std::string what, std::string expected, std::string found) {
    differences_.push_back({.part = part,
                            .what = std::move(what),
                            .expected = std::move(expected),
                            .found = std::move(found)});
  }
  /// True if the operation is the online form of the matcher's attention: it has the maximum and
  /// the sum as further operands.
  [[nodiscard]] bool isOnlineForm() const {
    return matcher_.kind == "attention" && operation_.kind == "attention" &&
           (matcher_.names.empty() || matcher_.operands.size() + 2 == operation_.operands.size());
  }
  /// True if the matcher has an example operation, whose body must be equal.
  [[nodiscard]] bool isExample() const { return !matcher_.body.empty(); }

  void compareNames() {
    const std::string& name = operation_.names.front();
    if (!matcher_.names.empty() &&
        std::ranges::find(matcher_.names, name) == matcher_.names.end()) {
      add(Part::operation, "the operation", join(matcher_.names, " or "), name);
    }
    if (!matcher_.kind.empty() && matcher_.names.empty() && operation_.kind != matcher_.kind) {
      add(Part::operation, "the operation", withArticle(matcher_.kind),
          operation_.kind.empty() ? name : withArticle(operation_.kind));
    }
  }
  void compareTypes() {
    std::size_t count = std::min(matcher_.operands.size(), operation_.operands.size());
    if (isOnlineForm()) {
      count = std::min(count, kAttentionInputs);  // the others are accumulators
    } else if (isExample() && matcher_.operands.size() != operation_.operands.size()) {
      add(Part::type, "the number of operands", std::to_string(matcher_.operands.size()),
          std::to_string(operation_.operands.size()));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& wanted = matcher_.operands[i].element;
      if (!wanted.empty() && wanted != operation_.operands[i].element) {
        add(Part::type, fmt::format("the element type of operand {}", i), wanted,
            operation_.operands[i].element);
      }
    }
  }
  /// Compares the sizes by role; returns false if one of the forms has no roles.
  bool compareRoles() {
    if (matcher_.kind.empty() || matcher_.kind != operation_.kind || matcher_.roles.empty()) {
      return false;
    }
    for (const LoopRole& wanted : matcher_.roles) {
      const auto has = std::ranges::find(operation_.roles, wanted.name, &LoopRole::name);
      if (has != operation_.roles.end() && wanted.sized &&
          !acceptsSizes(wanted.sizes, has->sizes)) {
        add(Part::dimension, wanted.name, shownSizes(wanted.sizes), shownSizes(has->sizes));
      }
    }
    // An example with dynamic sizes may have its sizes in conditions on operands.
    const bool open = std::ranges::any_of(matcher_.roles, [](const LoopRole& role) {
      return !role.sized || std::ranges::count(role.sizes, -1) > 0;
    });
    return !open;
  }
  void compareShapes() {
    const std::size_t count = std::min(matcher_.operands.size(), operation_.operands.size());
    for (std::size_t i = 0; i < count; ++i) {
      const OperandForm& wanted = matcher_.operands[i];
      const OperandForm& has = operation_.operands[i];
      if (wanted.ranked && !acceptsSizes(wanted.shape, has.shape)) {
        add(Part::dimension, fmt::format("operand {}", i), shownShape(wanted), shownShape(has));
      }
    }
  }
  void compareMaps() {
    if (matcher_.maps.empty() || matcher_.maps.size() != operation_.maps.size()) {
      return;
    }
    for (std::size_t i = 0; i < matcher_.maps.size(); ++i) {
      if (matcher_.maps[i] != operation_.maps[i]) {
        add(Part::map, fmt::format("the map of operand {}", i), mapResults(matcher_.maps[i]),
            mapResults(operation_.maps[i]));
      }
    }
  }
  void compareConditions() {
    for (const DimensionCondition& condition : matcher_.conditions) {
      const auto operand = static_cast<std::size_t>(condition.operand);
      const auto at = static_cast<std::size_t>(condition.dimension);
      if (operand >= operation_.operands.size() ||
          at >= operation_.operands[operand].shape.size()) {
        continue;
      }
      const std::int64_t size = operation_.operands[operand].shape[at];
      const std::string what = fmt::format("dimension {} of operand {}", at, operand);
      if (condition.multipleOf > 0 && size % condition.multipleOf != 0) {
        add(Part::dimension, what, fmt::format("a multiple of {}", condition.multipleOf),
            std::to_string(size));
      }
      if (condition.least >= 0 && size < condition.least) {
        add(Part::dimension, what, fmt::format("at least {}", condition.least),
            std::to_string(size));
      }
      if (condition.most >= 0 && size > condition.most) {
        add(Part::dimension, what, fmt::format("at most {}", condition.most), std::to_string(size));
      }
    }
  }
  void compareBody() {
    for (std::size_t i = 0; i < std::max(matcher_.body.size(), operation_.body.size()); ++i) {
      const std::string wanted = i < matcher_.body.size() ? matcher_.body[i] : "nothing";
      const std::string has = i < operation_.body.size() ? operation_.body[i] : "nothing";
      if (wanted != has) {
        add(Part::body, fmt::format("operation {} of the body", i), wanted, has);
        return;  // the following ones usually differ, too
      }
    }
  }
  void compareAttributes() {
    const bool sameName = !matcher_.names.empty() && isExample() &&
                          std::ranges::count(matcher_.names, operation_.names.front()) > 0;
    if (sameName && matcher_.attributes != operation_.attributes) {
      add(Part::attribute, "the attributes", join(matcher_.attributes, ", "),
          join(operation_.attributes, ", "));
    }
  }

  const OperationForm& matcher_;
  const OperationForm& operation_;
  std::vector<FormDifference> differences_;
};

/// Returns the distance of two sizes in doublings, so that 1024 is closer to 1000 than to 8; 0 for
/// other differences.
double sizeDistance(const FormDifference& difference) {
  const auto wanted = parseInt(difference.expected);
  const auto has = parseInt(difference.found);
  if (difference.part != Part::dimension || !wanted || !has || *wanted <= 0 || *has <= 0) {
    return 0;
  }
  return std::abs(std::log2(static_cast<double>(*wanted) / static_cast<double>(*has)));
}

double totalPenalty(const OperationForm& matcher, const OperationForm& operation,
                    std::span<const FormDifference> differences) {
  double penalty = !matcher.kind.empty() && matcher.kind != operation.kind ? kOtherKind : 0;
  for (const FormDifference& difference : differences) {
    penalty += penaltyFor(difference.part) + sizeDistance(difference);
  }
  // If a matcher requires no kind, the operation name is its strongest requirement.
  const bool named = std::ranges::any_of(
      differences, [](const FormDifference& one) { return one.part == Part::operation; });
  return named && matcher.kind.empty() ? penalty + kOtherKind / 2 : penalty;
}

/// Returns the names of the operations in a body, sorted.
std::vector<std::string> bodyNames(const OperationForm& form) {
  std::vector<std::string> names;
  for (const std::string& line : form.body) {
    names.push_back(line.substr(0, line.find(' ')));
  }
  std::ranges::sort(names);
  return names;
}

bool isSameComputation(const OperationForm& matcher, const OperationForm& operation,
                       std::span<const FormDifference> differences) {
  if (differences.empty() || !matcher.unread.empty()) {
    return false;
  }
  const bool structured = !matcher.kind.empty() && matcher.kind == operation.kind;
  return std::ranges::all_of(differences, [&](const FormDifference& one) {
    switch (one.part) {
      case Part::operation:
      case Part::map:
        return structured;
      case Part::body:
        return bodyNames(matcher) == bodyNames(operation);
      case Part::attribute:
        return structured;  // strides and dilations are compared as roles
      case Part::type:
      case Part::dimension:
        return false;
    }
    return false;
  });
}

}  // namespace

std::string_view nameOf(FormDifference::Part part) {
  switch (part) {
    case Part::operation:
      return "operation";
    case Part::type:
      return "type";
    case Part::dimension:
      return "dimension";
    case Part::map:
      return "map";
    case Part::body:
      return "body";
    case Part::attribute:
      return "attribute";
  }
  return "";
}

std::string shown(const FormDifference& difference) {
  return fmt::format("{} is {} instead of {}", difference.what, difference.found,
                     difference.expected);
}

std::string shown(const NearMiss& near) {
  if (!near.missingKind.empty()) {
    return fmt::format("the program has no {}", near.missingKind);
  }
  std::vector<std::string> differences;
  for (const FormDifference& difference : near.differences) {
    differences.push_back(shown(difference));
  }
  for (const std::string& condition : near.unread) {
    differences.push_back(fmt::format("{} is not evaluated here", condition));
  }
  return differences.empty() ? ""
                             : fmt::format("the closest operation is {} in {}: {}", near.op,
                                           near.dispatch, join(differences, ", "));
}

std::vector<FormDifference> compareForms(const OperationForm& matcher,
                                         const OperationForm& operation) {
  return FormComparison(matcher, operation).compare();
}

std::optional<NearMiss> findNearMiss(const OperationForm& matcher,
                                     std::span<const ProgramOperation> operations) {
  std::optional<NearMiss> best;
  double least = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const OperationForm& form = operations[i].form;
    auto differences = compareForms(matcher, form);
    const double penalty = totalPenalty(matcher, form, differences);
    if (!best || penalty < least) {
      least = penalty;
      const bool same = isSameComputation(matcher, form, differences);
      const bool other = !matcher.kind.empty() && matcher.kind != form.kind;
      best = NearMiss{.operation = i,
                      .dispatch = operations[i].dispatch,
                      .op = form.names.front(),
                      .differences = std::move(differences),
                      .unread = matcher.unread,
                      .missingKind = other ? matcher.kind : "",
                      .sameComputation = same};
    }
  }
  return best;
}

std::vector<std::size_t> findSameComputations(const OperationForm& matcher,
                                              std::span<const ProgramOperation> operations) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const OperationForm& form = operations[i].form;
    if (isSameComputation(matcher, form, compareForms(matcher, form))) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace hone::iree
