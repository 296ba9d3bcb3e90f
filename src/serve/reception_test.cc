#include "serve/reception.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace hone::serve {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""h;

/// The client's end of a connection.
class TestClient {
 public:
  explicit TestClient(Reception& reception) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    socket_ = ends[0];
    reception.add(ends[1]);
  }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;
  TestClient(TestClient&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  TestClient& operator=(TestClient&&) = delete;
  ~TestClient() { ::close(socket_); }

  void send(std::string_view text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// Returns everything until the server closes the connection.
  [[nodiscard]] std::string receive() const {
    std::string text;
    std::array<char, 1024> buffer{};
    for (ssize_t got = 0; (got = ::recv(socket_, buffer.data(), buffer.size(), 0)) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
  [[nodiscard]] bool isOpen() const {
    pollfd end{socket_, POLLIN | POLLRDHUP, 0};
    return ::poll(&end, 1, 0) == 0;
  }

 private:
  int socket_ = -1;
};

/// Answers with the headers of the request.
void echo(int socket) {
  std::array<char, 8192> buffer{};
  const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  ::send(socket, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
}

TEST(Reception, AnswersOnceHeadersAreComplete) {
  Reception reception(echo, {.threads = 1, .headerTimeout = 1h});
  const TestClient client(reception);
  client.send("GET / HTTP/1.1\r\n");
  client.send("Host: localhost\r\n\r");
  EXPECT_TRUE(client.isOpen());
  client.send("\n");
  EXPECT_EQ(client.receive(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

TEST(Reception, SilentClientsDoNotBlockOthers) {
  Reception reception(echo, {.threads = 1, .maxConnections = 100, .headerTimeout = 1h});
  std::vector<TestClient> silent;
  for (int i = 0; i < 50; ++i) {
    silent.emplace_back(reception).send(i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nA");
  }
  const TestClient client(reception);
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.receive(), "GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(silent.front().isOpen());
  reception.stop();
  EXPECT_EQ(silent.front().receive(), "");
}

TEST(Reception, ClosesSlowAndLargeRequests) {
  Reception reception(echo, {.threads = 1, .maxHeaderBytes = 100, .headerTimeout = 20ms});
  const TestClient slow(reception);
  slow.send("GET");
  EXPECT_TRUE(slow.receive().starts_with("HTTP/1.1 408 "));
  const TestClient large(reception);
  large.send(std::string(100, 'x'));
  EXPECT_TRUE(large.receive().starts_with("HTTP/1.1 431 "));
}

TEST(Reception, ClosesThoseThatWaitedLongestIfThereAreTooMany) {
  Reception reception(echo, {.threads = 1, .maxConnections = 10, .headerTimeout = 1h});
  std::vector<TestClient> silent;
  for (int i = 0; i < 11; ++i) {
    silent.emplace_back(reception);
  }
  EXPECT_TRUE(silent.front().receive().starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(silent.back().isOpen());
}

}  // namespace
}  // namespace hone::serve
