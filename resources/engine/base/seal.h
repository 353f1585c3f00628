// SPDX-License-Identifier: Apache-2.0
//
// Seals of results: an adapter that finds the descriptor of the output, and writes a result of its own, knows none.
#ifndef HEADROOM_BASE_SEAL_H
#define HEADROOM_BASE_SEAL_H

#include <cstdint>
#include <string>

#include "base/json_reader.h"

namespace headroom {

// Removes the seal from a job, which must happen before an adapter is opened. Returns "" if the job has none. Throws
// Error(job).
[[nodiscard]] std::string take_seal(Json& job);

// Seals an answer of the control socket, whose descriptor an adapter may find, too: SHA-256 of the seal that was taken
// last and " control". Without a seal of the job it has none.
void seal_answer(Json& answer);

// SealedLines writes documents as lines, each with a seal of its own: SHA-256 of the job's seal, a space and the line's
// number. An adapter that reads some of the lines cannot make the next. Without a seal of the job lines have none.
class SealedLines {
 public:
  SealedLines(int descriptor, std::string seal) : descriptor_(descriptor), seal_(std::move(seal)) {}

  // Throws Error(output).
  void write(Json document);

 private:
  int descriptor_;
  std::string seal_;
  std::uint64_t lines_ = 0;
};

}  // namespace headroom

#endif  // HEADROOM_BASE_SEAL_H
