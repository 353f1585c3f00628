// SPDX-License-Identifier: Apache-2.0
//
// `call`: the embedded generator of calls. Plays a sequence of messages between two ports, as many times a second as is
// asked for, and knows of every call whether each of its messages arrived as it was sent.
#ifndef HEADROOM_SCHEMES_SIGCOMP_PORTS_CALL_H
#define HEADROOM_SCHEMES_SIGCOMP_PORTS_CALL_H

#include <cstdint>
#include <vector>

#include "base/json_reader.h"
#include "schemes/sigcomp/ports/calls.h"
#include "wire/ends.h"

namespace headroom::sigcomp::ports {

struct CallJob {
  wire::EndsJob ends;  // the ports are that of the callers and that of the called parties
  std::vector<Message> messages;
  double calls_per_s = 1;
  double duration_s = 1, warmup_s = 0, drain_s = 1;  // the drain begins behind the last call, its pauses apart
  std::uint32_t callers = 254;

  [[nodiscard]] std::uint64_t warmup_calls() const noexcept {
    return static_cast<std::uint64_t>(calls_per_s * warmup_s + 0.5);
  }
  [[nodiscard]] std::uint64_t calls() const noexcept {
    return warmup_calls() + static_cast<std::uint64_t>(calls_per_s * duration_s + 0.5);
  }
};

// Reads the job of `call` (README.md). Throws Error(job).
[[nodiscard]] CallJob read_call_job(const Json& document);

// Calls, and returns the result. Throws Error.
[[nodiscard]] Json run_call(const CallJob& job, wire::Ends& ends);

}  // namespace headroom::sigcomp::ports

#endif  // HEADROOM_SCHEMES_SIGCOMP_PORTS_CALL_H
