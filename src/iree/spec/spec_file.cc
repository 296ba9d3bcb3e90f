#include "iree/spec/spec_file.h"

#include <re2/re2.h>
#include <re2/stringpiece.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace hone::iree {
namespace {

/// A spec that does not parse has what this compiler does not know; another file is just another.
Error notASpec(const std::filesystem::path& file, std::string_view text,
               const CompileReport& report) {
  const bool parsed = report.status != CompileReport::Status::badSource;
  std::string message = fmt::format("{} is not a tuning spec that this compiler takes: {}",
                                    file.string(), report.message);
  if (!parsed && text.contains("transform.named_sequence")) {
    message += "; it was probably written for another version of the compiler";
  }
  return {Fault::user, std::move(message)};
}

ReadEntry entryFrom(const nlohmann::json& json, std::map<std::string, std::string>& comments) {
  const auto name = json.at("name").get<std::string>();
  return {name,
          json.at("action"),
          comments[name],
          matchedFrom(json),
          json.at("config"),
          json.at("lowering_config"),
          json.at("translation_info"),
          json.at("text"),
          json.at("key")};
}

/// What is between the first of `open` and the last of `close`.
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
  bool naming = false;  // a sequence whose name is on a later line
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
  const std::string text = HONE_TRY(readFile(file));
  Spec spec;
  spec.file = std::filesystem::absolute(file);
  spec.hash = hashOf(text);
  CompileJob job;
  job.kind = CompileJob::Kind::specEntries;
  job.source = spec.file;
  const CompileOrder order{std::move(job), spec.hash, "json", kMarkedSpec};
  const auto produced = HONE_TRY(compiler.produceAll(std::span(&order, 1)));
  if (produced.front().report.status != CompileReport::Status::ok) {
    return std::unexpected(notASpec(file, text, produced.front().report));
  }
  const auto json = nlohmann::json::parse(HONE_TRY(readFile(produced.front().file)));
  spec.marked = produced.front().beside;
  auto comments = commentsIn(text);
  for (const nlohmann::json& entry : json.at("entries")) {
    spec.entries.push_back(entryFrom(entry, comments));
  }
  for (const auto& [name, action] : json.at("actions").items()) {
    spec.actions[name] = {action.at("text"), action.at("key")};
  }
  spec.helpers = json.at("helpers").get<std::map<std::string, std::string>>();
  spec.entryPoints = json.at("entrypoints").get<std::vector<std::string>>();
  if (spec.entries.empty() || spec.entryPoints.empty()) {
    return userError(
        "{} is not a tuning spec: it has {}; hone tune writes specs, docs/specs.md says what is in "
        "one",
        file.string(),
        spec.entryPoints.empty() ? "no sequence marked iree_codegen.tuning_spec_entrypoint"
                                 : "no foreach_match with a matcher");
  }
  return spec;
}

}  // namespace hone::iree
