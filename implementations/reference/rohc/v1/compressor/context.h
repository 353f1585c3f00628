// SPDX-License-Identifier: Apache-2.0
//
// Compressor contexts, laid out by how often their parts are needed:
//
//   CompressorContext   two cache lines next to each other, all that the fast path touches: what changes with each
//   packet in the first,
//                       the pattern of the headers in the second (read only while the pattern lasts)
//   FlowHistory         two cache lines for the general path: the W-LSB window and what is still to be repeated
//   TunnelContext       for flows with an outer IP header only
//   CompressorLists     for flows with lists only (lists.h)
//
// They lie in four arrays under one index (channel.h). All octets zero means: unused.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/cid.h"
#include "rohc/v1/compressor/config.h"
#include "rohc/v1/compressor/lists.h"
#include "rohc/v1/header/layout.h"
#include "rohc/v1/wire/chain.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc {

// RFC 3095 4.3.1. kUnused is ours: the CID belongs to no flow.
enum class CompressorState : std::uint8_t { kUnused, kIr, kFo, kSo };

// How the IP-ID of a flow moves (RFC 3095 4.5.5, RFC 3843 3.3). kNone: there is no IPv4 header.
enum class IpIdBehaviour : std::uint8_t { kNone, kSequential, kSwapped, kRandom, kConstant };

struct alignas(128) CompressorContext {
  // What a header is predicted from.
  std::uint32_t ts;         // ESP: the whole Sequence Number, see Layout
  std::uint32_t ts_stride;  // 0 until there is one
  std::uint16_t sn;
  // The IP-ID, octets swapped if `id_rotation` is 8, is predicted as id_base + (sn & id_sn_mask) where id_mask has
  // ones.
  std::uint16_t id_base;
  std::uint16_t id_sn_mask;
  std::uint16_t id_mask;
  std::uint8_t id_rotation;
  std::uint8_t id_octets;            // 2 when the IP-ID follows the compressed header as it is (RND = 1)
  std::uint8_t udp_checksum_octets;  // 2 when the UDP checksum follows, 4 with a Checksum Coverage before it
  Shape shape;
  std::uint16_t ipv4_sum;    // of the pattern (header/chain.h)
  std::uint8_t crc3_static;  // register after the CRC-STATIC octets

  // A header that is as predicted may be sent as UO-0 without a closer look.
  bool fast;
  bool fast_reliable;  // the same as R-0; never both
  // Packets that the fast path sent since the general path last looked, at most 255.
  std::uint8_t fast_run;
  // A random IP-ID that lies id_near_from or more, but less than id_near_from + id_near, after the last one, in either
  // byte order, may be that of a counter: whether it is, the general path finds out. id_near is 0 unless the IP-ID is
  // random.
  std::uint8_t id_near_from;
  std::uint16_t id_near;
  std::uint16_t last_id;

  CompressorState state;
  wire::Mode mode;
  wire::CidOctets cid_octets;
  std::uint16_t refresh_countdown;  // packets until the general path must look again, in steps of refresh_step
  std::uint16_t refresh_step;       // 1 in U-mode, 0 in bidirectional modes
  std::uint32_t refresh_at_ms;      // a refresh by time is due from then on; all ones for never
  std::uint32_t last_used_ms;
  wire::Profile profile;
  bool tunnel;         // there is an outer IP header
  ListUse lists;       // whether there is a CompressorLists, and whether packets have lists now
  bool may_carry_rtp;  // profile UDP, but a packet that looks like RTP belongs to a flow of that profile

  alignas(64) Image pattern;  // the headers AND Layout::pattern_mask, marker 0
};
static_assert(sizeof(CompressorContext) == 128);

// One reference that the decompressor may be using (RFC 3095 4.5.2).
struct Reference {
  std::uint32_t ts;
  std::uint16_t sn;
  std::uint16_t id_offset;
};

// FlowHistory::mode_left: packets carry the mode, and types 0 and 1 are not used, until one of them is acknowledged.
inline constexpr std::uint8_t kUntilAcked = 255;

// Counters named `..._left` say how many packets must still carry a piece of information. In R-mode they do not count
// down: packets carry the information until an ACK sets the counter to 0.
struct FlowHistory {
  std::array<Reference, kMaxReferences> references;  // a ring; the newest is at (newest)
  std::uint8_t newest;
  std::uint8_t reference_count;

  std::uint8_t ir_left;        // IR packets
  std::uint8_t ir_dyn_left;    // IR-DYN (or IR) packets
  std::uint8_t pattern_left;   // extension 3 with the fields in `changed`
  std::uint8_t id_left;        // IP-ID flags with a whole IP-ID
  std::uint8_t stride_left;    // TS_STRIDE with an unscaled TS
  std::uint8_t unscaled_left;  // an unscaled TS
  std::uint8_t time_left;      // TIME_STRIDE (timer.h)
  std::uint8_t long_crc_left;  // a packet with a CRC-7 or more (RFC 3095 5.9.2, note)
  std::uint8_t mode_left;      // mode information; 255 (kUntilAcked) while it waits for its acknowledgement
  std::uint8_t coverage_left;  // CCE(ON) or CCE(OFF), see coverage.h
  std::uint8_t stride_votes;
  bool stride_provisional;  // nothing has confirmed ts_stride yet

