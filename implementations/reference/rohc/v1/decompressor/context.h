// SPDX-License-Identifier: Apache-2.0
//
// Decompressor contexts. As at the compressor, the fast path touches two adjacent cache lines: the first holds the
// fields that change with each packet, the second the pattern of the headers. The outer IP header of a tunnel has a
// separate context.
#pragma once

#include <cstdint>

#include "rohc/v1/decompressor/config.h"
#include "rohc/v1/decompressor/lists.h"
#include "rohc/v1/header/layout.h"
#include "rohc/v1/wire/chain.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// No Context, Static Context and Full Context (RFC 3095 4.3.2).
enum class DecompressorState : std::uint8_t { kNc, kSc, kFc };

// D_TRANS (5.6.1). kDeclined: pending, but the compressor has cancelled the transition (RFC 3843 3.4).
enum class Transition : std::uint8_t { kDone, kInitiated, kPending, kDeclined };

// The largest TIME_STRIDE that is accepted, about a minute; the field has up to 29 bits.
inline constexpr std::uint32_t kLongestTimeStride = 0xffff;  // ms

struct alignas(128) DecompressorContext {
  // The reference: the last header that was decompressed and verified.
  std::uint32_t ts;           // ESP: the whole Sequence Number, see Layout
  std::uint32_t ts_stride;    // initially 1 (5.7.5.2)
  std::uint16_t sn;           // ref 0 of 5.3.2.2.5
  std::uint16_t previous_sn;  // ref -1
  std::uint16_t last_id;      // IP-ID as in the packet

  // The prediction of the IP-ID, derived from flags and reference for the fast path: an IP-ID that is not sent is
  // id_base + (sn & id_sn_mask), with octets swapped if id_rotation is 8.
  std::uint16_t id_base;
  std::uint16_t id_sn_mask;
  std::uint16_t
      sn_low;  // first value of the 4-bit interpretation interval relative to the reference: -1 or +1, modulo 2^16
  std::uint8_t id_rotation;
  std::uint8_t id_octets;            // 2: the IP-ID follows the compressed header (RND = 1)
  std::uint8_t udp_checksum_octets;  // 2: the UDP checksum follows, 4: a Checksum Coverage before it
  Shape shape;                       // with context(CFP) and context(CFI) of UDP-Lite
  std::uint16_t ipv4_sum;            // of the pattern
  std::uint8_t crc3_static;
  std::uint8_t crc7_static;

  bool used;           // an IR packet has associated the CID with a profile
  bool fast;           // the fast path may decompress type 0 packets
  bool fast_reliable;  // the fast path may decompress R-0 packets; never together with `fast`
  bool tunnel;         // true if there is an outer IP header
  DecompressorState state;
  Transition transition;
  wire::Mode mode;         // D_MODE
  wire::Mode target;       // the target mode of a transition that is not done
  bool mode_claimed : 1;   // the last packet had an unrequested mode; a single one may be a bit error
  bool mode_declined : 1;  // the compressor has cancelled a transition (RFC 3843 3.4): no further requests
  std::uint8_t repairs;    // packets that must still be verified before a repair is deemed successful
  wire::Profile profile;
  wire::IpIdFlags id_flags;

  std::uint8_t nacks_held;  // reasons for negative feedback since the last one sent
  // U-mode: the number of IR packets since the last ACK(U). R-mode: updates of the current sequence, plus kSnUpdates if
  // they are R-0-CRC packets. While a transition is initiated: the number of requests sent.
  std::uint8_t acks_held;
  ListUse lists;              // use of DecompressorLists and of lists in the current packets
  std::uint16_t time_stride;  // ms; 0: the timestamp is not relative to the clock (4.5.4)
  std::uint32_t failures;     // one bit per packet, the newest in bit 0: 1 if verification failed
  std::uint32_t interval;     // moving average of the time between packets with consecutive SNs, silence excepted, in
                              // units of 1,024 ns
  std::uint64_t arrived_ns;   // of the reference

  alignas(64) Image pattern;  // the headers with all but their dynamic fields

  // "Packets of type 0 or type 1 that are received up to this point are decompressed using the old mode, while
  // afterwards they are decompressed using the new mode" (RFC 4815 3.3): D_TRANS = P is that point.
  [[nodiscard]] bool reads_reliable() const noexcept {
    return (transition == Transition::kPending ? target : mode) == wire::Mode::kReliable;
  }
};
static_assert(sizeof(DecompressorContext) == 128);

struct alignas(64) DecompressorTunnel {
  Image pattern;
  std::uint16_t last_id;  // IP-ID of the reference, as in the packet
  wire::IpIdFlags id_flags;
  std::uint8_t version;  // 4 or 6
};

}  // namespace headroom::rohc
