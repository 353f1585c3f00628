// SPDX-License-Identifier: Apache-2.0
//
// Connections that begin and end, and the rules that some of them match.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/sha256.h"
#include "traffic/connection.h"
#include "traffic_packets.h"

namespace headroom::traffic {
namespace {

const std::string kUser4 = R"({"protocol": "ipv4", "source": "10.0.0.0/8", "destination": "203.0.113.0/24"})";
const std::string kUser6 = R"({"protocol": "ipv6", "source": "2001:db8::/32", "destination": "2001:2::/48"})";
const std::string kWeb = R"({"protocol": "tcp", "source_ports": [10000, 59999], "destination_ports": [80, 80]})";
const std::string kQuic = R"({"protocol": "udp", "source_ports": [10000, 59999], "destination_ports": [443, 443]})";
const std::string kRules = R"([{"protocol": "udp", "network": "198.18.0.0/24", "count": 3, "ports": [9, 10]},
  {"host": "a.example"}, {"host": "b.example"}])";

std::string connecting(const std::vector<std::string>& headers, const std::string& keys,
                       const std::string& payload = R"({"length": 10})") {
  return variant(headers, ", \"connections\": {" + keys + "}", payload);
}

Profile with_rules(const std::string& rules, const std::vector<std::string>& variants) {
  Json json = profile_json(variants);
  json["rules"] = parse_json(rules);
  return read_profile(Value(json, ""));
}

// A packet of a flow, the user's IP header first.
struct Sent {
  std::uint64_t time_ns;
  bool reverse;
  Octets octets;
  [[nodiscard]] std::size_t transport() const { return octets[0] >> 4 == 6 ? 40 : 20; }
  [[nodiscard]] bool is_tcp() const { return octets[octets[0] >> 4 == 6 ? 6 : 9] == 6; }
  [[nodiscard]] std::uint32_t word(std::size_t at) const { return load32(&octets[transport() + at]); }
  [[nodiscard]] std::uint8_t flags() const { return octets[transport() + 13]; }
  [[nodiscard]] std::size_t payload() const { return transport() + (is_tcp() ? 20 : 8); }
  [[nodiscard]] std::uint16_t port(bool of_user) const {
    return load16(&octets[transport() + (of_user == reverse ? 2 : 0)]);
  }
  [[nodiscard]] std::string address(bool of_user) const {
    const std::size_t length = octets[0] >> 4 == 6 ? 16 : 4, at = length == 16 ? 8 : 12;
    const auto begin = octets.begin() + static_cast<std::ptrdiff_t>(of_user == reverse ? at + length : at);
    return {begin, begin + static_cast<std::ptrdiff_t>(length)};
  }
};

// Both directions of a flow, in order of time.
std::vector<Sent> both_directions(const Profile& p, std::uint64_t flow, std::size_t count) {
  std::vector<Sent> sent;
  for (const bool reverse : {false, true}) {
    Flow sender(p, flow, 7, {.reverse = reverse, .pattern_payload = true});
    std::vector<FlowPacket> packets;
    for (std::size_t i = 0; i < count; ++i) sender.advance(packets);
    for (FlowPacket& packet : packets) sent.push_back({packet.time_ns, reverse, std::move(packet.octets)});
  }
  std::stable_sort(sent.begin(), sent.end(), [](const Sent& a, const Sent& b) { return a.time_ns < b.time_ns; });
  return sent;
}

// The packets of a flow, by connection: a user's port and a server in one after the other.
std::vector<std::vector<Sent>> connections_of(const std::vector<Sent>& sent) {
  std::vector<std::vector<Sent>> found;
  for (const Sent& packet : sent) {
    const auto ends = [](const Sent& one) { return std::tuple(one.port(true), one.port(false), one.address(false)); };
    if (found.empty() || ends(found.back().front()) != ends(packet)) found.emplace_back();
    found.back().push_back(packet);
  }
  return found;
}

