// SPDX-License-Identifier: Apache-2.0
#include "iphc/contexts.h"

#include <bit>

#include "mutants.h"

namespace headroom::iphc {
namespace {

using wire::Chain;
using wire::Class;
using wire::Kind;

[[gnu::always_inline]] inline std::uint64_t mixed(std::uint64_t hash, const std::uint8_t* octets,
                                                  std::size_t count) noexcept {
  for (; count != 0;) {
    const std::size_t now = count < 8 ? count : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, octets, now);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
    octets += now;
    count -= now;
  }
  return hash;
}

// Of the subheaders that there are, and their DEF fields.
std::uint64_t hash_of(const Chain& chain, const std::uint8_t* header) noexcept {
  std::uint64_t hash = chain.upper;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    hash += static_cast<std::uint64_t>(kind) << 56;
    const std::uint8_t* const h = header + at;
    wire::for_each_defining(kind, h, chain.length_of(i), [&](std::size_t field, std::size_t octets) HEADROOM_VISIT {
      hash = mixed(hash, h + field, octets);
      return true;
    });
  }
  return hash;
}

bool same_stream(const Context& context, const Chain& chain, const std::uint8_t* header) noexcept {
  if (context.chain.count != chain.count || context.chain.upper != chain.upper) return false;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    const std::uint8_t* const a = context.header.data() + context.chain.parts[i].at;
    const std::uint8_t* const b = header + at;
    if (context.chain.parts[i].kind != kind) return false;
    const bool has_length = wire::is_as_is(kind) || kind == Kind::tcp;  // others find their fields by it
    if (!has_length && context.chain.length_of(i) != chain.length_of(i)) return false;
    if (!wire::for_each_defining(kind, b, chain.length_of(i),
                                 [&](std::size_t field, std::size_t octets)
                                     HEADROOM_VISIT { return std::memcmp(a + field, b + field, octets) == 0; }))
      return false;
  }
  return true;
}

}  // namespace

bool same_unchanging(const Context& context, const Chain& chain, const std::uint8_t* header) noexcept {
  if (context.chain.count != chain.count) return false;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const Kind kind = chain.parts[i].kind;  // no structured binding: a lambda has it
    if (context.chain.parts[i].kind != kind) return false;
    const std::uint8_t* const a = context.header.data() + context.chain.parts[i].at;
    const std::uint8_t* const b = header + chain.parts[i].at;
    if (wire::is_as_is(kind)) continue;
    if (kind != Kind::tcp && context.chain.length_of(i) != chain.length_of(i)) return false;
    // A checksum of zero is NOCHANGE (7.11): one that becomes zero has changed, too.
    if (kind == Kind::udp && (wire::load16(a + 6) == 0) != (wire::load16(b + 6) == 0)) return false;
    const std::uint8_t r_bits = kind == Kind::ipv4_of_tcp ? 0x03 : kind == Kind::ipv6_of_tcp ? 0x30 : std::uint8_t{0};
    if (!wire::for_each_field(
            kind, a, chain.length_of(i), [&](Class of, std::size_t field, std::size_t octets) HEADROOM_VISIT {
              if (of == Class::no_change) {
                const bool has_ttl = kind == Kind::ipv4_of_tcp && field <= 8 && field + octets > 8;
                return std::memcmp(a + field, b + field, octets) == 0 || (mutant("iphc-ttl-not-compared") && has_ttl);
              }
              return of != Class::unit || field != 1 || ((a[1] ^ b[1]) & ~r_bits) == 0;
            }))
      return false;
  }
  return true;
}

bool continues(const Context& context, wire::Octets packet) noexcept {
  const Chain& chain = context.chain;
  if (packet.size() < chain.length() || !chain.has_tcp() || chain.as_is) return false;
  const std::size_t offset = chain.tcp_at() + 12;  // the data offset of TCP
  return packet[offset] >> 4 == context.header[offset] >> 4 && same_unchanging(context, chain, packet.data());
}

bool CompressorContext::increment_generation(std::uint64_t now_ns) noexcept {
  const unsigned next = (generation + 1u) % kGenerations;
  const unsigned half = next / (kGenerations / 2);
  if (next % (kGenerations / 2) == 0) {
    if (left_at[half] != kNever && now_ns - left_at[half] < kMinWrapNs && !mutant("iphc-generation-wraps"))
      return false;
    left_at[1 - half] = now_ns;
  }
  generation = static_cast<std::uint8_t>(next);
  return true;
}

std::uint32_t ContextTable::find(const Chain& chain, const std::uint8_t* header) noexcept {
  // Often the packet is of the same stream as the one before.
  if (newest_ != kNone && same_stream(*slots_[newest_], chain, header)) return newest_;
  hash_ = hash_of(chain, header);
  if (buckets_.empty()) return kNone;
  std::uint32_t cid = bucket_of(hash_);
  while (cid != kNone && (slots_[cid]->hash != hash_ || !same_stream(*slots_[cid], chain, header)))
    cid = slots_[cid]->chain_next;
  return cid;
}

std::uint32_t ContextTable::reclaim() noexcept {
  std::uint32_t cid = oldest_;
  if (size() < most_) {
    cid = size();
    slots_.push_back(std::make_unique<Slot>());
    if (buckets_.size() < 2 * slots_.size()) grow();
    // As the oldest, which the caller is about to touch.
    slots_[cid]->newer = oldest_;
    (oldest_ == kNone ? newest_ : slots_[oldest_]->older) = cid;
    oldest_ = cid;
  } else {
    std::uint32_t* link = &bucket_of(slots_[cid]->hash);
    while (*link != cid) link = &slots_[*link]->chain_next;
    *link = slots_[cid]->chain_next;
  }
  Slot& slot = *slots_[cid];
  std::uint32_t& bucket = bucket_of(hash_);
  slot.hash = hash_;
  slot.chain_next = bucket;
  slot.is_valid = false;
  bucket = cid;
  return cid;
}

// Doubles the buckets, without the newest slot, which is not in one yet.
void ContextTable::grow() {
  buckets_.assign(std::bit_ceil(4 * slots_.size()), kNone);
  for (std::uint32_t cid = 0; cid + 1 < size(); ++cid) {
    std::uint32_t& bucket = bucket_of(slots_[cid]->hash);
    slots_[cid]->chain_next = bucket;
    bucket = cid;
  }
}

void ContextTable::unlink(std::uint32_t cid) noexcept {
  const Slot& s = *slots_[cid];
  (s.newer == kNone ? newest_ : slots_[s.newer]->older) = s.older;
  (s.older == kNone ? oldest_ : slots_[s.older]->newer) = s.newer;
}

void ContextTable::touch(std::uint32_t cid) noexcept {
  if (cid == newest_) return;
  unlink(cid);
  slots_[newest_]->newer = cid;
  slots_[cid]->older = newest_;
  slots_[cid]->newer = kNone;
  newest_ = cid;
}

std::size_t ContextTable::memory_bytes() const noexcept {
  return sizeof *this + slots_.capacity() * sizeof(slots_[0]) + slots_.size() * sizeof(Slot) +
         buckets_.capacity() * sizeof(buckets_[0]);
}

}  // namespace headroom::iphc
