// SPDX-License-Identifier: Apache-2.0
#include "link/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/sha256.h"

namespace headroom {
namespace {

LinkPacket packet_of(std::uint64_t tag, std::size_t length = 40, std::uint32_t header = 4) {
  LinkPacket packet;
  packet.octets.assign(length, static_cast<std::uint8_t>(tag));
  packet.header_length = header;
  packet.tag = tag;
  return packet;
}

struct Arrived {
  std::vector<Delivery> deliveries;
  std::vector<LinkOutcome> outcomes;
  LinkCounts counts;
};

Arrived send_all(const Impairment& impairment, std::uint64_t packets, std::uint64_t seed = 1) {
  Arrived arrived;
  Link link(impairment, seed);
  for (std::uint64_t i = 0; i < packets; ++i) {
    for (Delivery& delivery : link.insertions(i * 1000)) arrived.deliveries.push_back(std::move(delivery));
    arrived.outcomes.push_back(link.send(packet_of(i), i * 1000, arrived.deliveries));
  }
  for (Delivery& delivery : link.insertions(packets * 1000)) arrived.deliveries.push_back(std::move(delivery));
  for (Delivery& delivery : link.flush(packets * 1000)) arrived.deliveries.push_back(std::move(delivery));
  arrived.counts = link.counts();
  return arrived;
}

std::vector<std::uint64_t> tags(const Arrived& arrived) {
  std::vector<std::uint64_t> tags;
  for (const Delivery& delivery : arrived.deliveries) tags.push_back(delivery.packet.tag);
  return tags;
}

Impairment read(const std::string& text) {
  const Json json = parse_json(text);
  Object object(Value(json, "/link"));
  Impairment impairment = read_impairment(object);
  object.finish();
  return impairment;
}

TEST(Link, PerfectLinkDeliversEverythingInOrder) {
  const Arrived arrived = send_all({}, 100);
  ASSERT_EQ(arrived.deliveries.size(), 100u);
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(arrived.deliveries[i].packet.tag, i);
    EXPECT_EQ(arrived.deliveries[i].time_ns, i * 1000);
    EXPECT_EQ(arrived.deliveries[i].packet.octets, packet_of(i).octets);
  }
  EXPECT_EQ(arrived.counts.sent_octets, 4000u);
}

TEST(Link, IndependentLossHasItsRate) {
  const Arrived arrived = send_all(read(R"({"loss": 0.1})"), 100'000);
  EXPECT_NEAR(static_cast<double>(arrived.counts.fates[static_cast<std::size_t>(Fate::loss)]), 10'000,
              5 * std::sqrt(9000));
}

TEST(Link, GilbertElliottHasItsRateAndItsBursts) {
  // In the bad state a share 0.02 / (0.02 + 0.2) of the time, where everything is lost; bursts last 1 / 0.2 packets.
  const Arrived arrived = send_all(read(R"({"burst_loss": {"good_to_bad": 0.02, "bad_to_good": 0.2}})"), 200'000);
  const auto lost = static_cast<double>(arrived.counts.fates[static_cast<std::size_t>(Fate::burst_loss)]);
  EXPECT_NEAR(lost / 200'000, 0.02 / 0.22, 0.005);
  double bursts = 0;
  for (std::size_t i = 1; i < arrived.outcomes.size(); ++i) {
    if (arrived.outcomes[i].fate == Fate::burst_loss && arrived.outcomes[i - 1].fate != Fate::burst_loss) ++bursts;
  }
  EXPECT_NEAR(lost / bursts, 5, 0.3);
}

TEST(Link, BitErrorsHaveTheirRateAndObeyTheirPolicies) {
  constexpr std::uint64_t kPackets = 20'000;
  const Arrived arrived = send_all(read(R"({"ber": 0.001})"), kPackets);  // 32 bits of header, 288 of payload
  const double header_ok = std::pow(0.999, 32);
  EXPECT_NEAR(static_cast<double>(arrived.counts.fates[static_cast<std::size_t>(Fate::header_error)]),
              kPackets * (1 - header_ok), 130);
  EXPECT_NEAR(static_cast<double>(arrived.counts.bits_flipped), kPackets * 320 * 0.001, 5 * 80);
  for (const Delivery& delivery : arrived.deliveries) {
    for (std::size_t i = 0; i < 4; ++i)
      ASSERT_EQ(delivery.packet.octets[i], static_cast<std::uint8_t>(delivery.packet.tag));
  }
  const Arrived strict = send_all(read(R"({"ber": 0.001, "payload_errors": "drop"})"), kPackets);
  EXPECT_EQ(strict.counts.damaged_delivered, 0u);
  EXPECT_GT(strict.counts.fates[static_cast<std::size_t>(Fate::payload_error)], 0u);
  const Arrived all = send_all(read(R"({"ber": 0.001, "header_errors": "deliver"})"), kPackets);
  EXPECT_EQ(all.deliveries.size(), kPackets);
  // What was flipped is what is told.
  for (std::size_t i = 0; i < kPackets; ++i) {
    Octets expected = packet_of(i).octets;
    for (const std::uint32_t bit : all.outcomes[i].flipped)
      expected[bit / 8] = static_cast<std::uint8_t>(expected[bit / 8] ^ (0x80u >> bit % 8));
    ASSERT_EQ(all.deliveries[i].packet.octets, expected);
  }
}

TEST(Link, ReorderedPacketsAreOvertakenByDepthOthers) {
  Impairment impairment;
  impairment.reorder = {0.1, 3};
  const Arrived arrived = send_all(impairment, 10'000);
  ASSERT_EQ(arrived.deliveries.size(), 10'000u);
  EXPECT_NEAR(static_cast<double>(arrived.counts.reordered), 1000, 150);
  const std::vector<std::uint64_t> order = tags(arrived);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto late = static_cast<std::int64_t>(place) - static_cast<std::int64_t>(order[place]);
    ASSERT_LE(late, 3);
    ASSERT_GE(late, -9);  // ahead of those that are held back
  }
  // Everything held back: everything is one late, and nothing is forgotten.
  impairment.reorder = {1, 1};
  EXPECT_EQ(tags(send_all(impairment, 5)), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

TEST(Link, DuplicatesFollowTheirOriginal) {
  const Arrived arrived = send_all(read(R"({"duplicate": 1})"), 3);
  EXPECT_EQ(tags(arrived), (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_FALSE(arrived.deliveries[0].duplicate);
  EXPECT_TRUE(arrived.deliveries[1].duplicate);
}

TEST(Link, DelayAndJitterAreAdded) {
  const Arrived arrived = send_all(read(R"({"delay_ns": 5000, "jitter_ns": 100})"), 10'000);
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const Delivery& delivery : arrived.deliveries) {
    const std::uint64_t delay = delivery.time_ns - delivery.packet.tag * 1000;
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_EQ(least, 5000u);
  EXPECT_EQ(most, 5100u);
}

// 1,000 octets at 8 Mbit/s take a millisecond.
TEST(Link, RateMakesPacketsWaitForThoseBefore) {
  Impairment impairment;
  impairment.rate_bps = 8'000'000;
  Link link(impairment, 1);
  std::vector<Delivery> deliveries;
  for (const std::uint64_t now_ns : {0u, 500'000u, 10'000'000u}) link.send(packet_of(1, 1000), now_ns, deliveries);
  ASSERT_EQ(deliveries.size(), 3u);
  EXPECT_EQ(deliveries[0].time_ns, 1'000'000u);
  EXPECT_EQ(deliveries[1].time_ns, 2'000'000u) << "behind the first";
  EXPECT_EQ(deliveries[2].time_ns, 11'000'000u) << "the link was idle in between";
  EXPECT_EQ(link.counts().queue_most_octets, 1500u) << "half of the first and the second";
}

TEST(Link, AFullQueueLosesWhatDoesNotFit) {
  Impairment impairment;
  impairment.rate_bps = 8'000'000;
  impairment.queue_octets = 2500;
  Link link(impairment, 1);
  std::vector<Delivery> deliveries;
  EXPECT_EQ(link.send(packet_of(1, 1000), 0, deliveries).fate, Fate::delivered);
  EXPECT_EQ(link.send(packet_of(2, 1000), 0, deliveries).fate, Fate::delivered);
  EXPECT_EQ(link.send(packet_of(3, 1000), 0, deliveries).fate, Fate::queue_full);
  EXPECT_EQ(link.send(packet_of(4, 500), 0, deliveries).fate, Fate::delivered) << "a small one fits";
  EXPECT_EQ(link.send(packet_of(5, 1000), 1'000'000, deliveries).fate, Fate::delivered) << "one has left";
  EXPECT_EQ(deliveries.size(), 4u);
  EXPECT_EQ(link.counts().fates[static_cast<std::size_t>(Fate::queue_full)], 1u);
}

// 1,000 octets at 8 Mbit/s take a millisecond.
TEST(Link, AQueueOfPacketsCountsTheOneOnItsWay) {
  Link link(read(R"({"rate_bps": 8000000, "queue_packets": 2, "delay_ns": 7})"), 1);
  std::vector<Delivery> deliveries;
  EXPECT_EQ(link.send(packet_of(1, 1000), 0, deliveries).fate, Fate::delivered) << "on its way";
  EXPECT_EQ(link.send(packet_of(2, 1000), 0, deliveries).fate, Fate::delivered) << "waits";
  EXPECT_EQ(link.send(packet_of(3, 1), 999'999, deliveries).fate, Fate::queue_full) << "a small one is one, too";
  EXPECT_EQ(link.send(packet_of(4, 500), 1'000'000, deliveries).fate, Fate::delivered) << "the first has just left";
  EXPECT_EQ(link.send(packet_of(5, 500), 1'000'000, deliveries).fate, Fate::queue_full);
  ASSERT_EQ(deliveries.size(), 3u);
  EXPECT_EQ(deliveries[0].time_ns, 1'000'007u);
  EXPECT_EQ(deliveries[1].time_ns, 2'000'007u);
  EXPECT_EQ(deliveries[2].time_ns, 2'500'007u);
}

// Three packets of a millisecond each; the first is lost, or dropped because of a bit error.
TEST(Link, HarmBeforeTheQueueTakesNeitherTimeNorRoom) {
  const std::string flipped = R"("flip": [{"packet": 0, "bit": 1}])";
  struct {
    std::string harm, place;
    std::vector<std::uint64_t> arrivals;
  } const rows[] = {
      {R"("drop": [0])", "link", {2'000'000}},
      {R"("drop": [0])", "before-queue", {1'000'000, 2'000'000}},
      {flipped, "link", {2'000'000}},
      {flipped, "before-queue", {1'000'000, 2'000'000}},
      {flipped + R"(, "header_errors": "report")", "link", {1'000'000, 2'000'000}},
      {flipped + R"(, "header_errors": "report")", "before-queue", {1'000'000, 2'000'000}},
      {flipped + R"(, "header_errors": "deliver")", "before-queue", {1'000'000, 2'000'000}},
  };
  for (const auto& row : rows) {
    Link link(read(R"({"rate_bps": 8000000, "queue_packets": 2, "harmed_at": ")" + row.place + "\", " + row.harm + "}"),
              1);
    std::vector<Delivery> deliveries;
    for (std::uint64_t tag = 0; tag < 3; ++tag) link.send(packet_of(tag, 1000), 0, deliveries);
    std::vector<std::uint64_t> arrivals;
    for (const Delivery& delivery : deliveries) arrivals.push_back(delivery.time_ns);
    EXPECT_EQ(arrivals, row.arrivals) << row.place << " " << row.harm;
    EXPECT_EQ(deliveries.front().error, row.harm.ends_with("\"report\""));
  }
}

TEST(Link, AReportTakesThePlaceOfADamagedPacketAndOfNoLostOne) {
  constexpr std::uint64_t kPackets = 1000;
  const Arrived arrived =
      send_all(read(R"({"loss": 0.1, "ber": 0.001, "header_errors": "report", "payload_errors": "report",
                        "drop": [0], "delay_ns": 5})"),
               kPackets);
  std::size_t reports = 0;
  for (const Delivery& delivery : arrived.deliveries) {
    EXPECT_EQ(delivery.error, delivery.packet.octets.empty());
    if (!delivery.error) continue;
    ++reports;
    const Fate fate = arrived.outcomes[static_cast<std::size_t>(delivery.packet.tag)].fate;
    EXPECT_TRUE(fate == Fate::header_error || fate == Fate::payload_error) << name_of(fate);
  }
  const auto count = [&](Fate fate) { return arrived.counts.fates[static_cast<std::size_t>(fate)]; };
  EXPECT_GT(count(Fate::loss), 0u);
  EXPECT_GT(reports, 0u);
  EXPECT_EQ(reports, count(Fate::header_error) + count(Fate::payload_error));
}

TEST(Link, InsertsPacketsOfATypeAndReports) {
  Link link(read(R"({"insert": [{"before": 0, "hex": "0b", "type": 45}, {"before": 0, "error": true}]})"), 1);
  const std::vector<Delivery> inserted = link.insertions(0);
  ASSERT_EQ(inserted.size(), 2u);
  EXPECT_EQ(inserted[0].packet.type, 45);
  EXPECT_FALSE(inserted[0].error);
  EXPECT_TRUE(inserted[1].error);
  EXPECT_TRUE(inserted[1].packet.octets.empty());
  EXPECT_THROW((void)read(R"({"insert": [{"before": 0, "error": true, "hex": "0b"}]})"), Error);
}

TEST(Link, BitsOfSparedOctetsAreNeverWrong) {
  Impairment impairment;
  impairment.ber = 0.5;
  impairment.header_errors = OnError::deliver;
  Link link(impairment, 1);
  std::vector<Delivery> deliveries;
  LinkPacket packet = packet_of(0xA5, 40, 26);
  packet.spared_length = 14;
  const LinkOutcome outcome = link.send(std::move(packet), 0, deliveries);
  ASSERT_EQ(deliveries.size(), 1u);
  const Octets& arrived = deliveries[0].packet.octets;
  EXPECT_TRUE(std::all_of(arrived.begin(), arrived.begin() + 14, [](std::uint8_t octet) { return octet == 0xA5; }));
  ASSERT_FALSE(outcome.flipped.empty());
  const std::uint32_t bit = outcome.flipped[0];
  EXPECT_EQ(arrived[14 + bit / 8] >> (7 - bit % 8) & 1, ~(0xA5 >> (7 - bit % 8)) & 1) << "counted behind them";
  EXPECT_LT(outcome.flipped.back(), 26u * 8);
}

TEST(Link, ScriptsAreFollowedToTheLetter) {
  const Arrived arrived = send_all(read(
                                       R"({"drop": [1, 99],
              "flip": [{"packet": 2, "bit": 3}, {"packet": 2, "bit": 100000}, {"packet": 3, "bit": 319}],
              "insert": [{"before": 3, "hex": "abcd", "channel": 7}, {"before": 5, "hex": "ef"},
                         {"before": 50, "hex": "00"}]})"),
                                   5);
  EXPECT_EQ(tags(arrived), (std::vector<std::uint64_t>{0, kInserted, 3, 4, kInserted}));
  EXPECT_EQ(arrived.outcomes[1].fate, Fate::scripted_drop);
  EXPECT_EQ(arrived.outcomes[2].fate, Fate::header_error);
  EXPECT_EQ(arrived.deliveries[1].packet.octets, (Octets{0xab, 0xcd}));
  EXPECT_EQ(arrived.deliveries[1].packet.channel, 7u);
  EXPECT_EQ(arrived.deliveries[2].packet.octets.back(), 3 ^ 1);
  EXPECT_EQ(arrived.counts.script_missed, 3u);  // packet 99, bit 100000, before 50
}

TEST(Link, ImpairmentsDoNotDisturbEachOther) {
  const Arrived plain = send_all(read(R"({"loss": 0.1})"), 2000);
  const Arrived more =
      send_all(read(R"({"loss": 0.1, "duplicate": 0.3, "reorder": {"probability": 0.2}, "jitter_ns": 50})"), 2000);
  for (std::size_t i = 0; i < 2000; ++i) EXPECT_EQ(plain.outcomes[i].fate, more.outcomes[i].fate);
}

TEST(Link, IsTheSameEverywhere) {
  const Arrived arrived =
      send_all(read(R"({"loss": 0.05, "ber": 0.0005, "header_errors": "deliver", "duplicate": 0.05, "jitter_ns": 7777,
    "reorder": {"probability": 0.1, "depth": 4},
    "burst_loss": {"good_to_bad": 0.05, "bad_to_good": 0.4, "loss_bad": 0.9}})"),
               3000, 77);
  Sha256 hash;
  for (const Delivery& delivery : arrived.deliveries) {
    std::uint8_t time[8];
    store64(time, delivery.time_ns);
    hash.update(time);
    hash.update(delivery.packet.octets);
  }
  EXPECT_EQ(hash.finish(), "9370bfa3fa333182d5791347763762c3f7f35aa2b435f3554bcd58fd79d6d72e");
}

TEST(Impairment, RefusesWhatIsNone) {
  for (const char* bad :
       {R"({"loss": -0.1})", R"({"ber": 1.1})", R"({"header_errors": "keep"})", R"({"reorder": {"depth": 2}})",
        R"({"reorder": {"probability": 0.1, "depth": 0}})", R"({"burst_loss": {"good_to_bad": 0.1}})",
        R"({"drop": [1.5]})", R"({"insert": [{"before": 1, "hex": ""}]})", R"({"delay_ns": -1})", R"({"delay": 1})",
        R"({"queue_packets": 3})", R"({"rate_bps": 1, "queue_packets": 3, "slots": {"packet_octets": 188}})",
        R"({"harmed_at": "before-queue"})", R"({"rate_bps": 1, "harmed_at": "queue"})"}) {
    EXPECT_THROW((void)read(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace headroom
