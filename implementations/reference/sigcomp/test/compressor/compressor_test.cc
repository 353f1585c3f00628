// SPDX-License-Identifier: Apache-2.0
//
// Compressors between two whole endpoints, in every configuration: what one sends the other restores and answers; what
// is lost, and what is acknowledged late or never, does no harm.
#include "sigcomp/compressor/compressor.h"

#include <gtest/gtest.h>

#include <string>

#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/endpoint.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::Endpoint;
using test::Random;
using test::to_hex;

constexpr Parameters kMuch = {64, 16384, 131072};

const std::vector<test::SipSequence>& sequences() {
  static const auto all = test::sip_sequences();
  return all;
}

std::vector<CompressorConfig> configurations() {
  std::vector<CompressorConfig> all;
  for (const Algorithm algorithm : {Algorithm::kLzss, Algorithm::kDeflate}) {
    for (const auto mechanism : {Mechanism::kStatelessBasic, Mechanism::kStatefulBasic, Mechanism::kStatelessStatic,
                                 Mechanism::kStatefulStatic, Mechanism::kDynamic, Mechanism::kShared}) {
      for (const auto acknowledgement :
           {Acknowledgement::kNumber, Acknowledgement::kIdentifier, Acknowledgement::kTransport}) {
        for (const bool whole : {false, true}) {
          CompressorConfig config;
          config.algorithm = algorithm;
          config.mechanism = mechanism;
          config.acknowledgement = acknowledgement;
          config.whole_memory = whole;
          config.linear_buffer = config.room_first = whole;
          if (whole && acknowledgement == Acknowledgement::kTransport)
            config.shared_state = SharedState::kFirstTurnOnce;
          config.announce = whole && acknowledgement == Acknowledgement::kIdentifier;
          config.peer = kMuch;
          all.push_back(config);
        }
      }
    }
  }
  return all;
}

std::string described(const CompressorConfig& config) {
  return "algorithm " + std::to_string(static_cast<int>(config.algorithm)) + ", mechanism " +
         std::to_string(static_cast<int>(config.mechanism)) + ", acknowledgement " +
         std::to_string(static_cast<int>(config.acknowledgement)) + (config.whole_memory ? ", whole memory" : "") +
         ", memory " + std::to_string(config.peer.decompression_memory_size);
}

// This endpoint's parameters arrive as they are, whatever else the bytecode does with its scratch memory.
TEST(Compressor, TellsItsOwnParameters) {
  constexpr Parameters kOwn = {32, 16384, 4096};
  for (CompressorConfig config : configurations()) {
    SCOPED_TRACE(described(config));
    config.own = kOwn;
    StateHandler states(2);
    ASSERT_TRUE(states.offer({}, sip_sdp_dictionary().value));
    ASSERT_TRUE(states.open(1, kMuch.state_memory_size));
    CompressorFactory factory(states);
    const auto compressor = factory.make(config, 1);
    const Octets compressed = compressor->compress(sequences()[0].messages[0]);
    Decompressor decompressor({kMuch.cycles_per_bit, kMuch.decompression_memory_size, kVersionWithNack}, states);
    ASSERT_EQ(decompressor.decompress(compressed, Transport::kMessages).kind, Outcome::Kind::kMessage);
    const ReturnedParameters told(decompressor.udvm().completion().returned_parameters);
    EXPECT_EQ(told.parameters(), kOwn);
    EXPECT_EQ(told.version(), kVersionWithNack);
    int announced = 0;
    told.for_each_identifier([&announced](Octets) { ++announced; });
    EXPECT_EQ(announced, config.mechanism == Mechanism::kShared ? 1 : 0);
  }
}

