// SPDX-License-Identifier: Apache-2.0
//
// Lists in link packets made by hand: what another compressor may send, and what an enemy may. Octets are those of the
// figures of RFC 3095 5.7.5, 5.7.7 and 5.8.5 to 5.8.6.
#include <gtest/gtest.h>

#include <optional>

#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/header/listed.h"
#include "rohc/v1/test/support/hand_made.h"

namespace headroom::rohc {
namespace {

using test::base;
using test::bits;
using test::hex;
using test::joined;
using test::later;
using test::Packet;
using test::PacketSpec;
using test::plain_rtp;
using wire::PacketType;

std::uint8_t crc7_of(const PacketSpec& original) {
  const Packet packet = test::build(original);
  HeaderChain chain;
  ListedHeaders listed;
  if (parse_chain(packet, {}, chain) && may_be_listed(packet, chain, {}) && parse_listed(packet, {}, chain, listed)) {
    return listed_crc7(packet.data(), listed, chain.outer_version, chain.layout());
  }
  const StaticCrc crc = static_crc(nullptr, 0, packet.data(), chain.layout());
  return finish_crc7(crc.crc7, nullptr, 0, packet.data(), chain.layout());
}

// UOR-2-ID of an RTP flow over IPv4 with the list in extension 3: rtp = 1, CSRC = 1.
Packet uor_2_with_csrc(const PacketSpec& original, const Packet& list) {
  const unsigned offset = static_cast<std::uint16_t>(original.ip.id - original.rtp->sn) & 0x1fU;
  Packet p = {static_cast<std::uint8_t>(0xc0 | offset), static_cast<std::uint8_t>(original.rtp->sn & 0x3f),
              static_cast<std::uint8_t>(0x80 | crc7_of(original))};
  p = joined(p, bits("11 0 0 1 0 0 1 | 01 0 0 0 1 0 0"));
  return joined(joined(p, list), original.payload);
}

PacketSpec with_csrcs(PacketSpec s, std::vector<std::uint32_t> csrcs) {
  s.csrcs = std::move(csrcs);
  return s;
}

class CsrcByHand : public test::HandMade {
 protected:
  // Establishes an RTP flow whose IR has the list {A at 1, B at 2, C at 3} with gen_id 5.
  void SetUp() override {
    now_ = with_csrcs(plain_rtp(), {0xa, 0xb, 0xc});
    PacketSpec bare = now_;
    bare.csrcs.clear();
    Packet dynamic = test::dynamic_chain(bare, 1, test::with_stride());
    const std::size_t at = dynamic.size() - 1 - 3;  // the empty list stands before flags and a stride of two octets
    ASSERT_EQ(dynamic[at], 0);
    const Packet list =
        joined(bits("00 1 0 0011 | 00000101 | 1 001 1 010 | 1 011 0000"), hex("0000000a 0000000b 0000000c"));
    Packet chain(dynamic.begin(), dynamic.begin() + static_cast<std::ptrdiff_t>(at));
    chain = joined(joined(chain, list), Octets(dynamic).subspan(at + 1));
    expect_delivered(
        test::crafted_initialisation(test::kIr, 1, joined(test::static_chain(bare, 1), chain), bare.payload), now_);
  }

  // The next packet of the flow has these CSRCs and says so with `list`.
  void expect_list(std::vector<std::uint32_t> csrcs, const Packet& list) {
    now_ = with_csrcs(later(now_), std::move(csrcs));
    expect_delivered(uor_2_with_csrc(now_, list), now_);
  }
  [[nodiscard]] std::int32_t refused(std::vector<std::uint32_t> csrcs, const Packet& list) {
    return give(uor_2_with_csrc(with_csrcs(later(now_), std::move(csrcs)), list)).status;
  }

