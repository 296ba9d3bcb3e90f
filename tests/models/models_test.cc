// End-to-end tests with ONNX models, the real importer and ONNX Runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "iree/compile/toolchain/installation.h"
#include "tests/cli/cli.h"
#include "tests/models/onnx_model.h"

namespace hone::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Models : public testing::Test {
 protected:
  void SetUp() override {
    const auto installation = iree::findInstallation("");
    if (!installation || !std::filesystem::exists(installation->site / "onnx") ||
        !std::filesystem::exists(installation->site / "onnxruntime")) {
      GTEST_SKIP() << "onnx and onnxruntime are not installed; run scripts/setup --models";
    }
    box_.write("dense.onnx", encode(denseLayer()));
  }
  void TearDown() override {
    EXPECT_THAT(box_.leftoverFiles(), IsEmpty());
    EXPECT_THAT(box_.leftoverProcesses(), IsEmpty());
  }

  [[nodiscard]] CommandResult bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--rounds", "5"});
    return box_.hone(arguments);
  }
  void expectBenchError(const std::vector<std::string>& arguments,
                        const std::vector<std::string>& parts) {
    expectError(bench(arguments), 2, parts);
  }

  Sandbox box_;
};

TEST_F(Models, VerifiesAndMeasuresBesideOnnxRuntime) {
  const CommandResult ran =
      bench({"dense.onnx", "--providers", "iree,onnxruntime", "--dim", "batch=3", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json candidates = ran.json().at("candidates");
  ASSERT_EQ(candidates.size(), 2U);
  EXPECT_EQ(candidates[0].at("name"), "dense");
  EXPECT_EQ(candidates[0].at("verified"), "reference");
  EXPECT_EQ(candidates[0].at("message"), "");
  EXPECT_EQ(candidates[1].at("name"), "onnxruntime");
  EXPECT_EQ(candidates[1].at("outcome"), "ok");
  EXPECT_GT(candidates[1].at("time_ns").get<double>(), 0);
  EXPECT_THAT(bench({"dense.onnx"}).out, HasSubstr("results verified against ONNX Runtime"));
}

TEST_F(Models, TakesSizesFromInputs) {
  EXPECT_EQ(bench({"dense.onnx", "--input", "5x8xf32"}).code, 0);
  EXPECT_EQ(bench({"dense.onnx", "--input", "x=5x8xf32=1"}).code, 0);
  expectBenchError({"dense.onnx", "--input", "5x9xf32"}, {"dense.onnx", "'x'", "[batch, 8]"});
  expectBenchError({"dense.onnx", "--input", "z=5x8xf32"}, {"no input named z; found x"});
  expectBenchError({"dense.onnx", "--input", "5x8xf32", "--dim", "batch=4"},
                   {"dimension batch has two sizes"});
}

TEST_F(Models, NamesDimensionWithoutSize) {
  OnnxModel model = denseLayer();
  model.inputs[0].shape = {"batch", "width"};
  box_.write("wide.onnx", encode(model));
  expectBenchError({"wide.onnx"},
                   {"wide.onnx", "dimension width", "[batch, width]", "--dim width=N"});
  expectBenchError({"wide.onnx", "--dim", "hight=8"},
                   {"no dynamic dimension hight", "batch, width"});
  expectBenchError({"wide.onnx", "--dim", "width"}, {"--dim width", "NAME=SIZE"});
  EXPECT_EQ(bench({"wide.onnx", "--dim", "width=8"}).code, 0);
}

TEST_F(Models, KeepsIndicesInsideTable) {
  box_.write("embedding.onnx", encode(embedding(3)));
  const CommandResult ran = bench({"embedding.onnx", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json().at("candidates")[0].at("verified"), "reference");
  EXPECT_EQ(bench({"embedding.onnx", "--input-range", "ids=1:3"}).code, 0);
  expectBenchError({"embedding.onnx", "--input-range", "ids=3:1"}, {"--input-range", "LOW < HIGH"});
  expectBenchError({"embedding.onnx", "--input-range", "x=0:1"}, {"no such input; found ids"});
}

TEST_F(Models, ReadsOldFormatWithWeightsAsInputs) {
  OnnxModel model = denseLayer();
  model.irVersion = 3;
  model.inputs.push_back({"w", {"8", "4"}});
  model.inputs.push_back({"b", {"4"}});
  box_.write("old.onnx", encode(model));
  EXPECT_THAT(bench({"old.onnx"}).out, HasSubstr("results verified against ONNX Runtime"));
}

TEST_F(Models, ReplacesUnknownOperatorByItsDefinition) {
  OnnxModel model = denseLayer();
  model.opset = 24;
  model.nodes[2].op = "Swish";
  box_.write("swish.onnx", encode(model));
  const CommandResult ran = bench({"swish.onnx"});
  EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime")) << ran.err;
}

TEST_F(Models, RewritesMirroredAndNegativePads) {
  const auto pad = [](const char* mode, std::vector<float> pads) {
    return OnnxModel{
        .inputs = {{"x", {"2", "300"}}},
        .outputs = {{"y", {"2", std::to_string(300 + static_cast<int>(pads[1] + pads[3]))}}},
        .weights = {{.name = "p", .shape = {"4"}, .values = pads, .integers = true}},
        .nodes = {{"Pad", {"x", "p"}, "y", {{"mode", mode}}}}};
  };
  box_.write("mirror.onnx", encode(pad("reflect", {0, 200, 0, 150})));
  box_.write("crop.onnx", encode(pad("constant", {0, -7, 0, 3})));
  for (const char* name : {"mirror.onnx", "crop.onnx"}) {
    const CommandResult ran = bench({name});
    EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime")) << ran.err;
  }
}

TEST_F(Models, CutsInputThatNoWindowReads) {
  box_.write("window.onnx", encode({.inputs = {{"x", {"1", "2", "4", "4"}}},
                                    .outputs = {{"y", {"1", "2", "1", "1"}}},
                                    .weights = {},
                                    .nodes = {{"MaxPool",
                                               {"x"},
                                               "y",
                                               {{.name = "kernel_shape", .integers = {3, 3}},
                                                {.name = "strides", .integers = {2, 2}}}}}}));
  const CommandResult ran = bench({"window.onnx"});
  EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime")) << ran.err;
}

TEST_F(Models, RewritesBackwardRecurrentLayer) {
  const auto weight = [](const char* name, std::vector<std::string> shape, std::size_t count) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(static_cast<int>(i % 11) - 5) * 0.1F);
    }
    return OnnxTensor{name, std::move(shape), std::move(values)};
  };
  box_.write(
      "gru.onnx",
      encode(
          {.inputs = {{"x", {"5", "1", "3"}}},
           .outputs = {{"y", {"5", "2", "1", "4"}}},
           .weights = {weight("w", {"2", "12", "3"}, 72), weight("r", {"2", "12", "4"}, 96)},
           .nodes = {{"GRU",
                      {"x", "w", "r"},
                      "y",
                      {{"direction", "bidirectional"}, {.name = "hidden_size", .integer = 4}}}}}));
  const CommandResult ran = bench({"gru.onnx"});
  EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime")) << ran.err;
}

