// SPDX-License-Identifier: Apache-2.0
//
// Classic BPF (packet(7), PACKET_FANOUT_CBPF) that gives each packet to the queue of its user's worker.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H
#define HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H

#include <linux/filter.h>

#include <vector>

namespace headroom::gtpu::ports {

// Returns a program for frames of N6 or N3, which returns the same as `user_hash`. It returns 0 for packets of no user
// and for G-PDUs with more than one extension header; the first worker hands these over.
[[nodiscard]] std::vector<sock_filter> queue_filter(bool is_n6);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_QUEUE_FILTER_H
