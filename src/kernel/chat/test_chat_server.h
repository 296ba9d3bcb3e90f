#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hone::kernel::test {

/// A scripted response.
struct Scripted {
  int status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  bool never = false;  ///< sends no response until the server is destroyed
};

/// Returns a chat completion with this text.
[[nodiscard]] Scripted says(const std::string& text, int tokensIn = 100, int tokensOut = 20);
[[nodiscard]] Scripted fails(int status, const std::string& message = "no");

/// Returns a chat completion that ends at the token limit.
[[nodiscard]] Scripted saysUntilLimit(const std::string& text);

/// A server on the loopback interface that sends the scripted responses in order and repeats the
/// last one.
class ChatServer {
 public:
  struct Request {
    std::string authorization;
    nlohmann::json body;
  };

  /// Returns the response to the body of a request; called in the order of the requests.
  using Responder = std::function<Scripted(const nlohmann::json& body)>;

  explicit ChatServer(std::deque<Scripted> script);
  /// Creates a server that answers depending on the request.
  explicit ChatServer(Responder responder);
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
