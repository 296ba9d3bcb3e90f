#include "kernel/propose/llm/llm_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/text/text.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/source/entry_point.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kMaxTitleLength = 100;
constexpr std::size_t kMaxReasoningLength = 2'000;
constexpr std::size_t kMaxCodeSize = 200'000;

struct Block {
  std::string tag;
  std::string code;
};

struct Section {
  std::string title;
  std::string prose;
  std::vector<Block> blocks;
  bool open = false;  ///< the last block is not closed
};

/// Returns the fence at the start of a line ("```", "~~~~"); "" if there is none.
std::string_view parseFence(std::string_view line) {
  const std::string_view bare = trim(line);
  const char mark = bare.empty() ? ' ' : bare.front();
  if (mark != '`' && mark != '~') {
    return {};
  }
  const auto length = std::min(bare.find_first_not_of(mark), bare.size());
  return length >= 3 ? bare.substr(0, length) : std::string_view();
}

/// Returns the title of a heading "### Candidate 2: packing"; nothing for other lines.
std::optional<std::string> candidateHeading(std::string_view line) {
  std::string_view bare = trim(line);
  const bool marked = bare.starts_with('#') || bare.starts_with("**");
  bare.remove_prefix(std::min(bare.find_first_not_of("#* "), bare.size()));
  if (!marked || !toLower(bare).starts_with("candidate")) {
    return std::nullopt;
  }
  const auto colon = bare.find(':');
  std::string_view title = colon == std::string_view::npos ? bare : bare.substr(colon + 1);
  while (title.ends_with('*')) {
    title.remove_suffix(1);
  }
  return std::string(trim(title));
}

std::vector<Section> splitSections(std::string_view text) {
  std::vector<Section> sections(1);
  std::string fence;  // of the open block
  for (const std::string& line : splitAt(text, '\n')) {
    const std::string_view mark = parseFence(line);
    if (!fence.empty()) {
      if (mark.starts_with(fence) && trim(line) == mark) {
        fence.clear();
        sections.back().open = false;
      } else {
        sections.back().blocks.back().code += fmt::format("{}\n", line);
      }
    } else if (!mark.empty()) {
      fence = mark;
      sections.back().open = true;
      sections.back().blocks.push_back({toLower(trim(trim(line).substr(mark.size()))), ""});
    } else if (auto title = candidateHeading(line)) {
      sections.push_back({*std::move(title), "", {}, false});
    } else {
      sections.back().prose += fmt::format("{}\n", line);
    }
  }
  if (sections.size() > 1) {
    sections.erase(sections.begin());  // text before the first candidate
  }
  return sections;
}

bool matchesLanguage(std::string_view tag, Language language) {
  constexpr std::array<std::string_view, 6> kCpp = {"", "cpp", "c++", "cc", "cxx", "c"};
  constexpr std::array<std::string_view, 5> kPython = {"", "python", "py", "python3", "tilelang"};
  // "cpp title=…" is also C++.
  const std::string_view word = tag.substr(0, tag.find_first_of(" {:,"));
  const std::span<const std::string_view> tags =
      language == Language::cpp ? std::span<const std::string_view>(kCpp) : kPython;
  return std::find(tags.begin(), tags.end(), word) != tags.end();
}

/// Returns the only block of the section in the language, or an error message.
std::expected<std::string, std::string> extractCode(const Section& section, Language language) {
  if (section.blocks.empty()) {
    return std::unexpected("no fenced code block found");
  }
  if (section.open) {
    return std::unexpected("the code block is not closed: the answer was truncated");
  }
  const Block* found = nullptr;
  for (const Block& block : section.blocks) {
    if (matchesLanguage(block.tag, language)) {
      if (found != nullptr) {
        return std::unexpected("found several code blocks, expected one with the whole file");
      }
      found = &block;
    }
  }
  if (found == nullptr) {
    return std::unexpected(fmt::format("expected a code block in {1}, got {0}",
                                       shortened(section.blocks[0].tag, 20),
                                       language == Language::cpp ? "C++" : "Python"));
  }
  if (trim(found->code).empty()) {
    return std::unexpected("the code block is empty");
  }
  if (found->code.size() > kMaxCodeSize) {
    return std::unexpected(
        fmt::format("the code is too large for a kernel ({} KB)", found->code.size() / 1024));
  }
  return found->code;
}

