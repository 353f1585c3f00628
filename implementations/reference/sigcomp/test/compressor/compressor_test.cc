// SPDX-License-Identifier: Apache-2.0
//
// The interface of compressors between two whole endpoints: what one sends, the other restores and answers.
#include "sigcomp/compressor/compressor.h"

#include <gtest/gtest.h>

#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;

constexpr CompartmentId kCompartment = 1;

struct Endpoint {
  explicit Endpoint(const CompressorConfig& config)
      : states(4),
        decompressor({config.peer.cycles_per_bit, config.peer.decompression_memory_size, kVersionWithNack}, states),
        factory(states) {
    EXPECT_TRUE(states.offer({}, sip_sdp_dictionary().value));
    EXPECT_TRUE(states.open(kCompartment, config.peer.state_memory_size));
    compressor = factory.make(config, kCompartment);
  }
  // What is decompressed of it.
  Bytes receive(Octets message, Transport transport) {
    const Outcome& outcome = decompressor.decompress(message, transport);
    if (outcome.kind != Outcome::Kind::kMessage) return {};
    EXPECT_TRUE(decompressor.accept(kCompartment));
    compressor->heard(heard_from(outcome, decompressor.udvm().completion()));
    return {outcome.output.begin(), outcome.output.end()};
  }
  StateHandler states;
  Decompressor decompressor;
  CompressorFactory factory;
  std::unique_ptr<Compressor> compressor;
};

TEST(Compressor, EveryMechanismRestoresTheSipSequences) {
  for (const auto mechanism : {"stateless-basic", "stateful-basic", "stateless-static", "stateful-static", "dynamic"}) {
    for (const Transport transport : {Transport::kMessages, Transport::kStream}) {
      const CompressorConfig config = {.mechanism = *mechanism_named(mechanism),
                                       .acknowledgement = Acknowledgement::kTransport,
                                       .peer = {32, 16384, 131072},
                                       .transport = transport};
      Endpoint a(config);
      Endpoint b(config);
      for (const auto& sequence : test::sip_sequences()) {
        for (std::size_t i = 0; i < sequence.messages.size(); ++i) {
          Endpoint& from = i % 2 == 0 ? a : b;
          Endpoint& to = i % 2 == 0 ? b : a;
          const Octets compressed = from.compressor->compress(sequence.messages[i]);
          ASSERT_FALSE(compressed.empty());
          ASSERT_EQ(to.receive(compressed, transport), sequence.messages[i]) << mechanism << ": " << sequence.name;
          if (const Sha1Digest* const leaves = from.compressor->last().leaves; leaves != nullptr) {
            EXPECT_EQ(to.states.find(*leaves).kind, StateFound::Kind::kOne);
          }
        }
      }
      EXPECT_EQ(a.compressor->last().uploads, *mechanism_named(mechanism) == Mechanism::kStatelessBasic ||
                                                  *mechanism_named(mechanism) == Mechanism::kStatelessStatic);
    }
  }
}

TEST(Compressor, NamesOfConfigurations) {
  EXPECT_EQ(algorithm_named("deflate"), Algorithm::kDeflate);
  EXPECT_EQ(mechanism_named("shared"), Mechanism::kShared);
  EXPECT_EQ(search_named("linear"), Search::kLinear);
  EXPECT_EQ(acknowledgement_named("identifier"), Acknowledgement::kIdentifier);
  EXPECT_FALSE(mechanism_named("Dynamic"));
}

}  // namespace
}  // namespace headroom::sigcomp
