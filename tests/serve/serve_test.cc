// Tests of `hone serve` over HTTP.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

#include "base/text/text.h"
#include "store/store.h"
#include "tests/serve/served.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kToken = "0123456789abcdef-secret";

store::Store writeStore(const Sandbox& box) {
  return store::Store::open(box.store(), store::Store::Mode::write).value();
}

std::int64_t addRun(store::Store& store, const std::string& argument = "m.mlir") {
  store::Run run;
  run.command = "bench";
  run.arguments = {"bench", argument};
  run.device = "local-sync";
  return store.addRun(run).value();
}

void addTrial(store::Store& store, std::int64_t run, const std::string& name) {
  store::Trial trial;
  trial.key = trial.config.name = name;
  trial.problem = "matmul";
  ASSERT_TRUE(store.addTrial(run, trial, {}));
}

TEST(Serve, ServesOnlyExistingPages) {
  Sandbox box;
  const Served served(box);
  EXPECT_THAT(served.get("/"), HasSubstr("No runs yet"));
  {
    store::Store store = writeStore(box);
    addTrial(store, addRun(store, "<script>alert(1)</script>"), "tiles");
  }
  EXPECT_THAT(served.get("/"), HasSubstr("script>alert(1)"));
  EXPECT_THAT(served.get("/"), Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(served.get("/runs/1"), HasSubstr("tiles"));
  const auto document = nlohmann::json::parse(served.get("/runs/1/document"));
  EXPECT_TRUE(document.contains("answer"));
  EXPECT_THAT(served.get("/runs/7", 404), HasSubstr("no run 7"));
  for (const char* path : {"/runs/0", "/runs/-1", "/runs/1x", "/runs/99999999999999999999",
                           "/nothing", "/../../etc/passwd", "/runs/1/../../etc/passwd",
                           "/%2e%2e/%2e%2e/etc/passwd", "/hone.db", "/runs/"}) {
    EXPECT_THAT(served.get(path, 404), Not(HasSubstr("root:"))) << path;
  }
  EXPECT_TRUE(served.client().Head("/runs/1")->body.empty());
}

TEST(Serve, IsReadOnly) {
  Sandbox box;
  {
    store::Store store = writeStore(box);
    addRun(store);
  }
  const Served served(box);
  auto client = served.client();
  EXPECT_EQ(client.Post("/", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Put("/runs/1", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Delete("/runs/1")->status, 405);
  EXPECT_EQ(client.Options("/")->status, 405);
  EXPECT_EQ(client.Patch("/", "x", "text/plain")->get_header_value("Allow"), "GET, HEAD");
  EXPECT_THAT(served.get("/runs/1"), HasSubstr("bench"));
  EXPECT_EQ(served.client().Get("/")->get_header_value("X-Content-Type-Options"), "nosniff");
  writeStore(box);  // the server holds no lock
}

TEST(Serve, SendsNothingOutsideThePage) {
  Sandbox box;
  const Served served(box);
  const auto sent = [&](const std::string& range) {
    std::string bytes;
    served.client().Get("/", {{"Range", range}}, [&](const char* data, std::size_t size) {
      bytes.append(data, size);
      return true;
    });
    return bytes;
  };
  EXPECT_EQ(sent("bytes=2-8"), "doctype");
  for (const char* range : {"bytes=400000000-400000100", "bytes=0-400000000", "bytes=400000000-"}) {
    EXPECT_EQ(sent(range), "") << range;
  }
  for (const char* range : {"bytes=400000000-", "bytes=8-2", "bytes=-400000000", "bytes=x",
                            "bytes=99999999999999999999999-", "bytes=0-99999999999999999999999"}) {
    EXPECT_EQ(served.client().Get("/", {{"Range", range}})->status, 416) << range;
  }
  std::string ranges = "bytes=0-0";
  while (ranges.size() < 7000) {
    ranges += ",0-0";
  }
  EXPECT_TRUE(served.client().Get("/", {{"Range", ranges}})) << "thousands of ranges";
  const std::string two = sent("bytes=2-8,400000000-400100000");
  EXPECT_LT(two.size(), 1000U) << "at most the existing part and its header";
  EXPECT_THAT(served.get("/"), HasSubstr("No runs yet")) << "the server still responds";
}

/// Opens a connection and sends the start of a request.
int connectAndStall(int port, std::string_view text) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  return socket;
}

TEST(Serve, SilentAndSlowClientsDoNotBlockOthers) {
  Sandbox box;
  const Served served(box);
  std::vector<int> sockets;
  for (int i = 0; i < 100; ++i) {
    sockets.push_back(connectAndStall(served.port(), i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nHost"));
  }
  auto client = served.client();
  client.set_read_timeout(std::chrono::seconds(4));  // a thread waits 5 s for a silent client
  const auto answer = client.Get("/");
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->status, 200);
  for (const int socket : sockets) {
    ::close(socket);
  }
}

TEST(Serve, RejectsForeignHostName) {
  Sandbox box;
  const Served served(box);
  for (const char* host : {"evil.example", "evil.example:80", "192.168.1.1", ""}) {
    const auto answer = served.client().Get("/", {{"Host", host}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 403) << host;
    EXPECT_THAT(answer->body, HasSubstr("use localhost"));
  }
  EXPECT_EQ(served.client().Get("/", {{"Host", "localhost:9999"}})->status, 200) << "an SSH tunnel";
}

TEST(Serve, RequiresTokenForOtherAddresses) {
  Sandbox box;
  expectError(box.hone({"serve", "--address", "0.0.0.0"}), 2, {"--token-from"});
  expectError(box.hone({"serve", "--token-from", "NOT_SET"}), 2, {"NOT_SET"});
  box.setVariable("HONE_TOKEN", "short");
  expectError(box.hone({"serve", "--token-from", "HONE_TOKEN"}), 2, {"at least 16"});

  box.setVariable("HONE_TOKEN", kToken);
  Served served(box, {"--address", "0.0.0.0", "--token-from", "HONE_TOKEN"});
  auto client = served.client();
  const auto refused = client.Get("/");
  EXPECT_EQ(refused->status, 401);
  EXPECT_THAT(refused->body, HasSubstr("type=\"password\""));
  EXPECT_EQ(client.Get("/runs/1")->status, 401) << "does not reveal which runs exist";
  EXPECT_EQ(client.Get("/events")->status, 401);
  EXPECT_EQ(client.Post("/", "x", "text/plain")->status, 401) << "the token is checked first";
  const std::string environment =
      readFile(fmt::format("/proc/{}/environ", served.process().pid())).value();
  EXPECT_THAT(environment, Not(HasSubstr(kToken)));
  EXPECT_EQ(client.Get("/", {{"Authorization", "Bearer 0123456789abcdef-secreT"}})->status, 401);
  EXPECT_EQ(client.Get("/", {{"Authorization", fmt::format("Bearer {}", kToken)}})->status, 200);
  EXPECT_EQ(client.Get("/", {{"Cookie", fmt::format("a=b; hone-token={}", kToken)}})->status, 200);
  served.process().signal(SIGTERM);
  const CommandResult ran = served.process().wait();
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("secret")));
}

TEST(Serve, RejectsUnavailableAddress) {
  Sandbox box;
  const Served served(box);
  expectError(box.hone({"serve", "--port", std::to_string(served.port())}), 2,
              {std::to_string(served.port()), "--port 0"});
  box.setVariable("HONE_TOKEN", kToken);
  expectError(
      box.hone({"serve", "--address", "203.0.113.1", "--port", "0", "--token-from", "HONE_TOKEN"}),
      2, {"203.0.113.1"});
}

class ServeShutdown : public testing::TestWithParam<int> {};

TEST_P(ServeShutdown, IsCleanWithOpenStreams) {
  Sandbox box;
  {
    store::Store store = writeStore(box);
    addRun(store);
  }
  Served served(box);
  std::promise<void> begun;
  auto listening = std::async(std::launch::async, [&] {
    bool first = true;
    return served.client()
        .Get("/runs/1/events",
             [&](const char*, std::size_t) {
               if (std::exchange(first, false)) {
                 begun.set_value();
               }
               return true;
             })
        .error();
  });
  begun.get_future().wait();
  served.process().signal(GetParam());
  EXPECT_EQ(listening.get(), httplib::Error::Success) << "the stream is closed cleanly";
  const CommandResult ran = served.process().wait();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
}

INSTANTIATE_TEST_SUITE_P(Signals, ServeShutdown, testing::Values(SIGINT, SIGTERM),
                         [](const auto& info) {
                           return std::string(info.param == SIGINT ? "SIGINT" : "SIGTERM");
                         });

/// A client that never completes its request.
class SlowReader {
 public:
  explicit SlowReader(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_TRUE(say("GET / HTTP/1.1\r\nSlow: "));
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested() && say("x")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
      }
    });
  }
  SlowReader(const SlowReader&) = delete;
  SlowReader& operator=(const SlowReader&) = delete;
  ~SlowReader() {
    thread_ = {};
    ::close(socket_);
  }

 private:
  [[nodiscard]] bool say(std::string_view text) const {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) > 0;
  }

  int socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  std::jthread thread_;
};