  PacketSpec now_;
};

TEST_F(CsrcByHand, StaysUntilToldOtherwise) {
  now_ = later(now_);
  const Packet original = test::build(now_);
  wire::BaseHeader h = base(PacketType::kUo0, now_);
  HeaderChain chain;
  ListedHeaders listed;
  ASSERT_TRUE(parse_chain(original, {}, chain) && parse_listed(original, {}, chain, listed));
  const auto crc = listed_crc3(original.data(), listed, 0, chain.layout());
  const auto octet = static_cast<std::uint8_t>((h.sn.value & 15U) << 3 | crc);
  expect_delivered(joined(Packet{octet}, now_.payload), now_);
}

TEST_F(CsrcByHand, EveryEncodingType) {
  // Type 1 against gen_id 5: D at index 4 before C, as gen_id 6.
  expect_list({0xa, 0xb, 0xd, 0xc}, joined(bits("01 1 0 1 100 | 00000110 | 00000101 | 0 0010000"), hex("0000000d")));
  // Type 2 against gen_id 6, whose list has four elements: without A.
  expect_list({0xb, 0xd, 0xc}, bits("10 1 0 0100 | 00000111 | 00000110 | 0 1000111"));
  // Type 3 against gen_id 7: without D, then E at index 5 in front.
  expect_list({0xe, 0xb, 0xc},
              joined(bits("11 1 0 1 101 | 00001000 | 00000111 | 0 0101111 | 0 1000000"), hex("0000000e")));
  // Type 0 with 8-bit XIs: all known, and a new one at 127.
  expect_list({0xc, 0xf}, joined(bits("00 0 1 0010 | 0 0000011 | 1 1111111"), hex("0000000f")));
  // Without gen_id that was no reference: gen_id 8 still is the last.
  expect_list({0xe, 0xb, 0xc}, bits("10 0 0 0011 | 00001000 | 0 0001111"));
  // 15-bit masks.
  expect_list({0xe, 0xb, 0xa, 0xc}, bits("01 0 0 0 001 | 00001000 | 1 0010000 00000000"));
  expect_list({}, bits("00 0 0 0000"));
}

// "They do not update the context. This feature is useful when a new list is repeated few times and the list then
// reverts back to its old value" (5.8.2.1 d).
TEST_F(CsrcByHand, AListWithoutGenIdIsThatOfItsPacket) {
  expect_list({0xb}, bits("00 0 0 0001 | 0 010 0000"));
  now_ = with_csrcs(later(now_), {0xa, 0xb, 0xc});
  const Packet original = test::build(now_);
  HeaderChain chain;
  ListedHeaders listed;
  ASSERT_TRUE(parse_chain(original, {}, chain) && parse_listed(original, {}, chain, listed));
  const auto crc = listed_crc3(original.data(), listed, 0, chain.layout());
  const auto octet = static_cast<std::uint8_t>((now_.rtp->sn & 15U) << 3 | crc);
  expect_delivered(joined(Packet{octet}, now_.payload), now_);
}

TEST_F(CsrcByHand, EveryOccurrenceOfAnIndex) {
  expect_list({0xa, 0xa, 0xb}, bits("00 0 0 0011 | 0 001 0 001 | 0 010 0000"));
}

TEST_F(CsrcByHand, OlderGenerationsAreForgotten) {
  expect_list({0xa, 0xb}, bits("10 1 0 0011 | 00000110 | 00000101 | 0 0011111"));
  expect_list({0xa}, bits("10 1 0 0010 | 00000111 | 00000110 | 0 0111111"));  // 6 was the reference: 5 is gone
  EXPECT_NE(refused({0xa, 0xb}, bits("10 0 0 0011 | 00000101 | 0 0011111")), HEADROOM_OK);
  expect_list({0xa, 0xb}, bits("10 0 0 0010 | 00000110 | 0 0011111"));
}

TEST_F(CsrcByHand, GenIdMayGoAroundWithoutReference) {
  // 300 lists of type 0, each its own generation; then the newest of them serves as a reference.
  for (unsigned i = 0; i < 300; ++i) {
    const bool odd = i % 2 != 0;
    const auto generation = static_cast<std::uint8_t>(6 + i);
    expect_list(odd ? std::vector<std::uint32_t>{0xa, 0xb} : std::vector<std::uint32_t>{0xb},
                odd ? Packet{0x22, generation, 0x12} : Packet{0x21, generation, 0x20});
  }
  expect_list({0xa}, {0x82, static_cast<std::uint8_t>(6 + 299), 0x3f});
}

TEST_F(CsrcByHand, WhatCannotBeRightIsDiscarded) {
  const struct {
    const char* why;
    Packet list;
    std::vector<std::uint32_t> meant;
  } kCases[] = {
      {"an index without item that is not Known", bits("00 0 0 0001 | 0 110 0000"), {0xa}},
      {"an unknown ref_id", bits("10 0 0 0011 | 00000100 | 0 0011111"), {0xa, 0xb}},
      {"Count is not that of the reference list", bits("10 0 0 0010 | 00000101 | 0 0011111"), {0xa, 0xb}},
      {"'0' observed when ref_list has been exhausted", bits("10 0 0 0011 | 00000101 | 0 0010111"), {0xa, 0xb}},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(refused(c.meant, c.list), HEADROOM_ERR_MALFORMED) << c.why;
  }
  // And nothing of it has stuck.
  expect_list({0xa, 0xb}, bits("10 0 0 0011 | 00000101 | 0 0011111"));
}

TEST_F(CsrcByHand, AFailedCrcLeavesTheTableAlone) {
  PacketSpec next = with_csrcs(later(now_), {0xdd});
  Packet packet = uor_2_with_csrc(next, joined(bits("00 0 0 0001 | 1 001 0000"), hex("000000dd")));
  packet[2] ^= 1;
  EXPECT_EQ(give(packet).status, HEADROOM_ERR_CRC);
  expect_list({0xa}, bits("00 0 0 0001 | 0 001 0000"));
}

// "The decompressor MUST update its translation table whenever an (Index, item) pair is received … also to UO-1-ID
// packets", which otherwise leave the list as it was (RFC 4815 6.2).
TEST_F(CsrcByHand, Uo1IdUpdatesTheTableOnly) {
  const PacketSpec one = with_csrcs(later(now_), {0x77});
  const Packet original = test::build(one);
  HeaderChain chain;
  ListedHeaders listed;
  ASSERT_TRUE(parse_chain(original, {}, chain) && parse_listed(original, {}, chain, listed));
  const auto crc = listed_crc3(original.data(), listed, 0, chain.layout());
  const unsigned offset = static_cast<std::uint16_t>(one.ip.id - one.rtp->sn) & 0x1fU;
  Packet p = {static_cast<std::uint8_t>(0x80 | offset),
              static_cast<std::uint8_t>(0x80U | (one.rtp->sn & 15U) << 3 | crc)};
  p = joined(joined(p, bits("11 0 0 1 0 0 1 | 01 0 0 0 1 0 0")), hex("21 09 e0 00000077"));  // gen_id 9, index 6
  expect_delivered(joined(p, one.payload), one);
  now_ = one;
  // The list of the context is the old one, with gen_id 5 and not 9 in the window.
  EXPECT_NE(refused({0x77}, bits("10 0 0 0001 | 00001001 | 0 0111111")), HEADROOM_OK);
  expect_list({0xa, 0x77}, bits("00 0 0 0010 | 0 001 0 110"));
  expect_list({0xa, 0xb}, bits("10 0 0 0011 | 00000101 | 0 0011111"));
}

// --- Extension headers
// ------------------------------------------------------------------------------------------------

// UOR-2 of a UDP flow over IPv6: ip = 1, IPX = 1. `sn` is the compressor's.
Packet uor_2_with_field(const PacketSpec& original, unsigned sn, const Packet& field, const Packet& tail = {}) {
  Packet p = {static_cast<std::uint8_t>(0xc0 | (sn & 0x1f)), static_cast<std::uint8_t>(0x80 | crc7_of(original))};
  p = joined(p, bits("11 0 01 0 1 0 | 0 0 0 0 1 0 0 0"));
  p = joined(joined(p, field), tail);
  const Packet packet = test::build(original);
  const std::size_t udp_checksum_at = packet.size() - original.payload.size() - 2;
  p = joined(p, Octets(packet).subspan(udp_checksum_at, 2));
  return joined(p, original.payload);
}

class HeadersByHand : public test::HandMade {
 protected:
  void SetUp() override {
    spec_ = test::udp_packet(6);
    test::ChainOptions o;
    o.sn = static_cast<std::uint16_t>(sn_);
    establish(spec_, 2, o);
  }
  void expect_field(const Packet& field, const Packet& tail = {}) {
    ++sn_;
    expect_delivered(uor_2_with_field(spec_, sn_, field, tail), spec_);
  }

