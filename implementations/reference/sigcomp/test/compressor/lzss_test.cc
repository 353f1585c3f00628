// SPDX-License-Identifier: Apache-2.0
//
// The LZSS compressor against the dispatcher with its UDVM: what comes out is what went in, for every configuration,
// the SIP sequences and random data; sizes against those of maenpaa-2005.
#include "sigcomp/compressor/lzss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/peer.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::Peer;
using test::Random;
using test::random_message;
using test::to_hex;

const std::vector<test::SipSequence>& sequences() {
  static const auto all = test::sip_sequences();
  return all;
}

Bytes copy_of(Octets octets) { return {octets.begin(), octets.end()}; }

LzssConfig thesis(bool dictionary, unsigned length_bits = 4) {
  return {.decompression_memory_size = 16384,
          .most_compressed = 1400,
          .offset_bits = 14,
          .length_bits = length_bits,
          .dictionary = dictionary};
}

// Every configuration that there is, over every message of the seven sequences.
TEST(Lzss, RestoresTheSipSequences) {
  std::size_t messages = 0;
  for (const std::uint32_t memory : {4096U, 8192U, 16384U}) {
    for (const unsigned offset_bits : {12U, 13U, 14U}) {
      for (const unsigned length_bits : {4U, 6U, 8U}) {
        for (const bool dictionary : {false, true}) {
          for (const Transport transport : {Transport::kMessages, Transport::kStream}) {
            const LzssConfig config = {.decompression_memory_size = memory,
                                       .transport = transport,
                                       .offset_bits = offset_bits,
                                       .length_bits = length_bits,
                                       .dictionary = dictionary};
            LzssCompressor compressor(config);
            Peer peer(config);
            for (const auto& sequence : sequences()) {
              for (const Bytes& message : sequence.messages) {
                const Octets compressed = compressor.compress(message);
                ASSERT_FALSE(compressed.empty()) << sequence.name;
                ASSERT_EQ(peer.receive(compressed), message)
                    << sequence.name << " with " << memory << " octets, " << offset_bits << " and " << length_bits;
                ++messages;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(sequences().size(), 7U);
  EXPECT_GT(messages, 3 * 3 * 3 * 2 * 2 * 50U);
}

TEST(Lzss, RestoresRandomData) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const LzssConfig config = {.decompression_memory_size = 16384U << random.below(4),
                               .cycles_per_bit = static_cast<std::uint16_t>(16U << random.below(4)),
                               .transport = random.below(2) == 0 ? Transport::kMessages : Transport::kStream,
                               .most_compressed = 14000,
                               .offset_bits = 12 + random.below(3),
                               .length_bits = 4 + 2 * random.below(3),
                               .dictionary = random.below(2) == 0};
    LzssCompressor compressor(config);
    Peer peer(config);
    for (int i = 0; i < 10; ++i) {
      const Bytes message = random_message(random, 12000);
      const Octets compressed = compressor.compress(message);
      ASSERT_FALSE(compressed.empty());
      // A message of no octets puts nothing out, and nothing is what comes out.
      ASSERT_EQ(peer.receive(compressed), message) << "round " << round << " message " << i;
    }
  }
}

// The longest matches one behind another, at the least cycles_per_bit: the cycles suffice.
TEST(Lzss, ManyOctetsOfOneKindCostNoMoreCyclesThanTheyGrant) {
  for (const unsigned length_bits : {4U, 6U, 8U}) {
    const LzssConfig config = {
        .decompression_memory_size = 16384, .most_compressed = 14000, .length_bits = length_bits, .dictionary = true};
    LzssCompressor compressor(config);
    Peer peer(config);
    const Bytes message(LzssCompressor::kMost, 'x');
    EXPECT_EQ(peer.receive(compressor.compress(message)), message) << length_bits;
  }
  EXPECT_EQ(LzssCompressor({.offset_bits = 14, .length_bits = 4}).longest_match(), 18U);
  EXPECT_EQ(LzssCompressor({.offset_bits = 14, .length_bits = 8}).longest_match(), 179U) << "(23 * 16 - 10) / 2";
  EXPECT_EQ(LzssCompressor({.cycles_per_bit = 32, .offset_bits = 14, .length_bits = 8}).longest_match(), 258U);
}

TEST(Lzss, HashAndLinearSearchGiveTheSameOctets) {
  Random random(2);
  for (const bool dictionary : {false, true}) {
    LzssConfig config = thesis(dictionary, 6);
    config.most_compressed = 10000;
    LzssCompressor hash(config);
    config.search = Search::kLinear;
    LzssCompressor linear(config);
    for (const auto& sequence : sequences()) {
      for (const Bytes& message : sequence.messages) {
        ASSERT_EQ(to_hex(hash.compress(message)), to_hex(linear.compress(message))) << sequence.name;
      }
    }
    for (int i = 0; i < 30; ++i) {
      const Bytes message = random_message(random, 4000);
      ASSERT_EQ(to_hex(hash.compress(message)), to_hex(linear.compress(message))) << i;
    }
  }
}

// What one message leaves in the compressor does not reach the next.
TEST(Lzss, AMessageIsCompressedTheSameAgain) {
  LzssCompressor compressor(thesis(true));
  const auto& messages = sequences()[0].messages;
  const Bytes first = copy_of(compressor.compress(messages[0]));
  for (const Bytes& message : messages) (void)compressor.compress(message);
  EXPECT_EQ(to_hex(compressor.compress(messages[0])), to_hex(first));
}

// "Length compr" of the twelve messages of 14.8.1.3, basic compression, which 14 bits of offset and 8 of length
// explain. The thesis's messages are 3 to 5 octets longer than its printed text.
TEST(Lzss, SizesOfTheThesisWithoutDictionary) {
  constexpr std::size_t kPrinted[] = {1085, 276, 1027, 996, 641, 956, 625, 490, 645, 279, 759, 397};
  const auto call = std::find_if(sequences().begin(), sequences().end(),
                                 [](const auto& sequence) { return sequence.name == "3gpp-video-call"; });
  ASSERT_NE(call, sequences().end());
  LzssCompressor compressor(thesis(false, 8));
  for (std::size_t i = 0; i < std::size(kPrinted); ++i) {
    const std::size_t compressed = compressor.compress(call->messages[i]).size() - compressor.overhead();
    EXPECT_NEAR(static_cast<double>(compressed), static_cast<double>(kPrinted[i]),
                0.02 * static_cast<double>(kPrinted[i]))
        << "message " << i;
  }
}

// Its INVITE with the dictionary, by the bits of a length (appendix E).
TEST(Lzss, SizesOfTheThesisWithDictionary) {
  const auto call = std::find_if(sequences().begin(), sequences().end(),
                                 [](const auto& sequence) { return sequence.name == "3gpp-video-call"; });
  ASSERT_NE(call, sequences().end());
  for (const auto& [length_bits, printed] : {std::pair{4U, 694.0}, {6U, 706.0}, {8U, 739.0}}) {
    LzssCompressor compressor(thesis(true, length_bits));
    const std::size_t compressed = compressor.compress(call->messages[0]).size() - compressor.overhead();
    EXPECT_NEAR(static_cast<double>(compressed), printed, 0.02 * printed) << length_bits;
  }
}

// Table 15: 69 and 70 octets without the dictionary, 86 and 87 with it.
TEST(Lzss, BytecodeIsNoLongerThanTheThesiss) {
  for (const unsigned offset_bits : {12U, 13U, 14U}) {
    LzssConfig config = {.offset_bits = offset_bits};
    EXPECT_LE(LzssCompressor(config, Saved::kCode).code().size(), 69U);
    config.dictionary = true;
    EXPECT_LE(LzssCompressor(config, Saved::kCode).code().size(), 86U);
  }
}

TEST(Lzss, StatefulMessagesReferToTheBytecode) {
  for (const bool dictionary : {false, true}) {
    const LzssConfig config = thesis(dictionary);
    LzssCompressor compressor(config, Saved::kCode);
    Peer peer(config);
    const auto& messages = sequences()[0].messages;
    EXPECT_EQ(peer.receive(compressor.compress(messages[0])), messages[0]);
    EXPECT_EQ(peer.states.find(Octets(compressor.identifier()).first(kLeastIdentifier)).kind, StateFound::Kind::kOne);
    EXPECT_EQ(compressor.overhead(), 3 + compressor.code().size()) << "not known to have arrived";
    compressor.code_is_known(true);
    EXPECT_EQ(compressor.overhead(), 7U);
    for (const Bytes& message : messages) ASSERT_EQ(peer.receive(compressor.compress(message)), message);
    EXPECT_EQ(peer.states.items_of(1), 1U) << "the same item, however often";
    EXPECT_LT(peer.states.memory_of(1), 64U + 100U) << "9.7: below 100 octets";

    // A peer that has lost it says so, and gets it again.
    Peer other(config);
    EXPECT_EQ(other.receive(compressor.compress(messages[1])), test::text_octets("STATE_NOT_FOUND"));
    compressor.code_is_known(false);
    EXPECT_EQ(other.receive(compressor.compress(messages[1])), messages[1]);
  }
}

TEST(Lzss, StatelessMessagesLeaveNothing) {
  LzssCompressor compressor(thesis(true));
  compressor.code_is_known(true);
  Peer peer(thesis(true));
  for (const Bytes& message : sequences()[0].messages) {
    ASSERT_EQ(peer.receive(compressor.compress(message)), message);
  }
  EXPECT_EQ(peer.states.items_of(1), 0U);
}

// A message that would become too long, or is, gives nothing; the next one is none the worse.
TEST(Lzss, WhatDoesNotFitIsRefused) {
  Random random(3);
  LzssConfig config = thesis(true);
  LzssCompressor compressor(config);
  Bytes noise(1400);
  for (auto& octet : noise) octet = random.octet();
  EXPECT_TRUE(compressor.compress(noise).empty());
  EXPECT_TRUE(compressor.compress(Bytes(LzssCompressor::kMost + 1)).empty());
  Peer peer(config);
  EXPECT_EQ(peer.receive(compressor.compress(sequences()[0].messages[0])), sequences()[0].messages[0]);
  // One octet less than needed.
  config.most_compressed = compressor.compress(sequences()[0].messages[0]).size();
  EXPECT_FALSE(LzssCompressor(config).compress(sequences()[0].messages[0]).empty());
  --config.most_compressed;
  EXPECT_TRUE(LzssCompressor(config).compress(sequences()[0].messages[0]).empty());
  config.most_compressed = 10;
  EXPECT_TRUE(LzssCompressor(config).compress({}).empty()) << "no room for the bytecode";
}

TEST(Lzss, RefusesWhatCannotWork) {
  for (const LzssConfig& config : {LzssConfig{.decompression_memory_size = 8191},
                                   {.cycles_per_bit = 17},
                                   {.offset_bits = 11},
                                   {.offset_bits = 15},
                                   {.length_bits = 5},
                                   {.decompression_memory_size = 2048, .most_compressed = 1537},
                                   {.decompression_memory_size = 2048, .most_compressed = 4096}}) {
    EXPECT_THROW(LzssCompressor{config}, std::invalid_argument);
  }
  EXPECT_NO_THROW(LzssCompressor({.decompression_memory_size = 2048, .most_compressed = 1536}));
}

}  // namespace
}  // namespace headroom::sigcomp
