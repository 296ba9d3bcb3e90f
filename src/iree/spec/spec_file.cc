#include "iree/spec/spec_file.h"

#include <re2/re2.h>
#include <re2/stringpiece.h>

#include "base/hash.h"
#include "base/text/text.h"
#include "iree/mlir/mlir_file.h"
#include "iree/spec/upgrade/spec_upgrade.h"

namespace hone::iree {
namespace {

/// Describes why the compiler rejects a spec, and names syntax of another compiler version.
Error notASpec(const std::filesystem::path& file, std::string_view text,
               const CompileReport& report) {
  const bool parsed = report.status != CompileReport::Status::badSource;
  std::string message = fmt::format("{} is not a tuning spec that this compiler accepts: {}",
                                    file.string(), report.message);
  if (const std::string old = parsed ? "" : findOldSyntax(text); !old.empty()) {
    message += fmt::format(
        "; it was written for another version of the compiler ({}): run hone spec upgrade {}", old,
        file.string());
  }
  return {Fault::user, std::move(message)};
}

/// Returns the text between the first `open` and the last `close`.
std::string_view inside(std::string_view text, char open, char close) {
  const auto begin = text.find(open);
  const auto end = text.rfind(close);
  return begin == std::string_view::npos || end == std::string_view::npos || end <= begin
             ? text
             : text.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::map<std::string, std::string> commentsIn(std::string_view text) {
  static const RE2 kSequence(R"re(@"?([\w$.-]+)"?\s*\()re", RE2::Latin1);
  std::map<std::string, std::string> comments;
  std::string comment;
  bool naming = false;  // inside a named_sequence whose symbol is on a later line
  for (const std::string& line : splitAt(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.starts_with("//")) {
      comment += fmt::format("{}{}", comment.empty() ? "" : "\n", trim(words.substr(2)));
      continue;
    }
    naming = naming || words.starts_with("transform.named_sequence");
    if (std::string name; naming && RE2::PartialMatch(line, kSequence, &name)) {
      if (!comment.empty()) {
        comments[name] = comment;
      }
      naming = false;
    }
    if (!naming) {
      comment.clear();
    }
  }
  return comments;
}

std::string shownConfig(const ReadEntry& entry) {
  if (entry.config.empty()) {
    return "no compilation_info";
  }
  static const RE2 kPipeline(R"(pipeline = (?:#[\w.]+<)?(\w+))", RE2::Latin1);
  static const RE2 kSize(R"((workgroup_size|subgroup_size) = (\[[^\]]*\]|\d+))", RE2::Latin1);
  std::string text;
  RE2::PartialMatch(entry.translationInfo, kPipeline, &text);
  std::string_view config = inside(entry.loweringConfig, '<', '>');
  if (trim(config).starts_with('{')) {
    config = inside(config, '{', '}');
  }
  text += fmt::format("{}{}", text.empty() ? "" : ", ", config);
  re2::StringPiece rest(entry.translationInfo);
  std::string name;
  std::string size;
  while (RE2::FindAndConsume(&rest, kSize, &name, &size)) {
    text += fmt::format(", {} = {}", name, size);
  }
  return text;
}

Result<Spec> readSpec(Compiler& compiler, const std::filesystem::path& file) {
  const std::string text = HONE_TRY(readMlirFile(file));
  Spec spec;
  spec.file = std::filesystem::absolute(file);
  spec.hash = hashBytes(text);
  auto answer = HONE_TRY(
      compiler.jobs().run({.file = spec.file, .hash = spec.hash, .flags = {}}, ReadSpecJob{}));
  if (!answer.report.ok()) {
    return std::unexpected(notASpec(file, text, answer.report));
  }
  spec.marked = std::move(answer.file);
  auto comments = commentsIn(text);
  for (SpecEntryDescription& entry : answer.reply.entries) {
    std::string comment = comments[entry.name];
    spec.entries.push_back({std::move(entry), std::move(comment)});
  }
  spec.actions = std::move(answer.reply.actions);
  spec.helpers = std::move(answer.reply.helpers);
  spec.entryPoints = std::move(answer.reply.entryPoints);
  if (spec.entries.empty() || spec.entryPoints.empty()) {
    return userError(
        "{} is not a tuning spec: it has {}; see docs/specs.md for the format", file.string(),
        spec.entryPoints.empty() ? "no sequence marked iree_codegen.tuning_spec_entrypoint"
                                 : "no foreach_match with a matcher");
  }
  return spec;
}

}  // namespace hone::iree
