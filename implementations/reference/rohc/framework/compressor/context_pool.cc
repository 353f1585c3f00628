// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/compressor/context_pool.h"

#include <algorithm>
#include <array>

namespace headroom::rohc {
namespace {

// Contexts compared when one has to be given up: the one that was used longest ago goes. Exact order would cost a list
// operation, and its cache misses, for each packet.
constexpr std::uint32_t kReplacementSample = 8;

}  // namespace

ContextPool::ContextPool(const ChannelParameters& channel)
    : parameters_(channel),
      owners_(channel.contexts()),
      table_(channel.contexts()),
      channels_(channel.channels),
      behind_(channel.contexts()) {}

std::uint32_t ContextPool::choose(std::uint32_t channel, wire::Profile profile) noexcept {
  Channel& ch = channels_[channel];
  if (ch.returned != kNoContext) return ch.returned;
  const std::uint32_t per_channel = parameters_.contexts_per_channel();
  const std::uint32_t first = parameters_.index_of(channel, 0);
  if (ch.fresh < per_channel) return first + ch.fresh;
  const std::uint32_t sampled = std::min(kReplacementSample, per_channel);
  std::array<CompressorFamily::Worth, kReplacementSample> worths;
  std::uint32_t least = kNoContext;
  CompressorFamily::Worth least_worth = ~CompressorFamily::Worth{0};
  for (std::uint32_t done = 0; done < sampled;) {
    // Contexts in a row that one family has.
    const std::uint32_t row = first + ch.hand;
    const CompressorFamily* const family = owners_.of(row);
    const std::uint32_t longest = std::min(sampled - done, per_channel - ch.hand);
    std::uint32_t count = 1;
    while (count < longest && owners_.of(row + count) == family) ++count;
    family->worths_of(row, profile, std::span(worths).first(count));
    for (std::uint32_t i = 0; i < count; ++i) {
      if (worths[i] >= least_worth) continue;
      least = row + i;
      least_worth = worths[i];
    }
    done += count;
    ch.hand = ch.hand + count == per_channel ? 0 : ch.hand + count;
  }
  return least;
}

bool ContextPool::take(std::uint32_t index, const CompressorFamily& family) noexcept {
  CompressorFamily* const before = owners_.of(index);
  if (before == &family) {
    before->drop(index);
    return true;
  }
  const bool in_use = before != nullptr;
  if (in_use) {
    owners_.release(index);
  } else if (Channel& ch = channel_of(index); index == ch.returned) {
    ch.returned = behind_[index];
  } else {
    ++ch.fresh;
  }
  owners_.take(index, family);
  return in_use;
}

void ContextPool::insert(std::uint64_t hash, std::uint32_t index) noexcept {
  while (!table_.insert(hash, index)) give_back(table_.victim(hash));
}

void ContextPool::give_back(std::uint32_t index) noexcept {
  owners_.release(index);
  put_on_returned(index);
}

void ContextPool::put_on_returned(std::uint32_t index) noexcept {
  Channel& ch = channel_of(index);
  behind_[index] = ch.returned;
  ch.returned = index;
}

ContextPool::Mark ContextPool::mark(std::uint32_t channel) const noexcept {
  const Channel& ch = channels_[channel];
  return {ch.fresh, ch.returned, ch.hand};
}

void ContextPool::take_back(std::uint32_t index, const Mark& mark, const CompressorFamily* before) noexcept {
  const CompressorFamily* const taker = owners_.of(index);
  Channel& ch = channel_of(index);
  owners_.release(index);
  ch.hand = mark.hand;
  if (before != nullptr && before == taker) {
    owners_.take(index, *before);
  } else if (ch.fresh != mark.fresh) {
    ch.fresh = mark.fresh;
  } else {
    put_on_returned(index);
  }
}

void ContextPool::move_epoch(std::uint32_t ms) noexcept {
  for (Channel& ch : channels_) ch.full_until_ms -= std::min(ch.full_until_ms, ms);
}

}  // namespace headroom::rohc
