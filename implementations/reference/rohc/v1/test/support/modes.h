// SPDX-License-Identifier: Apache-2.0
//
// What tests of modes and their transitions share (RFC 3095 5.6).
#pragma once

#include <optional>
#include <vector>

#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc::test {

inline constexpr wire::Mode kU = wire::Mode::kUnidirectional;
inline constexpr wire::Mode kO = wire::Mode::kOptimistic;
inline constexpr wire::Mode kR = wire::Mode::kReliable;

[[nodiscard]] inline bool is_uo_0_or_1(wire::PacketType t) {
  using wire::PacketType;
  return t == PacketType::kUo0 || t == PacketType::kUo1 || t == PacketType::kUo1Id || t == PacketType::kUo1Ts;
}
[[nodiscard]] inline bool fits_mode(wire::PacketType t, wire::Mode mode) {
  return mode == kR ? wire::is_r_mode_only(t) : is_uo_0_or_1(t);
}

[[nodiscard]] inline CompressorConfig following_to(wire::Mode highest) {
  CompressorConfig c = without_refreshes();
  c.highest_mode = highest;
  return c;
}
[[nodiscard]] inline DecompressorConfig asking_for(wire::Mode mode) {
  DecompressorConfig d;
  d.mode = mode;
  return d;
}

[[nodiscard]] inline std::vector<PacketSpec> kinds() {
  return {rtp_packet(4), rtp_packet(6), udp_packet(4), udp_packet(6), ip_packet(4), ip_packet(6)};
}

// Passes packets, with feedback carried after each, until both sides are in `mode`, use its packets and, but for
// R-mode, whose packets are acknowledged, say nothing more. Nothing on the way may fail. Returns how many it took, or
// nothing after `limit`.
[[nodiscard]] inline std::optional<unsigned> until_mode(Link& link, SteadyFlow& flow, wire::Mode mode,
                                                        unsigned limit = 40) {
  unsigned quiet = 0;
  for (unsigned i = 1; i <= limit; ++i) {
    if (!link.pass(flow.next())) return std::nullopt;
    const bool silent = link.carry_feedback().empty() || mode == kR;
    const bool there = link.sent.mode() == mode && link.received.mode() == mode && fits_mode(link.sent.type(), mode);
    quiet = there && silent ? quiet + 1 : 0;
    if (quiet == 3) return i - 2;
  }
  return std::nullopt;
}

}  // namespace headroom::rohc::test
