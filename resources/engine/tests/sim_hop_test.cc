// SPDX-License-Identifier: Apache-2.0
//
// Hops, alone and in pairs: host A sends numbered packets over one, host B acknowledges each over the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "sim/hop.h"

namespace headroom::sim::hop_test {
namespace {

const std::string kNull = HEADROOM_LIBRARIES "/null.so";
const std::string kReference = HEADROOM_LIBRARIES "/reference.so";
const std::string kTalker = HEADROOM_LIBRARIES "/faulty/talker.so";
const std::string kPacker = HEADROOM_LIBRARIES "/faulty/packer.so";
const std::string kEndless = HEADROOM_LIBRARIES "/faulty/faulty_has_deadlines_without_end.so";

const Json kRohc = {{"scheme", "rohc"}, {"mode", "O"}};
const Json kCells = {{"scheme", "cells"}, {"mrru", 2000}};

AdapterJob adapter(const std::string& library, const Json& config) {
  const Json json = {{"library", library}, {"config", config}};
  return read_adapter_job(Value(json, ""));
}

// A compressor and a decompressor.
struct Sides {
  explicit Sides(const std::string& library, const Json& config = kRohc)
      : compressor_instance(adapter(library, config), HEADROOM_COMPRESSOR),
        decompressor_instance(adapter(library, config), HEADROOM_DECOMPRESSOR) {}
  void put_into(HopConfig& config) {
    config.compressor = &compressor;
    config.decompressor = &decompressor;
  }

  Instance compressor_instance, decompressor_instance;
  Checked compressor{compressor_instance}, decompressor{decompressor_instance};
};

// An IPv4 packet with UDP and `number` in the last octets of its payload.
Octets packet_of(std::uint32_t number, std::size_t octets) {
  Octets packet = *from_hex("450000000000400040110000 0a000001 0a000002 04d2162e 00000000");
  packet.resize(octets);
  store16(&packet[2], static_cast<std::uint32_t>(octets));
  store16(&packet[4], number);
  store16(&packet[10], checksum_finish(checksum_add(0, OctetView(packet).first(20))));
  store16(&packet[24], static_cast<std::uint32_t>(octets - 20));
  store16(&packet[octets - 4], number >> 16);
  store16(&packet[octets - 2], number);
  return packet;
}

std::uint32_t number_of(OctetView packet) { return load32(&packet[packet.size() - 4]); }

struct Event {
  std::uint64_t time_ns;
  std::uint32_t number;
  bool operator==(const Event&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Event& event) {
  return out << event.number << " at " << event.time_ns;
}
using Events = std::vector<Event>;

constexpr std::uint64_t kMs = 1'000'000, kUs = 1'000;
constexpr std::size_t kPacketOctets = 100, kAckOctets = 32;  // 100 and 32 us at 8 Mbit/s

Impairment line_of(std::uint64_t rate_bps = 8'000'000, std::uint64_t delay_ns = kMs) {
  Impairment impairment;
  impairment.rate_bps = rate_bps;
  impairment.delay_ns = delay_ns;
  return impairment;
}

struct Plan {
  std::string library = kNull;
  Json config = kRohc;
  std::uint32_t packets = 3;
  std::uint32_t window = 1;              // packets without an acknowledgement, at most
  std::uint64_t timeout_ns = 100 * kMs;  // from sending a packet to sending it again
  Impairment forward = line_of(), backward = line_of();
  FeedbackPath path = FeedbackPath::none;
  std::size_t packet_octets = kPacketOctets;
};

class Transfer final : private Host {
 public:
  explicit Transfer(Plan plan)
      : plan_(std::move(plan)), sides_{Sides(plan_.library, plan_.config), Sides(plan_.library, plan_.config)} {
    HopConfig forward, backward;
    for (HopConfig* const config : {&forward, &backward}) config->path = plan_.path;
    sides_[0].put_into(forward);
    sides_[1].put_into(backward);
    forward.line = {plan_.forward, 1, {}};
    backward.line = {plan_.backward, 2, {}};
    forward.receiver = [this](std::span<const PacketOutput> packets) {
      for (const PacketOutput& packet : packets) {
        arrived.push_back({simulation_.now_ns(), number_of(packet.octets)});
        EXPECT_EQ(packet.octets, packet_of(number_of(packet.octets), plan_.packet_octets));
        send(*ack_hop, number_of(packet.octets), kAckOctets);
      }
    };
    backward.receiver = [this](std::span<const PacketOutput> packets) {
      for (const PacketOutput& packet : packets) {
        acknowledged.push_back({simulation_.now_ns(), number_of(packet.octets)});
        in_flight_.erase(number_of(packet.octets));
      }
    };
    data_hop.emplace(simulation_, std::move(forward));
    ack_hop.emplace(simulation_, std::move(backward));
    Hop::join(*data_hop, *ack_hop);
    simulation_.add(*this);
    simulation_.add(*data_hop);
    simulation_.add(*ack_hop);
    simulation_.run();
  }

