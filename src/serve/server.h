#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"

namespace hone::serve {

struct ServerOptions {
  std::filesystem::path store;  ///< need not exist yet
  std::string address = "127.0.0.1";
  int port = 0;       ///< 0 for any free port
  std::string token;  ///< empty if not required; see Access
};

/// Serves the pages of a store's runs over HTTP, with live updates. Read-only: answers GET and
/// HEAD, opens the store for reading, and serves no other file.
class Server {
 public:
  /// Binds to the address without answering requests yet.
  [[nodiscard]] static Result<Server> bind(const ServerOptions& options);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  [[nodiscard]] int port() const;
  /// Returns a URL such as "http://127.0.0.1:8765/".
  [[nodiscard]] std::string url() const;
  /// Answers requests until SIGINT or SIGTERM, then finishes open responses. A second signal exits
  /// immediately. Requires a previous call of hone::catchInterrupts.
  void run();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::serve
