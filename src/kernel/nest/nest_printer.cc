#include "kernel/nest/nest_printer.h"

#include <fmt/format.h>

#include "base/text/text.h"

namespace hone::kernel::nest {
namespace {

int precedence(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::ternary:
      return 0;
    case Expr::Kind::binary:
      return findPrecedence(e.text).value();
    case Expr::Kind::unary:
      return 7;
    default:
      return 8;
  }
}

std::string within(const Expr& e, int least) {
  return precedence(e) < least ? fmt::format("({})", print(e)) : print(e);
}

std::string pad(int indent) { return std::string(static_cast<std::size_t>(indent), ' '); }

std::string printStep(const Stmt& loop) {
  return loop.step == number(1) ? fmt::format("++{}", loop.name)
                                : fmt::format("{} += {}", loop.name, print(loop.step));
}

std::string declaration(const Stmt& s) {
  std::string text = fmt::format("{}{} {}", s.constant ? "const " : "", s.type, s.name);
  if (s.array && s.sizeIsArgument) {
    text += s.hasValue ? fmt::format("({}, {})", print(s.size), print(s.value))
                       : fmt::format("({})", print(s.size));
  } else if (s.array) {
    text += fmt::format("[{}]", print(s.size));
  } else if (s.hasValue) {
    text += fmt::format(" = {}", print(s.value));
  }
  return text + ';';
}

void append(std::vector<std::string>& out, const std::vector<Stmt>& body, int indent) {
  for (const Stmt& inner : body) {
    for (std::string& line : printLines(inner, indent)) {
      out.push_back(std::move(line));
    }
  }
}

}  // namespace

std::string print(const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::number:
    case Expr::Kind::name:
      return e.text;
    case Expr::Kind::index:
      return fmt::format("{}[{}]", e.text, print(e.args[0]));
    case Expr::Kind::call: {
      std::vector<std::string> args;
      for (const Expr& arg : e.args) {
        args.push_back(print(arg));
      }
      return fmt::format("{}({})", e.text, join(args, ", "));
    }
    case Expr::Kind::unary: {
      const std::string operand = within(e.args[0], 7);
      return fmt::format("{}{}", e.text, operand.starts_with('-') ? "(" + operand + ")" : operand);
    }
    case Expr::Kind::binary:
      return fmt::format("{} {} {}", within(e.args[0], precedence(e)), e.text,
                         within(e.args[1], precedence(e) + 1));
    case Expr::Kind::ternary:
      return fmt::format("{} ? {} : {}", within(e.args[0], 1), print(e.args[1]), print(e.args[2]));
    case Expr::Kind::cast:
      return fmt::format("static_cast<{}>({})", e.text, print(e.args[0]));
  }
  return "";
}

std::vector<std::string> printLines(const Stmt& s, int indent) {
  std::vector<std::string> out;
  const std::string blanks = pad(indent);
  switch (s.kind) {
    case Stmt::Kind::loop:
      for (const std::string& pragma : s.lines) {
        out.push_back(blanks + pragma);
      }
      out.push_back(fmt::format("{}for ({} {} = {}; {} < {}; {}) {{", blanks, s.type, s.name,
                                print(s.from), s.name, within(s.to, 5), printStep(s)));
      append(out, s.body, indent + 2);
      out.push_back(blanks + "}");
      break;
    case Stmt::Kind::declare:
      out.push_back(blanks + declaration(s));
      break;
    case Stmt::Kind::assign:
      out.push_back(fmt::format("{}{} {} {};", blanks, print(s.target), s.op, print(s.value)));
      break;
    case Stmt::Kind::branch:
      out.push_back(fmt::format("{}if ({}) {{", blanks, print(s.value)));
      append(out, s.body, indent + 2);
      if (!s.otherwise.empty()) {
        out.push_back(blanks + "} else {");
        append(out, s.otherwise, indent + 2);
      }
      out.push_back(blanks + "}");
      break;
    case Stmt::Kind::block:
      out.push_back(blanks + "{");
      append(out, s.body, indent + 2);
      out.push_back(blanks + "}");
      break;
    case Stmt::Kind::raw:
      for (const std::string& line : s.lines) {
        out.push_back(line.empty() ? line : blanks + line);
      }
      break;
  }
  return out;
}

std::string print(const Function& function) {
  std::string text = function.before;
  for (const std::string& helper : function.helpers) {
    text += helper + "\n";
  }
  text += "extern \"C\" void kernel(";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", parameter.type, parameter.name);
  }
  text += ") {\n";
  for (const Stmt& statement : function.body) {
    for (const std::string& line : printLines(statement, 2)) {
      text += line + "\n";
    }
  }
  return text + "}" + function.after;
}

}  // namespace hone::kernel::nest
