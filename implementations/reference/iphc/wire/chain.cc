// SPDX-License-Identifier: Apache-2.0
#include "iphc/wire/chain.h"

namespace headroom::iphc::wire {
namespace {

constexpr std::uint8_t kJumboPayload = 194;
constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3FFF;

// True if the options of a hop-by-hop or destination options header end where it does. Sets `jumbo` where one of them
// is the Jumbo Payload option.
bool options_are_whole(const std::uint8_t* header, std::size_t length, bool& jumbo) noexcept {
  std::size_t at = 2;
  while (at < length) {
    if (header[at] == 0) {
      ++at;
      continue;
    }
    if (length - at < 2) return false;
    jumbo = jumbo || header[at] == kJumboPayload;
    at += 2u + header[at + 1];
  }
  return at == length;
}

struct Subheader {
  Kind kind;
  std::size_t length;
  std::uint8_t next;
  bool last;
};

// Reads the subheader of a protocol at the front of `octets`. False: there is none that is whole and belongs to the
// chain. Extension headers are IPv6's; AH, ESP and minimal encapsulation follow IPv4, too.
bool read_subheader(std::uint8_t protocol, bool in_ipv6, Octets octets, Subheader& s, bool& jumbo) noexcept {
  const std::uint8_t* const h = octets.data();
  const auto has = [&](std::size_t length) { return octets.size() >= length; };
  s.last = false;
  switch (protocol) {
    case kIpv4: {
      if (!has(kIpv4Header) || h[0] >> 4 != 4) return false;
      const bool is_fragment = (load16(h + kFragmentField) & kMoreFragmentsOrOffset) != 0;
      s.length = std::size_t{h[0] & 0x0Fu} * 4;
      if (s.length < kIpv4Header || !has(s.length)) return false;
      s.kind = is_fragment ? Kind::ipv4_fragment : s.length == kIpv4Header ? Kind::ipv4 : Kind::ipv4_options;
      s.next = h[kProtocol];
      s.last = is_fragment;
      return true;
    }
    case kIpv6:
      if (!has(kIpv6Header) || h[0] >> 4 != 6) return false;
      s = {Kind::ipv6, kIpv6Header, h[6], false};
      return true;
    case kTcp: {
      if (!has(kTcpHeader)) return false;
      const std::size_t length = static_cast<std::size_t>(h[12] >> 4) * 4;
      if (length < kTcpHeader || !has(length)) return false;
      s = {Kind::tcp, length, 0, true};
      return true;
    }
    case kUdp:
      if (!has(kUdpHeader)) return false;
      s = {Kind::udp, kUdpHeader, 0, true};
      return true;
    case kHopByHop:
    case kDestination:
    case kRouting:
      if (!in_ipv6 || !has(8)) return false;
      s = {protocol == kRouting ? Kind::routing : Kind::options, (std::size_t{h[1]} + 1) * 8, h[0], false};
      return has(s.length) && (protocol == kRouting || options_are_whole(h, s.length, jumbo));
    case kFragment:
      if (!in_ipv6 || !has(8)) return false;
      s = {Kind::fragment, 8, h[0], true};
      return true;
    case kAuthentication:
      if (!has(8)) return false;
      s = {Kind::authentication, (std::size_t{h[1]} + 2) * 4, h[0], false};
      return s.length >= 8 && has(s.length);
    case kEsp:
      if (!has(4)) return false;
      s = {Kind::esp, 4, 0, true};
      return true;
    case kMinimal:
      if (!has(8)) return false;
      s = {Kind::minimal, (h[1] & 0x80) != 0 ? std::size_t{12} : 8, h[0], false};
      return has(s.length);
    default:
      return false;
  }
}

bool is_ipv4(Kind kind) noexcept { return kind <= Kind::ipv4_fragment; }
bool is_ipv6(Kind kind) noexcept { return kind == Kind::ipv6 || kind == Kind::ipv6_of_tcp; }

// Where the checksum of a subheader stands, if compressed headers leave it out: 0 if there is none.
std::size_t inferred_checksum(Kind kind) noexcept {
  if (kind <= Kind::ipv4_of_tcp) return kIpv4Checksum;
  return kind == Kind::minimal ? 2 : 0;
}

std::uint16_t checksum_of(const std::uint8_t* header, std::size_t length, std::size_t at) noexcept {
  if (at != kIpv4Checksum)
    return static_cast<std::uint16_t>(~folded(sum_of(header, at) + sum_of(header + at + 2, length - at - 2)));
  // IPv4 without options, word by word.
  std::uint32_t words[kIpv4Header / 4];
  std::memcpy(words, header, sizeof words);
  std::memset(reinterpret_cast<std::uint8_t*>(words) + kIpv4Checksum, 0, 2);
  return static_cast<std::uint16_t>(~folded(std::uint64_t{words[0]} + words[1] + words[2] + words[3] + words[4]));
}

// What the length field of a subheader has to be, and where it stands in it; no place where it has none.
struct LengthField {
  std::size_t at, value;
};
LengthField length_field(Kind kind, std::size_t left) noexcept {
  if (is_ipv4(kind)) return {2, left};
  if (is_ipv6(kind)) return {4, left - kIpv6Header};
  if (kind == Kind::udp) return {4, left};
  return {0, 0};
}

}  // namespace

void parse(Octets packet, std::size_t max_header, Chain& chain) noexcept {
  chain.count = 0;
  chain.upper = 0;
  chain.as_is = chain.jumbo = false;
  if (packet.empty()) return;
  std::uint8_t next = packet[0] >> 4 == 6 ? kIpv6 : kIpv4;
  bool in_ipv6 = false;
  std::size_t at = 0;
  const std::size_t most = std::min(packet.size(), max_header);
  for (bool last = false; !last && chain.count < kMostParts;) {
    Subheader s;
    if (!read_subheader(next, in_ipv6, packet.first(most).subspan(at), s, chain.jumbo)) break;
    if (s.kind == Kind::tcp && chain.count != 0) {
      Kind& before = chain.parts[chain.count - 1u].kind;
      if (before == Kind::ipv4) before = Kind::ipv4_of_tcp;
      if (before == Kind::ipv6) before = Kind::ipv6_of_tcp;
    }
    chain.as_is = chain.as_is || is_as_is(s.kind);
    chain.parts[chain.count++] = {s.kind, static_cast<std::uint16_t>(at)};
    at += s.length;
    if (next == kIpv4 || next == kIpv6) in_ipv6 = next == kIpv6;
    next = s.next;
    last = s.last;
  }
  chain.parts[chain.count] = {Kind::tcp, static_cast<std::uint16_t>(at)};
  chain.upper = next;
}

bool is_inferable(const Chain& chain, Octets packet) noexcept {
  if (chain.count == 0 || chain.jumbo) return false;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    const LengthField field = length_field(kind, packet.size() - at);
    if (field.at != 0 && load16(packet.data() + at + field.at) != field.value) return false;
  }
  return has_right_checksums(chain, packet.data());
}

