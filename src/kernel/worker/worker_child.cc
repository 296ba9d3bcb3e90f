#include "kernel/worker/worker_child.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel/worker/child_faults.h"
#include "kernel/worker/child_tensors.h"
#include "kernel/worker/sandbox/landlock.h"
#include "kernel/worker/sandbox/sandbox.h"
#include "kernel/worker/stir.h"
#include "kernel/worker/worker_pipes.h"

namespace hone::kernel {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxArguments = 24;

/// Pointers and sizes are both passed as 64-bit integers.
using Word = std::uint64_t;

template <std::size_t... Index>
void callWith(void* function, const Word* words, std::index_sequence<Index...> /*count*/) {
  reinterpret_cast<void (*)(decltype(Word{Index})...)>(function)(words[Index]...);
}

template <std::size_t Count>
void callWithCount(void* function, const Word* words) {
  callWith(function, words, std::make_index_sequence<Count>());
}

template <std::size_t... Count>
constexpr auto callTable(std::index_sequence<Count...> /*counts*/) {
  return std::array{&callWithCount<Count>...};
}

constexpr auto kCalls = callTable(std::make_index_sequence<kMaxArguments + 1>());

/// Reason of a failed request.
struct Failure {
  std::string kind;
  std::string error;
};

/// A decoded `call` or `time` request.
struct Call {
  std::vector<Word> words;
  std::vector<Stirrable> inputs;
};

class Child {
 public:
  int serve() {
    catchFaults();
    while (auto line = readLine()) {
      const json request = json::parse(*line, nullptr, false);
      if (!request.is_object()) {
        return 2;
      }
      id_ = request.value("id", std::uint64_t{0});
      setCurrentRequest(id_);
      const std::string what = request.value("do", "");
      if (what == "quit") {
        return 0;
      }
      sendReply(attempt(what, request));
    }
    return 0;
  }

 private:
  /// Performs a request; exceptions of the kernel become failures.
  std::optional<Failure> attempt(const std::string& what, const json& request) {
    body_ = json::object();
    try {
      return perform(what, request);
    } catch (const std::bad_alloc&) {
      return Failure{"run", "exceeds its memory limit"};
    } catch (const json::exception& error) {
      return Failure{"protocol", error.what()};
    } catch (const std::exception& error) {
      return Failure{"run", fmt::format("threw an exception: {}", error.what())};
    } catch (...) {
      return Failure{"run", "threw an object that is not a std::exception"};
    }
  }

  std::optional<Failure> perform(const std::string& what, const json& request) {
    if (what == "hello") {
      body_ = {{"protocol", 1}, {"worker", "cpp"}, {"sandbox", sandboxKind()}};
      return std::nullopt;
    }
    if (what == "tensors") {
      const auto opened = tensors_.open(request);
      return opened ? std::nullopt : std::optional(Failure{"protocol", opened.error().message});
    }
    if (what == "load") {
      return load(request);
    }
    if (what == "call" || what == "time") {
      auto call = decodeCall(request);
      if (!call) {
        return Failure{"protocol", call.error().message};
      }
      if (what == "call") {
        run(*call);
        return std::nullopt;
      }
      return time(request, *call);
    }
    return Failure{"protocol", fmt::format("unknown request '{}'", what)};
  }

  std::optional<Failure> load(const json& request) {
    const auto library = request.at("library").get<std::string>();
    const auto name = request.at("function").get<std::string>();
    const bool sandboxed = sandboxKind() == "seccomp";
    // Loading already runs kernel code, which must not read the user's files.
    std::set<std::filesystem::path> readable = loaderPlaces();
    readable.insert(std::filesystem::path(library).parent_path());
    const bool limited = readOnlyBelow(readable);
    if (sandboxed && !enterSandbox()) {
      return Failure{"protocol", "cannot install the system call filter"};
    }
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      return Failure{"build", fmt::format("cannot be loaded: {}", ::dlerror())};
    }
    function_ = ::dlsym(handle, name.c_str());
    if (function_ == nullptr) {
      return Failure{"build", fmt::format("has no function '{}'; declare extern \"C\" void {}(…)",
                                          name, name)};
    }
    if (sandboxed && !closeFiles()) {
      return Failure{"protocol", "cannot install the system call filter"};
    }
    body_ = {{"landlock", limited}, {"missing", json::array()}};
    if (!limited) {
      body_["missing"].push_back("landlock");
    }
    if (!sandboxed) {
      body_["missing"].push_back("seccomp");
    }
    return std::nullopt;
  }

