// SPDX-License-Identifier: Apache-2.0
#include "iphc/contexts.h"

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

StreamHash hash_of(const Chain& chain, const std::uint8_t* header) noexcept {
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
  return {hash};
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
  const std::uint32_t newest = cids_.newest();
  if (newest != kNone && same_stream(*slots_[newest], chain, header)) return newest;
  hash_ = hash_of(chain, header);
  return cids_.find(hash_, [&](std::uint32_t cid) { return same_stream(*slots_[cid], chain, header); });
}

std::uint32_t ContextTable::reclaim() {
  const std::uint32_t cid = cids_.next();
  if (cid == size()) slots_.push_back(std::make_unique<CompressorContext>());
  cids_.assign(cid, hash_);
  slots_[cid]->is_valid = false;
  return cid;
}

std::size_t ContextTable::memory_bytes() const noexcept {
  return sizeof *this + cids_.memory_bytes() + slots_.capacity() * sizeof(slots_[0]) +
         slots_.size() * sizeof(CompressorContext);
}

}  // namespace headroom::iphc
