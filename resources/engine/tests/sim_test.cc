// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace headroom::sim {
namespace {

LinkPacket packet_of(std::uint64_t tag, std::size_t octets = 10) {
  LinkPacket packet;
  packet.octets.assign(octets, 0xAA);
  packet.tag = tag;
  return packet;
}

Impairment delayed(std::uint64_t delay_ns) {
  Impairment impairment;
  impairment.delay_ns = delay_ns;
  return impairment;
}

// What happened, one line each: "at 20: a acts".
struct Journal {
  Simulation& simulation;
  std::vector<std::string> lines;

  void note(const std::string& event) { lines.push_back("at " + std::to_string(simulation.now_ns()) + ": " + event); }
  Line::Receiver receiver(const std::string& name) {
    return [this, name](std::span<const Delivery> burst) {
      std::string text = name + " receives";
      for (const Delivery& delivery : burst) {
        text += delivery.packet.tag == kInserted ? " inserted" : " " + std::to_string(delivery.packet.tag);
      }
      note(text);
    };
  }
};

// Sends one packet on a line at each of its times.
class Sender final : public Host {
 public:
  Sender(Journal& journal, std::string name, std::vector<std::uint64_t> times, Line* line = nullptr)
      : journal_(journal), name_(std::move(name)), times_(std::move(times)), line_(line) {}

  [[nodiscard]] std::uint64_t next_ns() const override { return next_ < times_.size() ? times_[next_] : kNever; }
  void act() override {
    journal_.note(name_ + " acts");
    if (line_ != nullptr) line_->send(packet_of(next_));
    ++next_;
  }

 private:
  Journal& journal_;
  std::string name_;
  std::vector<std::uint64_t> times_;
  Line* line_;
  std::size_t next_ = 0;
};

using Lines = std::vector<std::string>;

TEST(Simulation, HostsActInTheOrderOfTheirTimesAndThenOfTheirAddition) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Sender late(journal, "late", {30}), first(journal, "first", {10, 20}), second(journal, "second", {10});
  for (Host* const host : {&late, &first, &second}) simulation.add(*host);
  simulation.run();
  EXPECT_EQ(journal.lines, (Lines{"at 10: first acts", "at 10: second acts", "at 20: first acts", "at 30: late acts"}));
}

TEST(Simulation, WhatArrivesAtAMomentIsReceivedBeforeAHostActsAtIt) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Line& line = simulation.connect(delayed(10), 1, 1, {}, journal.receiver("far"));
  Sender sender(journal, "near", {10, 20}, &line);
  simulation.add(sender);
  simulation.run();
  EXPECT_EQ(journal.lines,
            (Lines{"at 10: near acts", "at 20: far receives 0", "at 20: near acts", "at 30: far receives 1"}));
}

TEST(Simulation, AHostMayWaitUntilNothingIsOnItsWay) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Line& line = simulation.connect(delayed(50), 1, 1, {}, journal.receiver("far"));
  Sender sender(journal, "near", {10, kWhenIdle}, &line), other(journal, "other", {40});
  simulation.add(sender);
  simulation.add(other);
  simulation.run();
  EXPECT_EQ(journal.lines, (Lines{"at 10: near acts", "at 40: other acts", "at 60: far receives 0", "at 60: near acts",
                                  "at 110: far receives 1"}));
}

TEST(Simulation, ATimeThatHasPassedMeansNow) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Line& line = simulation.connect(delayed(50), 1, 1, {}, journal.receiver("far"));
  Sender sender(journal, "near", {10, kWhenIdle, 5}, &line);
  simulation.add(sender);
  simulation.run();
  EXPECT_EQ(journal.lines, (Lines{"at 10: near acts", "at 60: far receives 0", "at 60: near acts", "at 60: near acts",
                                  "at 110: far receives 1", "at 110: far receives 2"}));
}

