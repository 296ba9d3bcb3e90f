#include "serve/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>

#include <csignal>
#include <thread>
#include <utility>

#include "base/process/interrupt.h"
#include "base/text/text.h"
#include "report/render/page.h"
#include "serve/access.h"
#include "serve/documents.h"
#include "serve/feed.h"
#include "serve/login.h"
#include "store/records.h"

namespace hone::serve {
namespace {

using httplib::Request;
using httplib::Response;
using HandlerResponse = httplib::Server::HandlerResponse;

/// A thread for each page that listens, and some to answer besides.
constexpr std::size_t kThreads = 32;
constexpr std::size_t kMostPayload = 1024;
constexpr time_t kPatienceSeconds = 5;

/// Blocks what ends the server in this thread and in those that it starts, until it waits for it.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t ending{};
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  /// Asleep until one of them came.
  void waitForOne() const {
    while (!interrupted()) {
      ::ppoll(nullptr, 0, nullptr, &before_);
    }
  }

 private:
  sigset_t before_{};
};

/// Only what the page itself brings may run, and only this server may be asked.
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

/// Of an error of hone itself: the user's is a question for what is not there.
void refuse(Response& response, const Error& error) {
  refuse(response, error.fault == Fault::user ? 404 : 500, error.message);
}

/// Through a provider, which the library does not compress: that would cost more than making it.
/// The library asks for any range that the reader asked for, whether the text has it or not.
void send(Response& response, std::string text, const std::string& type) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  response.set_content_provider(
      kept->size(), type, [kept](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
        return offset <= kept->size() && length <= kept->size() - offset &&
               sink.write(kept->data() + offset, length);
      });
}

std::int64_t numberIn(const std::string& text) { return parseInt(text).value_or(-1); }

/// The version that the page has: of its last event, or as it says itself.
std::int64_t versionIn(const Request& request) {
  return numberIn(request.has_header("Last-Event-ID") ? request.get_header_value("Last-Event-ID")
                                                      : request.get_param_value("have"));
}

/// A socket that a second server cannot take as well; a port just given up is free at once.
void setSocketOptions(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

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
  void sendPage(Page page, Response& response);
  void sendDocument(Page page, const Request& request, Response& response);
  void sendEvents(Page page, const Request& request, Response& response);

  Access access;
  LiveStore store;
  Documents documents;
  Feed feed;
  httplib::Server http;
  std::string address;
  int port = 0;
};

HandlerResponse Server::State::check(const Request& request, Response& response) const {
  addHeaders(response);
  if (request.method != "GET" && request.method != "HEAD") {
    response.set_header("Allow", "GET, HEAD");
    refuse(response, 405, "only GET and HEAD: hone serve changes nothing");
    return HandlerResponse::Handled;
  }
  const std::string host = request.get_header_value("Host");
  const std::string authorization = request.get_header_value("Authorization");
  const std::string cookies = request.get_header_value("Cookie");
  switch (access.decide({host, authorization, cookies})) {
    case Access::Answer::granted:
      return HandlerResponse::Unhandled;
    case Access::Answer::wrongHost:
      refuse(response, 403,
             "not by this name: ask by localhost or, where it listens to others, by an IP address "
             "or the name that `hostname` prints; a proxy must set the header Host so");
      break;
    case Access::Answer::needsToken:
      response.status = 401;
      response.set_header("WWW-Authenticate", "Bearer");
      response.set_content(loginPage(), "text/html; charset=utf-8");
      break;
  }
  return HandlerResponse::Handled;
}

void Server::State::sendPage(Page page, Response& response) {
  const auto made = documents.current(page);
  if (!made) {
    refuse(response, made.error());
  } else if (*made == nullptr) {
    refuse(response, 404, fmt::format("there is no run {}; / lists what there is", page));
  } else {
    send(response,
         report::page((*made)->content->document, {.live = true, .version = (*made)->last}),
         "text/html; charset=utf-8");
  }
}

