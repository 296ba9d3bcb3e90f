#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace hone::test {

/// A headless Chromium, driven by WebDriver.
class Browser {
 public:
  /// Returns true if chromium and chromedriver are installed.
  [[nodiscard]] static bool isThere();
  /// Starts both with private folders. Works as root and in a sandbox.
  [[nodiscard]] static Result<Browser> start();

  Browser(Browser&&) noexcept;
  Browser& operator=(Browser&&) = delete;
  ~Browser();

  [[nodiscard]] Result<void> open(const std::string& address);
  [[nodiscard]] Result<void> open(const std::filesystem::path& file);
  /// Runs `script` as a function body and returns its value; awaits promises. The script reads
  /// `arguments[0]` and so on.
  [[nodiscard]] Result<nlohmann::json> run(
      std::string_view script, const nlohmann::json& arguments = nlohmann::json::array());
  /// Returns the console output since the last call, including script and security policy errors.
  [[nodiscard]] Result<std::vector<std::string>> console();
  /// Sets the size of the viewport in CSS pixels.
  [[nodiscard]] Result<void> resize(int width, int height);
  /// Sets the preferred colour scheme, "dark" or "light".
  [[nodiscard]] Result<void> prefer(const std::string& colorScheme);
  /// Returns the whole page, or the visible part, as a PNG.
  enum class Area : std::uint8_t { view, page };
  [[nodiscard]] Result<std::string> screenshot(Area area);
  /// Returns the printed page as a PDF.
  [[nodiscard]] Result<std::string> print();

 private:
  struct State;
  explicit Browser(std::unique_ptr<State> state);
  [[nodiscard]] Result<nlohmann::json> ask(const std::string& path, const nlohmann::json& body);
  /// Sends a command of the Chrome DevTools protocol.
  [[nodiscard]] Result<nlohmann::json> devtools(const std::string& command,
                                                const nlohmann::json& parameters);

  std::unique_ptr<State> state_;
};

}  // namespace hone::test
