// SPDX-License-Identifier: Apache-2.0
//
// Contexts. The compressor finds contexts by the defining fields of packets (RFC 2507, 4.1) and reclaims the least
// recently used context first; the decompressor finds contexts by CID. A context is allocated when its CID is first
// used.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "cid_table.h"
#include "iphc/config.h"
#include "iphc/wire/chain.h"

namespace headroom::iphc {

// "The uncompressed version of the last header sent (compressor) or received (decompressor) over the link" (section 2).
struct Context {
  wire::Chain chain{};
  std::array<std::uint8_t, kLongestMaxHeader> header;  // chain.length() octets
  std::uint32_t data = 0;                              // octets after the header in the last packet
  std::uint16_t number = 0;                            // packet sequence number of the last packet (11.2)

  Context() = default;

  [[nodiscard]] bool is_empty() const noexcept { return chain.count == 0; }
  // Saves the header of a packet of `total` octets. REQUIRES: `octets` begins with the chain `of`.
  void save(const wire::Chain& of, const std::uint8_t* octets, std::size_t total) noexcept {
    if (&of != &chain) chain.assign(of);
    wire::copy_header(header.data(), octets, of.length());
    data = static_cast<std::uint32_t>(total - of.length());
  }
};

// True if the subheaders are the same and all fields are equal whose change "means that a full header MUST be sent"
// (section 7). In TCP only the ports are compared; in the IP header before TCP, all of these fields except the bits in
// the R-octet.
[[nodiscard]] bool same_unchanging(const Context& context, const wire::Chain& chain,
                                   const std::uint8_t* header) noexcept;

struct DecompressorContext : Context {
  // TCP: the fields that the last eight compressed headers changed, four bits for each header; 0: no header.
  std::uint32_t changed = 0;
  // Non-TCP.
  std::uint8_t generation = 0;
  bool is_current = true;  // false: the link was down, and the compressor may have reused its generations
};

// The contexts of a decompressor for one space of CIDs.
class ContextsByCid {
 public:
  // Returns the context of a CID, or nullptr if no full header has established the context.
  [[nodiscard]] DecompressorContext* find(std::uint32_t cid) const noexcept {
    return cid < contexts_.size() ? contexts_[cid].get() : nullptr;
  }
  // Returns the context of a CID; allocates the context if there is none.
  [[nodiscard]] DecompressorContext& make(std::uint32_t cid) {
    if (cid >= contexts_.size()) contexts_.resize(cid + 1);
    if (contexts_[cid] == nullptr) {
      contexts_[cid] = std::make_unique<DecompressorContext>();
      ++in_use_;
    }
    return *contexts_[cid];
  }
  void make_obsolete() noexcept {
    for (auto& context : contexts_) {
      if (context != nullptr) context->is_current = false;
    }
  }
  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return contexts_.capacity() * sizeof(contexts_[0]) + in_use_ * sizeof(DecompressorContext);
  }

 private:
  std::vector<std::unique_ptr<DecompressorContext>> contexts_;
  std::size_t in_use_ = 0;
};

// True if a packet has the chain of a TCP context and all fields that same_unchanging() compares are equal. All fields
// that determine a chain are NOCHANGE. Returns false if only a full parse can tell.
[[nodiscard]] bool continues(const Context& context, wire::Octets packet) noexcept;

struct CompressorContext : Context {
  static constexpr std::uint64_t kNever = UINT64_MAX;

  // Advances to the next generation. Returns false, without any change, if that generation was used too recently: "The
  // compressor must not reuse the same generation value after a shorter time than MIN_WRAP seconds" (3.3). Times are
  // stored per half of the generations, 0 .. 31 and 32 .. 63.
  [[nodiscard]] bool increment_generation(std::uint64_t now_ns) noexcept;

  bool is_valid = false;         // false: the next packet must refresh the context
  std::uint32_t since_full = 0;  // packets since the last full header: non-TCP C_NUM (3.3.3)
  // Non-TCP.
  std::uint8_t generation = 0;
  std::uint32_t period = 1;                                 // F_PERIOD
  std::uint64_t full_at = 0;                                // F_LAST, ns
  std::array<std::uint64_t, 2> left_at = {kNever, kNever};  // ns: last time that each half of the generations was left
};

// The hash of a packet's subheaders and their DEF fields. Different streams may have the same hash.
struct StreamHash {
  std::uint64_t value = 0;
  [[nodiscard]] std::uint32_t hash() const noexcept { return static_cast<std::uint32_t>(value); }
  friend bool operator==(const StreamHash&, const StreamHash&) = default;
};

// The contexts of a compressor for one space of CIDs.
class ContextTable {
 public:
  static constexpr std::uint32_t kNone = CidTable<StreamHash>::kNone;

  explicit ContextTable(std::uint32_t most) : cids_(most) { guesses_.fill(kNone); }

  // Returns the CID of a packet's stream, or kNone.
  [[nodiscard]] std::uint32_t find(const wire::Chain& chain, const std::uint8_t* header) noexcept;
  // Assigns a CID to a packet's stream that has none: an unused CID, or else the least recently used CID. The context
  // keeps the data of the former stream but becomes invalid. REQUIRES: the last call was find() for the packet.
  [[nodiscard]] std::uint32_t reclaim();
  // Returns the probable CID of a TCP packet without parsing its chain, or kNone. `continues` verifies the guess. After
  // find(), the caller passes the result to remember().
  [[nodiscard]] std::uint32_t guess(wire::Octets packet) const noexcept { return guesses_[guess_of(packet)]; }
  void remember(wire::Octets packet, std::uint32_t cid) noexcept { guesses_[guess_of(packet)] = cid; }
  // Marks the CID as the most recently used.
  void touch(std::uint32_t cid) noexcept { cids_.touch(cid); }

  [[nodiscard]] CompressorContext& operator[](std::uint32_t cid) noexcept { return *slots_[cid]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t kGuesses = 256;
  // Returns the index of a packet's guess: a hash of addresses and ports for IPv4, of ports and flow label for IPv6,
  // for packets without extension headers and tunnels.
  [[nodiscard]] static std::size_t guess_of(wire::Octets packet) noexcept {
    if (packet.size() < wire::kIpv4Header + 4) return 0;
    const bool is_ipv6 = packet[0] >> 4 == 6 && packet.size() >= wire::kIpv6Header + 4;
    const std::uint32_t ports = wire::load32(&packet[is_ipv6 ? wire::kIpv6Header : wire::kIpv4Header]);
    const std::uint32_t ends =
        is_ipv6 ? wire::load32(&packet[0]) : wire::load32(&packet[12]) + wire::load32(&packet[16]);
    return (ports ^ ends) * 0x9E3779B1u >> 24;
  }

  CidTable<StreamHash> cids_;
  std::vector<std::unique_ptr<CompressorContext>> slots_;  // by CID
  std::array<std::uint32_t, kGuesses> guesses_;
  StreamHash hash_;  // hash of the packet in the last call of find()
};

}  // namespace headroom::iphc
