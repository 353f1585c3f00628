// SPDX-License-Identifier: Apache-2.0
//
// TCP flows that do all that TCP flows do, and much that they do not.
#pragma once

#include <algorithm>
#include <functional>
#include <random>

#include "rohc/tcp/test/packets.h"

namespace headroom::rohc::tcp::testing {

// One flow. `wildness` is the share of packets, of 256, that change something else than a steady transfer does.
class Traffic {
 public:
  Traffic(unsigned seed, unsigned shape, unsigned wildness) : random_(seed), shape_(shape), wildness_(wildness) {
    t_.seq = static_cast<std::uint32_t>(random_());
    t_.ack = static_cast<std::uint32_t>(random_());
    t_.source = static_cast<std::uint16_t>(random_());
    ip_.id = static_cast<std::uint16_t>(random_());
    behaviour_ = below(4);
    data_ = below(3) != 0;
    acks_ = !data_ || below(3) == 0;
    stamps_ = below(2) == 0;
    t_.options = stamps_ ? timestamps(stamp_, echo_) : Packet{};
  }

  static constexpr unsigned kShapes = 12;

  Packet next() {
    if (data_) t_.seq += static_cast<std::uint32_t>(t_.payload.size());
    if (data_ && t_.payload.empty()) t_.payload.assign(below(3) == 0 ? 1 + below(40) : 100, 'x');
    if (!data_) t_.payload.clear();
    if (acks_) t_.ack += 1460 * below(3);
    t_.flags = static_cast<std::uint8_t>((t_.flags & 0xc0) | 0x10 | (below(5) == 0 ? 8 : 0));
    if (stamps_) {
      stamp_ += below(4);
      echo_ += below(4);
      t_.options = timestamps(stamp_, echo_);
    }
    count_id();
    number_ += 1;
    if (below(256) < wildness_) change();
    return packet();
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  void count_id() {
    const auto swapped = [](std::uint16_t v) { return static_cast<std::uint16_t>(v << 8 | v >> 8); };
    switch (behaviour_) {
      case 0:
        ip_.id = static_cast<std::uint16_t>(ip_.id + 1 + (below(8) == 0 ? below(5) : 0));
        break;
      case 1:
        ip_.id = swapped(static_cast<std::uint16_t>(swapped(ip_.id) + 1));
        break;
      case 2:
        ip_.id = static_cast<std::uint16_t>(random_());
        break;
      default:
        ip_.id = 0;
        break;
    }
    outer_.id = static_cast<std::uint16_t>(random_());
  }

  void change() {
    switch (below(24)) {
      case 0:
        t_.window = static_cast<std::uint16_t>(random_());
        break;
      case 1:
        t_.window = static_cast<std::uint16_t>(t_.window + below(3000));
        break;
      case 2:
        ip_.ttl = static_cast<std::uint8_t>(random_());
        break;
      case 3:
        ip_.ttl = static_cast<std::uint8_t>(ip_.ttl - 1);
        break;
      case 4:
        ip_.tos = static_cast<std::uint8_t>(random_());
        break;
      case 5:
        ip_.tos ^= static_cast<std::uint8_t>(below(4));
        break;
      case 6:
        t_.flags = static_cast<std::uint8_t>(random_());
        break;
      case 7:
        t_.flags = static_cast<std::uint8_t>(0x10 | 1U << below(3));
        break;
      case 8:
        t_.urgent = static_cast<std::uint16_t>(random_());
        t_.flags ^= 0x20;
        break;
      case 9:
        t_.seq -= below(20000);
        break;
      case 10:
        t_.seq = static_cast<std::uint32_t>(random_());
        break;
      case 11:
        t_.ack = static_cast<std::uint32_t>(random_());
        break;
      case 12:
        t_.reserved = static_cast<std::uint8_t>(below(16));
        break;
      case 13:
        behaviour_ = below(4);
        break;
      case 14:
        ip_.df = !ip_.df;
        break;
      case 15:
        outer_.ttl = static_cast<std::uint8_t>(random_());
        break;
      case 16:
        outer_.tos = static_cast<std::uint8_t>(random_());
        break;
      case 17:
        outer_.df = !outer_.df;
        break;
      case 18:
        t_.payload.assign(below(1500), 'y');
        break;
      case 19:
        stamp_ += static_cast<std::uint32_t>(random_());
        break;
      case 20:
        stamps_ = !stamps_;
        break;
      case 21:
        number_ = static_cast<std::uint32_t>(random_());
        break;
      case 22:
        extra_ = static_cast<std::uint8_t>(random_());
        break;
      default:
        other_options();
        break;
    }
    if (below(40) == 0) t_.source = static_cast<std::uint16_t>(random_());
  }

  void other_options() {
    stamps_ = false;
    Packet o;
    const unsigned count = below(5);
    for (unsigned i = 0; i < count; ++i) {
      Packet option;
      switch (below(8)) {
        case 0:
          option = {2, 4, 5, static_cast<std::uint8_t>(below(3))};
          break;
        case 1:
          option = {3, 3, static_cast<std::uint8_t>(below(8))};
          break;
        case 2:
          option = {4, 2};
          break;
        case 3: {
          const unsigned blocks = 1 + below(4);
          option = {5, static_cast<std::uint8_t>(2 + 8 * blocks)};
          for (unsigned b = 0; b < 2 * blocks; ++b)
            put32(option, t_.ack + (below(8) == 0 ? static_cast<std::uint32_t>(random_()) : below(90000)));
          break;
        }
        case 4:
          option = {static_cast<std::uint8_t>(20 + below(3)), 6, 1, 2, 3, static_cast<std::uint8_t>(below(4))};
          break;
        case 5:
          option = {2, 3, 1};
          break;
        case 6:
          option = timestamps(stamp_, echo_);
          break;
        default:
          option = {1};
          break;
      }
      if (o.size() + option.size() <= 40) o = o + option;
    }
    if (o.size() % 4 != 0) o.resize(o.size() + 4 - o.size() % 4, below(2) == 0 ? 1 : 0);
    t_.options = o;
  }

  Packet packet() {
    const Packet s = tcp(t_);
    const std::size_t n = s.size();
    const auto v4 = [&](std::uint8_t protocol, const Packet& p) { return ip4(protocol, p, ip_); };
    const auto v6 = [&](std::uint8_t protocol, const Packet& p) { return ip6(protocol, p, ip_); };
    switch (shape_) {
      case 0:
        return with_checksum(v4(6, s), 0, n);
      case 1:
        return with_checksum(v6(6, s), 0, n);
      case 2:
        return with_checksum(ip4(4, v4(6, s), outer_), 20, n);
      case 3:
        return with_checksum(ip6(4, v4(6, s), outer_), 40, n);
      case 4:
        return with_checksum(ip4(41, v6(6, s), outer_), 20, n);
      case 5:
        return with_checksum(v6(0, extension(60, extension(6, s, 3), extra_, 1)), 0, n);
      case 6:
        return with_checksum(v4(51, ah(6, number_, s, extra_)), 0, n);
      case 7:
        return with_checksum(ip4(47, gre(0x90, number_, v4(6, s)), outer_), 32, n);
      case 8:
        return with_checksum(ip4(47, gre(0x20, 0, v6(6, s)), outer_), 28, n);
      case 9:
        return v4(55, minimal_encapsulation(6, true, s));
      case 10:
        return with_checksum(ip6(51, ah(47, number_, gre(0x10, number_, v4(6, s))), outer_), 72, n);
      default:
        return v6(43, extension(6, s, 9));
    }
  }

  std::mt19937 random_;
  unsigned shape_, wildness_, behaviour_ = 0;
  Tcp t_;
  Ip ip_, outer_;
  std::uint32_t stamp_ = 0x10000, echo_ = 0x20000, number_ = 5;
  std::uint8_t extra_ = 0;
  bool data_ = true, acks_ = false, stamps_ = false;
};

}  // namespace headroom::rohc::tcp::testing
