// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <new>
#include <set>
#include <thread>

#include "base/cycles.h"
#include "base/hex.h"
#include "base/sanitizer.h"
#include "load/generator.h"
#include "load/order.h"
#include "load/packed.h"
#include "load/run.h"
#include "profiles.h"
#include "traffic/flow.h"

namespace headroom::load {
namespace {

using namespace headroom::testing;

const std::string kNull = HEADROOM_LIBRARIES "/null.so";
const std::string kTalker = HEADROOM_LIBRARIES "/faulty/talker.so";

std::string faulty(const std::string& fault) { return HEADROOM_LIBRARIES "/faulty/faulty_" + fault + ".so"; }

// ---- order

TEST(Order, VisitsEveryFlowOnceATick) {
  for (const std::uint32_t count : {1u, 2u, 3u, 7u, 8u, 9u, 1000u, 4096u, 5000u}) {
    Order order(count, true, 9);
    std::vector<std::uint32_t> previous;
    for (int tick = 0; tick < 4; ++tick) {
      std::vector<std::uint32_t> visited;
      for (std::uint32_t i = 0; i < count; ++i) visited.push_back(order.next());
      EXPECT_EQ(std::set<std::uint32_t>(visited.begin(), visited.end()).size(), count);
      EXPECT_LT(*std::max_element(visited.begin(), visited.end()), count);
      if (count >= 1000) {
        EXPECT_NE(visited, previous);
      }
      previous = visited;
    }
  }
}

TEST(Order, HasFewNeighboursInARow) {
  constexpr std::uint32_t kCount = 100'000;
  Order order(kCount, true, 1);
  std::uint32_t last = order.next();
  int near = 0;
  for (std::uint32_t i = 1; i < kCount; ++i) {
    const std::uint32_t flow = order.next();
    if (flow - last + 8 < 17) ++near;  // within eight slots
    last = flow;
  }
  EXPECT_LT(near, 200);  // by chance 17
}

TEST(Order, SequentialIsSequential) {
  Order order(3, false, 1);
  for (const std::uint32_t expected : {0u, 1u, 2u, 0u, 1u}) EXPECT_EQ(order.next(), expected);
}

// ---- the generator makes the packets of traffic::Flow

template <typename MakerOf>
void expect_same_packets_of(MakerOf&& maker_of, const traffic::Profile& p, std::uint64_t ticks, std::uint32_t flows) {
  for (const bool reverse : {false, true}) {
    Generator generator(p, flows, 77, reverse);
    const auto maker = maker_of(generator);
    Pages buffer(1 << 16);
    std::uint8_t* payload = buffer.data() + 1024;
    for (std::uint32_t i = 0; i < generator.longest_payload(); ++i) payload[i] = traffic::pattern_octet(i);
    traffic::FlowOptions options;
    options.reverse = reverse;
    options.pattern_payload = true;
    std::vector<traffic::Flow> expected;
    for (std::uint32_t flow = 0; flow < flows; ++flow) expected.emplace_back(p, flow, 77, options);
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
      for (std::uint32_t flow = 0; flow < flows; ++flow) {
        std::vector<traffic::FlowPacket> packets;
        expected[flow].advance(packets);
        std::uint32_t length = 0;
        const std::uint8_t* start = maker.make(flow, tick, payload, length);
        ASSERT_EQ(packets.size(), length == 0 ? 0u : 1u) << "flow " << flow << " tick " << tick;
        if (length == 0) continue;
        ASSERT_EQ(to_hex({start, length}), to_hex(packets[0].octets)) << "flow " << flow << " tick " << tick;
      }
    }
  }
}

void expect_same_packets(const std::vector<std::string>& variants, std::uint64_t ticks, std::uint32_t flows = 6) {
  const auto maker_of = [](const Generator& generator) { return generator.maker(); };
  expect_same_packets_of(maker_of, profile(variants), ticks, flows);
}

TEST(Generator, FlowsOfOneVariant) {
  const auto maker_of = [](const Generator& generator) { return generator.uniform_maker(); };
  const std::string wrapping = rtp_with(R"("sequence_start": 65500, "timestamp_start": 4294966000)");
  for (const auto& headers : std::vector<std::vector<std::string>>{
           {kIpv6, kUdp, wrapping},
           {kIpv4, kUdp, kRtp},
           {kIpv4, kUdpBare, wrapping},
           {kIpv4, kUdpLite, kRtpMarked},
           {ipv4_with(R"("identification_start": 65530)"), kUdp, rtp_with(R"("timestamp_step": 0)")},
           {ipv4_with(R"("identification": "constant")"), kUdpBare, wrapping},
           {ipv4_with(R"("identification": "zero")"), kUdp, rtp_with(R"("timestamp_step": 4294967295)")}}) {
    const traffic::Profile p = profile({variant(headers)});
    ASSERT_TRUE(Generator(p, 1, 1, false).is_uniform()) << headers[0] << headers[1] << headers[2];
    expect_same_packets_of(maker_of, p, 600, 4);
  }
  expect_same_packets_of(maker_of, profile({variant({kIpv4, kUdp, kRtp})}), 140'000, 1);
}

TEST(Generator, FlowsThatAreNotUniform) {
  for (const auto& variants : std::vector<std::vector<std::string>>{
           {variant({kIpv4, kUdp, kRtp}), variant({kIpv6, kUdp, kRtp})},
           {variant({kIpv4, kUdp, kRtpMarked}, "," + kSpeech + "}")},
           {variant({kIpv4, kUdp, kRtp}, "", R"({"length": [1, 60]})")},
           {variant({ipv4_with(R"("identification": "random")"), kUdp, kRtp})},
           {variant({ipv4_with(R"("identification_jumps": {"probability": 0.2, "most": 9})"), kUdp, kRtp})},
           {variant({ipv4_with(R"("options": "01010101")"), kUdp, kRtp})},
           {variant({kIpv4, kIpv4, kUdp, kRtp})},
           {variant({kIpv4, kUdp, rtp_with(R"("csrc_count": 1)")})},
           {variant({kIpv4, kUdp, rtp_with(R"("marker": "always")")})},
           {variant({kIpv4, kUdp})}}) {
    EXPECT_FALSE(Generator(profile(variants), 1, 1, false).is_uniform()) << variants[0];
  }
}

TEST(Generator, Calls) {
  expect_same_packets({variant({kIpv4, kUdpBare, kRtp}), variant({kIpv4, kUdp, kRtp}), variant({kIpv6, kUdp, kRtp})},
                      3000);
}

TEST(Generator, CountersThatWrap) {
  // Sequence numbers, time stamps and IP-IDs pass their ends, together and apart.
  for (const char* start :
       {R"("sequence_start": 65500, "timestamp_start": 0)", R"("sequence_start": 0, "timestamp_start": 4294966000)",
        R"("sequence_start": 65533, "timestamp_start": 4294966816)", R"("timestamp_step": 4294967295)",
        R"("timestamp_step": 0)", R"("timestamp_step": 65535)", R"("timestamp_step": 65534)"}) {
    expect_same_packets(
        {variant({ipv4_with(R"("identification_start": 65530)"), kUdp, rtp_with(start)}),
         variant({ipv4_with(R"("identification": "swapped", "identification_start": 65530)"), kUdp, rtp_with(start)})},
        600, 4);
  }
  expect_same_packets({variant({kIpv4, kUdp, kRtp})}, 140'000,
                      1);  // all values of the sequence number and the IP-ID, twice
}

TEST(Generator, EveryBehaviourOfTheIdentification) {
  expect_same_packets({variant({ipv4_with(R"("identification": "random")"), kUdpBare, kRtp}),
                       variant({ipv4_with(R"("identification": "swapped")"), kUdp, kRtp}),
                       variant({ipv4_with(R"("identification": "constant")"), kUdp, kRtp}),
                       variant({ipv4_with(R"("identification": "zero")"), kUdp, kRtp}),
                       variant({ipv4_with(R"("identification_jumps": {"probability": 0.2, "most": 9})"), kUdp, kRtp})},
                      2000);
}

TEST(Generator, TalkSpurtsAndSilenceFrames) {
  const std::string frames = "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 6}})";
  const std::string quick =
      R"(, "speech": {"spurt_mean_ms": 40, "pause_mean_ms": 50, "silence_frames": {"interval_ms": 40, "length": 33}})";
  expect_same_packets(
      {variant({kIpv4, kUdp, kRtpMarked}, frames), variant({kIpv6, kUdp, kRtpMarked}, frames),
       variant({ipv4_with(R"("identification": "random")"), kUdpBare, kRtpMarked}, "," + kSpeech + "}"),
       variant({kIpv4, kUdp, kRtpMarked}, quick), variant({kIpv4, kUdp, rtp_with(R"("marker": "always")")}, quick)},
      5000, 10);
}

TEST(Generator, LongChainsAndOtherProtocols) {
  expect_same_packets(
      {variant({kIpv6, kIpv6, kUdp, kRtp}), variant({kIpv4, kIpv4, kUdp, kRtp}),
       variant({kIpv4, R"({"protocol": "icmp"})"}),
       variant({kIpv6, R"({"protocol": "icmp"})"}, "", R"({"length": [1, 60]})"),
       variant({kIpv4, kUdp}, "", R"({"length": [0, 90]})"),
       variant({R"({"protocol": "raw", "octets": "c0"})"}, "", R"({"length": [1, 9]})"), variant({kIpv6}),
       variant({kIpv4, kUdp, rtp_with(R"("csrc_count": 15, "extension": {"data": "01020304"})")})},
      500, 8);
}

TEST(Generator, EspAndUdpLite) {
  const std::string varying = R"({"length": [12, 60]})";
  const std::string frames = "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 12}})";
  expect_same_packets(
      {variant({kIpv4, kEsp}, "", varying), variant({kIpv6, R"({"protocol": "esp", "sequence_start": 4294967290})"}),
       variant({kIpv4, kUdpLite, kRtp}), variant({kIpv6, kUdpLite, kRtpMarked}, frames),
       variant({kIpv4, udplite_with(R"("coverage": "zero")"), kRtp}),
       variant({kIpv6, udplite_with(R"("coverage": "zero")")}, "", varying),
       variant({kIpv4, udplite_with(R"("coverage": 20)"), kRtpMarked}, frames),
       variant({kIpv4, udplite_with(R"("coverage": 31)"), kRtpMarked}, frames),
       variant({kIpv6, udplite_with(R"("coverage": 32)"), kRtp}, "", varying),
       variant({kIpv4, udplite_with(R"("coverage": 8)")}, "", varying),
       variant({kIpv4, udplite_with(R"("coverage": 13)")}, "", varying), variant({kIpv6, kUdpLite}, "", varying)},
      2000, 24);
}

TEST(Generator, Tcp) {
  const std::string varying = R"({"length": [0, 60]})";
  const std::string silence = "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 12}})";
  expect_same_packets(
      {variant({kIpv4, kTcp}), variant({kIpv6, kTcp}, "", varying),
       variant({kIpv4, tcp_with(R"("acknowledgement_step": 65535)")}, "", R"({"length": 0})"),
       variant({kIpv4, tcp_with(R"("echo": true, "push": true)")}, "", R"({"length": [1, 60]})"),
       variant({kIpv6, tcp_with(R"("echo": true, "timestamps": true, "acknowledgement_step": 3)")}, silence, varying),
       variant({kIpv4, tcp_with(R"("timestamps": true, "options": "01010101", "window": 0)")}),
       variant({kIpv4, kIpv4, kTcp}, "", R"({"length": 1460})")},
      2000, 28);
}

TEST(Generator, SaysWhatItDoesNotDo) {
  for (const std::string& v :
       {variant({kIpv4, udplite_with(R"("coverage": "random")")}),
        variant({kIpv4, udplite_with(R"("coverage": 12)"), kRtp}),
        variant({kIpv4, udplite_with(R"("coverage": 52)"), kRtp}), variant({kIpv4, kUdp, rtp_with(R"("padding": 4)")}),
        variant({kIpv4, kUdp, rtp_with(R"("marker_every": 4)")}),
        variant({kIpv4, kUdp, rtp_with(R"("packets_per_frame": [1, 2])")}),
        variant({kIpv4}, R"(, "changes": [{"packet": 3, "payload_length": 9}])"),
        variant({kIpv4}, R"(, "before_compressor": {"loss": 0.1})"),
        variant({kIpv4, kUdp}, R"(, "connections": {"packets": 9})"),
        variant({ipv4_with(R"("dont_fragment": false, "fragment_at": 64)")}),
        variant({kIpv4, tcp_with(R"("push": true)")}, "", R"({"length": [0, 9]})"),
        variant({ipv4_with(R"("identification_counter": "host")"), kUdp}),
        variant({kIpv4}, "", R"({"length": 9})", R"({"interval_ms": 20, "start_within_ms": 100})"),
        variant({kIpv4, kUdpGtpu, kGtpu, kIpv4, kUdp}), variant({kIpv4}, "", R"({"length": {"mix": [[1, 9]]}})")}) {
    const traffic::Profile p = profile({v});
    try {
      Generator generator(p, 1, 1, false);
      ADD_FAILURE() << v;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "/variants/0");
      EXPECT_NE(std::string(error.what()).find("load does not do"), std::string::npos);
    }
  }
}

TEST(Generator, ReplacedFlowsAreThoseOfTheirNewNumber) {
  const traffic::Profile p = profile({variant({kIpv4, kUdp, kRtp})});
  Generator generator(p, 2, 1, false);
  generator.prepare_replacements(100, 1);
  generator.replace(1);
  generator.replace(0);  // none is left: stays what it is
  Pages buffer(4096);
  std::uint8_t* payload = buffer.data() + 1024;
  for (std::uint32_t i = 0; i < 31; ++i) payload[i] = traffic::pattern_octet(i);
  traffic::FlowOptions options;
  options.pattern_payload = true;
  for (const auto& [slot, number] : {std::pair<std::uint32_t, std::uint64_t>{1, 100}, {0, 0}}) {
    std::vector<traffic::FlowPacket> packets;
    traffic::Flow(p, number, 1, options).advance(packets);
    std::uint32_t length = 0;
    const std::uint8_t* start = generator.maker().make(slot, 5, payload, length);
    EXPECT_EQ(to_hex({start, length}), to_hex(packets[0].octets));
  }
}

// ---- runs

Json job_with(const std::string& library, std::uint32_t flow_pairs = 100) {
  const Json adapter = {{"library", library}, {"config", {{"scheme", "rohc"}}}};
  return {{"compressor", adapter},
          {"decompressor", adapter},
          {"profile", call_profile()},
          {"flow_pairs", flow_pairs},
          {"pacing", "none"},
          {"verify_every", 4},
          {"phases", {{{"name", "startup"}}, {{"name", "steady"}, {"ticks", 10}}}}};
}

Json run_job(const Json& job) {
  const Json copy = parse_json(job.dump());
  return run(read_job(copy));
}

TEST(Load, CountsWhatItDid) {
  const Json result = run_job(job_with(kNull));
  const Json& steady = result["phases"][1];
  EXPECT_EQ(steady["ticks"], 10);
  EXPECT_EQ(steady["packets"], 2000);
  EXPECT_EQ(steady["packets_decompressed"], 2000);
  EXPECT_NEAR(steady["verified"].get<double>(), 500, 100);
  EXPECT_EQ(steady["mismatched"], 0);
  EXPECT_EQ(steady["plain_octets"], 2000 * 71);
  EXPECT_EQ(steady["link_octets"], 2000 * 71);
  EXPECT_EQ(steady["busy_share"].size(), 10u);
  EXPECT_EQ(steady["histograms"]["compress_ns"]["count"], 2000);
  EXPECT_EQ(steady["histograms"]["time_in_tick_ns"], nullptr);
  EXPECT_TRUE(steady["statuses"]["compressor"].empty());
  EXPECT_EQ(result["channels"], 7);  // 16 flow pairs each
  double sum = 0;
  for (const auto& [stage, measured] : steady["stages"].items()) sum += measured["ns"].get<double>();
  EXPECT_NEAR(sum, steady["busy_ns"].get<double>(), steady["busy_ns"].get<double>() * 0.2 + 5000);
}

TEST(Load, MemoryOfTheHarnessIsNotCountedAsTheAdapters) {
  if (kAddressSanitizer) GTEST_SKIP() << "AddressSanitizer keeps memory of its own";
  Json job = job_with(kNull, 20'000);
  job["burst"] = 256;
  const Json memory = run_job(job)["memory"];
  EXPECT_EQ(memory["adapters_octets"], 64);  // `null` has sixteen octets an instance
  const auto before = memory["resident_before_adapters"].get<std::uint64_t>(),
             after = memory["resident_at_end"].get<std::uint64_t>();
  EXPECT_LT(after, before + (1u << 20));  // its library's own pages, and what the kernel rounds
  EXPECT_LT(memory["growth_octets_per_flow_pair"].get<double>(), 52.5);
}

TEST(LoadMemory, MoreThanPointersCanTellApartIsRefused) {
  EXPECT_EQ(octets_of(16'000'000, 64), 1'024'000'000u);
  EXPECT_THROW((void)octets_of(std::uint64_t{1} << 62, 64), std::bad_alloc);
}

TEST(Load, OneFlowFillsBurstsAcrossTicks) {
  Json job = job_with(kNull, 1);
  job["burst"] = 32;
  job["phases"] = {{{"name", "steady"}, {"ticks", 1000}}};
  const Json phase = run_job(job)["phases"][0];
  EXPECT_EQ(phase["packets"], 2000);
  EXPECT_EQ(phase["bursts"], 2 * (1000 / 32 + 1));
  EXPECT_EQ(phase["busy_share"].size(), 1000u);
}

TEST(Load, TimerKeepsTheTick) {
  Json job = job_with(kNull);
  job["pacing"] = "timer";
  job["tick_ms"] = 5;
  const Json phase = run_job(job)["phases"][1];
  EXPECT_GE(phase["wall_ns"].get<double>(), 45e6);
  EXPECT_LE(phase["thread_cpu_ns"].get<double>(), phase["wall_ns"].get<double>());
  EXPECT_EQ(phase["histograms"]["time_in_tick_ns"]["count"], 2000);
  EXPECT_EQ(phase["histograms"]["wake_up_ns"]["count"], 10);
  EXPECT_TRUE(phase["ticks_missed"].is_number());
  EXPECT_GT(phase["idle_ns"].get<double>(), 20e6);
}

TEST(Load, TheTimeOfOtherThreadsIsToldApart) {
  Json job = job_with(kNull);
  job["pacing"] = "timer";
  const double alone_ns = run_job(job)["phases"][1]["other_threads_cpu_ns"].get<double>();
  EXPECT_LT(alone_ns, 20e6);
  std::atomic<bool> stop = false;
  std::thread other([&stop] {
    while (!stop) {
    }
  });
  const Json phase = run_job(job)["phases"][1];
  stop = true;
  other.join();
  EXPECT_GT(phase["other_threads_cpu_ns"].get<double>(), alone_ns + 1e6) << "it has little on a busy machine";
  EXPECT_LE(phase["thread_cpu_ns"].get<double>(), phase["wall_ns"].get<double>());
}

TEST(Load, SeveralEnginesCanStartTogether) {
  Json job = job_with(kNull);
  const std::uint64_t start = monotonic_ns() + 300'000'000;
  job["start_at_ns"] = start;
  const Json result = run_job(job);
  EXPECT_GE(monotonic_ns(), start);
  EXPECT_EQ(result["late_by_ns"], 0);
  job["start_at_ns"] = 1;
  EXPECT_GT(run_job(job)["late_by_ns"].get<std::uint64_t>(), 1'000'000u);
}

TEST(Load, MissedTicksAreCounted) {
  Json job = job_with(kNull, 20'000);
  job["pacing"] = "timer";
  job["tick_ms"] = 0.1;  // no machine makes 40,000 packets in it
  const Json phase = run_job(job)["phases"][1];
  EXPECT_EQ(phase["ticks_missed"], 10);
  for (const Json& share : phase["busy_share"]) EXPECT_GT(share.get<double>(), 1);
}

TEST(Load, VerifiesOnePacketInNAcrossBursts) {
  for (const std::uint32_t every : {1u, 3u, 7u, 100u, 1000u}) {
    for (const char* library : {"null.so", "faulty/faulty_spoils_an_octet.so"}) {
      Json job = job_with(HEADROOM_LIBRARIES "/" + std::string(library), 50);
      job["verify_every"] = every;
      job["burst"] = 8;
      job["phases"] = {{{"name", "steady"}, {"ticks", 40}}};
      const Json phase = run_job(job)["phases"][0];
      const double verified = phase["verified"].get<double>(), mean = 4000.0 / every;
      EXPECT_NEAR(verified, mean, every == 1 ? 0 : 8 * std::sqrt(mean)) << library << " " << every;
      EXPECT_EQ(phase["mismatched"], library[0] == 'n' ? Json(0) : phase["verified"]) << every;
    }
  }
}

// If the distance between verified packets were the same, one that does nothing for the others would pass.
TEST(Load, NoAdapterKnowsWhichPacketsAreVerified) {
  const Json phase = run_job(job_with(faulty("spoils_three_packets_of_four"), 60))["phases"][1];
  EXPECT_NEAR(phase["mismatched"].get<double>(), 0.75 * phase["verified"].get<double>(), 80);
}

// Payloads of packets are alike, so those of earlier packets lie in the buffers.
TEST(Load, AnAdapterThatLeavesWhatIsInTheBufferIsFound) {
  Json job = job_with(faulty("writes_payloads_at_first"), 60);
  job["burst"] = 8;
  const Json phase = run_job(job)["phases"][1];
  EXPECT_GT(phase["verified"].get<double>(), 200);
  EXPECT_GT(phase["mismatched"].get<double>(), 20);
}

TEST(Load, NoticesWhatIsWrong) {
  const Json spoilt = run_job(job_with(faulty("spoils_an_octet"), 60))["phases"][1];
  EXPECT_NEAR(spoilt["verified"].get<double>(), 300, 80);
  EXPECT_EQ(spoilt["mismatched"], spoilt["verified"]);
  const Json too_long = run_job(job_with(faulty("claims_too_many_octets"), 60))["phases"][1];
  EXPECT_EQ(too_long["statuses"]["compressor"]["unknown"], 1200);
  EXPECT_EQ(too_long["packets_decompressed"], 0);
  const Json own_status = run_job(job_with(faulty("has_a_status_of_its_own"), 60))["phases"][1];
  EXPECT_EQ(own_status["statuses"]["compressor"]["unknown"], 1200);
}

// ---- link packets that carry several packets, or parts of them

Json packing_job(const Json& side, std::uint32_t flow_pairs = 40) {
  Json job = job_with(kNull, flow_pairs);
  job["compressor"] = job["decompressor"] = side;
  job["verify_every"] = 1;
  return job;
}

const Json kCells = {{"library", HEADROOM_LIBRARIES "/faulty/packer.so"},
                     {"config", {{"scheme", "cells"}, {"channels", 4}}}};

TEST(LoadPacked, WhatLinkPacketsCarryIsComparedInOrder) {
  for (const std::uint32_t burst : {1u, 7u, 128u}) {
    for (const Json& side :
         {kCells, Json{{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", {{"scheme", "ule"}}}},
          Json{{"library", HEADROOM_LIBRARIES "/reference.so"},
               {"config", {{"scheme", "ule"}, {"packing", "padding"}, {"address", "absent"}}}}}) {
      Json job = packing_job(side);
      job["burst"] = burst;
      const Json result = run_job(job);
      std::uint64_t sent = 0, came = 0, verified = 0;
      for (const Json& phase : result["phases"]) {
        EXPECT_EQ(phase["packets_compressed"], phase["packets"]);
        EXPECT_EQ(phase["mismatched"], 0) << side;
        EXPECT_EQ(phase["wrong_length"], 0) << side;
        EXPECT_EQ(phase["lost"], 0) << side;
        EXPECT_TRUE(phase["statuses"]["compressor"].empty()) << phase["statuses"];
        EXPECT_TRUE(phase["statuses"]["decompressor"].empty()) << phase["statuses"];
        EXPECT_GT(phase["link_octets"], phase["plain_octets"]);
        EXPECT_GT(phase["stages"]["compress"]["cycles"], 0);
        EXPECT_GT(phase["stages"]["decompress"]["cycles"], 0);
        sent += phase["packets"].get<std::uint64_t>();
        came += phase["packets_decompressed"].get<std::uint64_t>();
        verified += phase["verified"].get<std::uint64_t>();
      }
      // In a channel that is not full some wait for the next tick, which never comes: less than a TS packet each.
      const auto channels = result["channels"].get<std::uint64_t>();
      EXPECT_LE(came, sent);
      EXPECT_GE(came + 2 * channels * 3, sent) << side << " " << burst;
      EXPECT_EQ(verified, came);
    }
  }
}

TEST(LoadPacked, EveryNthPacketIsCompared) {
  Json job = packing_job(kCells);
  job["verify_every"] = 10;
  const Json phase = run_job(job)["phases"][1];
  EXPECT_NEAR(phase["verified"].get<double>(), phase["packets"].get<double>() / 10, 50);
}

TEST(LoadPacked, OctetsThatDifferAreSeen) {
  SentPackets sent(2, 4);
  sent.push(0, Octets{1, 2, 3}, true);
  sent.push(0, Octets{1, 2, 3}, false);
  sent.push(0, Octets{4, 5}, true);
  sent.push(1, Octets(20, 7), true);
  using Verdict = SentPackets::Verdict;
  Octets long_one(20, 7);
  EXPECT_EQ(sent.take(1, long_one), Verdict::compared);
  EXPECT_EQ(sent.take(1, long_one), Verdict::wrong_length) << "it was sent once";
  EXPECT_EQ(sent.take(0, Octets{1, 2, 4}), Verdict::mismatched);
  EXPECT_EQ(sent.take(0, Octets{1, 2, 4}), Verdict::right) << "it is not looked at";
  EXPECT_EQ(sent.take(0, Octets{4}), Verdict::wrong_length);
  for (std::uint8_t i = 0; i < 6; ++i) EXPECT_EQ(sent.push(1, Octets(20, i), true), i >= 4) << "four may wait";
  EXPECT_EQ(sent.take(1, Octets(20, 2)), Verdict::compared) << "the oldest two are forgotten";
}

TEST(Load, StatusesAreTold) {
  Json job = job_with(faulty("none"), 60);
  job["compressor"]["config"]["channels"] = 1;
  job["decompressor"]["config"]["channels"] = 1;  // 60 flow pairs in 16 contexts: a copier does not mind
  EXPECT_EQ(run_job(job)["phases"][1]["packets_decompressed"], 1200);
  job = job_with(kNull, 60);
  job["verify_every"] = 0;
  EXPECT_EQ(run_job(job)["phases"][1]["verified"], 0);
}

TEST(Load, FeedbackIsCarriedInModesThatHaveIt) {
  Json job = job_with(kTalker, 50);
  for (const char* side : {"compressor", "decompressor"}) job[side]["config"]["channels"] = 4;
  EXPECT_EQ(run_job(job)["phases"][1]["feedback"]["messages"], 0);
  job["decompressor"]["config"]["mode"] = "O";
  const Json result = run_job(job);
  EXPECT_EQ(result["phases"][1]["feedback"]["messages"], 200);
  EXPECT_EQ(result["memory"]["statistics"]["forward"]["compressor"]["given"], 110);
}

TEST(Load, EachSideIsChargedWithItsCallsForFeedback) {
  Json job = job_with(kTalker, 50);
  for (const char* side : {"compressor", "decompressor"}) job[side]["config"]["channels"] = 4;
  job["decompressor"]["config"].update({{"mode", "O"}, {"slow", true}});
  const Json phase = run_job(job)["phases"][1];
  const double slept_ns = 1e6 * phase["bursts"].get<double>();
  EXPECT_GE(phase["stages"]["decompress"]["ns"].get<double>(), 0.9 * slept_ns);
  EXPECT_LT(phase["stages"]["feedback"]["ns"].get<double>(), 0.5 * slept_ns);
}

TEST(Load, ChurnReplacesFlows) {
  Json job = job_with(kNull, 1000);
  job["phases"] = {{{"name", "startup"}}, {{"name", "churn"}, {"ticks", 50}, {"replaced_per_second", 0.5}}};
  EXPECT_NEAR(run_job(job)["phases"][1]["flow_pairs_replaced"].get<double>(), 500, 1);
}

TEST(Load, MixedTrafficWithSilence) {
  Json job = job_with(kNull, 64);
  const std::string frames = "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 6}})";
  job["profile"] =
      profile_json({variant({kIpv4, kUdp, kRtpMarked}, frames), variant({kIpv6, kUdp, kRtpMarked}, frames)});
  job["verify_every"] = 1;
  job["phases"] = {{{"name", "steady"}, {"ticks", 2000}}};
  const Json phase = run_job(job)["phases"][0];
  EXPECT_EQ(phase["verified"], phase["packets"]);
  EXPECT_EQ(phase["mismatched"], 0);
  const double activity = 1004.0 / (1004 + 1587) + 1587.0 / (1004 + 1587) / 8;
  EXPECT_NEAR(phase["packets"].get<double>() / (2000 * 128), activity, 0.06);
}

TEST(LoadJob, NamesWhatIsWrong) {
  const auto error = [](const std::function<void(Json&)>& change) {
    Json job = job_with(kNull);
    change(job);
    try {
      (void)run_job(job);
    } catch (const Error& e) {
      return e.where() + ": " + e.what();
    }
    return std::string("no error");
  };
  const auto starts = [](const std::string& text, const char* start) { EXPECT_TRUE(text.starts_with(start)) << text; };
  starts(error([](Json& job) { job["flow_pairs"] = 0; }), "/flow_pairs: an integer from 1");
  starts(error([](Json& job) { job["burst"] = 257; }), "/burst: an integer from 1 to 256");
  starts(error([](Json& job) { job["core"] = 60'000; }), "/core: ");
  starts(error([](Json& job) { job["phases"] = Json::array(); }), "/phases: at least one phase");
  starts(error([](Json& job) { job["phases"][1]["tick"] = 3; }), "/phases/1/tick: ");
  starts(error([](Json& job) { job["decompressor"]["config"]["max_cid"] = 3; }),
         "/decompressor: compressor and decompressor must have");
  starts(error([](Json& job) {
           job["phases"][1] = {{"name", "churn"}, {"ticks", 10'000'000}, {"replaced_per_second", 50}};
         }),
         "/phases: more than");
  starts(error([](Json& job) { job["profile"]["variants"][0]["headers"][2]["padding"] = 3; }),
         "/profile/variants/0: load does not do");
}

}  // namespace
}  // namespace headroom::load
