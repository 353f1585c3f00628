// SPDX-License-Identifier: Apache-2.0
//
// The errors of the engine. There is one exception type; `main` turns it into the line of JSON that README.md
// describes.
#ifndef HEADROOM_BASE_ERROR_H
#define HEADROOM_BASE_ERROR_H

#include <stdexcept>
#include <string>
#include <utility>

namespace headroom {

enum class ErrorKind {
  job,      // the job itself is wrong: exit status 2
  adapter,  // an adapter could not be loaded or refuses its configuration
  input,    // a file that is to be read cannot be
  output,   // a file that is to be written cannot be
  internal  // a defect of the engine
};

[[nodiscard]] constexpr const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::job:
      return "job";
    case ErrorKind::adapter:
      return "adapter";
    case ErrorKind::input:
      return "input";
    case ErrorKind::output:
      return "output";
    case ErrorKind::internal:
      break;
  }
  return "internal";
}

class Error : public std::runtime_error {
 public:
  // `message` is a sentence that says what happened and what to do; `where` is a JSON pointer into the job, or empty.
  Error(ErrorKind kind, const std::string& message, std::string where = {})
      : std::runtime_error(message), kind_(kind), where_(std::move(where)) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& where() const noexcept { return where_; }

 private:
  ErrorKind kind_;
  std::string where_;
};

// The error that a thread of this process never returns, so nothing that it may use can be destroyed: `main` reports
// this error and ends the process at once. REQUIRES: the thrower frees nothing that the thread may use.
class StuckThread : public Error {
 public:
  using Error::Error;
};

}  // namespace headroom

#endif  // HEADROOM_BASE_ERROR_H
