// SPDX-License-Identifier: Apache-2.0
//
// `link`: what `replay` does to packets in virtual time, done to frames between two ports in real time. One thread
// serves both directions.
#ifndef HEADROOM_WIRE_LINK_H
#define HEADROOM_WIRE_LINK_H

#include <cstdint>
#include <string>

#include "base/json_reader.h"
#include "io/job.h"
#include "link/impairment.h"

namespace headroom::wire {

struct LinkJob {
  io::WireJob wire;
  io::PortJob a, b;
  Impairment forward, reverse;  // from a to b, from b to a
  std::uint64_t seed = 0;
  unsigned core = 0;
  std::uint32_t mtu = 1500;
  std::string capture;                   // path of a pcapng file; empty: none
  std::uint64_t capture_most = 100'000;  // frames
};

// Reads the job of `link` (README.md). Throws Error(job).
[[nodiscard]] LinkJob read_link_job(const Json& document);

// Runs until a signal or the end of its time, and returns the result. Throws Error.
[[nodiscard]] Json run_link(const LinkJob& job);

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_LINK_H
