#include "kernel/nest/rewrite/one_pass_statistics.h"

#include <algorithm>
#include <optional>

#include "kernel/nest/affine.h"
#include "kernel/nest/dependence.h"
#include "kernel/nest/nest_walk.h"

namespace hone::kernel::nest {
namespace {

struct Step {
  std::string sum;  ///< the accumulator
  Expr added;
};

/// Returns the only `s += e` of the loop, with the scalars declared before it inlined.
std::optional<Step> onlyStep(const Stmt& loop) {
  std::vector<Stmt> body = loop.body;
  while (body.size() > 1 && body.front().kind == Stmt::Kind::declare && body.front().hasValue &&
         !body.front().array) {
    const Stmt first = body.front();
    body.erase(body.begin());
    substitute(body, first.name, first.value);
  }
  if (body.size() != 1 || body[0].kind != Stmt::Kind::assign || body[0].op != "+=" ||
      body[0].target.kind != Expr::Kind::name) {
    return std::nullopt;
  }
  return Step{body[0].target.text, body[0].value};
}

/// The positions of the statements that compute mean and variance.
struct Match {
  std::size_t sumLoop = 0;
  std::size_t mean = 0;
  std::size_t squareLoop = 0;
  std::string sum;
  std::string squares;
  Expr element;  ///< in terms of the first loop's variable
  Expr count;
};

/// Returns the number of reads of the scalar.
std::size_t countReads(const std::vector<Stmt>& body, const std::string& scalar) {
  std::size_t count = 0;
  visit(body, [&](const Expr& e, bool written) {
    count += e.kind == Expr::Kind::name && e.text == scalar && !written ? 1 : 0;
  });
  return count;
}

/// Returns true if the body declares the scalar with the value 0.
bool startsAtZero(const std::vector<Stmt>& body, const std::string& scalar) {
  return std::ranges::any_of(body, [&](const Stmt& s) {
    return s.kind == Stmt::Kind::declare && s.name == scalar && s.hasValue &&
           s.value.kind == Expr::Kind::number &&
           s.value.text.find_first_not_of("0.fF") == std::string::npos;
  });
}

std::optional<Match> matchAt(const std::vector<Stmt>& body, std::size_t first, std::size_t second) {
  const auto sum = onlyStep(body[first]);
  const auto squares = onlyStep(body[second]);
  if (!sum || !squares || sum->added.kind != Expr::Kind::index ||
      !sameRange(body[first], body[second]) || !startsAtZero(body, sum->sum) ||
      !startsAtZero(body, squares->sum)) {
    return std::nullopt;
  }
  Match found{first, 0, second, sum->sum, squares->sum, sum->added, {}};
  for (std::size_t i = first + 1; i < second; ++i) {
    const Stmt& s = body[i];
    if (s.kind != Stmt::Kind::declare) {
      return std::nullopt;
    }
    if (s.hasValue && s.value.kind == Expr::Kind::binary && s.value.text == "/" &&
        s.value.args[0] == name(sum->sum)) {
      found.mean = i;
      found.count = s.value.args[1];
    }
  }
  if (found.mean == 0) {
    return std::nullopt;
  }
  Expr element = sum->added;
  substitute(element, body[first].name, name(body[second].name));
  const Expr off = binary("-", element, name(body[found.mean].name));
  const auto count =
      toPolynomial(found.count.kind == Expr::Kind::cast ? found.count.args[0] : found.count);
  const auto to = toPolynomial(body[first].to);
  const auto from = toPolynomial(body[first].from);
  // The sum is read only by its accumulation and the mean.
  if (squares->added != binary("*", off, off) || !count || !to || !from ||
      to->plus(*from, -1) != *count || countReads(body, sum->sum) != 2) {
    return std::nullopt;
  }
  return found;
}

void join(Function& function, std::vector<Stmt>& body, const Match& found) {
  const std::string first = freshName(function, "first");
  const std::string off = freshName(function, "off");
  Expr element = found.element;
  substitute(element, body[found.sumLoop].name, body[found.sumLoop].from);
  Stmt shift = declare("float", first, std::move(element));
  shift.constant = true;

  std::vector<Stmt> result(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(found.sumLoop));
  result.push_back(std::move(shift));
  for (std::size_t i = found.sumLoop + 1; i < found.squareLoop; ++i) {
    if (i != found.mean && body[i].name == found.squares) {
      result.push_back(body[i]);
    }
  }
  Stmt loop = body[found.sumLoop];
  Stmt difference = declare("float", off, binary("-", found.element, name(first)));
  difference.constant = true;
  loop.body = {std::move(difference), assign(name(found.sum), "+=", name(off)),
               assign(name(found.squares), "+=", binary("*", name(off), name(off)))};
  result.push_back(std::move(loop));
  for (std::size_t i = found.sumLoop + 1; i < found.squareLoop; ++i) {
    if (i == found.mean || body[i].name != found.squares) {
      result.push_back(body[i]);
    }
    if (i == found.mean) {
      result.back().value = binary("+", name(first), body[i].value);
    }
  }
  result.push_back(assign(name(found.squares), "-=",
                          binary("/", binary("*", name(found.sum), name(found.sum)), found.count)));
  result.insert(result.end(), body.begin() + static_cast<std::ptrdiff_t>(found.squareLoop) + 1,
                body.end());
  body = std::move(result);
}

}  // namespace

bool onePassStatistics(Function& function, const Knobs& /*knobs*/) {
  bool changed = false;
  visitBodies(function.body, [&](std::vector<Stmt>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (std::size_t k = i + 1; k < body.size(); ++k) {
        if (body[i].kind != Stmt::Kind::loop || body[k].kind != Stmt::Kind::loop) {
          continue;
        }
        if (const auto found = matchAt(body, i, k)) {
          join(function, body, *found);
          changed = true;
        }
      }
    }
  });
  return changed;
}

}  // namespace hone::kernel::nest
