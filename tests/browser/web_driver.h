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

/// A headless Chromium, driven by WebDriver: the real thing, as a user has it.
class Browser {
 public:
  /// Whether Debian's chromium and chromium-driver are installed.
  [[nodiscard]] static bool isThere();
  /// Starts both with folders of their own. Works as root and in a sandbox.
  [[nodiscard]] static Result<Browser> start();

  Browser(Browser&&) noexcept;
  Browser& operator=(Browser&&) = delete;
  ~Browser();

  [[nodiscard]] Result<void> open(const std::string& address);
  [[nodiscard]] Result<void> open(const std::filesystem::path& file);
  /// What the body of a function returns; `arguments[0]` and on are given. A promise is waited for.
  [[nodiscard]] Result<nlohmann::json> run(
      std::string_view script, const nlohmann::json& arguments = nlohmann::json::array());
  /// What the page wrote to the console since it was asked last; errors of scripts and of the
  /// security policy are among it.
  [[nodiscard]] Result<std::vector<std::string>> console();
  /// The size of the page in CSS pixels, as on a phone or a screen.
  [[nodiscard]] Result<void> resize(int width, int height);
  /// "dark" or "light", as the reader's system wants it.
  [[nodiscard]] Result<void> prefer(const std::string& colorScheme);
  /// The whole page, or the part in view, as a PNG.
  enum class Of : std::uint8_t { view, page };
  [[nodiscard]] Result<std::string> screenshot(Of of);
  /// The page as it is printed, as a PDF.
  [[nodiscard]] Result<std::string> print();

 private:
  struct State;
  explicit Browser(std::unique_ptr<State> state);
  [[nodiscard]] Result<nlohmann::json> ask(const std::string& path, const nlohmann::json& body);
  /// A command of Chromium's own protocol.
  [[nodiscard]] Result<nlohmann::json> devtools(const std::string& command,
                                                const nlohmann::json& parameters);

  std::unique_ptr<State> state_;
};

}  // namespace hone::test
