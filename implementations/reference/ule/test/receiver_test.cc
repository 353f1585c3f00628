// SPDX-License-Identifier: Apache-2.0
#include "ule/receiver.h"

#include <random>

#include "line.h"

namespace headroom::ule {
namespace {

using namespace test;
using wire::kTypeIpv4;

Octets plain(const Octets& pdu) { return sndu(true, kTypeIpv4, pdu); }

const Octets kA = ipv4(60, 1), kB = ipv4(60, 2), kC = ipv4(300, 3);

Arrival ok(const Octets& pdu) { return {HEADROOM_OK, pdu, kTypeIpv4}; }

TEST(Idle, WaitsForTheBeginningOfAnSndu) {
  Listener listener;
  EXPECT_TRUE(listener.take({ts(0, false, plain(kA))}).empty());
  // The end of one that began before is skipped by the Payload Pointer (7.1.1).
  EXPECT_EQ(listener.take({ts(1, true, Octets{10} + Octets(10, 0xAA) + plain(kA))}), std::vector<Arrival>{ok(kA)});
}

TEST(PayloadPointer, From182OnItIsAnError) {
  for (const unsigned pointer : {181U, 182U, 183U, 255U}) {
    Listener listener;
    const Octets payload = Octets{static_cast<std::uint8_t>(pointer)} + Octets(181, 0) + Octets{0x80, 0x40};
    const auto arrivals = listener.take({ts(0, true, payload)});
    EXPECT_EQ(arrivals.empty(), pointer == 181) << pointer;
    EXPECT_EQ(listener.receiver.counters().payload_pointer_errors, pointer == 181 ? 0U : 1U);
  }
}

TEST(PayloadPointer, AMismatchDropsThePartAndReadsOn) {
  Listener listener;
  const Octets c = plain(ipv4(230));
  const Octets first = ts(0, true, Octets{0} + part(c, 0, 183));
  const std::size_t left = c.size() - 183;
  EXPECT_EQ(
      listener.take(
          {first, ts(1, true, Octets{static_cast<std::uint8_t>(left - 1)} + part(c, 183, c.size() - 1) + plain(kA))}),
      std::vector<Arrival>{ok(kA)});
  EXPECT_EQ(listener.receiver.counters().delimiting_errors, 1U);
}

TEST(Length, UpTo4IsAnErrorAndCostsTheRest) {
  for (const unsigned length : {0U, 1U, 4U}) {
    for (const unsigned d : {0U, 0x80U}) {
      Listener listener;
      const Octets bad = {static_cast<std::uint8_t>(d), static_cast<std::uint8_t>(length), 0x08, 0x00, 0, 0, 0, 0};
      EXPECT_EQ(listener.take({ts(0, true, Octets{0} + plain(kA) + bad + plain(kB))}),
                (std::vector<Arrival>{ok(kA), {HEADROOM_ERR_MALFORMED}}));
      EXPECT_EQ(listener.receiver.counters().length_errors, 1U);
    }
  }
  Listener listener;
  EXPECT_EQ(listener.take({ts(0, true, {0, 0xFF, 0xFF})}).size(), 1U) << "an End Indicator where an SNDU must begin";
  EXPECT_EQ(listener.receiver.counters().length_errors, 1U);
}

TEST(Length, TooShortForAnAddressOrAMacHeader) {
  for (std::size_t octets = 1; octets <= 6; ++octets) {
    Listener listener;
    const auto arrivals =
        listener.take({ts(0, true, Octets{0} + sndu(false, kTypeIpv4, Octets(octets - 1, 1)) + plain(kB))});
    if (octets == 1) continue;  // a Length of 4
    EXPECT_EQ(arrivals, (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}, ok(kB)})) << octets;
    EXPECT_EQ(listener.receiver.counters().length_errors, 1U);
  }
  Listener listener;
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + sndu(true, wire::kTypeBridged, Octets(13, 1)) + plain(kB))}),
            (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}, ok(kB)}));
}

TEST(EndIndicator, IsSilent) {
  Listener listener;
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + plain(kA) + Octets{0xFF, 0xFF} + plain(kB))}),
            std::vector<Arrival>{ok(kA)});
  EXPECT_EQ(listener.receiver.counters().length_errors, 0U);
}

TEST(Crc, AMismatchCostsTheRest) {
  Listener listener;
  Octets bad = plain(kA);
  bad[20] ^= 1;
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + plain(kB) + bad)}),
            (std::vector<Arrival>{ok(kB), {HEADROOM_ERR_CRC}}));
  EXPECT_EQ(listener.take({ts(1, true, Octets{0} + bad + plain(kB))}), (std::vector<Arrival>{{HEADROOM_ERR_CRC}}));
  EXPECT_EQ(listener.receiver.counters().crc_errors, 2U);
}