TEST(Simulation, PacketsThatArriveAtOneMomentAreReceivedInBursts) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Line& bursts = simulation.connect(delayed(10), 1, 2, {}, journal.receiver("bursts"));
  Line& single = simulation.connect(delayed(10), 2, 1, {}, journal.receiver("single"));
  for (std::uint64_t tag = 0; tag < 3; ++tag) bursts.send(packet_of(tag));
  for (std::uint64_t tag = 3; tag < 5; ++tag) single.send(packet_of(tag));
  bursts.send(packet_of(5));
  simulation.run();
  EXPECT_EQ(journal.lines, (Lines{"at 10: bursts receives 0 1", "at 10: bursts receives 2", "at 10: single receives 3",
                                  "at 10: single receives 4", "at 10: bursts receives 5"}));
}

TEST(Simulation, ATapSeesPacketsAsTheyLeaveTheirSender) {
  Simulation simulation;
  Impairment impairment;
  impairment.flip[0] = {0};
  impairment.drop = {1};
  impairment.insert[1] = {{{0x11}, 0, 0, false}, {{}, 0, 0, true}};
  Lines seen;
  Line& line = simulation.connect(std::move(impairment), 1, 1,
                                  [&](const LinkPacket& packet, const std::string& comment) {
                                    seen.push_back(std::to_string(packet.octets.front()) + " " + comment);
                                  },
                                  {});
  line.send(packet_of(0));
  line.send(packet_of(1), "NACK");
  line.send(packet_of(2), "NACK");
  simulation.run();
  EXPECT_EQ(seen, (Lines{"170 bits flipped: 0", "17 inserted", "170 NACK; lost: scripted_drop", "170 NACK"}));
}

TEST(Simulation, AtTheEndHeldPacketsAndInsertionsBehindTheLastOneArrive) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Impairment impairment;
  impairment.reorder = {1.0, 5};
  impairment.insert[1] = {{{0x11}, 0, 0, false}};
  Line& line = simulation.connect(std::move(impairment), 1, 1, {}, journal.receiver("far"));
  Sender sender(journal, "near", {10}, &line);
  simulation.add(sender);
  simulation.run();
  EXPECT_EQ(journal.lines, (Lines{"at 10: near acts", "at 10: far receives inserted", "at 10: far receives 0"}));
}

// The answer to a packet that is released at the end is sent behind the first flush: there is a second one.
TEST(Simulation, ScriptedEventsThatNeverComeCountOnce) {
  Simulation simulation;
  Impairment impairment;
  impairment.reorder = {1.0, 5};
  impairment.drop = {7};
  Line& line = simulation.connect(std::move(impairment), 1, 1, {}, [](std::span<const Delivery>) {});
  line.send(packet_of(0));
  simulation.run();
  EXPECT_EQ(line.counts().script_missed, 1u);
}

// Two hosts without a script, one packet in flight: each sends when it receives, as a protocol's sender does.
TEST(Simulation, ReceiversMaySend) {
  Simulation simulation;
  Journal journal{simulation, {}};
  Line* back = nullptr;
  Line* forth = nullptr;
  const auto answer = [&](const std::string& name, Line*& line) {
    return [&journal, &line, name](std::span<const Delivery> burst) {
      const std::uint64_t tag = burst.front().packet.tag;
      journal.note(name + " receives " + std::to_string(tag));
      if (tag < 3) line->send(packet_of(tag + 1));
    };
  };
  forth = &simulation.connect(delayed(5), 1, 1, {}, answer("b", back));
  back = &simulation.connect(delayed(7), 2, 1, {}, answer("a", forth));
  forth->send(packet_of(0));
  simulation.run();
  EXPECT_EQ(journal.lines,
            (Lines{"at 5: b receives 0", "at 12: a receives 1", "at 17: b receives 2", "at 24: a receives 3"}));
}

TEST(Simulation, ExceptionsOfAReceiverComeThrough) {
  Simulation simulation;
  Line& line = simulation.connect({}, 1, 1, {}, [](std::span<const Delivery>) { throw std::runtime_error("no"); });
  line.send(packet_of(0));
  EXPECT_THROW(simulation.run(), std::runtime_error);
}

}  // namespace
}  // namespace headroom::sim
