// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a compressor: parameters that RFC 3095 leaves to the implementation. The keys of `options` have
// the names and defaults of the fields; enumerators are written as "negotiated".
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/v1/profiles.h"

namespace headroom::rohc {

inline constexpr unsigned kMaxReferences = 8;  // in one W-LSB window; eight references fill one cache line

// A period that ends after `packets` packets or `ms` milliseconds, whichever comes first; 0 disables the limit.
struct RefreshPeriod {
  std::uint32_t packets = 0;
  std::uint32_t ms = 0;
};

enum class RtpDetection : std::uint8_t {
  kHeuristic,  // packets that look like RTP (header/chain.h) with both ports at least 1024
  kPorts,      // packets that look like RTP with a destination port in one of the ranges
  kNone,
};

// The method of finding the flow of a packet.
enum class FlowLookup : std::uint8_t {
  kHashed,
  kLinear,  // tries each context of the channel, without fast path; measures the saving by the hash
};

// The condition for compressing the RTP timestamp relative to the clock (4.5.4).
enum class TimerTs : std::uint8_t {
  kNever,
  kNegotiated,  // once a CLOCK option has announced the decompressor's clock
  kAlways,      // the decompressor is known to have a clock of 1 ms
};

struct CompressorConfig {
  ChannelParameters channel;
  wire::Mode highest_mode = wire::Mode::kOptimistic;
  std::uint64_t seed = 0;

  // L of the optimistic approach (RFC 3095 5.3.1.1.1) and the width of the W-LSB window (4.5.2): the number of
  // consecutive packets that carry a change before the compressor relies on the change.
  unsigned repeats = 4;

  // The periods after which the compressor returns to the IR state and to the FO state in U-mode (5.3.1.1.2).
  RefreshPeriod ir_refresh{2048, 30'000};
  RefreshPeriod fo_refresh{512, 10'000};
  // The first IR period of a flow in packets; the period doubles until it reaches `ir_refresh.packets` (RFC 2507 3.3.1,
  // "compression slow-start"). 0: the full period from the start.
  std::uint32_t ir_refresh_start = 128;
  // The number of IR packets of a refresh.
  unsigned ir_repeats = 1;
  // The factor by which both periods grow once an ACK(U) has arrived (5.3.1.3, 5.3.2.3).
  std::uint32_t acked_refresh_factor = 4;

  RtpDetection rtp_detection = RtpDetection::kHeuristic;
  std::vector<std::pair<std::uint16_t, std::uint16_t>> rtp_ports;
  // The most streams on probation with the same addresses and ports: RTP contexts without two packets in sequence yet
  // (RFC 3550 A.1). Traffic with more such streams is not RTP and is compressed with profile UDP. Streams with packets
  // in sequence do not count, because a call may change its SSRC often and a mixer may send hundreds of streams.
  unsigned ssrcs_per_flow = 4;
  FlowLookup flow_lookup = FlowLookup::kHashed;

  // The largest step of the IP-ID per packet at which the IP-ID still counts as sequential (4.5.5).
  std::uint16_t ip_id_largest_step = 64;

  // R-mode (5.5.1.2): an update is due this many packets after the oldest reference that may still be in use. The SN
  // bits of R-0 cover 62 packets.
  unsigned update_after = 32;
  // m_1 and m_2: the number of consecutive updates, and of the packets without update that follow while the compressor
  // waits for an ACK.
  unsigned update_burst = 2;
  unsigned update_pause = 8;

  // The time in ms for which a flow is sent uncompressed after a REJECT or CONTEXT_MEMORY option (5.7.6.4, RFC 3843
  // 3.7).
  std::uint32_t reject_hold_ms = 10'000;

  TimerTs timer_ts = TimerTs::kNever;
  std::uint32_t timer_jitter_ms = 20;  // Max_Jitter_CD, the jitter between compressor and decompressor
  std::uint32_t timer_stride_ms = 0;   // TIME_STRIDE; 0: measured from the packets

  // Profile 0x0006: allows replicating new flows from other flows (RFC 4164), and signalling options without an index
  // of their own as static (`option_static`, RFC 6846 8.2). Some decompressors do not support these.
  bool tcp_replication = true;
  bool tcp_static_options = true;

  // PACKET_SIZES_ALLOWED (6.3.1), ascending; empty: any. A shorter packet is padded to the next size.
  std::vector<std::uint16_t> packet_sizes;
  // The largest link packet in octets; 0: any. If `packet_sizes` is not empty, its largest size is a limit, too. A
  // longer packet is cut into segments if MRRU allows.
  std::uint32_t largest_packet = 0;
};

}  // namespace headroom::rohc
