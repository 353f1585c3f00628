// SPDX-License-Identifier: Apache-2.0
#include "traffic/read_connections.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "traffic/addresses.h"
#include "traffic/read_headers.h"

namespace headroom::traffic {
namespace {

constexpr std::size_t kLongestHost = 253;  // RFC 1035, 2.3.4, as text

std::string read_host(const Value& value) {
  const std::string host = value.text();
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (host.empty() || host.size() > kLongestHost || !std::all_of(host.begin(), host.end(), is_allowed))
    value.fail("the name of a host is expected here, such as \"www.example.com\".");
  return host;
}

Rule read_rule(const Value& value) {
  Object object(value);
  Rule rule;
  if (const auto host = object.optional("host")) {
    rule.host = read_host(*host);
    object.finish();
    return rule;
  }
  rule.tcp = object.required("protocol").choice({"udp", "tcp"}) == 1;
  const Value network = object.required("network");
  rule.ports = read_ports(object.required("ports"));
  rule.count = integer(object, "count", 1, 65'536, rule.count);
  if (const auto v6 = parse_network6(network.text())) {
    rule.network = *v6;
    if (rule.count != 1) value.fail("\"count\" is for IPv4 networks.");
  } else if (const auto v4 = parse_network4(network.text())) {
    rule.network = *v4;
    if (v4->address + (std::uint64_t{rule.count} << (32 - v4->length)) > std::uint64_t{1} << 32)
      value.fail("so many networks go beyond 255.255.255.255.");
  } else {
    network.fail("a network such as \"198.18.0.0/24\" or \"2001:db8::/64\" is expected here.");
  }
  object.finish();
  return rule;
}

std::uint64_t last_of(const Network4& network, std::uint32_t count) {
  return network.address + (std::uint64_t{count} << (32 - network.length)) - 1;
}

bool overlap(const Rule& rule, const Network4& other) {
  const Network4& own = std::get<Network4>(rule.network);
  return own.address <= last_of(other, 1) && other.address <= last_of(own, rule.count);
}

bool overlap(const Rule& rule, const Network6& other) {
  const Network6& own = std::get<Network6>(rule.network);
  const unsigned bits = std::min(own.length, other.length);
  for (unsigned bit = 0; bit < bits; ++bit) {
    if (((own.address[bit / 8] ^ other.address[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool overlap(const PortRange& a, const PortRange& b) { return a.lowest <= b.highest && b.lowest <= a.highest; }

// The connections of a variant as rules see them: UDP or TCP over some IP to servers somewhere.
struct Kind {
  const Ipv4* ipv4;
  const Ipv6* ipv6;
  const Tcp* tcp;
  PortRange ports;
};

// True if connections with the right server match the rule.
bool can_match(const Kind& kind, const std::string& host, const Rule& rule) {
  if (!rule.host.empty()) return !host.empty();
  return rule.tcp == (kind.tcp != nullptr) && (kind.ipv4 != nullptr) == std::holds_alternative<Network4>(rule.network);
}

// True if connections match the rule by chance.
bool matches(const Kind& kind, const std::string& host, const Rule& rule) {
  if (!can_match(kind, host, rule)) return false;
  if (!rule.host.empty()) return rule.host == host;
  if (!overlap(rule.ports, kind.ports)) return false;
  return kind.ipv4 != nullptr ? overlap(rule, kind.ipv4->destination) : overlap(rule, kind.ipv6->destination);
}

Kind kind_of(const Value& value, const Variant& variant) {
  const std::vector<Header>& headers = variant.headers;
  const auto* udp = std::get_if<Udp>(&headers.back());
  const auto* tcp = std::get_if<Tcp>(&headers.back());
  if ((udp == nullptr && tcp == nullptr) || !is_ip(headers[headers.size() - 2]))
    value.fail("connections need UDP or TCP over IP as the innermost headers.");
  if (variant.speech || !variant.changes.empty()) value.fail("connections have neither talk spurts nor changes.");
  if (tcp != nullptr && (tcp->acknowledgement_step != 0 || tcp->echo)) {
    value.fail(
        "segments of connections acknowledge what has been sent: leave out \"acknowledgement_step\" and \"echo\".");
  }
  const Header& ip = headers[headers.size() - 2];
  return {std::get_if<Ipv4>(&ip), std::get_if<Ipv6>(&ip), tcp, tcp != nullptr ? tcp->destination : udp->destination};
}

}  // namespace

std::vector<Rule> read_rules(const Value& value) {
  std::vector<Rule> rules;
  for (const Value& rule : value.items()) rules.push_back(read_rule(rule));
  if (rules.empty() || rules.size() > kMostRules)
    value.fail("a profile with rules has 1 to " + std::to_string(kMostRules) + " of them.");
  return rules;
}

Connections read_connections(const Value& value, const Variant& variant, const std::vector<Rule>& rules) {
  const Kind kind = kind_of(value, variant);
  Object object(value);
  Connections connections;
  const Value packets = object.required("packets");
  connections.packets = static_cast<std::uint32_t>(packets.integer(1, kMostConnectionPackets));
  if (kind.tcp != nullptr && connections.packets < Connections::kFewestOfTcp) {
    packets.fail("a TCP connection has at least " + std::to_string(Connections::kFewestOfTcp) +
                 " packets: two that open it, a request and two that end it.");
  }
  if (const auto v = object.optional("distribution"))
    connections.constant = v->choice({"exponential", "constant"}) == 1;
  connections.forward_share = object.probability("forward_share", connections.forward_share);
  if (const auto v = object.optional("http_host")) {
    connections.host = read_host(*v);
    if (kind.tcp == nullptr) v->fail("an HTTP request needs TCP.");
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (matches(kind, connections.host, rules[i]))
      value.fail("the connections that are no hits match /rules/" + std::to_string(i) + " as well.");
  }
  std::vector<Rule> hits;
  if (const auto v = object.optional("hit_share"); v && (connections.hit_share = v->probability()) > 0) {
    std::copy_if(rules.begin(), rules.end(), std::back_inserter(hits),
                 [&](const Rule& rule) { return can_match(kind, connections.host, rule); });
    if (hits.empty()) v->fail("none of the profile's rules is for such connections.");
  }
  connections.rules = std::make_shared<const std::vector<Rule>>(std::move(hits));
  object.finish();
  return connections;
}

void check_matched(const Value& value, const std::vector<Rule>& rules, const std::vector<Variant>& variants) {
  const std::vector<Value> places = value.items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool matched = std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
      return variant.connections && variant.connections->hit_share > 0 &&
             can_match(kind_of(value, variant), variant.connections->host, rules[i]);
    });
    if (!matched) places[i].fail("no connection matches this rule: none is of its kind with a hit_share above 0.");
  }
}

}  // namespace headroom::traffic
