#include "app/report/serve.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common/find_run.h"
#include "base/text/json.h"
#include "serve/server.h"

namespace hone::app {
namespace {

struct ServeCommandOptions {
  int port = 8765;
  std::string address = "127.0.0.1";
  std::string tokenFrom;
};

/// Returns the token in the variable and removes it from the environment.
Result<std::string> takeToken(const std::string& variable) {
  if (variable.empty()) {
    return std::string();
  }
  char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') {
    return userError("--token-from: environment variable {} is not set or empty", variable);
  }
  std::string token = value;
  ::explicit_bzero(value, token.size());  // also from /proc/<pid>/environ
  ::unsetenv(variable.c_str());
  return token;
}

Result<int> serve(const Context& context, const ServeCommandOptions& options) {
  HONE_CHECK(checkStoreNamed(context));
  serve::ServerOptions asked;
  asked.store = context.store;
  asked.address = options.address;
  asked.port = options.port;
  asked.token = HONE_TRY(takeToken(options.tokenFrom));
  serve::Server server = HONE_TRY(serve::Server::bind(asked));
  if (context.json) {
    const nlohmann::json json = {{"url", server.url()}, {"port", server.port()}};
    fmt::print("{}\n", jsonText(json));
  } else {
    fmt::print("{}\n", server.url());
  }
  std::fflush(stdout);
  if (!context.quiet && !context.json) {
    fmt::print(stderr, "serving runs in {}; press Ctrl-C to stop\n", context.store.string());
  }
  server.run();
  return 0;
}

}  // namespace

void addServeCommand(CLI::App& app, Context& context) {
  auto options = std::make_shared<ServeCommandOptions>();
  CLI::App* command = app.add_subcommand("serve", "Serve live pages of all runs to a browser");
  command->add_option("--port", options->port, "TCP port; 0 for any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--address", options->address,
                   "Address to listen on; any but localhost requires --token-from")
      ->capture_default_str();
  command
      ->add_option("--token-from", options->tokenFrom, "Environment variable with the access token")
      ->type_name("NAME");
  command->footer(
      "The server only reads the store, once per second while a page is open. Browsers ask for "
      "the token; scripts send it as `Authorization: Bearer TOKEN`.\n"
      "Examples:\n"
      "  hone serve\n"
      "  hone serve --port 0\n"
      "  hone serve --address 0.0.0.0 --token-from HONE_TOKEN\n"
      "  ssh -t -L 8765:localhost:8765 machine hone serve   remote, without a token\n"
      "Ctrl-C stops the server with exit code 0; a second Ctrl-C closes open connections.");
  command->callback([&context, options] {
    context.action = [&context, options] { return serve(context, *options); };
  });
}

}  // namespace hone::app
