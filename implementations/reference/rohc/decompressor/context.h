// SPDX-License-Identifier: Apache-2.0
//
// Decompressor contexts. As at the compressor, the fast path touches two cache lines next to each other: what changes
// with each packet, and the pattern of the headers. The outer IP header of a tunnel has a context of its own.
#pragma once

#include <cstdint>

#include "rohc/decompressor/config.h"
#include "rohc/header/layout.h"
#include "rohc/wire/chain.h"
#include "rohc/wire/packet_type.h"

namespace headroom::rohc {

// No Context, Static Context and Full Context (RFC 3095 4.3.2).
enum class DecompressorState : std::uint8_t { kNc, kSc, kFc };

// D_TRANS (5.6.1). kDeclined: pending, too, but the compressor has cancelled the transition (RFC 3843 3.4). The one
// transition that takes a handshake is that to U-mode, so there is no need to remember where it leads.
enum class Transition : std::uint8_t { kDone, kInitiated, kPending, kDeclined };

struct alignas(128) DecompressorContext {
  // The reference: the last header that was decompressed and verified.
  std::uint32_t ts;
  std::uint32_t ts_stride;    // initially 1 (5.7.5.2)
  std::uint16_t sn;           // ref 0 of 5.3.2.2.5
  std::uint16_t previous_sn;  // ref -1
  std::uint16_t last_id;      // IP-ID as it stood in the packet

  // Derived from flags and reference for the fast path: an IP-ID that is not sent is id_base + (sn & id_sn_mask),
  // octets swapped if id_rotation is 8.
  std::uint16_t id_base;
  std::uint16_t id_sn_mask;
  std::uint16_t
      sn_low;  // what the interpretation interval of 4 bits begins with, less the reference: -1 or +1, modulo 2^16
  std::uint8_t id_rotation;
  std::uint8_t id_octets;            // 2: the IP-ID follows the compressed header (RND = 1)
  std::uint8_t udp_checksum_octets;  // 2: the UDP checksum follows
  Shape shape;
  std::uint16_t ipv4_sum;  // of the pattern
  std::uint8_t crc3_static;
  std::uint8_t crc7_static;

  bool used;    // an IR packet has associated the CID with a profile
  bool fast;    // a type 0 packet may be taken without a closer look
  bool tunnel;  // there is an outer IP header
  DecompressorState state;
  Transition transition;
  wire::Mode mode;       // D_MODE
  bool mode_declined;    // the compressor has cancelled a transition (RFC 3843 3.4): do not ask again
  std::uint8_t repairs;  // packets that must still be verified before a repair is deemed successful
  wire::Profile profile;
  wire::IpIdFlags id_flags;

  std::uint8_t nacks_held;   // reasons for negative feedback since the last one sent
  std::uint8_t acks_held;    // IR packets since the last ACK(U)
  std::uint32_t failures;    // one bit a packet, newest lowest: 1 where verification failed
  std::uint32_t interval;    // moving average of the time between packets with consecutive SNs, in units of 1,024 ns
  std::uint64_t arrived_ns;  // of the reference

  alignas(64) Image pattern;  // the headers with all but their dynamic fields
};
static_assert(sizeof(DecompressorContext) == 128);

struct alignas(64) DecompressorTunnel {
  Image pattern;
  std::uint16_t last_id;  // of the reference, as it stood in the packet
  wire::IpIdFlags id_flags;
  std::uint8_t version;  // 4 or 6
};

}  // namespace headroom::rohc
