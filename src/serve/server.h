#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"

namespace hone::serve {

struct ServerOptions {
  std::filesystem::path store;  ///< need not be there yet
  std::string address = "127.0.0.1";
  int port = 0;       ///< 0: any that is free
  std::string token;  ///< "": none is needed; see Access
};

/// The pages of a store's runs over HTTP, live while a run goes on. Reads only: it answers GET and
/// HEAD, opens the store to read, and knows no file besides.
class Server {
 public:
  /// Bound to its address, and not answering yet.
  [[nodiscard]] static Result<Server> bind(const ServerOptions& options);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  [[nodiscard]] int port() const;
  /// "http://127.0.0.1:8765/".
  [[nodiscard]] std::string url() const;
  /// Answers until SIGINT or SIGTERM, and then brings to an end what it is answering; a second
  /// signal does not wait for that. hone::catchInterrupts was called before.
  void run();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::serve
