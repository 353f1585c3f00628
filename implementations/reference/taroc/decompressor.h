// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of 7.2. A refused packet changes no context, and later packets are decompressed as usual: there is
// no toss flag.
//
// Interpretation of the draft: an UNCOMPRESSED_TCP packet with a wrong TCP checksum is passed on, but becomes neither a
// reference ("… uncompressed value that had passed the TCP checksum successfully", 5) nor a context. Its packet number
// is ignored.
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "taroc/config.h"
#include "taroc/options.h"
#include "taroc/window.h"

namespace headroom::taroc {

struct DecompressorCounters {
  std::uint64_t ip = 0, uncompressed = 0, compressed = 0;  // packets passed on, by type
  std::uint64_t unverified = 0;                            // uncompressed packets with a wrong TCP checksum
  std::uint64_t older = 0;           // compressed packets older than the reference packet, which stayed
  std::uint64_t errors = 0;          // reports of damaged frames
  std::uint64_t wrong_checksum = 0;  // compressed packets with a wrong TCP checksum, and wrong IP header checksums
  std::uint64_t bad_cid = 0, no_context = 0, malformed = 0;
};

class Decompressor {
 public:
  explicit Decompressor(const Config& config);

  // Decompresses a packet of the type `in_type`. REQUIRES: p.channel < config.channels, the detail is nullptr or set to
  // "not known". Statuses: ERR_NO_CONTEXT without a context, ERR_CRC for a wrong checksum, ERR_MALFORMED for any other
  // invalid packet.
  [[nodiscard]] std::int32_t decompress(headroom_packet& p, headroom_detail* detail) noexcept;

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::size_t contexts_in_use() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  struct Context {
    // The header of the last UNCOMPRESSED_TCP packet, the form of its options, and the octets of its other options.
    std::array<std::uint8_t, wire::kLongestPlainHeader> header{};
    wire::Lengths lengths{};  // 0 octets: there is no context
    OptionForm form{};
    std::array<std::uint8_t, wire::kMostOptions> others{};
    Values reference{};  // values of the reference packet
  };

  std::int32_t refuse(std::uint64_t& counter, std::int32_t status) noexcept {
    ++counter;
    return status;
  }
  std::int32_t pass_ip(headroom_packet& p, headroom_detail* detail) noexcept;
  std::int32_t take_uncompressed(headroom_packet& p, headroom_detail* detail) noexcept;
  std::int32_t take_compressed(headroom_packet& p, headroom_detail* detail) noexcept;
  [[nodiscard]] Context& context(std::uint32_t channel, std::uint32_t cid) noexcept {
    return contexts_[channel * count_ + cid];
  }

  std::uint32_t count_;            // contexts of a channel
  std::vector<Context> contexts_;  // by channel and CID
  DecompressorCounters counters_;
};

}  // namespace headroom::taroc