std::string firstLine(std::string_view text) {
  for (const std::string& line : splitAt(text, '\n')) {
    if (!trim(line).empty()) {
      return std::string(trim(line));
    }
  }
  return "";
}

/// Returns the keys of a line "Techniques: packing, register-tile".
std::vector<std::string> techniquesIn(std::string_view prose) {
  constexpr std::string_view kLabel = "techniques:";
  std::vector<std::string> techniques;
  for (const std::string& line : splitAt(prose, '\n')) {
    std::string small = toLower(line);
    std::erase_if(small, [](char c) { return c == '*' || c == '`'; });
    if (!trim(small).starts_with(kLabel)) {
      continue;
    }
    for (const std::string& part : splitAt(trim(small).substr(kLabel.size()), ',')) {
      const std::string_view key = trim(part);
      const bool plain = !key.empty() && key.size() <= 40 &&
                         std::all_of(key.begin(), key.end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '-' || c == ' ';
                         });
      if (plain) {
        techniques.emplace_back(key);
        std::replace(techniques.back().begin(), techniques.back().end(), ' ', '-');
      }
    }
  }
  return techniques;
}

}  // namespace

std::optional<std::string> entryPointError(const Source& kernel, std::string_view code) {
  if (kernel.language == Language::tilelang) {
    return code.contains("class ModelNew") ? std::nullopt
                                           : std::optional<std::string>("no class ModelNew found");
  }
  const auto point = findEntryPoint(code);
  if (!point) {
    return "no function kernel(...) found";
  }
  if (!point->externC) {
    return "kernel(...) is not extern \"C\"";
  }
  const auto expected = findEntryPoint(kernel.text);
  if (expected && expected->types != point->types) {
    return fmt::format("expected kernel({}), got kernel({})", join(expected->types, ", "),
                       shortened(join(point->types, ", "), 200));
  }
  return std::nullopt;
}

ModelAnswer readAnswer(std::string_view text, const Source& best, std::size_t maxCount) {
  ModelAnswer answer;
  const std::vector<Section> sections = splitSections(text);
  for (std::size_t i = 0; i < sections.size() && answer.proposals.size() < maxCount; ++i) {
    const Section& section = sections[i];
    const std::string prefix =
        sections.size() > 1 ? fmt::format("candidate {}: ", i + 1) : std::string();
    const auto code = extractCode(section, best.language);
    if (!code) {
      answer.rejected.push_back(prefix + code.error());
      continue;
    }
    if (const auto wrong = entryPointError(best, *code)) {
      answer.rejected.push_back(prefix + *wrong);
      continue;
    }
    Proposal proposal;
    proposal.source = best;
    proposal.source.text = *code;
    if (proposal.source.key() == best.key()) {
      answer.rejected.push_back(prefix + "the code is identical to the current kernel");
      continue;
    }
    // Only the user may restrict a kernel to fixed sizes.
    if (hasFixedSizes(proposal.source) && !hasFixedSizes(best)) {
      answer.rejected.push_back(
          prefix +
          "remove the line 'hone: fixed sizes': the kernel must also be correct for other sizes");
      continue;
    }
    const std::string title = section.title.empty() ? firstLine(section.prose) : section.title;
    proposal.title = shortened(title.empty() ? "untitled candidate" : title, kMaxTitleLength);
    proposal.techniques = techniquesIn(section.prose);
    proposal.reasoning = shortened(trim(section.prose), kMaxReasoningLength);
    answer.proposals.push_back(std::move(proposal));
  }
  return answer;
}

}  // namespace hone::kernel
