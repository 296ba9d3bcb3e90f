// End-to-end tests of how `hone kernel optimize` reports mistakes to a language model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernel/kernel_box.h"

namespace hone::test {
namespace {

using kernel::test::says;
using testing::SizeIs;

/// A mistake of a model, and the part of hone's answer that names it.
struct Mistake {
  std::string name;
  kernel::test::Scripted answer;
  std::vector<std::string> named;
  std::vector<std::string> options;
};

/// Returns kFast with its loop over the elements of a row replaced.
std::string withBody(const std::string& body, const std::string& includes = "") {
  return "#include <cstdint>\n" + includes +
         "extern \"C\" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {\n"
         "  for (std::int64_t i = 0; i < R; ++i) {\n" +
         body + "  }\n}\n";
}

constexpr const char* kSum =
    "    float sum = 0;\n"
    "    for (std::int64_t k = 0; k < C; ++k) sum += X[i * C + k];\n";
constexpr const char* kStore =
    "    for (std::int64_t j = 0; j < C; ++j) Y[i * C + j] = X[i * C + j] + sum / C;\n";

/// Both threads reset and add to one sum.
constexpr const char* kRace = R"(#include <cstdint>
#include <omp.h>
extern "C" void kernel(const float* X, float* Y, std::int64_t R, std::int64_t C) {
  float sum = 0;
#pragma omp parallel num_threads(2)
  for (std::int64_t i = 0; i < R; ++i) {
    float part = 0;
    for (std::int64_t k = omp_get_thread_num(); k < C; k += 2) part += X[i * C + k];
    sum += part;
#pragma omp barrier
    for (std::int64_t j = omp_get_thread_num(); j < C; j += 2) Y[i * C + j] = X[i * C + j] + sum / C;
#pragma omp barrier
    sum = 0;
  }
}
)";

std::vector<Mistake> mistakes() {
  const auto code = [](const std::string& text) { return says("Faster.\n" + fenced(text)); };
  const std::string sum = kSum;
  const std::string store = kStore;
  return {
      {"Syntax", code(withBody("    float sum = 0\n" + store)), {"line 5: error: expected"}, {}},
      {"WrongType",
       code(withBody("    double* x = X + i * C;\n" + sum + store)),
       {"line 4: error: cannot convert"},
       {}},
      {"OffByOne",
       code(withBody("    float sum = 0;\n"
                     "    for (std::int64_t k = 1; k < C; ++k) sum += X[i * C + k];\n" +
                     store)),
       {"Y[", " is ", ", expected ", "elements are wrong"},
       {}},
      {"MissingTail",
       code(withBody(sum + "    for (std::int64_t j = 0; j + 8 <= C; j += 8)\n"
                           "      for (std::int64_t t = 0; t < 8; ++t)\n"
                           "        Y[i * C + j + t] = X[i * C + j + t] + sum / C;\n")),
       {"does not write Y[0,16]", "R=3 C=17"},
       {}},
      {"WrongAxis",
       code(withBody("    for (std::int64_t j = 0; j < C; ++j) {\n      float sum = 0;\n"
                     "      for (std::int64_t k = 0; k < R; ++k) sum += X[k * C + j];\n"
                     "      Y[i * C + j] = X[i * C + j] + sum / R;\n    }\n")),
       {"Y[", ", expected "},
       {}},
      {"Race", code(kRace), {"Y[", ", expected "}, {"--threads", "2"}},
      {"RefusedInclude",
       code(withBody(sum + store, "#include <unistd.h>\n")),
       {"invalid", "line 2: includes <unistd.h>"},
       {}},
      {"TooSlow",
       code(withBody("    volatile float work = 0;\n"
                     "    for (std::int64_t k = 0; k < 400 * C; ++k) work = work + 1;\n" +
                     sum + store)),
       {"x the time of the best kernel", "instead of"},
       {}},
      {"Truncated",
       kernel::test::saysUntilLimit("Faster.\n```cpp\n" + std::string(kFast).substr(0, 200)),
       {"truncated", "fewer or shorter candidates"},
       {}},
      {"Prose",
       says("I would compute the mean of each row once."),
       {"no fenced code block found"},
       {}}};
}

class KernelMistake : public Kernel, public testing::WithParamInterface<std::size_t> {};

/// The model repeats its mistake until a request names it.
TEST_P(KernelMistake, IsRepairedInOneRequest) {
  const Mistake mistake = mistakes().at(GetParam());
  box_.write("mean.cc", std::string("// hone: flags -O2 -fopenmp\n") + kSlow);
  const ChatServer server([&](const nlohmann::json& body) {
    const std::string asked = lastMessage(body);
    const bool isNamed = std::ranges::all_of(
        mistake.named, [&](const std::string& part) { return asked.contains(part); });
    return isNamed ? says(goodAnswer()) : mistake.answer;
  });
  std::vector<std::string> options = {"--json", "--no-save", "--max-iterations", "1"};
  options.insert(options.end(), mistake.options.begin(), mistake.options.end());
  const CommandResult ran = box_.hone(ask(server, options));
  ASSERT_EQ(ran.code, 0) << ran.err;
  fmt::print("{}: repaired by request {} of turn 1\n", mistake.name, server.requests().size());
  ASSERT_THAT(server.requests(), SizeIs(2)) << lastMessage(server.requests().back().body);
  EXPECT_EQ(ran.json()["best"], "the mean once a row") << ran.out;
}

INSTANTIATE_TEST_SUITE_P(Ten, KernelMistake, testing::Range<std::size_t>(0, 10),
                         [](const testing::TestParamInfo<std::size_t>& tested) {
                           return mistakes().at(tested.param).name;
                         });

}  // namespace
}  // namespace hone::test
