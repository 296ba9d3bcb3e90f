#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hone::kernel::test {

/// An answer of the scripted server.
struct Scripted {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool never = false;  ///< it keeps the client waiting until the server goes
};

/// A chat completion with this text.
[[nodiscard]] Scripted says(const std::string& text, int tokensIn = 100, int tokensOut = 20);
[[nodiscard]] Scripted fails(int status, const std::string& message = "no");

/// An endpoint on loopback that answers what it was told to, in that order; the last one again and
/// again.
class ChatServer {
 public:
  struct Request {
    std::string authorization;
    nlohmann::json body;
  };

  explicit ChatServer(std::deque<Scripted> script);
  ChatServer(const ChatServer&) = delete;
  ChatServer& operator=(const ChatServer&) = delete;
  ~ChatServer();

  [[nodiscard]] std::string base() const;
  [[nodiscard]] std::vector<Request> requests() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hone::kernel::test
