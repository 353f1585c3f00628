// SPDX-License-Identifier: Apache-2.0
//
// Expected records the packets of one direction: when each was sent, and whether it arrived. A packet is identified by
// a hash of the octets with which it has to arrive: all octets, or, in a tunnel that it entered on its way, the octets
// of the user's packet and of the tunnel's endpoint. So an identified packet has arrived with exactly these octets;
// nothing is written into packets.
#ifndef HEADROOM_WIRE_EXPECTED_H
#define HEADROOM_WIRE_EXPECTED_H

#include <cstdint>
#include <span>
#include <vector>

#include "base/octets.h"

namespace headroom::wire {

// 64 bits that depend on every octet and on the length. Two of ten million packets agree by accident once in 370,000
// trials.
[[nodiscard]] std::uint64_t hash_of(OctetView octets) noexcept;

class Expected {
 public:
  // `hashes` has the hashes of the packets in the order of sending. Hashes may repeat: equal packets differ only in
  // their number.
  explicit Expected(std::span<const std::uint64_t> hashes);

  void note_sent(std::size_t index, std::uint64_t now_ns) noexcept { sent_ns_[index] = now_ns; }

  enum class Kind : std::uint8_t {
    arrived,     // for the first time
    duplicate,   // it had arrived already
    unexpected,  // no such packet has been sent
  };
  struct Arrival {
    Kind kind;
    std::size_t index;      // of the packet; not for unexpected ones
    std::uint64_t sent_ns;  // when it was sent
  };

  [[nodiscard]] Arrival note_arrival(std::uint64_t hash) noexcept;

  [[nodiscard]] bool has_arrived(std::size_t index) const noexcept { return arrived_[index]; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Slot {
    std::uint64_t hash;
    std::uint32_t first, next;  // packets with this hash: the first, and the one that is expected next; kNone: empty
  };

  [[nodiscard]] Slot& slot_of(std::uint64_t hash) noexcept;

  std::vector<Slot> slots_;             // open addressing, a power of two, at most half full
  std::vector<std::uint32_t> same_;     // the next packet with the same octets
  std::vector<std::uint64_t> sent_ns_;  // 0: not sent yet
  std::vector<bool> arrived_;
};

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_EXPECTED_H