TEST(LastOctets, OneIsDiscardedAndTwoMayBegin) {
  Listener listener;
  const Octets x = plain(ipv4(182 - 8)), y = plain(ipv4(181 - 8));
  EXPECT_EQ(listener.pdus({ts(0, true, Octets{0} + x)}).size(), 1U);
  EXPECT_EQ(listener.receiver.counters().padding_errors, 0U);
  EXPECT_EQ(listener.pdus({ts(1, true, Octets{0} + x + Octets{0x00})}).size(), 1U);
  EXPECT_EQ(listener.receiver.counters().padding_errors, 1U);
  const Octets a = plain(kA);
  EXPECT_EQ(listener.pdus({ts(2, true, Octets{0} + y + part(a, 0, 2)), ts(3, false, part(a, 2, a.size()))}).size(), 2U);
}

TEST(LastOctets, NothingBeginsWithoutPusi) {
  Listener listener;
  const Octets c = plain(kC);
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + part(c, 0, 183)), ts(1, false, part(c, 183, c.size()) + plain(kA))}),
            (std::vector<Arrival>{ok(kC), {HEADROOM_ERR_MALFORMED}}));
  EXPECT_EQ(listener.receiver.counters().delimiting_errors, 1U);
}

TEST(Errors, TransportErrorIndicator) {
  Listener listener;
  const Octets c = plain(kC);
  Octets second = ts(1, false, part(c, 183, c.size()));
  second[1] |= 0x80;
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + part(c, 0, 183)), second}),
            (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}}));
  EXPECT_EQ(listener.receiver.counters().transmission_errors, 1U);
}

TEST(Errors, DuplicatesAreSilentAndGapsCostThePart) {
  Listener listener;
  const Octets c = plain(kC);
  const Octets first = ts(0, true, Octets{0} + part(c, 0, 183)), second = ts(1, false, part(c, 183, c.size()));
  EXPECT_EQ(listener.take({first, first, first, second, second}), std::vector<Arrival>{ok(kC)});
  EXPECT_EQ(listener.receiver.counters().duplicates, 3U);
  const Octets third = ts(2, true, Octets{0} + part(c, 0, 183)), fifth = ts(4, false, part(c, 183, c.size()));
  EXPECT_TRUE(listener.take({third, fifth}).empty());
  EXPECT_EQ(listener.receiver.counters().continuity_errors, 1U);
  EXPECT_EQ(listener.take({ts(9, true, Octets{0} + plain(kA))}), std::vector<Arrival>{ok(kA)})
      << "what begins behind a gap is whole";
}

