#include "split/source/text_edit.h"

#include <algorithm>

namespace hone::split {

std::string edited(std::string_view text, std::vector<Edit>& edits) {
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.place.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out.append(text.substr(at, edit.place.begin - at)).append(edit.text);
    at = edit.place.end;
  }
  return out.append(text.substr(at));
}

bool sameOutside(std::string_view before, std::string_view after, std::span<const Edit> edits) {
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.place.begin < at) {
      return false;
    }
    const std::string_view kept = before.substr(at, edit.place.begin - at);
    if (!after.starts_with(kept) || !after.substr(kept.size()).starts_with(edit.text)) {
      return false;
    }
    after.remove_prefix(kept.size() + edit.text.size());
    at = edit.place.end;
  }
  return after == before.substr(at);
}

std::string_view lineEndAt(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string indentAt(std::string_view text, std::size_t offset) {
  const std::size_t begin = lineStart(text, offset);
  const std::string_view before = text.substr(begin, offset - begin);
  return before.find_first_not_of(" \t") == std::string_view::npos ? std::string(before) : "";
}

std::size_t lineStart(std::string_view text, std::size_t offset) {
  const std::size_t end = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::size_t lineAfter(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool restOfLineIsBlank(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(offset, text.find('\n', offset) - offset);
  return rest.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace hone::split
