#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "browser/web_driver.h"
#include "tests/cli/cli.h"

namespace hone::test {

/// A sandbox and a browser. Skips the test if there is no browser.
class PageTest : public testing::Test {
 protected:
  void SetUp() override;

  /// Runs `hone report` and opens the page.
  void openReport(std::int64_t run);
  /// Returns the value of a script run in the page; fails the test if the script fails.
  nlohmann::json run(std::string_view script,
                     const nlohmann::json& arguments = nlohmann::json::array());
  [[nodiscard]] std::string headline();
  /// Returns the titles of all parts in order.
  [[nodiscard]] std::vector<std::string> titles();

  /// Checks the guarantees of every page: empty console, every plot drawn with its data table, no
  /// network requests, no horizontal scrolling on a phone, printable.
  void expectGoodPage();
  void expectQuietConsole();
  /// Expects pixels of the right colour for every series, cell and line of every plot.
  void expectDrawn();
  /// Expects a data table for every plot.
  void expectNumbers();
  void expectNoHorizontalScrolling();
  /// Expects a printout with dark ink on white and all tabs expanded under their names, and an
  /// unchanged screen afterwards.
  void expectPrints();

  /// JavaScript function that returns the pixels of a canvas, four numbers each.
  static const char* const kPixels;

  [[nodiscard]] Sandbox& box() { return box_; }
  [[nodiscard]] Browser& browser() { return *browser_; }

 private:
  Sandbox box_;
  std::optional<Browser> browser_;
};

}  // namespace hone::test
