#include "kernel/propose/tilelang/tilelang_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "base/text/text.h"
#include "kernel/propose/tilelang/tilelang_products.h"

namespace hone::kernel {
namespace {

using Kind = PythonExpr::Kind;

/// A statement of a program, with its surroundings.
struct Site {
  const TileProgram& program;
  std::string_view text;  ///< of the whole file
  const PythonStatement& statement;
  const std::map<std::string, TileBuffer>& buffers;

  [[nodiscard]] bool hasComment() const {
    return text.substr(statement.begin, statement.blockEnd - statement.begin).contains('#');
  }
  [[nodiscard]] std::string_view source() const {
    return text.substr(statement.begin, statement.blockEnd - statement.begin);
  }
};

bool holdsCall(const TileProgram& program, const std::vector<PythonStatement>& body,
               std::string_view function) {
  return std::ranges::any_of(body, [&](const PythonStatement& one) {
    return program.findCall(one, function).has_value() || holdsCall(program, one.body, function);
  });
}

TextKnob knobAt(const Site& site, std::string name, std::string technique,
                std::vector<std::string> values) {
  return {.name = std::move(name),
          .technique = std::move(technique),
          .value = std::string(site.source()),
          .values = std::move(values),
          .places = {{site.statement.begin, site.statement.blockEnd - site.statement.begin}},
          .line = site.statement.line};
}

void addPipeline(const Site& site, std::vector<TextKnob>& knobs) {
  const auto loop = site.program.loop(site.statement);
  if (!loop || (loop->kind != "serial" && loop->kind != "range") || !loop->keywords.empty() ||
      !holdsCall(site.program, site.statement.body, "copy")) {
    return;
  }
  const std::string_view header =
      site.text.substr(site.statement.begin, site.statement.end - site.statement.begin);
  const std::string before =
      loop->kind == "range" ? "range(" : fmt::format("{}serial(", site.program.module());
  const std::size_t at = header.find(before);
  const std::size_t close = header.rfind(')');
  if (at == std::string_view::npos || close == std::string_view::npos) {
    return;
  }
  const std::string_view arguments = header.substr(at + before.size(), close - at - before.size());
  TextKnob knob{.name = "pipeline",
                .technique = "pipelining",
                .value = std::string(header.substr(at, close + 1 - at)),
                .values = {},
                .places = {{site.statement.begin + at, close + 1 - at}},
                .line = site.statement.line};
  for (const int stages : {2, 3}) {
    knob.values.push_back(
        fmt::format("{}Pipelined({}, num_stages={})", site.program.module(), arguments, stages));
  }
  knobs.push_back(std::move(knob));
}

/// Returns the starts of a tile that a loop accesses: one per index, in the order of the variables;
/// nothing if the access has another form.
std::optional<std::vector<std::string>> tileStarts(const PythonExpr& access, const TileLoop& loop) {
  std::vector<std::string> starts;
  std::size_t next = 0;
  if (!access.isIndexOf()) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < access.args.size(); ++i) {
    const bool fixed = std::ranges::none_of(
        loop.variables, [&](const std::string& one) { return access.args[i].mentions(one); });
    if (fixed) {
      starts.push_back(access.args[i].source);
      continue;
    }
    if (next == loop.variables.size()) {
      return std::nullopt;
    }
    const auto start = offsetFrom(access.args[i], loop.variables[next++]);
    const bool plain = start && std::ranges::none_of(loop.variables, [&](const std::string& one) {
                         const auto parsed = parsePython(*start);
                         return !parsed || parsed->mentions(one);
                       });
    if (!plain) {
      return std::nullopt;
    }
    starts.push_back(*start);
  }
  return next == loop.variables.size() ? std::optional(std::move(starts)) : std::nullopt;
}

/// Replaces a T.Parallel loop that moves a tile element by element. The compiler vectorizes copies,
/// and makes them asynchronous in a pipeline.
void addCopy(const Site& site, std::vector<TextKnob>& knobs) {
  const auto loop = site.program.loop(site.statement);
  if (!loop || loop->kind != "Parallel" || !loop->keywords.empty() || site.hasComment() ||
      site.statement.body.size() != 1) {
    return;
  }
  const auto moved = site.program.assignment(site.statement.body[0]);
  if (!moved || moved->op != "=") {
    return;
  }
  const auto to = tileStarts(moved->target, *loop);
  const auto from = tileStarts(moved->value, *loop);
  if (!to || !from) {
    return;
  }
  // A buffer of the tile's size is named alone; T.copy takes its extent from it.
  const auto isWhole = [&](const PythonExpr& access, const std::vector<std::string>& starts) {
    const auto buffer = site.buffers.find(access.args[0].text);
    return starts.size() == loop->variables.size() &&
           std::ranges::all_of(starts, [](const std::string& one) { return one == "0"; }) &&
           (buffer == site.buffers.end() || buffer->second.memory != "global");
  };
  const bool wholeTo = isWhole(moved->target, *to);
  const bool wholeFrom = isWhole(moved->value, *from);
  if (wholeTo == wholeFrom) {
    return;
  }
  const auto place = [](const PythonExpr& access, const std::vector<std::string>& starts,
                        bool whole) {
    const std::string& name = access.args[0].text;
    return whole ? name : fmt::format("{}[{}]", name, join(starts, ", "));
  };
  knobs.push_back(knobAt(
      site, "copy", "vectorization",
      {fmt::format("{}copy({}, {})", site.program.module(), place(moved->value, *from, wholeFrom),
                   place(moved->target, *to, wholeTo))}));
}

/// Copies a fragment to the output through shared memory: threads then store whole rows.
void addEpilogue(const Site& site, std::vector<TextKnob>& knobs) {
  const auto copy = site.program.findCall(site.statement, "copy");
  if (!copy || copy->args.size() != 3 || copy->args[1].kind != Kind::name ||
      !copy->args[2].isIndexOf()) {
    return;
  }
  const auto from = site.buffers.find(copy->args[1].text);
  const auto to = site.buffers.find(copy->args[2].args[0].text);
  if (from == site.buffers.end() || from->second.memory != "fragment" ||
      from->second.shape.size() != 2 || to == site.buffers.end() || to->second.memory != "global") {
    return;
  }
  const std::string& t = site.program.module();
  const std::string shared = site.program.freshName(copy->args[1].text + "_shared");
  const std::string indent(site.statement.indent, ' ');
  knobs.push_back(
      knobAt(site, "epilogue", "shared-memory",
             {fmt::format("{} = {}alloc_shared(({}), {})\n{}{}copy({}, {})\n{}{}copy({}, {})",
                          shared, t, join(from->second.shape, ", "), to->second.type, indent, t,
                          copy->args[1].source, shared, indent, t, shared, copy->args[2].source)}));
}

/// Moves a buffer from shared memory to registers, unless a product reads it.
void addMemory(const Site& site, std::vector<TextKnob>& knobs) {
  const auto made = site.program.assignment(site.statement);
  if (!made || made->op != "=" || made->target.kind != Kind::name ||
      site.program.calledFunction(made->value) != "alloc_shared" || site.hasComment()) {
    return;
  }
  const std::string call = fmt::format("{}alloc_shared(", site.program.module());
  const std::size_t at = site.source().find(call);
  if (site.text.contains(fmt::format("gemm({},", made->target.text)) ||
      site.text.contains(fmt::format(", {},", made->target.text)) || at == std::string_view::npos) {
    return;
  }
  knobs.push_back({.name = "memory",
                   .technique = "register-tile",
                   .value = "alloc_shared",
                   .values = {"alloc_fragment"},
                   .places = {{site.statement.begin + at + site.program.module().size(),
                               std::string_view("alloc_shared").size()}},
                   .line = site.statement.line});
}

void addSwizzle(const Site& site, std::vector<TextKnob>& knobs) {
  const std::string& text = site.statement.text;
  const bool grid = text.starts_with(fmt::format("with {}Kernel(", site.program.module())) &&
                    text.substr(std::min(text.rfind(" as "), text.size())).contains(',');
  if (!grid || site.statement.body.empty() || site.text.contains("use_swizzle(") ||
      !holdsCall(site.program, site.statement.body, "gemm")) {
    return;
  }
  const PythonStatement& first = site.statement.body[0];
  TextKnob knob{.name = "swizzle",
                .technique = "swizzle",
                .value = "",
                .values = {},
                .places = {{first.begin, 0}},
                .line = site.statement.line};
  for (const int panel : {10, 4}) {
    knob.values.push_back(fmt::format("{}use_swizzle(panel_size={})\n{}", site.program.module(),
                                      panel, std::string(first.indent, ' ')));
  }
  knobs.push_back(std::move(knob));
}

/// Visits all statements, outer ones first.
void forEachStatement(const std::vector<PythonStatement>& body,
                      const std::function<void(const PythonStatement&)>& visitor) {
  for (const PythonStatement& one : body) {
    visitor(one);
    forEachStatement(one.body, visitor);
  }
}

/// Returns false if the expression reads a written array at another place than it is written.
bool readsOnly(const PythonExpr& value, const std::map<std::string, std::string>& written) {
  if (value.isIndexOf()) {
    const auto found = written.find(value.args[0].text);
    if (found != written.end() && found->second != value.source) {
      return false;
    }
  }
  return std::ranges::all_of(value.args,
                             [&](const PythonExpr& arg) { return readsOnly(arg, written); });
}

/// Returns true if every statement of a loop over `variable` assigns array elements that only this
/// iteration accesses.
bool isIndependent(const TileProgram& program, const PythonStatement& loop,
                   const std::string& variable) {
  std::map<std::string, std::string> written;
  std::vector<PythonExpr> values;
  bool independent = true;
  forEachStatement(loop.body, [&](const PythonStatement& one) {
    if (program.loop(one)) {
      return;
    }
    auto assigned = program.assignment(one);
    if (!assigned || !assigned->target.isIndexOf()) {
      independent = false;
      return;
    }
    const PythonExpr& target = assigned->target;
    const bool own = std::any_of(target.args.begin() + 1, target.args.end(), [&](const auto& at) {
      return offsetFrom(at, variable).has_value();
    });
    const auto [place, isNew] = written.emplace(target.args[0].text, target.source);
    independent = independent && own && (isNew || place->second == target.source);
    values.push_back(std::move(assigned->value));
  });
  return independent && std::ranges::all_of(values, [&](const PythonExpr& value) {
           return readsOnly(value, written);
         });
}

}  // namespace

std::vector<TextKnob> structureKnobs(std::string_view text) {
  const TileProgram program(text);
  std::vector<TextKnob> knobs = productKnobs(program);
  const std::vector<const PythonStatement*> functions = program.kernelFunctions();
  std::map<std::string, TileBuffer> buffers;
  for (const PythonStatement* function : functions) {
    buffers.merge(program.buffersIn(*function));
  }
  forEachStatement(program.statements(), [&](const PythonStatement& statement) {
    const Site site{program, text, statement, buffers};
    addPipeline(site, knobs);
    addCopy(site, knobs);
    addEpilogue(site, knobs);
    addMemory(site, knobs);
    addSwizzle(site, knobs);
  });
  return knobs;
}

std::vector<int> independentLoops(const TileProgram& program) {
  std::vector<int> lines;
  forEachStatement(program.statements(), [&](const PythonStatement& statement) {
    const auto loop = program.loop(statement);
    if (loop && loop->variables.size() == 1 &&
        isIndependent(program, statement, loop->variables[0])) {
      lines.push_back(statement.line);
    }
  });
  return lines;
}

}  // namespace hone::kernel
