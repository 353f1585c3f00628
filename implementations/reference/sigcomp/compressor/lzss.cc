// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/lzss.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/compressor/bit_writer.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/message/header.h"
#include "sigcomp_programs/lzss_source.h"

namespace headroom::sigcomp {
namespace {

// Where the bytecode lies, and where the circular buffer begins: both are multitype operands of one octet.
constexpr std::uint16_t kCodeAddress = 128;
constexpr std::uint16_t kBufferAddress = 256;
constexpr std::size_t kLeastBuffer = 256;
// UDVM cycles of a match, besides two for each octet of it (COPY-OFFSET and OUTPUT): INPUT-HUFFMAN 3, and one each of
// COMPARE, INPUT-BITS, ADD, LOAD, COPY-OFFSET, OUTPUT and JUMP.
constexpr std::size_t kCyclesOfMatch = 10;

// Octets of UDVM memory that are there whatever the message.
std::size_t memory_of(const LzssConfig& config) {
  const std::size_t message = config.transport == Transport::kMessages ? config.most_compressed : 0;
  // An operand says no more than 65535.
  return std::min<std::size_t>(udvm_memory_size(config.decompression_memory_size, config.transport, message), 65535);
}

const LzssConfig& checked(const LzssConfig& config) {
  if (!is_memory_size(config.decompression_memory_size) || !is_cycles_per_bit(config.cycles_per_bit)) {
    throw std::invalid_argument(
        "decompression_memory_size must be a power of two from 2048 to 131072 and cycles_per_bit one from 16 to 128 "
        "(RFC 3320 3.3.1)");
  }
  if (config.offset_bits < 12 || config.offset_bits > 14) {
    throw std::invalid_argument("offset_bits must be 12, 13 or 14");
  }
  if (config.length_bits != 4 && config.length_bits != 6 && config.length_bits != 8) {
    throw std::invalid_argument("length_bits must be 4, 6 or 8");
  }
  if (config.most_compressed > config.decompression_memory_size || memory_of(config) < kBufferAddress + kLeastBuffer) {
    throw std::invalid_argument(
        "decompression_memory_size leaves the decompressor no memory beside a message of most_compressed octets: 512 "
        "are the least");
  }
  return config;
}

std::size_t dictionary_of(const LzssConfig& config) {
  if (!config.dictionary) return 0;
  return std::min(sip_sdp_dictionary().value.size(), memory_of(config) - kBufferAddress - 1);
}

// The source of the bytecode: what depends on the configuration, and the programs.
std::string source_of(const LzssConfig& config) {
  std::string source;
  const auto set = [&source](const std::string& name, std::size_t value) {
    source += "set (" + name + ", " + std::to_string(value) + ")\n";
  };
  const std::size_t dictionary = dictionary_of(config);
  const std::size_t whole = sip_sdp_dictionary().value.size();
  set("offset_bits", config.offset_bits);
  set("length_bits", config.length_bits);
  set("circular_buffer", kBufferAddress);
  set("buffer_end", memory_of(config));
  set("first_free", kBufferAddress + dictionary);
  set("dictionary_begin", whole - dictionary);
  // "If the state_length operand is set to 0": the whole of it, which is the shorter operand.
  set("dictionary_length", dictionary == whole ? 0 : dictionary);
  set("state_address", config.saves_code ? kCodeAddress : 0);
  set("state_instruction", config.saves_code ? kCodeAddress : 0);
  set("minimum_access_length", config.saves_code ? kLeastIdentifier : 0);
  source += config.saves_code ? "set (state_length, (program_end - 128))\n" : "set (state_length, 0)\n";
  source += "at (128)\n";
  if (config.dictionary) source += kSipSdpSource;
  source += kLzssSource;
  if (config.dictionary) {
    source += ":dictionary_identifier byte (";
    for (std::size_t i = 0; i < kLeastIdentifier; ++i) {
      source += (i == 0 ? "" : ", ") + std::to_string(sip_sdp_dictionary().identifier[i]);
    }
    source += ")\n";
  }
  return source + ":program_end\n";
}

}  // namespace

LzssCompressor::LzssCompressor(const LzssConfig& config)
    : config_(checked(config)),
      buffer_(memory_of(config) - kBufferAddress),
      dictionary_(dictionary_of(config)),
      message_(config.most_compressed),
      window_(sip_sdp_dictionary().value.last(dictionary_), std::min(std::size_t{1} << config.offset_bits, buffer_ - 1),
              kMost, config.search) {
  // No match costs more UDVM cycles than its bits grant (RFC 3320 8.6), and no literal does. So the cycles that there
  // are at the beginning, 16000 at least, are for STATE-ACCESS, 4837 at most, MULTILOAD and END-MESSAGE.
  const std::size_t bits = 1 + config.offset_bits + config.length_bits;
  longest_match_ = std::min((std::size_t{1} << config.length_bits) - 1 + kShortestMatch,
                            (bits * config.cycles_per_bit - kCyclesOfMatch) / 2);

  const auto assembled = assembler::assemble(source_of(config));
  if (const auto* error = std::get_if<assembler::SourceError>(&assembled)) {
    throw std::logic_error("the program of the LZSS compressor cannot be assembled: " + error->text());
  }
  const auto& program = std::get<assembler::Program>(assembled);
  const auto upload = assembler::upload(program);
  if (const auto* sentence = std::get_if<std::string>(&upload)) {
    throw std::logic_error("the program of the LZSS compressor cannot be uploaded: " + *sentence);
  }
  const auto end = program.names.at("program_end");
  if (end > kBufferAddress) throw std::logic_error("the program of the LZSS compressor reaches into its buffer");
  upload_ = std::get<0>(upload);
  const Octets code = assembler::code_of(program);
  code_.assign(code.begin(), code.end());

  if (config.saves_code) {
    // The octets that END-MESSAGE names; where the bytecode ends with zeros, these are not uploaded but part of it.
    std::vector<std::uint8_t> value = code_;
    value.resize(static_cast<std::size_t>(end - kCodeAddress));
    Sha1 sha1;
    identifier_ = identifier_of(sha1, {kCodeAddress, kCodeAddress, kLeastIdentifier}, value);
    reference_[0] = kPrefix | 1;  // figure 3: 6 octets of partial state identifier follow
    std::copy_n(identifier_.begin(), kLeastIdentifier, reference_.begin() + 1);
  }
}

Octets LzssCompressor::compress(Octets message) noexcept {
  const Octets front = head();
  if (message.size() > kMost || front.size() > message_.size()) return {};
  std::copy(front.begin(), front.end(), message_.begin());
  BitWriter bits(std::span<std::uint8_t>(message_).subspan(front.size()));
  window_.begin(message);
  const std::uint32_t is_match = 1U << config_.offset_bits;
  while (window_.left() > 0 && !bits.full()) {
    const Match match = window_.find(longest_match_);
    if (match.length == 0) {
      bits.put(window_.next(), 9);
      window_.advance(1);
    } else {
      bits.put(is_match | (match.distance - 1), 1 + config_.offset_bits);
      bits.put(match.length - static_cast<std::uint32_t>(kShortestMatch), config_.length_bits);
      window_.advance(match.length);
    }
  }
  const std::size_t compressed = bits.finish();
  return bits.full() ? Octets() : Octets(message_).first(front.size() + compressed);
}

}  // namespace headroom::sigcomp
