#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stats/compare.h"

namespace hone::report {

/// Marks a value of a plot or table that was not measured.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
[[nodiscard]] inline double orNone(const std::optional<double>& number) {
  return number.value_or(kNone);
}

// The braces silence g++ warnings about designated initializers that omit members.

/// Label and unit of an axis or column. The page shows unit "ns" as "12.3 ms" and "x" as "1.52x".
/// Other units follow the number; "" is a plain number.
struct Axis {
  std::string label{};
  std::string unit{};
  bool log = false;
  std::vector<double> ticks{};  ///< tick positions; empty: chosen by the page
};

/// Drawing style of a series. Each series has a distinct shape in addition to its colour.
enum class Draw : std::uint8_t { points, line, steps };
/// Meaning of a series; selects colour and shape.
enum class Role : std::uint8_t { plain, baseline, winner, failed, faint };

/// Points of one kind. Empty `low`, `high` and `labels` mean no interval and no label.
struct Series {
  std::string name{};
  std::vector<double> x{}, y{};
  std::vector<double> low{}, high{};  ///< bounds of the interval around y
  std::vector<std::string> labels{};  ///< first line of the tooltip
  Draw draw = Draw::points;
  Role role = Role::plain;
};

/// Line across the whole plot, such as the baseline or a limit.
struct Rule {
  enum class Coordinate : std::uint8_t { x, y };
  Coordinate coordinate = Coordinate::y;
  double at = 0;
  std::string label{};
};

/// Labelled rectangle; infinite sides extend to the edge of the plot.
struct Region {
  double left = 0, right = 0, bottom = 0, top = 0;
  std::string label{};
};

struct Plot {
  std::string title{}, note{};
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<Rule> rules{};
  std::vector<Region> regions{};
};

/// Horizontal bars, grouped or stacked per name. Horizontal because names are long.
struct Bars {
  struct Group {
    std::string name{};
    std::vector<double> values{};  ///< one per name; NaN if missing
    std::vector<double> low{}, high{};
    Role role = Role::plain;
  };
  std::string title{}, note{};
  Axis value{};
  std::vector<std::string> names{};
  std::vector<Group> groups{};
  bool stacked = false;
  double base = 0;              ///< start of the bars; 1 for speedups
  std::vector<double> rules{};  ///< values to draw a line at
};

/// Grid of coloured cells; the marked cell of a row is its best.
struct HeatMap {
  std::string title{}, note{};
  std::string xLabel{}, yLabel{};
  std::vector<std::string> columns{}, rows{};
  Axis value{};
  std::vector<std::vector<double>> cells{};  ///< [row][column]; NaN if missing
  std::vector<std::int64_t> marked{};        ///< marked column per row; -1 for none
};

/// One line per candidate over the knob axes; the last axis is the result.
struct ParallelCoordinates {
  struct Knob {
    Axis axis{};
    std::vector<double> values{};  ///< one per candidate; NaN if unset
  };
  std::string title{}, note{};
  std::vector<Knob> knobs{};
  std::int64_t winner = -1;  ///< index of the winning candidate; -1 for none
};

/// Directed graph with its nodes in rows, drawn from top to bottom.
struct Graph {
  struct Node {
    std::string label{}, detail{};
    std::size_t row = 0, column = 0;  ///< see layOutGraph()
    Role role = Role::plain;
  };
  struct Edge {
    std::size_t from = 0, to = 0;  ///< node indices
    std::string label{};
  };
  std::string title{}, note{};
  std::vector<Node> nodes{};
  std::vector<Edge> edges{};
};

/// Column-oriented table: compact, and cheap to sort.
struct DataTable {
  struct Column {
    std::string name{};
    std::string unit{};             ///< as in Axis; numbers only
    std::vector<double> numbers{};  ///< either numbers or texts
    std::vector<std::string> texts{};
    const char* leadsTo = nullptr;  ///< URL prefix; the value completes it
  };
  std::string title{}, note{};
  std::vector<Column> columns{};
  std::string empty = "Nothing to show.";  ///< shown instead of a table without rows
  bool folded = false;

  [[nodiscard]] std::size_t rows() const;
  /// Appends an interval to three columns, the first of which is `column`: estimate, low, high.
  void addInterval(std::size_t column, const stats::Interval& interval);
};

/// Preformatted prose, code or diff.
struct TextBlock {
  enum class Form : std::uint8_t { words, code, diff };
  std::string title{}, text{};
  Form form = Form::words;
  bool folded = false;
};

struct Tabs;

/// Ordered parts of a page below its answer.
class Parts {
 public:
  void heading(const std::string& text);
  void add(const Plot& plot);
  void add(const Bars& bars);
  void add(const HeatMap& map);
  void add(const ParallelCoordinates& lines);
  void add(const Graph& graph);
  void add(const DataTable& table);
  void add(const TextBlock& text);
  void add(const Tabs& tabs);
  /// Appends all parts of `others`.
  void append(const Parts& others);
  [[nodiscard]] const nlohmann::json& list() const { return list_; }

 private:
  nlohmann::json list_ = nlohmann::json::array();
};

/// Tabs, one visible at a time.
struct Tabs {
  std::string title;
  std::vector<std::pair<std::string, Parts>> tabs;
};

/// Top of a page: which item is faster, by how much, with which confidence.
struct Answer {
  enum class Tone : std::uint8_t { good, plain, bad };
  std::string headline;
  std::vector<std::string> lines;
  Tone tone = Tone::plain;
};

/// Contents of a page as data, drawn by the page's script. Contains no markup; every string is
/// untrusted.
class Document : public Parts {
 public:
  std::string title;
  Answer answer;
  std::vector<std::pair<std::string, std::string>> facts;

  [[nodiscard]] nlohmann::json json() const;
};

}  // namespace hone::report
