#include "kernel/chat/chat_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/chat/test_chat_server.h"

namespace hone::kernel {
namespace {

using std::chrono::milliseconds;
using test::ChatServer;
using test::fails;
using test::says;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kKey = "sk-very-secret-4711";

/// A client that records pauses instead of sleeping.
class Client {
 public:
  explicit Client(const std::string& base, milliseconds timeout = milliseconds(60'000),
                  const std::string& model = "tiny") {
    ChatOptions options;
    options.apiBase = base;
    options.key = kKey;
    options.keyName = "HONE_API_KEY";
    options.model = model;
    options.timeout = timeout;
    client_.emplace(ChatClient::make(options).value());
    client_->setPause([this](milliseconds time) -> Result<void> {
      pauses_.push_back(time.count());
      return {};
    });
  }

  Result<ChatReply> ask(std::optional<std::int64_t> maxTokens = {}) {
    return client_->ask({{{ChatMessage::Role::user, "make it fast"}}, maxTokens, {}});
  }
  std::string failure() {
    const auto reply = ask();
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? reply->failure : "";
  }
  /// Returns the message of the error that aborts the run.
  std::string error(Fault fault = Fault::user) {
    const auto reply = ask();
    EXPECT_FALSE(reply);
    EXPECT_TRUE(reply || reply.error().fault == fault);
    EXPECT_TRUE(reply || reply.error().fatal) << "must abort the batch";
    return reply ? "" : reply.error().message;
  }
  ChatClient& client() { return *client_; }
  [[nodiscard]] const std::vector<std::int64_t>& pauses() const { return pauses_; }

 private:
  std::optional<ChatClient> client_;
  std::vector<std::int64_t> pauses_;
};

TEST(ChatClient, SendsPromptAndCountsTokens) {
  ChatServer server({says("done", 123, 45)});
  Client client(server.base() + "/");
  const auto reply = client.ask(500);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE(reply->ok()) << reply->failure;
  EXPECT_EQ(reply->text, "done");
  EXPECT_EQ(reply->use, (TokenUse{123, 45}));
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].authorization, std::string("Bearer ") + kKey);
  EXPECT_EQ(requests[0].body["model"], "tiny");
  EXPECT_EQ(requests[0].body["temperature"], 0.7);
  EXPECT_EQ(requests[0].body["max_tokens"], 500);
  EXPECT_EQ(requests[0].body["messages"][0]["content"], "make it fast");
  EXPECT_THAT(client.pauses(), SizeIs(0));
}

TEST(ChatClient, EstimatesUnreportedTokens) {
  // "make it fast" has twelve characters.
  ChatServer silent({{200, R"({"choices":[{"message":{"content":"123456789"}}]})", {}},
                     {200, R"({"choices":[{"message":{"content":"123"}}],"usage":null})", {}},
                     {200, R"({"usage":{"prompt_tokens":7}, "choices":[]})", {}}});
  Client client(silent.base());
  EXPECT_EQ(client.ask()->use, (TokenUse{4, 3}));
  EXPECT_EQ(client.ask()->use, (TokenUse{4, 1}));
  const auto broken = client.ask();
  EXPECT_FALSE(broken->ok());
  EXPECT_EQ(broken->use.in, 7);
  EXPECT_GT(broken->use.out, 0);
}

TEST(ChatClient, CountsTokensOfLostReplies) {
  test::Scripted slow = says("too late");
  slow.never = true;
  ChatServer server({slow, slow, slow, slow});
  Client client(server.base(), milliseconds(200));
  const auto lost = client.ask(60);
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->ok());
  const std::int64_t attempts = lost->use.in / 4;
  EXPECT_GT(attempts, 0);
  EXPECT_EQ(lost->use, (TokenUse{4 * attempts, 60 * attempts}));
}

TEST(ChatClient, StripsProvider) {
  EXPECT_EQ(modelName("openai/o3"), "o3");
  EXPECT_EQ(modelName("gpt-4o"), "gpt-4o");
  EXPECT_EQ(modelName("Qwen/Qwen3-8B"), "Qwen/Qwen3-8B");
}

TEST(ChatClient, FailsOnWrongKeyWithoutShowingIt) {
  for (const int status : {401, 403}) {
    ChatServer server({fails(status, std::string("Incorrect API key provided: ") + kKey)});
    Client client(server.base());
    const std::string message = client.error();
    EXPECT_THAT(message, HasSubstr("rejected the key in HONE_API_KEY"));
    EXPECT_THAT(message, HasSubstr("Incorrect API key provided: [key]"));
    EXPECT_THAT(message, Not(HasSubstr(kKey)));
    EXPECT_THAT(server.requests(), SizeIs(1));
  }
}

