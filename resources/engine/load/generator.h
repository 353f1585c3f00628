// SPDX-License-Identifier: Apache-2.0
//
// The packets of very many flows at a few nanoseconds each. A flow is a slot of one cache line (more for longer header
// chains): the image of its last header, altered in place, and four octets of state. The packets are those that
// traffic::Flow makes with `pattern_payload`, and a test says so.
#ifndef HEADROOM_LOAD_GENERATOR_H
#define HEADROOM_LOAD_GENERATOR_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/octets.h"
#include "base/random.h"
#include "load/pages.h"
#include "traffic/packet.h"
#include "traffic/profile.h"

namespace headroom::load {

inline constexpr std::uint64_t kIndicesPerInterval = 64;  // as traffic::Flow numbers its draws

// The step to an RTP packet that differs from the previous one only by sequence number, time stamp and at most one
// IP-ID, as nearly every packet of a call does. Offsets count from the start of the slot.
struct PlainStep {
  std::uint16_t rtp_at = 0;
  std::uint16_t sum_at = 0;   // of the UDP checksum; 0 if there is none
  std::uint16_t sum_raw = 0;  // what the step adds to the sum under the UDP checksum, in memory order
  std::uint32_t timestamp_step = 0;
  std::uint64_t both = 0;           // increment of sequence number and time stamp as one number of 48 bits
  std::uint32_t header_length = 0;  // octets
  std::uint32_t length = 0;         // octets of the packet
};

// The places of the fields of a variant's packets, and their changes. Offsets count from the start of the slot.
struct alignas(256) Plan {  // so that the place of one is a shift away
  struct IpId {
    std::uint16_t at = 0;        // of the identification
    std::uint16_t checksum = 0;  // of the header's checksum
    traffic::IpIdBehaviour behaviour = traffic::IpIdBehaviour::sequential;
    std::uint8_t header = 0;
    Chance jumps;
    std::uint32_t most = 1;
  };
  struct Length {
    std::uint16_t at = 0;        // of a length field
    std::uint16_t base = 0;      // its value with an empty payload
    std::uint16_t checksum = 0;  // of the IPv4 header checksum that covers it; 0 if none does
  };
  std::uint32_t header_length = 0;
  std::uint32_t header_at = 0;              // the header ends where the slot does
  std::uint32_t shortest = 0, longest = 0;  // payload, octets
  bool rtp = false;
  bool echo = false;
  bool esp = false;
  bool tcp = false;
  bool tcp_echo = false;                   // a segment acknowledges as many octets as the one before it sent
  bool tcp_timestamps = false;             // the option of RFC 7323, 3.2, right after the fixed header
  std::uint32_t acknowledgement_step = 0;  // octets that each TCP segment acknowledges besides
  std::uint16_t sequence_at = 0;           // of RTP, of the echo request or, four octets, of ESP and TCP
  std::uint16_t sum_at = 0;        // of the checksum over sequence number, time stamp and payload; 0 if there is none
  bool sum_is_udp = false;         // in which zero is written as 0xFFFF
  std::uint8_t length_weight = 0;  // how often the length of the payload counts in that checksum
  std::uint32_t covered = ~0u;     // octets of the payload that it covers, if there are so many
  std::uint16_t token_at = 0;
  std::uint32_t timestamp_step = 0;
  traffic::Marker marker = traffic::Marker::never;
  std::uint8_t ip_ids = 0;
  std::array<IpId, 4> ip_id{};
  std::uint8_t lengths = 0;
  std::array<Length, traffic::kMostHeaders> length{};
  bool has_speech = false;
  traffic::Speech speech;
  traffic::Timing timing;

  bool plain = false;  // what PlainStep describes; without it `step` has no meaning
  PlainStep step;
};

class Generator {
 public:
  // Makes the first packets of flows 0 .. flows - 1. Throws Error(job) for a profile that asks for what this generator
  // does not do.
  Generator(const traffic::Profile& profile, std::uint32_t flows, std::uint64_t seed, bool reverse);

  // Maker generates packets. A loop keeps a copy of it in a local variable, so that the compiler knows that no write
  // changes it.
  class Maker {
   public:
    static constexpr bool kMayBeSilent = true;
    // Writes the next packet of a flow in front of `payload`, whose octets are the pattern already, and returns its
    // first octet; `length` is 0 if the flow sends nothing in this tick. REQUIRES: stride() octets in front of
    // `payload`; `payload` aligned to a cache line.
    [[nodiscard, gnu::always_inline]] const std::uint8_t* make(std::uint32_t flow, std::uint64_t tick,
                                                               std::uint8_t* payload,
                                                               std::uint32_t& length) const noexcept;

