#include "kernel/source/cheats/assembly_rules.h"

#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

TEST(DecodeEscapes, ReplacesAllForms) {
  EXPECT_EQ(decodeEscapes("\\x73\\163\\u0073\\x{73}\\n\\t\\\\\\\"a"), "ssss\n\t\\\"a");
  EXPECT_EQ(decodeEscapes("a\\"), "a\\");
}

TEST(RejectedAssembly, FindsInstructionsAndDirectives) {
  for (const char* text :
       {"syscall", "nop; SYSCALL", "1:syscall", "rep\tsyscall", "int $0x80", "/* x */ syscall",
        ".byte 15, 5", ".section .text", "sys%c0", "rdtsc", "mov %%fs:0, %0", "nop\rsyscall",
        "lock syscall", "here : syscall", "1 :\tsyscall", "cs syscall", "rex64 rdtsc",
        "here : .byte 15, 5", "mov $'/*1, %%eax; syscall; mov $'*/1, %%eax"}) {
    EXPECT_NE(explainRejectedAssembly(text), "") << text;
  }
  for (const char* text :
       {"", "nop", "vfmadd231ps %0, %1, %2", "1: dec %0\n\tjnz 1b", ".p2align 4\n.Lx%=: nop",
        "prefetcht0 (%0)", "# comment", "cpuid # interrupts: int", "here : nop", "cmp $'/, %%al",
        "mov $'#, %%al", "lock addl $0, (%%rsp)"}) {
    EXPECT_EQ(explainRejectedAssembly(text), "") << text;
  }
}

}  // namespace
}  // namespace hone::kernel
