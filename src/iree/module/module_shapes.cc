#include "iree/module/module_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "base/text/text.h"

namespace hone::iree {
namespace {

/// Rewrites the lines of one function.
class ShapeFixer {
 public:
  explicit ShapeFixer(const InputShapes& shapes) : shapes_(shapes) {}

  /// Returns the line, or what replaces it.
  [[nodiscard]] std::string fix(const std::string& line) const {
    static const RE2 kSize(R"((\s*%\S+ = )hal\.buffer_view\.dim<%arg(\d+) : .*>\[(\d+)\] : index)",
                           RE2::Latin1);
    static const RE2 kImport(
        R"((\s*)%(\S+)( = hal\.tensor\.import .*%arg(\d+)\b.* -> )tensor<([^>]*)>\{.*\}\s*)",
        RE2::Latin1);
    std::string before;
    std::string name;
    std::string operation;
    std::string type;
    std::size_t input = 0;
    std::size_t axis = 0;
    if (line.contains("hal.buffer_view.dim") &&
        RE2::FullMatch(line, kSize, &before, &input, &axis) && hasShape(input) &&
        axis < shapes_[input]->size()) {
      return fmt::format("{}arith.constant {} : index", before, (*shapes_[input])[axis]);
    }
    if (line.contains("hal.tensor.import") &&
        RE2::FullMatch(line, kImport, &before, &name, &operation, &input, &type) &&
        hasShape(input)) {
      const std::string element = splitAt(type, 'x').back();
      const std::string fixed =
          fmt::format("tensor<{}x{}>", fmt::join(*shapes_[input], "x"), element);
      return fmt::format(
          "{0}%fixed_{1}{2}{3}\n{0}%{1} = tensor.cast %fixed_{1} : {3} to tensor<{4}>", before,
          name, operation, fixed, type);
    }
    return line;
  }

 private:
  [[nodiscard]] bool hasShape(std::size_t input) const {
    return input < shapes_.size() && shapes_[input] && !shapes_[input]->empty();
  }

  const InputShapes& shapes_;
};

}  // namespace

std::string fixInputShapes(std::string_view module, const std::string& function,
                           const InputShapes& shapes) {
  const ShapeFixer fixer(shapes);
  bool inside = false;
  std::string fixed;
  fixed.reserve(module.size() + 4096);
  while (!module.empty()) {
    const std::size_t end = module.find('\n');
    const std::string_view line = module.substr(0, end);
    if (line.starts_with("  util.func ")) {
      inside = line.contains(fmt::format("@{}(", function)) ||
               line.contains(fmt::format("@{}$async(", function));
    }
    fixed += inside ? fixer.fix(std::string(line)) : std::string(line);
    fixed += '\n';
    module.remove_prefix(end == std::string_view::npos ? module.size() : end + 1);
  }
  return fixed;
}

}  // namespace hone::iree
