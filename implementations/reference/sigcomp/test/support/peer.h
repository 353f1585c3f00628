// SPDX-License-Identifier: Apache-2.0
//
// The endpoint that compressors are tested against, and messages to test them with.
#pragma once

#include <gtest/gtest.h>

#include "sigcomp/compressor/lzss_program.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"

namespace headroom::sigcomp::test {

// An endpoint with the parameters that the compressor counts on, and no more.
class Peer {
 public:
  explicit Peer(const LzssConfig& config, std::uint32_t state_memory_size = 2048)
      : transport_(config.transport),
        decompressor_({config.cycles_per_bit, config.decompression_memory_size, kVersionWithNack}, states) {
    EXPECT_TRUE(states.offer({}, sip_sdp_dictionary().value));
    EXPECT_TRUE(states.open(1, state_memory_size));
  }
  // What is decompressed of it; the reason of failure as text where nothing is.
  Bytes receive(Octets message) {
    const Outcome& outcome = decompressor_.decompress(message, transport_);
    if (outcome.kind == Outcome::Kind::kFailure) return text_octets(name_of(outcome.failure.reason));
    if (!decompressor_.accept(1)) ADD_FAILURE() << "not accepted";
    return {outcome.output.begin(), outcome.output.end()};
  }
  StateHandler states{4};

 private:
  Transport transport_;
  Decompressor decompressor_;
};

// Text of few octets, of many, repetitions, much longer than the buffer, and nothing at all.
inline Bytes random_message(Random& random, std::size_t most) {
  Bytes message(random.below(static_cast<std::uint32_t>(most)));
  const std::uint32_t alphabet = 1U + random.below(random.below(2) == 0 ? 4 : 256);
  for (std::size_t i = 0; i < message.size(); ++i) {
    const std::uint32_t back = 1U + random.below(3000);
    const bool repeat = back <= i && random.below(8) != 0;
    message[i] = repeat && i > 0 ? message[i - (random.below(4) == 0 ? 1 : back)]
                                 : static_cast<std::uint8_t>(random.below(alphabet));
  }
  return message;
}

}  // namespace headroom::sigcomp::test
