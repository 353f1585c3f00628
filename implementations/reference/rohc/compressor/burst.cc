// SPDX-License-Identifier: Apache-2.0
//
// A burst on its way to the contexts: while one packet is compressed, the memory that later ones need is fetched.
#include <algorithm>

#include "rohc/compressor/classify.h"
#include "rohc/compressor/compressor.h"
#include "rohc/compressor/fast_path.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

// How many packets ahead of its compression a packet is hashed and its bucket fetched; how many ahead the bucket is
// looked at and the context fetched. A few requests at a time keep a core's line fill buffers busy; more than it has
// would make it wait.
constexpr std::size_t kHashAhead = 14;
constexpr std::size_t kGuessAhead = 7;

// A power of two beyond kHashAhead.
constexpr std::size_t kRing = 16;
static_assert(kRing > kHashAhead);

}  // namespace

std::size_t Compressor::compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                                 headroom_detail* details) noexcept {
  const std::uint32_t now = now_ms(now_ns);
  if (piggyback_.empty() && largest_link_packet_ == 0 && fast_path_) {
    compress_burst(packets, count, now, details);
    return count;
  }
  segments_.drop();
  for (std::size_t i = 0; i < count; ++i) {
    compress_slowly(packets[i], now, details != nullptr ? details + i : nullptr);
    if (segments_.empty()) continue;
    packets[i].more = 1;
    return i + 1;
  }
  return count;
}

void Compressor::compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                                headroom_detail* details) noexcept {
  std::array<std::uint64_t, kRing> hashes;
  std::array<std::uint32_t, kRing> guesses;
  // A linear lookup takes no clue, on any channel.
  const std::uint32_t channels_with_hash = config_.flow_lookup == FlowLookup::kHashed ? config_.channel.channels : 0;
  const auto hash = [&](std::size_t i) {
    const headroom_packet& p = packets[i];
    // A channel that there is not has no contexts, and must not be taken for another one's.
    const bool known = p.channel < channels_with_hash;
    hashes[i % kRing] = known ? look_.hash(p.in, p.in_length, p.channel) : kNoHash;
    table_.prefetch(hashes[i % kRing]);
  };
  const auto guess = [&](std::size_t i) {
    const std::uint64_t h = hashes[i % kRing];
    const std::uint32_t index = h != kNoHash ? table_.guess(h) : kNoContext;
    guesses[i % kRing] = index;
    if (index == kNoContext) return;
    __builtin_prefetch(&contexts_[index], 1);
    __builtin_prefetch(contexts_[index].pattern.data());
  };

  std::uint64_t fast = 0, fast_reliable = 0;
  const std::uint32_t per_channel = config_.channel.contexts_per_channel();
  for (std::size_t i = 0; i < std::min(count, kHashAhead); ++i) hash(i);
  for (std::size_t i = 0; i < std::min(count, kGuessAhead); ++i) guess(i);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kHashAhead < count) hash(i + kHashAhead);
    if (i + kGuessAhead < count) guess(i + kGuessAhead);

    headroom_packet& p = packets[i];
    const std::uint32_t index = guesses[i % kRing];
    // A context index is below the number of contexts, so the subtraction tells its channel.
    const bool own_channel = index != kNoContext && index - p.channel * per_channel < per_channel;
    PacketType type = PacketType::kUnknown;
    if (own_channel && compress_predicted(contexts_[index], p, now)) {
      ++fast;
      type = PacketType::kUo0;
    } else if (own_channel && contexts_[index].fast_reliable && compress_predicted<true>(contexts_[index], p, now)) {
      ++fast_reliable;
      type = PacketType::kR0;
    }
    if (type == PacketType::kUnknown) {
      const Outcome outcome = compress_generally(p, now, own_channel ? index : kNoContext);
      if (details != nullptr) fill_detail(details[i], outcome);
      continue;
    }
    p.status = HEADROOM_OK;
    if (details != nullptr) {
      const std::uint8_t header = layout_of(contexts_[index].shape).header;
      const auto compressed = static_cast<std::uint16_t>(p.out_length + header - p.in_length);
      fill_detail(details[i], {HEADROOM_OK, index, type, CompressorState::kSo, header, compressed});
    }
  }
  counters_.fast += fast + fast_reliable;
  counters_.packets[static_cast<std::size_t>(PacketType::kUo0)] += fast;
  counters_.packets[static_cast<std::size_t>(PacketType::kR0)] += fast_reliable;
}

void Compressor::fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept {
  detail = {};
  detail.packet_type = static_cast<std::uint8_t>(outcome.type);
  detail.plain_header = outcome.plain_header;
  detail.compressed_header = outcome.compressed_header;
  detail.state = static_cast<std::uint8_t>(outcome.state);
  if (outcome.context == kNoContext) {
    detail.cid = 0xffffffffU;
    detail.profile = 0xffff;
    detail.mode = 255;
    return;
  }
  const CompressorContext& c = contexts_[outcome.context];
  detail.cid = outcome.context % config_.channel.contexts_per_channel();
  detail.profile = static_cast<std::uint16_t>(c.profile);
  detail.mode = static_cast<std::uint8_t>(c.mode);
}

}  // namespace headroom::rohc