  [[nodiscard]] Result<Call> decodeCall(const json& request) const {
    Call call;
    for (const char* role : {"inputs", "outputs"}) {
      for (const json& id : request.at(role)) {
        const ChildTensor* tensor = tensors_.find(id.get<std::string>());
        if (tensor == nullptr) {
          return userError("unknown tensor {}", id.dump());
        }
        call.words.push_back(reinterpret_cast<Word>(tensor->view));
        if (tensor->isInput) {
          call.inputs.push_back(tensor->stirrable());
        }
      }
    }
    for (const json& size : request.at("sizes")) {
      call.words.push_back(static_cast<Word>(size.get<std::int64_t>()));
    }
    if (function_ == nullptr || call.words.size() >= kCalls.size()) {
      return userError("no kernel is loaded, or it has too many arguments");
    }
    return call;
  }

  void run(const Call& call) const { kCalls[call.words.size()](function_, call.words.data()); }

  std::optional<Failure> time(const json& request, const Call& call) {
    const auto warmUp = request.value("warmup", std::size_t{0});
    const std::size_t count = warmUp + request.at("iterations").get<std::size_t>();
    const bool stirs = request.contains("stir");
    Stir stir(stirs ? request["stir"].get<std::uint64_t>() : 0,
              stirs ? std::span<const Stirrable>(call.inputs) : std::span<const Stirrable>(),
              count);
    for (std::size_t i = 0; i < warmUp; ++i) {
      stir.before(i);
      run(call);
    }
    touchInputs(call.inputs);
    body_ = {{"ready", true}};
    sendReply(std::nullopt);
    if (!takeGo()) {
      return Failure{"protocol", "expected a line 'go NUMBER'"};
    }
    for (std::size_t i = warmUp; i < count; ++i) {
      stir.before(i);
      run(call);
    }
    body_ = json::object();
    return std::nullopt;
  }

  /// Reads the inputs into the caches. The judge may have just written them on another core;
  /// loading them must not count as time of the kernel.
  static void touchInputs(std::span<const Stirrable> inputs) {
    constexpr std::size_t kLine = 64;
    for (const Stirrable& input : inputs) {
      const volatile std::byte* data = input.data;
      for (std::size_t at = 0; at < input.count * input.elementBytes; at += kLine) {
        (void)data[at];
      }
    }
  }

  bool takeGo() {
    const auto line = readLine();
    constexpr std::string_view kGo = "go ";
    if (!line || !line->starts_with(kGo)) {
      return false;
    }
    const char* end = line->data() + line->size();
    const auto [stopped, error] = std::from_chars(line->data() + kGo.size(), end, id_);
    setCurrentRequest(id_);
    return error == std::errc() && stopped == end;
  }

  /// Returns the next request; nullopt if there are no more.
  std::optional<std::string> readLine() {
    for (;;) {
      if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> buffer;  // NOLINT(*-member-init): read fills the used part
      const ssize_t got = ::read(kRequests, buffer.data(), buffer.size());
      if (got > 0) {
        pending_.append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        return std::nullopt;
      }
    }
  }

  void sendReply(const std::optional<Failure>& failure) {
    body_["id"] = id_;
    body_["ok"] = !failure;
    if (failure) {
      body_["kind"] = failure->kind;
      body_["error"] = failure->error;
    }
    const std::string line = body_.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    std::string_view left = line;
    while (!left.empty()) {
      const ssize_t wrote = ::write(kReplies, left.data(), left.size());
      if (wrote <= 0 && errno != EINTR) {
        ::_exit(2);  // the judge is gone
      }
      left.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
    }
  }

  ChildTensors tensors_;
  void* function_ = nullptr;
  std::uint64_t id_ = 0;
  json body_;
  std::string pending_;
};

}  // namespace

int serveKernels() { return Child().serve(); }

}  // namespace hone::kernel
