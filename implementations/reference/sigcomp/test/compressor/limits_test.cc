// SPDX-License-Identifier: Apache-2.0
//
// What compressors count on, and what they refuse: cycles, memory and room for a message.
#include <gtest/gtest.h>

#include <stdexcept>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/test/support/call.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::call;
using test::Endpoint;
using test::kDirections;
using test::with;

// The longest matches one behind another, at the least cycles_per_bit: the cycles suffice.
TEST(Limits, ManyOctetsOfOneKindCostNoMoreCyclesThanTheyGrant) {
  for (const Algorithm algorithm : {Algorithm::kLzss, Algorithm::kDeflate}) {
    for (const unsigned length_bits : {4U, 6U, 8U}) {
      for (std::uint16_t cycles_per_bit = 16; cycles_per_bit <= 128;
           cycles_per_bit = static_cast<std::uint16_t>(2 * cycles_per_bit)) {
        CompressorConfig config = with(Mechanism::kStatelessStatic);
        config.algorithm = algorithm;
        config.length_bits = length_bits;
        config.most_compressed = 14000;
        config.peer = {cycles_per_bit, 16384, 0};
        Endpoint a(config);
        Endpoint b(config);
        const Bytes message(Compressor::kMost, 'x');
        EXPECT_EQ(b.receive(a.send(message)), message) << length_bits << " " << cycles_per_bit;
      }
    }
  }
}

// A peer with more memory than its cycles_per_bit pay for: only so much of it is used.
TEST(Limits, NoMoreMemoryThanThereAreCyclesFor) {
  for (std::uint16_t cycles_per_bit = 16; cycles_per_bit <= 128;
       cycles_per_bit = static_cast<std::uint16_t>(2 * cycles_per_bit)) {
    for (const Mechanism mechanism : {Mechanism::kDynamic, Mechanism::kShared}) {
      for (const Acknowledgement acknowledgement : {Acknowledgement::kNumber, Acknowledgement::kIdentifier}) {
        for (const bool whole_memory : {false, true}) {
          CompressorConfig config = with(mechanism);
          config.acknowledgement = acknowledgement;
          config.whole_memory = whole_memory;
          config.peer = {cycles_per_bit, 131072, 131072};
          Endpoint a(config), b(config);
          for (int round = 0; round < 10; ++round) {  // until all that may be kept is kept
            for (std::size_t i = 0; i < kDirections.size(); ++i) {
              Endpoint& from = kDirections[i] == 'A' ? a : b;
              Endpoint& to = kDirections[i] == 'A' ? b : a;
              ASSERT_EQ(to.receive(from.send(call()[i])), call()[i])
                  << cycles_per_bit << ", " << static_cast<int>(mechanism) << static_cast<int>(acknowledgement)
                  << whole_memory << ", round " << round << ", " << i << ": " << to.cycles;
            }
          }
          EXPECT_FALSE(a.compressor->last().uploads);
        }
      }
    }
  }
}

// A message that would become too long, or is, gives nothing; the next one is none the worse.
TEST(Limits, WhatDoesNotFitIsRefused) {
  test::Random random(3);
  Bytes noise(3000);
  for (auto& octet : noise) octet = random.octet();
  for (const Algorithm algorithm : {Algorithm::kLzss, Algorithm::kDeflate}) {
    for (const Mechanism mechanism : {Mechanism::kStatelessStatic, Mechanism::kDynamic, Mechanism::kShared}) {
      CompressorConfig config = with(mechanism);
      config.algorithm = algorithm;
      Endpoint a(config);
      Endpoint b(config);
      for (std::size_t i = 0; i < kDirections.size(); ++i) {
        Endpoint& from = kDirections[i] == 'A' ? a : b;
        Endpoint& to = kDirections[i] == 'A' ? b : a;
        EXPECT_TRUE(from.send(noise).empty());
        EXPECT_TRUE(from.send(Bytes(Compressor::kMost + 1)).empty());
        ASSERT_EQ(to.receive(from.send(call()[i])), call()[i]);
      }
      config.most_compressed = Endpoint(config).send(call()[0]).size();
      EXPECT_FALSE(Endpoint(config).send(call()[0]).empty());
      --config.most_compressed;
      EXPECT_TRUE(Endpoint(config).send(call()[0]).empty());
    }
  }
}

// A SigComp message that is larger than the decompression_memory_size fails (RFC 3320, 8.7), over streams, too.
TEST(Limits, NoMessageOverAStreamIsLongerThanTheDecompressionMemory) {
  CompressorConfig config = with(Mechanism::kStatelessStatic);
  config.transport = Transport::kStream;
  config.peer = {16, 8192, 2048};
  config.most_compressed = 20000;
  test::Random random(3);
  Bytes noise(7000);
  for (auto& octet : noise) octet = random.octet();
  Endpoint a(config);
  EXPECT_FALSE(a.send(noise).empty());
  noise.resize(10000);
  for (auto& octet : noise) octet = random.octet();
  EXPECT_TRUE(a.send(noise).empty());
}

// Where there is less room than most_compressed, nothing happens to the message or to what later ones rely on.
TEST(Limits, WhatHasNoRoomIsAsIfItHadNotBeenGiven) {
  Endpoint a(with(Mechanism::kDynamic));
  Endpoint b(with(Mechanism::kDynamic));
  ASSERT_EQ(b.receive(a.send(call()[0])), call()[0]);
  ASSERT_EQ(a.receive(b.send(call()[1])), call()[1]);
  EXPECT_TRUE(a.compressor->compress(call()[3], 60).empty());
  const Bytes made = a.send(call()[3]);
  EXPECT_FALSE(a.compressor->last().uploads);
  EXPECT_EQ(b.receive(made), call()[3]);
  EXPECT_EQ(a.compressor->compress(call()[3], made.size()).size(), made.size());
}

TEST(Limits, WhatCannotWorkIsRefused) {
  StateHandler states(1);
  CompressorFactory factory(states);
  const auto refuses = [&](void (*change)(CompressorConfig&)) {
    CompressorConfig config = with(Mechanism::kShared);
    EXPECT_NO_THROW((void)factory.make(config, 1));
    change(config);
    EXPECT_THROW((void)factory.make(config, 1), std::invalid_argument);
  };
  refuses([](CompressorConfig& c) { c.peer.decompression_memory_size = 8191; });
  refuses([](CompressorConfig& c) { c.peer.cycles_per_bit = 17; });
  refuses([](CompressorConfig& c) { c.peer.state_memory_size = 0; });
  refuses([](CompressorConfig& c) {
    c.mechanism = Mechanism::kStatefulBasic;
    c.peer.state_memory_size = 0;
  });
  refuses([](CompressorConfig& c) { c.own = Parameters{17, 8192, 2048}; });
  refuses([](CompressorConfig& c) { c.offset_bits = 11; });
  refuses([](CompressorConfig& c) { c.length_bits = 5; });
  refuses([](CompressorConfig& c) { c.dictionary_priority = 6; });
  refuses([](CompressorConfig& c) { c.shared_length = 2041; });
  refuses([](CompressorConfig& c) { c.most_compressed = 16384; });
  refuses([](CompressorConfig& c) { c.user_dictionary.resize(15000); });
  refuses([](CompressorConfig& c) {
    c.peer = {16, 65536, 131072};
    c.memory = 40000;  // 16 cycles a bit do not pay for that
  });
}

}  // namespace
}  // namespace headroom::sigcomp
