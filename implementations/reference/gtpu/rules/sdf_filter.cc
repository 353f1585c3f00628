// SPDX-License-Identifier: Apache-2.0
#include "gtpu/rules/sdf_filter.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "mutants.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kMostPortRanges = 16;  // of one end; a longer list is refused

template <typename Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// Takes the next word of the text, "" at its end.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

bool read_protocol(std::string_view word, SdfFilter& filter) {
  if (word == "ip") return true;
  std::uint8_t number = 0;
  if (word == "udp") {
    number = 17;
  } else if (word == "tcp") {
    number = 6;
  } else if (word == "icmp") {
    number = 1;
  } else if (!read_number(word, number)) {
    return false;
  }
  filter.protocol = number;
  return true;
}

bool read_address(std::string_view word, FlowEnd& end) {
  if (word == "any") return true;
  if (word == "assigned") {
    end.kind = FlowEnd::Kind::assigned;
    return true;
  }
  const std::size_t slash = word.find('/');
  const auto address = parse_address(std::string(word.substr(0, slash)));
  if (!address) return false;
  const std::uint8_t most = address->is_ipv4() ? 32 : 128;
  std::uint8_t length = most;
  if (slash != std::string_view::npos && (!read_number(word.substr(slash + 1), length) || length > most)) return false;
  end.kind = FlowEnd::Kind::prefix;
  end.address = *address;
  end.prefix_length = static_cast<std::uint8_t>(length + 128 - most);
  return true;
}

bool read_ports(std::string_view word, FlowEnd& end) {
  while (true) {
    const std::string_view item = word.substr(0, word.find(','));
    const std::size_t dash = item.find('-');
    PortRange range;
    if (!read_number(item.substr(0, dash), range.first)) return false;
    range.last = range.first;
    if (dash != std::string_view::npos && !read_number(item.substr(dash + 1), range.last)) return false;
    if (range.last < range.first || end.ports.size() == kMostPortRanges) return false;
    end.ports.push_back(range);
    if (item.size() == word.size()) return true;
    word.remove_prefix(item.size() + 1);
  }
}

bool has_prefix(const std::uint8_t* octets, const std::uint8_t* prefix, unsigned bits) noexcept {
  if (std::memcmp(octets, prefix, bits / 8) != 0) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((octets[bits / 8] ^ prefix[bits / 8]) >> (8 - rest)) == 0;
}

bool address_matches(const FlowEnd& end, const std::uint8_t* octets, std::uint8_t version,
                     const UserAddresses& user) noexcept {
  switch (end.kind) {
    case FlowEnd::Kind::any:
      return true;
    case FlowEnd::Kind::assigned:
      return version == 4 ? user.ipv4 != 0 && read32(octets) == user.ipv4
                          : user.ipv6 != 0 && read64(octets) == user.ipv6;
    case FlowEnd::Kind::prefix:
      break;
  }
  if (version == 6) return !end.address.is_ipv4() && has_prefix(octets, end.address.octets.data(), end.prefix_length);
  return end.address.is_ipv4() && has_prefix(octets, end.address.ipv4_octets(), end.prefix_length - 96U);
}

bool port_matches(const FlowEnd& end, bool has_ports, std::uint16_t port) noexcept {
  if (end.ports.empty()) return true;
  return has_ports && std::ranges::any_of(end.ports, [port](const PortRange& range) {
           return range.first <= port &&
                  (port < range.last || (port == range.last && !mutant("gtpu-last-port-left-out")));
         });
}

}  // namespace

std::optional<SdfFilter> parse_flow_description(std::string_view text) {
  SdfFilter filter;
  if (next_word(text) != "permit" || next_word(text) != "out" || !read_protocol(next_word(text), filter) ||
      next_word(text) != "from" || !read_address(next_word(text), filter.remote))
    return std::nullopt;
  std::string_view word = next_word(text);
  if (word != "to" && !word.empty()) {
    if (!read_ports(word, filter.remote)) return std::nullopt;
    word = next_word(text);
  }
  if (word != "to" || !read_address(next_word(text), filter.local)) return std::nullopt;
  word = next_word(text);
  if (!word.empty() && !read_ports(word, filter.local)) return std::nullopt;
  return next_word(text).empty() ? std::optional(filter) : std::nullopt;
}

bool matches(const SdfFilter& f, const PacketFields& p, const UserAddresses& user, bool uplink) noexcept {
  if (f.has_flow) {
    const std::uint8_t* const remote = uplink ? p.destination : p.source;
    const std::uint8_t* const local = uplink ? p.source : p.destination;
    if (f.protocol && *f.protocol != p.protocol) return false;
    if (!address_matches(f.remote, remote, p.version, user) || !address_matches(f.local, local, p.version, user))
      return false;
    if (!port_matches(f.remote, p.has_ports, uplink ? p.destination_port : p.source_port) ||
        !port_matches(f.local, p.has_ports, uplink ? p.source_port : p.destination_port))
      return false;
  }
  if (((p.traffic_class ^ f.traffic_class) & f.traffic_class_mask) != 0) return false;
  if (f.spi && !(p.has_spi && *f.spi == p.spi)) return false;
  return !f.flow_label || (p.version == 6 && *f.flow_label == p.flow_label);
}

FilterScreen FilterScreen::of(const SdfFilter& filter) noexcept {
  FilterScreen screen;
  screen.filter = &filter;
  if (!filter.has_flow) return screen;
  if (filter.protocol) {
    screen.protocol = *filter.protocol;
    screen.protocol_mask = 0xFF;
  }
  if (filter.remote.kind == FlowEnd::Kind::prefix) {
    screen.version = filter.remote.address.is_ipv4() ? 4 : 6;
    if (screen.version == 4 && filter.remote.prefix_length > 96) {
      screen.mask = ~std::uint32_t{0} << (128 - filter.remote.prefix_length);
      screen.remote = filter.remote.address.ipv4() & screen.mask;
    }
  }
  // A packet without ports counts as one of port 0 here, which the filter itself tells apart.
  if (filter.remote.ports.size() == 1) screen.ports = filter.remote.ports[0];
  return screen;
}

}  // namespace headroom::gtpu