TEST(Errors, NoTsPackets) {
  Listener listener;
  Octets packet = ts(0, true, Octets{0} + plain(kA));
  EXPECT_EQ(listener.take({part(packet, 0, 187)}).front().status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(listener.take({packet + Octets{0}}).front().status, HEADROOM_ERR_MALFORMED);
  packet[0] = 0x48;
  EXPECT_EQ(listener.take({packet}).front().status, HEADROOM_ERR_MALFORMED);
  packet[0] = 0x47;
  EXPECT_EQ(listener.receiver.counters().sync_errors, 3U);
  packet[3] = 0x90;
  EXPECT_EQ(listener.take({packet}).front().status, HEADROOM_ERR_UNSUPPORTED) << "scrambled";
}

TEST(Errors, TsPacketsWithAdaptationFieldsAreDiscarded) {
  Listener listener;
  Octets packet = ts(0, true, Octets{9} + Octets(9, 0) + Octets{0} + plain(kA));
  for (const unsigned control : {0x00U, 0x20U, 0x30U}) {
    packet[3] = static_cast<std::uint8_t>(control);
    EXPECT_EQ(listener.take({packet}).front().status, HEADROOM_ERR_UNSUPPORTED) << control;
  }
  EXPECT_EQ(listener.receiver.counters().sync_errors, 3U);
  const Octets c = plain(kC);
  EXPECT_TRUE(listener.take({ts(0, true, Octets{0} + part(c, 0, 183))}).empty());
  packet[3] = 0x20;
  EXPECT_EQ(listener.take({packet}).front().status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(listener.take({ts(1, false, part(c, 183, c.size()))}), std::vector<Arrival>{ok(kC)})
      << "as though it had not come";
}

TEST(Pids, OthersAreNotRead) {
  Config config;
  config.channels = 2;
  Listener listener(config);
  const Octets c = plain(kC);
  const auto half = [&](std::uint16_t pid) { return ts(0, true, Octets{0} + part(c, 0, 183), pid); };
  EXPECT_TRUE(listener.take({half(0x100)}, 0).empty());
  EXPECT_TRUE(listener.take({half(0x101)}, 1).empty());
  EXPECT_TRUE(listener.take({half(wire::kNullPid)}, 1).empty());
  EXPECT_EQ(listener.receiver.counters().other_pids, 1U);
  EXPECT_EQ(listener.pdus({ts(1, false, part(c, 183, c.size()), 0x101)}, 1).size(), 1U);
  EXPECT_EQ(listener.pdus({ts(1, false, part(c, 183, c.size()), 0x100)}, 0).size(), 1U);
}

TEST(Addresses, OnlyOursAndGroupsAreAccepted) {
  Listener listener;
  const auto addressed = [](const Octets& npa) { return sndu(false, kTypeIpv4, npa + kA); };
  const Octets payload = Octets{0} + addressed({2, 0, 0, 0, 0, 1}) + addressed({2, 0, 0, 0, 0, 9});
  EXPECT_EQ(listener.take({ts(0, true, payload)}), std::vector<Arrival>{ok(kA)});
  EXPECT_EQ(
      listener.pdus({ts(1, true, Octets{0} + addressed(Octets(6, 0xFF)) + addressed({1, 0, 0x5E, 0, 0, 1}))}).size(),
      2U);
  EXPECT_TRUE(listener.take({ts(2, true, Octets{0} + addressed(Octets(6, 0)))}).empty());
  EXPECT_EQ(listener.receiver.counters().unmatched_addresses, 2U);
}

TEST(Addresses, GroupsThatAreNotConfiguredAreNot) {
  Config config;
  config.groups = {{1, 0, 0x5E, 0, 0, 9}};
  Listener listener(config);
  const auto addressed = [](const Octets& npa) { return sndu(false, kTypeIpv4, npa + kA); };
  const Octets others = addressed({1, 0, 0x5E, 0, 0, 8}) + addressed({0x33, 0x33, 0, 0, 0, 1});
  EXPECT_TRUE(listener.take({ts(0, true, Octets{0} + others)}).empty());
  EXPECT_EQ(listener.receiver.counters().unmatched_addresses, 2U);
  EXPECT_EQ(listener
                .pdus({ts(1, true, Octets{0} + addressed({1, 0, 0x5E, 0, 0, 9})),
                       ts(2, true, Octets{0} + addressed(Octets(6, 0xFF))),
                       ts(3, true, Octets{0} + addressed({2, 0, 0, 0, 0, 1}))})
                .size(),
            3U);
}

TEST(Types, UnknownMandatoryOnesAreDiscardedAlone) {
  Listener listener;
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + sndu(true, 0x00AA, kA) + plain(kB))}),
            (std::vector<Arrival>{{HEADROOM_ERR_UNSUPPORTED}, ok(kB)}));
  EXPECT_EQ(listener.receiver.counters().type_errors, 1U);
  EXPECT_EQ(listener.take({ts(1, true, Octets{0} + sndu(true, wire::kTypeTest, kA) + plain(kB))}),
            std::vector<Arrival>{ok(kB)});
  EXPECT_EQ(listener.receiver.counters().test_sndus, 1U);
}

TEST(PduConcat, AllOrNone) {
  Listener listener;
  const auto with_length = [](const Octets& pdu) {
    return Octets{static_cast<std::uint8_t>(pdu.size() >> 8), static_cast<std::uint8_t>(pdu.size())} + pdu;
  };
  const Octets short_a = ipv4(30, 1), short_b = ipv4(31, 2);
  const Octets two = Octets{0x08, 0x00} + with_length(short_a) + with_length(short_b);
  EXPECT_EQ(listener.take({ts(0, true, Octets{0} + sndu(true, wire::kTypePduConcat, two) + plain(kA))}),
            (std::vector<Arrival>{ok(short_a), ok(short_b), ok(kA)}));
  Octets wrong = two;
  ++wrong[3];
  EXPECT_EQ(listener.take({ts(1, true, Octets{0} + sndu(true, wire::kTypePduConcat, wrong) + plain(kA))}),
            (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}, ok(kA)}));
  EXPECT_EQ(listener.receiver.counters().pdu_concat_size_mismatches, 1U);
  Octets nested = two;
  nested[0] = 0;
  nested[1] = 3;
  EXPECT_EQ(listener.take({ts(2, true, Octets{0} + sndu(true, wire::kTypePduConcat, nested))}),
            (std::vector<Arrival>{{HEADROOM_ERR_UNSUPPORTED}}))
      << "except the recursive use";
}

