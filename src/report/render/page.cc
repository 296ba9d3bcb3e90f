#include "report/render/page.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text/base64.h"
#include "base/text/json.h"
#include "report/pages/run_document.h"
#include "report/render/web_files.h"

namespace hone::report {
namespace {

/// Returns the Content-Security-Policy hash source of a script or style. Nothing else may run in
/// the page, even if data were interpreted as markup.
std::string policyHash(std::string_view text) {
  const std::string hex = hashBytes(text);
  std::string bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return fmt::format("'sha256-{}'", toBase64(bytes));
}

/// Serializes JSON so that it cannot close the surrounding script element.
std::string toScriptJson(const nlohmann::json& json) {
  std::string text;
  for (const char c : jsonText(json)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page(const Document& document, const PageOptions& options) {
  return page(document.json(), options);
}

std::string page(const nlohmann::json& document, const PageOptions& options) {
  const std::string_view live = options.live ? webLiveScript() : "";
  const std::string policy = fmt::format(
      "default-src 'none'; img-src data:; style-src {}; script-src {}{}; connect-src {}; base-uri "
      "'none'; "
      "form-action 'none'",
      policyHash(webStyle()), policyHash(webScript()),
      options.live ? fmt::format(" {}", policyHash(live)) : "", options.live ? "'self'" : "'none'");
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>hone</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<main id=\"page\"><noscript>This page requires JavaScript.</noscript>"
      "</main>\n<script type=\"application/json\" id=\"document\">",
      policy, webStyle());
  html += toScriptJson(document);
  html += "</script>\n<script>";
  html += webScript();
  html += "</script>\n";
  if (options.live) {
    html += fmt::format("<script data-version=\"{}\">{}</script>\n", options.version, live);
  }
  return html + "</body>\n</html>\n";
}

Result<std::string> runPage(const store::Store& store, std::int64_t run,
                            const PageOptions& options) {
  return page(HONE_TRY(runDocument(store, run)), options);
}

}  // namespace hone::report
