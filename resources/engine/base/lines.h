// SPDX-License-Identifier: Apache-2.0
//
// Lines of text on descriptors: requests that a command answers one by one.
#ifndef HEADROOM_BASE_LINES_H
#define HEADROOM_BASE_LINES_H

#include <optional>
#include <string>

#include "base/json_reader.h"

namespace headroom {

// Reads the lines of a descriptor. Throws Error(input) where the descriptor fails or a line is longer than any job.
class Lines {
 public:
  explicit Lines(int descriptor) : descriptor_(descriptor) {}

  // The next line; nothing at the end of the input, or when `signals` (-1: no descriptor) can be read.
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