TEST(Serve, SecondSignalIgnoresSlowReader) {
  Sandbox box;
  Served served(box);
  const SlowReader slow(served.port());
  EXPECT_THAT(served.get("/"), HasSubstr("No runs yet")) << "the slow reader is connected";
  served.process().signal(SIGINT);
  served.process().signal(SIGTERM);
  EXPECT_THAT(served.process().wait().code, testing::AnyOf(128 + SIGINT, 128 + SIGTERM));
}

TEST(Serve, SendsOnlyChanges) {
  Sandbox box;
  Served served(box);
  auto list = std::async(std::launch::async,
                         [&] { return served.listenFor("/events?have=0", "\ndata: "); });
  list.get();  // returns at once: the page is empty
  store::Store store = writeStore(box);
  const std::int64_t run = addRun(store);
  for (int i = 0; i < 100; ++i) {
    addTrial(store, run, fmt::format("trial {}", i));
  }
  const auto whole = served.client().Get("/runs/1/document");
  const std::string version = whole->get_header_value("Hone-Version");
  EXPECT_EQ(served.client().Get("/runs/1/document?have=" + version)->status, 204);
  addTrial(store, run, "the next one");
  const std::string heard =
      served.listenFor(fmt::format("/runs/1/events?have={}", version), "\ndata: ");
  EXPECT_THAT(heard, HasSubstr("id: "));
  const auto patch = served.client().Get("/runs/1/document?have=" + version);
  EXPECT_EQ(patch->get_header_value("Content-Type"), "application/json-patch+json");
  const auto patched = nlohmann::json::parse(whole->body).patch(nlohmann::json::parse(patch->body));
  EXPECT_EQ(patched, nlohmann::json::parse(served.get("/runs/1/document")));
  EXPECT_THAT(patched.dump(), HasSubstr("the next one"));
}

TEST(Serve, ReportsDeletedRun) {
  Sandbox box;
  {
    store::Store store = writeStore(box);
    addRun(store);
  }
  const Served served(box);
  const std::string version =
      served.client().Get("/runs/1/document")->get_header_value("Hone-Version");
  SQLite::Database(box.store().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM runs");
  EXPECT_THAT(served.listenFor(fmt::format("/runs/1/events?have={}", version), "event: gone"),
              HasSubstr("event: gone"));
  EXPECT_THAT(served.get("/runs/1", 404), HasSubstr("no run 1"));
}

}  // namespace
}  // namespace hone::test
