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

constexpr std::size_t kLongestTitle = 100;
constexpr std::size_t kLongestReasoning = 2'000;
constexpr std::size_t kLargestCode = 200'000;

struct Block {
  std::string tag;
  std::string code;
};

struct Section {
  std::string title;
  std::string prose;
  std::vector<Block> blocks;
  bool open = false;  ///< its last block has no end
};

/// The fence that a line begins with ("```", "~~~~"); "" where it is none.
std::string_view fenceOf(std::string_view line) {
  const std::string_view bare = trim(line);
  const char mark = bare.empty() ? ' ' : bare.front();
  if (mark != '`' && mark != '~') {
    return {};
  }
  const auto length = std::min(bare.find_first_not_of(mark), bare.size());
  return length >= 3 ? bare.substr(0, length) : std::string_view();
}

/// The title of a heading "### Candidate 2: packing"; nothing for other lines.
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

std::vector<Section> sectionsOf(std::string_view text) {
  std::vector<Section> sections(1);
  std::string fence;  // of the block that is open
  for (const std::string& line : splitAt(text, '\n')) {
    const std::string_view mark = fenceOf(line);
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
    sections.erase(sections.begin());  // what is said before the first of them
  }
  return sections;
}

bool isOfLanguage(std::string_view tag, Language language) {
  constexpr std::array<std::string_view, 6> kCpp = {"", "cpp", "c++", "cc", "cxx", "c"};
  constexpr std::array<std::string_view, 5> kPython = {"", "python", "py", "python3", "tilelang"};
  // "cpp title=…" is C++, too.
  const std::string_view word = tag.substr(0, tag.find_first_of(" {:,"));
  const std::span<const std::string_view> tags =
      language == Language::cpp ? std::span<const std::string_view>(kCpp) : kPython;
  return std::find(tags.begin(), tags.end(), word) != tags.end();
}

/// The one block of the section that is in the language, or why there is none.
std::expected<std::string, std::string> codeOf(const Section& section, Language language) {
  if (section.blocks.empty()) {
    return std::unexpected("there is no fenced code block in it, only prose");
  }
  if (section.open) {
    return std::unexpected("its code block has no end: the answer was cut off");
  }
  const Block* found = nullptr;
  for (const Block& block : section.blocks) {
    if (isOfLanguage(block.tag, language)) {
      if (found != nullptr) {
        return std::unexpected("it has several code blocks: one whole file is wanted");
      }
      found = &block;
    }
  }
  if (found == nullptr) {
    return std::unexpected(fmt::format("its code block is in {}, not in {}",
                                       shortened(section.blocks[0].tag, 20),
                                       language == Language::cpp ? "C++" : "Python"));
  }
  if (trim(found->code).empty()) {
    return std::unexpected("its code block is empty");
  }
  if (found->code.size() > kLargestCode) {
    return std::unexpected(
        fmt::format("its code has {} KB: that is no kernel", found->code.size() / 1024));
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

/// The keys of a line "Techniques: packing, register-tile".
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

std::optional<std::string> wrongEntryPoint(const Source& kernel, std::string_view code) {
  if (kernel.language == Language::tilelang) {
    return code.contains("class ModelNew")
               ? std::nullopt
               : std::optional<std::string>("it has no class ModelNew: it is another file");
  }
  const auto point = entryPointOf(code);
  if (!point) {
    return "it has no function kernel(...): it is another file";
  }
  if (!point->externC) {
    return "its kernel(...) is not extern \"C\"";
  }
  const auto wanted = entryPointOf(kernel.text);
  if (wanted && wanted->types != point->types) {
    return fmt::format("its kernel takes ({}), not ({})", shortened(join(point->types, ", "), 200),
                       join(wanted->types, ", "));
  }
  return std::nullopt;
}

ModelAnswer readAnswer(std::string_view text, const Source& best, std::size_t most) {
  ModelAnswer answer;
  const std::vector<Section> sections = sectionsOf(text);
  for (std::size_t i = 0; i < sections.size() && answer.proposals.size() < most; ++i) {
    const Section& section = sections[i];
    const std::string who =
        sections.size() > 1 ? fmt::format("candidate {}: ", i + 1) : std::string();
    const auto code = codeOf(section, best.language);
    if (!code) {
      answer.refused.push_back(who + code.error());
      continue;
    }
    if (const auto wrong = wrongEntryPoint(best, *code)) {
      answer.refused.push_back(who + *wrong);
      continue;
    }
    Proposal proposal;
    proposal.source = best;
    proposal.source.text = *code;
    if (proposal.source.key() == best.key()) {
      answer.refused.push_back(who + "it is the kernel as it was");
      continue;
    }
    // Whether a kernel must be right for other sizes is for the user to say.
    if (hasFixedSizes(proposal.source) && !hasFixedSizes(best)) {
      answer.refused.push_back(
          who + "it has the line 'hone: fixed sizes': it must be right for other sizes, too");
      continue;
    }
    const std::string title = section.title.empty() ? firstLine(section.prose) : section.title;
    proposal.title = shortened(title.empty() ? "the model's answer" : title, kLongestTitle);
    proposal.techniques = techniquesIn(section.prose);
    proposal.reasoning = shortened(trim(section.prose), kLongestReasoning);
    answer.proposals.push_back(std::move(proposal));
  }
  return answer;
}

}  // namespace hone::kernel
