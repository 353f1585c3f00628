// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/neighbours.h"

#include <algorithm>
#include <cstring>

#include "schemes/gtpu/ports/inner_address.h"

namespace headroom::gtpu::ports {
namespace {

using node::Frame, node::kHeader, node::kMacs;

constexpr std::uint16_t kTypeArp = 0x0806;
constexpr std::uint16_t kArpRequest = 1, kArpReply = 2;
constexpr std::size_t kArpLength = 28;
constexpr std::size_t kSolicitation = 24, kLinkLayerOption = 8;
constexpr std::uint8_t kIcmpv6 = 58, kNeighborSolicitation = 135, kNeighborAdvertisement = 136;
constexpr std::uint8_t kSourceLinkLayer = 1, kTargetLinkLayer = 2;
constexpr std::uint8_t kSolicitedOverride = 0x60;
constexpr std::uint8_t kOnLinkHopLimit = 255;  // RFC 4861, 7.1.1: proves that no router passed it on
constexpr Address kIpv4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

std::uint64_t number_of(const MacAddress& mac) noexcept {
  std::uint64_t number = 0;
  for (const std::uint8_t octet : mac) number = number << 8 | octet;
  return number;
}

MacAddress mac_of(std::uint64_t number) noexcept {
  MacAddress mac;
  for (std::size_t i = mac.size(); i-- > 0; number >>= 8) mac[i] = static_cast<std::uint8_t>(number);
  return mac;
}

MacAddress mac_at(const std::uint8_t* octets) noexcept {
  MacAddress mac;
  std::copy_n(octets, mac.size(), mac.begin());
  return mac;
}

void put_ethernet(std::uint8_t* frame, const MacAddress& to, const MacAddress& from, std::uint16_t type) noexcept {
  std::ranges::copy(to, frame);
  std::ranges::copy(from, frame + to.size());
  store16(frame + kMacs, type);
}

bool has(std::span<const Address> own, const Address& address) noexcept {
  return std::ranges::find(own, address) != own.end();
}

Resolution resolve_arp(Frame& frame, std::span<const Address> own, const MacAddress& mac,
                       Neighbours& neighbours) noexcept {
  std::uint8_t* const arp = frame.octets + kHeader;
  constexpr std::uint8_t kEthernetIpv4[] = {0, 1, 8, 0, 6, 4};
  if (frame.length < kHeader + kArpLength || std::memcmp(arp, kEthernetIpv4, sizeof kEthernetIpv4) != 0)
    return Resolution::consumed;
  const MacAddress sender = mac_at(arp + 8);
  const Address from = address_of(arp + 14, false), wanted = address_of(arp + 24, false);
  neighbours.learn(from, sender);
  if (load16(arp + 6) != kArpRequest || !has(own, wanted)) return Resolution::consumed;
  std::uint8_t own_ip[4], their_ip[4];
  std::copy_n(arp + 24, 4, own_ip);
  std::copy_n(arp + 14, 4, their_ip);
  store16(arp + 6, kArpReply);
  std::ranges::copy(mac, arp + 8);
  std::ranges::copy(own_ip, arp + 14);
  std::ranges::copy(sender, arp + 18);
  std::ranges::copy(their_ip, arp + 24);
  put_ethernet(frame.octets, sender, mac, kTypeArp);
  return Resolution::answered;
}

// The checksum of an ICMPv6 message with its pseudo-header (RFC 8200, 8.1; RFC 4443, 2.3).
void put_icmpv6_checksum(std::uint8_t* packet, std::size_t length) noexcept {
  std::uint8_t* const message = packet + kIpv6Header;
  store16(message + 2, 0);
  std::uint32_t sum = checksum_add(static_cast<std::uint32_t>(length) + kIcmpv6, {packet + 8, 32});
  sum = checksum_add(sum, {message, length});
  store16(message + 2, checksum_finish(sum));
}

bool is_neighbour_discovery(const Frame& frame) noexcept {
  const std::uint8_t* const packet = frame.octets + kHeader;
  if (frame.length < kHeader + kIpv6Header + kSolicitation || load16(frame.octets + kMacs) != kEtherTypeIpv6)
    return false;
  const std::uint8_t type = packet[kIpv6Header];
  return packet[0] >> 4 == 6 && packet[6] == kIcmpv6 && packet[7] == kOnLinkHopLimit &&
         (type == kNeighborSolicitation || type == kNeighborAdvertisement);
}

// The link-layer address in the options of a message; nothing if there is none.
std::optional<MacAddress> link_layer_address(OctetView options, std::uint8_t type) noexcept {
  while (options.size() >= kLinkLayerOption) {
    const std::size_t length = std::size_t{options[1]} * 8;
    if (length == 0 || length > options.size()) return std::nullopt;
    if (options[0] == type) return mac_at(&options[2]);
    options = options.subspan(length);
  }
  return std::nullopt;
}

Resolution resolve_ipv6(Frame& frame, std::span<const Address> own, const MacAddress& mac,
                        Neighbours& neighbours) noexcept {
  std::uint8_t* const packet = frame.octets + kHeader;
  std::uint8_t* const message = packet + kIpv6Header;
  const std::size_t there = std::min<std::size_t>(frame.length - kHeader - kIpv6Header, load16(packet + 4));
  if (there < kSolicitation) return Resolution::consumed;
  const OctetView options(message + kSolicitation, there - kSolicitation);
  const Address from = address_of(packet + 8, true), target = address_of(message + 8, true);
  if (message[0] == kNeighborAdvertisement) {
    if (const auto found = link_layer_address(options, kTargetLinkLayer)) neighbours.learn(target, *found);
    return Resolution::consumed;
  }
  const auto sender = link_layer_address(options, kSourceLinkLayer);
  if (sender) neighbours.learn(from, *sender);
  if (!sender || !has(own, target) || frame.room < kHeader + kIpv6Header + kSolicitation + kLinkLayerOption)
    return Resolution::consumed;
  std::ranges::copy(from, packet + 24);
  std::ranges::copy(target, packet + 8);
  store16(packet + 4, kSolicitation + kLinkLayerOption);
  message[0] = kNeighborAdvertisement;
  message[1] = 0;
  store32(message + 4, std::uint32_t{kSolicitedOverride} << 24);
  message[kSolicitation] = kTargetLinkLayer;
  message[kSolicitation + 1] = 1;
  std::ranges::copy(mac, message + kSolicitation + 2);
  put_icmpv6_checksum(packet, kSolicitation + kLinkLayerOption);
  put_ethernet(frame.octets, *sender, mac, kEtherTypeIpv6);
  frame.length = kHeader + kIpv6Header + kSolicitation + kLinkLayerOption;
  return Resolution::answered;
}

void write_arp_request(Frame& frame, const Address& own, const MacAddress& mac, const Address& wanted) noexcept {
  MacAddress broadcast;
  broadcast.fill(0xFF);
  put_ethernet(frame.octets, broadcast, mac, kTypeArp);
  std::uint8_t* const arp = frame.octets + kHeader;
  constexpr std::uint8_t kRequest[] = {0, 1, 8, 0, 6, 4, 0, kArpRequest};
  std::ranges::copy(kRequest, arp);
  std::ranges::copy(mac, arp + 8);
  std::copy_n(own.begin() + 12, 4, arp + 14);
  std::fill_n(arp + 18, 6, std::uint8_t{0});
  std::copy_n(wanted.begin() + 12, 4, arp + 24);
  frame.length = kHeader + kArpLength;
}

void write_solicitation(Frame& frame, const Address& own, const MacAddress& mac, const Address& wanted) noexcept {
  // The solicited-node multicast address and its MAC address (RFC 4291, 2.7.1; RFC 2464, 7).
  Address group = {0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xFF};
  std::copy_n(wanted.begin() + 13, 3, group.begin() + 13);
  const MacAddress group_mac = {0x33, 0x33, group[12], group[13], group[14], group[15]};
  put_ethernet(frame.octets, group_mac, mac, kEtherTypeIpv6);
  std::uint8_t* const packet = frame.octets + kHeader;
  store32(packet, 0x60000000);
  store16(packet + 4, kSolicitation + kLinkLayerOption);
  packet[6] = kIcmpv6;
  packet[7] = kOnLinkHopLimit;
  std::ranges::copy(own, packet + 8);
  std::ranges::copy(group, packet + 24);
  std::uint8_t* const message = packet + kIpv6Header;
  message[0] = kNeighborSolicitation;
  message[1] = 0;
  store32(message + 4, 0);
  std::ranges::copy(wanted, message + 8);
  message[kSolicitation] = kSourceLinkLayer;
  message[kSolicitation + 1] = 1;
  std::ranges::copy(mac, message + kSolicitation + 2);
  put_icmpv6_checksum(packet, kSolicitation + kLinkLayerOption);
  frame.length = kHeader + kIpv6Header + kSolicitation + kLinkLayerOption;
}

}  // namespace

bool is_ipv4(const Address& address) noexcept {
  return std::equal(kIpv4Prefix.begin(), kIpv4Prefix.begin() + 12, address.begin());
}

Address address_of(const std::uint8_t* octets, bool is_v6) noexcept {
  Address address = kIpv4Prefix;
  std::copy_n(octets, is_v6 ? 16 : 4, address.begin() + (is_v6 ? 0 : 12));
  return address;
}

Address source_of(OctetView packet) noexcept {
  const bool is_v6 = packet[0] >> 4 == 6;
  return address_of(&packet[is_v6 ? 8 : 12], is_v6);
}

Address destination_of(OctetView packet) noexcept {
  const bool is_v6 = packet[0] >> 4 == 6;
  return address_of(&packet[is_v6 ? 24 : 16], is_v6);
}

MacAddress mac_of_sender(const Frame& frame) noexcept { return mac_at(frame.octets + kMacs / 2); }

Neighbours::Neighbours() : entries_(std::make_unique<std::array<Entry, kPlaces>>()) {}

std::size_t Neighbours::place_of(const Address& address) noexcept {
  std::uint64_t hash = load64(address.data()) * 0x9E3779B97F4A7C15 ^ load64(address.data() + 8);
  hash *= 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>(hash >> 32) % kPlaces;
}

void Neighbours::learn(const Address& address, const MacAddress& mac) noexcept {
  if ((mac[0] & 1) != 0) return;
  const std::size_t first = place_of(address);
  for (std::size_t i = 0; i < kMostProbes; ++i) {
    Entry& entry = (*entries_)[(first + i) % kPlaces];
    std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == kEmpty && entry.state.compare_exchange_strong(state, kClaimed, std::memory_order_acquire)) {
      entry.address = address;
      entry.mac.store(number_of(mac), std::memory_order_relaxed);
      entry.state.store(kReady, std::memory_order_release);
      return;
    }
    if (state == kReady && entry.address == address) {
      const std::uint64_t number = number_of(mac);
      // Most frames say nothing new: do not take the line from the other workers.
      if (entry.mac.load(std::memory_order_relaxed) != number) entry.mac.store(number, std::memory_order_relaxed);
      return;
    }
  }
}

std::optional<MacAddress> Neighbours::find(const Address& address) const noexcept {
  const std::size_t first = place_of(address);
  for (std::size_t i = 0; i < kMostProbes; ++i) {
    const Entry& entry = (*entries_)[(first + i) % kPlaces];
    const std::uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state == kEmpty) return std::nullopt;
    if (state == kReady && entry.address == address) return mac_of(entry.mac.load(std::memory_order_relaxed));
  }
  return std::nullopt;
}

Resolution resolve(Frame& frame, std::span<const Address> own, const MacAddress& mac, Neighbours& neighbours) noexcept {
  if (frame.length < kHeader) return Resolution::none;
  if (load16(frame.octets + kMacs) == kTypeArp) return resolve_arp(frame, own, mac, neighbours);
  if (is_neighbour_discovery(frame)) return resolve_ipv6(frame, own, mac, neighbours);
  return Resolution::none;
}

void write_request(Frame& frame, const Address& own, const MacAddress& mac, const Address& wanted) noexcept {
  is_ipv4(wanted) ? write_arp_request(frame, own, mac, wanted) : write_solicitation(frame, own, mac, wanted);
}

}  // namespace headroom::gtpu::ports
