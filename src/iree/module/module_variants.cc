#include "iree/module/module_variants.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/hash.h"
#include "iree/module/module_walk.h"

namespace hone::iree {
namespace {

constexpr std::string_view kVariantMark = "__hone";

/// The top-level operations of a module that matter for variants.
struct Parts {
  std::vector<MlirOperation> executables;
  std::vector<MlirOperation> functions;
  bool initializers = false;
};

Parts findTopLevel(const CompilerApi& api, MlirOperation module) {
  Parts parts;
  walk(api, module, [&](MlirOperation operation) {
    if (operation.ptr == module.ptr) {
      return MlirWalkResult::advance;
    }
    const std::string name = api.opName(operation);
    if (name == "hal.executable") {
      parts.executables.push_back(operation);
    } else if (name == "util.func") {
      parts.functions.push_back(operation);
    }
    parts.initializers = parts.initializers || name == "util.initializer";
    return MlirWalkResult::skip;
  });
  return parts;
}

void rename(const CompilerApi& api, MlirContext context, MlirOperation operation,
            const std::string& name) {
  api.operationSetAttribute(operation, MlirStringRef::of("sym_name"),
                            api.makeStringAttribute(context, MlirStringRef::of(name)));
}

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Replaces whole symbols only: "@a" in "@x::@a", but not in "@ab".
void replaceSymbol(std::string& text, const std::string& from, const std::string& to) {
  constexpr std::string_view kWithin =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-";
  const std::string name = fmt::format("@{}", from);
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    if (after == text.size() || !kWithin.contains(text[after])) {
      text.replace(at, name.size(), fmt::format("@{}", to));
    }
  }
}

/// Gives the entry points of a copy unique names, which the linker of executables requires.
/// Returns the previous names.
std::vector<std::string> renameEntryPoints(const CompilerApi& api, MlirContext context,
                                           MlirOperation executable, std::size_t variant) {
  std::vector<std::string> names;
  walk(api, executable, [&](MlirOperation operation) {
    const std::string kind = api.opName(operation);
    if (kind == "hal.executable.export" || kind == "func.func") {
      const std::string name = symbolName(api, operation);
      rename(api, context, operation, variantName(name, variant));
      if (kind == "hal.executable.export") {
        names.push_back(name);
      }
    }
    return MlirWalkResult::advance;
  });
  return names;
}

/// The copied executables of a variant by original name, and their entry points.
struct Copies {
  std::map<std::string, MlirOperation> executables;
  std::vector<std::string> entryPoints;
  std::vector<AttachedConfig> attached;
};

/// Redirects the references in one operation from the executables to their copies.
void redirect(const CompilerApi& api, MlirContext context, MlirOperation operation,
              const Copies& copies, std::size_t variant) {
  const std::intptr_t count = api.operationAttributes(operation);
  for (std::intptr_t i = 0; i < count; ++i) {
    const MlirNamedAttribute named = api.operationAttributeAt(operation, i);
    const std::string before = api.text(named.attribute);
    std::string after = before;
    for (const auto& [name, copy] : copies.executables) {
      replaceSymbol(after, name, variantName(name, variant));
    }
    for (const std::string& name : copies.entryPoints) {
      replaceSymbol(after, name, variantName(name, variant));
    }
    if (after != before) {
      api.operationSetAttribute(operation, api.identifierText(named.name),
                                api.attributeParse(context, MlirStringRef::of(after)));
    }
  }
}

/// Copies the executables that a variant's attributes match, and attaches the attributes.
std::optional<Copies> copyExecutables(const CompilerApi& api, MlirContext context,
                                      const Parts& parts,
                                      std::span<const model::OpAttribute> attributes,
                                      std::size_t variant) {
  Copies copies;
  for (const model::OpAttribute& attribute : attributes) {
    const auto value = parseValue(api, context, attribute);
    if (!value) {
      return std::nullopt;
    }
    bool found = false;
    for (const MlirOperation executable : parts.executables) {
      const std::string name = symbolName(api, executable);
      if (!matchesDispatch(attribute, name) ||
          findOperations(api, executable, attribute.op).empty()) {
        continue;
      }
      found = true;
      if (!copies.executables.contains(name)) {
        const MlirOperation copy = insertCopy(api, context, executable, variant);
        copies.executables.emplace(name, copy);
        for (std::string& entry : renameEntryPoints(api, context, copy, variant)) {
          copies.entryPoints.push_back(std::move(entry));
        }
      }
      attachAttribute(api, copies.executables.at(name), name, attribute, *value, copies.attached);
    }
    if (!found) {
      printNoMatch(attribute);
      return std::nullopt;
    }
  }
  return copies;
}

}  // namespace

std::string variantName(std::string_view name, std::size_t variant) {
  return fmt::format("{}{}{}", name, kVariantMark, variant);
}

MlirOperation insertCopy(const CompilerApi& api, MlirContext context, MlirOperation original,
                         std::size_t variant) {
  const MlirOperation copy = api.operationClone(original);
  rename(api, context, copy, variantName(symbolName(api, original), variant));
  api.blockInsertAfter(api.operationBlock(original), original, copy);
  return copy;
}

Expansion expandVariants(const CompilerApi& api, MlirContext context, MlirOperation module,
                         std::span<const std::vector<model::OpAttribute>> variants,
                         std::vector<std::vector<AttachedConfig>>& attached) {
  const Parts parts = findTopLevel(api, module);
  if (parts.functions.size() != 1 || parts.initializers ||
      api.stringAttribute(parts.functions.front(), "sym_visibility") == "private") {
    return Expansion::notPossible;
  }
  std::map<std::string, std::size_t> touched;  // number of variants with a copy, by executable
  for (std::size_t v = 0; v < variants.size(); ++v) {
    auto copies = copyExecutables(api, context, parts, variants[v], v);
    if (!copies) {
      return Expansion::noMatch;
    }
    const MlirOperation function = insertCopy(api, context, parts.functions.front(), v);
    walk(api, function, [&](MlirOperation operation) {
      redirect(api, context, operation, *copies, v);
      return MlirWalkResult::advance;
    });
    for (const auto& [name, copy] : copies->executables) {
      ++touched[name];
    }
    attached.push_back(std::move(copies->attached));
  }
  api.operationErase(parts.functions.front());
  for (const MlirOperation executable : parts.executables) {
    if (touched[symbolName(api, executable)] == variants.size()) {
      api.operationErase(executable);
    }
  }
  return Expansion::done;
}

std::vector<std::string> variantContents(const CompilerApi& api, MlirOperation module,
                                         std::size_t variants) {
  std::map<std::string, std::string> texts;  // of the executables, by name
  for (const MlirOperation executable : findTopLevel(api, module).executables) {
    texts[symbolName(api, executable)] = api.text(executable);
  }
  std::vector<std::string> contents;
  for (std::size_t v = 0; v < variants; ++v) {
    const std::string mark = variantName("", v);
    Hasher hasher;
    for (auto [name, text] : texts) {
      const bool copied = name.ends_with(mark);
      const bool foreign = !copied && name.contains(kVariantMark);
      const bool replaced = !copied && texts.contains(variantName(name, v));
      if (foreign || replaced) {
        continue;
      }
      replaceAll(text, mark, "");
      hasher.field(text);
    }
    contents.push_back(hasher.hex());
  }
  return contents;
}

}  // namespace hone::iree
