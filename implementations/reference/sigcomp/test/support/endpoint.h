// SPDX-License-Identifier: Apache-2.0
//
// Whole endpoints for tests of compressors.
#pragma once

#include <gtest/gtest.h>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp::test {

inline constexpr CompartmentId kCompartment = 1;

// An endpoint that offers what the configuration says of its peer, and no more; with one compartment.
class Endpoint {
 public:
  explicit Endpoint(const CompressorConfig& config)
      : states(8),
        decompressor({config.peer.cycles_per_bit, config.peer.decompression_memory_size, kVersionWithNack}, states),
        transport_(config.transport),
        factory_(states) {
    EXPECT_TRUE(states.offer({}, sip_sdp_dictionary().value));
    EXPECT_TRUE(states.open(kCompartment, config.peer.state_memory_size));
    compressor = factory_.make(config, kCompartment);
  }

  // The message as it is sent; nothing where the compressor refuses it.
  [[nodiscard]] Bytes send(Octets message) {
    const Octets made = compressor->compress(message);
    return {made.begin(), made.end()};
  }
  // What is decompressed of it; the reason of failure as text where nothing is, and then `nack` is what answers it.
  Bytes receive(Octets message) {
    const Outcome& outcome = decompressor.decompress(message, transport_);
    cycles = outcome.cycles;
    if (outcome.kind == Outcome::Kind::kNack) {
      compressor->refused(outcome.nack);
      return {};
    }
    if (outcome.kind == Outcome::Kind::kFailure) {
      const Octets made = decompressor.nack(message);
      nack.assign(made.begin(), made.end());
      return text_octets(name_of(outcome.failure.reason));
    }
    if (!decompressor.accept(kCompartment)) ADD_FAILURE() << "not accepted";
    compressor->heard(received_parts(outcome, decompressor.udvm().completion()));
    return {outcome.output.begin(), outcome.output.end()};
  }

  StateHandler states;
  Decompressor decompressor;
  std::unique_ptr<Compressor> compressor;
  Bytes nack;
  std::uint64_t cycles = 0;

 private:
  Transport transport_;
  CompressorFactory factory_;
};

}  // namespace headroom::sigcomp::test
