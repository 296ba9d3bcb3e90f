#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hone::report {

/// A value of a plot or table that was not measured.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
[[nodiscard]] inline double orNone(const std::optional<double>& number) {
  return number.value_or(kNone);
}

// The braces keep g++ from warning where only some members are named.
// NOLINTBEGIN(readability-redundant-member-init)

/// What an axis or a column counts in. Of the unit "ns" the page makes "12.3 ms", of "x" "1.52x",
/// of all others a number with the unit behind it; "" is a plain number.
struct Axis {
  std::string label{};
  std::string unit{};
  bool log = false;
  std::vector<double> ticks{};  ///< where the marks are; none: the page chooses
};

/// How the points of a series are drawn; every one has a shape of its own besides its colour.
enum class Draw : std::uint8_t { points, line, steps };
/// What a series is in the story: it decides the colour and the shape.
enum class Role : std::uint8_t { plain, baseline, winner, failed, faint };

/// Points of one kind. Shorter lists mean that nothing is known: no interval, no label.
struct Series {
  std::string name{};
  std::vector<double> x{}, y{};
  std::vector<double> low{}, high{};  ///< the interval around y
  std::vector<std::string> labels{};  ///< what the hover says first
  Draw draw = Draw::points;
  Role role = Role::plain;
};

/// A line right across a plot: the baseline, a limit.
struct Rule {
  enum class Of : std::uint8_t { x, y };
  Of of = Of::y;
  double at = 0;
  std::string label{};
};

/// A part of the plane with a name in it; infinite sides lie at the plot's edge.
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

/// Bars beside each other for every name, or one after the other. They lie on their side, for names
/// are long.
struct Bars {
  struct Group {
    std::string name{};
    std::vector<double> values{};  ///< one a name; NaN where there is none
    std::vector<double> low{}, high{};
    Role role = Role::plain;
  };
  std::string title{}, note{};
  Axis value{};
  std::vector<std::string> names{};
  std::vector<Group> groups{};
  bool stacked = false;
  double base = 0;              ///< where the bars begin: 1 for speedups
  std::vector<double> rules{};  ///< values to draw a line at
};

/// A colour for every cell; the marked cell of a row is its best.
struct HeatMap {
  std::string title{}, note{};
  std::string xLabel{}, yLabel{};
  std::vector<std::string> columns{}, rows{};
  Axis value{};
  std::vector<std::vector<double>> cells{};  ///< [row][column]; NaN where there is none
  std::vector<std::int64_t> marked{};  ///< the column of each row's mark; -1 where there is none
};

/// Every candidate as a line over the knobs; the last axis is what it led to.
struct ParallelCoordinates {
  struct Knob {
    Axis axis{};
    std::vector<double> values{};  ///< one a candidate; NaN where it has none
  };
  std::string title{}, note{};
  std::vector<Knob> knobs{};
  std::int64_t winner = -1;  ///< its number among the candidates
};

/// Columns rather than rows: small, and quick to sort.
struct DataTable {
  struct Column {
    std::string name{};
    std::string unit{};             ///< as of an axis; only for numbers
    std::vector<double> numbers{};  ///< one of the two
    std::vector<std::string> texts{};
    const char* leadsTo = nullptr;  ///< the begin of an address that each value ends
  };
  std::string title{}, note{};
  std::vector<Column> columns{};
  std::string empty = "Nothing to show.";  ///< said in the place of a table without rows
  bool folded = false;

  [[nodiscard]] std::size_t rows() const;
};

/// Words, code or a diff, its lines kept.
struct TextBlock {
  enum class Form : std::uint8_t { words, code, diff };
  std::string title{}, text{};
  Form form = Form::words;
  bool folded = false;
};

// NOLINTEND(readability-redundant-member-init)

struct Tabs;

/// What a page shows below its answer, in order.
class Parts {
 public:
  void heading(const std::string& text);
  void add(const Plot& plot);
  void add(const Bars& bars);
  void add(const HeatMap& map);
  void add(const ParallelCoordinates& lines);
  void add(const DataTable& table);
  void add(const TextBlock& text);
  void add(const Tabs& tabs);
  /// All parts of another, after these.
  void append(const Parts& others);
  [[nodiscard]] const nlohmann::json& list() const { return list_; }

 private:
  nlohmann::json list_ = nlohmann::json::array();
};

/// Parts of which one tab is seen at a time.
struct Tabs {
  std::string title;
  std::vector<std::pair<std::string, Parts>> tabs;
};

/// The first thing to be read: what got faster, by how much, how sure.
struct Answer {
  enum class Tone : std::uint8_t { good, plain, bad };
  std::string headline;
  std::vector<std::string> lines;
  Tone tone = Tone::plain;
};

/// What a page says, as data. The page's script draws it; nothing in here is markup, and all of it
/// may come from a stranger.
class Document : public Parts {
 public:
  std::string title;
  Answer answer;
  std::vector<std::pair<std::string, std::string>> facts;

  [[nodiscard]] nlohmann::json json() const;
};

}  // namespace hone::report
