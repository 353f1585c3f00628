// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hex.h"
#include "base/sha256.h"
#include "traffic/addresses.h"
#include "traffic_packets.h"

namespace headroom::traffic {
namespace {

// ---- addresses

TEST(Addresses, NetworksAreParsed) {
  EXPECT_EQ(parse_network4("10.0.0.0/8")->address, 0x0A000000u);
  EXPECT_EQ(parse_network4("192.0.2.1")->length, 32u);
  for (const char* bad : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0/8", "x", "", "10.0.0.0/", "10.0.0.0/8x", "::1"}) {
    EXPECT_FALSE(parse_network4(bad)) << bad;
  }
  EXPECT_EQ(parse_network6("2001:db8::/32")->length, 32u);
  for (const char* bad : {"2001:db8::1/32", "2001:db8::/129", "10.0.0.1", "", "::/x"})
    EXPECT_FALSE(parse_network6(bad)) << bad;
}

TEST(Addresses, FlowsDiffer) {
  const Network4 net4 = *parse_network4("10.0.0.0/8");
  const Network6 net6 = *parse_network6("2001:db8::/32");
  std::set<std::uint32_t> v4;
  std::set<std::array<std::uint8_t, 16>> v6;
  for (std::uint64_t flow = 0; flow < 100'000; ++flow) {
    v4.insert(address_in(net4, flow));
    v6.insert(address_in(net6, flow, 7));
  }
  EXPECT_EQ(v4.size(), 100'000u);
  EXPECT_EQ(v6.size(), 100'000u);
  EXPECT_EQ(address_in(*parse_network4("192.0.2.1"), 5), 0xC0000201u);
  const auto host = address_in(*parse_network6("2001:db8::/96"), 258, 7);
  EXPECT_EQ(to_hex(host), "20010db8000000000000000000000103");
}

TEST(Addresses, MembersOfAPopulationAreDrawnOnceEach) {
  for (const std::uint32_t population : {1u, 2u, 3u, 7u, 1000u, 65'536u, 600'000u}) {
    std::vector<bool> seen(population);
    for (std::uint64_t flow = 0; flow < population; ++flow) {
      const std::uint64_t member = member_of(population, flow, 5);
      ASSERT_LT(member, population);
      ASSERT_FALSE(seen[member]) << flow << " of " << population;
      seen[member] = true;
    }
    EXPECT_EQ(member_of(population, population, 5), member_of(population, 0, 5));
  }
  int low = 0, same = 0;  // drawn from all of them, and by the key
  for (std::uint64_t flow = 0; flow < 6000; ++flow) {
    low += member_of(600'000, flow, 5) < 300'000;
    same += member_of(600'000, flow, 5) == member_of(600'000, flow, 6);
  }
  EXPECT_NEAR(low, 3000, 155);  // four standard deviations
  EXPECT_LT(same, 5);
}

TEST(Addresses, TunnelsDifferAndNoneIsZero) {
  std::set<std::uint32_t> teids;
  for (std::uint64_t member = 0; member < 600'000; ++member) teids.insert(tunnel_endpoint_of(member, 9));
  EXPECT_EQ(teids.size(), 600'000u);
  const std::uint64_t key = 0u - 7u * 0x9E3779B1u;  // by which the number of member 7 would be 0
  EXPECT_NE(tunnel_endpoint_of(7, key), 0u);
  EXPECT_EQ(tunnel_endpoint_of(7, key), tunnel_endpoint_of(0xFFFFFFFF, key));
}

// ---- reading

std::string profile_error(const std::string& v) {
  try {
    (void)profile({v});
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "no error";
}

TEST(ProfileReader, NamesWhatIsWrong) {
  const auto contains = [](const std::string& v, const char* where, const char* what) {
    const std::string error = profile_error(v);
    EXPECT_TRUE(error.starts_with(std::string(where) + ": ")) << error;
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  contains(variant({kUdp}), "/variants/0/headers/0", "starts with ipv4, ipv6 or raw");
  contains(variant({kIpv4, kEsp, kUdp}), "/variants/0/headers/2", "cannot follow");
  contains(variant({kEsp}), "/variants/0/headers/0", "starts with ipv4, ipv6 or raw");
  contains(variant({kIpv4, udplite_with(R"("coverage": 7)")}), "/variants/0/headers/1/coverage", "8");
  contains(variant({kIpv4, udplite_with(R"("coverage": "some")")}), "/variants/0/headers/1/coverage", "random");
  contains(variant({kIpv4, udplite_with(R"("coverage": true)")}), "/variants/0/headers/1/coverage", "");
  contains(variant({kIpv4, udplite_with(R"("checksum": false)")}), "/variants/0/headers/1/checksum", "unknown");
  contains(variant({kIpv4, R"({"protocol": "esp", "spi": 0})"}), "/variants/0/headers/1/spi", "1");
  contains(variant({kIpv4, kRtp}), "/variants/0/headers/1", "cannot follow");
  contains(variant({kIpv6, kUdpBare, kRtp}), "/variants/0/headers/1", "not optional");
  contains(variant({ipv4_with(R"("ttl": 0)")}), "/variants/0/headers/0/ttl", "1 to 255");
  contains(variant({ipv4_with(R"("source_port": 1)")}), "/variants/0/headers/0/source_port", "unknown");
  contains(variant({ipv4_with(R"("fragment_at": 512)")}), "/variants/0/headers/0/fragment_at", "dont_fragment");
  contains(variant({ipv4_with(R"("identification": "random", "identification_counter": "host")")}),
           "/variants/0/headers/0/identification_counter", "sequential or swapped");
  contains(variant({kIpv4, ipv4_with(R"("identification_counter": "host")")}), "/variants/0/headers/1", "outermost");
  contains(variant({ipv4_with(R"("identification_counter": "host")")},
                   R"(, "changes": [{"packet": 3, "header": 0, "set": {"identification": "zero"}}])"),
           "/variants/0/changes/0/set/identification", "goes on doing so");
  contains(variant({ipv4_with(R"("options": "0102")")}), "/variants/0/headers/0/options", "multiple of 4");
  contains(variant({ipv4_with(R"("identification": "random", "identification_jumps": {"probability": 1})")}),
           "/variants/0/headers/0/identification_jumps", "sequential or swapped");
  contains(variant({R"({"protocol": "ipv4", "source": "10.0.0.1/8", "destination": "10.0.0.1"})"}),
           "/variants/0/headers/0/source", "bits beyond the prefix");
  contains(variant({R"({"protocol": "raw", "octets": "45"})"}), "/variants/0/headers/0/octets", "is IP");
  contains(variant({kIpv4, R"({"protocol": "udp", "source_ports": [2, 1], "destination_ports": [1, 2]})"}),
           "/variants/0/headers/1/source_ports/1", "2 to 65535");
  contains(variant({kIpv4}, "", R"({"length": [10, 5]})"), "/variants/0/payload/length/1", "10 to 9000");
  contains(variant({kIpv4}, "", R"({"length": 9001})"), "/variants/0/payload/length", "0 to 9000");
  contains(variant({kIpv4}, "", R"({"length": 1})", R"({"interval_ms": 0.0001})"), "/variants/0/timing/interval_ms",
           "0.001");
  contains(variant({kIpv4}, "", R"({"length": 1})", R"({"interval_ms": 1.00005})"), "/variants/0/timing/interval_ms",
           "microseconds");
  contains(variant({kIpv4, kUdp, kRtp}, "," + kSpeech + R"(, "silence_frames": {"interval_ms": 30}})"),
           "/variants/0/speech/silence_frames/interval_ms", "multiple");
  contains(variant({kIpv4}, R"(, "changes": [{"packet": 5, "header": 1, "set": {"ttl": 3}}])"),
           "/variants/0/changes/0/header", "0 to 0");
  contains(variant({kIpv4}, R"(, "changes": [{"packet": 5, "header": 0, "set": {"hop_limit": 3}}])"),
           "/variants/0/changes/0/set/hop_limit", "unknown");
  contains(variant({kIpv4}, R"(, "before_compressor": {"loss": 2})"), "/variants/0/before_compressor/loss", "0 to 1");
  contains(variant({kIpv4, kUdp, kGtpu, kIpv4}), "/variants/0/headers/2", "2152");
  contains(variant({kIpv4, kUdpGtpu, kGtpu}), "/variants/0/headers/2", "has to follow GTP-U");
  contains(variant({kIpv4, kUdpGtpu, kGtpu, kUdp}), "/variants/0/headers/3", "cannot follow");
  contains(variant({kIpv4, kGtpu, kIpv4}), "/variants/0/headers/1", "cannot follow");
  contains(variant({kIpv4, kTcp, kRtp}), "/variants/0/headers/2", "cannot follow");
  contains(variant({kIpv4, kUdpGtpu, R"({"protocol": "gtpu", "qfi": 64})", kIpv4}), "/variants/0/headers/2/qfi", "63");
  contains(variant({kIpv4, kUdpGtpu, R"({"protocol": "gtpu", "sequence_start": 1})", kIpv4}),
           "/variants/0/headers/2/sequence_start", "sequence");
  contains(variant({kIpv4}, R"(, "population": 0)"), "/variants/0/population", "1 to");
  contains(variant({kIpv4}, "", R"({"length": {"mix": []}})"), "/variants/0/payload/length/mix", "1 to 16");
  contains(variant({kIpv4}, "", R"({"length": {"mix": [[1]]}})"), "/variants/0/payload/length/mix/0", "a share and");
  contains(variant({kIpv4}, "", R"({"length": {"mix": [[0, 5]]}})"), "/variants/0/payload/length/mix/0/0", "1 to");
  contains(variant({kIpv4}, "", R"({"length": {"mix": [[1, 9001]]}})"), "/variants/0/payload/length/mix/0/1", "9000");
  EXPECT_EQ(profile_error(variant({kIpv4, kUdp, kRtp})), "no error");
  EXPECT_EQ(profile_error(variant({kIpv6, kUdpGtpu, kGtpu, kIpv4, kTcp})), "no error");
}

// ---- rendering

TEST(Render, MergesFlowsInTimeAndKeepsItsLimits) {
  const Profile p = profile({variant({kIpv4, kUdpBare, kRtp}), variant({kIpv6, kUdp, kRtp})});
  RenderLimits limits;
  limits.flows = 10;
  limits.until_ns = 1'000'000'000;
  const std::vector<SourcePacket> packets = render(p, limits, 1);
  EXPECT_EQ(packets.size(), 500u);
  for (std::size_t i = 1; i < packets.size(); ++i) EXPECT_LE(packets[i - 1].time_ns, packets[i].time_ns);
  // A flow does not depend on how many others there are.
  const std::vector<SourcePacket> alone = packets_of(p, 10, 1);
  std::size_t next = 0;
  for (const SourcePacket& packet : packets) {
    if (packet.flow == 0 && next < alone.size()) {
      EXPECT_EQ(packet.octets, alone[next++].octets);
    }
  }
  EXPECT_EQ(next, alone.size());
}

// The flows of a host count one identification; those of another host count another one.
TEST(Render, HostsCountIdentifications) {
  for (const std::string behaviour : {"sequential", "swapped"}) {
    const std::string shared = R"("identification": ")" + behaviour + R"(", "identification_counter": "host")";
    const auto host = [&](const char* address) {
      return variant({R"({"protocol": "ipv4", "source": ")" + std::string(address) +
                          R"(", "destination": "198.51.100.1", )" + shared + "}",
                      kUdp});
    };
    const Profile p = profile({host("192.0.2.1"), host("192.0.2.2")});
    std::map<std::uint32_t, std::uint16_t> last;
    std::map<std::uint32_t, std::set<std::uint32_t>> flows;
    for (const SourcePacket& packet : packets_of(p, 400, 10)) {
      const std::uint32_t source = load32(&packet.octets[12]);
      std::uint16_t id = load16(&packet.octets[4]);
      if (behaviour == "swapped") id = swap_octets(id);
      if (last.contains(source)) {
        EXPECT_EQ(id, static_cast<std::uint16_t>(last[source] + 1));
      }
      last[source] = id;
      flows[source].insert(packet.flow);
      EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(packet.octets).first(20))), 0);
    }
    ASSERT_EQ(flows.size(), 2u);
    for (const auto& [source, of_host] : flows) EXPECT_EQ(of_host.size(), 5u) << source;
  }
}

TEST(Render, FlowsBeginWithinATime) {
  const auto last_start = [](const std::string& timing) {
    std::map<std::uint32_t, std::uint64_t> first;
    RenderLimits limits;
    limits.flows = 50;
    limits.until_ns = 2'000'000'000;
    for (const SourcePacket& packet : render(profile({variant({kIpv4}, "", R"({"length": 9})", timing)}), limits, 1))
      first.try_emplace(packet.flow, packet.time_ns);
    std::uint64_t last = 0;
    for (const auto& [flow, time_ns] : first) last = std::max(last, time_ns);
    return last;
  };
  EXPECT_LT(last_start(R"({"interval_ms": 20})"), 20'000'000u);
  const std::uint64_t last = last_start(R"({"interval_ms": 20, "start_within_ms": 1000})");
  EXPECT_GT(last, 800'000'000u);
  EXPECT_LT(last, 1'000'000'000u);
}

// The same octets on every platform: this digest was made once, with GCC on x86-64, and must come out everywhere.
TEST(Render, IsTheSameEverywhere) {
  const Profile p = profile(
      {variant({kIpv4, kUdp, kRtpMarked}, "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 6}})"),
       variant({ipv4_with(R"("identification": "random")"), kUdp}, "", R"({"length": [20, 90]})",
               R"({"interval_ms": 250, "distribution": "exponential"})"),
       variant({kIpv6, kUdp, rtp_with(R"("packets_per_frame": [1, 9])")},
               R"(, "before_compressor": {"loss": 0.1, "reorder": {"probability": 0.1}})", R"({"length": [1, 300]})",
               R"({"interval_ms": 33.333, "jitter_ms": 5})")});
  Sha256 hash;
  for (const SourcePacket& packet : packets_of(p, 5000, 12, 0xC0FFEE)) {
    std::uint8_t time[8];
    store64(time, packet.time_ns);
    hash.update(time);
    hash.update(packet.octets);
  }
  EXPECT_EQ(hash.finish(), "73180c74f7a95a2af5f5f29dfac364ee554357edd7569ea65f11e92599b48b74");
}

}  // namespace
}  // namespace headroom::traffic
