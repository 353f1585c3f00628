// SPDX-License-Identifier: Apache-2.0
//
// The input of a fuzz target as a stream of small decisions, and what the targets share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "test/support/link.h"
#include "test/support/steady_flow.h"

namespace headroom::rohc::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  [[nodiscard]] bool more() const noexcept { return at_ != end_; }
  std::uint8_t octet() noexcept { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  std::uint16_t two() noexcept {
    const unsigned high = octet();
    return static_cast<std::uint16_t>(high << 8 | octet());
  }
  // As many octets as there are, `count` at most.
  std::vector<std::uint8_t> take(std::size_t count) {
    count = std::min(count, static_cast<std::size_t>(end_ - at_));
    std::vector<std::uint8_t> octets(at_, at_ + count);
    at_ += count;
    return octets;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// An invariant is broken: ends the program, which is how a fuzzer finds out.
[[noreturn]] inline void broken(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}
inline void require(bool holds, const char* what) {
  if (!holds) broken(what);
}

inline constexpr std::size_t kCannedFlows = 16;

// Flows of all kinds, to have contexts of all kinds.
[[nodiscard]] inline std::vector<test::SteadyFlow> canned_flows() {
  std::vector<test::PacketSpec> specs = {
      test::rtp_packet(4),      test::rtp_packet(6),      test::udp_packet(4),          test::udp_packet(6),
      test::ip_packet(4),       test::rtp_packet(4),      test::udp_packet(6),          test::ip_packet(6),
      test::esp_packet(4),      test::esp_packet(6),      test::esp_packet(4),          test::udp_lite_packet(4),
      test::udp_lite_packet(6), test::udp_lite_packet(6), test::rtp_udp_lite_packet(4), test::rtp_udp_lite_packet(6)};
  for (std::size_t i = 0; i < specs.size(); ++i) specs[i].ip.source = static_cast<std::uint16_t>(100 + i);
  specs[1].udp->checksum = false;
  specs[5].udp->checksum = false;
  specs[5].outer = test::IpFields{};  // IPv4 in IPv4
  specs[6].outer = test::IpFields{};  // IPv6 in IPv4
  specs[7].outer = test::IpFields{};
  specs[7].outer->version = 6;
  specs[9].esp->sn = 0xfffffff0;
  specs[10].outer = test::IpFields{};  // ESP/IPv4 in IPv6
  specs[10].outer->version = 6;
  specs[12].udp->coverage = 8;
  specs[13].udp->coverage = 0;
  specs[13].outer = test::IpFields{};  // UDP-Lite/IPv6 in IPv4
  specs[15].udp->coverage = 20;
  std::vector<test::SteadyFlow> flows;
  for (const test::PacketSpec& s : specs) flows.emplace_back(s);
  return flows;
}

}  // namespace headroom::rohc::fuzz
