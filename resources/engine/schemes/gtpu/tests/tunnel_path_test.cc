// SPDX-License-Identifier: Apache-2.0
//
// What is sent of the packets of a profile, and what arrives, where a user plane ends their tunnels; and `render` of
// it.
#include "traffic/tunnel_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "capture/reader.h"
#include "commands.h"
#include "profiles.h"
#include "traffic/render.h"

namespace headroom::traffic {
namespace {

constexpr std::size_t kTeid = 20 + 8 + 4, kUser = 20 + 8 + 16;  // in a packet of the profile
constexpr std::uint32_t kChosen = 0xC0FFEE;

std::string bare_udp() { return testing::kUdpGtpu.substr(0, testing::kUdpGtpu.size() - 1) + R"(, "checksum": false})"; }

Json users() {
  return testing::profile_json(
      {testing::variant({testing::kIpv4, bare_udp(), testing::kGtpu, testing::kIpv4, testing::kUdp})});
}

std::vector<SourcePacket> rendered(const Json& document, bool reverse) {
  return render(read_profile(Value(document, "")), {3, 60, std::nullopt}, 5, {.reverse = reverse});
}

TunnelPath read(const Json& keys, const Json& document) {
  Object object(Value(keys, ""));
  TunnelPath path = read_tunnel_path(object, read_profile(Value(document, "")));
  object.finish();
  return path;
}

std::string refusal(const Json& keys, const Json& document) {
  const Json parsed = parse_json(keys.dump());
  try {
    (void)read(parsed, document);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::job);
    return error.where() + ": " + error.what();
  }
  return {};
}

Octets copy(OctetView octets) { return {octets.begin(), octets.end()}; }

Octets user_of(const Octets& packet) { return copy(OctetView(packet).subspan(kUser)); }

Octets sent(const TunnelPath& path, Octets packet, bool reverse) {
  path.make_sent(packet, reverse);
  return packet;
}

TEST(TunnelPath, WholeTunnelsAreLeftAlone) {
  const Json profile = users();
  const TunnelPath path = read(Json::object(), profile);
  for (const bool reverse : {false, true}) {
    const Octets packet = rendered(profile, reverse).front().octets;
    EXPECT_EQ(sent(path, packet, reverse), packet);
    EXPECT_EQ(copy(path.arrived(packet, reverse)), packet);
    EXPECT_FALSE(path.enters_tunnels(reverse));
  }
}

TEST(TunnelPath, TunnelsThatAreKeptAreThoseOfTheFirstPort) {
  const Json profile = users();
  const TunnelPath path = read({{"tunnels", "kept"}}, profile);
  const Octets up = rendered(profile, false).front().octets, down = rendered(profile, true).front().octets;
  EXPECT_EQ(sent(path, up, false), up);
  EXPECT_EQ(copy(path.arrived(up, false)), up);
  EXPECT_EQ(sent(path, down, true), user_of(down));
  EXPECT_EQ(copy(path.arrived(down, true)), user_of(down));
  EXPECT_FALSE(path.enters_tunnels(true));
}

TEST(TunnelPath, WhereTunnelsEndUplinkHasTheEndpointsOfTheUserPlane) {
  const Json profile = users();
  const Octets up = rendered(profile, false).front().octets, down = rendered(profile, true).front().octets;
  const Json keys = parse_json(Json{{"tunnels", "ended"}, {"endpoints", {{load32(&up[kTeid]), kChosen}}}}.dump());
  const TunnelPath path = read(keys, profile);
  Octets changed = up;
  store32(&changed[kTeid], kChosen);
  EXPECT_EQ(sent(path, up, false), changed);
  EXPECT_EQ(copy(path.arrived(up, false)), user_of(up));
  EXPECT_EQ(sent(path, down, true), user_of(down));
  EXPECT_EQ(copy(path.arrived(down, true)), down) << "its endpoint is that of the profile";
  EXPECT_TRUE(path.enters_tunnels(true));
  EXPECT_FALSE(path.enters_tunnels(false));
  const auto all = rendered(profile, false);
  const auto other = std::ranges::find_if(
      all, [&](const SourcePacket& one) { return load32(&one.octets[kTeid]) != load32(&up[kTeid]); });
  ASSERT_NE(other, all.end());
  EXPECT_EQ(sent(path, other->octets, false), other->octets) << "endpoints that are not named stay";
}

TEST(TunnelPath, RefusesWhatHasNoTunnels) {
  const Json calls = testing::call_profile();
  EXPECT_EQ(refusal({{"tunnels", "whole"}}, calls), "");
  EXPECT_NE(refusal({{"tunnels", "kept"}}, calls).find("not all in tunnels"), std::string::npos);
  EXPECT_NE(refusal({{"tunnels", "dug"}}, users()), "");
  const Json pairs = {{1, 2}};
  EXPECT_EQ(refusal({{"tunnels", "ended"}, {"endpoints", pairs}}, users()), "");
  EXPECT_NE(refusal({{"tunnels", "kept"}, {"endpoints", pairs}}, users()).find("ended"), std::string::npos);
  EXPECT_NE(refusal({{"endpoints", pairs}}, users()), "");
  EXPECT_NE(refusal({{"tunnels", "ended"}, {"endpoints", {{1, 2, 3}}}}, users()), "");
  EXPECT_NE(refusal({{"tunnels", "ended"}, {"endpoints", {{1, 1ULL << 32}}}}, users()), "");
}

TEST(Render, WritesWhatIsSentAndWhatArrives) {
  const std::string output =
      (std::filesystem::temp_directory_path() / ("headroom-tunnel-path-" + std::to_string(::getpid()) + ".pcap"))
          .string();
  const Json profile = users();
  for (const bool reverse : {false, true}) {
    const auto whole = rendered(profile, reverse);
    for (const char* end : {"sent", "arrived"}) {
      const Json job = {{"profile", profile}, {"flows", 3},         {"packets", 60}, {"seed", 5},
                        {"reverse", reverse}, {"tunnels", "ended"}, {"end", end},    {"output", output}};
      const Json result = run_render(parse_json(job.dump()));
      EXPECT_EQ(result["packets"], 60);
      const Capture capture = read_capture(output, {});
      ASSERT_EQ(capture.packets.size(), 60u);
      const bool in_tunnel = reverse == (std::string(end) == "arrived");
      for (std::size_t i = 0; i < 60; ++i)
        EXPECT_EQ(capture.packets[i].octets, in_tunnel ? whole[i].octets : user_of(whole[i].octets)) << i;
    }
  }
  std::filesystem::remove(output);
}

}  // namespace
}  // namespace headroom::traffic
