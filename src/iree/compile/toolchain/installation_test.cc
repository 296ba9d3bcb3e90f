#include "iree/compile/toolchain/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "iree/compile/toolchain/target.h"
#include "iree/run/device.h"

namespace hone::iree {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// Sets an environment variable and restores it on destruction.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    const char* old = std::getenv(name);
    had_ = old != nullptr;
    old_ = had_ ? old : "";
    value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ScopedVariable(ScopedVariable&&) = delete;
  ScopedVariable& operator=(ScopedVariable&&) = delete;
  ~ScopedVariable() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  bool had_ = false;
  std::string old_;
};

/// Creates a venv whose compiler library is an empty file.
std::filesystem::path fakeVenv(const ScratchFolder& folder, const std::string& name) {
  const auto venv = folder.path() / name;
  const Installation installation{venv / "lib/python3.11/site-packages", ""};
  EXPECT_TRUE(makeFolder(installation.compilerLibrary().parent_path()));
  EXPECT_TRUE(writeFile(installation.compilerLibrary(), ""));
  return venv;
}

TEST(Installation, PrefersFlagThenEnvironmentThenActiveVenv) {
  const ScratchFolder folder = ScratchFolder::create("hone-installation-test").value();
  const auto flag = fakeVenv(folder, "flag");
  const auto environment = fakeVenv(folder, "environment");
  const auto active = fakeVenv(folder, "active");
  const ScopedVariable venv("VIRTUAL_ENV", active.string());
  {
    const ScopedVariable own("HONE_IREE", environment.string());
    EXPECT_EQ(findInstallation(flag.string())->foundBy, "--iree");
    EXPECT_EQ(findInstallation("")->foundBy, "HONE_IREE");
  }
  const ScopedVariable none("HONE_IREE", "");
  const auto found = findInstallation("");
  EXPECT_EQ(found->foundBy, "the active venv");
  EXPECT_EQ(found->site, active / "lib/python3.11/site-packages");
}

TEST(Installation, AcceptsSitePackagesFolder) {
  const ScratchFolder folder = ScratchFolder::create("hone-installation-test").value();
  const auto site = fakeVenv(folder, "v") / "lib/python3.11/site-packages";
  EXPECT_EQ(findInstallation(site.string())->site, site);
}

TEST(Installation, AcceptsBuildFolder) {
  const ScratchFolder folder = ScratchFolder::create("hone-installation-test").value();
  EXPECT_TRUE(makeFolder(folder.path() / "lib"));
  EXPECT_TRUE(writeFile(folder.path() / "lib/libIREECompiler.so", ""));
  const auto found = findInstallation(folder.path().string());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->compilerLibrary(), folder.path() / "lib/libIREECompiler.so");
  EXPECT_EQ(found->runtimeTool("iree-run-module"), folder.path() / "tools/iree-run-module");
}

TEST(Installation, FailsIfTheFlagsFolderHasNoIree) {
  const auto found = findInstallation("/no/such/venv");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().fault, Fault::user);
  EXPECT_THAT(found.error().message, HasSubstr("found in --iree /no/such/venv"));
}

TEST(Target, ParsesNames) {
  EXPECT_THAT(targetFrom("rocm:gfx942")->flags, Contains("--iree-rocm-target=gfx942"));
  EXPECT_THAT(targetFrom("cuda:sm_80")->flags, Contains("--iree-cuda-target=sm_80"));
  EXPECT_EQ(targetFrom("vulkan")->devices, std::vector<std::string>{"vulkan"});
  for (const char* bad : {"", "rocm", "cuda:", "metal", "local:x"}) {
    const auto target = targetFrom(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_THAT(target.error().message, HasSubstr("local"));
  }
}

class DeviceTest : public ::testing::Test {
 protected:
  Installation installation_ = findInstallation("").value();
};

TEST_F(DeviceTest, LocalDevicesAreAlwaysPresent) {
  const Target local = targetFrom("local").value();
  const auto sync = chooseDevice(installation_, local, "").value();
  ASSERT_TRUE(sync);
  EXPECT_EQ(sync->name, "local-sync");
  EXPECT_EQ(sync->rankBy, RankBy::cpu);
  EXPECT_EQ(chooseDevice(installation_, local, "local-task").value()->rankBy, RankBy::wall);
}

TEST_F(DeviceTest, RejectsUnknownAndUnsuitableDevices) {
  for (const char* name : {"nonsense", "vulkan", "hip://0"}) {
    const auto device = chooseDevice(installation_, targetFrom("local").value(), name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().fault, Fault::user);
    EXPECT_THAT(device.error().message, HasSubstr("local-sync, local-task"));
  }
  const auto far = chooseDevice(installation_, targetFrom("vulkan").value(), "vulkan://GPU-0");
  ASSERT_FALSE(far);
  EXPECT_THAT(far.error().message, HasSubstr("local-sync://"));
}

TEST_F(DeviceTest, ChecksPresence) {
  EXPECT_TRUE(isPresent(installation_, deviceNamed("local-sync")).value());
  EXPECT_TRUE(isPresent(installation_, deviceNamed("local-task://3")).value());
  EXPECT_FALSE(isPresent(installation_, deviceNamed("nowhere://0")).value());
}

TEST_F(DeviceTest, ChoosesNoDeviceForCompileOnlyTargets) {
  const auto devices = listDevices(installation_).value();
  EXPECT_THAT(devices, Contains("local-sync://"));
  for (const auto& [target, driver] :
       {std::pair("rocm:gfx942", "hip://"), std::pair("cuda:sm_80", "cuda://")}) {
    bool here = false;
    for (const std::string& device : devices) {
      here = here || device.starts_with(driver);
    }
    EXPECT_EQ(chooseDevice(installation_, targetFrom(target).value(), "").value().has_value(),
              here);
  }
}

}  // namespace
}  // namespace hone::iree
