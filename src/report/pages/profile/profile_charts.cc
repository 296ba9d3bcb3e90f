#include "report/pages/profile/profile_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "report/render/answer_text.h"

namespace hone::report {
namespace {

using model::MeasuredRoofline;
using model::ProfileRow;

/// Maximum number of bars; the table lists all.
constexpr std::size_t kMaxProfileBars = 40;

/// Returns the operation, with the tile unless it is the compiler's default; only the tile on a
/// page about one operation.
std::string rowName(const ProfileRow& row, bool alone) {
  const bool own =
      row.provider == model::kIreeProvider && row.configuration != model::kDefaultConfiguration;
  if (!own) {
    return alone && row.provider == model::kIreeProvider ? "compiler's default" : row.operation;
  }
  const std::string& tile = row.tile.empty() ? row.configuration : row.tile;
  return alone ? tile : fmt::format("{} {}", row.operation, tile);
}

bool oneOperation(const std::vector<ProfileRow>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const ProfileRow& row) {
    return row.operation == rows.front().operation;
  });
}

std::vector<std::string> collectProviders(const std::vector<ProfileRow>& rows) {
  std::vector<std::string> providers;
  for (const ProfileRow& row : rows) {
    if (std::find(providers.begin(), providers.end(), row.provider) == providers.end()) {
      providers.push_back(row.provider);
    }
  }
  return providers;
}

/// Returns the measured rooflines; for older runs one line through the bounds of the dispatches.
std::vector<Series> roofs(const std::vector<MeasuredRoofline>& rooflines,
                          const std::vector<ProfileRow>& rows) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::map<double, double> allowed;
  for (const ProfileRow& row : rows) {
    if (row.measured() && row.bytes > 0) {
      least = std::min(least, row.flops / row.bytes);
      most = std::max(most, row.flops / row.bytes);
      if (row.attainableGflops > 0) {
        allowed[row.flops / row.bytes] = row.attainableGflops;
      }
    }
  }
  std::vector<Series> roofs;
  for (const MeasuredRoofline& one : rooflines) {
    const double ridge = one.gflops / one.gbps;
    Series roof{.name = fmt::format("roofline {} ({:.0f} GFLOP/s, {:.0f} GB/s)", one.type,
                                    one.gflops, one.gbps),
                .draw = Draw::line,
                .role = Role::baseline};
    roof.x = {std::min(least, ridge) / 2, ridge, std::max(most, ridge) * 2};
    roof.y = {roof.x[0] * one.gbps, one.gflops, one.gflops};
    roofs.push_back(std::move(roof));
  }
  if (roofs.empty() && !allowed.empty()) {
    Series roof{.name = "roofline", .draw = Draw::line, .role = Role::baseline};
    for (const auto& [intensity, gflops] : allowed) {
      roof.x.push_back(intensity);
      roof.y.push_back(gflops);
    }
    roofs.push_back(std::move(roof));
  }
  return roofs;
}

}  // namespace

void addSpeeds(const std::vector<ProfileRow>& rows, Document& document) {
  std::map<std::string, std::map<std::string, const ProfileRow*>> named;
  std::map<std::string, double> longest;
  const bool alone = oneOperation(rows) && collectProviders(rows).size() == 1;
  for (const ProfileRow& row : rows) {
    if (row.measured()) {
      const std::string name = rowName(row, alone);
      named[name][row.provider] = &row;
      longest[name] = std::max(longest[name], row.timeNs);
    }
  }
  Bars bars;
  for (const auto& [name, providers] : named) {
    bars.names.push_back(name);
  }
  std::stable_sort(bars.names.begin(), bars.names.end(),
                   [&](const auto& a, const auto& b) { return longest[a] > longest[b]; });
  bars.title = alone ? fmt::format("GFLOP/s of {}", rows.front().operation)
                     : std::string("GFLOP/s by dispatch and provider");
  bars.note = "Sorted by time, longest first.";
  if (bars.names.size() > kMaxProfileBars) {
    bars.note = fmt::format("The {} longest of {} dispatches; the table lists all.",
                            kMaxProfileBars, bars.names.size());
    bars.names.resize(kMaxProfileBars);
  }
  bars.value = {"throughput", "GFLOP/s"};
  for (const std::string& provider : collectProviders(rows)) {
    Bars::Group group{.name = provider};
    for (const std::string& name : bars.names) {
      const auto found = named[name].find(provider);
      const ProfileRow* row = found == named[name].end() ? nullptr : found->second;
      const bool bounded = row != nullptr && row->highNs > 0;
      group.values.push_back(row == nullptr ? kNone : row->gflops());
      group.low.push_back(bounded ? row->flops / row->highNs : kNone);
      group.high.push_back(bounded ? row->flops / row->lowNs : kNone);
    }
    bars.groups.push_back(std::move(group));
  }
  document.add(bars);
}

void addRoofline(const std::vector<MeasuredRoofline>& rooflines,
                 const std::vector<ProfileRow>& rows, Document& document) {
  Plot plot;
  plot.title = "Roofline";
  plot.note =
      "The line is the maximum throughput of this machine: limited by memory bandwidth left of "
      "the bend, by arithmetic right of it. The distance of a dispatch to the line is its "
      "headroom.";
  plot.x = {"arithmetic intensity", "FLOP/byte", true};
  plot.y = {"throughput", "GFLOP/s", true};
  for (const std::string& provider : collectProviders(rows)) {
    Series series{.name = provider};
    for (const ProfileRow& row : rows) {
      if (row.provider == provider && row.measured() && row.bytes > 0) {
        series.x.push_back(row.flops / row.bytes);
        series.y.push_back(row.gflops());
        const bool bounded = row.lowNs > 0 && row.highNs > 0;
        series.low.push_back(bounded ? row.flops / row.highNs : kNone);
        series.high.push_back(bounded ? row.flops / row.lowNs : kNone);
        series.labels.push_back(rowName(row, false));
      }
    }
    plot.series.push_back(std::move(series));
  }
  for (Series& roof : roofs(rooflines, rows)) {
    plot.series.push_back(std::move(roof));
  }
  document.add(plot);
}

}  // namespace hone::report
