// SPDX-License-Identifier: Apache-2.0
//
// `link` and `generate`: their books and jobs, and whole runs of the program with DPDK's device that reads and writes
// capture files in the place of interfaces.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "capture/reader.h"
#include "capture/writer.h"
#include "commands.h"
#include "io/published.h"
#include "profiles.h"
#include "traffic/render.h"
#include "wire/expected.h"
#include "wire/frames.h"
#include "wire/generate.h"
#include "wire/link.h"

namespace headroom::wire {
namespace {

SourcePacket packet_of(std::uint8_t first, std::size_t length = 20) {
  SourcePacket packet;
  packet.octets.assign(length, 0);
  packet.octets[0] = first;
  return packet;
}

TEST(Hash, DependsOnEveryOctetAndOnTheLength) {
  Octets octets(27, 0);
  const std::uint64_t plain = hash_of(octets);
  for (std::size_t i = 0; i < octets.size(); ++i) {
    octets[i] = 1;
    EXPECT_NE(hash_of(octets), plain) << i;
    octets[i] = 0;
  }
  octets.push_back(0);
  EXPECT_NE(hash_of(octets), plain);
}

std::vector<std::uint64_t> hashes_of(const std::vector<SourcePacket>& packets) {
  std::vector<std::uint64_t> hashes;
  for (const SourcePacket& packet : packets) hashes.push_back(hash_of(packet.octets));
  return hashes;
}

TEST(Expected, KnowsWhatArrivesAndWhenItWasSent) {
  const std::vector<SourcePacket> packets = {packet_of(1), packet_of(2), packet_of(3)};
  Expected expected(hashes_of(packets));
  EXPECT_EQ(expected.note_arrival(hash_of(packets[0].octets)).kind, Expected::Kind::unexpected) << "not sent yet";
  expected.note_sent(0, 10);
  expected.note_sent(1, 20);
  const Expected::Arrival arrival = expected.note_arrival(hash_of(packets[1].octets));
  EXPECT_EQ(arrival.kind, Expected::Kind::arrived);
  EXPECT_EQ(arrival.index, 1u);
  EXPECT_EQ(arrival.sent_ns, 20u);
  EXPECT_TRUE(expected.has_arrived(1));
  EXPECT_FALSE(expected.has_arrived(0));
  EXPECT_EQ(expected.note_arrival(hash_of(packets[1].octets)).kind, Expected::Kind::duplicate);
  EXPECT_EQ(expected.note_arrival(hash_of(packet_of(9).octets)).kind, Expected::Kind::unexpected);
}

// Traffic whose packets repeat: the first copy to be sent is the first to arrive.
TEST(Expected, TellsEqualPacketsApartByTheirOrder) {
  const std::vector<SourcePacket> packets = {packet_of(7), packet_of(7), packet_of(7)};
  Expected expected(hashes_of(packets));
  expected.note_sent(0, 10);
  expected.note_sent(1, 20);
  EXPECT_EQ(expected.note_arrival(hash_of(packets[0].octets)).sent_ns, 10u);
  EXPECT_EQ(expected.note_arrival(hash_of(packets[0].octets)).sent_ns, 20u);
  EXPECT_EQ(expected.note_arrival(hash_of(packets[0].octets)).kind, Expected::Kind::duplicate)
      << "the third is not sent yet";
  expected.note_sent(2, 30);
  EXPECT_EQ(expected.note_arrival(hash_of(packets[0].octets)).index, 2u);
}

TEST(Frames, HeaderEndsBehindTheLastTagAndPppoe) {
  Octets frame(60, 0);
  frame[12] = 0x08;
  EXPECT_EQ(frame_header(frame), 14u);
  frame[12] = 0x88, frame[13] = 0xA8, frame[16] = 0x81, frame[20] = 0x22;
  EXPECT_EQ(frame_header(frame), 22u);
  EXPECT_EQ(frame_header({frame.data(), 15}), 15u) << "cut off within a tag";
  frame[20] = 0x88, frame[21] = 0x64;
  EXPECT_EQ(frame_header(frame), 30u) << "RFC 2516, 4: six octets, and PPP's protocol number";
  EXPECT_EQ(frame_header({frame.data(), 25}), 25u) << "cut off within PPPoE";
}

TEST(Published, TellsWhatWasAskedFor) {
  io::Published<int> published;
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    for (int i = 1; !stop; ++i) published.offer([&] { return i; });
    published.tell(-1);
  });
  EXPECT_GT(published.ask(std::chrono::seconds(10)), 0);
  stop = true;
  worker.join();
  EXPECT_EQ(published.last(), -1);
}