    // Prefetches the line with the state and the last line, which has the changing fields.
    void prefetch(std::uint32_t flow) const noexcept {
      const std::uint8_t* slot = slots_ + (std::size_t{flow} << stride_shift_);
      prefetch_line(slot);
      if (stride_ != kCacheLine) [[unlikely]]
        prefetch_line(slot + stride_ - kCacheLine);
    }

   private:
    friend class Generator;
    Generator* generator_ = nullptr;
    std::uint8_t* slots_ = nullptr;
    const Plan* plans_ = nullptr;
    std::size_t stride_ = 0;  // octets of a slot, a power of two
    unsigned stride_shift_ = 0;
  };
  [[nodiscard]] Maker maker() const noexcept { return maker_; }

  // Makes the same packets where all flows are of one variant without speech, plain, and end with a UDP or UDP-Lite
  // and an RTP header of fixed length, after an IPv4 header if an IP-ID moves, which then counts up: the places of the
  // fields are constants. It reads what the last packet of the flow wrote in the same pieces: a larger one would wait
  // until they have reached the cache, which with few flows takes longer than all the rest.
  class UniformMaker {
   public:
    static constexpr bool kMayBeSilent = false;
    // REQUIRES: as Maker::make.
    [[nodiscard, gnu::always_inline]] const std::uint8_t* make(std::uint32_t flow, std::uint64_t tick,
                                                               std::uint8_t* payload,
                                                               std::uint32_t& length) const noexcept;
    void prefetch(std::uint32_t flow) const noexcept { prefetch_line(slots_ + (std::size_t{flow} * kCacheLine)); }

   private:
    friend class Generator;
    static constexpr std::size_t kRtpAt = kCacheLine - 12;  // RFC 3550, 5.1
    static constexpr std::size_t kSumAt = kRtpAt - 2;       // RFC 768, and RFC 3828, 3.1
    static constexpr std::size_t kIpv4At = kRtpAt - 8 - 20;
    static constexpr std::size_t kIpIdAt = kIpv4At + 4;  // RFC 791, 3.1
    static constexpr std::size_t kChecksumAt = kIpv4At + 10;

    Generator* generator_ = nullptr;
    std::uint8_t* slots_ = nullptr;
    PlainStep step_;
    bool counts_ip_id_ = false;
    bool has_sum_ = false;
  };
  [[nodiscard]] bool is_uniform() const noexcept;
  // REQUIRES: is_uniform().
  [[nodiscard]] UniformMaker uniform_maker() const noexcept;

  // Prepares `count` flows that will replace others: the numbers `first_number` and following. Not for the measured
  // loop.
  void prepare_replacements(std::uint64_t first_number, std::uint32_t count);
  // Replaces `flow` by the next prepared flow, if one is left.
  void replace(std::uint32_t flow) noexcept {
    if (std::size_t{next_replacement_} * stride() == replacements_.size()) return;
    std::memcpy(maker_.slots_ + (std::size_t{flow} << maker_.stride_shift_),
                replacements_.data() + std::size_t{next_replacement_++} * stride(), stride());
  }

  [[nodiscard]] std::size_t stride() const noexcept { return maker_.stride_; }
  [[nodiscard]] std::uint32_t longest_payload() const noexcept { return longest_payload_; }
  [[nodiscard]] std::uint32_t longest_packet() const noexcept { return longest_packet_; }

 private:
  // The state of a flow, at the start of its slot.
  struct State {
    std::uint16_t remaining = 0;  // intervals of this spurt or pause
    std::uint8_t variant = 0;
    std::uint8_t flags = 0;
  };
  static_assert(sizeof(State) == 4);
  // In `flags`; the upper five bits count the intervals since the last silence frame.
  static constexpr std::uint8_t kFresh = 1;      // the image is the first packet and has not been sent
  static constexpr std::uint8_t kPlainNext = 2;  // the next packet is a plain step, unless a spurt ends before it
  static constexpr std::uint8_t kTalking = 4;
  static constexpr unsigned kPauseShift = 3;

  enum class Activity : std::uint8_t { silent, talking, spurt_start, silence_frame };

