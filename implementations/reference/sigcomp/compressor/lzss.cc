// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/lzss.h"

#include <algorithm>

namespace headroom::sigcomp {

LzssCompressor::LzssCompressor(const LzssConfig& config, Saved saved)
    : config_(config),
      program_(config, saved),
      message_(config.most_compressed),
      window_(program_.dictionary.size(), program_.farthest(config), kMost, config.search) {
  window_.load(program_.dictionary, {});
  if (saved == Saved::kNothing) return;
  // The octets that END-MESSAGE names; where the bytecode ends with zeros, these are not uploaded but part of it.
  std::vector<std::uint8_t> value = program_.code;
  value.resize(program_.state_length);
  Sha1 sha1;
  identifier_ = identifier_of(sha1, program_.state, value);
  reference_ = reference_to(identifier_);
}

Octets LzssCompressor::compress(Octets message) noexcept {
  const Octets front = head();
  if (message.size() > kMost || front.size() > message_.size()) return {};
  std::copy(front.begin(), front.end(), message_.begin());
  BitWriter bits(std::span<std::uint8_t>(message_).subspan(front.size()));
  window_.begin(message);
  write_codes(window_, bits, config_, program_.longest_match);
  const std::size_t compressed = bits.finish();
  return bits.full() ? Octets() : Octets(message_).first(front.size() + compressed);
}

}  // namespace headroom::sigcomp