TEST(Connections, TcpOpensAsksAndEnds) {
  for (const std::string& ip : {kUser4, kUser6}) {
    const Profile p =
        profile({connecting({ip, kWeb}, R"("packets": 9, "distribution": "constant", "http_host": "www.example.net")",
                            R"({"length": [0, 700]})")});
    const std::vector<Sent> sent = both_directions(p, 3, 500);
    ASSERT_EQ(sent.size(), 500u) << "every packet has one direction";
    const std::vector<std::vector<Sent>> connections = connections_of(sent);
    ASSERT_GT(connections.size(), 50u);
    EXPECT_LE(connections[0].size(), 9u);
    EXPECT_EQ(connections[0][0].flags() & 0x12, 0x10) << "the first one is in its middle";
    std::set<std::string> servers;
    std::set<std::uint16_t> ports;
    for (std::size_t i = 1; i + 1 < connections.size(); ++i) {
      const std::vector<Sent>& all = connections[i];
      ASSERT_EQ(all.size(), 9u);
      EXPECT_EQ(all[0].flags(), 0x02);
      EXPECT_EQ(all[0].word(8), 0u);
      EXPECT_EQ(all[1].flags(), 0x12);
      const std::string text(all[2].octets.begin() + static_cast<std::ptrdiff_t>(all[2].payload()),
                             all[2].octets.end());
      EXPECT_EQ(text, http_request("www.example.net"));
      const bool reverse[] = {all[0].reverse, all[1].reverse, all[2].reverse, all[7].reverse, all[8].reverse};
      EXPECT_TRUE(std::equal(std::begin(reverse), std::end(reverse), std::begin({false, true, false, true, false})));
      // RFC 793, 3.3: SYN and FIN count as an octet; each segment acknowledges all that has come.
      std::uint32_t next[2] = {all[0].word(4), all[1].word(4)};
      for (std::size_t j = 0; j < all.size(); ++j) {
        const Sent& one = all[j];
        EXPECT_EQ(one.word(4), next[one.reverse]);
        if (j != 0) {
          EXPECT_EQ(one.word(8), next[!one.reverse]);
        }
        EXPECT_EQ(one.flags() & 0x01, j >= 7);
        next[one.reverse] += static_cast<std::uint32_t>(one.octets.size() - one.payload()) + (j < 2 || j >= 7 ? 1 : 0);
        EXPECT_EQ(one.address(true), sent[0].address(true)) << "the user stays";
        EXPECT_EQ(one.port(false), 80);
      }
      servers.insert(all[0].address(false));
      ports.insert(all[0].port(true));
    }
    EXPECT_GT(servers.size(), 30u);
    EXPECT_GT(ports.size(), 45u);
  }
}

