#include "browser/web_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <httplib.h>
#include <re2/re2.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "base/process/subprocess.h"
#include "base/text/base64.h"

namespace hone::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kTimeout{60};
constexpr std::chrono::milliseconds kPoll{20};

/// Starts the driver with its output in a file.
pid_t startDriver(const std::string& program, const fs::path& log) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    confineChild(parent, {});
    const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
      ::_exit(127);
    }
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::execl(program.c_str(), program.c_str(), "--port=0", nullptr);
    ::_exit(127);
  }
  return pid;
}

/// Waits for the driver and returns the port that it prints.
Result<int> waitForPort(const fs::path& log) {
  static const RE2 kStarted("started successfully on port ([0-9]+)");
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < end) {
    const std::string text = readFile(log).value_or("");
    if (int port = 0; RE2::PartialMatch(text, kStarted, &port)) {
      return port;
    }
    std::this_thread::sleep_for(kPoll);
  }
  return machineError("chromedriver failed to start: {}", readFile(log).value_or(""));
}

json capabilities(const std::string& chromium, const fs::path& profile) {
  const json options = {
      {"binary", chromium},
      {"args",
       {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--force-device-scale-factor=1", "--window-size=1200,900",
        fmt::format("--user-data-dir={}", profile.string())}}};
  return {{"capabilities",
           {{"alwaysMatch",
             {{"browserName", "chrome"},
              {"goog:chromeOptions", options},
              {"goog:loggingPrefs", {{"browser", "ALL"}}}}}}}};
}

}  // namespace

struct Browser::State {
  ScratchFolder folder;
  pid_t driver = -1;
  std::unique_ptr<httplib::Client> client;
  std::string session;
};

Browser::Browser(std::unique_ptr<State> state) : state_(std::move(state)) {}
Browser::Browser(Browser&&) noexcept = default;

Browser::~Browser() {
  if (!state_) {
    return;
  }
  if (state_->client && !state_->session.empty()) {
    state_->client->Delete("/session/" + state_->session);
  }
  ::kill(-state_->driver, SIGKILL);
  ::waitpid(state_->driver, nullptr, 0);
}

bool Browser::isThere() {
  return !findProgram("chromedriver").empty() && !findProgram("chromium").empty();
}

Result<Browser> Browser::start() {
  Browser browser(
      std::make_unique<State>(State{HONE_TRY(ScratchFolder::create("hone-browser")), -1, {}, ""}));
  State& state = *browser.state_;
  const fs::path log = state.folder.path() / "driver.log";
  state.driver = startDriver(findProgram("chromedriver"), log);
  const int port = HONE_TRY(waitForPort(log));
  state.client = std::make_unique<httplib::Client>("127.0.0.1", port);
  state.client->set_read_timeout(kTimeout);
  state.client->set_keep_alive(true);
  const json session = HONE_TRY(browser.ask(
      "/session", capabilities(findProgram("chromium"), state.folder.path() / "profile")));
  state.session = session.at("sessionId");
  return browser;
}

Result<json> Browser::ask(const std::string& path, const json& body) {
  const std::string whole =
      state_->session.empty() ? path : fmt::format("/session/{}{}", state_->session, path);
  const auto answer = state_->client->Post(whole, body.dump(), "application/json");
  if (!answer) {
    return machineError("no response from chromedriver to {}: {}", whole,
                        httplib::to_string(answer.error()));
  }
  json value = json::parse(answer->body, nullptr, false);
  if (answer->status != 200 || value.is_discarded()) {
    return machineError("chromedriver rejected {}: {}", whole, answer->body);
  }
  return std::move(value["value"]);
}

Result<json> Browser::devtools(const std::string& command, const json& parameters) {
  return ask("/goog/cdp/execute", {{"cmd", command}, {"params", parameters}});
}

Result<void> Browser::open(const std::string& address) {
  HONE_CHECK(ask("/url", {{"url", address}}));
  return {};
}

Result<void> Browser::open(const fs::path& file) {
  return open(fmt::format("file://{}", fs::absolute(file).string()));
}

Result<json> Browser::run(std::string_view script, const json& arguments) {
  return ask("/execute/sync", {{"script", script}, {"args", arguments}});
}

Result<std::vector<std::string>> Browser::console() {
  std::vector<std::string> lines;
  for (const json& entry : HONE_TRY(ask("/se/log", {{"type", "browser"}}))) {
    lines.push_back(fmt::format("{}: {}", entry.value("level", ""), entry.value("message", "")));
  }
  return lines;
}

Result<void> Browser::resize(int width, int height) {
  HONE_CHECK(devtools(
      "Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", width < 600}}));
  return {};
}

Result<void> Browser::prefer(const std::string& colorScheme) {
  const json feature = {{"name", "prefers-color-scheme"}, {"value", colorScheme}};
  HONE_CHECK(devtools("Emulation.setEmulatedMedia", {{"features", json::array({feature})}}));
  return {};
}

Result<std::string> Browser::screenshot(Area area) {
  const json taken =
      HONE_TRY(devtools("Page.captureScreenshot",
                        {{"format", "png"}, {"captureBeyondViewport", area == Area::page}}));
  return fromBase64(taken.at("data").get<std::string>()).value_or("");
}

Result<std::string> Browser::print() {
  const json printed = HONE_TRY(ask("/print", json::object()));
  return fromBase64(printed.get<std::string>()).value_or("");
}

}  // namespace hone::test
