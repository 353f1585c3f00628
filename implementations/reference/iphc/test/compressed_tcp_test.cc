// SPDX-License-Identifier: Apache-2.0
#include "iphc/wire/compressed_tcp.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::iphc::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes written(const Changes& c, bool numbered = false) {
  Bytes octets(kLongestFront + kLongestChanges);
  octets.resize(static_cast<std::size_t>(write_changes(c, write_front(c, numbered, octets.data())) - octets.data()));
  return octets;
}

// 6 a) from top to bottom: CID, flags, checksum, R-octet, urgent pointer, window, acknowledgement, sequence number,
// identification; each delta "coded as in [RFC-1144]" (7.12.1): "decimal 15 is encoded as hex 0f, 255 as ff, 65534 as
// 00 ff fe, and zero as 00 00 00" (RFC 1144, 3.2.2).
TEST(CompressedTcp, FieldsStandInTheOrderOfSection6) {
  Changes c;
  c.cid = 3;
  c.flags = kR | kI | kP | kA | kU;
  c.checksum = 0xAABB;
  c.r_octet = 0x5D;
  c.urgent = 15;
  c.acknowledgement = 65534;
  c.identification = 0;
  EXPECT_EQ(written(c), (Bytes{3, 0xB5, 0xAA, 0xBB, 0x5D, 0x0F, 0x00, 0xFF, 0xFE, 0x00, 0x00, 0x00}));
  c.flags = kS | kW;
  c.window = 255;
  c.sequence = 256;
  EXPECT_EQ(written(c), (Bytes{3, 0x0A, 0xAA, 0xBB, 0xFF, 0x00, 0x01, 0x00}));
}

// "In compressed TCP headers the two octet packet sequence number MUST be placed immediately after the TCP Checksum"
// (11.2).
TEST(CompressedTcp, ThePacketSequenceNumberFollowsTheChecksum) {
  Changes c;
  c.checksum = 0x1234;
  c.number = 0xABCD;
  c.flags = kW;
  c.window = 7;
  EXPECT_EQ(written(c, true), (Bytes{0, 0x02, 0x12, 0x34, 0xAB, 0xCD, 7}));
}

TEST(CompressedTcp, AllFlagsComeBack) {
  for (unsigned flags = 0; flags < 0x100; ++flags) {
    for (const unsigned number : {1u, 255u, 256u, 65535u}) {
      const auto value = static_cast<std::uint16_t>(number);
      Changes c;
      c.cid = 9;
      c.flags = static_cast<std::uint8_t>(flags);
      c.checksum = 0xABCD;
      if ((flags & kR) != 0) c.r_octet = 0xFE;
      if (!c.is_special()) {
        if ((flags & kU) != 0) c.urgent = value;
        if ((flags & kW) != 0) c.window = value;
        if ((flags & kA) != 0) c.acknowledgement = value;
        if ((flags & kS) != 0) c.sequence = value;
      }
      if ((flags & kI) != 0) c.identification = value;
      const Bytes octets = written(c);
      Reader reader(octets);
      Changes read;
      ASSERT_TRUE(read_front(reader, false, read) && read_changes(reader, read)) << flags;
      EXPECT_EQ(reader.position(), octets.size());
      EXPECT_EQ(read.cid, c.cid);
      EXPECT_EQ(read.flags, c.flags);
      EXPECT_EQ(read.checksum, c.checksum);
      EXPECT_EQ(read.r_octet, c.r_octet);
      EXPECT_EQ(read.urgent, c.urgent);
      EXPECT_EQ(read.window, c.window);
      EXPECT_EQ(read.acknowledgement, c.acknowledgement);
      EXPECT_EQ(read.sequence, c.sequence);
      EXPECT_EQ(read.identification, c.identification);
      // Each shorter one ends too early.
      for (std::size_t length = 0; length < octets.size(); ++length) {
        Reader shorter(Octets(octets).first(length));
        EXPECT_FALSE(read_front(shorter, false, read) && read_changes(shorter, read)) << flags << ", " << length;
      }
    }
  }
}

}  // namespace
}  // namespace headroom::iphc::wire