  std::uint8_t changed;  // Change bits
  IpIdBehaviour id_behaviour;
  IpIdBehaviour id_candidate;
  std::uint8_t id_votes;
  std::uint8_t crc7_static;
  std::uint8_t lists_left;  // lists or sequence numbers in them (lists.h)

  std::uint16_t changed_since_sn;   // first SN that carried the latest change
  std::uint16_t mode_since_sn;      // first SN that carried the new mode
  std::uint16_t repaired_since_sn;  // first SN that answered the last NACK
  bool repaired : 1;                // there has been a NACK
  bool transition_pending : 1;      // C_TRANS = P (5.6.1)
  bool mode_told : 1;               // every packet from mode_since_sn on carried the mode
  bool acked : 1;                   // an ACK(U) has arrived
  bool stale_static : 1;            // the CID had another flow, of which the decompressor may still think
  bool on_probation : 1;            // RTP: no two packets in sequence yet, see CompressorConfig::ssrcs_per_flow
  std::uint8_t reminders_left;      // O-mode, see refresh.h
  std::uint32_t stride_candidate;

  // Refreshes (5.3.1.1.2).
  std::uint32_t ir_in;  // packets until the next IR refresh
  std::uint32_t fo_in;  // packets until the next FO refresh or, in O-mode, the next reminder
  std::uint32_t ir_at_ms;
  std::uint32_t fo_at_ms;
  std::uint16_t countdown_loaded;  // what refresh_countdown started from
  std::uint8_t ir_doublings;       // of the IR period since the flow began
  std::uint8_t loss_repeats;       // `repeats` after the longest loss reported by a LOSS option

  std::uint32_t rejected_until_ms;
  // Under which hash the flow table knows the context; of a context given back, the next one (Compressor::Channel).
  std::uint64_t hash;
};
static_assert(sizeof(FlowHistory) <= 128);

// Changes of pattern fields that extension 3 can carry.
enum Change : std::uint8_t {
  kChangedInner = 1,  // TOS, TTL or DF of the innermost IP header
  kChangedOuter = 2,  // the same of the outer one
  kChangedRtp = 4,    // payload type, padding or extension bit
};

struct alignas(64) TunnelContext {
  Image pattern;  // of the outer header, as Layout::pattern_mask of an IP header alone
  std::array<std::uint16_t, kMaxReferences> id_offsets;  // parallel to FlowHistory::references
  std::uint16_t id_base;
  std::uint16_t last_id;
  IpIdBehaviour id_behaviour;
  IpIdBehaviour id_candidate;
  std::uint8_t id_votes;
  std::uint8_t version;  // 4 or 6; 0: no outer header
};
static_assert(sizeof(TunnelContext) == 128);

// For flows of UDP-Lite only: what coverage.h has seen of the Checksum Coverage. How compressed headers treat it is
// part of CompressorContext::shape, the value of Coverage::kFixed part of the pattern.
struct CoverageHistory {
  std::uint16_t last;         // value in the last packet
  std::uint8_t same_run;      // packets in a row with that value
  std::uint8_t inferred_run;  // packets in a row in which it was the length of the datagram
  std::uint8_t deviations;    // packets in a row that were not as the shape has them
  bool differed;  // since this initialisation began, an IR or IR-DYN packet had another value than the length
  std::uint16_t told_since_sn;  // while FlowHistory::coverage_left is not 0: packets from this SN on signal the mode
};
static_assert(sizeof(CoverageHistory) == 8);

// IP-ID less SN, octets swapped first where that is the behaviour (4.5.5): what W-LSB encoding works on.
[[nodiscard]] inline std::uint16_t id_offset(IpIdBehaviour b, std::uint16_t id, std::uint16_t sn) noexcept {
  return static_cast<std::uint16_t>((b == IpIdBehaviour::kSwapped ? wire::swap16(id) : id) - sn);
}

// The IP-ID goes on from its last value: what 4.5.5 compresses.
[[nodiscard]] constexpr bool is_counter(IpIdBehaviour b) noexcept {
  return b == IpIdBehaviour::kSequential || b == IpIdBehaviour::kSwapped;
}

[[nodiscard]] constexpr wire::IpIdFlags ip_id_flags(IpIdBehaviour b) noexcept {
  return {b == IpIdBehaviour::kRandom, b != IpIdBehaviour::kSwapped, b == IpIdBehaviour::kConstant};
}

}  // namespace headroom::rohc
