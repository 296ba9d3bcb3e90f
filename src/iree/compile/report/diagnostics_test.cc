#include "iree/compile/report/diagnostics.h"

#include <gtest/gtest.h>

#include <csignal>

#include "iree/compile/server/compile_child.h"

namespace hone::iree {
namespace {

using Status = CompileReport::Status;

Ending exitedWith(int code) {
  Ending ending;
  ending.code = code;
  return ending;
}

TEST(Diagnostics, DerivesStatusFromExitCodeAndLog) {
  EXPECT_EQ(classifyEnding(exitedWith(0), ""), Status::ok);
  EXPECT_EQ(classifyEnding(exitedWith(kExitBadFlag), ""), Status::badFlag);
  EXPECT_EQ(classifyEnding(exitedWith(kExitBadSource), ""), Status::badSource);
  EXPECT_EQ(classifyEnding(exitedWith(kExitNoMatch), ""), Status::noMatch);
  EXPECT_EQ(classifyEnding(exitedWith(1), ""), Status::failed);
  EXPECT_EQ(classifyEnding(exitedWith(1), "LLVM ERROR: out of memory"), Status::outOfMemory);
  Ending late;
  late.how = Ending::How::timedOut;
  EXPECT_EQ(classifyEnding(late, "out of memory"), Status::timedOut);
}

TEST(Diagnostics, MovesLocationOfFirstErrorLast) {
  EXPECT_EQ(
      firstError("warning: x\n/a/b/c.mlir:1:2: error: bad op\n/a/b/c.mlir:3:4: error: more\n"),
      "bad op (at c.mlir:1:2)");
  EXPECT_EQ(firstError("error: no such flag\n"), "no such flag");
  EXPECT_EQ(firstError("<unknown>:0: error: unknown target 'x'\n"), "unknown target 'x'");
  EXPECT_EQ(firstError("error: Error parsing flags:   option not found: iree-foo\n"),
            "the compiler has no option --iree-foo");
  EXPECT_EQ(firstError("LLVM ERROR: cannot select\n"), "LLVM ERROR: cannot select");
}

TEST(Diagnostics, ShortensLongLines) {
  const std::string name(1'000'000, 'x');
  EXPECT_LE(firstError("/a/b.mlir:1:2: error: " + name + "\n").size(), 300U);
  EXPECT_LE(firstError("/" + name + "/b.mlir:1:2: error: bad\n").size(), 300U);
  EXPECT_LE(firstError(name).size(), 300U);
  EXPECT_LE(firstError("a/b.c:12: " + std::string(20'000, 'A') + "; what; while\n").size(), 300U);
}

TEST(Diagnostics, RemovesSourceLocationOfRuntimeTools) {
  EXPECT_EQ(firstError("c/runtime/src/iree/vm/module.c:33: NOT_FOUND; no function `x`; while y; z"),
            "NOT_FOUND: no function `x`; while y");
}

TEST(Diagnostics, FallsBackToTheFirstLine) {
  EXPECT_EQ(firstError("\n  something odd \nmore"), "something odd");
  EXPECT_EQ(firstError(""), "");
  EXPECT_EQ(shortDiagnostics(Status::failed, exitedWith(7), "", {}),
            "the compiler failed (exit code 7)");
}

TEST(Diagnostics, ShortensVeryLongLines) {
  const std::string type = "tensor<" + std::string(1'000'000, 'x') + ">";
  const std::string located = firstError("/a/b/c.mlir:1:2: error: bad " + type + " here\n");
  EXPECT_TRUE(located.starts_with("bad tensor<xxx")) << located;
  EXPECT_LT(located.size(), 300u);
  const std::string noPlace = firstError(type + " is an error: no place\n");
  EXPECT_TRUE(noPlace.starts_with("tensor<xxx")) << noPlace;
  const std::string status = firstError(type + "\na/b.c:33: NOT_FOUND; " + type + "; while y; z");
  EXPECT_TRUE(status.starts_with("NOT_FOUND: tensor<xxx")) << status;
  EXPECT_TRUE(firstError(type + "; odd").starts_with("tensor<xxx"));
}

TEST(Diagnostics, NamesTheSignalOfACrash) {
  Ending crash;
  crash.how = Ending::How::signalled;
  crash.code = SIGSEGV;
  EXPECT_EQ(shortDiagnostics(Status::failed, crash, "", {}), "the compiler was killed by SIGSEGV");
}

}  // namespace
}  // namespace hone::iree
