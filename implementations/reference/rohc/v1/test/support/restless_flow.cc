// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/restless_flow.h"

#include <optional>
#include <vector>

namespace headroom::rohc::test {
namespace {

constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kGre = 47;
constexpr std::uint8_t kAuthentication = 51;
constexpr std::uint8_t kDestination = 60;

bool has_sequence(const ExtensionSpec& e) {
  return e.type == kAuthentication || (e.type == kGre && (e.octets[0] & 0x10) != 0);
}

}  // namespace

PacketSpec listed_packet(std::uint64_t number) {
  const std::vector<ListedKind> all = listed_kinds();
  PacketSpec spec = all[number % all.size()].spec;
  if (spec.udp) spec.udp->checksum = number % 3 == 0;
  return spec;
}

Packet RestlessFlow::next() {
  if (random_.chance(unrest_)) disturb();
  return build(flow_.next());
}

void RestlessFlow::disturb() {
  PacketSpec& s = flow_.spec;
  switch (random_.below(s.rtp ? 4 : 3)) {
    case 0:
      alter(s.extensions, true);
      break;
    case 1:
      if (s.outer) alter(s.outer_extensions, false);
      break;
    case 2:
      if (random_.chance(0.3)) s.ip.ttl = static_cast<std::uint8_t>(random_.word());
      alter_coverage();
      break;
    default:
      alter_csrcs(s.csrcs);
      break;
  }
}

void RestlessFlow::alter_coverage() {
  PacketSpec& s = flow_.spec;
  if (!s.udp || !s.udp->lite) return;
  // Among them what would be the datagram's length without its CSRCs.
  const auto datagram = static_cast<std::uint16_t>(20 + s.payload.size());
  const std::optional<std::uint16_t> coverages[] = {std::nullopt, datagram, std::uint16_t{8}, std::uint16_t{20}};
  s.udp->coverage = coverages[random_.below(4)];
}

ExtensionSpec RestlessFlow::drawn() {
  Packet contents(random_.below(20));
  for (auto& octet : contents) octet = static_cast<std::uint8_t>(random_.below(3));
  switch (random_.below(4)) {
    case 0:
      return options_header(0, contents);
    case 1:
      return options_header(kRouting, contents);
    case 2:
      return options_header(kDestination, contents);
    default:
      return authentication_header(random_.below(2), random_.word(), Packet(4 * random_.below(5), 1));
  }
}

void RestlessFlow::insert(std::vector<ExtensionSpec>& list) {
  const ExtensionSpec e = drawn();
  bool sequenced = false;
  for (const auto& other : list) sequenced |= other.type == kAuthentication || other.type == kGre;
  if (e.type == kAuthentication && sequenced) return;
  const bool anywhere = list.empty() || list.back().type != kGre;
  const std::size_t place = anywhere ? random_.below(static_cast<std::uint32_t>(list.size() + 1)) : 0;
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), e);
}

void RestlessFlow::alter(std::vector<ExtensionSpec>& list, bool inner) {
  switch (random_.below(5)) {
    case 0:
      if (list.size() < 6) insert(list);
      break;
    case 1:
      if (!list.empty())
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(random_.below(static_cast<std::uint32_t>(list.size()))));
      break;
    case 2:
      if (list.size() > 1 && list.back().type != kGre) std::swap(list.front(), list.back());
      break;
    case 3:
      for (auto& e : list) {
        if (has_sequence(e)) set_sequence(e, std::uint32_t{random_.word()} << 16 | 5);
      }
      break;
    default:
      if (random_.chance(0.2)) list.clear();
      if (!inner && list.empty()) {
        GreFields gre;
        if (random_.chance(0.5)) gre.checksum = 1;
        if (random_.chance(0.5)) gre.key = random_.below(3);
        if (random_.chance(0.5)) gre.sequence = random_.word();
        list.push_back(gre_header(gre));
      }
      break;
  }
}

void RestlessFlow::alter_csrcs(std::vector<std::uint32_t>& list) {
  if (list.size() < 15 && random_.chance(0.6)) {
    const std::size_t place = random_.below(static_cast<std::uint32_t>(list.size() + 1));
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), random_.below(25));
  } else if (!list.empty()) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(random_.below(static_cast<std::uint32_t>(list.size()))));
  }
}

}  // namespace headroom::rohc::test
