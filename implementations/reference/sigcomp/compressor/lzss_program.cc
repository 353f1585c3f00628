// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/lzss_program.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/message/header.h"
#include "sigcomp_programs/lzss_source.h"

namespace headroom::sigcomp {
namespace {

constexpr std::size_t kLeastBuffer = 256;
// UDVM cycles of a match, besides two for each octet of it (COPY-OFFSET and OUTPUT): INPUT-HUFFMAN 3, and one each of
// COMPARE, INPUT-BITS, ADD, LOAD, COPY-OFFSET, OUTPUT and JUMP.
constexpr std::size_t kCyclesOfMatch = 10;
// Of STATE-ACCESS, MULTILOAD and END-MESSAGE without the octets that they handle, and of a code that is not whole.
constexpr std::size_t kCyclesOfRest = 16;

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
  if (config.most_compressed > config.decompression_memory_size ||
      memory_of(config) < LzssProgram::kBuffer + kLeastBuffer) {
    throw std::invalid_argument(
        "decompression_memory_size leaves the decompressor no memory beside a message of most_compressed octets: 512 "
        "are the least");
  }
  return config;
}

std::size_t dictionary_of(const LzssConfig& config) {
  if (!config.dictionary) return 0;
  return std::min(sip_sdp_dictionary().value.size(), memory_of(config) - LzssProgram::kBuffer - 1);
}

// The source of the bytecode: what depends on the configuration, and the programs.
std::string source_of(const LzssConfig& config, Saved saved) {
  std::string source;
  const auto set = [&source](const std::string& name, std::size_t value) {
    source += "set (" + name + ", " + std::to_string(value) + ")\n";
  };
  const std::size_t dictionary = dictionary_of(config);
  const std::size_t whole = sip_sdp_dictionary().value.size();
  set("offset_bits", config.offset_bits);
  set("length_bits", config.length_bits);
  set("circular_buffer", LzssProgram::kBuffer);
  set("buffer_end", memory_of(config));
  set("first_free", LzssProgram::kBuffer + dictionary);
  set("dictionary_begin", whole - dictionary);
  // "If the state_length operand is set to 0": the whole of it, which is the shorter operand.
  set("dictionary_length", dictionary == whole ? 0 : dictionary);
  const bool kept = saved != Saved::kNothing;
  const bool all = saved == Saved::kMemory;
  set("state_address", !kept ? 0 : all ? LzssProgram::kRegisters : LzssProgram::kCode);
  set("minimum_access_length", kept ? kLeastIdentifier : 0);
  source += std::string("set (state_instruction, ") + (!kept ? "0" : all ? "next_code" : "128") + ")\n";
  source += std::string("set (state_length, ") +
            (!kept ? "0"
             : all ? "(buffer_end - 64)"
                   : "(program_end - 128)") +
            ")\n";
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

LzssProgram::LzssProgram(const LzssConfig& config, Saved saved)
    : buffer_end(static_cast<std::uint16_t>(memory_of(checked(config)))),
      dictionary(sip_sdp_dictionary().value.last(dictionary_of(config))) {
  // No match costs more UDVM cycles than its bits grant (RFC 3320 8.6), and no literal does. So the cycles that there
  // are at the beginning are for STATE-ACCESS, MULTILOAD and END-MESSAGE.
  const std::size_t bits = 1 + config.offset_bits + config.length_bits;
  longest_match = std::min((std::size_t{1} << config.length_bits) - 1 + kShortestMatch,
                           (bits * config.cycles_per_bit - kCyclesOfMatch) / 2);

  const auto assembled = assembler::assemble(source_of(config, saved));
  if (const auto* error = std::get_if<assembler::SourceError>(&assembled)) {
    throw std::logic_error("the program of the LZSS compressor cannot be assembled: " + error->text());
  }
  const auto& program = std::get<assembler::Program>(assembled);
  const auto message = assembler::upload(program);
  if (const auto* sentence = std::get_if<std::string>(&message)) {
    throw std::logic_error("the program of the LZSS compressor cannot be uploaded: " + *sentence);
  }
  const auto end = program.names.at("program_end");
  if (end > kBuffer) throw std::logic_error("the program of the LZSS compressor reaches into its buffer");
  upload = std::get<0>(message);
  const Octets uploaded = assembler::code_of(program);
  code.assign(uploaded.begin(), uploaded.end());
  if (saved == Saved::kCode) {
    state = {kCode, kCode, kLeastIdentifier};
    state_length = static_cast<std::size_t>(end - kCode);
  } else if (saved == Saved::kMemory) {
    state = {kRegisters, static_cast<std::uint16_t>(program.names.at("next_code")), kLeastIdentifier};
    state_length = std::size_t{buffer_end} - kRegisters;
  }
  // 8.6, for a message that uploads the bytecode and for one that refers to state.
  const auto cycles = [&config](std::size_t header) { return (1000 + 8 * header) * config.cycles_per_bit; };
  if (dictionary.size() + state_length + kCyclesOfRest > cycles(upload.size()) ||
      state_length + kCyclesOfRest > cycles(1 + kLeastIdentifier)) {
    throw std::invalid_argument(
        "cycles_per_bit is too low to have that much memory saved with every message: a smaller "
        "decompression_memory_size would do");
  }
}

std::size_t LzssProgram::farthest(const LzssConfig& config) const noexcept {
  return std::min(std::size_t{1} << config.offset_bits, buffer() - 1);
}

void write_codes(Window& window, BitWriter& bits, const LzssConfig& config, std::size_t longest_match) noexcept {
  const std::uint32_t is_match = 1U << config.offset_bits;
  while (window.left() > 0 && !bits.full()) {
    const Match match = window.find(longest_match);
    if (match.length == 0) {
      bits.put(window.next(), 9);
      window.advance(1);
    } else {
      bits.put(is_match | (match.distance - 1), 1 + config.offset_bits);
      bits.put(match.length - static_cast<std::uint32_t>(kShortestMatch), config.length_bits);
      window.advance(match.length);
    }
  }
}

StateReference reference_to(const Sha1Digest& identifier) noexcept {
  StateReference reference{};
  reference[0] = kPrefix | 1;
  std::copy_n(identifier.begin(), kLeastIdentifier, reference.begin() + 1);
  return reference;
}

}  // namespace headroom::sigcomp