// -------------------------------------------------------------------------------------------- commands

TEST(PortsCommands, CarryOutWhatTheOtherProgramDoesNot) {
  std::size_t with_ports = 0;
  for (const Command& command : commands()) {
    const auto here = find_ports_command(command.name);
    EXPECT_EQ(command.needs_ports(), here.has_value()) << command.name;
    if (!here) continue;
    ++with_ports;
    EXPECT_EQ(here->serve != nullptr, command.serves) << command.name;
    EXPECT_NE(here->serve != nullptr, static_cast<bool>(here->run)) << command.name;
  }
  EXPECT_GE(with_ports, 4u) << "node, link, generate and serve";
  EXPECT_FALSE(find_ports_command("no such command"));
}

// ------------------------------------------------------------------------------------------------ jobs

constexpr const char* kTwoPorts = R"("ports": [{"vdev": "net_null0"}, {"vdev": "net_null1"}])";

std::string generate_refusal(const std::string& rest) {
  const std::string profile = R"("profile": )" + testing::call_profile().dump();
  try {
    (void)read_generate_job(parse_json("{" + profile + ", " + rest + "}"));
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "";
}

TEST(GenerateJob, SaysWhatIsWrong) {
  const std::string ports = kTwoPorts;
  EXPECT_EQ(generate_refusal(ports + R"(, "rate_pps": 100, "duration_s": 1)"), "");
  EXPECT_NE(generate_refusal(R"("ports": [{"vdev": "net_null0"}], "rate_pps": 1, "duration_s": 1)").find("/ports"),
            std::string::npos);
  EXPECT_NE(generate_refusal(ports + R"(, "rate_pps": 100)").find("duration_s"), std::string::npos);
  EXPECT_NE(generate_refusal(ports + R"(, "rate_pps": 1e8, "duration_s": 3600)").find("shorter time"),
            std::string::npos);
  EXPECT_NE(generate_refusal(ports + R"(, "rate_pps": 100, "duration_s": 1, "vlan": 4095)").find("/vlan"),
            std::string::npos);
  EXPECT_NE(generate_refusal(ports + R"(, "rate_pps": 100, "duration_s": 1, "speed": 1)").find("speed"),
            std::string::npos);
}

TEST(LinkJob, TakesTheImpairmentsOfReplay) {
  const std::string ports = R"("a": {"vdev": "net_null0"}, "b": {"vdev": "net_null1"})";
  const LinkJob job = read_link_job(parse_json(
      "{" + ports + R"(, "forward": {"loss": 0.1, "rate_bps": 1000000, "queue_octets": 3000, "queue_packets": 6}})"));
  EXPECT_EQ(job.forward.loss, 0.1);
  EXPECT_EQ(job.forward.queue_octets, 3000u);
  EXPECT_EQ(job.forward.queue_packets, 6u);
  EXPECT_EQ(job.reverse.loss, 0);
  EXPECT_THROW((void)read_link_job(parse_json("{" + ports + R"(, "forward": {"queue_octets": 3000}})")), Error);
  EXPECT_THROW((void)read_link_job(parse_json("{" + ports + R"(, "forward": {"lost": 0.1}})")), Error);
}

// ------------------------------------------------------------------------------------------------ whole runs

class Scratch {
 public:
  Scratch() {
    char name[] = "/tmp/headroom-wire-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Json run_engine(const Scratch& scratch, const std::string& command, const Json& job) {
  std::ofstream(scratch.at("job.json")) << job.dump();
  const std::string line =
      "exec " HEADROOM_ENGINE " " + command + " --job " + scratch.at("job.json") + " 2>" + scratch.at("complaint");
  std::FILE* pipe = popen(line.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), n);
  pclose(pipe);
  return parse_json(output);
}

Octets ipv4_packet(std::uint8_t number, std::size_t length) {
  Octets packet(length, number);
  const std::array<std::uint8_t, 10> header = {0x45, 0, 0, static_cast<std::uint8_t>(length), 0, number, 0, 0, 64, 17};
  std::copy(header.begin(), header.end(), packet.begin());
  return packet;
}

Json pcap_port(const Scratch& scratch, int number, const std::string& in, const std::string& out) {
  return {{"vdev", "net_pcap" + std::to_string(number) + ",rx_pcap=" + scratch.at(in) + ",tx_pcap=" + scratch.at(out)}};
}

TEST(Link, DoesToFramesWhatItsScriptSays) {
  const Scratch scratch;
  std::vector<Octets> sent;
  {
    PcapWriter in(scratch.at("a-in.pcap"), LinkType::ethernet), none(scratch.at("b-in.pcap"), LinkType::ethernet);
    for (std::uint8_t i = 0; i < 5; ++i) {
      sent.push_back(ipv4_packet(i, 60));
      in.write(0, ethernet_frame(kMacB, kMacA, kEtherTypeIpv4, sent.back()));
    }
    in.close();
    none.close();
  }
  const Json result = run_engine(scratch, "link",
                                 {{"a", pcap_port(scratch, 0, "a-in.pcap", "a-out.pcap")},
                                  {"b", pcap_port(scratch, 1, "b-in.pcap", "b-out.pcap")},
                                  {"forward",
                                   {{"drop", {1}},
                                    {"flip", {{{"packet", 3}, {"bit", 400}}}},
                                    {"header_errors", "deliver"},
                                    {"delay_ns", 1'000'000}}},
                                  {"eal", {{"memory_mb", 128}}},
                                  {"capture", scratch.at("link.pcapng")},
                                  {"duration_s", 0.5}});
  ASSERT_TRUE(result.contains("forward")) << result.dump();
  EXPECT_EQ(result["forward"]["packets"], 5);
  EXPECT_EQ(result["forward"]["lost"], Json({{"scripted_drop", 1}}));
  EXPECT_EQ(result["forward"]["sent"], 4);
  EXPECT_EQ(result["reverse"]["packets"], 0);

  const Capture out = read_capture(scratch.at("b-out.pcap"), {});
  ASSERT_EQ(out.packets.size(), 4u);
  EXPECT_EQ(out.packets[0].octets, sent[0]);
  EXPECT_EQ(out.packets[1].octets, sent[2]);
  Octets damaged = sent[3];
  damaged[50] ^= 0x80;  // bit 400, counted behind Ethernet's header
  EXPECT_EQ(out.packets[2].octets, damaged);
  EXPECT_EQ(read_capture(scratch.at("link.pcapng"), {}).packets.size(), 5u) << "what was lost is in the capture, too";
}

TEST(Generate, SendsWhatRenderMakes) {
  const Scratch scratch;
  for (const char* name : {"0.pcap", "1.pcap"}) PcapWriter(scratch.at(name), LinkType::ethernet).close();
  const Json job = {
      {"ports", {pcap_port(scratch, 0, "0.pcap", "forward.pcap"), pcap_port(scratch, 1, "1.pcap", "reverse.pcap")}},
      {"profile", testing::call_profile()},
      {"flows", 3},
      {"seed", 5},
      {"rate_pps", 1000},
      {"warmup_s", 0.02},
      {"duration_s", 0.1},
      {"drain_s", 0.01},
      {"eal", {{"memory_mb", 128}}}};
  Json result = run_engine(scratch, "generate", job);
  // A machine with other things to do may keep it from sending while its time goes by: that is no defect.
  for (int again = 0; again < 9 && result.contains("forward") && result["forward"]["fell_behind"] == true; ++again)
    result = run_engine(scratch, "generate", job);
  ASSERT_TRUE(result.contains("forward")) << result.dump();
  EXPECT_EQ(result["complete"], true);
  EXPECT_EQ(result["forward"]["sent"], 100);
  EXPECT_EQ(result["forward"]["lost"], 100) << "nothing comes back from a file";
  EXPECT_EQ(result["forward"]["warmup"]["sent"], 20);

  const Json document = testing::call_profile();
  const traffic::Profile profile = traffic::read_profile(Value(document, ""));
  for (const bool reverse : {false, true}) {
    const auto made = traffic::render(profile, {3, 120, std::nullopt}, 5, {.reverse = reverse});
    const Capture sent = read_capture(scratch.at(reverse ? "reverse.pcap" : "forward.pcap"), {});
    ASSERT_EQ(sent.packets.size(), made.size());
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(sent.packets[i].octets, made[i].octets) << i;
  }
}

// Requests line by line: jobs over the same ports, and errors after which it goes on.
TEST(Serve, CarriesOutOneJobAfterTheOther) {
  const Scratch scratch;
  const auto request = [](const Json& id, const char* method, const Json& job) {
    return Json({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", job}}).dump() + "\n";
  };
  Json job = {{"ports", {{{"vdev", "net_null0"}}, {{"vdev", "net_null1"}}}},
              {"profile", testing::call_profile()},
              {"rate_pps", 1000},
              {"duration_s", 0.05},
              {"drain_s", 0.01},
              {"eal", {{"memory_mb", 128}}}};
  std::ofstream requests(scratch.at("requests"));
  requests << request(1, "generate", Json::object()) << "no JSON\n" << request("two", "generate", job);
  job["rate_pps"] = 400;
  requests << request(3, "generate", job) << request(4, "replay", job);
  job["mtu"] = 1400;
  requests << request(5, "generate", job) << "{}";  // not a whole line, and so no request
  requests.close();

  const std::string line =
      "exec " HEADROOM_ENGINE " serve < " + scratch.at("requests") + " 2>" + scratch.at("complaint");
  std::FILE* pipe = popen(line.c_str(), "r");
  std::string said;
  for (int letter; (letter = std::fgetc(pipe)) != EOF;) said += static_cast<char>(letter);
  EXPECT_EQ(pclose(pipe), 0);
  std::vector<Json> replies;
  std::istringstream lines(said);
  for (std::string one; std::getline(lines, one);) replies.push_back(parse_json(one));
  ASSERT_EQ(replies.size(), 6u) << said;
  EXPECT_EQ(replies[0]["id"], 1);
  EXPECT_EQ(replies[0]["error"]["data"]["exception"], "job");
  EXPECT_EQ(replies[1]["id"], nullptr);
  EXPECT_EQ(replies[2]["id"], "two");
  EXPECT_EQ(replies[2]["result"]["forward"]["requested_pps"], 1000);
  EXPECT_LE(replies[2]["result"]["forward"]["sent"], 50) << "a busy machine may keep it from sending";
  EXPECT_EQ(replies[3]["result"]["forward"]["requested_pps"], 400);
  EXPECT_LE(replies[3]["result"]["forward"]["sent"], 20);
  EXPECT_TRUE(replies[4].contains("error"));
  EXPECT_EQ(replies[5]["error"]["data"]["where"], "/ports");
}

TEST(Generate, NamesAnInterfaceThatIsNotThere) {
  const Scratch scratch;
  const Json result = run_engine(scratch, "generate",
                                 {{"ports", {{{"interface", "hr-none0"}}, {{"interface", "hr-none1"}}}},
                                  {"profile", testing::call_profile()},
                                  {"rate_pps", 1},
                                  {"duration_s", 1}});
  EXPECT_EQ(result["error"]["kind"], "input");
  EXPECT_EQ(result["error"]["where"], "/ports/0/interface");
}

}  // namespace
}  // namespace headroom::wire
