#include "kernel/propose/llm/llm_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <expected>
#include <optional>

#include "base/text/text.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/propose/llm/diff_answer.h"
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

constexpr auto kReasoningTags =
    std::to_array<std::string_view>({"think", "thinking", "reasoning", "thought"});

struct VisibleAnswer {
  std::string text;
  bool endsInReasoning = false;
};

/// Removes the reasoning that models write before their answer: "<think>…</think>" and similar
/// tags, also if the opening tag is part of the model's template, and the channels of gpt-oss.
VisibleAnswer dropReasoning(std::string_view text) {
  constexpr std::string_view kFinal = "<|channel|>final<|message|>";
  if (const auto final = text.rfind(kFinal); final != std::string_view::npos) {
    text.remove_prefix(final + kFinal.size());
  }
  VisibleAnswer visible;
  std::string close;  // closing tag of the current reasoning; "" outside of one
  for (const std::string& whole : splitAt(text, '\n')) {
    std::string_view line = whole;
    for (const std::string_view tag : kReasoningTags) {
      const std::string closing = fmt::format("</{}>", tag);
      if (close.empty() && trim(line).starts_with(fmt::format("<{}>", tag))) {
        close = closing;
      }
      const auto end = line.find(closing);
      if (end == std::string_view::npos) {
        continue;
      }
      if (close.empty()) {
        visible.text.clear();  // the answer began within the reasoning
      }
      if (close.empty() || close == closing) {
        close.clear();
        line = line.substr(end + closing.size());
      }
    }
    if (close.empty()) {
      visible.text += fmt::format("{}\n", line);
    }
  }
  visible.endsInReasoning = !close.empty();
  return visible;
}

bool isDiffTag(std::string_view tag) {
  const std::string_view word = tag.substr(0, tag.find_first_of(" {:,"));
  return word == "diff" || word == "patch" || word == "udiff";
}

using Code = std::expected<std::string, std::string>;

/// Returns the code if it is a whole file with the entry point of the kernel, or an error message.
Code checkFile(std::string code, const Source& kernel) {
  if (trim(code).empty()) {
    return std::unexpected("the code block is empty");
  }
  if (code.size() > kMaxCodeSize) {
    return std::unexpected(
        fmt::format("the code is too large for a kernel ({} KB)", code.size() / 1024));
  }
  if (auto wrong = entryPointError(kernel, code)) {
    return std::unexpected(*std::move(wrong));
  }
  return code;
}

/// Applies a diff to the first base that it fits. Returns the changed file, or the error for the
/// last base.
Code patchFile(const std::string& diff, std::span<const std::string> bases, const Source& kernel) {
  Code patched = std::unexpected("the diff has no base");
  for (const std::string& base : bases) {
    patched = applyDiff(base, diff);
    if (patched) {
      patched = checkFile(*std::move(patched), kernel);
    }
    if (patched) {
      break;
    }
  }
  return patched;
}

/// Returns the last complete file of a section, written out or as a diff, or an error message.
Code extractCode(const Section& section, const Source& best,
                 std::span<const std::string> diffBases) {
  if (section.blocks.empty()) {
    return std::unexpected("no fenced code block found");
  }
  std::optional<std::string> found;
  std::string reason =
      fmt::format("expected a code block in {1}, got {0}", shortened(section.blocks[0].tag, 20),
                  best.language == Language::cpp ? "C++" : "Python");
  for (std::size_t i = 0; i < section.blocks.size(); ++i) {
    const Block& block = section.blocks[i];
    const bool isPatch = isDiffTag(block.tag) || isDiff(block.code);
    if (!isPatch && !matchesLanguage(block.tag, best.language)) {
      continue;
    }
    if (section.open && i + 1 == section.blocks.size()) {
      reason = "the code block is not closed: the answer was truncated";
      continue;
    }
    std::vector<std::string> bases;
    if (found) {
      bases.push_back(*found);
    }
    bases.insert(bases.end(), diffBases.begin(), diffBases.end());
    bases.push_back(best.text);
    Code code = isPatch ? patchFile(block.code, bases, best) : checkFile(block.code, best);
    if (code) {
      found = *std::move(code);
    } else {
      reason = code.error();
    }
  }
  return found ? Code(*std::move(found)) : std::unexpected(reason);
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

std::string withoutReasoning(std::string_view text) { return dropReasoning(text).text; }

ModelAnswer readAnswer(std::string_view text, const Source& best, std::size_t maxCount,
                       std::span<const std::string> diffBases) {
  ModelAnswer answer;
  const VisibleAnswer visible = dropReasoning(text);
  const std::vector<Section> sections = splitSections(visible.text);
  for (std::size_t i = 0; i < sections.size() && answer.proposals.size() < maxCount; ++i) {
    const Section& section = sections[i];
    const std::string prefix =
        sections.size() > 1 ? fmt::format("candidate {}: ", i + 1) : std::string();
    const auto code = extractCode(section, best, diffBases);
    if (!code) {
      answer.rejected.push_back(prefix + (visible.endsInReasoning && section.blocks.empty()
                                              ? "the answer ends within its reasoning"
                                              : code.error()));
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
