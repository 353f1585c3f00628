// SPDX-License-Identifier: Apache-2.0
//
// The input of a fuzz target as a stream of small decisions, and code that the targets share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

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
  // Consumes and returns at most `count` octets, fewer if the input ends.
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

// Reports a broken invariant and aborts the program, which the fuzzer detects.
[[noreturn]] inline void broken(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}
inline void require(bool holds, const char* what) {
  if (!holds) broken(what);
}

inline constexpr std::size_t kCannedFlows = 16;

// Returns flows of all kinds, which make contexts of all kinds.
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
  // Lists: CSRCs, extension headers of one or both IP headers, a third IP header.
  specs[0].csrcs = {1, 2, 3};
  specs[3].extensions = {test::options_header(0, {5, 2, 0, 0}), test::options_header(60, {1, 4})};
  specs[5].outer_extensions = {test::gre_header({.checksum = 1, .key = 2, .sequence = 3})};
  specs[6].extensions = {test::authentication_header(1, 2, {1, 2, 3, 4})};
  specs[7].deeper = {test::IpFields{}};
  std::vector<test::SteadyFlow> flows;
  for (const test::PacketSpec& s : specs) flows.emplace_back(s);
  return flows;
}

// Adds or removes a CSRC or an extension header, chosen by an octet of the input.
inline void alter_lists(test::PacketSpec& spec, Input& in) {
  const std::uint8_t what = in.octet();
  const auto alter = [&](std::vector<test::ExtensionSpec>& list) {
    constexpr std::uint8_t kTypes[] = {0, 43, 60};
    if ((what & 8) != 0 && !list.empty()) {
      list.erase(list.begin());
    } else if (list.size() < 15) {
      test::ExtensionSpec e = test::options_header(kTypes[what % 3], {in.octet(), 1, 0, 0, in.octet(), 3});
      if ((what & 16) != 0) e = test::authentication_header(1, in.octet() * 0x01010101U, {9, 9, 9, 9});
      list.insert(list.begin(), e);
    }
  };
  switch (what >> 5) {
    case 0:
    case 1:
      alter(spec.extensions);
      break;
    case 2:
      if (spec.outer) alter(spec.outer_extensions);
      break;
    case 3:
      spec.extensions.clear();
      spec.outer_extensions.clear();
      break;
    default:
      if (!spec.rtp) break;
      if ((what & 8) != 0 && !spec.csrcs.empty()) {
        spec.csrcs.erase(spec.csrcs.begin() + static_cast<std::ptrdiff_t>(what % spec.csrcs.size()));
      } else if (spec.csrcs.size() < 15) {
        spec.csrcs.push_back(in.octet());
      }
      break;
  }
}

}  // namespace headroom::rohc::fuzz
