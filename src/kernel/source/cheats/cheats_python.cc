#include "kernel/source/cheats/cheats_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "kernel/source/python_names.h"
#include "kernel/source/python_tokens.h"

namespace hone::kernel {
namespace {

class PythonReader {
 public:
  explicit PythonReader(std::span<const PythonToken> tokens) : tokens_(tokens) {}

  std::vector<Cheat> read() {
    readImports();
    findModules();
    findParameters();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      recordForward(i);
      if (tokens_[i].isName()) {
        readName(i);
      } else if (tokens_[i].is("@") && tokens_[i].indent < 0) {
        cheats_.push_back({tokens_[i].line, "multiplies matrices with torch's operator @"});
      }
    }
    return std::move(cheats_);
  }

 private:
  /// Returns a token's text; "" beyond the end and for string literals.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind != PythonToken::Kind::text
               ? std::string_view(tokens_[i].text)
               : std::string_view();
  }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return i >= steps ? at(i - steps) : std::string_view();
  }

  void add(std::size_t i, std::string_view what) {
    cheats_.push_back({tokens_[i].line, fmt::format("{} ({})", what, tokens_[i].text)});
  }

  /// Imports may follow a colon in the same line.
  void readImports() {
    std::size_t ofFrom = tokens_.size();  ///< the "import" of the last "from … import"
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (at(i) == "import" && i != ofFrom) {
        readImport(i);
      } else if (const std::size_t import = findImport(i); import > 0) {
        ofFrom = import;
        readFromImport(i);
      }
    }
  }
  /// Returns the position of "import" in a statement "from NAME import …" that begins at i; 0 if it
  /// is missing, as in "yield from".
  [[nodiscard]] std::size_t findImport(std::size_t i) const {
    if (at(i) != "from") {
      return 0;
    }
    for (++i; inStatement(i) && at(i) != "import"; ++i) {
      if (at(i) != "." && !tokens_[i].isName()) {
        return 0;
      }
    }
    return inStatement(i) ? i : 0;
  }
  [[nodiscard]] bool inStatement(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].indent < 0;
  }
  /// Reads "a.b.c" starting at i; moves i behind it.
  std::string dottedName(std::size_t& i) {
    std::string name(at(i++));
    while (at(i) == "." && inStatement(i)) {
      name += fmt::format(".{}", at(i + 1));
      i += 2;
    }
    return name;
  }
  void checkModule(std::size_t i, const std::string& module) {
    const std::string root = module.substr(0, module.find('.'));
    if (root.size() < module.size()) {
      const std::string part = module.substr(root.size() + 1);
      checkPart(i, root, part.substr(0, part.find('.')));
    }
    if (root == "torch" && !torchModules().contains(module)) {
      cheats_.push_back({tokens_[i].line, fmt::format("imports {}, which does the work", module)});
    } else if (!pythonModules().contains(root)) {
      cheats_.push_back(
          {tokens_[i].line, fmt::format("imports {}; use only torch, tilelang and math", module)});
    }
  }
  /// Checks a member of a module.
  void checkPart(std::size_t i, std::string_view module, std::string_view part) {
    const auto members = allowedMembers().find(module);
    if (dangerousMembers().contains(part) ||
        (members != allowedMembers().end() && !members->second.contains(part))) {
      cheats_.push_back({tokens_[i].line, fmt::format("uses a forbidden member ({})", part)});
    }
  }
  void readImport(std::size_t i) {
    const std::size_t begin = i;
    do {
      ++i;  // "import", then commas
      const std::string module = dottedName(i);
      checkModule(begin, module);
      const bool renamed = at(i) == "as";
      const std::string name =
          renamed ? std::string(at(i + 1)) : module.substr(0, module.find('.'));
      i += renamed ? 2 : 0;
      recordModule(name, renamed ? module : name);
    } while (at(i) == "," && inStatement(i));
  }
  void readFromImport(std::size_t i) {
    const std::size_t begin = i++;
    const std::string module = dottedName(i);
    checkModule(begin, module);
    for (++i; inStatement(i); ++i) {
      if (!tokens_[i].isName()) {
        continue;
      }
      const std::string imported = fmt::format("{}.{}", module, at(i));
      const bool renamed = at(i + 1) == "as" && inStatement(i + 1);
      const std::string name(renamed ? at(i + 2) : at(i));
      recordModule(name, imported);
      if (module == "torch" && !allowedTorch().contains(at(i))) {
        add(i, "imports a torch function that does the work");
      } else {
        checkPart(i, module, at(i));
      }
      i += renamed ? 2 : 0;
    }
  }
  void recordModule(const std::string& name, const std::string& module) {
    if (module == "torch") {
      torch_.insert(name);
    } else if (module == "torch.nn.functional" || module.starts_with("torch.nn.functional.")) {
      functional_.insert(name);
    } else if (module == "torch.nn") {
      nn_.insert(name);
    } else if (module.starts_with("tilelang") || module == "math") {
      tile_.insert(name);
    }
    if (allowedMembers().contains(module)) {
      modules_[name] = module;
    }
  }

  /// Finds layers that the constructor creates to hold parameters: self.NAME = nn.Linear(…).
  void findModules() {
    for (std::size_t i = 4; i + 2 < tokens_.size(); ++i) {
      const bool assigned = before(i) == "=" && before(i, 3) == "." && before(i, 4) == "self";
      const bool layer = nn_.contains(at(i)) || (torch_.contains(at(i)) && at(i + 2) == "nn");
      if (assigned && layer && at(i + 1) == ".") {
        const std::size_t last = torch_.contains(at(i)) ? i + 4 : i + 2;
        if (at(last) != "Parameter" && at(last) != "ParameterList") {
          layers_.insert(std::string(before(i, 2)));
        }
      }
    }
  }

  /// Collects the parameters of the forward function around i: they are tensors.
  void recordForward(std::size_t i) {
    const PythonToken& token = tokens_[i];
    if (forwardIndent_ >= 0 && token.indent >= 0 && token.indent <= forwardIndent_) {
      forwardIndent_ = -1;
      tensors_.clear();
    }
    if (at(i) != "def" || at(i + 1) != "forward") {
      return;
    }
    forwardIndent_ = token.indent;
    int depth = 0;
    for (std::size_t next = i + 2; next < tokens_.size(); ++next) {
      depth += at(next) == "(" || at(next) == "[" ? 1 : at(next) == ")" || at(next) == "]" ? -1 : 0;
      if (depth == 0) {
        break;
      }
      const bool parameter = at(next - 1) == "(" || at(next - 1) == "," || at(next - 1) == "*";
      if (depth == 1 && tokens_[next].isName() && parameter && at(next) != "self") {
        tensors_.insert(tokens_[next].text);
      }
    }
  }

  void readName(std::size_t i) {
    const std::string& name = tokens_[i].text;
    const bool member = before(i) == ".";
    if (!member) {
      readFree(i, name);
    } else {
      readMember(i, name);
    }
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; })) {
      add(i, "uses a name that is not ASCII, which Python may take for another");
    }
    const bool isDunder = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
    static const Names kAllowedDunders = {"__init__", "__name__", "__main__", "__future__",
                                          "__all__"};
    if (isDunder && !kAllowedDunders.contains(name)) {
      add(i, "uses Python internals");
    }
  }

  void readFree(std::size_t i, const std::string& name) {
    if (name == "try") {
      add(i, "catches exceptions, which may hide a fallback");
    }
    if (const auto found = forbiddenFunctions().find(name);
        found != forbiddenFunctions().end() && before(i) != "def" &&
        (at(i + 1) == "(" || (at(i + 1) != "=" && !isOwnName(name)))) {
      add(i, found->second);
    }
    if (name == "case" && tokens_[i].indent >= 0 && at(i + 1) != "=" && at(i + 1) != ".") {
      add(i, "matches objects by patterns");
    }
    if (name == "Model" || name == "reference") {
      add(i, "uses the reference");
    }
    if (name == "global" || name == "nonlocal") {
      add(i, "keeps state between calls");
    }
    if (name == "is" && at(i + 1) == "self") {
      add(i, "compares its input with an earlier one");
    }
    if (isAlias(i, name)) {
      add(i, modules_.contains(name) ? "aliases a module" : "aliases torch");
    }
    if (torch_.contains(name)) {
      readTorch(i);
    } else if (nn_.contains(name) && at(i + 2) == "functional" && at(i + 3) == ".") {
      add(i + 4, "lets torch do the work");
    } else if (functional_.contains(name) && (at(i + 1) == "." || at(i + 1) == "(")) {
      add(at(i + 1) == "." ? i + 2 : i, "lets torch do the work");
    }
    readArithmetic(i, name);
  }

  /// Returns true if a forbidden function's name may be a variable of the kernel: a common name
  /// that it assigns or takes as a parameter.
  [[nodiscard]] bool isOwnName(const std::string& name) const {
    if (!commonNames().contains(name)) {
      return false;
    }
    const auto assigns = [&](const PythonToken& token) {
      const std::size_t next = static_cast<std::size_t>(&token - tokens_.data()) + 1;
      return token.is(name) && token.indent >= 0 && at(next) == "=";
    };
    return parameters_.contains(name) || std::ranges::any_of(tokens_, assigns);
  }

  /// Detects aliases such as "G = F", whose use the scan would miss. Parameters may have the name
  /// of a module.
  [[nodiscard]] bool isAlias(std::size_t i, const std::string& name) const {
    std::size_t end = i + 1;
    while (at(end) == "." && (at(end + 1) == "nn" || at(end + 1) == "functional")) {
      end += 2;
    }
    const bool module = torch_.contains(name) || nn_.contains(name) || functional_.contains(name) ||
                        modules_.contains(name);
    const bool whole = end >= tokens_.size() || tokens_[end].indent >= 0 || at(end) == ";";
    return module && whole && before(i) == "=" && !parameters_.contains(name);
  }
  void findParameters() {
    for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
      int depth = 0;
      for (std::size_t next = i + 2; at(i) == "def" && next < tokens_.size(); ++next) {
        depth += at(next) == "(" ? 1 : at(next) == ")" ? -1 : 0;
        if (depth == 0) {
          break;
        }
        if (tokens_[next].isName() && (at(next - 1) == "(" || at(next - 1) == ",")) {
          parameters_.insert(tokens_[next].text);
        }
      }
    }
  }

  /// Checks torch.NAME and its members.
  void readTorch(std::size_t i) {
    if (at(i + 1) != ".") {
      return;
    }
    const std::string_view part = at(i + 2);
    if (part == "nn" && at(i + 4) == "functional" && at(i + 5) == ".") {
      add(i + 6, "lets torch do the work");
    } else if (part == "cuda" && at(i + 3) == "." && !allowedCuda().contains(at(i + 4))) {
      add(i + 4, "uses torch's clocks or streams");
    } else if (!part.empty() && !allowedTorch().contains(part)) {
      add(i + 2, part == "compile" || part == "jit" || part == "ops" || part == "_C"
                     ? "lets torch's compiler or internals do the work"
                     : "lets torch do the work");
    }
    for (std::size_t end = i + 1; at(end) == "."; end += 2) {
      if (at(end + 2) == "=" && at(end + 3) != "=") {
        add(end + 1, "replaces a part of torch");
      }
    }
  }

  /// Returns the name before the first dot of a.b.c, where i is at c.
  [[nodiscard]] std::string_view findRoot(std::size_t i) const {
    while (i >= 2 && at(i - 1) == "." && tokens_[i - 2].isName()) {
      i -= 2;
    }
    return at(i - (i > 0 && at(i - 1) == "." ? 1 : 0));
  }

  void readMember(std::size_t i, const std::string& name) {
    const bool ofSelf = before(i, 2) == "self";
    if (const auto module = modules_.find(before(i, 2));
        module != modules_.end() && before(i, 3) != ".") {
      checkPart(i, module->second, name);
    } else if (!ofSelf &&
               (dangerousMembers().contains(name) || (name == "modules" && at(i + 1) == "["))) {
      add(i, "uses a forbidden member");
    }
    const std::string_view root = findRoot(i);
    static const Names kSettable = {"data", "requires_grad", "weight", "bias"};
    if (at(i + 1) == "=" && at(i + 2) != "=" && root != "self" && !torch_.contains(root) &&
        !kSettable.contains(name)) {
      add(i, "changes an external object");
    }
    if (tile_.contains(root) || torch_.contains(root) || functional_.contains(root) ||
        nn_.contains(root)) {
      return;
    }
    if (name == "data_ptr" || name == "untyped_storage" || name == "storage" ||
        name == "_version" || name == "storage_offset" || name == "_is_view" ||
        (name == "_base" && !ofSelf)) {
      add(i, "inspects the storage of a tensor, as result caches do");
    } else if (name == "equal" || name == "allclose" || name == "eq") {
      add(i, "compares its input with an earlier one");
    } else if (at(i + 1) == "(" && ofSelf) {
      if (layers_.contains(name)) {
        add(i, "lets a layer of torch do the work");
      }
    } else if (at(i + 1) == "(" && computingMethods().contains(name)) {
      add(i, "lets torch do the work");
    }
  }

  /// Detects arithmetic on a parameter of forward, which torch computes.
  void readArithmetic(std::size_t i, const std::string& name) {
    if (forwardIndent_ < 0 || !tensors_.contains(name) || at(i + 1) == "." || at(i + 1) == "[") {
      return;
    }
    const auto isOperator = [](std::string_view symbol) {
      return symbol == "+" || symbol == "-" || symbol == "*" || symbol == "/";
    };
    const bool unpacks =
        before(i) == "*" && (before(i, 2) == "(" || before(i, 2) == "," || before(i, 2) == "*");
    if (isOperator(at(i + 1)) || (isOperator(before(i)) && !unpacks)) {
      add(i, "computes on tensors with torch's operators");
    }
  }

  std::span<const PythonToken> tokens_;
  Names torch_;
  Names functional_;
  Names nn_;
  Names tile_;
  std::map<std::string, std::string, std::less<>>
      modules_;  ///< modules with dangerous members, by alias
  Names layers_;
  Names tensors_;     ///< parameters of the current forward function
  Names parameters_;  ///< parameters of all functions
  std::int64_t forwardIndent_ = -1;
  std::vector<Cheat> cheats_;
};

/// Returns the line that declares an encoding other than UTF-8; 0 if there is none. Python looks
/// for "coding: NAME" in the comments of the first two lines.
int findForeignEncoding(std::string_view text) {
  for (int line = 1; line <= 2; ++line) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view comment = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (std::size_t at = comment.find('#'); at != std::string_view::npos;) {
      at = comment.find("coding", at + 1);
      if (at == std::string_view::npos) {
        break;
      }
      std::string_view name = comment.substr(at + std::string_view("coding").size());
      if (!name.starts_with(':') && !name.starts_with('=')) {
        continue;
      }
      name.remove_prefix(std::min(name.find_first_not_of(" \t", 1), name.size()));
      if (!name.starts_with("utf-8") && !name.starts_with("utf8")) {
        return line;
      }
    }
  }
  return 0;
}

}  // namespace

std::vector<Cheat> findPythonCheats(std::string_view text) {
  const std::vector<PythonToken> tokens = pythonTokens(text);
  std::vector<Cheat> cheats = PythonReader(tokens).read();
  if (const int line = findForeignEncoding(text); line > 0) {
    cheats.insert(cheats.begin(), {line, "declares an encoding other than UTF-8"});
  }
  return cheats;
}

}  // namespace hone::kernel
