// SPDX-License-Identifier: Apache-2.0
#include "ule/encapsulator.h"

#include "line.h"

namespace headroom::ule {
namespace {

using namespace test;

constexpr std::uint64_t kMsNs = 1'000'000;  // the Packing Threshold

// With an address, so that the SNDU has 14 octets more than its PDU.
Octets sndu_of(const Octets& pdu) { return sndu(false, wire::kTypeIpv4, Octets{2, 0, 0, 0, 0, 1} + pdu); }

// What becomes of PDUs given one behind another, and of the rest at the Packing Threshold.
std::vector<Octets> sent(Sender& sender, const std::vector<Octets>& pdus) {
  std::vector<Octets> packets;
  for (const Octets& pdu : pdus) append(packets, sender.send(pdu));
  append(packets, sender.due(kMsNs));
  return packets;
}

TEST(Appendix, A1TwoSndusOf200Octets) {
  Sender sender;
  const Octets a = ipv4(186, 1), b = ipv4(186, 2);
  const Octets x = sndu_of(a), y = sndu_of(b);
  ASSERT_EQ(x.size(), 200U);
  EXPECT_EQ(x[1], 0xC4);
  EXPECT_EQ(sent(sender, {a, b}), (std::vector<Octets>{ts(0, true, Octets{0} + part(x, 0, 183)),
                                                       ts(1, true, Octets{0x11} + part(x, 183, 200) + part(y, 0, 166)),
                                                       ts(2, false, part(y, 166, 200))}));
}

// The last length is 0xB5, 185 - 4: the printed 0x65 cannot be.
TEST(Appendix, A2TheLastOctetOfATsPacket) {
  Sender sender;
  std::vector<Octets> pdus, x;
  for (const std::size_t length : {183U, 182U, 181U, 185U}) {
    pdus.push_back(ipv4(length - 14, static_cast<std::uint8_t>(length)));
    x.push_back(sndu_of(pdus.back()));
  }
  EXPECT_EQ(x[3][1], 0xB5);
  const auto packets = sent(sender, pdus);
  ASSERT_EQ(packets.size(), 4U);
  EXPECT_EQ(packets[0], ts(0, true, Octets{0} + x[0]));
  EXPECT_EQ(packets[1], ts(1, true, Octets{0} + x[1])) << "one octet is left: 0xFF (ii)";
  EXPECT_EQ(packets[2], ts(2, true, Octets{0} + x[2] + part(x[3], 0, 2))) << "two are, and PUSI is set (v)";
  EXPECT_EQ(packets[3], ts(3, false, part(x[3], 2, 185)));
  EXPECT_EQ(packets[1].back(), 0xFF);
}

TEST(Appendix, A3LargeSndus) {
  Sender sender;
  const Octets a = ipv4(732 - 14, 1), b = ipv4(284 - 14, 2);
  const Octets x = sndu_of(a), y = sndu_of(b);
  EXPECT_EQ(part(x, 0, 2), (Octets{0x02, 0xD8}));
  EXPECT_EQ(sent(sender, {a, b}),
            (std::vector<Octets>{ts(0, true, Octets{0} + part(x, 0, 183)), ts(1, false, part(x, 183, 367)),
                                 ts(2, false, part(x, 367, 551)),
                                 ts(3, true, Octets{181} + part(x, 551, 732) + part(y, 0, 2)),
                                 ts(4, false, part(y, 2, 186)), ts(5, false, part(y, 186, 284))}));
}

TEST(Appendix, A4SeveralEndAndBeginInOneTsPacket) {
  Sender sender;
  const Octets a = ipv4(186, 1), b = ipv4(46, 2), c = ipv4(46, 3);
  const Octets x = sndu_of(a);
  EXPECT_EQ(sent(sender, {a, b, c}),
            (std::vector<Octets>{ts(0, true, Octets{0} + part(x, 0, 183)),
                                 ts(1, true, Octets{17} + part(x, 183, 200) + sndu_of(b) + sndu_of(c))}));
}

TEST(Appendix, A5WithoutAddress) {
  Config config;
  config.address = false;
  Sender sender(config);
  Octets payload = {0};
  std::vector<Octets> pdus;
  for (std::uint8_t mark = 1; mark <= 3; ++mark) {
    pdus.push_back(ipv4(44, mark));
    payload = payload + sndu(true, wire::kTypeIpv4, pdus.back());
  }
  EXPECT_EQ(part(payload, 1, 3), (Octets{0x80, 0x30}));
  EXPECT_EQ(sent(sender, pdus), (std::vector<Octets>{ts(0, true, payload)}));
}

TEST(AppendixB, APingOverIpv6) {
  Config config;
  config.npa = {0, 1, 2, 3, 4, 5};
  Sender sender(config);
  const Octets pdu = {0x60, 0x00, 0x00, 0x00, 0x00, 0x0d, 0x3a, 0x40, 0x20, 0x01, 0x0d, 0xb8, 0x30, 0x08,
                      0x19, 0x65, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x20, 0x01, 0x0d, 0xb8,
                      0x25, 0x09, 0x19, 0x62, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x80, 0x00,
                      0x9d, 0x8c, 0x06, 0x38, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00};
  const auto packets = sent(sender, {pdu});
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(part(packets[0], 5, 15), (Octets{0x00, 0x3f, 0x86, 0xdd, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(part(packets[0], 68, 72), (Octets{0x7c, 0x17, 0x17, 0x63}));
}

// With every number of octets left behind the SNDU, in a TS packet with PUSI and in one without (6.2).
TEST(PaddingAndPacking, EveryNumberOfOctetsLeft) {
  for (const bool packing : {false, true}) {
    for (const bool pusi : {false, true}) {
      for (std::size_t left = 0; left < 150; ++left) {
        Config config;
        config.packing = packing;
        Sender sender(config);
        // In the second TS packet, without PUSI: 183 octets stand in the first.
        const std::size_t length = (pusi ? 183 : 183 + 184) - left;
        const Octets pdu = ipv4(length - 14), next = ipv4(40, 7);
        auto packets = sender.send(pdu);
        const std::size_t whole = pusi ? 1 : 2;
        const bool waits = packing && left >= (pusi ? 2U : 3U);
        ASSERT_EQ(packets.size(), whole - (waits ? 1 : 0)) << left;
        ASSERT_EQ(sender.encapsulator.next_deadline(), waits ? kMsNs : HEADROOM_NO_DEADLINE);
        const auto more = sender.send(next, 1000);
        append(packets, more);
        append(packets, sender.due(2 * kMsNs));
        Listener listener;
        ASSERT_EQ(listener.pdus(packets), (std::vector<Octets>{pdu, next})) << left;
        ASSERT_EQ(sender.encapsulator.counters().packed, waits ? 1U : 0U);
        ASSERT_EQ(listener.receiver.counters().padding_errors + listener.receiver.counters().delimiting_errors, 0U);
      }
    }
  }
}

TEST(PackingThreshold, IsKeptToTheMicrosecond) {
  Config config;
  config.threshold_us = 250;
  Sender sender(config);
  const Octets pdu = ipv4(60);
  EXPECT_TRUE(sender.send(pdu, 1'000'000).empty());
  EXPECT_EQ(sender.last_status, HEADROOM_NOTHING);
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'250'000U);
  EXPECT_TRUE(sender.send(pdu, 1'200'000).empty());
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'250'000U) << "since the first began to wait";
  EXPECT_TRUE(sender.due(1'249'999).empty());
  EXPECT_EQ(sender.due(1'250'000).size(), 1U);
  EXPECT_EQ(sender.encapsulator.next_deadline(), HEADROOM_NO_DEADLINE);
  EXPECT_EQ(sender.encapsulator.counters().thresholds, 1U);
}

TEST(PackingThreshold, BeginsAnewWithTheRestOfAnSndu) {
  Sender sender;
  (void)sender.send(ipv4(60), 0);
  EXPECT_EQ(sender.send(ipv4(186), 900'000).size(), 1U);
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'900'000U);
}

TEST(Pids, AreIndependentAndWaitInOrder) {
  Config config;
  config.channels = 4;
  Sender sender(config);
  for (const std::uint32_t channel : {2U, 0U, 3U, 1U}) (void)sender.send(ipv4(40), channel * 1000, channel);
  (void)sender.send(ipv4(186), 5000, 0);  // leaves the queue, and comes back at its end
  std::vector<unsigned> pids;
  for (const Octets& packet : sender.due(10 * kMsNs)) pids.push_back(packet[2]);
  EXPECT_EQ(pids, (std::vector<unsigned>{2, 3, 1, 0}));
  for (const std::uint32_t channel : {0U, 1U, 2U, 3U}) (void)sender.send(ipv4(40), 20 * kMsNs, channel);
  std::vector<unsigned> counters;
  for (const Octets& packet : sender.due(30 * kMsNs)) counters.push_back(packet[3] & 0x0FU);
  EXPECT_EQ(counters, (std::vector<unsigned>{2, 1, 1, 1})) << "each with a continuity counter of its own";
}

TEST(Sndus, TheLargestOneIsNoEndIndicator) {
  for (const bool address : {false, true}) {
    Config config;
    config.address = address;
    Sender sender(config);
    const std::size_t most = address ? 0x7FFF - 10 : 0x7FFE - 4;
    (void)sender.send(ipv4(most + 1));
    EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
    const Octets pdu = ipv4(most);
    Listener listener(config);
    EXPECT_EQ(listener.pdus(sent(sender, {pdu})), std::vector<Octets>{pdu});
    EXPECT_EQ(sender.encapsulator.counters().refused, 1U);
  }
}

TEST(Sndus, WhatHasNoTypeIsRefused) {
  Sender sender;
  for (const unsigned first : {0x00U, 0x55U, 0x75U}) {
    (void)sender.send(Octets(40, static_cast<std::uint8_t>(first)));
    EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  }
  (void)sender.send(ipv4(40), 0, 0, 1535);
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  (void)sender.send(Octets(40, 0x00), 0, 0, 1536);
  EXPECT_EQ(sender.last_status, HEADROOM_NOTHING);
  (void)sender.send(Octets(13), 0, 0, kTypeFrame);
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED) << "shorter than a MAC header";
}

TEST(Sndus, ExtensionHeadersInTheirOrder) {
  Config config;
  config.address = false;
  config.time_stamp = true;
  config.padding_words = 2;
  Sender sender(config);
  const Octets pdu = ipv4(40);
  (void)sender.send(pdu, (3'600'000'000 + 0x01020304) * std::uint64_t{1000} + 999);  // past the hour, in microseconds
  const auto packets = sender.due(~std::uint64_t{0} - 1);
  ASSERT_EQ(packets.size(), 1U);
  const Octets stamp = {1, 2, 3, 4};
  EXPECT_EQ(packets[0],
            ts(0, true, Octets{0} + sndu(true, 0x0301, stamp + Octets{0x02, 0x00, 0, 0, 0x08, 0x00} + pdu)));
  Listener listener(config);
  EXPECT_EQ(listener.pdus(packets), std::vector<Octets>{pdu});
}

TEST(Sndus, TimeStampsAreOfUniversalTime) {
  Config config;
  config.address = false;
  config.time_stamp = true;
  config.universal_time_ns = 3'599'999'999'000;  // a microsecond before the full hour
  Sender sender(config);
  const Octets pdu = ipv4(40);
  (void)sender.send(pdu, 5000);
  const auto packets = sender.due(~std::uint64_t{0} - 1);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0], ts(0, true, Octets{0} + sndu(true, 0x0301, Octets{0, 0, 0, 4, 0x08, 0x00} + pdu)));
}

TEST(Sndus, BridgedOnesCarryAMacHeader) {
  Config config;
  config.address = false;
  config.bridged = true;
  Sender sender(config);
  const Octets pdu = ipv4(40);
  const auto packets = sent(sender, {pdu});
  const Octets frame = Octets{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00} + pdu;
  EXPECT_EQ(packets, (std::vector<Octets>{ts(0, true, Octets{0} + sndu(true, wire::kTypeBridged, frame))}));
  Listener strips(config);
  EXPECT_EQ(strips.pdus(packets), std::vector<Octets>{pdu});
  config.bridged = false;
  Listener bridges(config);
  EXPECT_EQ(bridges.take(packets), (std::vector<Arrival>{{HEADROOM_OK, frame, kTypeFrame}}));
}

// --- RFC 5163, 3.1 and 3.2, and RFC 4326, 5.1
// -------------------------------------------------------------------------

Config concatenating(unsigned count) {
  Config config;
  config.address = false;
  config.concat = count;
  config.concat_threshold_us = 500;
  return config;
}
Octets with_length(const Octets& pdu) {
  Octets length(2);
  wire::write16(length.data(), static_cast<std::uint32_t>(pdu.size()));
  return length + pdu;
}
const Octets kIpv4Type = {0x08, 0x00};

TEST(PduConcat, PdusShareAnSnduUntilItHasAsMany) {
  Sender sender(concatenating(3));
  const Octets a = ipv4(20, 1), b = ipv4(31, 2), c = ipv4(22, 3);
  EXPECT_TRUE(sender.send(a).empty());
  EXPECT_TRUE(sender.send(b).empty());
  EXPECT_EQ(sender.last_status, HEADROOM_NOTHING);
  EXPECT_EQ(sender.encapsulator.next_deadline(), 500'000U) << "the first PDU began to wait";
  EXPECT_TRUE(sender.send(c).empty()) << "the SNDU waits for the Packing Threshold of its TS packet";
  const Octets x = sndu(true, wire::kTypePduConcat, kIpv4Type + with_length(a) + with_length(b) + with_length(c));
  EXPECT_EQ(sender.due(kMsNs), (std::vector<Octets>{ts(0, true, Octets{0} + x)}));
  EXPECT_EQ(sender.encapsulator.counters().sndus, 1U);
  EXPECT_EQ(sender.encapsulator.counters().concatenated, 3U);
}

TEST(PduConcat, TheThresholdSendsWhatThereIs) {
  Sender sender(concatenating(100));
  const Octets a = ipv4(20, 1);
  EXPECT_TRUE(sender.send(a, 7'000).empty());
  EXPECT_EQ(sender.encapsulator.next_deadline(), 507'000U);
  EXPECT_TRUE(sender.due(506'999).empty());
  EXPECT_TRUE(sender.due(507'000).empty()) << "then it waits for others to share its TS packet with";
  EXPECT_EQ(sender.encapsulator.next_deadline(), 1'507'000U);
  const Octets x = sndu(true, wire::kTypePduConcat, kIpv4Type + with_length(a));
  EXPECT_EQ(sender.due(1'507'000), (std::vector<Octets>{ts(0, true, Octets{0} + x)}));
}

// "all concatenated PDUs MUST have a common ULE Type", and their address is that of the SNDU.
TEST(PduConcat, AnotherTypeOrAddressBeginsAnother) {
  Config config = concatenating(10);
  config.address = true;
  Sender sender(config);
  Octets multicast = ipv4(20, 2);
  multicast[16] = 224;
  const std::vector<Octets> pdus = {ipv4(20, 1), multicast, ipv4(21, 3)};
  std::vector<Octets> packets;
  for (const Octets& pdu : pdus) append(packets, sender.send(pdu));
  append(packets, sender.send(ipv4(22, 4), 0, 0, 0x22F1));
  append(packets, sender.due(kMsNs / 2));
  append(packets, sender.due(2 * kMsNs));
  EXPECT_EQ(sender.encapsulator.counters().sndus, 4U);
  Listener listener;
  EXPECT_EQ(listener.pdus(packets), (std::vector<Octets>{pdus[0], pdus[1], pdus[2], ipv4(22, 4)}));
}

TEST(PduConcat, BridgedFramesAndTheLongestGroup) {
  for (const bool bridged : {false, true}) {
    Config config = concatenating(4096);
    config.bridged = bridged;
    Sender sender(config);
    Listener listener(config);
    std::vector<Octets> pdus, packets;
    for (std::uint8_t i = 0; i < 60; ++i) {
      pdus.push_back(ipv4(1480 + i, i));
      append(packets, sender.send(pdus.back()));
    }
    EXPECT_FALSE(packets.empty()) << "an SNDU is full";
    append(packets, sender.due(kMsNs / 2));
    append(packets, sender.due(2 * kMsNs));
    EXPECT_EQ(listener.pdus(packets), pdus);
    EXPECT_EQ(sender.encapsulator.counters().sndus, 3U);
  }
}

// "The length of each PDU MUST be less than 32758 bytes" (RFC 5163, 3.2): one octet less than an SNDU has room for.
TEST(PduConcat, LongestPdu) {
  Sender sender(concatenating(2));
  sender.send(ipv4(32'758, 1));
  EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  sender.send(ipv4(32'757, 1));
  EXPECT_EQ(sender.last_status, HEADROOM_NOTHING);
}

TEST(TsConcat, TsPacketsShareAnSndu) {
  Sender sender(concatenating(2));
  const Octets a = ts(3, true, {1, 2, 3}, 0x0031), b = ts(4, false, {4}, 0x0031);
  EXPECT_TRUE(sender.send(a, 0, 0, kTypeTsPacket).empty());
  auto packets = sender.send(b, 0, 0, kTypeTsPacket);
  append(packets, sender.due(kMsNs));
  const Octets x = sndu(true, wire::kTypeTsConcat, a + b);
  EXPECT_EQ(packets, (std::vector<Octets>{ts(0, true, Octets{0} + part(x, 0, 183)), ts(1, false, part(x, 183, 367)),
                                          ts(2, false, part(x, 367, x.size()))}));
}

TEST(TsConcat, WithoutConcatenationOneEach) {
  Config config;
  Sender sender(config);
  Listener listener(config);
  const Octets a = ts(3, true, {1, 2, 3}, 0x0031);
  auto packets = sender.send(a, 0, 0, kTypeTsPacket);
  append(packets, sender.due(kMsNs));
  EXPECT_EQ(listener.take(packets), (std::vector<Arrival>{{HEADROOM_OK, a, kTypeTsPacket}}));
}

// "NULL TS Packets SHOULD NOT be sent using this encapsulation."
TEST(TsConcat, RefusesNullPacketsAndWhatIsNone) {
  Sender sender;
  for (const Octets& packet : {ts(0, false, {}, wire::kNullPid), part(ts(0, false, {}), 0, 187), ipv4(188)}) {
    EXPECT_TRUE(sender.send(packet, 0, 0, kTypeTsPacket).empty());
    EXPECT_EQ(sender.last_status, HEADROOM_ERR_UNSUPPORTED);
  }
  EXPECT_EQ(sender.encapsulator.counters().refused, 3U);
}

TEST(TestSndus, AreDueAtOnceAndDiscarded) {
  Config config;
  config.address = false;
  config.channels = 2;
  Sender sender(config);
  ASSERT_TRUE(sender.encapsulator.send_test(1, 200));
  EXPECT_FALSE(sender.encapsulator.send_test(1, wire::kLargestLength));
  EXPECT_EQ(sender.encapsulator.next_deadline(), 0U);
  auto packets = sender.due(5);
  append(packets, sender.due(kMsNs + 5));
  const Octets x = sndu(true, wire::kTypeTest, Octets(200));
  EXPECT_EQ(packets, (std::vector<Octets>{ts(0, true, Octets{0} + part(x, 0, 183), 0x0101),
                                          ts(1, false, part(x, 183, x.size()), 0x0101)}));
  Listener listener(config);
  EXPECT_TRUE(listener.take(packets, 1).empty());
  EXPECT_EQ(listener.receiver.counters().test_sndus, 1U);
}

TEST(Room, WithoutItAPduLeavesNoTrace) {
  Sender sender, twin;
  const Octets pdu = ipv4(186), next = ipv4(40, 1);
  Octets room(187);
  headroom_packet p = record(pdu, room);
  EXPECT_EQ(sender.encapsulator.encapsulate(p, 0, nullptr), HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(sent(sender, {next}), sent(twin, {next}));
  // A TS packet for which there is none is lost, and the next one is whole.
  Octets ample(188);
  const Octets large = ipv4(500), nothing;
  headroom_packet first = record(large, ample);
  ASSERT_EQ(sender.encapsulator.encapsulate(first, 0, nullptr), HEADROOM_OK);
  headroom_packet second = record(nothing, room);
  ASSERT_TRUE(sender.encapsulator.drain(second, 0));
  EXPECT_EQ(second.status, HEADROOM_ERR_NO_SPACE);
  headroom_packet third = record(nothing, ample);
  EXPECT_FALSE(sender.encapsulator.drain(third, 0)) << "the rest waits for more";
  EXPECT_EQ(sender.due(kMsNs).size(), 1U);
}

}  // namespace
}  // namespace headroom::ule
