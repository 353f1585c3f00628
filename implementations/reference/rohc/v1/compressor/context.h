// SPDX-License-Identifier: Apache-2.0
//
// Compressor contexts, laid out by how often their parts are needed:
//
//   CompressorContext   two adjacent cache lines, the only ones that the fast path touches: the first holds the fields
//                       that change with each packet, the second the pattern of the headers
//   FlowHistory         two cache lines for the general path: the W-LSB window and the pending repetitions
//   TunnelContext       for flows with an outer IP header only
//   CompressorLists     for flows with lists only (lists.h)
//
// These parts lie in four arrays under one index (channel.h). All octets are zero in an unused context.
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

// The compressor states of RFC 3095 4.3.1, and kUnused: the CID belongs to no flow.
enum class CompressorState : std::uint8_t { kUnused, kIr, kFo, kSo };

// The behaviour of the IP-ID of a flow (RFC 3095 4.5.5, RFC 3843 3.3). kNone: there is no IPv4 header.
enum class IpIdBehaviour : std::uint8_t { kNone, kSequential, kSwapped, kRandom, kConstant };

struct alignas(128) CompressorContext {
  // The fields from which the next header is predicted.
  std::uint32_t ts;         // ESP: the whole Sequence Number, see Layout
  std::uint32_t ts_stride;  // 0 until a stride is known
  std::uint16_t sn;
  // The IP-ID, with octets swapped if `id_rotation` is 8, is predicted as id_base + (sn & id_sn_mask) in the bits where
  // id_mask has ones.
  std::uint16_t id_base;
  std::uint16_t id_sn_mask;
  std::uint16_t id_mask;
  std::uint8_t id_rotation;
  std::uint8_t id_octets;            // 2 if the whole IP-ID follows the compressed header (RND = 1)
  std::uint8_t udp_checksum_octets;  // 2 if the UDP checksum follows, 4 with the Checksum Coverage before it
  Shape shape;
  std::uint16_t ipv4_sum;    // ipv4_sum() of the pattern (header/chain.h)
  std::uint8_t crc3_static;  // state of the CRC register after the CRC-STATIC octets

  // True if the fast path may send a header that equals the prediction as UO-0.
  bool fast;
  bool fast_reliable;  // true if the fast path may send such a header as R-0; never together with `fast`
  // The number of packets that the fast path sent since the general path last ran, at most 255.
  std::uint8_t fast_run;
  // A random IP-ID that, in either byte order, lies at least id_near_from but less than id_near_from + id_near after
  // the last IP-ID may be sequential; the general path then decides. id_near is 0 unless the IP-ID is random.
  std::uint8_t id_near_from;
  std::uint16_t id_near;
  std::uint16_t last_id;

  CompressorState state;
  wire::Mode mode;
  wire::CidOctets cid_octets;
  std::uint16_t refresh_countdown;  // packets until the general path must run; falls by refresh_step per packet
  std::uint16_t refresh_step;       // 1 in U-mode, 0 in bidirectional modes
  std::uint32_t refresh_at_ms;      // time from which a refresh by time is due; all ones: never
  std::uint32_t last_used_ms;
  wire::Profile profile;
  bool tunnel;         // true if there is an outer IP header
  ListUse lists;       // use of CompressorLists and of lists in the current packets
  bool may_carry_rtp;  // profile UDP, and a packet that looks like RTP belongs to an RTP flow

  alignas(64) Image pattern;  // the headers AND Layout::pattern_mask, marker 0
};
static_assert(sizeof(CompressorContext) == 128);

// A reference that the decompressor may be using (RFC 3095 4.5.2).
struct Reference {
  std::uint32_t ts;
  std::uint16_t sn;
  std::uint16_t id_offset;
};

// The value of FlowHistory::mode_left while all packets carry the mode, without types 0 and 1, until one of these
// packets is acknowledged.
inline constexpr std::uint8_t kUntilAcked = 255;

// The history of a flow. A counter named `..._left` is the number of packets that must still carry a piece of
// information. In R-mode these counters do not count down: packets carry the information until an ACK sets the counter
// to 0.
struct FlowHistory {
  std::array<Reference, kMaxReferences> references;  // a ring; `newest` is the index of the newest reference
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
  std::uint8_t mode_left;      // mode information; 255 (kUntilAcked) until the mode is acknowledged
  std::uint8_t coverage_left;  // CCE(ON) or CCE(OFF), see coverage.h
  std::uint8_t stride_votes;
  bool stride_provisional;  // true until a packet confirms ts_stride

