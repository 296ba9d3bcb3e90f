#include "app/report/serve.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "serve/server.h"
#include "store/records.h"

namespace hone::app {
namespace {

struct ServeVerbOptions {
  int port = 8765;
  std::string address = "127.0.0.1";
  std::string tokenFrom;
};

/// The secret in the variable, which is taken out of the environment.
Result<std::string> tokenIn(const std::string& variable) {
  if (variable.empty()) {
    return std::string();
  }
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') {
    return userError("--token-from: there is nothing in the environment variable {}", variable);
  }
  std::string token = value;
  ::unsetenv(variable.c_str());
  return token;
}

Result<int> serve(const Context& context, const ServeVerbOptions& options) {
  serve::ServerOptions asked;
  asked.store = context.store;
  asked.address = options.address;
  asked.port = options.port;
  asked.token = HONE_TRY(tokenIn(options.tokenFrom));
  serve::Server server = HONE_TRY(serve::Server::bind(asked));
  if (context.json) {
    const nlohmann::json json = {{"url", server.url()}, {"port", server.port()}};
    fmt::print("{}\n", store::jsonText(json));
  } else {
    fmt::print("{}\n", server.url());
  }
  std::fflush(stdout);
  if (!context.quiet && !context.json) {
    fmt::print(stderr, "the runs in {}; Ctrl-C ends it\n", context.store.string());
  }
  server.run();
  return 0;
}

}  // namespace

void addServeVerb(CLI::App& app, Context& context) {
  auto options = std::make_shared<ServeVerbOptions>();
  CLI::App* verb =
      app.add_subcommand("serve", "The pages of all runs in a browser, live while a run goes on");
  verb->add_option("--port", options->port, "0 takes any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--address", options->address,
                   "Where to listen; others than this machine need --token-from")
      ->capture_default_str();
  verb->add_option("--token-from", options->tokenFrom,
                   "The environment variable that has the secret which readers must give")
      ->type_name("NAME");
  verb->footer(
      "It only reads: nothing in the store or elsewhere changes. Browsers ask for the token;\n"
      "scripts give it as `Authorization: Bearer ...`. The run is not slowed: the store is looked\n"
      "at once a second, and only while a page is open.\n"
      "Examples:\n"
      "  hone serve\n"
      "  hone serve --port 0\n"
      "  HONE_TOKEN=$(openssl rand -hex 16) hone serve --address 0.0.0.0 --token-from HONE_TOKEN\n"
      "  ssh -t -L 8765:localhost:8765 machine hone serve   from afar, without a token\n"
      "Ctrl-C ends it; the exit code is 0. A second one does not wait for slow readers.");
  verb->callback([&context, options] {
    context.action = [&context, options] { return serve(context, *options); };
  });
}

}  // namespace hone::app
