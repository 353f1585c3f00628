// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json_reader.h"
#include "transfer/connection.h"
#include "transfer/run.h"

namespace headroom::transfer {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kSecond = 1'000 * kMs;

std::vector<std::uint64_t> all_of(TcpSender& sender, std::uint64_t now_ns = 0) {
  std::vector<std::uint64_t> segments;
  while (const auto segment = sender.next(now_ns)) segments.push_back(*segment);
  return segments;
}
using Segments = std::vector<std::uint64_t>;

// A sender with segments 15 to 30 on their way and a congestion window of 16; all before them are acknowledged.
TcpSender opened(CongestionControl control) {
  SenderConfig config;
  config.control = control;
  TcpSender sender(config);
  (void)all_of(sender);
  for (std::uint64_t number = 1; number < 16; ++number) {
    sender.acknowledge(number, {}, 100 * kMs);
    (void)all_of(sender, 100 * kMs);
  }
  return sender;
}

TEST(TcpSender, SlowStartSendsTwoSegmentsForEachAcknowledgement) {
  TcpSender sender({});
  EXPECT_EQ(all_of(sender), Segments({0}));
  sender.acknowledge(1, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({1, 2}));
  sender.acknowledge(2, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({3, 4}));
  EXPECT_EQ(sender.acknowledged(), 2U);
}

TEST(TcpSender, TheAdvertisedWindowIsTheMost) {
  SenderConfig config;
  config.window = 4;
  TcpSender sender(config);
  (void)all_of(sender);
  for (std::uint64_t number = 1; number < 20; ++number) {
    sender.acknowledge(number, {}, kSecond);
    (void)all_of(sender);
  }
  EXPECT_EQ(sender.counts().sent, 19U + 4U);
}

TEST(TcpSender, TahoeGoesBackAtTheThirdDuplicate) {
  TcpSender sender = opened(CongestionControl::tahoe);
  sender.acknowledge(15, {}, kSecond);
  sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments());
  sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({15}));
  sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments());
  // The receiver kept what came behind the hole: the window of two opens at its end.
  sender.acknowledge(31, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({31, 32}));
  EXPECT_EQ(sender.counts().fast_retransmits, 1U);
  EXPECT_EQ(sender.counts().sent_again, 1U);
}

TEST(TcpSender, RenoSendsOneForEachFurtherDuplicate) {
  TcpSender sender = opened(CongestionControl::reno);
  for (int i = 0; i < 3; ++i) sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({15}));  // window 8 + 3, and 16 segments are on their way
  for (int i = 0; i < 5; ++i) sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments());
  sender.acknowledge(15, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({31}));
  // The window is half of 16 afterwards, and grows by an eighth.
  sender.acknowledge(31, {}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({32, 33, 34, 35, 36, 37, 38}));
}

TEST(TcpSender, OneFastRetransmitInAWindow) {
  TcpSender sender = opened(CongestionControl::reno);
  for (int i = 0; i < 3; ++i) sender.acknowledge(15, {}, kSecond);
  (void)all_of(sender);
  sender.acknowledge(20, {}, kSecond);  // a second hole in the same window
  for (int i = 0; i < 3; ++i) sender.acknowledge(20, {}, kSecond);
  EXPECT_EQ(sender.counts().fast_retransmits, 1U);
}

TEST(TcpSender, SackFillsHolesAndNothingElse) {
  TcpSender sender = opened(CongestionControl::sack);
  // 15 and 18 are lost; 31 segments have been sent. Each duplicate reports one more segment.
  sender.acknowledge(15, std::vector<SackBlock>{{16, 17}}, kSecond);
  sender.acknowledge(15, std::vector<SackBlock>{{16, 18}}, kSecond);
  sender.acknowledge(15, std::vector<SackBlock>{{16, 18}}, kSecond);  // reports nothing new
  EXPECT_EQ(all_of(sender), Segments());
  sender.acknowledge(15, std::vector<SackBlock>{{19, 20}, {16, 18}}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({15}));
  // 13 are on their way, the window is 8: six more have to arrive before the next hole is filled, then a new one goes.
  for (std::uint64_t end = 21; end < 26; ++end) {
    sender.acknowledge(15, std::vector<SackBlock>{{19, end}, {16, 18}}, kSecond);
    EXPECT_EQ(all_of(sender), Segments());
  }
  sender.acknowledge(15, std::vector<SackBlock>{{19, 26}, {16, 18}}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({18}));
  sender.acknowledge(15, std::vector<SackBlock>{{19, 27}, {16, 18}}, kSecond);
  EXPECT_EQ(all_of(sender), Segments({31}));
  EXPECT_EQ(sender.counts().fast_retransmits, 1U);
}

