// SPDX-License-Identifier: Apache-2.0
#include "rohc/decompressor.h"

#include <algorithm>
#include <array>

#include "rohc/v1/decompressor/fast_packets.h"

namespace headroom::rohc {
namespace {

// How many packets ahead of its use a context is fetched, and a power of two beyond that.
constexpr std::size_t kAhead = 10;
constexpr std::size_t kRing = 16;
static_assert(kRing > kAhead);

constexpr wire::PacketType type_of(Arrived arrived) noexcept {
  switch (arrived) {
    case Arrived::kFeedback:
      return wire::PacketType::kFeedback;
    case Arrived::kSegment:
      return wire::PacketType::kSegment;
    default:
      return wire::PacketType::kUnknown;
  }
}

// Profile 0x0006 has the settings of the others, as far as they mean something there. It knows no modes: where the
// others stay in U-mode, there is no feedback.
tcp::RestorerConfig tcp_config(const DecompressorConfig& config) noexcept {
  tcp::RestorerConfig c;
  c.channel = config.channel;
  c.context.dynamic_k = config.dynamic_damage.k;
  c.context.dynamic_n = config.dynamic_damage.n;
  c.context.static_k = config.static_damage.k;
  c.context.static_n = config.static_damage.n;
  c.context.repair_msn = config.repair_wraparound;
  c.context.verify_checksum = config.tcp_verify_checksum;
  c.feedback = config.feedback && config.mode != wire::Mode::kUnidirectional;
  c.nack_every = config.nack_every;
  c.ack_every = config.ack_sparse;
  c.msn_option = config.sn_option;
  c.most_contexts = config.most_contexts;
  return c;
}

}  // namespace

Decompressor::Decompressor(const DecompressorConfig& config)
    : channel_(config.channel),
      intake_(config.channel, config.feedback_for, counters_),
      owners_(config.channel.contexts()),
      v1_(config, owners_, own_feedback_, counters_) {
  owners_.add(v1_);
  if (!config.channel.profiles.tcp) return;
  tcp_.emplace(tcp_config(config), owners_, own_feedback_, counters_);
  owners_.add(*tcp_);
}

void Decompressor::decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                              headroom_detail* details) noexcept {
  if (tcp_) {
    decompress_burst<true>(packets, count, now_ns, details);
  } else {
    decompress_burst<false>(packets, count, now_ns, details);
  }
}

template <bool kTcp>
void Decompressor::decompress_burst(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                    headroom_detail* details) noexcept {
  std::array<Lookahead, kRing> lookaheads;
  const auto look = [&](std::size_t i) {
    Lookahead& lookahead = lookaheads[i % kRing];
    intake_.look_at(packets[i], lookahead);
    if (lookahead.context == kNoContext) return;
    if constexpr (kTcp) {
      if (is_tcp(lookahead.context)) return tcp_->prefetch(lookahead.context);
    }
    v1_.prefetch(lookahead.context);
  };

  v1::Decompressor::Fast fast;
  // A packet that ends a reassembly must not slip by on the fast path.
  bool quick = v1_.fast_path() && !intake_.pending();
  for (std::size_t i = 0; i < std::min(count, kAhead); ++i) look(i);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) look(i + kAhead);
    headroom_packet& p = packets[i];
    const Lookahead& lookahead = lookaheads[i % kRing];
    if constexpr (kTcp) {
      if (quick && lookahead.context != kNoContext && is_tcp(lookahead.context)) {
        tcp_->decompress(lookahead, p, details != nullptr ? details + i : nullptr);
        continue;
      }
    }
    if (quick && lookahead.context != kNoContext && v1_.decompress_fast(lookahead, p, now_ns, details, i, fast))
      continue;
    decompress_generally(p, now_ns, details != nullptr ? details + i : nullptr);
    quick = v1_.fast_path() && !intake_.pending();
  }
  v1_.count(fast);
}

void Decompressor::decompress_generally(headroom_packet& packet, std::uint64_t now_ns,
                                        headroom_detail* detail) noexcept {
  packet.out_length = 0;
  Framed framed;
  Arrived arrived = Arrived::kPacket;
  if (packet.channel >= channel_.channels) {
    packet.status = HEADROOM_ERR_CHANNEL;
  } else if (packet.in_type == HEADROOM_TYPE_LOST) {  // the CRC of the next packet shows it as well
    packet.status = HEADROOM_NOTHING;
  } else {
    packet.status = intake_.take(packet.channel, {packet.in, packet.in_length}, framed, arrived);
  }
  if (packet.status == HEADROOM_OK) {
    const std::uint32_t index = channel_.index_of(packet.channel, framed.cid);
    family_for(owners_, framed, index).decompress(framed, index, packet, now_ns, detail);
    return;
  }
  const wire::PacketType type = type_of(arrived);
  ++counters_.packets[static_cast<std::size_t>(type)];
  counters_.tally(packet.status);
  if (detail == nullptr) return;
  *detail = {};
  detail->packet_type = static_cast<std::uint8_t>(type);
  detail->cid = 0xffffffffU;
  detail->profile = 0xffff;
  detail->mode = 255;
}

}  // namespace headroom::rohc
