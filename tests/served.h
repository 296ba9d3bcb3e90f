#pragma once

#include <httplib.h>

#include <memory>
#include <string>
#include <vector>

#include "cli.h"

namespace hone::test {

/// `hone serve` as a process of its own, and how to ask it.
class Served {
 public:
  /// At a port that is free, with what else is given.
  explicit Served(Sandbox& box, std::vector<std::string> arguments = {});

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] Process& process() { return process_; }
  [[nodiscard]] httplib::Client client() const;
  /// The answer's body; its status must be the one given.
  [[nodiscard]] std::string get(const std::string& path, int status = 200) const;
  /// Listens until an event with the text came; all that was heard.
  [[nodiscard]] std::string listenFor(const std::string& path, const std::string& text) const;

 private:
  Process process_;
  int port_ = 0;
};

}  // namespace hone::test
