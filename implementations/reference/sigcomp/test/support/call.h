// SPDX-License-Identifier: Apache-2.0
//
// The 3GPP call between two compressing endpoints, and what the thesis of Mäenpää configures them with.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "sigcomp/compressor/compressor.h"
#include "sigcomp/test/support/endpoint.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp::test {

inline constexpr Parameters kMuch = {64, 16384, 131072};

inline CompressorConfig with(Mechanism mechanism) {
  CompressorConfig config;
  config.mechanism = mechanism;
  config.peer = kMuch;
  return config;
}

inline const std::vector<Bytes>& call() {
  static const auto all = sip_sequences();
  for (const auto& sequence : all) {
    if (sequence.name == "3gpp-video-call") return sequence.messages;
  }
  ADD_FAILURE() << "there is no 3gpp-video-call";
  return all[0].messages;
}

// Who sends the messages of call(): maenpaa-2005, Table 9.
inline constexpr std::string_view kDirections = "ABBABABBABBA";

struct Sizes {
  std::vector<std::size_t> compressed;  // without what SigComp adds
  std::vector<std::size_t> messages;
};

inline Sizes sizes_of_call(const CompressorConfig& config) {
  Endpoint a(config);
  Endpoint b(config);
  Sizes sizes;
  for (std::size_t i = 0; i < kDirections.size(); ++i) {
    Endpoint& from = kDirections[i] == 'A' ? a : b;
    Endpoint& to = kDirections[i] == 'A' ? b : a;
    const Bytes made = from.send(call()[i]);
    EXPECT_EQ(to.receive(made), call()[i]) << i;
    sizes.compressed.push_back(made.size() - from.compressor->last().overhead);
    sizes.messages.push_back(made.size());
  }
  return sizes;
}

inline std::size_t sum(const std::vector<std::size_t>& values) {
  std::size_t total = 0;
  for (const std::size_t value : values) total += value;
  return total;
}

// As maenpaa-2005 does it: README.md.
inline CompressorConfig thesis(Mechanism mechanism, std::size_t memory, unsigned priority, std::size_t shared_length) {
  CompressorConfig config = with(mechanism);
  config.offset_bits = 14;
  config.length_bits = 8;
  config.dictionary_priority = priority;
  config.shared_length = shared_length;
  config.memory = memory;
  config.whole_memory = true;
  config.announce = true;
  config.acknowledgement = Acknowledgement::kIdentifier;
  config.peer = {128, 65536, 131072};
  return config;
}

}  // namespace headroom::sigcomp::test
