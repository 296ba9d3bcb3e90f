#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

nlohmann::json checkNamed(const nlohmann::json& document, const std::string& name) {
  for (const nlohmann::json& check : document.at("checks")) {
    if (check.at("name") == name) {
      return check;
    }
  }
  ADD_FAILURE() << "no check named " << name;
  return {{"found", false}, {"needed", false}, {"what", ""}, {"mend", ""}};
}

TEST(Doctor, FindsDependenciesAndDevices) {
  Sandbox box;
  const CommandResult ran = box.hone({"doctor", "--json"});
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_EQ(ran.err, "");
  const nlohmann::json document = ran.json();
  EXPECT_EQ(document.at("works"), true);
  for (const char* name : {"IREE compiler", "IREE runtime tools", "oneDNN (reference)", "store",
                           "device local-sync", "device local-task"}) {
    const nlohmann::json check = checkNamed(document, name);
    EXPECT_EQ(check.at("found"), true) << check;
    EXPECT_EQ(check.at("needed"), true) << name;
    EXPECT_EQ(check.at("mend"), "") << name;
  }
  for (const char* name :
       {"device vulkan", "device hip", "device cuda", "z3", "onnx", "ONNX Runtime", "PyTorch",
        "measuring priority", "TileLang", "kernel sandbox", "nvcc", "Slurm"}) {
    const nlohmann::json check = checkNamed(document, name);
    EXPECT_EQ(check.at("needed"), false) << name;
    EXPECT_EQ(check.at("found").get<bool>(), check.at("mend").get<std::string>().empty()) << check;
  }
  EXPECT_THAT(box.leftoverFiles(), IsEmpty());
  EXPECT_THAT(box.leftoverProcesses(), IsEmpty());
}

TEST(Doctor, NeverShowsApiKey) {
  Sandbox box;
  box.setVariable("OPENAI_API_KEY", "sk-test-secret");
  box.setVariable("OPENAI_API_BASE", "http://127.0.0.1:9/v1");
  box.setVariable("HONE_IREE", box.work().string());  // no IREE needed here
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"doctor"}, std::vector<std::string>{"doctor", "--json"}}) {
    const CommandResult ran = box.hone(arguments);
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("sk-test-secret")));
    EXPECT_THAT(ran.out, HasSubstr("key set"));
    EXPECT_THAT(ran.out, HasSubstr("http://127.0.0.1:9/v1"));
  }
}

TEST(Doctor, SuggestsFixWithoutIree) {
  Sandbox box;
  box.moveProgram();
  box.setVariable("HONE_IREE", "");
  box.setVariable("VIRTUAL_ENV", "");
  const CommandResult text = box.hone({"doctor"});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.out, HasSubstr("MISSING"));
  EXPECT_THAT(text.out, HasSubstr("not ready to run on the CPU"));
  const CommandResult ran = box.hone({"doctor", "--json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.json().at("works"), false);
  const nlohmann::json compiler = checkNamed(ran.json(), "IREE compiler");
  EXPECT_EQ(compiler.at("found"), false);
  EXPECT_NE(compiler.at("mend"), "");
}

}  // namespace
}  // namespace hone::test
