#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <utility>

namespace hone {

/// Origin of an error. Determines the exit code.
enum class Fault {
  user,         ///< the input or the command line: exit code 2
  machine,      ///< this machine: a missing library, a full disk: exit code 3
  interrupted,  ///< Ctrl-C or a termination signal: exit code 130; rerun the command to continue
};

/// An error with a one-line message that says what is wrong, where, and what to do.
struct Error {
  Fault fault = Fault::user;
  std::string message;
  /// Not specific to one input: batch loops must abort.
  bool fatal = false;

  /// Returns true if the other inputs of a batch would also fail.
  [[nodiscard]] bool isFatal() const { return fault != Fault::user || fatal; }
};

/// Result of a function that can fail. Wrappers catch the exceptions of libraries.
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

/// Returns `error` with the caller's activity `doing` prepended to its message.
[[nodiscard]] inline std::unexpected<Error> within(std::string_view doing, Error error) {
  error.message = fmt::format("{}: {}", doing, error.message);
  return std::unexpected(std::move(error));
}

/// Returns the machine error "<doing>: <strerror(errno)>".
[[nodiscard]] std::unexpected<Error> errnoError(std::string_view doing);

}  // namespace hone

/// Evaluates to the value of a Result, or returns its error: `auto x = HONE_TRY(f());`
#define HONE_TRY(expression)                                  \
  ({                                                          \
    auto honeResult_ = (expression);                          \
    if (!honeResult_) {                                       \
      return std::unexpected(std::move(honeResult_).error()); \
    }                                                         \
    std::move(honeResult_).value();                           \
  })

/// Returns the error of a Result, if any, and discards its value.
#define HONE_CHECK(expression)                                \
  do {                                                        \
    if (auto honeResult_ = (expression); !honeResult_) {      \
      return std::unexpected(std::move(honeResult_).error()); \
    }                                                         \
  } while (false)
