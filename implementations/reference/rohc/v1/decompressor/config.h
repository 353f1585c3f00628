// SPDX-License-Identifier: Apache-2.0
//
// What RFC 3095 leaves to the implementation of a decompressor, as configuration values. The keys of `options` have
// the names and defaults of the fields; enumerators are written as "negotiated".
#pragma once

#include <cstdint>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/v1/profiles.h"

namespace headroom::rohc {

// "k out of n" (RFC 3095 5.3.2.2.3): so many failures among the last so many packets. REQUIRES: 1 <= k <= n <= 32.
struct KOutOfN {
  std::uint8_t k;
  std::uint8_t n;
};

struct DecompressorConfig {
  ChannelParameters channel;
  // The mode that the decompressor asks for (MODE, 6.3.2). Without feedback it can only be unidirectional.
  wire::Mode mode = wire::Mode::kUnidirectional;
  bool feedback = true;

  KOutOfN dynamic_damage{4, 8};  // k_1, n_1: from Full Context to Static Context
  // k_2, n_2: from Static Context to No Context. In O- and R-mode a STATIC-NACK then brings an IR packet at once. In
  // U-mode nothing does: No Context lasts until the next IR refresh, Static Context only until the next IR-DYN. After a
  // loss with silence in it UOR-2 packets fail because of the dynamic part, and say nothing of the static one. 16 of
  // them that are wrong let one pass a CRC of 7 bits one time in eight, which is as often as one packet passes a CRC of
  // 3 bits.
  KOutOfN static_damage{2, 4};
  KOutOfN static_damage_in_u_mode{16, 16};

  bool repair_wraparound = true;  // 5.3.2.2.4
  bool repair_reference = true;   // 5.3.2.2.5

  // ACK(U) for the first of so many IR packets in U-mode (5.3.2.3); 0: never.
  std::uint32_t ack_ir_in_u_mode = 0;
  // ACK(O) also for UOR-2 and IR-DYN; RFC 4815 8.10 does not recommend it.
  bool ack_updates = false;
  // R-mode, sparse ACKs (5.5.2.2): after those that must be sent, one for so many updates of a sequence.
  std::uint32_t ack_sparse = 4;
  // Packets that are answered with a request for R-mode before a compressor that does not react is deemed to decline.
  std::uint32_t mode_requests = 64;
  // Negative feedback for the first of so many packets that give reason for it (5.7.6).
  std::uint32_t nack_every = 4;
  // STATIC-NACK also for a CID that no IR has ever used. RFC 3095 5.2.6 step 12 says "without further action".
  bool nack_unknown_contexts = false;

  // CLOCK_RESOLUTION in ms (6.3.2): acknowledgements tell it (CLOCK, 5.7.6.7), and TIME_STRIDE is then understood. 0:
  // no timer-based compression.
  std::uint8_t clock_ms = 0;
  // What has been observed goes with acknowledgements, and with one of its own when it grows (5.7.6.8, 5.7.6.9).
  bool report_jitter = false;
  bool report_loss = false;
  // Feedback carries the SN in 20 bits rather than 12 (the SN option, 5.7.6.6).
  bool sn_option = false;
  // Contexts that there is memory for, besides those of the Uncompressed profile, which must not be rejected; what is
  // beyond is answered with REJECT (5.7.6.4, 6.4). 0: for all that the channels may have.
  std::uint32_t most_contexts = 0;
  // Profile 0x0006: refuses packets whose TCP checksum is wrong, but for those of IR headers.
  bool tcp_verify_checksum = false;

  // FEEDBACK_FOR (RFC 5795 5.1.2), by channel: to which channel of the other direction feedback on it refers;
  // kNoContext where there is none. Empty: to the one of the same number.
  std::vector<std::uint32_t> feedback_for;

  [[nodiscard]] bool observes() const noexcept { return report_jitter || report_loss; }
};

}  // namespace headroom::rohc