TEST(TcpSender, TimeoutsBackOff) {
  TcpSender sender({});
  (void)all_of(sender, 0);
  EXPECT_EQ(sender.timeout_at_ns(), 6 * kSecond);
  sender.time_out(6 * kSecond);
  EXPECT_EQ(all_of(sender, 6 * kSecond), Segments({0}));
  EXPECT_EQ(sender.timeout_at_ns(), (6 + 12) * kSecond);
  sender.time_out(18 * kSecond);
  sender.time_out(42 * kSecond);
  EXPECT_EQ(sender.timeout_at_ns(), (42 + 48) * kSecond);
  sender.time_out(90 * kSecond);
  EXPECT_EQ(sender.timeout_at_ns(), (90 + 60) * kSecond);  // the longest
  EXPECT_EQ(sender.counts().timeouts, 4U);
}

TEST(TcpSender, TimeoutIsMeanAndFourDeviationsInTicks) {
  SenderConfig config;
  config.phase_ns = 30 * kMs;
  TcpSender sender(config);
  (void)all_of(sender, 0);
  sender.acknowledge(1, {}, 480 * kMs);  // five ticks of the clock lie between: 5 + 4 * 2.5
  EXPECT_EQ(all_of(sender, 480 * kMs), Segments({1, 2}));
  EXPECT_EQ(sender.timeout_at_ns(), 480 * kMs + 1'500 * kMs);
  // A timer restarts before the sample of its acknowledgement.
  sender.acknowledge(2, {}, 980 * kMs);
  EXPECT_EQ(sender.timeout_at_ns(), 980 * kMs + 1'500 * kMs);
  sender.acknowledge(3, {}, 980 * kMs);
  EXPECT_FALSE(all_of(sender, 980 * kMs).empty());
  EXPECT_EQ(sender.timeout_at_ns(), 980 * kMs + 1'300 * kMs);  // deviation 10 - 10 / 4, in quarters, is 8
}

TEST(TcpSender, WhatAnswersASegmentSentAgainIsNoSample) {
  TcpSender sender({});
  (void)all_of(sender, 0);
  sender.time_out(6 * kSecond);
  (void)all_of(sender, 6 * kSecond);
  sender.acknowledge(1, {}, 7 * kSecond);
  (void)all_of(sender, 7 * kSecond);
  EXPECT_EQ(sender.timeout_at_ns(), (7 + 12) * kSecond);  // the back-off stays as well
}

TEST(TcpSender, AcknowledgementsOfWhatWasNeverSentAreIgnored) {
  TcpSender sender({});
  (void)all_of(sender);
  sender.acknowledge(2, {}, kSecond);
  sender.acknowledge(~std::uint64_t{0}, std::vector<SackBlock>{{5, ~std::uint64_t{0}}}, kSecond);
  EXPECT_EQ(sender.acknowledged(), 0U);
}

TEST(TcpReceiver, ReportsTheLatestBlockFirst) {
  TcpReceiver receiver;
  EXPECT_EQ(receiver.receive(0).expected, 1U);
  EXPECT_EQ(receiver.receive(2).expected, 1U);
  (void)receiver.receive(6);
  (void)receiver.receive(9);
  const Acknowledgement answer = receiver.receive(3);
  ASSERT_EQ(answer.block_count, 3U);
  EXPECT_EQ(answer.blocks[0], (SackBlock{2, 4}));
  EXPECT_EQ(answer.blocks[1], (SackBlock{9, 10}));
  EXPECT_EQ(answer.blocks[2], (SackBlock{6, 7}));
  EXPECT_EQ(receiver.receive(3).blocks[0], (SackBlock{2, 4}));  // again
  EXPECT_EQ(receiver.receive(1).expected, 4U);
  EXPECT_EQ(receiver.receive(0).expected, 4U);
}

TEST(Segments, AreReadAsTheyWereWritten) {
  const SegmentFormat format(536);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{10'000'000}}) {  // it wraps
    Octets packet, expected;
    format.write(Segment{number, 77}, packet);
    ASSERT_EQ(packet.size(), 576U);
    const auto read = format.read<Segment>(packet, number + 20, expected);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->plain.number, number);
    EXPECT_EQ(read->plain.identification, 77);
    EXPECT_FALSE(read->is_wrong);
    for (const std::size_t at : {0u, 3u, 13u, 25u, 36u, 575u}) {
      Octets damaged = packet;
      damaged[at] ^= 0x10;
      EXPECT_FALSE(format.read<Segment>(damaged, number, expected)) << at;
    }
    // What the checksum of TCP does not see.
    Octets wrong = packet;
    std::swap(wrong[34], wrong[574]);
    std::swap(wrong[35], wrong[575]);
    const auto misread = format.read<Segment>(wrong, number + 20, expected);
    ASSERT_TRUE(misread);
    EXPECT_TRUE(misread->is_wrong);
    EXPECT_EQ(misread->plain.number, number);
  }
  Answer answer;
  answer.acknowledgement = {5, {SackBlock{7, 9}, SackBlock{6, 7}, SackBlock{}}, 2};
  Octets packet, expected;
  format.write(answer, packet);
  EXPECT_EQ(packet.size(), format.length_of(answer));
  const auto read = format.read<Answer>(packet, 0, expected);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->plain.acknowledgement.expected, 5U);
  EXPECT_EQ(read->plain.acknowledgement.block_count, 2U);
  EXPECT_EQ(read->plain.acknowledgement.blocks[0], (SackBlock{7, 9}));
  EXPECT_FALSE(format.read<Answer>(OctetView(packet).first(39), 0, expected));
  EXPECT_FALSE(format.read<Segment>(packet, 0, expected));
}

