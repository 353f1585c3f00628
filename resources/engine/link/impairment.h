// SPDX-License-Identifier: Apache-2.0
//
// The impairments that a link applies to packets (resources/schemas/jobs/common.schema.json, "impairment").
#ifndef HEADROOM_LINK_IMPAIRMENT_H
#define HEADROOM_LINK_IMPAIRMENT_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/json_reader.h"
#include "base/octets.h"
#include "capture/link_framing.h"
#include "link/slots.h"

namespace headroom {

// Loss by the Gilbert-Elliott model: a two-state Markov chain that takes one step for each packet; each state has its
// own loss probability.
struct BurstLoss {
  double good_to_bad = 0;
  double bad_to_good = 0;
  double loss_good = 0;
  double loss_bad = 1;
};

struct Reorder {
  double probability = 0;
  std::uint32_t depth = 1;  // number of later packets, not lost themselves, that overtake a delayed one
};

struct Insertion {
  Octets octets;
  std::uint32_t channel = 0;
  std::uint16_t type = 0;
  bool error = false;  // True: reports a damaged packet, without octets
};

// The treatment of a packet with a wrong bit.
enum class OnError : std::uint8_t {
  drop,    // the receiver's framing discards it
  report,  // discards the packet and reports the error to the decompressor
  deliver,
  mark  // delivers the packet with the error mark of the framing
};

// The place at which a packet is lost or damaged, relative to the queue in front of the rate.
enum class HarmedAt : std::uint8_t {
  link,         // after the queue: a lost packet has taken its time on the link
  before_queue  // in front of the queue: a lost or dropped packet takes no place and no time
};

struct Impairment {
  double loss = 0;
  std::optional<BurstLoss> burst_loss;
  double ber = 0;
  OnError header_errors = OnError::drop;
  OnError payload_errors = OnError::deliver;
  Reorder reorder;
  double duplicate = 0;
  std::uint64_t delay_ns = 0;
  std::uint64_t jitter_ns = 0;
  std::uint64_t rate_bps = 0;       // rate of the link in bit/s; 0: every packet passes at once
  std::uint64_t queue_octets = 0;   // most octets in the queue, including the packet being sent; 0: no limit
  std::uint64_t queue_packets = 0;  // most packets in the queue, including the packet being sent; 0: no limit
  HarmedAt harmed_at = HarmedAt::link;
  std::optional<Slots> slots;  // slots of the rate
  ErrorMark error_mark;        // error mark for OnError::mark
  Octets idle;                 // the octets of an idle packet, for Slots::deliver_idle
  // Scripted impairments, by the number of the packet on this link, from 0.
  std::set<std::uint64_t> drop;
  std::map<std::uint64_t, std::vector<std::uint32_t>>
      flip;  // bit numbers: 0 is the most significant bit of the first octet
  std::map<std::uint64_t, std::vector<Insertion>> insert;  // packets inserted before the packet with this number
};

inline constexpr std::uint64_t kLargestRateBps = 1'000'000'000'000;
inline constexpr std::uint64_t kLargestQueueOctets = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kLargestQueuePackets = 10'000'000;    // each takes memory
inline constexpr std::uint64_t kLargestDelayNs = 3'600'000'000'000;  // one hour: more is a mistake in the unit
inline constexpr std::uint32_t kLargestReorderDepth = 100'000;

// Reads the keys of an impairment from `object`, which may have other keys. `framing` is the framing of the link's
// packets; without it, errors cannot be marked and idle packets not delivered.
[[nodiscard]] Impairment read_impairment(Object& object, const LinkFraming* framing = nullptr);

// Reads {"probability", "depth"}.
[[nodiscard]] Reorder read_reorder(const Value& value);

}  // namespace headroom

#endif  // HEADROOM_LINK_IMPAIRMENT_H