TEST(Connections, UdpBeginsWithTheUserAndItsIdentificationCounts) {
  const std::vector<std::vector<Sent>> connections = connections_of(
      both_directions(profile({connecting({kUser4, kQuic}, R"("packets": 20, "forward_share": 0.25)")}), 0, 40'000));
  double forward = 0, middle = 0;
  for (std::size_t i = 1; i < connections.size(); ++i) {
    EXPECT_FALSE(connections[i][0].reverse);
    std::map<bool, std::uint16_t> last;
    for (const Sent& packet : connections[i]) {
      const std::uint16_t id = load16(&packet.octets[4]);
      if (last.contains(packet.reverse)) {
        EXPECT_EQ(id, static_cast<std::uint16_t>(last[packet.reverse] + 1));
      }
      last[packet.reverse] = id;
      forward += !packet.reverse;
    }
    forward -= 1;
    middle += static_cast<double>(connections[i].size()) - 1;
    EXPECT_NE(connections[i][0].octets[19], 0) << "no address of a network";
    EXPECT_NE(connections[i][0].octets[19], 255);
  }
  // Four standard deviations: 2000 lives of an exponential distribution with the mean 20, and 38,000 directions.
  EXPECT_NEAR(40'000.0 / static_cast<double>(connections.size()), 20, 1.8);
  EXPECT_NEAR(forward / middle, 0.25, 0.009);
}

TEST(Connections, HitsMatchARuleAndOthersNone) {
  const Profile p = with_rules(kRules, {connecting({kUser4, kQuic}, R"("packets": 5, "hit_share": 0.25)"),
                                        connecting({kUser4, kWeb}, R"("packets": 5, "distribution": "constant",
                                          "hit_share": 0.25, "http_host": "c.example")")});
  std::map<std::uint32_t, double> networks;
  std::set<std::uint16_t> ports;
  const std::vector<std::vector<Sent>> datagrams = connections_of(both_directions(p, 0, 20'000));
  for (const std::vector<Sent>& one : datagrams) {
    const std::uint32_t network = load32(reinterpret_cast<const std::uint8_t*>(one[0].address(false).data())) >> 8;
    ++networks[network];
    if (network == 0xCB0071) {
      EXPECT_EQ(one[0].port(false), 443);
    } else {
      ports.insert(one[0].port(false));
    }
  }
  const auto all = static_cast<double>(datagrams.size());
  EXPECT_EQ(networks.size(), 4u);
  EXPECT_NEAR(networks[0xCB0071] / all, 0.75, 0.03);
  for (const std::uint32_t network : {0xC61200u, 0xC61201u, 0xC61202u})
    EXPECT_NEAR(networks[network] / all, 0.25 / 3, 0.02);
  EXPECT_EQ(ports, (std::set<std::uint16_t>{9, 10}));

  std::map<std::string, int> requests;
  for (const Sent& packet : both_directions(p, 1, 10'000)) {
    const std::string text(packet.octets.begin() + static_cast<std::ptrdiff_t>(packet.payload()), packet.octets.end());
    if (text.starts_with("GET ")) ++requests[text];
    EXPECT_EQ(packet.address(false).substr(0, 3), std::string("\xCB\x00\x71", 3)) << "by the host, not by the server";
  }
  EXPECT_NEAR(requests[http_request("c.example")], 1500, 80);
  EXPECT_NEAR(requests[http_request("a.example")], 250, 60);
  EXPECT_NEAR(requests[http_request("b.example")], 250, 60);
  EXPECT_EQ(requests.size(), 3u);
}

TEST(Connections, HitsMatchRulesForIpv6) {
  const Profile p = with_rules(R"([{"protocol": "tcp", "network": "2001:db8:6::/64", "ports": [8080, 8080]}])",
                               {connecting({kUser6, kWeb}, R"("packets": 5, "hit_share": 1)")});
  for (const Sent& packet : both_directions(p, 0, 200)) {
    EXPECT_EQ(packet.address(false).substr(0, 8), (std::string{0x20, 0x01, 0x0d, char(0xb8), 0, 6, 0, 0}));
    EXPECT_EQ(packet.port(false), 8080);
  }
}

// Of connections that are there at a time as many open as later on.
TEST(Connections, TheFirstSecondIsAsTheLast) {
  const Profile p = profile({connecting({kUser4, kWeb}, R"("packets": 50)")});
  std::size_t opening = 0;
  for (std::uint64_t flow = 0; flow < 3000; ++flow) {
    for (const Sent& packet : both_directions(p, flow, 10)) opening += packet.flags() == 0x02;
  }
  EXPECT_NEAR(static_cast<double>(opening), 30'000.0 / 50, 100);
}

std::string error_of(const std::string& rules, const std::string& v, const std::string& more = "") {
  try {
    Json json = profile_json({v});
    if (!rules.empty()) json["rules"] = parse_json(rules);
    if (!more.empty()) json.update(parse_json(more));
    (void)read_profile(Value(json, ""));
  } catch (const Error& error) {
    return error.where() + ": " + error.what();
  }
  return "no error";
}

TEST(Connections, ReaderNamesWhatIsWrong) {
  const auto refused = [](const std::string& error, const char* where, const char* what) {
    EXPECT_TRUE(error.starts_with(std::string(where) + ": ")) << error;
    EXPECT_NE(error.find(what), std::string::npos) << error;
  };
  const char* const at = "/variants/0/connections";
  const std::string web = connecting({kUser4, kWeb}, R"("packets": 20)");
  const std::string hit = connecting({kUser4, kWeb}, R"("packets": 20, "hit_share": 0.1, "http_host": "c.example")");
  refused(error_of("", connecting({kUser4}, R"("packets": 20)")), at, "innermost");
  refused(error_of("", connecting({kUser4, kUdp, kRtp}, R"("packets": 20)")), at, "innermost");
  refused(error_of("", connecting({kUser4, tcp_with(R"("echo": true)")}, R"("packets": 20)")), at, "leave out");
  refused(error_of("", variant({kUser4, kWeb}, R"(, "connections": {"packets": 20},
    "changes": [{"packet": 2, "header": 0, "set": {"ttl": 3}}])")),
          at, "nor changes");
  refused(error_of("", connecting({kUser4, kWeb}, R"("packets": 4)")), "/variants/0/connections/packets", "at least 5");
  refused(error_of("", connecting({kUser4, kQuic}, R"("packets": 0)")), "/variants/0/connections/packets", "1 to");
  refused(error_of("", connecting({kUser4, kQuic}, R"("packets": 9, "http_host": "a")")),
          "/variants/0/connections/http_host", "TCP");
  refused(error_of("", connecting({kUser4, kWeb}, R"("packets": 9, "http_host": "a b")")),
          "/variants/0/connections/http_host", "name of a host");
  refused(error_of("", connecting({kUser4, kWeb}, R"("packets": 9, "hit_share": 0.1)")),
          "/variants/0/connections/hit_share", "none of the profile's rules");
  refused(error_of(R"([{"host": "a.example"}])", web), "/rules/0", "no connection matches");
  refused(error_of(R"([{"host": "a.example"}, {"protocol": "udp", "network": "198.18.0.0/24", "ports": [9, 9]}])", hit),
          "/rules/1", "no connection matches");
  refused(error_of(R"([{"host": "c.example"}])", hit), at, "match /rules/0 as well");
  refused(error_of(R"([{"protocol": "tcp", "network": "203.0.112.0/24", "count": 2, "ports": [1, 80]}])", hit), at,
          "match /rules/0 as well");
  refused(error_of(R"([{"protocol": "tcp", "network": "2001::/16", "ports": [80, 81]}])",
                   connecting({kUser6, kWeb}, R"("packets": 20, "hit_share": 0.1)")),
          at, "match /rules/0 as well");
  refused(error_of(R"([{"protocol": "tcp", "network": "255.255.255.0/24", "count": 2, "ports": [1, 80]}])", hit),
          "/rules/0", "beyond");
  refused(error_of(R"([{"protocol": "tcp", "network": "::/64", "count": 2, "ports": [1, 80]}])", hit), "/rules/0",
          "IPv4");
  refused(error_of(R"([{"protocol": "tcp", "network": "here", "ports": [1, 80]}])", hit), "/rules/0/network",
          "network");
  refused(error_of("[]", hit), "/rules", "1 to 1000");
  refused(error_of("", web, R"({"total_share": 2})"), "/total_share", "sum to 1");
  refused(error_of("", variant({kIpv4}, "", R"({"length": {"mix": [[3, 5], [4, 9]], "total_share": 8}})")),
          "/variants/0/payload/length/total_share", "sum to 7");
  EXPECT_EQ(error_of(R"([{"host": "a.example"}, {"protocol": "tcp", "network": "203.0.113.0/24", "ports": [81, 90]}])",
                     hit, R"({"total_share": 1})"),
            "no error");
}

TEST(Connections, NoMoreFlowsThanThePopulation) {
  const Json profile = profile_json({variant({kIpv4, kUdp}, R"(, "population": 6)")});
  const auto read = [&](std::uint64_t flows) {
    const Json job = {{"profile", profile}, {"flows", flows}, {"packets", 1u}};
    Object object(Value(job, ""));
    return read_render_job(object).limits.flows;
  };
  EXPECT_EQ(read(6), 6u);
  try {
    (void)read(7);
    FAIL() << "more users are active than there are";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/flows");
    EXPECT_NE(std::string(error.what()).find("population of 6"), std::string::npos);
  }
}

// As Render.IsTheSameEverywhere.
TEST(Connections, AreTheSameEverywhere) {
  const Profile p = with_rules(kRules, {connecting({kUser4, kQuic}, R"("packets": 9, "hit_share": 0.25)"),
                                        connecting({kUser6, kWeb}, R"("packets": 9, "http_host": "c.example",
                                          "hit_share": 0.25)",
                                                   R"({"length": [0, 90]})")});
  Sha256 hash;
  for (std::uint64_t flow = 0; flow < 8; ++flow) {
    for (const Sent& packet : both_directions(p, flow, 500)) hash.update(packet.octets);
  }
  EXPECT_EQ(hash.finish(), "f15dd70e6498ee1b6ac7c2706d1f57e9f4b49d7a5baae21146338b7d19b60ed4");
}

}  // namespace
}  // namespace headroom::traffic
