#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "browser/web_driver.h"
#include "cli.h"

namespace hone::test {

/// A user's sandbox and a browser beside it; left out where there is no browser.
class PageTest : public testing::Test {
 protected:
  void SetUp() override;

  /// `hone report`, and the page opened.
  void openReport(std::int64_t run);
  /// The value of a script in the page; a script that fails, fails the test.
  nlohmann::json run(std::string_view script,
                     const nlohmann::json& arguments = nlohmann::json::array());
  [[nodiscard]] std::string headline();
  /// The titles of all parts that are there, in order.
  [[nodiscard]] std::vector<std::string> titles();

  /// What every page promises: nothing on the console, every plot drawn and with its numbers,
  /// nothing asked of the network, no sideways scrolling on a phone, and it prints.
  void expectGoodPage();
  void expectQuietConsole();
  /// Every series, cell and line of every plot is there as pixels of its colour.
  void expectDrawn();
  /// The numbers behind every plot.
  void expectNumbers();
  void expectNoSidewaysScrolling();
  /// On white paper with dark ink, whatever the screen has, every tab under its name; the screen is
  /// then as it was.
  void expectPrints();

  /// A script's function: the pixels of a canvas, four numbers each.
  static const char* const kPixels;

  [[nodiscard]] Sandbox& box() { return box_; }
  [[nodiscard]] Browser& browser() { return *browser_; }

 private:
  Sandbox box_;
  std::optional<Browser> browser_;
};

}  // namespace hone::test
