// SPDX-License-Identifier: Apache-2.0
//
// Compressed lists, octet by octet from the figures of RFC 3095 5.8.6 and 5.8.5.1.
#include "rohc/v1/wire/list.h"

#include <gtest/gtest.h>

#include <array>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc::wire {
namespace {

using test::bits;
using test::hex;
using test::joined;
using test::Packet;
using test::to_hex;

Packet written(const CompressedList& list) {
  std::array<std::uint8_t, 256> room{};
  Writer out(room);
  write_list(out, list);
  EXPECT_EQ(out.size(), list_octets(list));
  return test::copy_of(out.written());
}

// Reads, checks that nothing is left, and that writing gives the same octets again.
CompressedList read_back(const Packet& octets, ListKind kind = ListKind::kCsrc) {
  Reader in(octets);
  CompressedList list;
  EXPECT_TRUE(read_list(in, kind, list)) << to_hex(octets);
  EXPECT_EQ(in.remaining(), 0U);
  EXPECT_EQ(to_hex(written(list)), to_hex(octets));
  return list;
}

bool readable(const Packet& octets, ListKind kind = ListKind::kCsrc) {
  Reader in(octets);
  CompressedList list;
  return read_list(in, kind, list);
}

TEST(ListType0, FourBitXis) {
  // ET 00, GP 1, PS 0, CC 3; gen_id 9; XI: X=1 index 2, X=0 index 5, X=1 index 7, padding; two items.
  const Packet octets =
      joined(bits("00 1 0 0011 | 00001001 | 1 010 0 101 | 1 111 0000"), hex("00 00 00 aa | 00 00 00 bb"));
  const CompressedList list = read_back(octets);
  EXPECT_EQ(list.type, 0);
  EXPECT_TRUE(list.has_generation);
  EXPECT_EQ(list.generation, 9);
  ASSERT_EQ(list.xi_count, 3);
  EXPECT_EQ(list.xis[0].index, 2);
  EXPECT_EQ(to_hex(list.xis[0].item), to_hex(hex("000000aa")));
  EXPECT_FALSE(list.xis[1].has_item);
  EXPECT_EQ(list.xis[1].index, 5);
  EXPECT_EQ(list.xis[2].index, 7);
  EXPECT_EQ(to_hex(list.xis[2].item), to_hex(hex("000000bb")));
}

TEST(ListType0, EightBitXis) {
  const CompressedList list = read_back(joined(bits("00 0 1 0010 | 0 0001000 | 1 1111111"), hex("01020304")));
  EXPECT_FALSE(list.has_generation);
  EXPECT_EQ(list.xis[0].index, 8);
  EXPECT_EQ(list.xis[1].index, 127);
  EXPECT_TRUE(list.xis[1].has_item);
}

TEST(ListType0, WithoutItemsIsOneOctet) { EXPECT_EQ(read_back(hex("00")).xi_count, 0); }

TEST(ListType0, PaddingIsIgnored) {
  const Packet octets = bits("00 0 0 0001 | 0 011 1111");
  Reader padded(octets);
  CompressedList list;
  ASSERT_TRUE(read_list(padded, ListKind::kCsrc, list));
  EXPECT_EQ(list.xi_count, 1);
  EXPECT_EQ(list.xis[0].index, 3);
}

TEST(ListType1, XiOneIsInTheFirstOctet) {
  // ET 01, GP 1, PS 0, XI 1 = X index 4; gen_id; ref_id; mask 0 0100100; XI 2 and padding.
  const CompressedList list =
      read_back(joined(bits("01 1 0 1 100 | 00000110 | 00000101 | 0 0100100 | 0 001 0000"), hex("0a0b0c0d")));
  EXPECT_EQ(list.type, 1);
  EXPECT_EQ(list.generation, 6);
  EXPECT_EQ(list.reference, 5);
  EXPECT_EQ(list.insertion.width, 7);
  EXPECT_TRUE(list.insertion.at(1) && list.insertion.at(4));
  EXPECT_FALSE(list.insertion.at(0) || list.insertion.at(2));
  ASSERT_EQ(list.xi_count, 2);
  EXPECT_EQ(list.xis[0].index, 4);
  EXPECT_EQ(list.xis[1].index, 1);
}

TEST(ListType1, OneXiNeedsNoXiList) { EXPECT_EQ(read_back(bits("01 0 0 0 011 | 00000101 | 0 1000000")).xi_count, 1); }

TEST(ListType1, EightBitXisAreAllInTheXiList) {
  const CompressedList list = read_back(bits("01 0 1 0000 | 00000101 | 1 0000000 00000011 | 00001001 | 00000010"));
  EXPECT_EQ(list.insertion.width, 15);
  EXPECT_TRUE(list.insertion.at(13) && list.insertion.at(14)) << "bit 15 is the last bit";
  EXPECT_EQ(list.xis[0].index, 9);
  EXPECT_EQ(list.xis[1].index, 2);
}

TEST(ListType2, CountAndMask) {
  const CompressedList list = read_back(bits("10 1 0 0101 | 00000010 | 00000001 | 0 0010011"));
  EXPECT_EQ(list.type, 2);
  EXPECT_EQ(list.count, 5);
  EXPECT_EQ(list.generation, 2);
  EXPECT_EQ(list.reference, 1);
  EXPECT_TRUE(list.removal.at(2) && list.removal.at(5) && list.removal.at(6));
  EXPECT_EQ(list.xi_count, 0);
}

TEST(ListType2, TheReservedBitIsIgnored) {
  const Packet octets = bits("10 0 1 0101 | 00000001 | 0 0010011");
  Reader in(octets);
  CompressedList list;
  EXPECT_TRUE(read_list(in, ListKind::kCsrc, list));
  EXPECT_EQ(in.remaining(), 0U);
}

TEST(ListType3, RemovalMaskComesFirst) {
  const CompressedList list =
      read_back(joined(bits("11 1 0 1 110 | 00001000 | 00000111 | 0 0000001 | 1 1000000 00000000"), hex("01010101")));
  EXPECT_EQ(list.type, 3);
  EXPECT_TRUE(list.removal.at(6));
  EXPECT_EQ(list.removal.width, 7);
  EXPECT_TRUE(list.insertion.at(0));
  EXPECT_EQ(list.insertion.width, 15);
  EXPECT_EQ(list.xis[0].index, 6);
}

// --- Header items
// -----------------------------------------------------------------------------------------------------

TEST(HeaderItems, AreAsLongAsTheySay) {
  // Hop-by-hop 8, destination 16, routing 8, AH 12 + 4, GRE with key 6, minimal encapsulation 8 and 12.
  const Packet items =
      hex("00 00 01 04 00 00 00 00"
          "3c 01 01 0c 00 00 00 00 00 00 00 00 00 00 00 00"
          "2b 00 00 00 00 00 00 00"
          "33 02 00 00 00 00 00 01 00 00 00 02 aa bb cc dd"
          "2f 20 00 00 00 07"
          "37 00 be ef 0a 00 00 01"
          "37 80 be ef 0a 00 00 01 0a 00 00 02");
  const CompressedList list =
      read_back(joined(bits("00 0 0 0111 | 1000 1001 | 1010 1011 | 1100 1101 | 1110 0000"), items), ListKind::kHeaders);
  const std::size_t expected[] = {8, 16, 8, 16, 6, 8, 12};
  for (unsigned i = 0; i < 7; ++i) EXPECT_EQ(list.xis[i].item.size(), expected[i]) << i;
}

TEST(HeaderItems, GreByItsFlags) {
  const std::pair<const char*, std::size_t> kCases[] = {{"2f 00", 2},
                                                        {"2f 80 11 22", 4},
                                                        {"2f 20 00 00 00 01", 6},
                                                        {"2f 10 00 00 00 01", 6},
                                                        {"2f b0 11 22 00 00 00 01 00 00 00 02", 12}};
  for (const auto& [item, octets] : kCases) {
    const CompressedList list = read_back(joined(hex("01 80"), hex(item)), ListKind::kHeaders);
    EXPECT_EQ(list.xis[0].item.size(), octets) << item;
  }
}

TEST(HeaderItems, WhatIsNoneIsRefused) {
  EXPECT_FALSE(readable(hex("01 80 11 00 00 00 00 00 00 00"), ListKind::kHeaders)) << "UDP";
  EXPECT_FALSE(readable(hex("01 80 33 00 00 00 00 00 00 01"), ListKind::kHeaders)) << "AH without sequence number";
  Packet longest = hex("01 80 3c 0f");
  longest.resize(2 + 128);
  EXPECT_TRUE(readable(longest, ListKind::kHeaders));
  longest[3] = 0x10;
  longest.resize(2 + 136);
  EXPECT_FALSE(readable(longest, ListKind::kHeaders)) << "longer than is kept";
}

TEST(List, EveryTruncationFails) {
  for (const Packet& octets :
       {joined(bits("00 1 0 0011 | 00001001 | 1 010 0 101 | 1 111 0000"), hex("00 00 00 aa | 00 00 00 bb")),
        joined(bits("01 1 0 1 100 | 00000110 | 00000101 | 0 0100100 | 0 001 0000"), hex("0a0b0c0d")),
        bits("10 1 0 0101 | 00000010 | 00000001 | 1 0010011 00000001"),
        joined(bits("11 1 0 1 110 | 00001000 | 00000111 | 0 0000001 | 1 1000000 00000000"), hex("01010101"))}) {
    for (std::size_t length = 0; length < octets.size(); ++length) {
      EXPECT_FALSE(readable(Packet(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
    }
  }
}

// --- IP extension headers in extension 3 (5.8.5.1)
// ---------------------------------------------------------------------

TEST(ExtensionHeadersField, SequenceNumbersInOneOrFourOctets) {
  const Packet octets = joined(bits("0 1 1 1 0000"), hex("7f | ff ff ff fe | 00"));
  Reader in(octets);
  ExtensionHeadersField field;
  ASSERT_TRUE(read_extension_headers(in, field));
  EXPECT_EQ(field.ah.width, 7);
  EXPECT_EQ(field.ah.value, 0x7fU);
  EXPECT_EQ(field.esp.width, 31);
  EXPECT_EQ(field.esp.value, 0x7ffffffeU);
  EXPECT_EQ(field.gre.width, 7);
  EXPECT_FALSE(field.has_list);
  std::array<std::uint8_t, 16> room{};
  Writer out(room);
  write_extension_headers(out, field);
  EXPECT_EQ(to_hex(out.written()), to_hex(octets));
}

TEST(ExtensionHeadersField, BitsReplaceThoseOfTheField) {
  EXPECT_EQ((SequenceBits{0x05, 7}).on(0x12345681), 0x12345685U) << "the LSBs of the field itself (RFC 4815 8.9)";
  EXPECT_EQ((SequenceBits{0x7fffffff, 31}).on(0x80000000), 0xffffffffU);
}

TEST(ExtensionHeadersField, TheListComesLast) {
  const Packet octets = joined(bits("1 0 0 1 0000"), hex("05 | 01 00"));
  Reader in(octets);
  ExtensionHeadersField field;
  ASSERT_TRUE(read_extension_headers(in, field));
  EXPECT_TRUE(field.has_list);
  EXPECT_EQ(field.gre.value, 5U);
  EXPECT_EQ(field.list.xi_count, 1);
}

}  // namespace
}  // namespace headroom::rohc::wire
