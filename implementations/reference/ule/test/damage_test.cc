// SPDX-License-Identifier: Apache-2.0
//
// A receiver before a link that does to TS packets what it likes. HEADROOM_TEST_EFFORT=20 in the environment sends 20
// times as many.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "line.h"

namespace headroom::ule {
namespace {

using namespace test;

constexpr std::uint32_t kPids = 64;
constexpr std::uint64_t kTsPackets = 200'000;

std::uint64_t effort() {
  const char* const factor = std::getenv("HEADROOM_TEST_EFFORT");
  return std::max<std::uint64_t>(factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10), 1);
}

// PDUs whose octets say that they are what was sent: the last four are a sum of those in front.
std::uint32_t sum_of(const std::uint8_t* octets, std::size_t count) {
  std::uint32_t sum = 2166136261U;
  for (std::size_t i = 0; i < count; ++i) sum = (sum ^ octets[i]) * 16777619U;  // FNV-1a
  return sum;
}
void fill(Octets& pdu, std::mt19937_64& random) {
  for (std::size_t i = 0; i < pdu.size(); i += 8) {
    const std::uint64_t draw = random();
    for (std::size_t j = i; j < std::min(i + 8, pdu.size()); ++j)
      pdu[j] = static_cast<std::uint8_t>(draw >> 8 * (j - i));
  }
  pdu[0] = 0x45;
  pdu[16] = 192;  // no group
  wire::write32(pdu.data() + pdu.size() - 4, sum_of(pdu.data(), pdu.size() - 4));
}
bool is_as_sent(const headroom_packet& p) {
  const std::uint8_t* const end = p.out + p.out_length - 4;
  return p.out_length > 4 &&
         sum_of(p.out, p.out_length - 4) == (std::uint32_t{wire::read16(end)} << 16 | wire::read16(end + 2));
}

struct Tally {
  std::uint64_t ts_packets = 0, delivered = 0, wrong = 0;
};

// Gives a TS packet to the receiver, and looks at all that it passes on.
void give(Receiver& receiver, const std::array<std::uint8_t, wire::kTsOctets>& packet, std::uint32_t channel,
          Octets& room, Tally& tally) {
  headroom_packet p{};
  p.in = packet.data();
  p.in_length = wire::kTsOctets;
  p.out = room.data();
  p.out_capacity = static_cast<std::uint32_t>(room.size());
  p.channel = channel;
  ++tally.ts_packets;
  std::int32_t status = receiver.receive(p, nullptr);
  for (;;) {
    if (status == HEADROOM_OK) {
      ++tally.delivered;
      // What was no PDU of ours: an EtherType that a wrong bit made cannot pass the CRC either.
      if (!is_as_sent(p)) ++tally.wrong;
    }
    if (p.more == 0 || !receiver.drain(p, nullptr)) return;
    p.more = 1;
    status = p.status;
  }
}

// One TS packet in four is damaged, lost, doubled, or swapped with the next one.
TEST(Damage, NoWrongPduComesOut) {
  Config config;
  config.channels = kPids;
  config.crc = wire::best_kernel();
  Encapsulator encapsulator(config);
  Receiver receiver(config);
  std::mt19937_64 random(20260101);
  Octets room(40'000), out(wire::kTsOctets), pdu;
  std::array<std::array<std::uint8_t, wire::kTsOctets>, kPids> held{};
  std::array<bool, kPids> is_held{};
  Tally tally;
  const std::uint64_t count = kTsPackets * effort();
  const auto arrive = [&](std::uint32_t channel, const Octets& octets) {
    std::array<std::uint8_t, wire::kTsOctets> packet;
    std::copy_n(octets.begin(), packet.size(), packet.begin());
    const std::uint64_t draw = random();
    switch (draw % 32) {
      case 0:
      case 1:
      case 2: {  // up to eight wrong bits
        for (std::uint64_t bits = 1 + (draw >> 8) % 8; bits != 0; --bits) {
          const std::uint64_t at = random() % (8 * wire::kTsOctets);
          packet[at / 8] = static_cast<std::uint8_t>(packet[at / 8] ^ (1U << at % 8));
        }
        break;
      }
      case 3:  // a burst of noise
        for (std::size_t at = (draw >> 8) % 150, end = at + 38; at < end; ++at)
          packet[at] = static_cast<std::uint8_t>(random());
        break;
      case 4:
      case 5:
        return;  // lost
      case 6:
        give(receiver, packet, channel, room, tally);  // doubled
        break;
      case 7:
        if (is_held[channel]) break;
        held[channel] = packet;
        is_held[channel] = true;
        return;
      default:
        break;
    }
    give(receiver, packet, channel, room, tally);
    if (is_held[channel]) give(receiver, held[channel], channel, room, tally);
    is_held[channel] = false;
  };
  for (std::uint64_t n = 0; tally.ts_packets < count; ++n) {
    const auto channel = static_cast<std::uint32_t>(random() % kPids);
    pdu.resize(n % 50 == 0 ? 24 + random() % 9000 : 24 + random() % 600);
    fill(pdu, random);
    headroom_packet p = record(pdu, out, channel);
    if (encapsulator.encapsulate(p, n * 1000, nullptr) == HEADROOM_OK) arrive(channel, out);
    if (p.more == 0) continue;
    for (p = record(kNothing, out); encapsulator.drain(p, n * 1000); p = record(kNothing, out)) arrive(p.channel, out);
  }
  // The CRC lets one damaged SNDU in 2^32 pass.
  EXPECT_LE(tally.wrong, receiver.counters().crc_errors >> 31);
  EXPECT_GT(receiver.counters().crc_errors, count / 100);
  EXPECT_GT(tally.delivered, count / 16);
  EXPECT_LE(receiver.memory_bytes(), sizeof(Receiver) + kPids * (wire::kLargestSndu + 64));
  RecordProperty("delivered", std::to_string(tally.delivered));
  RecordProperty("crc_errors", std::to_string(receiver.counters().crc_errors));
}

// All PIDs in the middle of the longest SNDU: 32,771 octets each, and a few of bookkeeping.
TEST(Damage, MemoryOfAllPids) {
  Config config;
  config.channels = kMostChannels;
  config.first_pid = kFirstPid;
  Receiver receiver(config);
  const std::size_t empty = receiver.memory_bytes();
  Octets room(100);
  for (std::uint32_t channel = 0; channel < config.channels; ++channel) {
    const Octets packet = ts(0, true, Octets{0, 0x7F, 0xFF, 0x08, 0x00}, config.pid(channel));
    headroom_packet p = record(packet, room, channel);
    ASSERT_EQ(receiver.receive(p, nullptr), HEADROOM_NOTHING);
  }
  EXPECT_LE(receiver.memory_bytes() - empty, std::size_t{config.channels} * wire::kLargestSndu);
}

}  // namespace
}  // namespace headroom::ule
