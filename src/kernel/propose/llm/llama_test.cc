// Tests the language-model proposer with a real llama.cpp server and a small model. Checks the
// protocol, not the content of the answers.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text/text.h"
#include "kernel/propose/llm/llm_proposer.h"

namespace hone::kernel {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Runs the server in a child process, which exits when its standard input is closed.
class LlamaServer {
 public:
  LlamaServer() {
    std::array<int, 2> in{-1, -1};
    std::array<int, 2> out{-1, -1};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      return;
    }
    const char* given = std::getenv("HONE_PYTHON");
    const char* python = given != nullptr ? given : HONE_TEST_PYTHON;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execl(python, python, HONE_LLAMA_SERVER, nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    output_ = ::fdopen(out[0], "r");
    std::array<char, 4096> line{};
    // Skip the output of the library.
    while (output_ != nullptr && status_.empty() &&
           std::fgets(line.data(), line.size(), output_) != nullptr) {
      const std::string text(trim(line.data()));
      if (text.starts_with("http") || text.starts_with("missing")) {
        status_ = text;
      }
    }
  }
  LlamaServer(const LlamaServer&) = delete;
  LlamaServer& operator=(const LlamaServer&) = delete;
  ~LlamaServer() {
    ::close(input_);
    if (pid_ > 0) {
      ::kill(pid_, SIGTERM);
      ::waitpid(pid_, nullptr, 0);
    }
    if (output_ != nullptr) {
      std::fclose(output_);
    }
  }

  /// Returns the address of the server, "missing …", or "" if it did not start.
  [[nodiscard]] const std::string& status() const { return status_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  FILE* output_ = nullptr;
  std::string status_;
};

class Llama : public ::testing::Test {
 protected:
  static LlamaServer& server() {
    static LlamaServer server;
    return server;
  }
  void SetUp() override {
    if (!server().status().starts_with("http")) {
      GTEST_SKIP() << "no language model found (" << server().status()
                   << "); run scripts/setup --llm";
    }
  }
  [[nodiscard]] static ChatClient client() {
    ChatOptions options;
    options.apiBase = server().status() + "/v1";
    options.model = "SmolLM2";
    options.temperature = 0;
    return ChatClient::make(options).value();
  }
};

TEST_F(Llama, AnswersAndCountsTokens) {
  ChatClient chat = client();
  const auto reply = chat.ask({{{ChatMessage::Role::user, "Say hello."}}, 16, {}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->ok()) << reply->failure;
  EXPECT_FALSE(reply->text.empty());
  EXPECT_GT(reply->use.in, 0);
  EXPECT_GT(reply->use.out, 0);
  EXPECT_LE(reply->use.out, 16);
}

TEST_F(Llama, AnswersProposer) {
  LlmProposer proposer(client(), {ChatPrice{1, 1}, {}, 64});
  Task task;
  task.name = "scale";
  const Source kernel{Language::cpp,
                      "scale",
                      "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {}\n",
                      {}};
  const auto proposals = proposer.propose({task, kernel, kernel, 1, Analysis{}, {}, {}, 1, 2});
  ASSERT_TRUE(proposals) << proposals.error().message;
  EXPECT_TRUE(!proposals->empty() || !proposer.complaint().empty());
  EXPECT_GT(proposer.used().in, 50);
  EXPECT_THAT(proposer.conversation(), HasSubstr("Task: scale"));
  EXPECT_THAT(proposer.memory(), SizeIs(1));
}

TEST_F(Llama, AnswersConversation) {
  ChatClient chat = client();
  using Role = ChatMessage::Role;
  const auto reply = chat.ask({{{Role::user, "My name is Ada."},
                                {Role::assistant, "Hello Ada."},
                                {Role::user, "What is my name?"}},
                               16,
                               {}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->ok()) << reply->failure;
  EXPECT_GT(reply->use.in, 20) << "all messages count";
}

TEST_F(Llama, StatesItsContext) {
  ChatClient chat = client();
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "word ";
  }
  const auto reply = chat.ask({{{ChatMessage::Role::user, text}}, 16, {}});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->kind, ChatReply::Failure::tooLong) << reply->failure;
  EXPECT_EQ(chat.limits().context, 8192) << reply->failure;
}

TEST_F(Llama, RepairsInOneConversation) {
  LlmProposer proposer(client(), {{}, {}, 64});
  Task task;
  task.name = "scale";
  const Source kernel{Language::cpp,
                      "scale",
                      "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {}\n",
                      {}};
  const TurnView view{task, kernel, kernel, 1, Analysis{}, {}, {}, 1, 2};
  ASSERT_TRUE(proposer.propose(view));
  const auto repaired = proposer.repair(view, {});
  ASSERT_TRUE(repaired) << repaired.error().message;
  if (*repaired) {  // an answer of 64 tokens has no complete kernel
    EXPECT_THAT(proposer.memory(), SizeIs(2));
    EXPECT_EQ(proposer.memory()[1]["starts"], false) << "the conversation continues";
  }
}

}  // namespace
}  // namespace hone::kernel
