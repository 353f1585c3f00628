// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor.h"

#include <algorithm>
#include <array>

#include "rohc/framework/habits.h"
#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/type_octet.h"
#include "rohc/v1/compressor/fast_packets.h"

namespace headroom::rohc {
namespace {

// How many packets ahead of its compression a packet is hashed and its bucket fetched; how many ahead the bucket is
// looked at and the context fetched. A few requests at a time keep a core's line fill buffers busy; more than it has
// would make it wait.
constexpr std::size_t kHashAhead = 14;
constexpr std::size_t kGuessAhead = 7;

// A power of two beyond kHashAhead.
constexpr std::size_t kRing = 16;
static_assert(kRing > kHashAhead);

// Contexts keep times as milliseconds in 32 bits, which last seven weeks. Half-way through, the beginning of time is
// moved.
constexpr std::uint32_t kEpochMs = std::uint32_t{1} << 31;
constexpr std::uint64_t kEpochNs = kEpochMs * std::uint64_t{1'000'000};

// Profile 0x0006 has the settings of the others, as far as they mean something there.
tcp::FlowsConfig tcp_config(const CompressorConfig& config) noexcept {
  tcp::FlowsConfig c;
  c.channel = config.channel;
  c.context.repeats = config.repeats;
  c.context.ir_refresh = config.ir_refresh.packets;
  c.context.ir_refresh_start = config.ir_refresh_start;
  c.context.ir_dyn_refresh = config.fo_refresh.packets;
  c.context.replicate = config.tcp_replication;
  c.context.static_options = config.tcp_static_options;
  c.context.ip_id_largest_step = config.ip_id_largest_step;
  c.seed = config.seed;
  c.ir_refresh_ms = config.ir_refresh.ms;
  c.ir_dyn_refresh_ms = config.fo_refresh.ms;
  c.reject_hold_ms = config.reject_hold_ms;
  return c;
}

}  // namespace

Compressor::Compressor(const CompressorConfig& config)
    : channel_(config.channel),
      pool_(config.channel),
      link_({config.packet_sizes, config.largest_packet, config.channel.mrru}, counters_),
      v1_(config, pool_, counters_) {
  pool_.add(v1_);
  if (!config.channel.profiles.tcp) return;
  tcp_.emplace(tcp_config(config), pool_, counters_);
  pool_.add(*tcp_);
}

inline std::uint32_t Compressor::now_ms(std::uint64_t now_ns) noexcept {
  if (!started_) {
    started_ = true;
    epoch_ns_ = now_ns;
  }
  if (now_ns - epoch_ns_ >= kEpochNs) move_epoch((now_ns - epoch_ns_) / kEpochNs);
  return milliseconds(now_ns - epoch_ns_);
}

void Compressor::move_epoch(std::uint64_t epochs) noexcept {
  epoch_ns_ += epochs * kEpochNs;
  const auto ms = static_cast<std::uint32_t>(std::min<std::uint64_t>(epochs * kEpochMs, 0xffffffff));
  pool_.move_epoch(ms);
  v1_.move_epoch(ms);
  if (tcp_) tcp_->move_epoch(ms);
}

void Compressor::reinitialize() noexcept {
  v1_.reinitialize();
  if (tcp_) tcp_->reinitialize();
}

std::size_t Compressor::compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                 headroom_detail* details) noexcept {
  const std::uint32_t now = now_ms(now_ns);
  if (link_.idle() && fast_path_) {
    if (tcp_) {
      compress_burst<true>(packets, count, now, details);
    } else {
      compress_burst<false>(packets, count, now, details);
    }
    return count;
  }
  link_.drop_segments();
  for (std::size_t i = 0; i < count; ++i) {
    const LinkPackets::Front front = link_.begin(packets[i]);
    compress_generally(packets[i], now, kNoContext, details != nullptr ? details + i : nullptr);
    link_.finish(packets[i], front);
    if (!link_.segments_left()) continue;
    packets[i].more = 1;
    return i + 1;
  }
  return count;
}

// TCP goes first to the family that knows it best; v1 takes everything.
inline void Compressor::compress_generally(headroom_packet& packet, std::uint32_t now, std::uint32_t guess,
                                           headroom_detail* detail) noexcept {
  packet.out_length = 0;
  if (tcp_ && tcp_->compress(packet, now, guess, detail)) return;
  v1_.compress(packet, now, guess, detail);
}

template <bool kTcp>
void Compressor::compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                                headroom_detail* details) noexcept {
  std::array<std::uint64_t, kRing> hashes;
  std::array<std::uint32_t, kRing> guesses;
  const auto hash = [&](std::size_t i) {
    hashes[i % kRing] = v1_.hash_of(packets[i]);
    pool_.table().prefetch(hashes[i % kRing]);
  };
  const auto guess = [&](std::size_t i) {
    const std::uint64_t h = hashes[i % kRing];
    const std::uint32_t index = h != kNoHash ? pool_.table().guess(h) : kNoContext;
    guesses[i % kRing] = index;
    if (index == kNoContext) return;
    if constexpr (kTcp) {
      if (is_tcp(index)) return tcp_->prefetch(index);
    }
    v1_.prefetch(index);
  };

  v1::Compressor::Fast fast;
  const std::uint32_t per_channel = channel_.contexts_per_channel();
  for (std::size_t i = 0; i < std::min(count, kHashAhead); ++i) hash(i);
  for (std::size_t i = 0; i < std::min(count, kGuessAhead); ++i) guess(i);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kHashAhead < count) hash(i + kHashAhead);
    if (i + kGuessAhead < count) guess(i + kGuessAhead);

    headroom_packet& p = packets[i];
    const std::uint32_t index = guesses[i % kRing];
    // A context index is below the number of contexts, so the subtraction tells its channel.
    const bool own_channel = index != kNoContext && index - p.channel * per_channel < per_channel;
    if constexpr (kTcp) {
      headroom_detail* const detail = details != nullptr ? details + i : nullptr;
      const bool done = own_channel && (is_tcp(index) ? tcp_->compress_fast(index, p, now, detail)
                                                      : v1_.compress_fast(index, p, now, details, i, fast));
      if (!done) compress_generally(p, now, own_channel ? index : kNoContext, detail);
    } else {
      if (own_channel && v1_.compress_fast(index, p, now, details, i, fast)) continue;
      v1_.compress(p, now, own_channel ? index : kNoContext, details != nullptr ? details + i : nullptr);
    }
  }
  v1_.count(fast);
}

void Compressor::give_feedback(std::uint32_t channel, Octets elements, std::uint64_t now_ns) noexcept {
  const std::uint32_t now = now_ms(now_ns);
  wire::Reader in(elements);
  if (channel >= channel_.channels) {
    ++counters_.ignored_feedback;
    return;
  }
  while (in.remaining() > 0) {
    const auto element = wire::is_feedback(in.peek()) ? wire::read_feedback_element(in) : std::nullopt;
    if (!element) {
      ++counters_.ignored_feedback;
      return;
    }
    const auto data = wire::read_feedback_cid(*element, channel_.large_cids);
    if (!data || !take_feedback(channel, *data, now)) ++counters_.ignored_feedback;
  }
}

bool Compressor::take_feedback(std::uint32_t channel, wire::FeedbackData data, std::uint32_t now) noexcept {
  data.cid = cid_by_habit(data.cid, channel_.max_cid);
  if (data.cid > channel_.max_cid) return false;
  const std::uint32_t index = channel_.index_of(channel, data.cid);
  CompressorFamily* const family = pool_.owners().of(index);
  return family != nullptr && family->take_feedback(index, data, now);
}

}  // namespace headroom::rohc