TEST(ChatClient, FailsOnUnknownModelAndExhaustedQuota) {
  ChatServer unknown({fails(404, "The model `tiny` does not exist")});
  EXPECT_THAT(Client(unknown.base()).error(), HasSubstr("has no model 'tiny'"));
  ChatServer empty({{429, R"({"error":{"message":"pay","code":"insufficient_quota"}})", {}}});
  EXPECT_THAT(Client(empty.base()).error(Fault::machine),
              HasSubstr("no quota left for the key in HONE_API_KEY (429: pay)"));
  EXPECT_THAT(empty.requests(), SizeIs(1));
}

TEST(ChatClient, HonorsRetryAfter) {
  test::Scripted busy = fails(429, "slow down");
  busy.headers = {{"Retry-After", "7"}};
  ChatServer server({busy, busy, says("at last")});
  Client client(server.base());
  EXPECT_EQ(client.ask()->text, "at last");
  EXPECT_THAT(client.pauses(), ElementsAre(7000, 7000));
}

TEST(ChatClient, GivesUpOnLongRetryAfter) {
  test::Scripted busy = fails(429, "come back tomorrow");
  busy.headers = {{"Retry-After", "86400"}};
  ChatServer server({busy});
  Client client(server.base());
  EXPECT_THAT(client.failure(), HasSubstr("429: come back tomorrow"));
  EXPECT_THAT(client.pauses(), SizeIs(0));
}

TEST(ChatClient, RetriesServerErrorsWithBackoff) {
  ChatServer server({fails(500), fails(503), fails(502), says("fine")});
  Client client(server.base());
  EXPECT_EQ(client.ask()->text, "fine");
  EXPECT_THAT(client.pauses(), ElementsAre(1000, 2000, 4000));
}

TEST(ChatClient, GivesUpAfterRepeatedServerErrors) {
  ChatServer server({fails(500, "out of memory")});
  Client client(server.base());
  EXPECT_THAT(client.failure(), HasSubstr("500: out of memory"));
  EXPECT_THAT(server.requests(), SizeIs(4));
}

TEST(ChatClient, ReportsUnreachableServer) {
  std::string base;
  {
    const ChatServer gone({says("never")});
    base = gone.base();
  }
  Client client(base);
  EXPECT_THAT(client.failure(), HasSubstr(base));
  EXPECT_THAT(client.pauses(), ElementsAre(1000, 2000, 4000));
}

TEST(ChatClient, ReportsTimeout) {
  test::Scripted silent;
  silent.never = true;
  ChatServer server({silent});
  Client client(server.base(), milliseconds(100));
  EXPECT_THAT(client.failure(), HasSubstr("timed out"));
  EXPECT_THAT(server.requests(), SizeIs(2)) << "each timeout takes its full duration";
}

