#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hone::kernel {

/// The form in which a rule looks for its names.
enum class CppForm : std::uint8_t {
  call,         ///< call of a function that the kernel neither defines nor declares as a variable
  scope,        ///< before "::"
  standard,     ///< after "std::"
  keyword,      ///< anywhere
  header,       ///< included header; a name that ends in '/' stands for a folder
  text,         ///< part of a string literal
  instruction,  ///< mnemonic in inline assembly, or the start of one
  attribute,    ///< of a function or variable
  pragma,       ///< words of a pragma
};

/// Constructs that kernels may not have.
struct CppRule {
  CppForm form = CppForm::call;
  std::string_view reason;  ///< "starts a process"
  std::vector<std::string_view> names;
};

/// Returns the table of all rejected names.
[[nodiscard]] const std::vector<CppRule>& cppRules();

/// Returns the rule of this form with the name; null if the name is allowed.
[[nodiscard]] const CppRule* findCppRule(CppForm form, std::string_view name);

/// Returns true for assembler directives that a kernel may use: alignment and labels.
[[nodiscard]] bool isAllowedAssemblerDirective(std::string_view name);

}  // namespace hone::kernel