void Server::State::sendDocument(Page page, const Request& request, Response& response) {
  auto update = documents.since(page, versionIn(request));
  if (!update) {
    refuse(response, update.error());
    return;
  }
  if (!*update) {
    refuse(response, 404, fmt::format("there is no run {}", page));
    return;
  }
  Update& news = **update;
  response.set_header("Hone-Version", std::to_string(news.version));
  if (news.kind == Update::Kind::none) {
    response.status = 204;
    return;
  }
  send(response, std::move(news.body),
       news.kind == Update::Kind::patch ? "application/json-patch+json" : "application/json");
}

void Server::State::sendEvents(Page page, const Request& request, Response& response) {
  if (request.method == "HEAD") {
    response.set_header("Content-Type", "text/event-stream");
    return;
  }
  const std::shared_ptr<Listener> listener = feed.listen(page, versionIn(request));
  if (listener == nullptr) {
    response.set_header("Retry-After", "30");
    refuse(response, 503, "too many pages listen already");
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
  http.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  http.set_socket_options(setSocketOptions);
  // A connection for each request: one that is kept open is polled a hundred times a second.
  http.set_keep_alive_max_count(1);
  http.set_read_timeout(kPatienceSeconds);
  http.set_write_timeout(kPatienceSeconds);
  http.set_payload_max_length(kMostPayload);
  http.set_pre_routing_handler(
      [this](const Request& request, Response& response) { return check(request, response); });
  const auto runOf = [](const Request& request) { return numberIn(request.matches[1].str()); };
  http.Get("/", [this](const Request&, Response& response) { sendPage(kRunList, response); });
  http.Get("/document", [this](const Request& request, Response& response) {
    sendDocument(kRunList, request, response);
  });
  http.Get("/events", [this](const Request& request, Response& response) {
    sendEvents(kRunList, request, response);
  });
  // A number of at most 18 digits: no other reaches a run.
  http.Get(R"(/runs/([1-9][0-9]{0,17}))",
           [this, runOf](const Request& request, Response& response) {
             sendPage(runOf(request), response);
           });
  http.Get(R"(/runs/([1-9][0-9]{0,17})/document)",
           [this, runOf](const Request& request, Response& response) {
             sendDocument(runOf(request), request, response);
           });
  http.Get(R"(/runs/([1-9][0-9]{0,17})/events)",
           [this, runOf](const Request& request, Response& response) {
             sendEvents(runOf(request), request, response);
           });
  http.set_error_handler([](const Request&, Response& response) {
    if (response.body.empty() && response.status == 404) {
      response.set_content("there is no such page; / lists the runs\n",
                           "text/plain; charset=utf-8");
    }
  });
  http.set_exception_handler([](const Request&, Response& response, const std::exception_ptr&) {
    refuse(response, 500, "a defect of hone itself");
  });
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::bind(const ServerOptions& options) {
  auto access = HONE_TRY(Access::make(options.address, options.token));
  const SignalsHeld held;  // by the feed's thread, too
  auto state = std::make_unique<State>(options, std::move(access));
  state->port = options.port;
  const bool bound = options.port == 0
                         ? (state->port = state->http.bind_to_any_port(options.address)) > 0
                         : state->http.bind_to_port(options.address, options.port);
  if (!bound) {
    return userError(
        "cannot listen at {} port {}: it is in use, or not an address of this "
        "machine; --port 0 takes any that is free",
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
    const SignalsHeld held;
    answering = std::thread([this] { state_->http.listen_after_bind(); });
    while (!state_->http.is_running()) {  // a stop before that would be lost
      std::this_thread::yield();
    }
    held.waitForOne();
  }
  // A second signal ends the process: a slow reader may keep a thread for as long as it likes.
  state_->feed.stop();
  state_->http.stop();
  answering.join();
}

}  // namespace hone::serve