TEST(ChatClient, LimitsReplySize) {
  ChatServer server({says(std::string(2U << 20U, 'x'))});
  Client client(server.base());
  EXPECT_THAT(client.failure(), HasSubstr("reply exceeds"));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(ChatClient, ReportsInvalidReplies) {
  for (const auto& [body, says] : std::vector<std::pair<std::string, std::string>>{
           {"hello", "not a chat completion"},
           {"", "not a chat completion"},
           {"[]", "not a chat completion"},
           {R"({"choices":[]})", "not a chat completion"},
           {R"({"choices":[7]})", "not a chat completion"},
           {R"({"choices":[{}]})", "empty"},
           {R"({"choices":[{"message":{"content":null}}]})", "empty"},
           {R"({"choices":[{"message":{"content":"  \n"}}]})", "empty"},
           {R"({"choices":[{"finish_reason":"length","message":{"content":""}}]})",
            "used all tokens"},
           {std::string(100'000, '['), "not a chat completion"}}) {
    ChatServer server({{200, body, {}}});
    EXPECT_THAT(Client(server.base()).failure(), HasSubstr(says)) << body.substr(0, 100);
  }
}

TEST(ChatClient, RemovesKeyFromReplies) {
  ChatServer server({says(std::string("your key is ") + kKey)});
  EXPECT_EQ(Client(server.base()).ask()->text, "your key is [key]");
}

TEST(ChatClient, AdaptsToRejectedParameters) {
  ChatServer server(
      {fails(400, "Unsupported value: 'temperature' does not support 0.7 with this model."),
       fails(400, "Unsupported parameter: use 'max_completion_tokens' instead."), says("ok")});
  Client client(server.base());
  EXPECT_EQ(client.ask(100)->text, "ok");
  EXPECT_EQ(client.ask(100)->text, "ok");
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(4)) << "the adaptation must persist";
  EXPECT_FALSE(requests[2].body.contains("temperature"));
  EXPECT_FALSE(requests[3].body.contains("max_tokens"));
  EXPECT_EQ(requests[3].body["max_completion_tokens"], 100);
}

TEST(ChatClient, ReportsOtherBadRequests) {
  ChatServer server({fails(400, "This model's maximum context length is 8192 tokens.")});
  Client client(server.base());
  EXPECT_THAT(client.failure(), HasSubstr("maximum context length"));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(ChatClient, SendsConversation) {
  ChatServer server({says("second")});
  Client client(server.base());
  using Role = ChatMessage::Role;
  const ChatRequest request{
      {{Role::user, "a"}, {Role::assistant, "b"}, {Role::user, "c"}}, 100, milliseconds(60'000)};
  EXPECT_EQ(client.client().ask(request)->text, "second");
  EXPECT_EQ(server.requests()[0].body["messages"].dump(),
            R"([{"content":"a","role":"user"},{"content":"b","role":"assistant"},)"
            R"({"content":"c","role":"user"}])");
  EXPECT_EQ(guessTokens(request.messages), 3);
}

TEST(ChatClient, ReadsPartsAndTruncation) {
  ChatServer server(
      {{200,
        R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]})",
        {}},
       {200, R"({"choices":[{"finish_reason":"length","message":{"content":"abc"}}]})", {}}});
  Client client(server.base());
  const auto parts = client.ask();
  EXPECT_EQ(parts->text, "ab");
  EXPECT_FALSE(parts->truncated);
  EXPECT_TRUE(client.ask()->truncated);
}

TEST(ChatClient, ClassifiesFailures) {
  using Failure = ChatReply::Failure;
  for (const auto& [scripted, kind] : std::vector<std::pair<test::Scripted, Failure>>{
           {says("fine"), Failure::none},
           {says(""), Failure::answer},
           {says(std::string(2U << 20U, 'x')), Failure::answer},
           {{200, "<html>", {}}, Failure::answer},
           {fails(500), Failure::server},
           {fails(429), Failure::server},
           {fails(400, "no such thing"), Failure::server},
           {fails(400, "maximum context length is 4 tokens"), Failure::tooLong}}) {
    ChatServer server({scripted});
    EXPECT_EQ(Client(server.base()).ask()->kind, kind) << scripted.body.substr(0, 100);
  }
}

TEST(ChatClient, StopsWhenTimeIsUp) {
  test::Scripted silent;
  silent.never = true;
  ChatServer server({silent});
  Client client(server.base());
  const auto reply = client.client().ask({{{{}, "a"}}, {}, milliseconds(100)});
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, ChatReply::Failure::outOfTime);
  EXPECT_THAT(reply->failure, HasSubstr("no time left"));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(ChatClient, LearnsLimitOfAnswer) {
  ChatServer server({fails(400,
                           "max_tokens is too large: 249393. This model supports at most 100000 "
                           "completion tokens, whereas you provided 249393."),
                     says("ok")});
  Client client(server.base());
  EXPECT_EQ(client.ask(249'393)->text, "ok");
  EXPECT_EQ(client.client().limits().output, 100'000);
  ASSERT_THAT(server.requests(), SizeIs(2));
  EXPECT_EQ(server.requests()[1].body["max_tokens"], 100'000);
}

TEST(ChatClient, LearnsContext) {
  ChatServer server({fails(400,
                           "'max_tokens' or 'max_completion_tokens' is too large: 5000. This "
                           "model's maximum context length is 4096 tokens and your request has "
                           "200 input tokens (5000 > 4096 - 200)."),
                     says("ok")});
  Client client(server.base());
  EXPECT_EQ(client.ask(5'000)->text, "ok");
  EXPECT_EQ(client.client().limits().context, 4'096);
  EXPECT_EQ(server.requests().at(1).body["max_tokens"], 4096 - 200 - 64);
}

TEST(ChatClient, HalvesAnswerWithoutStatedLimit) {
  ChatServer server(
      {fails(400, "max_tokens is too large"), fails(400, "max_tokens is too large"), says("ok")});
  Client client(server.base());
  EXPECT_EQ(client.ask(8'000)->text, "ok");
  EXPECT_EQ(server.requests().at(2).body["max_tokens"], 2'000);
}

TEST(ChatClient, EndsWhenEveryLimitIsRejected) {
  ChatServer server({fails(400, "max_tokens is too large")});
  Client client(server.base());
  EXPECT_EQ(client.ask(1'000'000)->kind, ChatReply::Failure::server);
  EXPECT_LE(server.requests().size(), 10U);
}

TEST(ChatClient, KnowsReasoningModels) {
  ChatServer server({says("ok")});
  Client client(server.base(), milliseconds(60'000), "o3");
  EXPECT_EQ(client.ask(100)->text, "ok");
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_FALSE(requests[0].body.contains("temperature"));
  EXPECT_FALSE(requests[0].body.contains("max_tokens"));
  EXPECT_EQ(requests[0].body["max_completion_tokens"], 100);
}

TEST(ChatLimits, KnowsModels) {
  EXPECT_EQ(findLimits("o3"), (ChatLimits{200'000, 100'000}));
  EXPECT_EQ(findLimits("gpt-4o-2024-08-06"), findLimits("gpt-4o"));
  EXPECT_EQ(findLimits("SmolLM2"), ChatLimits());
  EXPECT_TRUE(isReasoningModel("o3-mini"));
  EXPECT_TRUE(isReasoningModel("gpt-5"));
  EXPECT_FALSE(isReasoningModel("gpt-4o"));
  EXPECT_FALSE(isReasoningModel("o300"));
}

TEST(ChatLimits, ReadsComplaintsOfServers) {
  struct Expected {
    std::string message;
    ChatLimits limits;
    std::optional<std::int64_t> prompt;
  };
  for (const Expected& one : std::vector<Expected>{
           {"This model's maximum context length is 8192 tokens. However, you requested 10,000 "
            "tokens (6,000 in the messages, 4,000 in the completion).",
            {8192, {}},
            6000},
           {"This model's maximum context length is 128000 tokens. However, your messages resulted "
            "in 130123 tokens.",
            {128'000, {}},
            130'123},
           {"request (1234 tokens) exceeds the available context size (1024 tokens), try "
            "increasing it",
            {1024, {}},
            1234},
           {"prompt is too long: 210000 tokens > 200000 maximum", {200'000, {}}, 210'000},
           {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 "
            "maximum context length",
            {32'768, {}},
            40'000},
           {"max_tokens: 249393 > 64000, which is the maximum allowed number of output tokens for "
            "claude",
            {{}, 64'000},
            {}},
           {"`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` "
            "is less than the `context_window` for this model",
            {{}, 8192},
            {}},
           {"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", {{}, 8192}, {}},
           {"the model overloaded", {{}, {}}, {}}}) {
    const TokenComplaint read = readTokenComplaint(one.message);
    EXPECT_EQ(read.limits, one.limits) << one.message;
    EXPECT_EQ(read.prompt, one.prompt) << one.message;
  }
  EXPECT_FALSE(readTokenComplaint("the model is overloaded").any());
  EXPECT_FALSE(
      readTokenComplaint("Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'").any());
}

TEST(ChatClient, DoesNotFollowRedirects) {
  ChatServer other({says("caught the key")});
  ChatServer server({{302, "", {{"Location", other.base() + "/chat/completions"}}}});
  EXPECT_THAT(Client(server.base()).failure(), HasSubstr("302"));
  EXPECT_THAT(other.requests(), SizeIs(0));
}

TEST(ChatClient, RejectsInvalidAddresses) {
  for (const auto& [base, says] : std::vector<std::pair<std::string, std::string>>{
           {"api.openai.com", "http:// or https://"},
           {"file:///etc/passwd", "http:// or https://"},
           {"https://me:secret@example.org/v1", "contains a password"}}) {
    ChatOptions options;
    options.apiBase = base;
    options.model = "tiny";
    const auto client = ChatClient::make(options);
    ASSERT_FALSE(client) << base;
    EXPECT_THAT(client.error().message, HasSubstr(says));
    EXPECT_THAT(client.error().message, Not(HasSubstr("secret")));
  }
}

TEST(ChatPrice, KnowsDatedModels) {
  EXPECT_EQ(findPrice("gpt-4o"), findPrice("gpt-4o-2024-08-06"));
  EXPECT_NE(findPrice("gpt-4o"), findPrice("gpt-4o-mini"));
  EXPECT_EQ(findPrice("o3-mini")->out, 4.4);
  EXPECT_EQ(findPrice("SmolLM2"), std::nullopt);
  EXPECT_EQ(findPrice("o3-large-preview"), std::nullopt);
}

TEST(ChatPrice, ParsesAndMultiplies) {
  EXPECT_EQ(priceFrom("2.5, 10").value(), (ChatPrice{2.5, 10}));
  for (const char* wrong : {"", "2", "2,", "2,x", "-1,2", "1,2,3"}) {
    EXPECT_FALSE(priceFrom(wrong)) << wrong;
  }
  EXPECT_DOUBLE_EQ(computeCost({1'000'000, 500'000}, {2, 8}), 6);
}

}  // namespace
}  // namespace hone::kernel
