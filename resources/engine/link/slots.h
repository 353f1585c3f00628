// SPDX-License-Identifier: Apache-2.0
//
// SlotSchedule is a link of constant bit rate that is divided into slots, such as the link of a DVB modulator behind an
// ASI card. Each slot carries one link packet or an idle packet. A card transmits whole buffers of slots, one after
// another without a gap.
//
// Slot n begins n slot lengths after time 0, and buffer j has the slots from j * buffer_packets on. While the card
// transmits one buffer, another one is being filled, and all others are full and wait: packets handed over during
// buffer i are in buffer i + buffers - 1 at the earliest, after all earlier packets. A card with two buffers fills one
// while it transmits the other. A packet handed over at the very moment at which a buffer is closed is still in that
// buffer. Empty slots then carry idle packets.
#ifndef HEADROOM_LINK_SLOTS_H
#define HEADROOM_LINK_SLOTS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/json_reader.h"

namespace headroom {

// The job's configuration of slots.
struct Slots {
  std::uint32_t packet_octets = 0;
  std::uint32_t buffer_packets = 6;
  std::uint32_t buffers = 2;
  std::uint32_t receiver_buffer_packets = 1;  // packets that the receiving driver hands over at once, with idle ones
  bool deliver_idle = false;
};

// The largest allowed rate. Its product with the nanoseconds of a second fits in 64 bits.
inline constexpr std::uint64_t kLargestSlotRateBps = 4'000'000'000;
// The limits within which times fit in 64 bits: a slot lasts a second at most, and a card holds an hour.
inline constexpr std::uint64_t kLongestSlotS = 1;
inline constexpr std::uint64_t kLongestCardS = 3600;

struct SlotCounts {
  std::uint64_t sent = 0;          // slots from the first buffer that carries a packet to the last one
  std::uint64_t carried = 0;       // slots with link packets
  std::uint64_t octets = 0;        // octets of all sent slots
  std::uint64_t most_waiting = 0;  // most link packets waiting: handed over, not transmitted as a whole
};

// Returns the duration of `bits` bits at a rate of 1 to kLargestSlotRateBps, in ns, rounded up.
[[nodiscard]] std::uint64_t time_of_bits(std::uint64_t bits, std::uint64_t rate_bps) noexcept;

// Reads {"packet_octets", "buffer_packets", …}.
[[nodiscard]] Slots read_slots(const Value& value);

class SlotSchedule {
 public:
  // REQUIRES: 0 < rate_bps <= kLargestSlotRateBps.
  SlotSchedule(const Slots& slots, std::uint64_t rate_bps) : slots_(slots), rate_bps_(rate_bps) {}

  // Hands over a link packet. Returns the time at which the receiving driver passes it on, rounded up to nanoseconds,
  // or nothing if `queue_octets`, which is not 0, leaves no room for it. A packet longer than a slot takes several
  // consecutive slots. REQUIRES: `now_ns` never decreases.
  [[nodiscard]] std::optional<std::uint64_t> hand_over(std::size_t octets, std::uint64_t now_ns,
                                                       std::uint64_t queue_octets);

  // Returns the time at which the next buffer is closed, or nothing before the first link packet.
  [[nodiscard]] std::optional<std::uint64_t> next_close_ns() const noexcept;
  // Closes the next buffer. Returns the times at which the receiving driver passes on the idle packets in it.
  [[nodiscard]] std::vector<std::uint64_t> close();
  // True if a link packet is in a buffer that has not been closed.
  [[nodiscard]] bool is_open() const noexcept {
    return counts_.carried != 0 && closed_ * slots_.buffer_packets < next_;
  }

  [[nodiscard]] SlotCounts counts() const noexcept;

 private:
  [[nodiscard]] std::uint64_t slot_bits() const noexcept { return std::uint64_t{slots_.packet_octets} * 8; }
  // Returns the time at which all slots before slot n have been transmitted, rounded up.
  [[nodiscard]] std::uint64_t begin_ns(std::uint64_t slot) const noexcept;
  [[nodiscard]] std::uint64_t handed_on_ns(std::uint64_t slot) const noexcept;
  // Returns the first buffer that is closed at `now_ns` or later.
  [[nodiscard]] std::uint64_t open_buffer(std::uint64_t now_ns) const noexcept;

  Slots slots_;
  std::uint64_t rate_bps_;
  std::uint64_t first_ = 0;            // slot of the first buffer with a packet
  std::uint64_t next_ = 0;             // slot after the last packet
  std::uint64_t closed_ = 0;           // buffers before this one are closed
  std::deque<std::uint64_t> waiting_;  // slots of link packets that may not have been transmitted yet
  SlotCounts counts_;
};

}  // namespace headroom

#endif  // HEADROOM_LINK_SLOTS_H
