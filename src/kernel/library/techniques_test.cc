// Checks that both sides of every C++ example compile and compute the same results.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/random.h"
#include "kernel/library/example_file.h"
#include "kernel/source/entry_point.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

std::vector<Example> readExamplesFor(const std::string& language) {
  auto all = readExamples(sourceFolder() / "examples/techniques").value();
  std::erase_if(all, [&](const Example& example) { return example.language != language; });
  return all;
}

class CppTechnique : public ::testing::TestWithParam<Example> {
 protected:
  /// Passes eight arguments, of which the function uses the first few; the others are harmless.
  using Function = void (*)(std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t,
                            std::intptr_t, std::intptr_t, std::intptr_t, std::intptr_t);
  struct Unload {
    void operator()(void* library) const { ::dlclose(library); }
  };
  using Library = std::unique_ptr<void, Unload>;

  Library build(const std::string& name, const std::string& code) {
    const fs::path source = folder_.path() / (name + ".cc");
    const fs::path library = folder_.path() / (name + ".so");
    EXPECT_TRUE(writeFile(source, code));
    const auto ran = runCommand(
        {{findProgram("g++"), "-std=c++20", "-O2", "-march=native", "-fopenmp", "-Wall", "-Wextra",
          "-Werror", "-Wno-psabi", "-fPIC", "-shared", source.string(), "-o", library.string()},
         {},
         {std::chrono::minutes(5), 0}});
    EXPECT_TRUE(ran && ran->ending.ok()) << (ran ? ran->err : ran.error().message);
    // OpenMP threads outlive dlclose, so the code must stay mapped.
    return Library(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE));
  }

  /// Returns the output for the sizes; each array has as many elements as their product.
  std::vector<float> run(const Library& library, const std::vector<std::string>& types,
                         const std::array<std::int64_t, 3>& sizes) {
    const auto length = static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2]);
    std::vector<std::vector<float>> arrays;
    std::array<std::intptr_t, 8> arguments{};
    std::size_t size = 0;
    arrays.reserve(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i] == "int64_t") {
        arguments[i] = sizes.at(size++);
        continue;
      }
      Random random(i);
      arrays.emplace_back(length);
      for (float& value : arrays.back()) {
        value = static_cast<float>(random.uniform() * 4 - 2);
      }
      arguments[i] = reinterpret_cast<std::intptr_t>(arrays.back().data());
    }
    const auto function = reinterpret_cast<Function>(::dlsym(library.get(), "kernel"));
    EXPECT_NE(function, nullptr);
    function(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5],
             arguments[6], arguments[7]);
    return arrays.back();
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-techniques-test").value();
};

TEST_P(CppTechnique, ComputesSameResults) {
  const auto point = findEntryPoint(GetParam().before);
  ASSERT_TRUE(point);
  ASSERT_EQ(point->types, findEntryPoint(GetParam().after)->types);
  const Library before = build("before", GetParam().before);
  const Library after = build("after", GetParam().after);
  ASSERT_TRUE(before && after) << ::dlerror();
  for (const auto& sizes :
       {std::array<std::int64_t, 3>{64, 96, 32}, std::array<std::int64_t, 3>{37, 53, 61},
        std::array<std::int64_t, 3>{1, 300, 7}, std::array<std::int64_t, 3>{5, 1, 1}}) {
    const auto expected = run(before, point->types, sizes);
    const auto actual = run(after, point->types, sizes);
    ASSERT_EQ(expected.size(), actual.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(expected[i], actual[i], 1e-3 * (1 + std::abs(expected[i])))
          << "element " << i << " of " << sizes[0] << "x" << sizes[1] << "x" << sizes[2];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, CppTechnique, ::testing::ValuesIn(readExamplesFor("cpp")),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TileLangTechniques, AreCompleteFiles) {
  for (const Example& example : readExamplesFor("tilelang")) {
    for (const std::string& code : {example.before, example.after}) {
      EXPECT_TRUE(code.contains("class ModelNew(nn.Module):")) << example.name;
      EXPECT_TRUE(code.contains("@tilelang.jit(out_idx=[-1])")) << example.name;
    }
  }
}

}  // namespace
}  // namespace hone::kernel
