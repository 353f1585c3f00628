// SPDX-License-Identifier: Apache-2.0
//
// A decompressor, and a flow whose link packets are made by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "rohc/framework/test/support/octets.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc::test {

inline constexpr std::uint8_t kIrStaticOnly = 0xfc;
inline constexpr std::uint8_t kIr = 0xfd;
inline constexpr std::uint8_t kIrDyn = 0xf8;

[[nodiscard]] inline Packet whole_chain(const PacketSpec& s, unsigned profile, const ChainOptions& o = {}) {
  return joined(static_chain(s, profile), dynamic_chain(s, profile, o));
}

[[nodiscard]] inline PacketSpec plain_rtp(unsigned version = 4) {
  PacketSpec s = rtp_packet(version);
  s.udp->checksum = false;
  s.rtp->sn = 100;
  s.rtp->ts = 16'000;
  s.ip.id = 500;
  return s;
}

// The flow one packet later, with TS_STRIDE 160.
[[nodiscard]] inline PacketSpec later(PacketSpec s, unsigned packets = 1) {
  s.ip.id = static_cast<std::uint16_t>(s.ip.id + packets);
  s.rtp->sn = static_cast<std::uint16_t>(s.rtp->sn + packets);
  s.rtp->ts += 160 * packets;
  return s;
}

[[nodiscard]] inline ChainOptions with_stride() {
  ChainOptions o;
  o.extras.present = true;
  o.extras.mode = wire::Mode::kUnidirectional;
  o.extras.ts_stride = 160;
  return o;
}

[[nodiscard]] inline wire::BaseHeader base(wire::PacketType type, const PacketSpec& s) {
  wire::BaseHeader h;
  h.type = type;
  h.sn.value = s.rtp ? s.rtp->sn : 0;
  h.marker = s.rtp && s.rtp->marker;
  return h;
}

[[nodiscard]] inline wire::BaseHeader with_sn(wire::PacketType type, unsigned sn) {
  wire::BaseHeader h;
  h.type = type;
  h.sn.value = sn;
  return h;
}

// A decompressor that is given packets made by hand.
class HandMade : public testing::Test {
 protected:
  Restored give(const Packet& packet) {
    now_ns_ += kFrame;
    last_ = decompress(decompressor_, packet, now_ns_);
    return last_;
  }
  void expect_delivered(const Packet& link, const PacketSpec& original) {
    const Restored r = give(link);
    EXPECT_EQ(r.status, HEADROOM_OK);
    EXPECT_EQ(to_hex(r.octets), to_hex(build(original)));
  }
  void establish(const PacketSpec& s, unsigned profile, const ChainOptions& o = {}) {
    expect_delivered(
        crafted_initialisation(kIr, static_cast<std::uint8_t>(profile), whole_chain(s, profile, o), s.payload), s);
  }
  [[nodiscard]] DecompressorState state() const { return last_.state(); }

  Decompressor decompressor_{DecompressorConfig{}};
  std::uint64_t now_ns_ = 0;
  Restored last_;
};

}  // namespace headroom::rohc::test