  // A slot and the copy of it in front of the payload. The copy is taken before anything is altered: reading a line
  // right after writing parts of it would wait for the writes.
  struct Image {
    std::uint8_t* slot;
    std::uint8_t* copy;
    void put16(std::uint32_t at, std::uint32_t value) const noexcept {
      store16(slot + at, value);
      store16(copy + at, value);
    }
    void put32(std::uint32_t at, std::uint32_t value) const noexcept {
      store32(slot + at, value);
      store32(copy + at, value);
    }
    void put64(std::size_t at, std::uint64_t value) const noexcept {
      store64(slot + at, value);
      store64(copy + at, value);
    }
    void put_raw16(std::size_t at, std::uint16_t value) const noexcept {
      std::memcpy(slot + at, &value, sizeof value);
      std::memcpy(copy + at, &value, sizeof value);
    }
    // Copies unchanged octets.
    template <std::size_t octets>
    void keep(std::size_t at) const noexcept {
      std::memcpy(copy + at, slot + at, octets);
    }
  };

  [[nodiscard]] static std::uint16_t next_identification(const Plan& plan, const std::uint8_t* slot,
                                                         const Plan::IpId& id, std::uint16_t old,
                                                         std::uint64_t tick) noexcept;
  static void make_wrap(const PlainStep& step, std::uint8_t* slot, std::uint8_t* copy) noexcept;
  [[gnu::always_inline]] static void move_rtp(const PlainStep& step, std::uint8_t* slot, std::uint8_t* copy) noexcept;
  [[nodiscard]] const std::uint8_t* make_any(std::uint8_t* slot, std::uint64_t tick, std::uint8_t* payload,
                                             std::uint32_t& length) noexcept;
  void make_image(std::uint64_t number, std::uint8_t* slot) const;
  [[nodiscard]] static Activity step_speech(const Plan& plan, State& state, std::uint32_t token,
                                            std::uint64_t tick) noexcept;
  static void move_identifications(const Plan& plan, const Image& image, std::uint32_t token, std::uint64_t index,
                                   bool fresh) noexcept;
  static void skip_interval(const Plan& plan, std::uint8_t* slot) noexcept;
  // Returns what the next segment adds to the checksum: `before` is the payload of the last one, octets.
  [[nodiscard]] static std::uint32_t move_tcp(const Plan& plan, const Image& image, std::uint32_t before) noexcept;
  // Returns the increment of the sum of plan.sum_at.
  [[nodiscard]] std::uint32_t set_payload_length(const Plan& plan, const Image& image, std::uint32_t from,
                                                 std::uint32_t to) const noexcept;

