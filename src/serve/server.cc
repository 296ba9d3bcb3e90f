#include "serve/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "base/process/interrupt.h"
#include "base/text/text.h"
#include "report/render/page.h"
#include "serve/access.h"
#include "serve/connection_stream.h"
#include "serve/documents.h"
#include "serve/feed.h"
#include "serve/login.h"
#include "serve/reception.h"
#include "store/records.h"

namespace hone::serve {
namespace {

using httplib::Request;
using httplib::Response;
using HandlerResponse = httplib::Server::HandlerResponse;

constexpr std::size_t kMaxPayload = 1024;
/// Total time that the server waits for one client.
constexpr std::chrono::milliseconds kClientPatience{10'000};
/// Timeout of an unreachable client.
constexpr unsigned kLostClientMs = 30'000;

/// Blocks SIGINT and SIGTERM in this thread and in those it starts, except in waitForSignal().
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked{};
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  /// Sleeps until one of the signals arrives.
  void waitForSignal() const {
    while (!interrupted()) {
      ::ppoll(nullptr, 0, nullptr, &before_);
    }
  }

 private:
  sigset_t before_{};
};

/// Restricts pages to their inline scripts and to requests to this server.
void addHeaders(Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                      "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                      "frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

void refuse(Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain; charset=utf-8");
}

/// Sends an error. A user error means that the requested object does not exist.
void refuse(Response& response, const Error& error) {
  refuse(response, error.fault == Fault::user ? 404 : 500, error.message);
}

/// Returns true if all ranges that the client asks for are within a text of `size` bytes.
bool hasValidRanges(const Request& request, std::size_t size) {
  const auto length = static_cast<ssize_t>(size);
  return std::ranges::all_of(request.ranges, [&](const httplib::Range& range) {
    const auto& [first, last] = range;  // -1: not given
    return first < 0  ? last > 0 && last <= length
           : last < 0 ? first < length
                      : first <= last && last < length;
  });
}

/// Sends via a content provider, since the library would otherwise compress, which costs more than
/// building the document. The library passes on the ranges of a request unchecked.
void send(const Request& request, Response& response, std::string text, const std::string& type) {
  if (!hasValidRanges(request, text.size())) {
    response.set_header("Content-Range", fmt::format("bytes */{}", text.size()));
    response.status = 416;
    return;
  }
  auto kept = std::make_shared<const std::string>(std::move(text));
  response.set_content_provider(
      kept->size(), type, [kept](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return offset <= kept->size() && length <= kept->size() - offset &&
               sink.write(kept->data() + offset, length);
      });
}

std::int64_t parseNumber(const std::string& text) { return parseInt(text).value_or(-1); }

/// Returns the version of the page: from its last event or its `have` parameter.
std::int64_t knownVersion(const Request& request) {
  return parseNumber(request.has_header("Last-Event-ID") ? request.get_header_value("Last-Event-ID")
                                                         : request.get_param_value("have"));
}

/// Prevents a second server on the same port, but allows immediate reuse of a released port.
void setSocketOptions(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // Accepted connections inherit it.
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kLostClientMs, sizeof kLostClientMs);
}

}  // namespace

/// Hands accepted connections to a Reception instead of to a thread that waits for the request.
// NOLINTNEXTLINE(misc-use-internal-linkage): a member of Server::State, which has linkage
class HttpServer : public httplib::Server {
 public:
  HttpServer() : reception_([this](int socket) { answer(socket); }) {
    new_task_queue = [this] { return new DirectQueue(reception_); };
  }

 private:
  /// Runs tasks, which only register a connection, in the accepting thread.
  class DirectQueue : public httplib::TaskQueue {
   public:
    explicit DirectQueue(Reception& reception) : reception_(reception) {}
    void enqueue(std::function<void()> task) override { task(); }
    void shutdown() override { reception_.stop(); }

   private:
    Reception& reception_;
  };

  bool process_and_close_socket(socket_t socket) override {
    reception_.add(socket);
    return true;
  }

  /// Answers one request per connection.
  void answer(int socket) {
    ConnectionStream stream(socket, kClientPatience);
    bool closed = false;
    process_request(stream, true, closed, nullptr);
  }

  Reception reception_;
};

struct Server::State {
  State(const ServerOptions& options, Access granted)
      : access(std::move(granted)),
        store(options.store),
        documents(store),
        feed(store, documents),
        address(options.address) {
    prepare();
  }

  void prepare();
  [[nodiscard]] HandlerResponse check(const Request& request, Response& response) const;
  void sendPage(Page page, const Request& request, Response& response);
  void sendDocument(Page page, const Request& request, Response& response);
  void sendEvents(Page page, const Request& request, Response& response);

