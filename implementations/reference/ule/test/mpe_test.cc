// SPDX-License-Identifier: Apache-2.0
//
// Multiprotocol Encapsulation: EN 301 192, 7.1, in TS packets as ISO/IEC 13818-1, 2.4.4 has sections in them.
#include "ule/wire/mpe.h"

#include <algorithm>
#include <random>

#include "line.h"

namespace headroom::ule::test {
namespace {

Config mpe(bool packing = true) {
  Config config;
  config.encapsulation = Encapsulation::mpe;
  config.packing = packing;
  return config;
}

// An IPv4 packet with the right Total Length, which needs no LLC/SNAP.
Octets whole_ipv4(std::size_t length, std::uint8_t mark = 0) {
  Octets packet = ipv4(length, mark);
  wire::write16(packet.data() + 2, static_cast<std::uint32_t>(length));
  return packet;
}

// A section with its CRC; its section_length is put right.
Octets section(Octets header_and_content) {
  const std::size_t counted = header_and_content.size() - wire::kSectionPrefix + wire::kCrcOctets;
  header_and_content[1] = static_cast<std::uint8_t>((header_and_content[1] & 0xF0U) | counted >> 8);
  header_and_content[2] = static_cast<std::uint8_t>(counted);
  Octets crc(wire::kCrcOctets);
  wire::write32(crc.data(), wire::crc32(wire::CrcKernel::table, header_and_content));
  return header_and_content + crc;
}

const Octets kHeader = {0x3E, 0xB0, 0, 0x01, 0x00, 0xC1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02};

// The destination's MAC address is in six fields of an octet, of which MAC_address_1 is the most significant one and
// comes last; section_length counts the octets behind it, with the CRC_32: 9 + 21 + 4.
TEST(MpeEncapsulator, WritesAnIpPacket) {
  const Octets ip = {0x45, 0, 0, 0x15, 0, 0, 0, 0, 0x40, 0x11, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, 0x5A};
  const Octets expected = Octets{0, 0x3E, 0xB0, 0x22, 0x01, 0x00, 0xC1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02} + ip +
                          Octets{0xF6, 0x92, 0xFF, 0x55};
  Sender sender(mpe(false));
  EXPECT_EQ(sender.send(ip), (std::vector<Octets>{ts(0, true, expected)}));
}

// With an LLC_SNAP_flag of 1, LLC/SNAP follows MAC_address_1, and the datagram LLC/SNAP.
TEST(MpeEncapsulator, WritesLlcSnapInFrontOfOtherTypes) {
  const Octets expected = {0,    0x3E, 0xB0, 0x17, 0x01, 0x00, 0xC3, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xAA,
                           0xAA, 0x03, 0x00, 0x00, 0x00, 0x22, 0xF1, 0xE1, 0xE2, 0xE3, 0xD9, 0xFB, 0xF5};
  Sender sender(mpe(false));
  EXPECT_EQ(sender.send({0xE1, 0xE2}, 0, 0, 0x22F1), (std::vector<Octets>{ts(0, true, expected)}));
}

TEST(MpeEncapsulator, WritesLlcSnapWhereTheHeaderDoesNotTellTheLength) {
  Octets longer = whole_ipv4(40) + Octets{1, 2, 3};
  Sender sender(mpe(false));
  Listener listener(mpe());
  const std::vector<Arrival> expected = {{HEADROOM_OK, longer, wire::kTypeIpv4}};
  EXPECT_EQ(listener.take(sender.send(longer)), expected);
}

TEST(MpeEncapsulator, MapsGroups) {
  Octets ip = whole_ipv4(30);
  std::copy_n(Octets{239, 1, 2, 3}.begin(), 4, ip.begin() + 16);
  Sender sender(mpe(false));
  const std::vector<Octets> packets = sender.send(ip);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(part(packets[0], 8, 10), (Octets{3, 2}));               // MAC_address_6, MAC_address_5
  EXPECT_EQ(part(packets[0], 13, 17), (Octets{1, 0x5E, 0x00, 1}));  // MAC_address_4 to MAC_address_1
}

TEST(MpeEncapsulator, RefusesWhatNoSectionCarries) {
  Sender sender(mpe());
  EXPECT_TRUE(sender.send(whole_ipv4(4081)).empty());
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  sender.send(whole_ipv4(4080));
  EXPECT_EQ(sender.last_status, HEADROOM_OK);
  sender.send(Octets(60, 0), 0, 0, kTypeFrame);
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_FALSE(sender.encapsulator.send_test(0, 100));
}

// Every number of octets left in a TS packet: what begins has its length there, and all comes back.
TEST(Mpe, RoundTripAtEachPlace) {
  for (std::size_t length = 100; length < 300; ++length) {
    Sender sender(mpe());
    Listener listener(mpe());
    std::vector<Octets> sent, packets;
    for (std::uint8_t n = 0; n < 4; ++n) {
      sent.push_back(whole_ipv4(length, n));
      append(packets, sender.send(sent.back()));
    }
    append(packets, sender.due(1'000'000));
    EXPECT_EQ(listener.pdus(packets), sent) << length;
    EXPECT_EQ(listener.receiver.counters().sndus, 4U);
  }
}

// A section may begin with the last octets of a TS packet, and its length come in the next one.
TEST(MpeReceiver, ReadsALengthInTwoTsPackets) {
  for (std::size_t left = 1; left < 6; ++left) {
    const Octets first = section(kHeader + whole_ipv4(wire::kTsPayload - 1 - left - 16));
    const Octets second = section(kHeader + whole_ipv4(60, 1));
    const Octets third = section(kHeader + whole_ipv4(30, 2));
    const Octets line = first + second;
    const Octets begin = Octets{0} + part(line, 0, wire::kTsPayload - 1);
    const Octets rest = part(line, wire::kTsPayload - 1, line.size());
    const Octets end = Octets{static_cast<std::uint8_t>(rest.size())} + rest + third;
    Listener listener(mpe());
    const std::vector<Octets> expected = {whole_ipv4(wire::kTsPayload - 1 - left - 16), whole_ipv4(60, 1),
                                          whole_ipv4(30, 2)};
    EXPECT_EQ(listener.pdus({ts(0, true, begin), ts(1, true, end)}), expected) << left;
  }
}

// A TS packet that ends behind `prefix`, which begins a section there; the length of that section comes in the next
// one.
Octets packet_that_ends_with(const Octets& prefix) {
  const std::size_t filled = wire::kTsPayload - 1 - prefix.size() - wire::kSectionHeader - wire::kCrcOctets;
  return ts(0, true, Octets{0} + section(kHeader + whole_ipv4(filled)) + prefix);
}

// The pointer_field is not what is left of a section whose length has come with it: what begins there is read.
TEST(MpeReceiver, GoesOnAtThePointerWhereALateLengthDiffers) {
  const Octets old = section(kHeader + whole_ipv4(40));
  const Octets next = section(kHeader + whole_ipv4(30, 2));
  for (const std::size_t came : {1U, 2U}) {
    const Octets rest = part(old, came, old.size());
    for (const std::size_t pointer : {std::size_t{0}, std::size_t{1}, rest.size() - 1, rest.size() + 1}) {
      Octets between = rest;
      between.resize(pointer);
      const Octets packet = ts(1, true, Octets{static_cast<std::uint8_t>(pointer)} + between + next);
      Listener listener(mpe());
      EXPECT_EQ(listener.pdus({packet_that_ends_with(part(old, 0, came))}).size(), 1U);
      EXPECT_EQ(listener.take({packet}), (std::vector<Arrival>{{HEADROOM_OK, whole_ipv4(30, 2), wire::kTypeIpv4}}))
          << came << ' ' << pointer;
      EXPECT_EQ(listener.receiver.counters().delimiting_errors, 1U) << came << ' ' << pointer;
    }
  }
}

// A length that no section has, in the TS packet behind the one where the section begins.
TEST(MpeReceiver, GoesOnAtThePointerWhereALateLengthIsImpossible) {
  const Octets next = section(kHeader + whole_ipv4(30, 2));
  for (const unsigned counted : {0U, 12U, 4094U}) {
    Octets old = kHeader + Octets(8);
    wire::write16(old.data() + 1, 0xB000U | counted);
    const Octets rest = part(old, 1, old.size());
    Listener listener(mpe());
    EXPECT_EQ(listener.pdus({packet_that_ends_with({old[0]})}).size(), 1U);
    const std::vector<Arrival> expected = {{HEADROOM_ERR_MALFORMED}, {HEADROOM_OK, whole_ipv4(30, 2), wire::kTypeIpv4}};
    EXPECT_EQ(listener.take({ts(1, true, Octets{static_cast<std::uint8_t>(rest.size())} + rest + next)}), expected)
        << counted;
    EXPECT_EQ(listener.receiver.counters().length_errors, 1U) << counted;
  }
}

// A section of another table may be shorter than the header of a datagram_section.
TEST(MpeReceiver, SkipsAShortSectionOfAnotherTable) {
  const Octets next = section(kHeader + whole_ipv4(30, 2));
  const std::vector<Arrival> expected = {{HEADROOM_ERR_UNSUPPORTED}, {HEADROOM_OK, whole_ipv4(30, 2), wire::kTypeIpv4}};
  for (std::size_t counted = 0; counted < 13; ++counted) {
    const Octets other = Octets{0x72, 0x70, static_cast<std::uint8_t>(counted)} + Octets(counted);
    Listener whole(mpe());
    EXPECT_EQ(whole.take({ts(0, true, Octets{0} + other + next)}), expected) << counted;
    EXPECT_EQ(whole.receiver.counters().type_errors, 1U) << counted;
    EXPECT_EQ(whole.receiver.counters().length_errors, 0U) << counted;
    for (const std::size_t came : {1U, 2U}) {
      const Octets rest = part(other, came, other.size());
      Listener late(mpe());
      EXPECT_EQ(late.pdus({packet_that_ends_with(part(other, 0, came))}).size(), 1U);
      EXPECT_EQ(late.take({ts(1, true, Octets{static_cast<std::uint8_t>(rest.size())} + rest + next)}), expected)
          << counted << ' ' << came;
    }
  }
}

// Stuffing octets are behind the datagram, whose own header has its length.
TEST(MpeReceiver, LeavesStuffingOut) {
  Listener listener(mpe());
  const Octets stuffed = section(kHeader + whole_ipv4(50) + Octets(7, 0xFF));
  EXPECT_EQ(listener.pdus({ts(0, true, Octets{0} + stuffed)}), (std::vector<Octets>{whole_ipv4(50)}));
}

struct WrongSection {
  const char* what;
  Octets header;
  std::int32_t status;
  std::uint64_t ReceiverCounters::*counter;
};

TEST(MpeReceiver, RefusesWhatItDoesNotRead) {
  const auto with = [](std::size_t at, std::uint8_t value) {
    Octets header = kHeader;
    header[at] = value;
    return header;
  };
  const std::vector<WrongSection> all = {
      {"another table", with(0, 0x3F), HEADROOM_ERR_UNSUPPORTED, &ReceiverCounters::type_errors},
      {"a checksum instead of a CRC", with(1, 0x70), HEADROOM_ERR_UNSUPPORTED, &ReceiverCounters::type_errors},
      {"a scrambled payload", with(5, 0xD1), HEADROOM_ERR_UNSUPPORTED, &ReceiverCounters::type_errors},
      {"a part of a datagram", with(7, 1), HEADROOM_ERR_UNSUPPORTED, &ReceiverCounters::type_errors},
      {"LLC/SNAP that is none", with(5, 0xC3), HEADROOM_ERR_UNSUPPORTED, &ReceiverCounters::type_errors},
      {"another address", with(11, 4), HEADROOM_NOTHING, &ReceiverCounters::unmatched_addresses}};
  for (const WrongSection& wrong : all) {
    Listener listener(mpe());
    const Octets packet = ts(0, true, Octets{0} + section(wrong.header + whole_ipv4(40)));
    std::vector<Arrival> expected;
    if (wrong.status != HEADROOM_NOTHING) expected.push_back({wrong.status});
    EXPECT_EQ(listener.take({packet}), expected) << wrong.what;
    EXPECT_EQ(listener.receiver.counters().*wrong.counter, 1U) << wrong.what;
  }
}

// A receiver without an address filter: head ends send sections to 00:00:00:00:00:00, too.
TEST(MpeReceiver, TakesEveryAddress) {
  Octets header = kHeader;
  for (const std::size_t at : {3U, 4U, 8U, 9U, 10U, 11U}) header[at] = 0;
  const Octets ip = whole_ipv4(40);
  const std::vector<Octets> packets = {ts(0, true, Octets{0} + section(header + ip))};
  Config config = mpe();
  Listener one(config);
  EXPECT_TRUE(one.take(packets).empty());
  EXPECT_EQ(one.receiver.counters().unmatched_addresses, 1U);
  config.any_address = true;
  Listener all(config);
  EXPECT_EQ(all.take(packets), (std::vector<Arrival>{{HEADROOM_OK, ip, wire::kTypeIpv4}}));
  EXPECT_EQ(all.receiver.counters().unmatched_addresses, 0U);
}

TEST(MpeReceiver, ChecksTheCrc) {
  Octets damaged = section(kHeader + whole_ipv4(40));
  damaged[30] ^= 1U;
  Listener listener(mpe());
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + damaged)}), (std::vector<Arrival>{{HEADROOM_ERR_CRC}}));
}

// A section that is shorter than its header, and one that is longer than sections are.
TEST(MpeReceiver, ChecksTheLength) {
  for (const unsigned counted : {0U, 12U, 4094U, 4095U}) {
    Octets header = kHeader;
    wire::write16(header.data() + 1, 0xB000U | counted);
    Listener listener(mpe());
    EXPECT_EQ(listener.take({ts(0, true, Octets{0} + header)}), (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}}));
    EXPECT_EQ(listener.receiver.counters().length_errors, 1U) << counted;
  }
}

TEST(MpeReceiver, DropsASectionWithAGap) {
  Sender sender(mpe());
  std::vector<Octets> packets = sender.send(whole_ipv4(900));
  append(packets, sender.send(whole_ipv4(300, 1)));
  append(packets, sender.due(1'000'000));
  packets.erase(packets.begin() + 2);
  Listener listener(mpe());
  EXPECT_EQ(listener.pdus(packets), (std::vector<Octets>{whole_ipv4(300, 1)}));
  EXPECT_EQ(listener.receiver.counters().continuity_errors, 1U);
}

}  // namespace
}  // namespace headroom::ule::test
