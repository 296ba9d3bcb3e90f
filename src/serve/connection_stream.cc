#include "serve/connection_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace hone::serve {
namespace {

/// Formats the address of either end of a connection.
void describeAddress(const sockaddr_storage& address, std::string& ip, int& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &address, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    port = ntohs(four.sin_port);
  } else if (address.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &address, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    port = ntohs(six.sin6_port);
  }
  ip = text.data();
}

}  // namespace

bool ConnectionStream::await(short events) {
  const auto start = std::chrono::steady_clock::now();
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(patience_);
  pollfd end{socket_, events, 0};
  const int ready = ::poll(&end, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  patience_ -= std::chrono::steady_clock::now() - start;
  return ready > 0 || (ready < 0 && errno == EINTR && patience_.count() > 0);
}

bool ConnectionStream::is_writable() const {
  // The library asks before each event: a client that is gone has an error or a hang-up.
  pollfd end{socket_, POLLOUT | POLLRDHUP, 0};
  return ::poll(&end, 1, 0) >= 0 && (end.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

ssize_t ConnectionStream::read(char* into, std::size_t size) {
  if (taken_ == received_.size()) {
    constexpr std::size_t kBuffer = 4096;
    received_.resize(kBuffer);
    taken_ = 0;
    ssize_t got = -1;
    do {
      got = ::recv(socket_, received_.data(), received_.size(), MSG_DONTWAIT);
    } while (got < 0 && (errno == EAGAIN || errno == EINTR) && await(POLLIN));
    received_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) {
      return got;
    }
  }
  const std::size_t count = std::min(size, received_.size() - taken_);
  std::memcpy(into, received_.data() + taken_, count);
  taken_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t ConnectionStream::write(const char* from, std::size_t size) {
  ssize_t sent = -1;
  do {
    sent = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && (errno == EAGAIN || errno == EINTR) && await(POLLOUT));
  return sent;
}

void ConnectionStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  describeAddress(address, ip, port);
}

void ConnectionStream::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
  describeAddress(address, ip, port);
}

}  // namespace hone::serve
