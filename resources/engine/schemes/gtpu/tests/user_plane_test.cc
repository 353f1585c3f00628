// SPDX-License-Identifier: Apache-2.0
//
// The command `user-plane`, with the example adapter and with adapters that break a promise.
#include "adapter/user_plane.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/hex.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "schemes/gtpu/tests/user_plane_packets.h"
#include "schemes/gtpu/user_plane/capture.h"
#include "schemes/gtpu/user_plane/session.h"

namespace headroom::gtpu {
namespace {

using testing::adapter;
using testing::echo_request;
using testing::example_config;
using testing::from_user;
using testing::to_user;
using testing::uplink;

Json session_job(std::size_t workers = 1) {
  return {{"user_plane", adapter("example-user-plane")}, {"workers", workers}};
}

Json packet_step(const Octets& octets, const char* side) { return {{"packet", to_hex(octets)}, {"side", side}}; }

// Answers of a session, the greeting first.
std::vector<Json> answers(const Json& job, const std::vector<Json>& steps) {
  UserPlaneSession session(read_session_job(parse_json(job.dump())));
  std::vector<Json> all = {session.greeting()};
  for (const Json& step : steps) all.push_back(session.step(parse_json(step.dump())));
  return all;
}

struct Ran {
  int status = -1;
  std::vector<Json> lines;
};

// Runs the program with lines on its standard input.
Ran run_program(const std::vector<std::string>& lines) {
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  const std::string path = ::testing::TempDir() + "/user_plane_" + std::to_string(getpid());
  std::ofstream(path) << input;
  std::FILE* pipe = popen((HEADROOM_ENGINE " user-plane 2>/dev/null < " + path).c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
  Ran ran{WEXITSTATUS(pclose(pipe)), {}};
  std::filesystem::remove(path);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    ran.lines.push_back(parse_json(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return ran;
}

TEST(UserPlane, ForwardsBothWays) {
  const Octets sent = from_user(5), received = to_user(5);
  const auto all = answers(session_job(), {packet_step(uplink(5, sent), "N3"), packet_step(received, "N6")});
  EXPECT_EQ(all[0]["ready"], true);
  EXPECT_GT(all[0]["made_ns"], 0);
  EXPECT_EQ(all[0]["description"]["scheme"], "gtpu");
  const Json up = all[1]["outcomes"][0], down = all[2]["outcomes"][0];
  EXPECT_EQ(up["status"], "OK");
  EXPECT_EQ(up["side"], "N6");
  EXPECT_EQ(up["octets"], to_hex(sent));
  EXPECT_EQ(down["status"], "OK");
  EXPECT_EQ(down["side"], "N3");
  const Octets tunnelled = *from_hex(down["octets"].get<std::string>());
  ASSERT_EQ(tunnelled.size(), received.size() + 44);
  EXPECT_EQ(Octets(tunnelled.end() - static_cast<std::ptrdiff_t>(received.size()), tunnelled.end()), received);
  EXPECT_EQ(load32(&tunnelled[32]), testing::kAccessTeid + 5);
  EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(tunnelled).first(20))), 0) << "the checksum of the outer header";
}

TEST(UserPlane, SaysWhyAPacketIsNotPassedOn) {
  const auto all = answers(session_job(), {packet_step(uplink(testing::kSessions, from_user(0)), "N3"),
                                           packet_step(uplink(3, from_user(4)), "N3"), packet_step({0x45}, "N6")});
  EXPECT_EQ(all[1]["outcomes"][0], Json({{"status", "NOTHING"}, {"reason", "no-session"}}));
  EXPECT_EQ(all[2]["outcomes"][0], Json({{"status", "NOTHING"}, {"reason", "no-rule"}}));
  EXPECT_EQ(all[3]["outcomes"][0]["status"], "ERR_MALFORMED");
}

TEST(UserPlane, TakesWhatIsNoPacketOfForward) {
  Json step = packet_step(echo_request(0x1234), "N3");
  step["time_ns"] = 77;
  const auto all = answers(session_job(), {step});
  EXPECT_EQ(all[1]["outcomes"][0]["reason"], "answered");
  ASSERT_EQ(all[1]["taken"].size(), 1u);
  EXPECT_EQ(all[1]["taken"][0]["side"], "N3");
  EXPECT_EQ(all[1]["taken"][0]["time_ns"], 77);
  const Octets answer = *from_hex(all[1]["taken"][0]["octets"].get<std::string>());
  EXPECT_EQ(to_hex(OctetView(answer).subspan(28)),
            "320200060000000012340000"
            "0e00");
}

TEST(UserPlane, RepeatsAPacketAndCounts) {
  Json step = packet_step(to_user(1), "N6");
  step["count"] = 50;
  step["interval_ns"] = 10;
  step["time_ns"] = 100;
  const auto all = answers(session_job(), {step});
  EXPECT_EQ(all[1]["counts"], Json({{"OK", 50}}));
  EXPECT_EQ(all[1]["octets_out"], 50 * (to_user(1).size() + 44));
  EXPECT_EQ(all[1]["outcomes"].size(), 2u) << "the first and the last";
  EXPECT_EQ(all[1]["time_ns"], 100 + 49 * 10);
}

TEST(UserPlane, ABurstIsOneCallOfItsWorker) {
  const Json burst = {{{"packet", to_hex(to_user(1))}, {"side", "N6"}},
                      {{"packet", to_hex(uplink(2, from_user(2)))}, {"side", "N3"}}};
  const auto all = answers(session_job(2), {{{"burst", burst}, {"worker", 1}}, {{"statistics", true}}});
  EXPECT_EQ(all[1]["outcomes"][0]["side"], "N3");
  EXPECT_EQ(all[1]["outcomes"][1]["side"], "N6");
  EXPECT_EQ(all[2]["statistics"].size(), 2u);
  EXPECT_EQ(all[2]["statistics"][0]["contexts"], testing::kSessions);
}

TEST(UserPlane, RefusesAStepThatIsWrongAndGoesOn) {
  const std::string good = packet_step(to_user(1), "N6").dump();
  const Ran ran = run_program({session_job().dump(), "{", R"({"dance": true})", R"({"n4": "20", "peer": "192.0.2.1"})",
                               R"({"packet": "4", "side": "N6"})", R"({"packet": "45", "side": "N4"})",
                               R"({"packet": "45", "side": "N6", "worker": 1})", R"({"advance": true, "time_ns": 5})",
                               R"({"advance": true, "time_ns": 4})", good, R"({"end": true})", good});
  EXPECT_EQ(ran.status, 0);
  ASSERT_EQ(ran.lines.size(), 11u) << "nothing behind the end is answered";
  for (const std::size_t wrong : {1u, 2u, 3u, 4u, 5u, 6u, 8u}) {
    ASSERT_TRUE(ran.lines[wrong].contains("error")) << wrong;
    EXPECT_EQ(ran.lines[wrong]["error"]["kind"], "job") << wrong;
  }
  EXPECT_EQ(ran.lines[7]["time_ns"], 5);
  EXPECT_EQ(ran.lines[9]["outcomes"][0]["status"], "OK");
  EXPECT_EQ(ran.lines[9]["time_ns"], 5);
}

TEST(UserPlane, AJobThatIsWrongEndsTheSession) {
  EXPECT_EQ(run_program({"{"}).status, 2);
  EXPECT_EQ(run_program({}).status, 2);
  Json job = session_job();
  job["user_plane"]["config"].erase("session_range");
  const Ran refused = run_program({job.dump()});
  EXPECT_EQ(refused.status, 1);
  ASSERT_EQ(refused.lines.size(), 1u);
  EXPECT_EQ(refused.lines[0]["error"]["kind"], "adapter");
  job = session_job();
  job["user_plane"]["library"] = HEADROOM_LIBRARIES "/example.so";
  EXPECT_EQ(run_program({job.dump()}).lines[0]["error"]["kind"], "adapter");
}

TEST(UserPlane, EachLineBearsASealOfItsOwn) {
  const std::vector<std::string> steps = {"{", R"({"end": true})"};
  Json job = session_job();
  EXPECT_FALSE(run_program({job.dump(), steps[0], steps[1]}).lines[2].contains("seal"));
  job["seal"] = "of mine";
  const Ran ran = run_program({job.dump(), steps[0], steps[1]});
  ASSERT_EQ(ran.lines.size(), 3u);
  for (std::size_t i = 0; i < ran.lines.size(); ++i) {
    Sha256 digest;
    const std::string text = "of mine " + std::to_string(i);
    digest.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    EXPECT_EQ(ran.lines[i]["seal"], digest.finish()) << ran.lines[i];
  }
}

TEST(UserPlane, TheEndIsAnsweredAfterTheAdapterHasBeenDestroyed) {
  Json job = session_job();
  job["user_plane"]["library"] = HEADROOM_LIBRARIES "/faulty/faulty_user_plane_exits_after_garbage.so";
  const Ran ran = run_program({job.dump(), packet_step({0}, "N3").dump(), R"({"end": true})"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.lines.size(), 2u);
}

TEST(UserPlane, WritesACaptureWithAnInterfaceForEachSide) {
  const std::string path = ::testing::TempDir() + "/user_plane.pcapng";
  Json job = session_job();
  job["capture"] = path;
  answers(job, {packet_step(uplink(5, from_user(5)), "N3"), packet_step(echo_request(1), "N3"), {{"end", true}}});
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const char* name : {"N3", "N6", "N9", "N4"}) EXPECT_NE(text.find(name), std::string::npos);
  for (const Octets& packet : {uplink(5, from_user(5)), from_user(5), echo_request(1)})
    EXPECT_NE(text.find(std::string(packet.begin(), packet.end())), std::string::npos);
}

TEST(UserPlane, CarriesN4MessagesInUdp) {
  const auto address = [](const char* text) {
    const Json json = text;
    return read_address(Value(json, ""));
  };
  const Octets payload = {1, 2, 3};
  const Octets ipv4 = udp_datagram(address("192.0.2.1"), 8805, address("192.0.2.2"), 9, payload);
  ASSERT_EQ(ipv4.size(), 31u);
  EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(ipv4).first(20))), 0);
  // The pseudo-header: both addresses, the protocol, and the length of UDP.
  EXPECT_EQ(
      checksum_finish(checksum_add(checksum_add(17 + 11, OctetView(ipv4).subspan(12, 8)), OctetView(ipv4).subspan(20))),
      0);
  const Octets ipv6 = udp_datagram(address("2001:db8::1"), 8805, address("2001:db8::2"), 9, payload);
  ASSERT_EQ(ipv6.size(), 51u);
  EXPECT_EQ(
      checksum_finish(checksum_add(checksum_add(17 + 11, OctetView(ipv6).subspan(8, 32)), OctetView(ipv6).subspan(40))),
      0);
  EXPECT_EQ(text_of(address("192.0.2.7")), "192.0.2.7");
  EXPECT_EQ(text_of(address("2001:db8::7")), "2001:db8::7");
}

