// SPDX-License-Identifier: Apache-2.0
//
// One TCP connection from a fixed host over a router and a link to a mobile host, in virtual time.
#ifndef HEADROOM_TRANSFER_CONNECTION_H
#define HEADROOM_TRANSFER_CONNECTION_H

#include "transfer/compressed_link.h"
#include "transfer/job.h"

namespace headroom::transfer {

struct ConnectionResult {
  std::uint64_t acknowledged = 0;  // octets of payload, after the warm-up
  SenderCounts sender;
  LinkDirectionCounts link, reverse_link;
};

// Sends for the job's warm-up and duration. Same job, same seed: same result. Throws Error(adapter).
[[nodiscard]] ConnectionResult run_connection(const Job& job, std::uint64_t seed);

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_CONNECTION_H
