// SPDX-License-Identifier: Apache-2.0
#include "traffic/addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

#include "base/random.h"

namespace headroom::traffic {
namespace {

// Splits "address/length"; the length is `largest` when there is none.
std::optional<unsigned> split(const std::string& text, unsigned largest, std::string& address) {
  const std::size_t slash = text.find('/');
  address = text.substr(0, slash);
  if (slash == std::string::npos) return largest;
  unsigned length = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, length);
  if (error != std::errc() || stop != end || length > largest) return std::nullopt;
  return length;
}

// The bits `from` .. `to` - 1 of an address, counted from the most significant, set to the low bits of `value`.
void set_bits(std::array<std::uint8_t, 16>& address, unsigned from, unsigned to, std::uint64_t value) {
  for (unsigned bit = to; bit-- > from;) {
    const auto mask = static_cast<std::uint8_t>(0x80u >> (bit % 8));
    address[bit / 8] = static_cast<std::uint8_t>((value & 1) != 0 ? address[bit / 8] | mask : address[bit / 8] & ~mask);
    value >>= 1;
  }
}

// A bijection of 0 .. 2^(2 * half) - 1: four rounds of a Feistel network.
std::uint64_t scatter(std::uint64_t value, unsigned half, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t left = value >> half, right = value & mask;
  for (std::uint64_t round = 0; round < 4; ++round) {
    const std::uint64_t next = left ^ (derive(key + round, right) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

}  // namespace

std::optional<Network4> parse_network4(const std::string& text) {
  std::string address;
  const std::optional<unsigned> length = split(text, 32, address);
  in_addr parsed{};
  if (!length || inet_pton(AF_INET, address.c_str(), &parsed) != 1) return std::nullopt;
  const Network4 network{ntohl(parsed.s_addr), *length};
  const std::uint32_t host_mask = *length == 32 ? 0 : 0xFFFFFFFFu >> *length;
  if ((network.address & host_mask) != 0) return std::nullopt;
  return network;
}

std::optional<Network6> parse_network6(const std::string& text) {
  std::string address;
  const std::optional<unsigned> length = split(text, 128, address);
  Network6 network;
  if (!length || inet_pton(AF_INET6, address.c_str(), network.address.data()) != 1) return std::nullopt;
  network.length = *length;
  std::array<std::uint8_t, 16> prefix = network.address;
  set_bits(prefix, network.length, 128, 0);
  if (prefix != network.address) return std::nullopt;
  return network;
}

std::uint32_t address_in(const Network4& network, std::uint64_t flow) noexcept {
  if (network.length == 32) return network.address;
  const std::uint32_t hosts_mask = 0xFFFFFFFFu >> network.length;
  return network.address | (static_cast<std::uint32_t>(flow + 1) & hosts_mask);
}

std::array<std::uint8_t, 16> address_in(const Network6& network, std::uint64_t flow, std::uint64_t key) noexcept {
  std::array<std::uint8_t, 16> address = network.address;
  if (network.length == 128) return address;
  if (network.length < 64) set_bits(address, network.length, 64, flow + 1);
  if (network.length <= 64) {
    set_bits(address, 64, 128, key);
  } else {
    set_bits(address, network.length, 128, flow + 1);
  }
  return address;
}

std::uint64_t member_of(std::uint32_t population, std::uint64_t flow, std::uint64_t key) noexcept {
  const auto bits = static_cast<unsigned>(std::bit_width(population - 1));
  const unsigned half = std::max(1u, (bits + 1) / 2);
  // Walking on to the next member of the cycle until it is within the population keeps this a bijection.
  std::uint64_t member = flow % population;
  do member = scatter(member, half, key);
  while (member >= population);
  return member;
}

std::uint32_t tunnel_endpoint_of(std::uint64_t member, std::uint64_t key) noexcept {
  constexpr std::uint32_t kOdd = 0x9E3779B1;  // what is odd multiplies bijectively modulo 2^32
  const auto start = static_cast<std::uint32_t>(key);
  const std::uint32_t teid = static_cast<std::uint32_t>(member) * kOdd + start;
  return teid != 0 ? teid : 0xFFFFFFFFu * kOdd + start;  // the one that the last number would have
}

}  // namespace headroom::traffic
