// SPDX-License-Identifier: Apache-2.0
//
// Link is one direction of a link: packets go in, each with its time, and come out lost, damaged, late, twice,
// reordered or unchanged. Link does not know the meaning of packets. The same impairment, seed and packets in give the
// same packets out, on every platform. Each impairment draws from a random stream of its own, so that switching one on
// does not change the decisions of the others.
#ifndef HEADROOM_LINK_LINK_H
#define HEADROOM_LINK_LINK_H

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/octets.h"
#include "base/random.h"
#include "link/impairment.h"

namespace headroom {

struct LinkPacket {
  Octets octets;
  std::uint32_t channel = 0;
  std::uint32_t header_length = 0;  // octets after the spared ones in which a bit error is a header error
  std::uint32_t spared_length = 0;  // octets at the front without bit errors: a frame's own header
  std::uint64_t tag = 0;            // set by the caller; kInserted for packets that the link inserts
  std::uint16_t type = 0;           // set by the caller; never damaged
};

inline constexpr std::uint64_t kInserted = ~std::uint64_t{0};

enum class Fate : std::uint8_t {
  delivered,
  scripted_drop,
  loss,
  burst_loss,
  header_error,
  payload_error,
  queue_full,
  carrier  // a packet that another scheme carried never came out there
};
inline constexpr std::size_t kFates = 8;
[[nodiscard]] const char* name_of(Fate fate) noexcept;

struct Delivery {
  std::uint64_t time_ns = 0;
  LinkPacket packet;
  bool duplicate = false;  // True for the second copy
  bool error = false;      // True: not a packet, but the report that a damaged one was discarded here
  bool idle = false;       // True: an idle packet, sent because there was no other packet
};

struct LinkOutcome {
  std::uint64_t number = 0;  // number of the packet on this link; for an inserted packet, of the next packet
  Fate fate = Fate::delivered;
  std::vector<std::uint32_t> flipped;  // inverted bits, ascending, counted from the end of the spared octets
  bool held = false;                   // True if reordering held the packet back
  bool duplicated = false;
};

struct LinkCounts {
  std::uint64_t sent = 0;  // packets handed to the link
  std::uint64_t sent_octets = 0;
  std::uint64_t fates[kFates] = {};
  std::uint64_t bits_flipped = 0;
  std::uint64_t damaged_delivered = 0;
  std::uint64_t reordered = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t inserted = 0;
  std::uint64_t script_missed = 0;  // scripted events for packets or bits that never came
  std::uint64_t queue_most_octets = 0;
  std::uint64_t marked = 0;         // damaged packets that arrived with the error mark
  std::optional<SlotCounts> slots;  // set if the link has slots
};

class Link {
 public:
  Link(Impairment impairment, std::uint64_t seed);

  // Returns the packets that a script inserts before the next sent one. They arrive after the link's delay without
  // other impairments.
  [[nodiscard]] std::vector<Delivery> insertions(std::uint64_t now_ns);

  // Sends a packet. Appends the packets that arrive as a result (the packet, its copy, packets that it released) to
  // `deliveries`.
  LinkOutcome send(LinkPacket packet, std::uint64_t now_ns, std::vector<Delivery>& deliveries);

  // Releases all packets that are still held back, at the end, and counts scripted events that could not happen. May be
  // called again if more packets were sent as a result.
  [[nodiscard]] std::vector<Delivery> flush(std::uint64_t now_ns);

  // Returns the time at which the next idle packets are certain, because their buffer is closed, for links that deliver
  // idle packets; nothing if they are not certain, or no packet has been sent yet. The caller then calls `close_buffer`
  // once all packets of that moment have been sent, which appends the idle packets to `deliveries`. Throws Error(job)
  // if there are too many.
  [[nodiscard]] std::optional<std::uint64_t> next_close_ns() const noexcept;
  void close_buffer(std::vector<Delivery>& deliveries);
  // True if a sent packet is in a buffer that has not been closed.
  [[nodiscard]] bool is_open() const noexcept { return schedule_ && schedule_->is_open(); }

  // Returns the time at which all packets in the queue will have been sent; for links without slots.
  [[nodiscard]] std::uint64_t busy_until_ns() const noexcept { return busy_until_ns_; }

  [[nodiscard]] LinkCounts counts() const;

 private:
  struct Held {
    LinkPacket packet;
    std::uint32_t remaining;  // later packets that must still be sent, and not lost, first
  };

  // Returns the time at which the last bit of a packet of `octets` octets has left the queue, or nothing if the queue
  // has no room for it.
  [[nodiscard]] std::optional<std::uint64_t> departure(std::size_t octets, std::uint64_t now_ns);
  // True if the receiver gets notice of a packet that is lost in this way.
  [[nodiscard]] bool is_reported(Fate fate) const noexcept;
  [[nodiscard]] Fate lose(std::uint64_t number);
  [[nodiscard]] Fate damage(LinkPacket& packet, std::uint64_t number, std::vector<std::uint32_t>& flipped,
                            bool& is_marked);
  [[nodiscard]] std::uint64_t arrival(std::uint64_t now_ns);
  void deliver(LinkPacket packet, std::uint64_t now_ns, bool duplicate, std::vector<Delivery>& deliveries);
  void release(std::uint64_t now_ns, std::vector<Delivery>& deliveries);

  Impairment impairment_;
  Chance loss_, good_to_bad_, bad_to_good_, loss_good_, loss_bad_, ber_, reorder_, duplicate_;
  Xoshiro256 loss_random_, burst_random_, ber_random_, reorder_random_, duplicate_random_, jitter_random_;
  bool bad_ = false;  // the state of Gilbert-Elliott
  std::vector<Held> held_;
  std::uint64_t busy_until_ns_ = 0;  // time until which the link sends queued packets
  std::deque<std::uint64_t>
      departures_;  // departure times of packets that wait or are being sent, with Impairment::queue_packets
  std::optional<SlotSchedule> schedule_;
  std::uint64_t idle_ = 0;    // delivered idle packets
  std::uint64_t beyond_ = 0;  // scripted events after the last packet at the last flush
  LinkCounts counts_;
};

}  // namespace headroom

#endif  // HEADROOM_LINK_LINK_H
