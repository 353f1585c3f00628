// SPDX-License-Identifier: Apache-2.0
#include "traffic/connection.h"

#include <algorithm>

#include "base/random.h"
#include "traffic/addresses.h"

namespace headroom::traffic {
namespace {

constexpr std::uint8_t kFin = 0x01, kSyn = 0x02;  // RFC 793, 3.1
constexpr std::uint64_t kOpeningOfTcp = 3, kEndOfTcp = 2, kOpeningOfUdp = 1;

// What is drawn for a connection. Part of what a seed means: never renumber them.
enum class Drawn : std::uint64_t {
  life = 1,
  user_port,
  server_port,
  server,
  interface_identifier,
  hit,
  rule,
  network,
  sequence = 16,  // and 17: of each end
  identification = 18
};

std::uint64_t draw_of(std::uint64_t connection, Drawn drawn, std::uint64_t end = 0) {
  return derive(connection, static_cast<std::uint64_t>(drawn) + end);
}

std::uint16_t port_of(const PortRange& range, std::uint64_t draw) {
  return static_cast<std::uint16_t>(range.lowest +
                                    scale(draw, static_cast<std::uint32_t>(range.highest - range.lowest)));
}

// A host of an IPv4 network: neither the first address nor the last, which belong to none.
std::uint32_t host_of(const Network4& network, std::uint64_t draw) {
  const std::uint64_t size = std::uint64_t{1} << (32 - network.length);
  if (size <= 2) return network.address + scale(draw, static_cast<std::uint32_t>(size - 1));
  return address_in(network, scale(draw, static_cast<std::uint32_t>(size - 3)));
}

}  // namespace

std::string http_request(std::string_view host) {
  return "GET /index.html HTTP/1.1\r\nHost: " + std::string(host) + "\r\nUser-Agent: headroom\r\nAccept: */*\r\n\r\n";
}

void ConnectionState::begin(const Connections& connections, bool tcp) {
  connection_key_ = derive(key_, begun_);
  const auto draw = [&](Drawn drawn, std::uint64_t end = 0) { return draw_of(connection_key_, drawn, end); };
  const std::uint64_t opening = tcp ? kOpeningOfTcp : kOpeningOfUdp;
  const bool is_first = begun_++ == 0;
  // What is left of a life of exponential length is as long as a whole one.
  const std::uint64_t drawn = !connections.constant ? exponential(draw(Drawn::life), connections.packets)
                              : is_first            ? 1 + scale(draw(Drawn::life), connections.packets - 1)
                                                    : connections.packets;
  sent_ = is_first ? opening : 0;
  life_ = is_first ? opening + std::max(drawn, tcp ? kEndOfTcp : std::uint64_t{1})
                   : std::max<std::uint64_t>(drawn, tcp ? Connections::kFewestOfTcp : 1);
  for (std::size_t end = 0; end < sequence_.size(); ++end)
    sequence_[end] = static_cast<std::uint32_t>(draw(Drawn::sequence, end) >> 32);
  const bool is_hit = Chance(connections.hit_share).happens(draw(Drawn::hit));
  const std::vector<Rule>& rules = *connections.rules;
  rule_ = is_hit ? &rules[scale(draw(Drawn::rule), static_cast<std::uint32_t>(rules.size() - 1))] : nullptr;
  if (!connections.host.empty())
    request_ = http_request(rule_ != nullptr && !rule_->host.empty() ? rule_->host : connections.host);
}

ConnectionPacket ConnectionState::next(const Variant& variant, std::uint64_t draw, std::uint32_t length) {
  const Connections& connections = *variant.connections;
  const bool tcp = std::holds_alternative<Tcp>(variant.headers.back());
  ConnectionPacket packet;
  packet.begins = sent_ == life_;
  if (packet.begins) begin(connections, tcp);
  packet.reverse = sent_ != 0 && !Chance(connections.forward_share).happens(draw);
  packet.length = length;
  if (tcp) {
    const bool is_syn = sent_ < kOpeningOfTcp - 1, is_fin = sent_ + kEndOfTcp >= life_;
    if (sent_ < kOpeningOfTcp) packet.reverse = sent_ == 1;
    if (is_fin) packet.reverse = sent_ + kEndOfTcp == life_;
    packet.is_request = sent_ == kOpeningOfTcp - 1 && !connections.host.empty();
    if (is_syn) packet.length = 0;
    if (packet.is_request) packet.length = static_cast<std::uint32_t>(request_.size());
    packet.flags =
        static_cast<std::uint8_t>((is_syn ? kSyn : 0) | (is_fin ? kFin : 0) | (sent_ != 0 ? Tcp::kAcknowledgement : 0));
    packet.sequence = sequence_[packet.reverse];
    packet.acknowledgement = sent_ != 0 ? sequence_[!packet.reverse] : 0;
    sequence_[packet.reverse] += packet.length + (is_syn || is_fin ? 1 : 0);  // RFC 793, 3.3: both count as an octet
  }
  ++sent_;
  return packet;
}

void ConnectionState::set_ends(const Variant& variant, bool reverse, Identity& identity) const {
  const auto draw = [&](Drawn drawn, std::uint64_t end = 0) { return draw_of(connection_key_, drawn, end); };
  const std::size_t transport = variant.headers.size() - 1, ip = transport - 1;
  const auto* tcp = std::get_if<Tcp>(&variant.headers[transport]);
  const auto* udp = std::get_if<Udp>(&variant.headers[transport]);
  const bool elsewhere = rule_ != nullptr && rule_->host.empty();  // the server is where the rule says
  const PortRange& server_ports = elsewhere ? rule_->ports : tcp != nullptr ? tcp->destination : udp->destination;
  const std::uint16_t ports[] = {port_of(tcp != nullptr ? tcp->source : udp->source, draw(Drawn::user_port)),
                                 port_of(server_ports, draw(Drawn::server_port))};
  identity.headers[transport].source_port = ports[reverse];
  identity.headers[transport].destination_port = ports[!reverse];

  Identity::PerHeader& own = identity.headers[ip];
  auto& server = reverse ? own.source : own.destination;
  if (const auto* ipv4 = std::get_if<Ipv4>(&variant.headers[ip])) {
    Network4 network = elsewhere ? std::get<Network4>(rule_->network) : ipv4->destination;
    if (elsewhere && rule_->count > 1)
      network.address += scale(draw(Drawn::network), rule_->count - 1) << (32 - network.length);
    store32(server.data(), host_of(network, draw(Drawn::server)));
    if (!ipv4->identification_start)
      own.identification = static_cast<std::uint16_t>(draw(Drawn::identification, reverse ? 1 : 0) >> 48);
  } else {
    const auto& ipv6 = std::get<Ipv6>(variant.headers[ip]);
    const Network6& network = elsewhere ? std::get<Network6>(rule_->network) : ipv6.destination;
    server = address_in(network, draw(Drawn::server) >> 1, draw(Drawn::interface_identifier));
  }
}

}  // namespace headroom::traffic
