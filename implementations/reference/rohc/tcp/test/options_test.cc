// SPDX-License-Identifier: Apache-2.0
//
// Compressed lists of TCP options: RFC 6846, 6.3, and the encodings tcp_opt_* of 8.2.
#include "rohc/tcp/wire/options.h"

#include <gtest/gtest.h>

#include "rohc/tcp/test/packets.h"

namespace headroom::rohc::tcp {
namespace {

using test::hex;
using test::Packet;
using testing::kNoItems;
using testing::written;
using testing::operator+;

// The options of a header as a list; generic ones get indexes from 7 on.
OptionList list_of(const Packet& options) {
  OptionList list;
  std::uint8_t generic = kGeneric;
  for (std::size_t at = 0; at < options.size();) {
    const std::size_t length = option_length(Octets(options).subspan(at));
    EXPECT_NE(length, 0U);
    std::uint8_t index = index_of(&options[at], length);
    if (index == kGeneric) index = generic++;
    EXPECT_TRUE(list.append(index, length));
    at += length;
  }
  return list;
}

Packet list_with_items(const Packet& options, std::uint32_t ack) {
  const OptionList list = list_of(options);
  return written([&](Writer& out) {
    write_list(out, list, 0xffff);
    for (unsigned i = 0; i < list.count; ++i)
      write_item(out, list.index[i], {&options[list.at[i]], list.length[i]}, false, ack);
  });
}

struct Rebuilt {
  OptionStatus status;
  Packet options;
  OptionList list;
};
Rebuilt rebuild(const Packet& compressed, std::uint32_t ack, const OptionContext& context, const Packet& irregular = {},
                bool all_present = true) {
  Reader in{Octets(compressed)};
  ReceivedList received;
  if (!read_list(in, ack, all_present, received)) return {OptionStatus::kMalformed, {}, {}};
  EXPECT_EQ(in.remaining(), 0U);
  Reader chain{Octets(irregular)};
  Packet out(kMostOptions);
  Rebuilt r{OptionStatus::kOk, {}, {}};
  r.status = build_options(&chain, &received, context, ack, out.data(), r.list);
  EXPECT_EQ(chain.remaining(), 0U);
  out.resize(r.list.octets);
  r.options = out;
  return r;
}

const OptionList kNoList{};
const OptionContext kNothing{kNoItems, kNoList, nullptr};

// "PS = 0 indicates 4-bit XI fields"; indexes of 6.3.4; mss_list_item, nop_list_item (empty), wscale_list_item.
TEST(TcpOptions, SynOptionsAreAListOfFourBitXis) {
  const Packet options = hex("020405b4 0402 080a 00000001 00000000 01 030307");
  const Packet expected = hex("05 | ad c8 b0 | 05b4 | 00000001 00000000 | 07");
  EXPECT_EQ(test::to_hex(list_with_items(options, 0)), test::to_hex(expected));
  const Rebuilt r = rebuild(expected, 0, kNothing);
  EXPECT_EQ(r.status, OptionStatus::kOk);
  EXPECT_EQ(r.options, options);
}

// "PS = 1 indicates 8-bit XI fields"; generic_list_item: type, option_static, length of 7 bits, contents.
TEST(TcpOptions, AGenericOptionNeedsEightBitXisBeyondIndexSeven) {
  const Packet options = hex("fd04 aabb fe04 ccdd");
  const Packet expected = hex("12 | 87 88 | fd 04 aabb | fe 04 ccdd");
  EXPECT_EQ(test::to_hex(list_with_items(options, 0)), test::to_hex(expected));
  EXPECT_EQ(rebuild(expected, 0, kNothing).options, options);
}

// "pad_len =:= compressed_value(8, nbits-8)": in bits, without the EOL octet.
TEST(TcpOptions, EolTellsItsPaddingInBits) {
  const Packet options = hex("030307 00 00000000");
  const Packet expected = hex("02 | b9 | 07 | 20");
  EXPECT_EQ(test::to_hex(list_with_items(options, 0)), test::to_hex(expected));
  EXPECT_EQ(rebuild(expected, 0, kNothing).options, options);
  EXPECT_EQ(rebuild(hex("02 b9 07 21"), 0, kNothing).status, OptionStatus::kMalformed) << "no whole octets";
  EXPECT_EQ(option_length(hex("00 00 01")), 0U) << "padding that is not zero";
}

// sack_block: the start relative to the acknowledgement number, the end to the start; lsb_15, lsb_22, lsb_29 and
// full_offset. The second block is relative to the end of the first.
TEST(TcpOptions, SackBlocksAreRelativeToTheAcknowledgement) {
  const std::uint32_t ack = 0x1000;
  const Packet options = hex("0101 0512 | 00001100 00009200 | 00009100 20009100");
  const Packet expected = hex("03 | 88 e0 | 02 | 0100 | 80 8100 | ff ffffff00 | ff 20000000");
  EXPECT_EQ(test::to_hex(list_with_items(options, ack)), test::to_hex(expected));
  EXPECT_EQ(rebuild(expected, ack, kNothing).options, options);
  for (const char* bad : {"03 88 e0 00", "03 88 e0 05", "03 88 e0 01 e0000000 0001", "03 88 e0 01 0100"})
    EXPECT_EQ(rebuild(hex(bad), ack, kNothing).status, OptionStatus::kMalformed) << bad;
}

// "Reserved: MUST be set to zero; otherwise, the decompressor MUST discard the packet", and so of the XI and of
// padding.
TEST(TcpOptions, ReservedBitsAndPaddingMustBeZero) {
  EXPECT_EQ(rebuild(hex("02 88"), 0, kNothing).status, OptionStatus::kMalformed) << "two NOPs are no whole word";
  EXPECT_EQ(rebuild(hex("04 88 88"), 0, kNothing).status, OptionStatus::kOk);
  for (const char* bad : {"24 88 88", "84 88 88", "14 c0 80 80 80", "03 88 81"})
    EXPECT_EQ(rebuild(hex(bad), 0, kNothing).status, OptionStatus::kMalformed) << bad;
}

// "all X-bits in the XI list MUST be set" in the dynamic chain (6.3.5); an unknown item: 6.3.2.
TEST(TcpOptions, AnItemMustBeThereOrKnown) {
  EXPECT_EQ(rebuild(hex("01 20"), 0, kNothing).status, OptionStatus::kMalformed);
  EXPECT_EQ(rebuild(hex("01 20"), 0, kNothing, {}, false).status, OptionStatus::kUnknownItem);
  ItemTable table;
  const Packet mss = hex("02040200");
  const OptionList list = list_of(mss);
  save_items(table, list, mss.data());
  const Rebuilt r = rebuild(hex("01 20"), 0, {table, kNoList, nullptr}, {}, false);
  EXPECT_EQ(r.status, OptionStatus::kOk);
  EXPECT_EQ(r.options, mss);
}

// ts_lsb: lsb(7, -1) is (reference, reference + 128], lsb(21, 0x40000) reaches back.
TEST(TcpOptions, TimestampsAreLsbsOfFourWidths) {
  struct {
    std::uint32_t value;
    unsigned format;
    const char* octets;
  } const vectors[] = {
      {0x10000001, 0, "01"},     {0x10000080, 0, "00"},     {0x10004000, 1, "8000"},
      {0x10000000, 2, "c00000"}, {0x0ffc0000, 2, "dc0000"}, {0x1bffffff, 3, "fbffffff"},
  };
  for (const auto& v : vectors) {
    EXPECT_EQ(written([&](Writer& out) { write_ts_lsb(out, v.value, v.format); }), hex(v.octets)) << v.octets;
    const Packet octets = hex(v.octets);
    Reader in{Octets(octets)};
    EXPECT_EQ(read_ts_lsb(in, 0x10000000), v.value) << v.octets;
    EXPECT_TRUE(in.ok());
  }
}

// 6.3.6: tsopt_irregular, sack_unchanged_irregular, sack2_irregular, generic_stable_irregular, generic_full_irregular.
TEST(TcpOptions, TheIrregularChainCarriesWhatChanges) {
  const Packet old_options = hex("0101 080a 00000010 00000020 | fd04 0001 | 0101 050a 00000100 00000200 | 01010101");
  const OptionList list = list_of(old_options);
  const OptionContext context{kNoItems, list, old_options.data()};
  const auto build = [&](const Packet& irregular, Packet& options) {
    Reader in{Octets(irregular)};
    OptionList result;
    options.resize(kMostOptions);
    const OptionStatus status = build_options(&in, nullptr, context, 0x100, options.data(), result);
    options.resize(result.octets);
    return status == OptionStatus::kOk && in.remaining() == 0;
  };
  Packet options;
  EXPECT_TRUE(build(hex("11 21 | ff | 00"), options));
  EXPECT_EQ(options, hex("0101 080a 00000011 00000021 | fd04 0001 | 0101 050a 00000100 00000200 | 01010101"));
  EXPECT_TRUE(build(hex("11 21 | 00 0203 | 01 0050 0060"), options));
  EXPECT_EQ(options, hex("0101 080a 00000011 00000021 | fd04 0203 | 0101 050a 00000150 000001b0 | 01010101"));
  EXPECT_FALSE(build(hex("11 21 | 01 0203 | 00"), options)) << "no such discriminator";
  EXPECT_FALSE(build(hex("11 21 | ff"), options)) << "truncated";

  const auto irregular = [&](const Packet& now, std::uint16_t unchanged) {
    return written([&](Writer& out) {
      for (unsigned i = 0; i < list.count; ++i)
        write_irregular_item(out, list.index[i], {&now[list.at[i]], list.length[i]}, false, {0, 0, unchanged}, 0x100);
    });
  };
  EXPECT_EQ(irregular(hex("0101 080a 00000011 00000021 | fd04 0203 | 0101 050a 00000150 000001b0 | 01010101"), 0),
            hex("11 21 | 00 0203 | 01 0050 0060"));
  EXPECT_EQ(irregular(old_options, 1U << kSack | 1U << 7), hex("10 20 | ff | 00"));
}

// More options than a header holds: time stamps and four SACK blocks; 15 NOPs and an EOL of 32 octets; an XI without
// item.
TEST(TcpOptions, MoreThanFortyOctetsAreRefused) {
  const Packet sack = hex("04 0001 0001 0001 0001 0001 0001 0001 0001");
  EXPECT_EQ(rebuild(hex("02 ce 00000001 00000001") + sack, 0, kNothing).status, OptionStatus::kMalformed);
  EXPECT_EQ(rebuild(hex("04 88 8e") + sack, 0, kNothing).status, OptionStatus::kMalformed) << "37 octets are no words";
  EXPECT_EQ(rebuild(hex("03 88 e0") + sack, 0, kNothing).status, OptionStatus::kOk);
  EXPECT_EQ(rebuild(hex("0f 88 88 88 88 88 88 88 90 f8"), 0, kNothing).status, OptionStatus::kMalformed);
  for (const char* without : {"01 a0", "01 b0", "01 c0 000000", "01 90", "01 e0", "11 87 fd", "11 87 fd 04 00"})
    EXPECT_EQ(rebuild(hex(without), 0, kNothing).status, OptionStatus::kMalformed) << without;
  // X = 0 items count as well: two of 34 octets from the context.
  ItemTable table;
  const Packet known = hex("0522") + Packet(32, 1);
  OptionList list;
  ASSERT_TRUE(list.append(kSack, known.size()));
  save_items(table, list, known.data());
  EXPECT_EQ(rebuild(hex("02 66"), 0, {table, kNoList, nullptr}, hex("00 00"), false).status, OptionStatus::kMalformed);
}

// Options that cannot be taken apart: lengths below 2 and beyond the end.
TEST(TcpOptions, ImpossibleLengthsAreRefused) {
  for (const char* bad : {"fd00", "fd01", "fd", "fd05 0102"}) EXPECT_EQ(option_length(hex(bad)), 0U) << bad;
  const Packet long_padding(33, 0);
  EXPECT_EQ(option_length(long_padding), 0U) << "pad_len has 8 bits";
  EXPECT_EQ(option_length(Packet(32, 0)), 32U);
  EXPECT_EQ(rebuild(hex("11 87 fd 01"), 0, kNothing).status, OptionStatus::kMalformed);
  EXPECT_EQ(rebuild(hex("11 87 fd 29 00"), 0, kNothing).status, OptionStatus::kMalformed) << "41 octets";
}

}  // namespace
}  // namespace headroom::rohc::tcp
