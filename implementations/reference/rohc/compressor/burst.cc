// SPDX-License-Identifier: Apache-2.0
//
// A burst in passes: hash the flows, guess their contexts, compress (see compressor.h).
#include <algorithm>

#include "rohc/compressor/classify.h"
#include "rohc/compressor/compressor.h"
#include "rohc/compressor/fast_path.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

// Packets looked at together, so that the memory fetched for one pass has arrived when the next pass needs it.
constexpr std::size_t kBurst = 32;

// How far ahead of its use the history of a flow is fetched, in packets.
constexpr std::size_t kHistoryAhead = 6;

}  // namespace

void Compressor::compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                          headroom_detail* details) noexcept {
  const std::uint32_t now = now_ms(now_ns);
  const bool plain = piggyback_.empty() && largest_link_packet_ == 0 && fast_path_;
  for (std::size_t from = 0; from < count; from += kBurst) {
    const std::size_t size = std::min(kBurst, count - from);
    headroom_detail* const burst_details = details != nullptr ? details + from : nullptr;
    if (plain) {
      compress_burst(packets + from, size, now, burst_details);
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        compress_slowly(packets[from + i], now, burst_details != nullptr ? burst_details + i : nullptr);
      }
    }
  }
}

// Fetches the history of a flow that will not take the fast path. No branch: for a flow that does, its context is
// fetched once more, which costs nothing.
void Compressor::prefetch_history(std::uint32_t guess) const noexcept {
  if (guess == kNoContext) return;
  const CompressorContext& c = contexts_[guess];
  const auto history = reinterpret_cast<std::uintptr_t>(&histories_[guess]);
  const auto context = reinterpret_cast<std::uintptr_t>(&c);
  const std::uintptr_t mask = std::uintptr_t{0} - c.fast;
  const auto wanted = (context & mask) | (history & ~mask);
  __builtin_prefetch(reinterpret_cast<const void*>(wanted), 1);
  __builtin_prefetch(reinterpret_cast<const void*>(wanted + 64), 1);
}

void Compressor::compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                                headroom_detail* details) noexcept {
  std::array<std::uint64_t, kBurst> hashes;
  std::array<std::uint32_t, kBurst> guesses;
  for (std::size_t i = 0; i < count; ++i) {
    const headroom_packet& p = packets[i];
    hashes[i] = quick_hash(p.in, p.in_length, port_masks_, salt_of(config_.seed, p.channel));
    table_.prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    guesses[i] = table_.guess(hashes[i]);
    if (guesses[i] != kNoContext) {
      __builtin_prefetch(&contexts_[guesses[i]], 1);
      __builtin_prefetch(contexts_[guesses[i]].pattern.data());
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    const std::uint32_t index = guesses[i];
    prefetch_history(guesses[std::min(i + kHistoryAhead, count - 1)]);
    // A context index is below the number of contexts, so the subtraction tells its channel.
    const std::uint32_t first = config_.channel.index_of(p.channel, 0);
    const bool own_channel = index - first < config_.channel.contexts_per_channel() && index != kNoContext;
    if (own_channel && compress_predicted(contexts_[index], p, now)) {
      p.status = HEADROOM_OK;
      ++counters_.fast;
      ++counters_.packets[static_cast<std::size_t>(PacketType::kUo0)];
      if (details != nullptr) {
        const std::uint8_t header = layout_of(contexts_[index].shape).header;
        const auto payload = p.in_length - header;
        fill_detail(details[i], {HEADROOM_OK, index, PacketType::kUo0, CompressorState::kSo, header,
                                 static_cast<std::uint16_t>(p.out_length - payload)});
      }
      continue;
    }
    if (own_channel && contexts_[index].fast_reliable && compress_predicted<true>(contexts_[index], p, now)) {
      p.status = HEADROOM_OK;
      ++counters_.fast;
      ++counters_.packets[static_cast<std::size_t>(PacketType::kR0)];
      if (details != nullptr) {
        const std::uint8_t header = layout_of(contexts_[index].shape).header;
        const auto compressed = static_cast<std::uint16_t>(p.out_length + header - p.in_length);
        fill_detail(details[i], {HEADROOM_OK, index, PacketType::kR0, CompressorState::kSo, header, compressed});
      }
      continue;
    }
    const Outcome outcome = compress_generally(p, now);
    if (details != nullptr) fill_detail(details[i], outcome);
  }
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