  std::uint8_t changed;  // Change bits
  IpIdBehaviour id_behaviour;
  IpIdBehaviour id_candidate;
  std::uint8_t id_votes;
  std::uint8_t crc7_static;
  std::uint8_t lists_left;  // lists, or sequence numbers in lists (lists.h)

  std::uint16_t changed_since_sn;   // first SN that carried the latest change
  std::uint16_t mode_since_sn;      // first SN that carried the new mode
  std::uint16_t repaired_since_sn;  // first SN that answered the last NACK
  bool repaired : 1;                // true after a NACK
  bool transition_pending : 1;      // C_TRANS = P (5.6.1)
  bool mode_told : 1;               // true if every packet from mode_since_sn on carried the mode
  bool acked : 1;                   // an ACK(U) has arrived
  bool stale_static : 1;            // the decompressor may still have the context of a previous flow of the CID
  bool on_probation : 1;            // no two RTP packets in sequence yet, see CompressorConfig::ssrcs_per_flow
  std::uint8_t reminders_left;      // O-mode, see refresh.h
  std::uint32_t stride_candidate;

  // Refreshes (5.3.1.1.2).
  std::uint32_t ir_in;  // packets until the next IR refresh
  std::uint32_t fo_in;  // packets until the next FO refresh or, in O-mode, the next reminder
  std::uint32_t ir_at_ms;
  std::uint32_t fo_at_ms;
  std::uint16_t countdown_loaded;  // initial value of refresh_countdown
  std::uint8_t ir_doublings;       // times that the IR period has doubled since the flow began
  std::uint8_t loss_repeats;       // lower bound of `repeats` from the longest loss in a LOSS option

  std::uint32_t rejected_until_ms;
  // The hash of the context's flow in the flow table.
  std::uint64_t hash;
};
static_assert(sizeof(FlowHistory) <= 128);

// Changes of pattern fields that extension 3 can carry.
enum Change : std::uint8_t {
  kChangedInner = 1,  // TOS, TTL or DF of the innermost IP header
  kChangedOuter = 2,  // TOS, TTL or DF of the outer IP header
  kChangedRtp = 4,    // payload type, padding or extension bit
};

struct alignas(64) TunnelContext {
  Image pattern;  // the outer header AND Layout::pattern_mask of an IP header alone
  std::array<std::uint16_t, kMaxReferences> id_offsets;  // parallel to FlowHistory::references
  std::uint16_t id_base;
  std::uint16_t last_id;
  IpIdBehaviour id_behaviour;
  IpIdBehaviour id_candidate;
  std::uint8_t id_votes;
  std::uint8_t version;  // 4 or 6; 0: no outer header
};
static_assert(sizeof(TunnelContext) == 128);

// The history of the Checksum Coverage (coverage.h), for flows of UDP-Lite only. The treatment of the field in
// compressed headers is part of CompressorContext::shape; its value for Coverage::kFixed is part of the pattern.
struct CoverageHistory {
  std::uint16_t last;         // value in the last packet
  std::uint8_t same_run;      // consecutive packets with that value
  std::uint8_t inferred_run;  // consecutive packets with the length of the datagram as value
  std::uint8_t deviations;    // consecutive packets with another value than the shape predicts
  bool differed;  // since this initialisation began, an IR or IR-DYN packet had another value than the length
  std::uint16_t told_since_sn;  // first SN that signals the mode; valid while FlowHistory::coverage_left is not 0
};
static_assert(sizeof(CoverageHistory) == 8);

// Returns the offset that W-LSB encoding compresses: IP-ID minus SN, with the octets of the IP-ID swapped first if the
// behaviour is kSwapped (4.5.5).
[[nodiscard]] inline std::uint16_t id_offset(IpIdBehaviour b, std::uint16_t id, std::uint16_t sn) noexcept {
  return static_cast<std::uint16_t>((b == IpIdBehaviour::kSwapped ? wire::swap16(id) : id) - sn);
}

// True if the IP-ID continues from its last value, so that 4.5.5 compresses it.
[[nodiscard]] constexpr bool is_counter(IpIdBehaviour b) noexcept {
  return b == IpIdBehaviour::kSequential || b == IpIdBehaviour::kSwapped;
}

[[nodiscard]] constexpr wire::IpIdFlags ip_id_flags(IpIdBehaviour b) noexcept {
  return {b == IpIdBehaviour::kRandom, b != IpIdBehaviour::kSwapped, b == IpIdBehaviour::kConstant};
}

}  // namespace headroom::rohc