// All seven sequences one behind another, with answers: the buffer goes round many times.
TEST(Compressor, RestoresTheSipSequences) {
  for (CompressorConfig config : configurations()) {
    for (const std::uint32_t memory : {4096U, 8192U, 16384U}) {
      config.peer.decompression_memory_size = memory;
      config.transport = memory == 8192 ? Transport::kStream : Transport::kMessages;
      Endpoint a(config);
      Endpoint b(config);
      std::size_t referring = 0;
      for (const auto& sequence : sequences()) {
        for (std::size_t i = 0; i < sequence.messages.size(); ++i) {
          Endpoint& from = i % 2 == 0 ? a : b;
          Endpoint& to = i % 2 == 0 ? b : a;
          const Bytes compressed = from.send(sequence.messages[i]);
          ASSERT_FALSE(compressed.empty());
          ASSERT_EQ(to.receive(compressed), sequence.messages[i])
              << sequence.name << " " << i << ": " << described(config);
          const Sent sent = from.compressor->last();
          referring += sent.uploads ? 0U : 1U;
          // Asked for now and then: otherwise it is computed when a message refers to it, or never.
          const Sha1Digest* const leaves = i % 3 == 0 ? from.compressor->leaves() : nullptr;
          if (leaves != nullptr) {
            ASSERT_EQ(to.states.find(*leaves).kind, StateFound::Kind::kOne)
                << "the peer has it under another name: " << described(config);
          }
        }
      }
      const bool stateless =
          config.mechanism == Mechanism::kStatelessBasic || config.mechanism == Mechanism::kStatelessStatic;
      EXPECT_TRUE(stateless ? referring == 0 : referring > 40) << referring << " " << described(config);
    }
  }
}

// Messages and answers are lost, acknowledgements come late or never, the peer's memory holds few items: whatever
// arrives is right.
TEST(Compressor, SurvivesLossAndLateAcknowledgements) {
  Random random(4);
  std::size_t referring = 0;
  const auto all = configurations();
  for (int round = 0; round < 72; ++round) {
    CompressorConfig config = all[static_cast<std::size_t>(round) % all.size()];
    if (config.acknowledgement == Acknowledgement::kTransport) continue;
    config.transport = random.below(2) == 0 ? Transport::kMessages : Transport::kStream;
    config.most_compressed = 4000;
    config.peer.decompression_memory_size = 16384U << random.below(2);
    config.peer.state_memory_size = 16384U << random.below(4);
    config.length_bits = 4 + 2 * random.below(3);
    config.checkpoint_every = random.below(2) == 0 ? 0 : 1 + random.below(6);
    config.user_dictionary = random.below(2) == 0 ? Bytes{} : test::random_message(random, 300);
    Endpoint a(config);
    Endpoint b(config);
    for (int i = 0; i < 80; ++i) {
      Endpoint& from = random.below(2) == 0 ? a : b;
      Endpoint& to = &from == &a ? b : a;
      Bytes message = test::random_message(random, 2500);
      if (message.empty()) continue;
      const Bytes compressed = from.send(message);
      if (compressed.empty()) continue;
      referring += from.compressor->last().uploads ? 0U : 1U;
      if (random.below(4) == 0) continue;
      ASSERT_EQ(to.receive(compressed), message)
          << "message " << i << ": " << described(config) << ", checkpoints " << config.checkpoint_every
          << ", state memory " << config.peer.state_memory_size;
    }
  }
  EXPECT_GT(referring, 300U);
}

TEST(Compressor, HashAndLinearSearchGiveTheSameOctets) {
  Random random(2);
  for (CompressorConfig config : configurations()) {
    config.search = Search::kHash;
    Endpoint hash(config);
    Endpoint hash_peer(config);
    config.search = Search::kLinear;
    Endpoint linear(config);
    std::vector<Bytes> messages = sequences()[3].messages;
    for (int i = 0; i < 3; ++i) messages.push_back(test::random_message(random, 1200));
    for (const Bytes& message : messages) {
      const Bytes compressed = hash.send(message);
      ASSERT_EQ(to_hex(compressed), to_hex(linear.send(message))) << described(config);
      if (compressed.empty()) continue;
      ASSERT_EQ(hash_peer.receive(compressed), message);
      const Bytes answer = hash_peer.send(message);
      if (answer.empty()) continue;
      ASSERT_EQ(hash.receive(answer), message);
      ASSERT_EQ(linear.receive(answer), message);
    }
  }
}

TEST(Compressor, NamesOfConfigurations) {
  EXPECT_EQ(algorithm_named("deflate"), Algorithm::kDeflate);
  EXPECT_EQ(mechanism_named("shared"), Mechanism::kShared);
  EXPECT_EQ(search_named("linear"), Search::kLinear);
  EXPECT_EQ(acknowledgement_named("identifier"), Acknowledgement::kIdentifier);
  EXPECT_EQ(shared_state_named("first-turn-once"), SharedState::kFirstTurnOnce);
  EXPECT_FALSE(mechanism_named("Dynamic"));
}

}  // namespace
}  // namespace headroom::sigcomp
