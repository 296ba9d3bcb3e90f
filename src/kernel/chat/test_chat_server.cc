#include "kernel/chat/test_chat_server.h"

#include <httplib.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace hone::kernel::test {

using nlohmann::json;

Scripted says(const std::string& text, int tokensIn, int tokensOut) {
  const json choice = {{"index", 0},
                       {"finish_reason", "stop"},
                       {"message", {{"role", "assistant"}, {"content", text}}}};
  const json usage = {{"prompt_tokens", tokensIn}, {"completion_tokens", tokensOut}};
  return {200, json{{"choices", json::array({choice})}, {"usage", usage}}.dump(), {}, false};
}

Scripted fails(int status, const std::string& message) {
  return {status, json{{"error", {{"message", message}}}}.dump(), {}, false};
}

Scripted saysUntilLimit(const std::string& text) {
  Scripted scripted = says(text);
  json body = json::parse(scripted.body);
  body["choices"][0]["finish_reason"] = "length";
  scripted.body = body.dump();
  return scripted;
}

struct ChatServer::State {
  httplib::Server server;
  std::thread thread;
  int port = 0;
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  Responder responder;
  std::vector<Request> requests;

  void respond(const httplib::Request& request, httplib::Response& response) {
    std::unique_lock lock(mutex);
    requests.push_back(
        {request.get_header_value("Authorization"), json::parse(request.body, nullptr, false)});
    const Scripted scripted = responder(requests.back().body);
    if (scripted.never) {
      changed.wait(lock, [this] { return stopped; });
    }
    response.status = scripted.status;
    for (const auto& [name, value] : scripted.headers) {
      response.set_header(name, value);
    }
    response.set_content(scripted.body, "application/json");
  }
};

ChatServer::ChatServer(std::deque<Scripted> script)
    : ChatServer([script = std::move(script)](const json& /*body*/) mutable {
        Scripted scripted = script.front();
        if (script.size() > 1) {
          script.pop_front();
        }
        return scripted;
      }) {}

ChatServer::ChatServer(Responder responder) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.responder = std::move(responder);
  state.server.Post("/v1/chat/completions",
                    [&state](const httplib::Request& request, httplib::Response& response) {
                      state.respond(request, response);
                    });
  state.port = state.server.bind_to_any_port("127.0.0.1");
  state.thread = std::thread([&state] { state.server.listen_after_bind(); });
  while (!state.server.is_running()) {  // stop() has no effect before
    std::this_thread::yield();
  }
}

ChatServer::~ChatServer() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stopped = true;
  }
  state_->changed.notify_all();
  state_->server.stop();
  state_->thread.join();
}

std::string ChatServer::base() const {
  return "http://127.0.0.1:" + std::to_string(state_->port) + "/v1";
}

std::vector<ChatServer::Request> ChatServer::requests() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->requests;
}

}  // namespace hone::kernel::test
