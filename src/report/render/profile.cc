#include "report/render/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/text/csv.h"
#include "base/text/text.h"
#include "report/render/table.h"

namespace hone::report {
namespace {

using model::ProfileRow;

constexpr std::string_view kRule =
    "---------------------------------------------------------------- ";
constexpr std::size_t kArgumentsPerLine = 7;
constexpr std::string_view kIndent = "                ";

std::string findArgument(const ProfileRow& row, std::string_view name) {
  const auto at = std::find_if(row.arguments.begin(), row.arguments.end(),
                               [&](const auto& argument) { return argument.first == name; });
  return at == row.arguments.end() ? "" : at->second;
}

std::string argumentsText(const ProfileRow& row, std::size_t perLine = SIZE_MAX) {
  std::string text;
  for (std::size_t i = 0; i < row.arguments.size(); ++i) {
    if (i > 0) {
      text += i % perLine == 0 ? fmt::format("\n{}", kIndent) : " ";
    }
    text += fmt::format("--{}={}", row.arguments[i].first, row.arguments[i].second);
  }
  return text;
}

/// Converts "batch_matmul" to "OperationKind.BatchMatmul"; the profiler wrote SplitkMatmul.
std::string kindText(std::string_view kind) {
  std::string text;
  for (const std::string& word :
       splitAt(kind.starts_with("split_k_") ? fmt::format("splitk_{}", kind.substr(8))
                                            : std::string(kind),
               '_')) {
    text += word;
    text[text.size() - word.size()] = static_cast<char>(
        std::toupper(static_cast<unsigned char>(text[text.size() - word.size()])));
  }
  return fmt::format("OperationKind.{}", text);
}

std::string number(const ProfileRow& row, double value, int digits) {
  return row.measured() ? fmt::format("{:.{}f}", value, digits) : "";
}

std::string shareText(const ProfileRow& row) {
  return row.measured() && row.attainableGflops > 0
             ? fmt::format("{:.1f}", 100 * row.rooflineShare())
             : "";
}

bool isIree(const ProfileRow& row) { return row.provider == model::kIreeProvider; }

/// Abbreviates the verification status for tables.
std::string checkText(const ProfileRow& row) {
  return row.verification == "SUCCESS" ? "ok" : row.verification == "FAILED" ? "FAILED" : "-";
}

std::string shortConfiguration(const ProfileRow& row) {
  constexpr std::string_view kPrefix = "tile_config_";
  return row.configuration.starts_with(kPrefix) ? row.configuration.substr(kPrefix.size())
                                                : row.configuration;
}

constexpr double kMs = 1e6;

/// Formats milliseconds, with more digits for short times.
std::string milliseconds(double nanoseconds) {
  return fmt::format("{:.{}f}", nanoseconds / kMs, nanoseconds < kMs / 100 ? 6 : 3);
}

std::vector<std::string> headings(const Tags& tags) {
  std::vector<std::string> names;
  for (const auto& [key, value] : tags) {
    names.push_back(key);
  }
  for (const char* name : {"Provider",
                           "op_kind",
                           "Operation",
                           "bytes",
                           "flops",
                           "batch_count",
                           "m",
                           "n",
                           "k",
                           "lhs",
                           "rhs",
                           "result",
                           "split_k_mode",
                           "split_k_slices",
                           "Tile config",
                           "Core class",
                           "Instruction class",
                           "Verification",
                           "Runtime(ms)",
                           "GFLOPs",
                           "Dispatch",
                           "Configuration",
                           "Low(ms)",
                           "High(ms)",
                           "Rounds",
                           "GB/s",
                           "Roofline(%)",
                           "Arguments",
                           "Target",
                           "Device",
                           "Message"}) {
    names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> cells(const ProfileRow& row, const Tags& tags) {
  std::vector<std::string> values;
  for (const auto& [key, value] : tags) {
    values.push_back(value);
  }
  for (const std::string& value : {row.provider,
                                   row.opKind,
                                   row.operation,
                                   fmt::format("{:.0f}", row.bytes),
                                   fmt::format("{:.0f}", row.flops),
                                   findArgument(row, "batch_count"),
                                   findArgument(row, "m"),
                                   findArgument(row, "n"),
                                   findArgument(row, "k"),
                                   findArgument(row, "lhs"),
                                   findArgument(row, "rhs"),
                                   findArgument(row, "result"),
                                   findArgument(row, "split_k_mode"),
                                   findArgument(row, "split_k_slices"),
                                   row.tile,
                                   row.coreClass,
                                   row.instructionClass,
                                   row.verification,
                                   number(row, row.timeNs / kMs, 6),
                                   number(row, row.gflops(), 2),
                                   row.dispatch,
                                   row.configuration,
                                   number(row, row.lowNs / kMs, 6),
                                   number(row, row.highNs / kMs, 6),
                                   row.measured() ? std::to_string(row.rounds) : "",
                                   number(row, row.gbps(), 2),
                                   shareText(row),
                                   argumentsText(row),
                                   row.target,
                                   row.device,
                                   row.message}) {
    values.push_back(value);
  }
  return values;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML 1.0 cannot represent other control characters.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

}  // namespace

Result<Tags> tagsFrom(std::string_view text) {
  Tags tags;
  std::set<std::string> keys;
  for (const std::string& part : splitAt(text, ',')) {
    if (trim(part).empty()) {
      continue;
    }
    const auto colon = part.find(':');
    if (colon == std::string::npos || colon == 0) {
      return userError(
          "--tags: expected key:value, got '{}'; for example --tags branch:main,cpu:zen4", part);
    }
    tags.emplace_back(trim(part.substr(0, colon)), trim(part.substr(colon + 1)));
    if (!keys.insert(tags.back().first).second) {
      return userError("--tags: duplicate key '{}'", tags.back().first);
    }
  }
  return tags;
}

std::string profileBlock(const ProfileRow& row) {
  std::string text = fmt::format("{}\n", kRule);
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<14}: {}\n", name, value);
  };
  line("Dispatch", row.dispatch);
  line("Provider", row.provider);
  line("OpKind", kindText(row.opKind));
  line("Operation", row.operation);
  line("Configuration", row.configuration);
  line("Arguments", argumentsText(row, kArgumentsPerLine));
  line("Verification", row.verification);
  if (row.measured()) {
    line("Runtime(ms)", milliseconds(row.timeNs));
    line("GFLOPs", fmt::format("{:.2f}", row.gflops()));
    line("95% interval", fmt::format("{} - {} ms, {} rounds", milliseconds(row.lowNs),
                                     milliseconds(row.highNs), row.rounds));
    line("GB/s", fmt::format("{:.2f}", row.gbps()));
  }
  if (const std::string share = shareText(row); !share.empty()) {
    line("Roofline", fmt::format("{} % of {:.0f} GFLOPs", share, row.attainableGflops));
  }
  if (!row.message.empty()) {
    line("Message", row.message);
  }
  return text;
}

std::string profileTable(std::span<const ProfileRow> rows, std::size_t width) {
  // With one configuration per operation, configurations need no separate lines.
  const bool configured = std::any_of(rows.begin(), rows.end(), [](const ProfileRow& row) {
    return isIree(row) && row.configuration != model::kDefaultConfiguration;
  });
  const bool providers = !std::all_of(rows.begin(), rows.end(), isIree);
  std::vector<Column> columns = {{"operation", Align::left, 20}, {"check", Align::left},
                                 {"time", Align::right},         {"+-", Align::right},
                                 {"GFLOPs", Align::right},       {"GB/s", Align::right},
                                 {"roof", Align::right}};
  if (providers) {
    columns.insert(columns.begin() + 1, {"provider", Align::left});
  }
  Table table(columns);
  std::string_view operation;
  for (const ProfileRow& row : rows) {
    if (configured && row.operation != operation) {
      table.add({row.operation});
    }
    operation = row.operation;
    const double spread = row.measured() ? 50 * (row.highNs - row.lowNs) / row.timeNs : 0;
    const std::string share = shareText(row);
    std::vector<std::string> line = {
        configured ? fmt::format("  {}", shortConfiguration(row)) : row.operation,
        checkText(row),
        row.measured() ? humanTime(row.timeNs) : "-",
        row.measured() ? fmt::format("{:.1f} %", spread) : "",
        number(row, row.gflops(), 1),
        number(row, row.gbps(), 1),
        share.empty() ? "" : fmt::format("{} %", share)};
    if (providers) {
      line.insert(line.begin() + 1, isIree(row) ? "IREE" : row.provider);
    }
    table.add(std::move(line));
  }
  return table.text(width);
}

std::string profileCsv(std::span<const ProfileRow> rows, const Tags& tags) {
  CsvWriter csv;
  csv.row(headings(tags));
  for (const ProfileRow& row : rows) {
    csv.row(cells(row, tags));
  }
  return csv.text();
}

Result<std::string> appendedCsv(const std::string& before, std::span<const ProfileRow> rows,
                                const Tags& tags) {
  std::string all = profileCsv(rows, tags);
  if (before.empty()) {
    return all;
  }
  const std::string heading = all.substr(0, all.find('\n') + 1);
  if (!before.starts_with(heading)) {
    return userError("its columns differ; use the same --tags or another file");
  }
  return before + (before.ends_with('\n') ? "" : "\n") + all.substr(heading.size());
}

std::string profileJunit(std::span<const ProfileRow> rows) {
  const auto failures =
      std::count_if(rows.begin(), rows.end(), [](const ProfileRow& row) { return row.failed(); });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"hone profile\" tests=\"{}\" failures=\"{}\">\n",
      rows.size(), failures);
  for (const ProfileRow& row : rows) {
    text += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"",
                        escaped(row.provider), escaped(row.dispatch), row.timeNs / 1e9);
    if (row.failed()) {
      text +=
          fmt::format(">\n    <failure message=\"{}\"/>\n  </testcase>\n", escaped(row.message));
    } else if (row.verification != "SUCCESS") {
      text += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n",
                          escaped(row.verification));
    } else {
      text += "/>\n";
    }
  }
  return text + "</testsuite>\n";
}

}  // namespace hone::report
