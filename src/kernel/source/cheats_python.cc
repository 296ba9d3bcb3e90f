#include "kernel/source/cheats_python.h"

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
      noteFunction(i);
      if (tokens_[i].isName()) {
        readName(i);
      } else if (tokens_[i].is("@") && tokens_[i].indent < 0) {
        cheats_.push_back({tokens_[i].line, "multiplies matrices by torch's operator @"});
      }
    }
    return std::move(cheats_);
  }

 private:
  /// "" beyond the end, and for string literals.
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

  void readImports() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].indent < 0) {
        continue;
      }
      if (at(i) == "import") {
        readImport(i);
      } else if (at(i) == "from") {
        readFromImport(i);
      }
    }
  }
  [[nodiscard]] bool statementGoesOn(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].indent < 0;
  }
  /// "a.b.c" from i on; i is moved behind it.
  std::string dottedName(std::size_t& i) {
    std::string name(at(i++));
    while (at(i) == "." && statementGoesOn(i)) {
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
      cheats_.push_back({tokens_[i].line, fmt::format("imports {}; a kernel has torch, tilelang "
                                                      "and math",
                                                      module)});
    }
  }
  /// What is taken of a module, or of one in it.
  void checkPart(std::size_t i, std::string_view module, std::string_view part) {
    const auto members = honestMembers().find(module);
    if (waysOut().contains(part) ||
        (members != honestMembers().end() && !members->second.contains(part))) {
      cheats_.push_back(
          {tokens_[i].line, fmt::format("reaches for what is not a kernel's ({})", part)});
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
      noteModule(name, renamed ? module : name);
    } while (at(i) == "," && statementGoesOn(i));
  }
  void readFromImport(std::size_t i) {
    const std::size_t begin = i++;
    const std::string module = dottedName(i);
    checkModule(begin, module);
    for (++i; statementGoesOn(i); ++i) {
      if (!tokens_[i].isName()) {
        continue;
      }
      const std::string imported = fmt::format("{}.{}", module, at(i));
      const bool renamed = at(i + 1) == "as" && statementGoesOn(i + 1);
      const std::string name(renamed ? at(i + 2) : at(i));
      noteModule(name, imported);
      if (module == "torch" && !honestTorch().contains(at(i))) {
        add(i, "imports what does the work in torch");
      } else {
        checkPart(i, module, at(i));
      }
      i += renamed ? 2 : 0;
    }
  }
  void noteModule(const std::string& name, const std::string& module) {
    if (module == "torch") {
      torch_.insert(name);
    } else if (module == "torch.nn.functional" || module.starts_with("torch.nn.functional.")) {
      functional_.insert(name);
    } else if (module == "torch.nn") {
      nn_.insert(name);
    } else if (module.starts_with("tilelang") || module == "math") {
      tile_.insert(name);
    }
    if (honestMembers().contains(module)) {
      modules_[name] = module;
    }
  }

  /// Layers that the constructor makes to hold parameters: self.NAME = nn.Linear(…).
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

  /// Keeps the parameters of the forward that i is in: they are tensors.
  void noteFunction(std::size_t i) {
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
    const bool isDunder = name.size() > 4 && name.starts_with("__") && name.ends_with("__");
    static const Names kHonestDunders = {"__init__", "__name__", "__main__", "__future__",
                                         "__all__"};
    if (isDunder && !kHonestDunders.contains(name)) {
      add(i, "reaches into Python itself");
    }
  }

  void readFree(std::size_t i, const std::string& name) {
    if (name == "try") {
      add(i, "catches the failures of the work, to do it in another way");
    }
    if (const auto found = pythonFunctions().find(name);
        found != pythonFunctions().end() && before(i) != "def" &&
        (at(i + 1) == "(" || (at(i + 1) != "=" && !isOwnName(name)))) {
      add(i, found->second);
    }
    if (name == "case" && tokens_[i].indent >= 0 && at(i + 1) != "=" && at(i + 1) != ".") {
      add(i, "takes objects apart by patterns");
    }
    if (name == "Model" || name == "reference") {
      add(i, "uses the reference");
    }
    if (name == "global" || name == "nonlocal") {
      add(i, "keeps something from one call to the next");
    }
    if (name == "is" && at(i + 1) == "self") {
      add(i, "compares its input with one that it has kept");
    }
    if (givesAnotherName(i, name)) {
      add(i, modules_.contains(name) ? "gives a module another name" : "gives torch another name");
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

  /// Whether the kernel may mean a variable by the name of a function: of those that are ordinary
  /// words, one that it assigns or takes.
  [[nodiscard]] bool isOwnName(const std::string& name) const {
    if (!ordinaryNames().contains(name)) {
      return false;
    }
    const auto assigns = [&](const PythonToken& token) {
      const std::size_t next = static_cast<std::size_t>(&token - tokens_.data()) + 1;
      return token.is(name) && token.indent >= 0 && at(next) == "=";
    };
    return parameters_.contains(name) || std::ranges::any_of(tokens_, assigns);
  }

  /// "G = F": what G does would not be seen. A parameter may have the name of a module.
  [[nodiscard]] bool givesAnotherName(std::size_t i, const std::string& name) const {
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

  /// torch.NAME, and what is below it.
  void readTorch(std::size_t i) {
    if (at(i + 1) != ".") {
      return;
    }
    const std::string_view part = at(i + 2);
    if (part == "nn" && at(i + 4) == "functional" && at(i + 5) == ".") {
      add(i + 6, "lets torch do the work");
    } else if (part == "cuda" && at(i + 3) == "." && !honestCuda().contains(at(i + 4))) {
      add(i + 4, "reaches for torch's clocks and streams");
    } else if (!part.empty() && !honestTorch().contains(part)) {
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

  /// The name before the first dot of a.b.c, where i is at c.
  [[nodiscard]] std::string_view rootOf(std::size_t i) const {
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
    } else if (!ofSelf && (waysOut().contains(name) || (name == "modules" && at(i + 1) == "["))) {
      add(i, "reaches for what is not a kernel's");
    }
    const std::string_view root = rootOf(i);
    static const Names kSettable = {"data", "requires_grad", "weight", "bias"};
    if (at(i + 1) == "=" && at(i + 2) != "=" && root != "self" && !torch_.contains(root) &&
        !kSettable.contains(name)) {
      add(i, "changes what is not its own");
    }
    if (tile_.contains(root) || torch_.contains(root) || functional_.contains(root) ||
        nn_.contains(root)) {
      return;
    }
    if (name == "data_ptr" || name == "untyped_storage" || name == "storage" ||
        name == "_version" || name == "storage_offset" || name == "_is_view" ||
        (name == "_base" && !ofSelf)) {
      add(i, "looks at where a tensor lies, as caches of results do");
    } else if (name == "equal" || name == "allclose" || name == "eq") {
      add(i, "compares its input with one that it has kept");
    } else if (at(i + 1) == "(" && ofSelf) {
      if (layers_.contains(name)) {
        add(i, "lets a layer of torch do the work");
      }
    } else if (at(i + 1) == "(" && workingMethods().contains(name)) {
      add(i, "lets torch do the work");
    }
  }

  /// Arithmetic on a parameter of forward is done by torch.
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
      add(i, "computes with whole tensors by torch's operators");
    }
  }

  std::span<const PythonToken> tokens_;
  Names torch_;
  Names functional_;
  Names nn_;
  Names tile_;
  std::map<std::string, std::string, std::less<>> modules_;  ///< names of those with ways out
  Names layers_;
  Names tensors_;     ///< parameters of the forward that is read
  Names parameters_;  ///< of all functions
  std::int64_t forwardIndent_ = -1;
  std::vector<Cheat> cheats_;
};

}  // namespace

std::vector<Cheat> findPythonCheats(std::string_view text) {
  const std::vector<PythonToken> tokens = pythonTokens(text);
  return PythonReader(tokens).read();
}

}  // namespace hone::kernel
