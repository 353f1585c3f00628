// SPDX-License-Identifier: Apache-2.0
//
// One direction of a link: packets go in at a time, and come out lost, damaged, late, twice or in another order, or as
// they were. Nothing here knows what the packets are. Same impairment, same seed, same packets in: same packets out, on
// every platform. Each impairment draws from a stream of its own, so that switching one on leaves the decisions of the
// others as they were.
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
  std::uint32_t header_length = 0;  // octets that count as header when bits are wrong, behind those that are spared
  std::uint32_t spared_length = 0;  // octets at its front in which no bit is ever wrong: a frame's own header
  std::uint64_t tag = 0;            // the caller's; kInserted for packets that the link made up
  std::uint16_t type = 0;           // the caller's; no bit of it is ever wrong
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
  carrier  // of a packet that another scheme carried: it never came out there
};
inline constexpr std::size_t kFates = 8;
[[nodiscard]] const char* name_of(Fate fate) noexcept;

struct Delivery {
  std::uint64_t time_ns = 0;
  LinkPacket packet;
  bool duplicate = false;  // the second copy
  bool error = false;      // no packet, but the report that a damaged one was discarded here
  bool idle = false;       // the link sent it because there was nothing else to send
};

struct LinkOutcome {
  std::uint64_t number = 0;  // of the packet on this link; for an inserted packet that of the packet it precedes
  Fate fate = Fate::delivered;
  std::vector<std::uint32_t> flipped;  // bits that were inverted, ascending, counted behind the spared octets
  bool held = false;                   // by reordering
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
  std::optional<SlotCounts> slots;  // where the link has some
};

class Link {
 public:
  Link(Impairment impairment, std::uint64_t seed);

  // Packets that a script inserts before the next one that is sent; they arrive with the link's delay and nothing else
  // happens to them.
  [[nodiscard]] std::vector<Delivery> insertions(std::uint64_t now_ns);

  // Sends a packet. What arrives because of it (the packet, its copy, packets it released) is appended to `deliveries`.
  LinkOutcome send(LinkPacket packet, std::uint64_t now_ns, std::vector<Delivery>& deliveries);

  // At the end: whatever is still held back. Also counts what the script could not do. May be called again when more
  // was sent because of it.
  [[nodiscard]] std::vector<Delivery> flush(std::uint64_t now_ns);

  // The time at which the next idle packets are certain, because their buffer is closed, for links that deliver idle
  // packets; nothing if they are not certain, or no packet has been sent yet. The caller then calls `close_buffer` once
  // all packets of that moment have been sent, which appends the idle packets to `deliveries`. Throws Error(job) if
  // there are too many.
  [[nodiscard]] std::optional<std::uint64_t> next_close_ns() const noexcept;
  void close_buffer(std::vector<Delivery>& deliveries);
  // True if a sent packet is in a buffer that has not been closed.
  [[nodiscard]] bool is_open() const noexcept { return schedule_ && schedule_->is_open(); }

  // The time at which the rate has sent all packets that it holds now; for links without slots.
  [[nodiscard]] std::uint64_t busy_until_ns() const noexcept { return busy_until_ns_; }

  [[nodiscard]] LinkCounts counts() const;

 private:
  struct Held {
    LinkPacket packet;
    std::uint32_t remaining;  // later packets that still have to be sent and not lost
  };

  // The time at which the last bit of a packet of `octets` has left the queue; nothing if there is no room for it.
  [[nodiscard]] std::optional<std::uint64_t> departure(std::size_t octets, std::uint64_t now_ns);
  // True if the receiver is told that a packet was lost in this way.
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
  std::uint64_t busy_until_ns_ = 0;  // the link sends what is queued until then
  std::deque<std::uint64_t>
      departures_;  // of the packets that wait or are on their way, with Impairment::queue_packets
  std::optional<SlotSchedule> schedule_;
  std::uint64_t idle_ = 0;    // packets that were delivered
  std::uint64_t beyond_ = 0;  // scripted events behind the last packet at the last flush
  LinkCounts counts_;
};

}  // namespace headroom

#endif  // HEADROOM_LINK_LINK_H
