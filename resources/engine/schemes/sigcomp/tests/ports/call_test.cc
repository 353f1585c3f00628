// SPDX-License-Identifier: Apache-2.0
//
// Calls: who sends what when, what counts as arrived, the job, and whole runs with DPDK's rings and files in the place
// of interfaces.
#include "schemes/sigcomp/ports/call.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/hex.h"
#include "capture/reader.h"
#include "capture/writer.h"
#include "schemes/sigcomp/ports/calls.h"

namespace headroom::sigcomp::ports {
namespace {

constexpr bool kCaller = true, kCalled = false;

Message said_by(bool caller, const std::string& text, std::uint64_t pause_ns = 0) {
  return {caller, Octets(text.begin(), text.end()), pause_ns};
}

// INVITE, two answers at once, ACK, and a goodbye after a pause, which is answered.
std::vector<Message> dialogue() {
  return {said_by(kCaller, "INVITE"), said_by(kCalled, "180"),       said_by(kCalled, "200"),
          said_by(kCaller, "ACK"),    said_by(kCaller, "BYE", 1000), said_by(kCalled, "200")};
}

// Takes the next packet of a side off its queue.
Octets sent(Calls& calls, bool caller, std::uint64_t now_ns = 1) {
  EXPECT_GT(calls.waiting(caller), 0u);
  const OctetView packet = calls.packet_of(calls.turn(caller, 0));
  Octets octets(packet.begin(), packet.end());
  calls.note_sent(caller, now_ns);
  return octets;
}

Calls::Arrival carry(Calls& calls, bool from_caller, std::uint64_t now_ns = 1) {
  const Octets packet = sent(calls, from_caller, now_ns);
  return calls.note_arrival(!from_caller, packet, now_ns);
}

std::string payload_of(const Octets& packet) { return {packet.begin() + kUdpIpv4Header, packet.end()}; }

TEST(Calls, EachSideWaitsForWhatTheOtherSays) {
  Calls calls(dialogue(), 10, 3);
  calls.begin(0);
  EXPECT_EQ(calls.waiting(kCaller), 1u);
  EXPECT_EQ(calls.waiting(kCalled), 0u);
  carry(calls, kCaller);
  ASSERT_EQ(calls.waiting(kCalled), 2u) << "two messages of one side follow each other";
  carry(calls, kCalled);
  EXPECT_EQ(calls.waiting(kCaller), 0u) << "the ACK is for the second answer";
  carry(calls, kCalled);
  ASSERT_EQ(calls.waiting(kCaller), 1u) << "the BYE waits for its pause";
  EXPECT_EQ(payload_of(sent(calls, kCaller)), "ACK");
  calls.wake(999);
  EXPECT_EQ(calls.waiting(kCaller), 0u);
  calls.wake(1001);
  EXPECT_FALSE(carry(calls, kCaller).completes);
  EXPECT_EQ(calls.waiting(kCalled), 0u) << "the ACK never arrived";
}

TEST(Calls, ACallIsCompleteWithItsLastMessage) {
  Calls calls(dialogue(), 10, 3);
  calls.begin(0);
  carry(calls, kCaller, 5);
  carry(calls, kCalled);
  carry(calls, kCalled);
  carry(calls, kCaller);
  calls.wake(5000);
  carry(calls, kCaller);
  const Calls::Arrival last = carry(calls, kCalled, 6000);
  EXPECT_EQ(last.kind, Calls::Kind::arrived);
  EXPECT_TRUE(last.completes);
  EXPECT_EQ(last.began_ns, 5u);
  EXPECT_EQ(last.turn.message, 5);
  EXPECT_EQ(calls.active(), 0u);
}

TEST(Calls, PacketsAreWholeAndEachCallHasPortsOfItsOwn) {
  Calls calls({said_by(kCaller, "odd"), said_by(kCalled, "even")}, 3, 7);
  std::set<Octets> ends;
  for (int i = 0; i < 7; ++i) {
    calls.begin(0);
    const Octets there = sent(calls, kCaller);
    ASSERT_EQ(there.size(), 31u);
    EXPECT_EQ(load16(&there[2]), 31);
    EXPECT_EQ(checksum_fold(checksum_add(0, OctetView(there).first(20))), 0xFFFF);
    const std::uint32_t pseudo = checksum_add(17 + 11, OctetView(there).subspan(12, 8));
    EXPECT_EQ(checksum_fold(checksum_add(pseudo, OctetView(there).subspan(20))), 0xFFFF);
    EXPECT_EQ(load16(&there[22]), kSipPort);
    EXPECT_TRUE(ends.emplace(there.begin() + 12, there.begin() + 22).second) << "another call has these ends";
    (void)calls.note_arrival(kCalled, there, 1);
    const Octets back = sent(calls, kCalled);
    EXPECT_TRUE(std::equal(&back[12], &back[16], &there[16]));
    EXPECT_TRUE(std::equal(&back[16], &back[20], &there[12]));
    EXPECT_EQ(load16(&back[20]), kSipPort);
    EXPECT_EQ(load16(&back[22]), load16(&there[20]));
    EXPECT_TRUE(calls.note_arrival(kCaller, back, 1).completes);
  }
}

TEST(Calls, WhatNobodySentIsUnexpectedOctetByOctet) {
  Calls calls(dialogue(), 10, 2);
  calls.begin(0);
  const OctetView view = calls.packet_of({0, 0});
  const Octets packet(view.begin(), view.end());
  EXPECT_EQ(calls.note_arrival(kCalled, packet, 1).kind, Calls::Kind::unexpected) << "not sent yet";
  (void)sent(calls, kCaller);
  for (std::size_t i = 0; i < packet.size(); ++i) {
    Octets damaged = packet;
    damaged[i] ^= 1;
    EXPECT_EQ(calls.note_arrival(kCalled, damaged, 1).kind, Calls::Kind::unexpected) << i;
    EXPECT_EQ(calls.note_arrival(kCalled, OctetView(packet).first(i), 1).kind, Calls::Kind::unexpected) << i;
  }
  EXPECT_EQ(calls.note_arrival(kCaller, packet, 1).kind, Calls::Kind::unexpected) << "at the wrong side";
  EXPECT_EQ(calls.note_arrival(kCalled, packet, 1).kind, Calls::Kind::arrived);
  EXPECT_EQ(calls.note_arrival(kCalled, packet, 1).kind, Calls::Kind::duplicate);
  EXPECT_EQ(calls.waiting(kCalled), 2u) << "once";
}

TEST(Calls, MessagesWithTheSameOctetsArriveOneAfterTheOther) {
  Calls calls({said_by(kCaller, "again"), said_by(kCaller, "again")}, 1, 1);
  calls.begin(0);
  const Octets first = sent(calls, kCaller), second = sent(calls, kCaller);
  ASSERT_EQ(first, second);
  EXPECT_EQ(calls.note_arrival(kCalled, first, 1).turn.message, 0);
  EXPECT_TRUE(calls.note_arrival(kCalled, second, 1).completes);
  EXPECT_EQ(calls.note_arrival(kCalled, second, 1).kind, Calls::Kind::duplicate);
}

// ------------------------------------------------------------------------------------------------ jobs

constexpr const char* kPorts = R"("ports": [{"vdev": "net_null0"}, {"vdev": "net_null1"}])";
constexpr const char* kMessages = R"("messages": [{"from": "caller", "hex": "01"}, {"from": "called", "hex": "02"}])";

std::string refusal(const std::string& rest) {
  try {
    (void)read_call_job(parse_json("{" + std::string(kPorts) + ", " + rest + "}"));
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "";
}

TEST(CallJob, SaysWhatIsWrong) {
  const std::string messages = kMessages, often = R"("calls_per_s": 10, "duration_s": 1)";
  EXPECT_EQ(refusal(messages + ", " + often), "");
  const auto says = [&](const std::string& job, const std::string& words) {
    EXPECT_NE(refusal(job).find(words), std::string::npos) << refusal(job);
  };
  says(often, "messages");
  says(R"("messages": [], )" + often, "1 to 64 messages");
  says(R"("messages": [{"from": "called", "hex": "01"}], )" + often, "the caller's");
  says(R"("messages": [{"from": "both", "hex": "01"}], )" + often, "/messages/0/from");
  says(R"("messages": [{"from": "caller", "hex": "0"}], )" + often, "/messages/0/hex");
  says(R"("mtu": 68, "messages": [{"from": "caller", "hex": ")" + std::string(82, '0') + R"("}], )" + often,
       "no more than 40 fit");
  says(messages + R"(, "calls_per_s": 10)", "duration_s");
  says(messages + R"(, "calls_per_s": 0.1, "duration_s": 1)", "no call at all");
  says(messages + R"(, "calls_per_s": 1000000, "duration_s": 60)", "shorter time");
  says(messages + R"(, "callers": 1, "calls_per_s": 100000, "duration_s": 1)", "64512 ports");
  says(messages + R"(, "rate_pps": 7, )" + often, "rate_pps");
}

// ------------------------------------------------------------------------------------------------ whole runs

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/headroom-call-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Json run_engine(const Scratch& scratch, const Json& job) {
  std::ofstream(scratch.at("job.json")) << job.dump();
  const std::string line =
      "exec " HEADROOM_ENGINE " call --job " + scratch.at("job.json") + " 2>" + scratch.at("complaint");
  std::FILE* pipe = popen(line.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  pclose(pipe);
  return parse_json(output);
}

TEST(Call, CallsThatNobodyAnswersFail) {
  const Scratch scratch;
  Json ports = Json::array();
  for (const char* number : {"0", "1"}) {
    PcapWriter(scratch.at(std::string(number) + ".pcap"), LinkType::ethernet).close();
    ports.push_back(
        {{"vdev", "net_pcap" + std::string(number) + ",rx_pcap=" + scratch.at(std::string(number) + ".pcap") +
                      ",tx_pcap=" + scratch.at("out" + std::string(number) + ".pcap")}});
  }
  const Json result = run_engine(
      scratch, {{"ports", ports},
                {"messages", {{{"from", "caller"}, {"hex", "494e56"}}, {{"from", "called"}, {"hex", "323030"}}}},
                {"calls_per_s", 200},
                {"warmup_s", 0.05},
                {"duration_s", 0.1},
                {"drain_s", 0.05},
                {"eal", {{"memory_mb", 128}}}});
  ASSERT_TRUE(result.contains("calls")) << result.dump();
  EXPECT_EQ(result["complete"], true);
  EXPECT_EQ(result["calls"]["began"], 20);
  EXPECT_EQ(result["calls"]["completed"], 0);
  EXPECT_EQ(result["calls"]["failed"], 20);
  EXPECT_EQ(result["calls"]["warmup"], Json({{"began", 10}, {"completed", 0}}));
  EXPECT_EQ(result["calls"]["most_at_once"], 30);
  EXPECT_EQ(result["forward"]["lost"], 20);
  EXPECT_EQ(result["reverse"]["sent"], 0);
  const Capture called = read_capture(scratch.at("out0.pcap"), {});
  ASSERT_EQ(called.packets.size(), 30u);
  EXPECT_EQ(payload_of(called.packets[0].octets), "INV");
}

}  // namespace
}  // namespace headroom::sigcomp::ports
