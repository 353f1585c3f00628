// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/neighbours.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/hex.h"
#include "schemes/gtpu/ports/inner_address.h"
#include "schemes/gtpu/ports/n4_datagram.h"

namespace headroom::gtpu::ports {
namespace {

constexpr MacAddress kOwn = {2, 0, 0, 0, 0, 1}, kTheirs = {2, 0, 0, 0, 0, 2};

Octets octets(const std::string& hex) { return from_hex(hex).value(); }

Address v4(std::uint8_t last) {
  const std::uint8_t address[] = {192, 0, 2, last};
  return address_of(address, false);
}

Address v6(std::uint8_t last) {
  std::uint8_t address[16] = {0x20, 0x01, 0x0D, 0xB8};
  address[15] = last;
  return address_of(address, true);
}

struct TestFrame {
  explicit TestFrame(const Octets& content = {}) : memory(256, 0) {
    std::copy(content.begin(), content.end(), memory.begin());
    frame = {memory.data(), static_cast<std::uint32_t>(content.size()), 0, 256, nullptr};
  }
  Octets memory;
  node::Frame frame;
};

// RFC 826: hardware type 1, protocol 0x0800, lengths 6 and 4, operation 1, then sender and target.
TEST(Neighbours, AnArpRequestForAnOwnAddressIsAnswered) {
  Neighbours neighbours;
  TestFrame test(
      octets("ffffffffffff0200000000020806"
             "0001080006040001020000000002c0000202000000000000c0000201"));
  const Address own[] = {v4(1)};
  EXPECT_EQ(resolve(test.frame, own, kOwn, neighbours), Resolution::answered);
  EXPECT_EQ(to_hex(test.frame.view()),
            "0200000000020200000000010806"
            "0001080006040002020000000001c0000201020000000002c0000202");
  EXPECT_EQ(neighbours.find(v4(2)), kTheirs);
}

TEST(Neighbours, AnArpRequestForAnotherAddressOnlyTeaches) {
  Neighbours neighbours;
  TestFrame test(
      octets("ffffffffffff0200000000020806"
             "0001080006040001020000000002c0000202000000000000c0000203"));
  const Address own[] = {v4(1)};
  EXPECT_EQ(resolve(test.frame, own, kOwn, neighbours), Resolution::consumed);
  EXPECT_EQ(neighbours.find(v4(2)), kTheirs);
  EXPECT_EQ(neighbours.find(v4(3)), std::nullopt);
}

// RFC 1812, 3.3.2: a neighbour's address is that of one host.
TEST(Neighbours, AGroupAddressIsNotLearnt) {
  const Address own[] = {v4(1)};
  for (const char* mac : {"ffffffffffff", "01005e000001"}) {
    Neighbours neighbours;
    neighbours.learn(v4(2), kTheirs);
    TestFrame test(octets(std::string("020000000001") + "020000000002" + "08060001080006040002" + mac +
                          "c0000202020000000001c0000201"));
    EXPECT_EQ(resolve(test.frame, own, kOwn, neighbours), Resolution::consumed);
    EXPECT_EQ(neighbours.find(v4(2)), kTheirs) << mac;
  }
}

TEST(Neighbours, WhatIsCutOrOfAnotherKindTeachesNothing) {
  const Address own[] = {v4(1)};
  const std::string whole = "ffffffffffff02000000000208060001080006040001020000000002c0000202000000000000c0000201";
  for (std::size_t length = 0; length < whole.size() / 2; ++length) {
    Neighbours neighbours;
    TestFrame test(octets(whole.substr(0, 2 * length)));
    EXPECT_EQ(resolve(test.frame, own, kOwn, neighbours), length < 14 ? Resolution::none : Resolution::consumed);
    EXPECT_EQ(neighbours.find(v4(2)), std::nullopt);
  }
}

// RFC 4861, 4.3 and 4.4: our own request for an address is answered by the one who has it.
TEST(Neighbours, ASolicitationIsAnsweredByAnAdvertisementThatTeaches) {
  Neighbours here, there;
  TestFrame test;
  write_request(test.frame, v6(1), kOwn, v6(2));
  EXPECT_EQ(test.frame.length, 14u + 40 + 32);
  const Address theirs[] = {v6(2)};
  EXPECT_EQ(resolve(test.frame, theirs, kTheirs, there), Resolution::answered);
  EXPECT_EQ(there.find(v6(1)), kOwn);
  EXPECT_EQ(test.frame.octets[14 + 40], 136);
  // The checksum of the message and its pseudo-header comes to zero.
  std::uint32_t sum = checksum_add(32 + 58, {test.frame.octets + 14 + 8, 32});
  sum = checksum_add(sum, {test.frame.octets + 14 + 40, 32});
  EXPECT_EQ(checksum_finish(sum), 0);
  const Address ours[] = {v6(1)};
  EXPECT_EQ(resolve(test.frame, ours, kOwn, here), Resolution::consumed);
  EXPECT_EQ(here.find(v6(2)), kTheirs);
}

// "The IP Hop Limit field has a value of 255" (RFC 4861, 7.1.1): a message that a router passed on counts for nothing.
TEST(Neighbours, ASolicitationFromBeyondARouterIsNone) {
  Neighbours neighbours;
  TestFrame test;
  write_request(test.frame, v6(1), kOwn, v6(2));
  test.frame.octets[14 + 7] = 254;
  const Address own[] = {v6(2)};
  EXPECT_EQ(resolve(test.frame, own, kTheirs, neighbours), Resolution::none);
}

TEST(Neighbours, AnAddressMovesAndMoreAddressesThanPlacesDoNoHarm) {
  Neighbours neighbours;
  neighbours.learn(v4(1), kOwn);
  neighbours.learn(v4(1), kTheirs);
  EXPECT_EQ(neighbours.find(v4(1)), kTheirs);
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    std::uint8_t address[4];
    store32(address, 0x0A000000 + i);
    neighbours.learn(address_of(address, false), kOwn);
  }
  EXPECT_EQ(neighbours.find(v4(1)), kTheirs);
}

TEST(Neighbours, ManyThreadsLearnAndFind) {
  Neighbours neighbours;
  const auto work = [&](std::uint8_t thread) {
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      std::uint8_t address[4];
      store32(address, 0x0A000000 + i % 3000);
      neighbours.learn(address_of(address, false), thread != 0 ? kOwn : kTheirs);
      const auto found = neighbours.find(address_of(address, false));
      ASSERT_TRUE(!found || *found == kOwn || *found == kTheirs);
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
}

TEST(N4Datagrams, WhatIsWrittenIsReadInBothFamilies) {
  const Octets message = octets("20010004000001 00");
  for (const auto& [own, peer] : {std::pair(v4(4), v4(100)), std::pair(v6(4), v6(100))}) {
    // From the peer to us: the other way round, and to port 8805.
    const auto packet = write_n4(peer, own, kN4Port, message);
    ASSERT_TRUE(packet.has_value());
    EXPECT_TRUE(is_n4(*packet, own));
    EXPECT_FALSE(is_n4(*packet, peer));
    const N4Message read = read_n4(*packet);
    EXPECT_EQ(Octets(read.octets.begin(), read.octets.end()), message);
    EXPECT_EQ(read.peer, peer);
    EXPECT_EQ(read.port, kN4Port);
    for (std::size_t i = packet->size() - 12; i < packet->size(); ++i) {
      Octets damaged = *packet;
      damaged[i] ^= 1;
      EXPECT_FALSE(is_n4(damaged, own)) << i;
    }
  }
  EXPECT_EQ(write_n4(v4(4), v6(100), kN4Port, message), std::nullopt);
  EXPECT_EQ(write_n4(v4(4), v4(100), kN4Port, Octets(65'520, 0)), std::nullopt);
}

// A G-PDU with a PDU session container (TS 29.281, 5.1 and 5.2.2.7) around an IPv4 packet from 10.45.0.1.
const std::string kInner = "450000140000000040110000 0a2d0001 c6336442";
std::string g_pdu(const std::string& header, const std::string& inner) {
  const Octets rest = octets(header + inner);
  Octets packet = octets("4500000000000000401100000ac0000100000000 0868086800000000");
  packet.insert(packet.end(), rest.begin(), rest.end());
  return to_hex(packet);
}

TEST(UserHash, BothDirectionsOfAUserHaveOne) {
  const auto downlink = user_hash(octets("45000014000000004011 0000c6336442 0a2d0001"), true);
  ASSERT_TRUE(downlink.has_value());
  for (const char* header : {"30ff001400000001", "34ff001c00000001 00000085 01100900", "32ff001800000001 00010000",
                             "34ff002400000001 000000c0 01000085 01100900"}) {
    EXPECT_EQ(user_hash(octets(g_pdu(header, kInner)), false), downlink) << header;
  }
}

TEST(UserHash, AUserOfIpv6HasTheHashOfItsPrefix) {
  const std::string to = "60000000000011 40 20010db8000000000000000000000001";
  const auto one = user_hash(octets(to + "20010db8004500010000000000000001"), true);
  EXPECT_EQ(user_hash(octets(to + "20010db80045000100000000000000ff"), true), one);
  EXPECT_NE(user_hash(octets(to + "20010db8004500020000000000000001"), true), one);
}

TEST(UserHash, PacketsWithoutAUserHaveNone) {
  for (const char* header : {"3201000400000000 00010000",           // Echo Request
                             "34ff001c00000001 00000085 00100900",  // an extension header of no octets
                             "34ff001c00000001 00000085 ff100900",  // or past the end
                             "50ff001400000001", "20ff001400000001"}) {
    EXPECT_EQ(user_hash(octets(g_pdu(header, kInner)), false), std::nullopt) << header;
  }
  const Octets whole = octets(g_pdu("34ff001c00000001 00000085 01100900", kInner));
  for (std::size_t length = 20; length < whole.size(); ++length)
    EXPECT_EQ(user_hash(OctetView(whole).first(length), false), std::nullopt) << length;
}

}  // namespace
}  // namespace headroom::gtpu::ports
