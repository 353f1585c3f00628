// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "cxx/settings.h"
#include "gtpu/forward/flow_inspection.h"
#include "gtpu/inspection/inspector.h"

namespace headroom::gtpu::inspection {
namespace {

std::span<const std::uint8_t> octets(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string names_in(std::string_view payload, Protocol expected) {
  Names names;
  read_names(octets(payload), names);
  EXPECT_EQ(names.protocol, expected);
  return names.length == 0 ? "" : std::string(names.host()) + " " + std::string(names.path());
}

std::string vector_of(std::size_t octets_of_length, const std::string& body) {
  std::string result;
  for (std::size_t i = octets_of_length; i-- > 0;) result += static_cast<char>(body.size() >> (8 * i));
  return result + body;
}

// RFC 8446, 4.1.2, with an extension in front of the server name (RFC 6066, 3).
std::string client_hello(const std::string& name) {
  using namespace std::string_literals;
  const std::string server = "\0\0"s + vector_of(2, vector_of(2, "\0"s + vector_of(2, name)));
  const std::string versions = "\0\x2B"s + vector_of(2, "\2\3\4"s);
  const std::string hello = "\3\3"s + std::string(32, 'r') + vector_of(1, "") + vector_of(2, "\x13\1"s) +
                            vector_of(1, "\0"s) + vector_of(2, versions + server);
  return "\x16\3\1"s + vector_of(2, "\1"s + vector_of(3, hello));
}

// A file of its own, removed at the end.
class TestFile {
 public:
  explicit TestFile(const std::string& text = "") {
    static int number = 0;
    path_ = testing::TempDir() + "inspection_" + std::to_string(getpid()) + "_" + std::to_string(++number);
    if (!text.empty()) std::ofstream(path_) << text;
  }
  ~TestFile() { std::remove(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Names, HostAndTargetOfARequest) {
  EXPECT_EQ(names_in("GET /a?b HTTP/1.1\r\nAccept: */*\r\nHOST: \tWww.Example.com:8080 \r\n\r\n", Protocol::http),
            "www.example.com /a?b");
  EXPECT_EQ(names_in("GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n", Protocol::http), "2001:db8::1 /");
}

// "If the target is in absolute-form, the host is in the target" (RFC 9112, 3.2.2): a Host field does not count.
TEST(Names, AnAbsoluteTargetGoesBeforeTheHostField) {
  EXPECT_EQ(names_in("GET http://A.example/x HTTP/1.1\r\nHost: b.example\r\n\r\n", Protocol::http), "a.example /x");
  EXPECT_EQ(names_in("GET http://a.example HTTP/1.1\r\n\r\n", Protocol::http), "a.example /");
}

TEST(Names, AHostFieldBehindTheHeaderOrCutDoesNotCount) {
  EXPECT_EQ(names_in("POST / HTTP/1.1\r\n\r\nHost: body.example\r\n", Protocol::nameless), "");
  EXPECT_EQ(names_in("GET / HTTP/1.1\r\nHost: www.exam", Protocol::nameless), "");
  EXPECT_EQ(names_in("GET /without-an-end", Protocol::nameless), "");
}

TEST(Names, ServerNameOfAClientHello) {
  const std::string hello = client_hello("Video.Example.com");
  EXPECT_EQ(names_in(hello, Protocol::tls), "video.example.com ");
  for (std::size_t length = 0; length < hello.size(); ++length) {
    Names names;
    read_names(octets(std::string_view(hello).substr(0, length)), names);
    EXPECT_EQ(names.text(), "") << length;
  }
}

TEST(Names, OtherPayloadTellsNone) {
  EXPECT_EQ(names_in("", Protocol::unknown), "");
  EXPECT_EQ(names_in("SSH-2.0-OpenSSH\r\n", Protocol::unknown), "");
}

TEST(Names, ALongPathIsCutAndANameWithControlCharactersEnds) {
  const std::string text = names_in("GET /" + std::string(3000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n", Protocol::http);
  EXPECT_EQ(text.size(), kLongestText + 1);
  EXPECT_EQ(names_in("GET / HTTP/1.1\r\nHost: a\x02/evil\r\n\r\n", Protocol::http), "a /");
}

class Rules : public testing::Test {
 protected:
  static Progress inspected(const RuleBase& rules, const FlowKey& flow, const std::vector<std::string>& payloads) {
    Inspector inspector(std::shared_ptr<const RuleBase>(&rules, [](const RuleBase*) {}));
    Progress progress;
    for (const std::string& payload : payloads) {
      if (!progress.is_done) inspector.inspect(flow, octets(payload), progress);
    }
    return progress;
  }
  static FlowKey flow(std::uint8_t protocol = 6, std::uint16_t remote_port = 80) {
    FlowKey key;
    key.user = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1};
    key.remote = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 198, 18, 5, 9};
    key.user_port = 40000;
    key.remote_port = remote_port;
    key.protocol = protocol;
    return key;
  }
  static std::string request(const std::string& host, const std::string& target = "/") {
    return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }
};

TEST_F(Rules, L7) {
  const TestFile l7(
      "# comment\n\nhost www.example.com\nhost *.cdn.example\nurl www.example.org/video/\nsni tls.example\n"
      "regex ^img[0-9]+\\.example/\nhost *.example.com\ncontains /ads/\nurl www.example.org/vid\n");
  const RuleBase rules(l7.path(), "", "");
  EXPECT_EQ(rules.l7_count(), 8u);
  const auto rule = [&](const std::string& payload) { return inspected(rules, flow(), {payload}).rule; };
  EXPECT_EQ(rule(request("www.example.com")), 0u);
  EXPECT_EQ(rule(request("WWW.example.com", "/x")), 0u);
  EXPECT_EQ(rule(request("notwww.example.com")), 5u);
  EXPECT_EQ(rule(request("www.example.com.evil")), kNoRule);
  EXPECT_EQ(rule(request("a.b.cdn.example")), 1u);
  EXPECT_EQ(rule(request("cdn.example")), kNoRule);
  EXPECT_EQ(rule(request("evilcdn.example")), kNoRule);
  EXPECT_EQ(rule(request("www.example.org", "/video/1")), 2u);
  EXPECT_EQ(rule(request("www.example.org", "/Video/1")), kNoRule);
  EXPECT_EQ(rule(request("www.example.org", "/vids")), 7u);
  EXPECT_EQ(rule(request("www.example.org", "/vids/ads/1")), 6u);
  EXPECT_EQ(rule(request("tls.example")), kNoRule);
  EXPECT_EQ(rule(client_hello("TLS.example")), 3u);
  EXPECT_EQ(rule(request("img17.example", "/a")), 4u);
  EXPECT_EQ(rule(client_hello("img17.example")), kNoRule);
}

TEST_F(Rules, L3TheFirstOfTheFileWins) {
  const TestFile l3(
      "udp any 198.18.5.9 any 53\n"
      "tcp any 198.18.5.0/24 any 8000-8080\n"
      "ip 10.0.0.0/8 198.18.0.0/15 1024-65535 any\n"
      "tcp any 198.18.5.9/32 any any\n"
      "ip any 2001:db8::/32 any any\n");
  const RuleBase rules("", l3.path(), "");
  EXPECT_EQ(inspected(rules, flow(17, 53), {"x"}).rule, 0u);
  const std::vector<std::string> others(kMostInspected, "x");
  EXPECT_EQ(inspected(rules, flow(6, 8000), others).rule, 1u);
  EXPECT_EQ(inspected(rules, flow(6, 80), others).rule, 2u);
  FlowKey low = flow(6, 80);
  low.user_port = 1023;
  EXPECT_EQ(inspected(rules, low, others).rule, 3u);
  low.remote = {0x20, 0x01, 0x0D, 0xB8};
  EXPECT_EQ(inspected(rules, low, others).rule, 4u);
  low.remote = {0x20, 0x01, 0x0D, 0xB9};
  EXPECT_EQ(inspected(rules, low, others).rule, kNoRule);
}

TEST_F(Rules, AtMostFourPacketsWithPayloadAreInspectedAndL7WinsOverL3) {
  const TestFile l7("host a.example\n"), l3("ip any any any any\n");
  const RuleBase rules(l7.path(), l3.path(), "");
  const Progress late = inspected(rules, flow(), {"", "x", "x", "x", request("a.example")});
  EXPECT_EQ(late.rule, 0u);
  const Progress too_late = inspected(rules, flow(), {"x", "x", "x", "x", request("a.example")});
  EXPECT_EQ(too_late.rule, 1u);
  EXPECT_TRUE(too_late.is_done);
  EXPECT_TRUE(inspected(rules, flow(17), {"x"}).is_done);
}

TEST_F(Rules, ACacheGivesTheSameAnswersAndADamagedOneIsWrittenAnew) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "contains h" + std::to_string(i) + ".example\n";
  const TestFile l7(text), cache;
  const auto rule_of = [&](const RuleBase& rules) { return inspected(rules, flow(), {request("h77.example")}).rule; };
  const RuleBase first(l7.path(), "", cache.path());
  EXPECT_FALSE(first.from_cache());
  EXPECT_EQ(rule_of(first), 77u);
  const RuleBase second(l7.path(), "", cache.path());
  EXPECT_TRUE(second.from_cache());
  EXPECT_EQ(rule_of(second), 77u);
  const std::string kept = read_file(cache.path());
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, kept.size() / 2, kept.size() - 1}) {
    std::string damaged = kept;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(cache.path(), std::ios::binary) << damaged;
    EXPECT_EQ(rule_of(RuleBase(l7.path(), "", cache.path())), 77u) << at;
  }
  std::ofstream(cache.path(), std::ios::binary) << kept.substr(0, kept.size() / 2);
  EXPECT_EQ(rule_of(RuleBase(l7.path(), "", cache.path())), 77u);
  const TestFile others("contains h77.example\n");
  const RuleBase third(others.path(), "", cache.path());
  EXPECT_FALSE(third.from_cache());
  EXPECT_EQ(rule_of(third), 0u);
  EXPECT_EQ(rule_of(RuleBase(l7.path(), "", "/nowhere/to/be/written")), 77u);
}

TEST_F(Rules, WrongLinesAreRefusedWithTheirNumber) {
  for (const char* line :
       {"host", "host a b", "host *", "host a/b", "hosts a", "url a", "url *.a/b", "host \x02", "sni a:443"}) {
    try {
      (void)read_l7_rules(std::string("host ok\n") + line + "\n", "mine");
      ADD_FAILURE() << line;
    } catch (const ConfigError& e) {
      EXPECT_EQ(std::string(e.what()).rfind("mine:2: ", 0), 0u) << e.what();
    }
  }
  for (const char* line : {"tcp any any any", "sctp any any any any", "256 any any any any",
                           "tcp 10.0.0.0/33 any any any", "tcp 10.0.0/8 any any any", "tcp any ::/129 any any",
                           "tcp any any 5-4 any", "tcp any any 65536 any", "tcp any any any x"}) {
    try {
      (void)read_l3_rules(std::string("ip any any any any\n") + line, "mine");
      ADD_FAILURE() << line;
    } catch (const ConfigError& e) {
      EXPECT_EQ(std::string(e.what()).rfind("mine:2: ", 0), 0u) << e.what();
    }
  }
  EXPECT_THROW((void)read_l7_rules("host " + std::string(5000, 'a'), "mine"), ConfigError);
  EXPECT_THROW(RuleBase("/nowhere", "", ""), ConfigError);
  const TestFile bad("regex (\n");
  EXPECT_THROW(RuleBase(bad.path(), "", ""), ConfigError);
}

TEST_F(Rules, AWorkerCountsTheFlowsOfEachRule) {
  const TestFile l7("host a.example\n"), l3("udp 10.1.0.0/16 198.18.0.0/15 9999 53\n");
  const auto rules = read_inspection_rules(l7.path(), l3.path(), "");
  const auto worker = rules->add_worker();
  gtpu::FlowKey flow;
  flow.user[1] = 0xFFFF'0A01'0203;
  flow.remote[1] = 0xFFFF'C612'0509;
  flow.ports_or_spi = 9999 << 16 | 53;
  flow.protocol = 17;
  std::uint8_t inspected = 0;
  worker->inspect(flow, octets("x"), inspected);
  EXPECT_EQ(inspected, FlowTable::kInspected);
  flow.protocol = 6;
  inspected = 0;
  worker->inspect(flow, octets("x"), inspected);
  EXPECT_EQ(inspected, 1u);
  worker->inspect(flow, octets(request("a.example")), inspected);
  EXPECT_EQ(inspected, FlowTable::kInspected);
  const InspectionCounters counters = worker->counters();
  EXPECT_EQ(counters.packets, 3u);
  EXPECT_EQ(counters.flows, 2u);
  EXPECT_EQ(counters.matched, (std::map<std::uint32_t, std::uint64_t>{{0, 1}, {1, 1}}));
}

}  // namespace
}  // namespace headroom::gtpu::inspection