  const traffic::Profile& profile_;
  std::uint64_t seed_;
  bool reverse_;
  std::vector<Plan> plans_;
  std::uint32_t longest_payload_ = 0;
  std::uint32_t longest_packet_ = 0;
  std::vector<std::uint16_t> pattern_sum_;  // sums of the first n octets of the pattern
  std::optional<Pages> slots_;              // once the stride is known
  Maker maker_;
  std::vector<std::uint8_t> replacements_;
  std::uint32_t next_replacement_ = 0;
};

// Sums in one's complement may be added up in either byte order (RFC 1071, 2(B)): these work on the two octets as they
// lie in memory.
[[nodiscard]] inline std::uint16_t load_raw(const std::uint8_t* at) noexcept {
  std::uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The checksum goes down by what the sum goes up; 0 and 0xFFFF are one number, and UDP writes it as 0xFFFF.
[[nodiscard]] inline std::uint16_t step_sum(std::uint16_t checksum, std::uint16_t step) noexcept {
  const std::int32_t sum = checksum - step;
  return static_cast<std::uint16_t>(sum + (sum <= 0 ? 0xFFFF : 0));
}

// Returns the checksum of an IPv4 header whose identification has counted up to `now`.
[[nodiscard]] inline std::uint16_t count_checksum(std::uint16_t checksum, std::uint16_t now) noexcept {
  const int lower = checksum - (now == 0 ? 0 : 1);
  return static_cast<std::uint16_t>(lower < 0 ? 0xFFFE : lower);
}

// Copies a flow's slot, the state and then the headers, to `copy`: the `stride` octets before a payload.
inline void copy_slot(std::uint8_t* copy, const std::uint8_t* slot, std::size_t stride) noexcept {
  if (stride == kCacheLine) [[likely]] {
    std::memcpy(copy, slot, kCacheLine);
  } else {
    std::memcpy(copy, slot, stride);
  }
}

[[gnu::always_inline]] inline void Generator::move_rtp(const PlainStep& step, std::uint8_t* slot,
                                                       std::uint8_t* copy) noexcept {
  // The first eight octets of the RTP header as one number: sequence number and time stamp are its lower 48 bits.
  const std::size_t at = step.rtp_at;
  const std::uint64_t before = load64(slot + at);
  const std::uint64_t after = before + step.both;
  const auto timestamp = static_cast<std::uint32_t>(after);
  const auto sequence = static_cast<std::uint16_t>(after >> 32);
  if (sequence == 0 || timestamp < step.timestamp_step) [[unlikely]] {
    make_wrap(step, slot, copy);
    return;
  }
  const Image image{slot, copy};
  image.put64(at, after);
  if (const std::size_t sum_at = step.sum_at; sum_at != 0) {
    image.put_raw16(sum_at, step_sum(load_raw(slot + sum_at), step.sum_raw));
  }
}

inline const std::uint8_t* Generator::Maker::make(std::uint32_t flow, std::uint64_t tick, std::uint8_t* payload,
                                                  std::uint32_t& length) const noexcept {
  std::uint8_t* slot = slots_ + (std::size_t{flow} << stride_shift_);
  State state;
  std::memcpy(&state, slot, sizeof state);
  const Plan& plan = plans_[state.variant];
  if ((state.flags & kPlainNext) == 0 || (plan.has_speech && state.remaining == 0)) [[unlikely]] {
    return generator_->make_any(slot, tick, payload, length);
  }
  const Image image{slot, payload - stride_};
  copy_slot(image.copy, slot, stride_);
  if (plan.has_speech) {
    --state.remaining;
    std::memcpy(slot, &state, sizeof state);
  }
  move_rtp(plan.step, slot, image.copy);
  if (plan.ip_ids != 0) {
    const Plan::IpId& id = plan.ip_id[0];
    const std::uint16_t old = load16(slot + id.at);
    const std::uint16_t checksum = load16(slot + id.checksum);
    if (id.behaviour == traffic::IpIdBehaviour::sequential) [[likely]] {
      const auto now = static_cast<std::uint16_t>(old + 1);
      image.put16(id.at, now);
      image.put16(id.checksum, count_checksum(checksum, now));
    } else {
      const std::uint16_t now = next_identification(plan, slot, id, old, tick);
      image.put16(id.at, now);
      image.put16(id.checksum, checksum_update(checksum, word_delta(old, now)));
    }
  }
  length = plan.step.length;
  return payload - plan.header_length;
}

inline const std::uint8_t* Generator::UniformMaker::make(std::uint32_t flow, std::uint64_t tick, std::uint8_t* payload,
                                                         std::uint32_t& length) const noexcept {
  std::uint8_t* slot = slots_ + (std::size_t{flow} * kCacheLine);
  std::uint8_t* copy = payload - kCacheLine;
  const std::uint64_t rtp = load64(slot + kRtpAt) + step_.both;
  const bool wraps =
      static_cast<std::uint16_t>(rtp >> 32) == 0 || static_cast<std::uint32_t>(rtp) < step_.timestamp_step;
  if ((slot[offsetof(State, flags)] & kPlainNext) == 0 || wraps) [[unlikely]] {
    return generator_->make_any(slot, tick, payload, length);
  }
  const Image image{slot, copy};
  if (counts_ip_id_) {
    image.keep<4>(kIpv4At);
    const auto id = static_cast<std::uint16_t>(load16(slot + kIpIdAt) + 1);
    image.put16(kIpIdAt, id);
    image.keep<4>(kIpIdAt + 2);
    image.put16(kChecksumAt, count_checksum(load16(slot + kChecksumAt), id));
    image.keep<8>(kChecksumAt + 2);
    image.keep<4>(kChecksumAt + 10);
  } else {
    for (std::size_t at = 0; at != kSumAt - 2; at += 16) image.keep<16>(at);
  }
  image.keep<2>(kSumAt - 2);
  if (has_sum_) {
    image.put_raw16(kSumAt, step_sum(load_raw(slot + kSumAt), step_.sum_raw));
  } else {
    image.keep<2>(kSumAt);
  }
  image.put64(kRtpAt, rtp);
  image.keep<4>(kRtpAt + 8);
  length = step_.length;
  return payload - step_.header_length;
}

inline std::uint16_t Generator::next_identification(const Plan& plan, const std::uint8_t* slot, const Plan::IpId& id,
                                                    std::uint16_t old, std::uint64_t tick) noexcept {
  if (id.behaviour == traffic::IpIdBehaviour::swapped)
    return traffic::swap_octets(static_cast<std::uint16_t>(traffic::swap_octets(old) + 1));
  const std::uint32_t token = load32(slot + plan.token_at);
  return static_cast<std::uint16_t>(
      traffic::packet_draw(token, traffic::Purpose::identification, tick * kIndicesPerInterval, id.header) >> 48);
}

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_GENERATOR_H
