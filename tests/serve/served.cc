#include "tests/serve/served.h"

#include <gtest/gtest.h>

#include "base/text/text.h"

namespace hone::test {
namespace {

std::vector<std::string> serveAnd(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"serve", "--port", "0", "--json"});
  return arguments;
}

}  // namespace

Served::Served(Sandbox& box, std::vector<std::string> arguments)
    : process_(box.start(serveAnd(std::move(arguments)))) {
  EXPECT_TRUE(
      eventually([&] { return process_.ended() || process_.outputSoFar().ends_with('\n'); }));
  const auto said = nlohmann::json::parse(process_.outputSoFar(), nullptr, false);
  EXPECT_TRUE(said.is_object()) << process_.outputSoFar();
  port_ = said.is_object() ? said.value("port", 0) : 0;
}

httplib::Client Served::client() const {
  httplib::Client client("127.0.0.1", port_);
  client.set_read_timeout(300);
  return client;
}

std::string Served::get(const std::string& path, int status) const {
  const auto answer = client().Get(path);
  if (!answer) {
    ADD_FAILURE() << path << ": " << httplib::to_string(answer.error());
    return "";
  }
  EXPECT_EQ(answer->status, status) << path << ": " << answer->body;
  return answer->body;
}

std::string Served::listenFor(const std::string& path, const std::string& text) const {
  std::string heard;
  client().Get(path, [&](const char* data, std::size_t size) {
    heard.append(data, size);
    return !heard.contains(text);
  });
  EXPECT_TRUE(heard.contains(text)) << "received only: " << heard;
  return heard;
}

}  // namespace hone::test
