#pragma once

#include <httplib.h>

#include <chrono>
#include <string>
#include <string_view>

namespace hone::serve {

/// A connection as the HTTP library reads and writes it. The total time of waiting for the client
/// is limited, not that of each call, so that a client cannot hold a thread by receiving byte by
/// byte.
class ConnectionStream : public httplib::Stream {
 public:
  ConnectionStream(int socket, std::chrono::milliseconds patience)
      : socket_(socket), patience_(patience) {}

  [[nodiscard]] bool is_readable() const override { return true; }
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* into, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  /// Waits until the socket is ready; returns false once the total waiting time is used up.
  [[nodiscard]] bool await(short events);

  int socket_;
  std::chrono::nanoseconds patience_;  ///< left
  std::string received_;
  std::size_t taken_ = 0;  ///< bytes of received_ already read
};

}  // namespace hone::serve
