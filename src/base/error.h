#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>

namespace hone {

/// Where an error comes from; decides the exit code.
enum class Fault {
  user,         ///< the input or the command line: exit code 2
  machine,      ///< this machine: a missing library, a full disk: exit code 3
  interrupted,  ///< Ctrl-C or a termination signal: exit code 130, the same command goes on
};

/// One clear line for a person: what is wrong, where, and what to do.
struct Error {
  Fault fault = Fault::user;
  std::string message;
  /// Not specific to one input: batch loops must abort.
  bool fatal = false;

  /// Returns true if other inputs of a batch would fail, too.
  [[nodiscard]] bool isFatal() const { return fault != Fault::user || fatal; }
};

/// The result of every function that can fail. Exceptions of libraries stop at their wrappers.
template <typename T>
using Result = std::expected<T, Error>;

template <typename... Args>
[[nodiscard]] std::unexpected<Error> userError(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{Fault::user, fmt::format(format, std::forward<Args>(args)...)});
}

template <typename... Args>
[[nodiscard]] std::unexpected<Error> machineError(fmt::format_string<Args...> format,
                                                  Args&&... args) {
  return std::unexpected(Error{Fault::machine, fmt::format(format, std::forward<Args>(args)...)});
}

/// The same error with what the caller was doing put before it.
[[nodiscard]] inline std::unexpected<Error> within(std::string_view doing, Error error) {
  error.message = fmt::format("{}: {}", doing, error.message);
  return std::unexpected(std::move(error));
}

/// A machine error with the text of errno behind it.
[[nodiscard]] std::unexpected<Error> errnoError(std::string_view doing);

}  // namespace hone

/// The value of a Result, or an early return of its error: `auto x = HONE_TRY(f());`
#define HONE_TRY(expression)                                  \
  ({                                                          \
    auto honeResult_ = (expression);                          \
    if (!honeResult_) {                                       \
      return std::unexpected(std::move(honeResult_).error()); \
    }                                                         \
    std::move(honeResult_).value();                           \
  })

/// Early return of the error of a Result whose value does not matter.
#define HONE_CHECK(expression)                                \
  do {                                                        \
    if (auto honeResult_ = (expression); !honeResult_) {      \
      return std::unexpected(std::move(honeResult_).error()); \
    }                                                         \
  } while (false)
