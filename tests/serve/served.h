#pragma once

#include <httplib.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/cli/cli.h"

namespace hone::test {

/// A running `hone serve` and an HTTP client for it.
class Served {
 public:
  /// Starts the server on a free port with further arguments.
  explicit Served(Sandbox& box, std::vector<std::string> arguments = {});

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] httplib::Client client() const;
  /// Returns the body; fails the test if the status differs.
  [[nodiscard]] std::string get(const std::string& path, int status = 200) const;
  /// Returns everything received until `text` arrives.
  [[nodiscard]] std::string listenFor(const std::string& path, const std::string& text) const;

 private:
  Process process_;
  int port_ = 0;
};

}  // namespace hone::test
