// SPDX-License-Identifier: Apache-2.0
//
// Dynamic compression against the dispatcher, its UDVM and its state handler.
#include "sigcomp/compressor/dynamic.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "sigcomp/compressor/lzss.h"
#include "sigcomp/test/support/peer.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::Peer;
using test::Random;
using test::random_message;

constexpr std::uint32_t kStateMemory = 131072;

const std::vector<test::SipSequence>& sequences() {
  static const auto all = test::sip_sequences();
  return all;
}

// All seven sequences one behind another, each message acknowledged: the buffer goes round many times.
TEST(Dynamic, RestoresTheSipSequences) {
  for (const std::uint32_t memory : {4096U, 8192U, 16384U}) {
    for (const unsigned length_bits : {4U, 6U, 8U}) {
      for (const bool dictionary : {false, true}) {
        for (const Search search : {Search::kHash, Search::kLinear}) {
          const LzssConfig config = {.decompression_memory_size = memory,
                                     .offset_bits = memory == 4096   ? 12U
                                                    : memory == 8192 ? 13U
                                                                     : 14U,
                                     .length_bits = length_bits,
                                     .dictionary = dictionary,
                                     .search = search};
          DynamicCompressor compressor(config, kStateMemory);
          Peer peer(config, kStateMemory);
          for (const auto& sequence : sequences()) {
            for (const Bytes& message : sequence.messages) {
              ASSERT_EQ(peer.receive(compressor.compress(message)), message) << sequence.name << " with " << memory;
              ASSERT_EQ(peer.states.find(compressor.newest()).kind, StateFound::Kind::kOne)
                  << "the image is the peer's";
              ASSERT_TRUE(compressor.acknowledge(Octets(compressor.newest()).first(kLeastIdentifier)));
            }
          }
        }
      }
    }
  }
}

// Messages are lost, acknowledgements come late or never, the peer's memory holds few items: whatever arrives is right.
TEST(Dynamic, SurvivesLossAndLateAcknowledgements) {
  Random random(4);
  std::size_t referring = 0;
  for (int round = 0; round < 30; ++round) {
    const LzssConfig config = {.decompression_memory_size = 8192,
                               .transport = random.below(2) == 0 ? Transport::kMessages : Transport::kStream,
                               .most_compressed = 4000,
                               .length_bits = 6,
                               .dictionary = random.below(2) == 0};
    const std::uint32_t state_memory = 8192U << random.below(5);
    DynamicCompressor compressor(config, state_memory);
    Peer peer(config, state_memory);
    std::vector<Sha1Digest> arrived;
    for (int i = 0; i < 60; ++i) {
      const Bytes message = random_message(random, 2000);
      referring += compressor.refers_to_state() ? 1U : 0U;
      const Octets compressed = compressor.compress(message);
      ASSERT_FALSE(compressed.empty());
      if (random.below(4) != 0) {
        ASSERT_EQ(peer.receive(compressed), message) << "round " << round << " message " << i;
        arrived.push_back(compressor.newest());
      }
      if (!arrived.empty() && random.below(3) == 0) {
        (void)compressor.acknowledge(
            arrived[arrived.size() - 1 -
                    random.below(static_cast<std::uint32_t>(std::min<std::size_t>(arrived.size(), 6)))]);
      }
    }
  }
  EXPECT_GT(referring, 500U);
}

TEST(Dynamic, IsMuchShorterThanStaticCompression) {
  const LzssConfig config = {
      .decompression_memory_size = 16384, .offset_bits = 14, .length_bits = 8, .dictionary = true};
  for (const auto& sequence : sequences()) {
    DynamicCompressor dynamic(config, kStateMemory);
    LzssCompressor stateful(config, Saved::kCode);
    std::size_t with = 0;
    std::size_t without = 0;
    for (const Bytes& message : sequence.messages) {
      with += dynamic.compress(message).size();
      without += stateful.compress(message).size();
      dynamic.acknowledge(dynamic.newest());
      stateful.code_is_known(true);
    }
    EXPECT_LT(3 * with, 2 * without) << sequence.name;
  }
}