TEST_F(Models, TreatsPlaceholdersAsDimensionsWithoutName) {
  OnnxModel model = denseLayer();
  model.inputs[0].shape = {"?", "?"};
  model.outputs[0].shape = {"?", "4"};
  box_.write("unnamed.onnx", encode(model));
  EXPECT_EQ(bench({"unnamed.onnx", "--input", "2x8xf32"}).code, 0);
  expectBenchError({"unnamed.onnx"}, {"dimension x.1", "--dim x.1=N"});
  model.inputs[0].shape = {"-1", "8"};
  model.outputs[0].shape = {"-1", "4"};
  box_.write("negative.onnx", encode(model));
  EXPECT_EQ(bench({"negative.onnx", "--dim", "x.0=2"}).code, 0);
}

TEST_F(Models, GeneratesInputWithoutUse) {
  OnnxModel model = denseLayer();
  model.inputs.push_back({"unused", {"3"}});
  box_.write("unused.onnx", encode(model));
  const CommandResult ran = bench({"unused.onnx"});
  EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime")) << ran.err;
}

TEST_F(Models, ExplainsInvalidFile) {
  box_.write("text.onnx", "not a model");
  expectBenchError({"text.onnx"}, {"text.onnx", "not an ONNX model"});
  box_.write("pointer.onnx", "version https://git-lfs.github.com/spec/v1\nsize 12\n");
  expectBenchError({"pointer.onnx"}, {"pointer.onnx", "run git lfs pull"});
  const std::string whole = encode(denseLayer());
  box_.write("part.onnx", whole.substr(0, whole.size() / 2));
  expectBenchError({"part.onnx"}, {"part.onnx", "truncated or damaged"});
}

TEST_F(Models, ExplainsUnverifiedResults) {
  OnnxModel model = denseLayer();
  model.opset = 99;
  box_.write("future.onnx", encode(model));
  EXPECT_THAT(bench({"future.onnx"}).out,
              ContainsRegex("results not verified: not compared with ONNX Runtime: .*99"));
}

TEST_F(Models, NamesOperatorOfAnotherOpset) {
  OnnxModel model = denseLayer();
  model.nodes[2].op = "Swish";
  box_.write("newer.onnx", encode(model));
  expectBenchError({"newer.onnx"}, {"newer.onnx", "Swish needs opset 24", "node_y"});
  model.nodes[2].op = "Frobnicate";
  box_.write("unknown.onnx", encode(model));
  expectBenchError({"unknown.onnx"}, {"no operator Frobnicate", "node_y"});
}

TEST_F(Models, NamesUnsupportedOperator) {
  OnnxModel model = denseLayer();
  model.nodes[2].op = "StringNormalizer";
  box_.write("strings.onnx", encode(model));
  expectBenchError({"strings.onnx"}, {"strings.onnx", "StringNormalizer"});
}

TEST_F(Models, TunesFromFileAlone) {
  const CommandResult ran =
      box_.hone({"tune", "dense.onnx", "--budget", "8trials", "--rounds", "5"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("dimension batch is 1"));
  EXPECT_THAT(ran.out, HasSubstr("sizes: batch=1"));
  EXPECT_THAT(ran.out, HasSubstr("results verified against ONNX Runtime"));
  EXPECT_THAT(ran.out, HasSubstr("ONNX Runtime on the same threads"));
  EXPECT_THAT(ran.out, ContainsRegex("[0-9]+ s, [0-9]+ % of them on candidates; hone used"));
}

TEST_F(Models, IsReadByOtherCommands) {
  EXPECT_EQ(box_.hone({"profile", "dense.onnx"}).code, 0);
  EXPECT_THAT(box_.hone({"tune", "dense.onnx", "--explain"}).out, HasSubstr("dense"));
}

TEST_F(Models, ExplainsHowToInstallMissingPackages) {
  box_.write("mlp.mlir", matmulText(8, 8, 8));
  expectError(bench({"mlp.mlir", "--providers", "iree,onnxruntime"}), 2, {"not an ONNX model"});
  expectError(bench({"dense.onnx", "--providers", "iree,tvm"}), 2, {"unknown provider 'tvm'"});
}

}  // namespace
}  // namespace hone::test
