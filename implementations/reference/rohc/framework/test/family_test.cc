// SPDX-License-Identifier: Apache-2.0
//
// Which family of profiles a packet is for, and CIDs that go from one family to another: RFC 5795 5.1.3, 5.2.3.
#include "rohc/framework/decompressor/family.h"

#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc {
namespace {

using test::hex;
using test::Packet;

// A family that has one profile, and a context wherever an IR packet asked for it.
class OneProfile final : public DecompressorFamily {
 public:
  OneProfile(std::uint8_t octet, Owners<DecompressorFamily>& owners) : octet_(octet), owners_(owners) {
    owners.add(*this);
  }

  [[nodiscard]] bool has_profile(std::uint8_t octet) const noexcept override { return octet == octet_; }
  void decompress(const Framed& framed, std::uint32_t index, headroom_packet&, std::uint64_t,
                  headroom_detail*) noexcept override {
    decompressed.push_back(index);
    if (wire::names_profile(framed.first)) owners_.take(index, *this);
  }
  void drop(std::uint32_t index) noexcept override { dropped.push_back(index); }

  std::vector<std::uint32_t> decompressed;
  std::vector<std::uint32_t> dropped;

 private:
  std::uint8_t octet_;
  Owners<DecompressorFamily>& owners_;
};

class Families : public ::testing::Test {
 protected:
  Families() : rtp_(1, owners_), tcp_(6, owners_) {}

  DecompressorFamily& family_of(Octets packet, std::uint32_t index = 5) {
    return family_for(owners_, {packet, index, packet[0], packet.subspan(1)}, index);
  }
  void give(Octets packet, std::uint32_t index = 5) {
    headroom_packet link{};
    family_of(packet, index).decompress({packet, index, packet[0], packet.subspan(1)}, index, link, 0, nullptr);
  }

  const Packet ir_rtp_ = hex("fd 01 00"), ir_tcp_ = hex("fd 06 00"), other_ = hex("00 00");
  Owners<DecompressorFamily> owners_{16};
  OneProfile rtp_;
  OneProfile tcp_;
};

TEST_F(Families, ProfileOfIrAndIrDynDecides) {
  EXPECT_EQ(&family_of(ir_rtp_), &rtp_);
  EXPECT_EQ(&family_of(ir_tcp_), &tcp_);
  EXPECT_EQ(&family_of(hex("fc 06 00")), &tcp_) << "IR with the low bit 0, IR-CR";
  EXPECT_EQ(&family_of(hex("f8 06 00")), &tcp_) << "IR-DYN";
}

TEST_F(Families, FirstRefusesWhatNoneHas) {
  EXPECT_EQ(&family_of(hex("fd 03 00")), &rtp_) << "no such profile";
  EXPECT_EQ(&family_of(hex("fd")), &rtp_) << "truncated";
  EXPECT_EQ(&family_of(other_), &rtp_) << "no context";
}

TEST_F(Families, OtherPacketsAreForTheOneThatHasTheContext) {
  give(ir_tcp_, 5);
  EXPECT_EQ(&family_of(other_, 5), &tcp_);
  EXPECT_EQ(&family_of(other_, 4), &rtp_) << "another CID";
}

TEST_F(Families, ContextGoesFromOneToTheOtherAndBack) {
  give(ir_rtp_);
  give(ir_tcp_);
  EXPECT_EQ(rtp_.dropped, std::vector<std::uint32_t>{5});
  EXPECT_EQ(&family_of(other_), &tcp_);
  EXPECT_EQ(owners_.in_use(), 1U);
  give(ir_rtp_);
  EXPECT_EQ(tcp_.dropped, std::vector<std::uint32_t>{5});
  EXPECT_EQ(&family_of(other_), &rtp_);
  EXPECT_EQ(owners_.in_use(), 1U);
}

TEST_F(Families, RefreshDropsNothing) {
  give(ir_rtp_);
  give(ir_rtp_);
  EXPECT_TRUE(rtp_.dropped.empty());
}

TEST_F(Families, ReleasedContextIsNobodys) {
  give(ir_tcp_);
  owners_.release(5);
  owners_.release(5);
  EXPECT_EQ(tcp_.dropped.size(), 1U);
  EXPECT_EQ(owners_.of(5), nullptr);
  EXPECT_EQ(owners_.in_use(), 0U);
}

}  // namespace
}  // namespace headroom::rohc