bool has_right_checksums(const Chain& chain, const std::uint8_t* header) noexcept {
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    const std::size_t checksum = inferred_checksum(kind);
    if (checksum != 0 && load16(header + at + checksum) != checksum_of(header + at, chain.length_of(i), checksum))
      return false;
  }
  return true;
}

bool infer(const Chain& chain, std::uint8_t* header, std::size_t total, Behind behind) noexcept {
  const bool is_full = behind == Behind::full_header;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    const LengthField field = length_field(kind, total - at);
    if (field.value > 0xFFFF) return false;
    if (field.at != 0 && (is_full || !is_as_is(kind)))
      store16(header + at + field.at, static_cast<std::uint32_t>(field.value));
    if (is_full) continue;
    const std::size_t checksum = inferred_checksum(kind);
    if (checksum != 0) store16(header + at + checksum, checksum_of(header + at, chain.length_of(i), checksum));
  }
  return true;
}

std::pair<std::size_t, std::size_t> length_fields(const Chain& chain) noexcept {
  std::pair<std::size_t, std::size_t> found{0, 0};
  for (std::size_t i = 0; i < chain.count; ++i) {
    const LengthField field = length_field(chain.parts[i].kind, kIpv6Header);
    if (field.at == 0) continue;
    const std::size_t at = chain.parts[i].at + field.at;
    if (found.first != 0) {
      found.second = at;
      break;
    }
    found.first = at;
  }
  return found;
}

std::uint64_t pseudo_header_sum(const Chain& chain, const std::uint8_t* header, std::size_t total) noexcept {
  const std::uint8_t *source = nullptr, *destination = nullptr;
  std::size_t octets = 0;
  for (std::size_t i = 0; i < chain.count; ++i) {
    const std::uint8_t* const h = header + chain.parts[i].at;
    switch (chain.parts[i].kind) {
      case Kind::ipv4:
      case Kind::ipv4_of_tcp:
      case Kind::ipv4_options:
        source = h + 12, destination = h + 16, octets = 4;
        break;
      case Kind::ipv6:
      case Kind::ipv6_of_tcp:
        source = h + 8, destination = h + 24, octets = 16;
        break;
      case Kind::routing:  // the final destination is the last address of a Type 0 routing header
        if (h[2] == 0 && h[3] != 0 && chain.length_of(i) >= 24) destination = h + chain.length_of(i) - 16;
        break;
      case Kind::minimal:
        destination = h + 4;
        if (chain.length_of(i) == 12) source = h + 8;
        break;
      default:
        break;
    }
  }
  const std::size_t segment = total - chain.tcp_at();
  std::uint8_t rest[8] = {0, 0, 0, kTcp};
  store32(rest + 4, static_cast<std::uint32_t>(segment));
  return sum_of(source, octets) + sum_of(destination, octets) + sum_of(rest, sizeof rest);
}

}  // namespace headroom::iphc::wire
