#include "kernel/source/preprocessed.h"

#include <fmt/format.h>

#include <set>

#include "base/text/text.h"
#include "kernel/source/canonical_cpp.h"

namespace hone::kernel {
namespace {

/// A line marker: # LINE "FILE" FLAGS
struct LineMarker {
  std::string_view line;
  std::string file;
  std::string_view flags;
};

/// Parses a line marker; returns false for other lines.
bool parseMarker(std::string_view text, LineMarker& marker) {
  if (!text.starts_with("# ")) {
    return false;
  }
  const std::size_t open = text.find('"');
  const std::size_t close = text.rfind('"');
  marker.line = trim(text.substr(1, open == std::string_view::npos ? open : open - 1));
  if (open == std::string_view::npos || close == open || !parseInt(marker.line)) {
    return false;
  }
  marker.file.clear();
  for (std::size_t i = open + 1; i < close; ++i) {
    i += text[i] == '\\' && i + 1 < close ? 1 : 0;
    marker.file += text[i];
  }
  marker.flags = text.substr(close + 1);
  return true;
}

bool isInclude(std::string_view line) {
  return line.starts_with("#include") || line.starts_with("#import");
}

}  // namespace

Preprocessed splitPreprocessed(std::string_view output, std::string_view file,
                               std::string_view name) {
  Preprocessed parts;
  parts.unit.reserve(output.size());
  std::set<std::string> files;
  LineMarker marker;
  bool own = false;
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (parseMarker(line, marker)) {
      own = marker.file == file;
      const std::string_view shown = own ? name : std::string_view(marker.file);
      if (own) {
        parts.own += fmt::format("# {}\n", marker.line);
        parts.unit += fmt::format("# {} \"{}\"{}\n", marker.line, shown, marker.flags);
        continue;
      }
      if (!marker.file.starts_with('<')) {  // <built-in>
        files.insert(marker.file);
      }
    } else if (isInclude(line)) {  // added by -dI, no part of the translation unit
      parts.own += own ? std::string(line) + "\n" : "";
      parts.unit += '\n';
      continue;
    } else if (own) {
      const std::string same = line.empty() ? "\n" : canonicalCpp(line);
      parts.own += same;
      parts.unit += same;
      continue;
    }
    parts.unit.append(line).append("\n");
  }
  parts.files.assign(files.begin(), files.end());
  return parts;
}

}  // namespace hone::kernel
