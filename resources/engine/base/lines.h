// SPDX-License-Identifier: Apache-2.0
//
// Lines of text on file descriptors: requests that a command answers one by one.
#ifndef HEADROOM_BASE_LINES_H
#define HEADROOM_BASE_LINES_H

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace headroom {

// Lines reads the lines of a descriptor. Throws Error(input) if the descriptor fails or a line is longer than any job.
class Lines {
 public:
  explicit Lines(int descriptor) : descriptor_(descriptor) {}

  // Returns the next line, or nothing at the end of the input or if `signals` is readable (-1: no descriptor).
  [[nodiscard]] std::optional<std::string> next(int signals = -1);

 private:
  bool more(int signals);

  int descriptor_;
  std::string text_;
};

// Writes a document as one line. Throws Error(output).
void write_line(int descriptor, const Json& document);

}  // namespace headroom

#endif  // HEADROOM_BASE_LINES_H
