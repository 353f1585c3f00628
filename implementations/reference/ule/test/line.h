// SPDX-License-Identifier: Apache-2.0
//
// An encapsulator and a receiver with room, and PDUs to try them with.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "ule/encapsulator.h"
#include "ule/receiver.h"

namespace headroom::ule::test {

using Octets = std::vector<std::uint8_t>;

inline const Octets kNothing;

inline headroom_packet record(const Octets& in, Octets& room, std::uint32_t channel = 0, std::uint16_t type = 0) {
  headroom_packet p{};
  p.in = in.data();
  p.in_length = static_cast<std::uint32_t>(in.size());
  p.out = room.data();
  p.out_capacity = static_cast<std::uint32_t>(room.size());
  p.channel = channel;
  p.in_type = type;
  return p;
}

inline Octets octets_of(const headroom_packet& p) { return {p.out, p.out + p.out_length}; }

inline Octets operator+(Octets a, const Octets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
inline Octets part(const Octets& octets, std::size_t begin, std::size_t end) {
  return {octets.begin() + static_cast<std::ptrdiff_t>(begin), octets.begin() + static_cast<std::ptrdiff_t>(end)};
}

// An IPv4 packet of so many octets, which differ from those of another `mark`.
inline Octets ipv4(std::size_t length, std::uint8_t mark = 0) {
  Octets packet(length);
  for (std::size_t i = 0; i < length; ++i) packet[i] = static_cast<std::uint8_t>(mark * 31 + i);
  packet[0] = 0x45;
  if (length >= 20) packet[16] = 192;  // no group
  return packet;
}

// A TS packet: `payload` with octets of 0xFF behind it.
inline Octets ts(std::uint8_t counter, bool payload_unit_start, Octets payload, std::uint16_t pid = 0x0100) {
  Octets packet(wire::kTsHeader);
  wire::write_ts_header(packet.data(), pid, payload_unit_start, counter);
  payload.resize(wire::kTsPayload, 0xFF);
  return packet + payload;
}

// An SNDU: header and content as given, its Length and CRC made. `type` is that of the base header.
inline Octets sndu(bool address_absent, std::uint16_t type, const Octets& rest) {
  Octets octets(wire::kBaseHeader);
  wire::write16(octets.data(), static_cast<std::uint32_t>((address_absent ? 0x8000U : 0U) | (rest.size() + 4)));
  wire::write16(octets.data() + 2, type);
  octets = octets + rest;
  Octets crc(4);
  wire::write32(crc.data(), wire::crc32(wire::CrcKernel::table, octets));
  return octets + crc;
}

class Sender {
 public:
  explicit Sender(const Config& config = {}) : encapsulator(config) {}

  // All TS packets that a PDU completes.
  std::vector<Octets> send(const Octets& pdu, std::uint64_t now_ns = 0, std::uint32_t channel = 0,
                           std::uint16_t type = 0) {
    headroom_packet p = record(pdu, room_, channel, type);
    std::vector<Octets> packets;
    last_status = encapsulator.encapsulate(p, now_ns, nullptr);
    if (last_status == HEADROOM_OK) packets.push_back(octets_of(p));
    if (p.more != 0) {
      for (const Octets& packet : due(now_ns)) packets.push_back(packet);
    }
    return packets;
  }

  // What `drain` puts out at a time.
  std::vector<Octets> due(std::uint64_t now_ns) {
    std::vector<Octets> packets;
    for (headroom_packet p = record(kNothing, room_); encapsulator.drain(p, now_ns); p = record(kNothing, room_)) {
      EXPECT_EQ(p.status, HEADROOM_OK);
      packets.push_back(octets_of(p));
    }
    return packets;
  }

  Encapsulator encapsulator;
  std::int32_t last_status = 0;

 private:
  Octets room_ = Octets(1000);
};

struct Arrival {
  std::int32_t status;
  Octets octets{};
  std::uint16_t type = 0;

  bool operator==(const Arrival&) const = default;
};

class Listener {
 public:
  explicit Listener(const Config& config = {}) : receiver(config) {}

  // All that comes of some TS packets; HEADROOM_NOTHING is left out.
  std::vector<Arrival> take(const std::vector<Octets>& packets, std::uint32_t channel = 0) {
    std::vector<Arrival> arrivals;
    for (const Octets& packet : packets) {
      headroom_packet p = record(packet, room_, channel);
      const std::int32_t status = receiver.receive(p, nullptr);
      if (status != HEADROOM_NOTHING) arrivals.push_back({status, octets_of(p), p.out_type});
      if (p.more == 0) continue;
      for (p = record(kNothing, room_); receiver.drain(p, nullptr); p = record(kNothing, room_)) {
        EXPECT_EQ(p.channel, channel);
        arrivals.push_back({p.status, octets_of(p), p.out_type});
      }
    }
    return arrivals;
  }
  // Only what has been passed on.
  std::vector<Octets> pdus(const std::vector<Octets>& packets, std::uint32_t channel = 0) {
    std::vector<Octets> pdus;
    for (const Arrival& arrival : take(packets, channel)) {
      if (arrival.status == HEADROOM_OK) pdus.push_back(arrival.octets);
    }
    return pdus;
  }

  Receiver receiver;

 private:
  Octets room_ = Octets(40'000);
};

inline void append(std::vector<Octets>& packets, const std::vector<Octets>& more) {
  packets.insert(packets.end(), more.begin(), more.end());
}

}  // namespace headroom::ule::test