TEST(BitErrors, ComeAsOftenAsTheRateSays) {
  BitErrors errors(1e-4, 1);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += errors.hit(1000) ? 1 : 0;
  EXPECT_NEAR(hits / 1e5, 1 - std::pow(1 - 1e-4, 1000), 0.003);
  BitErrors none(0, 1);
  EXPECT_FALSE(none.hit(~std::uint64_t{0}));
}

struct Arrived {
  std::uint64_t time_ns;
  int packet;
};

TEST(Pipe, QueuesDelaysAndRefuses) {
  sim::Simulation simulation;
  std::vector<Arrived> arrived;
  Pipe<int> pipe(simulation, {.rate_bps = 8'000, .delay_ns = kSecond, .queue_packets = 2}, 0, [&](int& packet) {
    arrived.push_back({simulation.now_ns(), packet});
  });
  pipe.send(1, 100);
  pipe.send(2, 100);
  EXPECT_FALSE(pipe.has_room());
  simulation.run();
  ASSERT_EQ(arrived.size(), 2U);
  EXPECT_EQ(arrived[0].time_ns, 1'100 * kMs);
  EXPECT_EQ(arrived[1].time_ns, 1'200 * kMs);
  EXPECT_TRUE(pipe.has_room());
}

TEST(Pipe, APacketDamagedInFrontOfTheQueueTakesNoTime) {
  for (const HarmedAt at : {HarmedAt::link, HarmedAt::before_queue}) {
    sim::Simulation simulation;
    Pipe<int> pipe(simulation, {.rate_bps = 8'000, .queue_packets = 1, .ber = 0.999, .harmed_at = at}, 0,
                   [](int&) { FAIL(); });
    pipe.send(1, 100);
    EXPECT_EQ(pipe.has_room(), at == HarmedAt::before_queue);
    EXPECT_EQ(pipe.counts().damaged, 1U);
    simulation.run();
  }
}

Json job_of(double ber = 0) {
  return {{"tcp", {{"congestion_control", "reno"}}},
          {"mtu", 576},
          {"network", {{"rate_bps", 8'000'000}, {"delay_ns", 100 * kMs}}},
          {"link", {{"rate_bps", 384'000}, {"delay_ns", 100 * kMs}, {"queue_packets", 20}, {"ber", ber}}},
          {"reverse_link", {{"rate_bps", 384'000}, {"delay_ns", 100 * kMs}}},
          {"duration_ns", 100 * kSecond},
          {"batches", {{"fewest", 2}, {"most", 2}}},
          {"seed", 1}};
}

Json result_of(const Json& job) { return run(read_job(parse_json(job.dump()))); }

TEST(Transfer, SendsAWindowInEachRoundTrip) {
  const Json result = result_of(job_of());
  // 20 segments of 536 octets in 400 ms and the time of a segment and of its acknowledgement on both hops.
  const double round_trip = 0.4 + (576 + 40) * 8 / 8e6 + (576 + 40) * 8 / 384e3;
  EXPECT_NEAR(result["throughput"].get<double>(), 20 * 536 / round_trip, 0.03 * 26'000);
  EXPECT_EQ(result["sender"]["sent_again"], 0);
  EXPECT_EQ(result["standard_error"], 0);
  EXPECT_EQ(result["link"]["header_octets"], 40 * result["link"]["packets"].get<std::uint64_t>());
}

TEST(Transfer, IsTheSameForTheSameSeed) {
  Json job = job_of(1e-5);
  const Json result = result_of(job);
  EXPECT_EQ(result_of(job), result);
  job["seed"] = 2;
  EXPECT_NE(result_of(job), result);
}

TEST(Transfer, CountsNothingOfItsWarmUp) {
  const auto acknowledged = [](std::uint64_t warm_up_ns, std::uint64_t duration_ns) {
    Json job = job_of(1e-5);
    job["warm_up_ns"] = warm_up_ns;
    job["duration_ns"] = duration_ns;
    return result_of(job)["acknowledged_octets"].get<std::uint64_t>();
  };
  EXPECT_EQ(acknowledged(0, 40 * kSecond) + acknowledged(40 * kSecond, 60 * kSecond), acknowledged(0, 100 * kSecond));
}

TEST(Transfer, ShorterHeadersAreDamagedLessOften) {
  Json job = job_of(3e-5);
  job["mtu"] = 96;
  job["duration_ns"] = 1'000 * kSecond;
  const auto none = result_of(job)["throughput"].get<double>();
  job["compressed_header"] = 4;
  EXPECT_GT(result_of(job)["throughput"], 1.2 * none);
}

TEST(Transfer, EndsWhenTheMeanIsKnown) {
  Json job = job_of(1e-5);
  job["batches"] = {{"fewest", 2}, {"most", 1'000}, {"standard_error", 0.02}};
  const Json result = result_of(job);
  EXPECT_LE(result["standard_error"].get<double>(), 0.02);
  EXPECT_LT(result["batches"].get<int>(), 1'000);
}

TEST(Transfer, AnAdapterSeesThePacketsOfBothDirections) {
  Json job = job_of(1e-5);
  const Json null = {{"library", HEADROOM_LIBRARIES "/null.so"}, {"config", {{"scheme", "rohc"}}}};
  job["codec"] = job["reverse_codec"] = {{"compressor", null}, {"decompressor", null}};
  const Json with = result_of(job);
  job.erase("codec");
  job.erase("reverse_codec");
  const Json without = result_of(job);
  EXPECT_EQ(with["throughput"], without["throughput"]);
  EXPECT_EQ(with["link"]["wrong"], 0);
  EXPECT_EQ(with["link"]["uncompressed"], with["link"]["packets"]);
  EXPECT_EQ(with["link"]["compressor"]["name"], "null");
}

TEST(Transfer, RefusesWhatCannotBe) {
  const auto refused = [](const char* pointer, const Json& value) {
    Json job = job_of();
    job.at_pointer(pointer) = value;
    EXPECT_THROW((void)result_of(job), Error) << pointer;
  };
  refused("/mtu", 40);
  refused("/tcp/congestion_control", "vegas");
  refused("/tcp/window", 65);
  refused("/tcp/longest_timeout_ns", 1);
  refused("/link/rate_bps", 0);
  refused("/link/ber", 1);
  refused("/link/harmed_at", "queue");
  refused("/batches/fewest", 1);
  refused("/batches/most", 1);
  refused("/compressed_header", 41);
  refused("/codec", Json::object());
  const auto adapter = [](const char* scheme) {
    return Json{{"library", HEADROOM_LIBRARIES "/null.so"}, {"config", {{"scheme", scheme}}}};
  };
  refused("/codec", {{"compressor", adapter("rohc")}, {"decompressor", adapter("copy")}});
  refused("/more", 1);
}

}  // namespace
}  // namespace headroom::transfer