TEST(Dynamic, GivesStateUpBeforeThePeerMay) {
  const LzssConfig config = {.dictionary = true};
  DynamicCompressor compressor(config, 16384);
  ASSERT_EQ(compressor.capacity(), 2U);
  Peer peer(config, 16384);
  const Bytes message = test::text_octets("INVITE sip:user@example.com SIP/2.0\r\n");
  EXPECT_FALSE(compressor.refers_to_state());
  EXPECT_EQ(peer.receive(compressor.compress(message)), message);
  ASSERT_TRUE(compressor.acknowledge(compressor.newest()));
  // One more item has room beside it; after the second it is gone.
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(compressor.refers_to_state());
    EXPECT_EQ(peer.receive(compressor.compress(message)), message) << i;
  }
  EXPECT_FALSE(compressor.refers_to_state());
  EXPECT_EQ(peer.receive(compressor.compress(message)), message);
}

// Retransmissions leave the same item, whose age counts from the first.
TEST(Dynamic, AnItemMadeTwiceIsAsOldAsTheFirst) {
  DynamicCompressor compressor({.dictionary = true}, 16384);
  const Bytes message = test::text_octets("INVITE sip:user@example.com SIP/2.0\r\n");
  (void)compressor.compress(message);
  const Sha1Digest first = compressor.newest();
  (void)compressor.compress(message);
  EXPECT_EQ(compressor.newest(), first);
  (void)compressor.compress(test::joined(message, message));
  ASSERT_TRUE(compressor.acknowledge(first));
  EXPECT_FALSE(compressor.refers_to_state()) << "two more messages since the first, and room for two items";
}

TEST(Dynamic, WhatIsAcknowledged) {
  const LzssConfig config = {.dictionary = true};
  DynamicCompressor compressor(config, kStateMemory);
  const Bytes message = test::text_octets("ACK sip:user@example.com SIP/2.0\r\n");
  EXPECT_FALSE(compressor.acknowledge(Sha1Digest{})) << "nothing has been sent";
  (void)compressor.compress(message);
  const Sha1Digest first = compressor.newest();
  EXPECT_FALSE(compressor.acknowledge(Octets(first).first(5))) << "too short";
  Sha1Digest other = first;
  other[19] ^= 1;
  EXPECT_FALSE(compressor.acknowledge(other));
  (void)compressor.compress(test::joined(message, message));
  const Sha1Digest second = compressor.newest();
  ASSERT_TRUE(compressor.acknowledge(second));
  EXPECT_FALSE(compressor.acknowledge(first)) << "older than what was acknowledged last";

  // What a peer that has lost everything gets.
  Peer peer(config, kStateMemory);
  EXPECT_EQ(peer.receive(compressor.compress(message)), test::text_octets("STATE_NOT_FOUND"));
  compressor.forget();
  EXPECT_FALSE(compressor.refers_to_state());
  EXPECT_FALSE(compressor.acknowledge(second));
  EXPECT_EQ(peer.receive(compressor.compress(message)), message);
}

TEST(Dynamic, AMessageThatIsRefusedLeavesNothing) {
  Random random(5);
  Bytes noise(3000);
  for (auto& octet : noise) octet = random.octet();
  const LzssConfig config = {.dictionary = true};
  DynamicCompressor compressor(config, kStateMemory);
  Peer peer(config, kStateMemory);
  for (const Bytes& message : sequences()[0].messages) {
    EXPECT_TRUE(compressor.compress(noise).empty());
    ASSERT_EQ(peer.receive(compressor.compress(message)), message);
    ASSERT_TRUE(compressor.acknowledge(compressor.newest()));
  }
}

TEST(Dynamic, RefusesWhatCannotWork) {
  EXPECT_THROW(DynamicCompressor({}, 2048), std::invalid_argument) << "6,728 octets do not fit";
  EXPECT_THROW(DynamicCompressor({.decompression_memory_size = 65536}, kStateMemory), std::invalid_argument)
      << "16 cycles per bit do not pay for 64 kB a message";
  EXPECT_NO_THROW(DynamicCompressor({.decompression_memory_size = 65536, .cycles_per_bit = 128}, kStateMemory));
  EXPECT_NO_THROW(DynamicCompressor({.decompression_memory_size = 2048, .most_compressed = 600}, 2048));
}

}  // namespace
}  // namespace headroom::sigcomp
