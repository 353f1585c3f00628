// SPDX-License-Identifier: Apache-2.0
//
// Classic BPF (packet(7), PACKET_FANOUT_CBPF) that gives each packet to the queue of its user's worker.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H
#define HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H

#include <linux/filter.h>

#include <vector>

namespace headroom::gtpu::ports {

// A program for frames of N6 or of N3, which returns what `user_hash` does. For packets of no user and for G-PDUs with
// more than one extension header it returns 0: their first worker hands them over.
[[nodiscard]] std::vector<sock_filter> queue_filter(bool is_n6);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H