  PacketSpec spec_;
  unsigned sn_ = 7;
};

TEST_F(HeadersByHand, ListsComeAndGo) {
  spec_.extensions = {test::options_header(0, {5, 2, 0, 0, 1, 0})};
  expect_field(joined(hex("80"), joined(bits("00 1 0 0001 | 00000001 | 1 000 0000"), hex("00 00 05 02 00 00 01 00"))));
  spec_.extensions.push_back(test::options_header(60, {1, 4}));
  expect_field(joined(hex("80"),
                      joined(bits("01 1 0 1 001 | 00000010 | 00000001 | 0 0100000"), hex("3c 00 01 04 00 00 00 00"))));
  spec_.extensions.erase(spec_.extensions.begin());
  expect_field(joined(hex("80"), bits("10 1 0 0010 | 00000011 | 00000010 | 0 1011111")));
  spec_.extensions.clear();
  expect_field(hex("80 00"));
}

TEST_F(HeadersByHand, AuthenticationHeader) {
  // The item whole, its data inside.
  spec_.extensions = {test::authentication_header(0x11, 0x1000, {1, 2, 3, 4})};
  expect_field(joined(
      hex("80"), joined(bits("00 1 0 0001 | 00000001 | 1 010 0000"), hex("33 02 0000 00000011 00001000 01020304"))));
  // Seven bits of a sequence number off its line, the data behind the extension.
  spec_.extensions = {test::authentication_header(0x11, 0x1030, {5, 6, 7, 8})};
  expect_field(hex("40 30"), hex("05060708"));
  // No sequence number: on its line.
  spec_.extensions = {test::authentication_header(0x11, 0x1031, {9, 9, 9, 9})};
  expect_field(hex("00"), hex("09090909"));
  // Thirty-one bits.
  spec_.extensions = {test::authentication_header(0x11, 0x12345678, {0, 0, 0, 1})};
  expect_field(hex("40 92345678"), hex("00000001"));
  // An index and nothing else, with another header in front.
  spec_.extensions = {test::options_header(0, {1, 4}), test::authentication_header(0x11, 0x12345679, {0, 0, 0, 2})};
  expect_field(joined(hex("80"), joined(bits("00 0 0 0010 | 1 011 0 010"), hex("00 00 01 04 00 00 00 00"))),
               hex("00000002"));
}

// In a generic list the Next Header field of a GRE item is "the type of the subsequent header" after 5.8.4.4, and 47
// after 5.8.4.1. In the table it is the same item.
TEST_F(HeadersByHand, GreByEitherType) {
  spec_.outer = test::IpFields{};
  spec_.outer->version = 6;
  test::ChainOptions o;
  o.sn = static_cast<std::uint16_t>(sn_);
  establish(spec_, 2, o);
  spec_.outer_extensions = {test::gre_header({.checksum = {}, .key = 0x01020304, .sequence = {}})};
  const auto with_outer_list = [&](const char* list) {
    ++sn_;
    Packet p = {static_cast<std::uint8_t>(0xc0 | (sn_ & 0x1f)), static_cast<std::uint8_t>(0x80 | crc7_of(spec_))};
    p = joined(joined(p, bits("11 0 01 0 0 1 | 0 0 0 0 1 0 0 0")), hex(list));
    const Packet original = test::build(spec_);
    p = joined(p, Octets(original).subspan(original.size() - spec_.payload.size() - 2, 2));
    return joined(p, spec_.payload);
  };
  expect_delivered(with_outer_list("80 21 01 90 29 20 01020304"), spec_);
  expect_delivered(with_outer_list("80 21 01 90 2f 20 01020304"), spec_);
  expect_delivered(with_outer_list("80 01 10"), spec_);
  // Elsewhere only 47 says that it is one: type 3 that puts it in its own place.
  EXPECT_EQ(give(with_outer_list("80 c9 01 7f 40 29 20 01020304")).status, HEADROOM_ERR_MALFORMED);
  expect_delivered(with_outer_list("80 c9 01 7f 40 2f 20 01020304"), spec_);
}

TEST_F(HeadersByHand, ReservedBitsOfTheFieldAreIgnored) {
  spec_.extensions = {test::options_header(60, {1, 4})};
  expect_field(joined(hex("8f"), joined(bits("00 0 0 0001 | 1 000 0000"), hex("3c 00 01 04 00 00 00 00"))));
}

TEST_F(HeadersByHand, WhatCannotBeRestoredIsDiscarded) {
  ++sn_;
  const auto status = [&](const char* field) { return give(uor_2_with_field(spec_, sn_, hex(field))).status; };
  EXPECT_EQ(status("80 01 80 2f 00"), HEADROOM_ERR_MALFORMED) << "GRE before UDP";
  EXPECT_EQ(status("80 11 90 3c 00 01 04 00 00 00 00"), HEADROOM_ERR_MALFORMED) << "index 16 is over the limit";
  EXPECT_EQ(status("20 05"), HEADROOM_ERR_MALFORMED) << "a sequence number of null ESP, which is in no list";
  EXPECT_EQ(status("80 01 00"), HEADROOM_ERR_MALFORMED) << "index 0 is not Known";
}

}  // namespace
}  // namespace headroom::rohc