  Access access;
  LiveStore store;
  Documents documents;
  Feed feed;
  HttpServer http;
  std::string address;
  int port = 0;
};

HandlerResponse Server::State::check(const Request& request, Response& response) const {
  addHeaders(response);
  const std::string host = request.get_header_value("Host");
  const std::string authorization = request.get_header_value("Authorization");
  const std::string cookies = request.get_header_value("Cookie");
  switch (access.decide({host, authorization, cookies})) {
    case Access::Decision::granted:
      if (request.method == "GET" || request.method == "HEAD") {
        return HandlerResponse::Unhandled;
      }
      response.set_header("Allow", "GET, HEAD");
      refuse(response, 405, "method not allowed; hone serve is read-only, use GET or HEAD");
      break;
    case Access::Decision::wrongHost:
      refuse(response, 403,
             "invalid Host header; use localhost or, if hone serve listens on a public address, an "
             "IP address or the output of `hostname`; a proxy must set Host accordingly");
      break;
    case Access::Decision::needsToken:
      response.status = 401;
      response.set_header("WWW-Authenticate", "Bearer");
      response.set_content(loginPage(), "text/html; charset=utf-8");
      break;
  }
  return HandlerResponse::Handled;
}

void Server::State::sendPage(Page page, const Request& request, Response& response) {
  const auto made = documents.current(page);
  if (!made) {
    refuse(response, made.error());
  } else if (*made == nullptr) {
    refuse(response, 404, fmt::format("no run {} found; / lists the runs", page));
  } else {
    send(request, response,
         report::page((*made)->content->document, {.live = true, .version = (*made)->last}),
         "text/html; charset=utf-8");
  }
}

void Server::State::sendDocument(Page page, const Request& request, Response& response) {
  auto update = documents.updateSince(page, knownVersion(request));
  if (!update) {
    refuse(response, update.error());
    return;
  }
  if (!*update) {
    refuse(response, 404, fmt::format("no run {} found", page));
    return;
  }
  Update& changes = **update;
  response.set_header("Hone-Version", std::to_string(changes.version));
  if (changes.kind == Update::Kind::none) {
    response.status = 204;
    return;
  }
  send(request, response, std::move(changes.body),
       changes.kind == Update::Kind::patch ? "application/json-patch+json" : "application/json");
}

void Server::State::sendEvents(Page page, const Request& request, Response& response) {
  if (request.method == "HEAD") {
    response.set_header("Content-Type", "text/event-stream");
    return;
  }
  const std::shared_ptr<Listener> listener = feed.listen(page, knownVersion(request));
  if (listener == nullptr) {
    response.set_header("Retry-After", "30");
    refuse(response, 503, "too many open pages; close some or retry later");
    return;
  }
  response.set_chunked_content_provider("text/event-stream",
                                        [listener](std::size_t, httplib::DataSink& sink) {
                                          const auto events = listener->next();
                                          if (!events) {
                                            sink.done();
                                            return true;
                                          }
                                          return sink.write(events->data(), events->size());
                                        });
}

void Server::State::prepare() {
  http.set_socket_options(setSocketOptions);
  http.set_payload_max_length(kMaxPayload);
  http.set_pre_routing_handler(
      [this](const Request& request, Response& response) { return check(request, response); });
  const auto runId = [](const Request& request) { return parseNumber(request.matches[1].str()); };
  http.Get("/", [this](const Request& request, Response& response) {
    sendPage(kRunList, request, response);
  });
  http.Get("/document", [this](const Request& request, Response& response) {
    sendDocument(kRunList, request, response);
  });
  http.Get("/events", [this](const Request& request, Response& response) {
    sendEvents(kRunList, request, response);
  });
  // At most 18 digits: larger numbers are not run ids.
  http.Get(R"(/runs/([1-9][0-9]{0,17}))",
           [this, runId](const Request& request, Response& response) {
             sendPage(runId(request), request, response);
           });
  http.Get(R"(/runs/([1-9][0-9]{0,17})/document)",
           [this, runId](const Request& request, Response& response) {
             sendDocument(runId(request), request, response);
           });
  http.Get(R"(/runs/([1-9][0-9]{0,17})/events)",
           [this, runId](const Request& request, Response& response) {
             sendEvents(runId(request), request, response);
           });
  http.set_error_handler([](const Request&, Response& response) {
    if (response.body.empty() && response.status == 404) {
      response.set_content("page not found; / lists the runs\n", "text/plain; charset=utf-8");
    }
  });
  http.set_exception_handler([](const Request&, Response& response, const std::exception_ptr&) {
    refuse(response, 500, "internal error (please report it)");
  });
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::bind(const ServerOptions& options) {
  auto access = HONE_TRY(Access::make(options.address, options.token));
  const BlockedSignals blocked;  // inherited by the thread of the feed
  auto state = std::make_unique<State>(options, std::move(access));
  state->port = options.port;
  const bool bound = options.port == 0
                         ? (state->port = state->http.bind_to_any_port(options.address)) > 0
                         : state->http.bind_to_port(options.address, options.port);
  if (!bound) {
    return userError(
        "cannot listen on {} port {}: in use, or not an address of this machine; use --port 0 for "
        "any free port",
        options.address, options.port);
  }
  return Server(std::move(state));
}

int Server::port() const { return state_->port; }

std::string Server::url() const {
  const bool six = state_->address.contains(':');
  return fmt::format("http://{}{}{}:{}/", six ? "[" : "", state_->address, six ? "]" : "",
                     state_->port);
}

void Server::run() {
  std::thread answering;
  {
    const BlockedSignals blocked;
    answering = std::thread([this] { state_->http.listen_after_bind(); });
    while (!state_->http.is_running()) {  // an earlier stop would be lost
      std::this_thread::yield();
    }
    blocked.waitForSignal();
  }
  // A second signal ends the process, since a slow client may block a thread indefinitely.
  state_->feed.stop();
  state_->http.stop();
  answering.join();
}

}  // namespace hone::serve
