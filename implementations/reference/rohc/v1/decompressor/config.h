// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a decompressor: parameters that RFC 3095 leaves to the implementation. The keys of `options`
// have the names and defaults of the fields; enumerators are written as "negotiated".
#pragma once

#include <cstdint>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/v1/profiles.h"

namespace headroom::rohc {

// "k out of n" (RFC 3095 5.3.2.2.3): k failures among the last n packets. REQUIRES: 1 <= k <= n <= 32.
struct KOutOfN {
  std::uint8_t k;
  std::uint8_t n;
};

struct DecompressorConfig {
  ChannelParameters channel;
  // The mode that the decompressor requests (MODE, 6.3.2); only unidirectional without feedback.
  wire::Mode mode = wire::Mode::kUnidirectional;
  bool feedback = true;

  KOutOfN dynamic_damage{4, 8};  // k_1, n_1: from Full Context to Static Context
  // k_2, n_2: from Static Context to No Context. In O- and R-mode a STATIC-NACK then causes an IR packet at once. In
  // U-mode there is no feedback: No Context lasts until the next IR refresh, Static Context only until the next IR-DYN.
  // After a loss that includes a silence, UOR-2 packets fail because of the dynamic part, which does not indicate
  // static damage. One of 16 wrong packets passes a CRC-7 with probability 1/8, which equals the probability that one
  // wrong packet passes a CRC-3.
  KOutOfN static_damage{2, 4};
  KOutOfN static_damage_in_u_mode{16, 16};

  bool repair_wraparound = true;  // 5.3.2.2.4
  bool repair_reference = true;   // 5.3.2.2.5

  // Sends an ACK(U) for the first of this many IR packets in U-mode (5.3.2.3); 0: never.
  std::uint32_t ack_ir_in_u_mode = 0;
  // Sends an ACK(O) also for UOR-2 and IR-DYN, which RFC 4815 8.10 does not recommend.
  bool ack_updates = false;
  // R-mode, sparse ACKs (5.5.2.2): after the mandatory ACKs, sends one ACK per this many updates of a sequence.
  std::uint32_t ack_sparse = 4;
  // The number of requests for R-mode after which a compressor that does not react is treated as declining.
  std::uint32_t mode_requests = 64;
  // Sends negative feedback for the first of this many packets that cause negative feedback (5.7.6).
  std::uint32_t nack_every = 4;
  // Sends a STATIC-NACK also for a CID that no IR packet has used. RFC 3095 5.2.6 step 12 says "without further
  // action".
  bool nack_unknown_contexts = false;

  // CLOCK_RESOLUTION in ms (6.3.2): acknowledgements announce it (CLOCK, 5.7.6.7), and TIME_STRIDE is supported. 0: no
  // timer-based compression.
  std::uint8_t clock_ms = 0;
  // Reports observed jitter and loss in acknowledgements, and in a separate acknowledgement when they grow (5.7.6.8,
  // 5.7.6.9).
  bool report_jitter = false;
  bool report_loss = false;
  // Sends feedback with 20 instead of 12 bits of the SN (the SN option, 5.7.6.6).
  bool sn_option = false;
  // The most contexts, without those of the Uncompressed profile, which must not be rejected; flows beyond are answered
  // with REJECT (5.7.6.4, 6.4). 0: all contexts of the channels.
  std::uint32_t most_contexts = 0;
  // Profile 0x0006: refuses packets with a wrong TCP checksum, except IR packets.
  bool tcp_verify_checksum = false;

  // FEEDBACK_FOR (RFC 5795 5.1.2), by channel: the channel of the other direction to which feedback on this channel
  // refers; kNoContext if there is none. Empty: the channel with the same number.
  std::vector<std::uint32_t> feedback_for;

  [[nodiscard]] bool observes() const noexcept { return report_jitter || report_loss; }
};

}  // namespace headroom::rohc