TEST(TsConcat, WholePacketsOnly) {
  Listener listener;
  const Octets inner = ts(5, true, {1, 2, 3}, 0x42), outer = sndu(true, wire::kTypeTsConcat, inner + inner);
  const std::vector<Octets> packets = {ts(0, true, Octets{0} + part(outer, 0, 183)),
                                       ts(1, false, part(outer, 183, 367)),
                                       ts(2, false, part(outer, 367, outer.size()))};
  EXPECT_EQ(listener.take(packets),
            (std::vector<Arrival>{{HEADROOM_OK, inner, kTypeTsPacket}, {HEADROOM_OK, inner, kTypeTsPacket}}));
  EXPECT_EQ(listener.take({ts(3, true, Octets{0} + sndu(true, wire::kTypeTsConcat, Octets(100, 1)))}),
            (std::vector<Arrival>{{HEADROOM_ERR_MALFORMED}}));
  EXPECT_EQ(listener.receiver.counters().ts_concat_size_mismatches, 1U);
}

// Random PDUs of all lengths, packed and padded, on several PIDs in turn.
TEST(RoundTrip, WhatIsSentComesOut) {
  std::mt19937 random(7);
  for (const bool packing : {true, false}) {
    for (const bool bridged : {true, false}) {
      Config config;
      config.channels = 3;
      config.packing = packing;
      config.bridged = bridged;
      config.crc = wire::best_kernel();
      config.padding_words = bridged ? 5 : 0;
      Sender sender(config);
      Listener listener(config);
      std::vector<std::vector<Octets>> sent(3), got(3);
      const auto deliver = [&](const std::vector<Octets>& packets) {
        for (const Octets& packet : packets) {
          const std::size_t channel = packet[2];
          append(got[channel], listener.pdus({packet}, static_cast<std::uint32_t>(channel)));
        }
      };
      for (int i = 0; i < 2000; ++i) {
        const auto channel = random() % 3;
        const std::size_t length = i % 50 == 0 ? 1 + random() % 9000 : 1 + random() % 400;
        const Octets pdu = ipv4(length, static_cast<std::uint8_t>(random()));
        sent[channel].push_back(pdu);
        deliver(sender.send(pdu, static_cast<std::uint64_t>(i) * 100'000, static_cast<std::uint32_t>(channel)));
        deliver(sender.due(static_cast<std::uint64_t>(i) * 100'000));
      }
      deliver(sender.due(~std::uint64_t{0} - 1));
      EXPECT_EQ(sent, got);
    }
  }
}

// Damaged TS packets: nothing wrong is passed on but what a CRC of 32 bits lets through, which is nothing here.
TEST(RoundTrip, WhatIsDamagedDoesNotComeOut) {
  std::mt19937 random(8);
  Sender sender;
  Listener listener;
  std::size_t right = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Octets pdu = ipv4(20 + random() % 500, static_cast<std::uint8_t>(i));
    std::vector<Octets> packets = sender.send(pdu, static_cast<std::uint64_t>(i) * 10'000'000);
    append(packets, sender.due(static_cast<std::uint64_t>(i) * 10'000'000 + 5'000'000));
    for (Octets& packet : packets) {
      if (random() % 4 == 0) packet[random() % packet.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    }
    for (const Octets& got : listener.pdus(packets)) {
      ASSERT_EQ(got, pdu);
      ++right;
    }
  }
  EXPECT_GT(right, 5000U);
  EXPECT_LT(right, 19'000U);
  EXPECT_LE(listener.receiver.memory_bytes(), 100'000U);
}

// Two PDUs in a TS packet, and no room for either.
TEST(Receiver, CountsWhatThereIsRoomFor) {
  const Octets packet =
      ts(0, true, Octets{0} + sndu(true, wire::kTypeIpv4, ipv4(20)) + sndu(true, wire::kTypeIpv4, ipv4(20, 1)));
  for (const std::size_t octets : {19U, 20U}) {
    Receiver receiver{Config()};
    Octets room(octets);
    const std::int32_t expected = octets < 20 ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
    headroom_packet p = record(packet, room);
    EXPECT_EQ(receiver.receive(p, nullptr), expected);
    ASSERT_EQ(p.more, 1);
    p = record(kNothing, room);
    ASSERT_TRUE(receiver.drain(p, nullptr));
    EXPECT_EQ(p.status, expected);
    EXPECT_EQ(receiver.counters().delivered, octets < 20 ? 0U : 2U);
  }
}

}  // namespace
}  // namespace headroom::ule