// ---------------------------------------------------------------------------------------------- outcomes

struct Packet {
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(300);
  headroom_user_packet given{.octets = octets.data() + 128,
                             .length = 44,
                             .room_before = 128,
                             .room_behind = 128,
                             .side = HEADROOM_N3,
                             .status = kNoStatus,
                             .reason = 0,
                             .reserved = 0,
                             .more = 0};

  template <typename Change>
  [[nodiscard]] std::string defect(Change&& change) const {
    headroom_user_packet outcome = given;
    outcome.status = HEADROOM_OK;
    change(outcome);
    return forward_defect(given, outcome);
  }
};

TEST(ForwardDefect, IsNoneForWhatTheRoomHolds) {
  const Packet packet;
  EXPECT_EQ(packet.defect([](auto&) {}), "");
  EXPECT_EQ(packet.defect([](auto& p) { p.octets -= 128, p.length = 300; }), "");
  EXPECT_EQ(packet.defect([](auto& p) { p.status = HEADROOM_NOTHING, p.reason = HEADROOM_REASON_GATE; }), "");
  EXPECT_EQ(packet.defect([](auto& p) { p.status = HEADROOM_ERR_MALFORMED, p.octets = nullptr; }), "");
}

TEST(ForwardDefect, IsASentenceForEachImpossibleOutcome) {
  const Packet packet;
  for (const std::string& defect : {
           packet.defect([](auto& p) { p.status = kNoStatus; }),
           packet.defect([](auto& p) { p.status = HEADROOM_ERR_CRC; }),
           packet.defect([](auto& p) { p.status = 99; }),
           packet.defect([](auto& p) { p.side = 0; }),
           packet.defect([](auto& p) { p.side = 4; }),
           packet.defect([](auto& p) { p.length = 0; }),
           packet.defect([](auto& p) { p.octets -= 129; }),
           packet.defect([](auto& p) { p.octets = nullptr; }),
           packet.defect([](auto& p) { p.octets += 173; }),
           packet.defect([](auto& p) { p.length = 173; }),
           packet.defect([](auto& p) { p.octets -= 128, p.length = 65'536; }),
           packet.defect([](auto& p) { p.room_before = 0; }),
           packet.defect([](auto& p) { p.status = HEADROOM_NOTHING, p.reason = 10; }),
       })
    EXPECT_GT(defect.size(), 20u);
}

// implementations/README.md: a vendor starts from it.
TEST(Example, HasAtMostTwoHundredLines) {
  std::ifstream file(HEADROOM_SOURCE "/implementations/example-user-plane/example_user_plane.c");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_GT(text.size(), 1000u);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 200);
}

}  // namespace
}  // namespace headroom::gtpu
