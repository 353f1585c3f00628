// SPDX-License-Identifier: Apache-2.0
//
// What RFC 3095 leaves to the implementation of a compressor, as configuration values. The keys of `options` have
// the names and defaults of the fields; enumerators are written as "negotiated".
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/v1/profiles.h"

namespace headroom::rohc {

inline constexpr unsigned kMaxReferences = 8;  // of one W-LSB window: half a cache line each way

// A period that ends after so many packets or so much time, whichever comes first; 0 means never by that measure.
struct RefreshPeriod {
  std::uint32_t packets = 0;
  std::uint32_t ms = 0;
};

enum class RtpDetection : std::uint8_t {
  kHeuristic,  // looks like RTP (header/chain.h) and both ports are at least 1024
  kPorts,      // looks like RTP and the destination port is in one of the ranges
  kNone,
};

// How the flow of a packet is found.
enum class FlowLookup : std::uint8_t {
  kHashed,
  kLinear,  // each context of the channel in turn, and no fast path: to measure what the hash saves
};

// When the RTP timestamp is compressed relative to the clock (4.5.4).
enum class TimerTs : std::uint8_t {
  kNever,
  kNegotiated,  // once a CLOCK option has announced the decompressor's clock
  kAlways,      // the decompressor is known to have a clock of 1 ms
};

struct CompressorConfig {
  ChannelParameters channel;
  wire::Mode highest_mode = wire::Mode::kOptimistic;
  std::uint64_t seed = 0;

  // L of the optimistic approach (RFC 3095 5.3.1.1.1) and the width of the W-LSB window (4.5.2): how many packets in a
  // row carry a change before the compressor relies on it.
  unsigned repeats = 4;

  // Unidirectional mode, 5.3.1.1.2: back to the IR state and to the FO state.
  RefreshPeriod ir_refresh{2048, 30'000};
  RefreshPeriod fo_refresh{512, 10'000};
  // First IR period of a flow in packets; it doubles until it reaches `ir_refresh.packets` (RFC 2507 3.3.1,
  // "compression slow-start"). 0: the full period from the start.
  std::uint32_t ir_refresh_start = 128;
  // IR packets of a refresh.
  unsigned ir_repeats = 1;
  // Factor by which both periods grow once an ACK(U) has arrived (5.3.1.3, 5.3.2.3).
  std::uint32_t acked_refresh_factor = 4;

  RtpDetection rtp_detection = RtpDetection::kHeuristic;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> rtp_ports;
  // Streams on probation that one set of addresses and ports may have at a time: RTP contexts of which no two packets
  // in sequence have been seen (RFC 3550 A.1). Traffic with more is not RTP and goes through profile UDP. Streams in
  // sequence do not count: a call may change its SSRC as often as it likes, and a mixer send hundreds.
  unsigned ssrcs_per_flow = 4;
  FlowLookup flow_lookup = FlowLookup::kHashed;

  // IP-ID behaviour (4.5.5): the largest step per packet that still counts as a counter.
  std::uint16_t ip_id_largest_step = 64;

  // R-mode (5.5.1.2). An update is due so many packets after the oldest reference that may still be in use; SNs of R-0
  // reach 62 packets far.
  unsigned update_after = 32;
  // m_1 and m_2: updates in a row; and the packets without update that follow while the compressor waits for an ACK.
  unsigned update_burst = 2;
  unsigned update_pause = 8;

  // After a REJECT or CONTEXT_MEMORY option the flow goes uncompressed this long (5.7.6.4, RFC 3843 3.7).
  std::uint32_t reject_hold_ms = 10'000;

  TimerTs timer_ts = TimerTs::kNever;
  std::uint32_t timer_jitter_ms = 20;  // Max_Jitter_CD: of the link between compressor and decompressor
  std::uint32_t timer_stride_ms = 0;   // TIME_STRIDE; 0: it is measured

  // Profile 0x0006: new flows may be replicated from others (RFC 4164), and options without an index of their own be
  // told to be static (`option_static`, RFC 6846 8.2). Some decompressors do not follow.
  bool tcp_replication = true;
  bool tcp_static_options = true;

  // PACKET_SIZES_ALLOWED (6.3.1), ascending; empty: any. A shorter packet is padded to the next size.
  std::vector<std::uint16_t> packet_sizes;
  // Largest link packet in octets; 0: any. With `packet_sizes` the largest of those limits it, too. A longer one is cut
  // into segments if MRRU allows.
  std::uint32_t largest_packet = 0;
};

}  // namespace headroom::rohc