  std::optional<Hop> data_hop, ack_hop;
  Events sent, arrived, acknowledged;

 private:
  [[nodiscard]] bool may_send() const { return next_ < plan_.packets && in_flight_.size() < plan_.window; }
  [[nodiscard]] std::uint64_t next_ns() const override {
    if (may_send()) return 0;
    std::uint64_t first = kNever;
    for (const auto& [number, time_ns] : in_flight_) first = std::min(first, time_ns + plan_.timeout_ns);
    return first;
  }
  void act() override {
    if (may_send()) return send_data(next_++);
    for (const auto& [number, time_ns] : in_flight_) {
      if (time_ns + plan_.timeout_ns <= simulation_.now_ns()) return send_data(number);
    }
  }
  void send_data(std::uint32_t number) {
    in_flight_[number] = simulation_.now_ns();
    sent.push_back({simulation_.now_ns(), number});
    send(*data_hop, number, plan_.packet_octets);
  }
  static void send(Hop& hop, std::uint32_t number, std::size_t octets) {
    const Octets packet = packet_of(number, octets);
    const HopPacket one{packet, 0, HEADROOM_TYPE_DEFAULT, 28, number};
    hop.send({&one, 1});
  }

  Plan plan_;
  Sides sides_[2];
  Simulation simulation_;
  std::map<std::uint32_t, std::uint64_t> in_flight_;  // when each was sent last
  std::uint32_t next_ = 0;
};

std::uint64_t count(const LinkCounts& counts, Fate fate) { return counts.fates[static_cast<std::size_t>(fate)]; }

TEST(Hop, APacketTakesItsTimeOnTheRateAndTheDelayEachWay) {
  const Transfer transfer({});
  constexpr std::uint64_t kThere = 100 * kUs + kMs, kBack = 32 * kUs + kMs, kRound = kThere + kBack;
  EXPECT_EQ(transfer.sent, (Events{{0, 0}, {kRound, 1}, {2 * kRound, 2}}));
  EXPECT_EQ(transfer.arrived, (Events{{kThere, 0}, {kRound + kThere, 1}, {2 * kRound + kThere, 2}}));
  EXPECT_EQ(transfer.acknowledged, (Events{{kRound, 0}, {2 * kRound, 1}, {3 * kRound, 2}}));
}

TEST(Hop, PacketsOfAWindowWaitForOneAnother) {
  Plan plan;
  plan.packets = 4;
  plan.window = 3;
  const Transfer transfer(std::move(plan));
  EXPECT_EQ(transfer.sent, (Events{{0, 0}, {0, 1}, {0, 2}, {2132 * kUs, 3}}));
  EXPECT_EQ(transfer.arrived, (Events{{1100 * kUs, 0}, {1200 * kUs, 1}, {1300 * kUs, 2}, {3232 * kUs, 3}}));
  EXPECT_EQ(transfer.acknowledged, (Events{{2132 * kUs, 0}, {2232 * kUs, 1}, {2332 * kUs, 2}, {4264 * kUs, 3}}));
}

TEST(Hop, AFullQueueDropsWhatDoesNotFitAndATimeoutSendsItAgain) {
  Plan plan;
  plan.packets = plan.window = 5;
  plan.forward.queue_packets = 3;
  const Transfer transfer(std::move(plan));
  EXPECT_EQ(count(transfer.data_hop->line_counts(), Fate::queue_full), 2u);
  EXPECT_EQ(transfer.sent, (Events{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {100 * kMs, 3}, {100 * kMs, 4}}));
  EXPECT_EQ(transfer.arrived,
            (Events{{1100 * kUs, 0}, {1200 * kUs, 1}, {1300 * kUs, 2}, {101'100 * kUs, 3}, {101'200 * kUs, 4}}));
}

// The second packet does not wait for the first, which was lost in front of the queue.
TEST(Hop, APacketThatIsLostBeforeTheQueueTakesNoTime) {
  for (const bool before : {false, true}) {
    Plan plan;
    plan.packets = plan.window = 2;
    plan.forward.drop = {0};
    if (before) plan.forward.harmed_at = HarmedAt::before_queue;
    EXPECT_EQ(Transfer(std::move(plan)).arrived, (Events{{before ? 1100 * kUs : 1200 * kUs, 1}, {101'100 * kUs, 0}}));
  }
}

TEST(Hop, AllArriveInSpiteOfLossEachWay) {
  Plan plan;
  plan.library = kReference;
  plan.packets = 500;
  plan.window = 8;
  plan.forward.loss = plan.backward.loss = 0.1;
  plan.forward.queue_packets = 6;
  plan.path = FeedbackPath::piggybacked;
  const Transfer transfer(std::move(plan));
  std::vector<std::uint32_t> arrivals(500);
  for (const Event& event : transfer.arrived) ++arrivals.at(event.number);
  EXPECT_EQ(std::count(arrivals.begin(), arrivals.end(), 0u), 0);
  EXPECT_GT(count(transfer.data_hop->line_counts(), Fate::loss), 30u);
  EXPECT_GT(count(transfer.ack_hop->line_counts(), Fate::loss), 30u);
  EXPECT_GT(transfer.data_hop->feedback().received_messages, 0u);
  EXPECT_LT(transfer.data_hop->line_counts().sent_octets, transfer.sent.size() * (kPacketOctets - 15)) << "compressed";
}

// The decompressor of the talker says something behind every fifth packet, at 5, 10, …
TEST(Hop, FeedbackTravelsOnItsPath) {
  for (const FeedbackPath path :
       {FeedbackPath::none, FeedbackPath::own, FeedbackPath::interspersed, FeedbackPath::piggybacked}) {
    Plan plan;
    plan.library = kTalker;
    plan.packets = 20;
    plan.path = path;
    const Transfer transfer(std::move(plan));
    EXPECT_EQ(transfer.acknowledged.size(), 20u);
    const FeedbackCounts& counts = transfer.data_hop->feedback();
    const bool travels = path != FeedbackPath::none;
    EXPECT_EQ(counts.messages, 4u) << name_of(path);
    EXPECT_EQ(counts.received_messages, travels ? 4u : 0u) << name_of(path);
    EXPECT_EQ(counts.discarded, travels ? 0u : 4u) << name_of(path);
    EXPECT_EQ(counts.unclaimed, 0u);
    EXPECT_EQ(transfer.data_hop->waiting(), 0u) << "an acknowledgement takes along what the packet caused";
    EXPECT_EQ(transfer.data_hop->feedback_line_counts().sent, path == FeedbackPath::own ? 4u : 0u);
    // Feedback of data packets is among acknowledgements, and the reverse.
    EXPECT_EQ(transfer.ack_hop->line_counts().sent, path == FeedbackPath::interspersed ? 24u : 20u);
  }
}

// 32 octets fill one cell, which leaves at once, and a part of another, which leaves a millisecond later.
TEST(Hop, WhatAnAdapterHoldsLeavesAtItsDeadline) {
  Plan plan;
  plan.library = kPacker;
  plan.config = kCells;
  plan.packets = 1;
  plan.packet_octets = kAckOctets;
  const Transfer transfer(std::move(plan));
  EXPECT_EQ(transfer.arrived, (Events{{kMs + 32 * kUs + kMs, 0}}));
  EXPECT_EQ(transfer.acknowledged, (Events{{2 * (kMs + 32 * kUs + kMs), 0}}));
  EXPECT_EQ(transfer.data_hop->line_counts().sent, 2u);
}

TEST(Hop, DeadlinesWithoutEndBreakAPromiseOnceItIsClosed) {
  Sides sides(kEndless);
  Simulation simulation;
  HopConfig config;
  sides.put_into(config);
  Hop hop(simulation, std::move(config));
  simulation.add(hop);
  const Octets octets = packet_of(7, kPacketOctets);
  const HopPacket packet{octets, 0, HEADROOM_TYPE_DEFAULT, 28, 7};
  hop.send({&packet, 1});
  hop.close();
  EXPECT_FALSE(hop.has_failed());
  EXPECT_THROW(simulation.run(), PromiseBroken);
  EXPECT_TRUE(hop.has_failed());
  EXPECT_EQ(hop.position(), kNever);
}

// Holds packets in front of the compressor until the line is free.
class Router final : public Host {
 public:
  explicit Router(Hop& hop) : hop_(hop) {}
  std::deque<Octets> queue;

 private:
  [[nodiscard]] std::uint64_t next_ns() const override { return queue.empty() ? kNever : hop_.busy_until_ns(); }
  void act() override {
    const HopPacket packet{queue.front(), 0, HEADROOM_TYPE_DEFAULT, 28, 0};
    hop_.send({&packet, 1});
    queue.pop_front();
  }

  Hop& hop_;
};

TEST(Hop, AQueueMayBeInFrontOfTheCompressor) {
  Sides sides(kNull);
  Simulation simulation;
  Events arrived;
  HopConfig config;
  sides.put_into(config);
  config.line.impairment = line_of();
  config.receiver = [&](std::span<const PacketOutput> packets) {
    for (const PacketOutput& packet : packets) arrived.push_back({simulation.now_ns(), number_of(packet.octets)});
  };
  Hop hop(simulation, std::move(config));
  Router router(hop);
  for (std::uint32_t number = 0; number < 3; ++number) router.queue.push_back(packet_of(number, kPacketOctets));
  simulation.add(router);
  simulation.run();
  EXPECT_EQ(arrived, (Events{{1100 * kUs, 0}, {1200 * kUs, 1}, {1300 * kUs, 2}}));
  EXPECT_EQ(hop.line_counts().queue_most_octets, kPacketOctets) << "never two on the line";
}

// Watches one hop.
class Journal final : public HopObserver {
 public:
  void on_compressed(const HopPacket& packet, const PacketOutput*, const Compressed& made) override {
    note("compressed", packet.tag, made.header_length, made.link_octets);
  }
  void on_leaving(const LinkPacket& packet, bool) override {
    note("leaving", packet.tag, packet.header_length, packet.octets.size());
  }
  void on_sent(const SentPacket& packet, const LinkOutcome& outcome) override {
    note(std::string("sent, ") + name_of(outcome.fate), packet.tag, packet.header_length, packet.length);
  }
  void on_arrival(const Delivery& delivery, const PacketOutput& output) override {
    note("arrived", delivery.packet.tag, delivery.packet.header_length, output.octets.size());
  }

  std::vector<std::string> lines;

 private:
  void note(const std::string& what, std::uint64_t tag, std::uint32_t header, std::size_t octets) {
    lines.push_back(what + ": " + std::to_string(tag) + ", " + std::to_string(header) + " of " +
                    std::to_string(octets));
  }
};

// The inner link packets of one hop are packets of another, which loses the second.
TEST(Hop, OneHopCarriesAnother) {
  Sides inner_sides(kNull), outer_sides(kNull);
  Simulation simulation;
  Journal journal;
  std::optional<Hop> inner, outer;
  std::vector<std::uint32_t> numbers;
  HopConfig of_outer;
  outer_sides.put_into(of_outer);
  of_outer.line.impairment = line_of();
  of_outer.line.impairment.drop = {1};
  of_outer.receiver = [&](std::span<PacketOutput> packets) {
    for (PacketOutput& packet : packets) {
      Delivery delivery;
      delivery.packet.octets = std::move(packet.octets);
      delivery.packet.tag = 5;
      inner->receive({&delivery, 1});
    }
  };
  outer.emplace(simulation, std::move(of_outer));
  HopConfig of_inner;
  inner_sides.put_into(of_inner);
  of_inner.observer = &journal;
  of_inner.carry = [&](LinkPacket packet) {
    const HopPacket one{packet.octets, 0, HEADROOM_TYPE_DEFAULT, kUnknownLength, packet.tag};
    outer->send({&one, 1});
  };
  of_inner.receiver = [&](std::span<const PacketOutput> packets) {
    for (const PacketOutput& packet : packets) numbers.push_back(number_of(packet.octets));
  };
  inner.emplace(simulation, std::move(of_inner));
  const std::vector<Octets> octets = {packet_of(3, 40), packet_of(4, 40)};
  const HopPacket burst[] = {{octets[0], 0, HEADROOM_TYPE_DEFAULT, 28, 3},
                             {octets[1], 0, HEADROOM_TYPE_DEFAULT, 28, 4}};
  inner->send(burst);
  simulation.run();
  EXPECT_EQ(simulation.now_ns(), 40 * kUs + kMs);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(journal.lines,
            (std::vector<std::string>{"compressed: 3, 28 of 40", "leaving: 3, 28 of 40", "sent, delivered: 3, 28 of 40",
                                      "compressed: 4, 28 of 40", "leaving: 4, 28 of 40", "sent, delivered: 4, 28 of 40",
                                      "arrived: 5, 0 of 40"}));
}

TEST(Hop, TheHeaderOnTheLinkIsThatOfTheDetailOrOfTheSourceOrWhatIsNoCommonEnd) {
  const Octets original = *from_hex("aabbccddee 0102030405");
  const Octets link = *from_hex("ff05 0102030405");
  headroom_detail detail = {0, 0, 5, 2, 0, 0, 0, 0, 0};
  EXPECT_EQ(header_on_link(link, original, kUnknownLength, &detail), 2u);
  detail.plain_header = 0xFFFF;
  EXPECT_EQ(header_on_link(link, original, kUnknownLength, &detail), 2u);  // by the common end
  EXPECT_EQ(header_on_link(link, original, 6, nullptr), 3u);
  EXPECT_EQ(header_on_link(link, original, 0, nullptr), 2u);  // cannot be: the ends differ before
  EXPECT_EQ(header_on_link({}, original, 0, nullptr), 0u);
}

}  // namespace
}  // namespace headroom::sim::hop_test
