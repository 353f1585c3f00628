// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/program.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "mutants.h"
#include "sigcomp/assembler/assembler.h"
#include "sigcomp/compressor/assembled.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp_programs/sources.h"

namespace headroom::sigcomp {
namespace {

constexpr std::size_t kLeastBuffer = 256;
// The bytecode ends below this address; what the size of the dictionary is reckoned with before it is assembled.
constexpr std::size_t kMostProgram = 512;
// With whole_memory the buffer begins no earlier (maenpaa-2005, 7.9 and Figure 29).
constexpr std::uint16_t kBufferOfThesis = 400;
// Beyond the buffer, where a message announces state: figure 13 with kMostListed identifiers, and the octet that ends
// it.
constexpr std::size_t kListRoom = 2 + 7 * kMostListed + 1;
// Likewise, where it announces none and the hash of its state lies in scratch memory.
constexpr std::size_t kParametersRoom = 3;

// RFC 3485, section 3: the strings end here, and those with the priorities 1 to n are the last so many octets of them.
constexpr std::size_t kStrings = 0x0d8c;
constexpr std::size_t kStringsByPriority[] = {0x00da, 0x046c, 0x05d4, 0x0d07, 0x0d8c};

// UDVM cycles of a match, besides two for each octet of it (COPY-OFFSET and OUTPUT). LZSS: INPUT-HUFFMAN 3, and one
// each of COMPARE, INPUT-BITS, ADD, LOAD, COPY-OFFSET, OUTPUT and JUMP.
constexpr std::size_t kCyclesOfLzssMatch = 10;
// DEFLATE: INPUT-HUFFMAN 5 and 2, the eleven from `value` on twice, and 12 more.
constexpr std::size_t kCyclesOfDeflateMatch = 42;
// Of STATE-ACCESS, MULTILOAD, END-MESSAGE and what a message begins with, without the octets that they handle, and of a
// code that is not whole.
constexpr std::size_t kCyclesOfRest = 64;

bool has_dictionary(const CompressorConfig& config) { return config.mechanism >= Mechanism::kStatelessStatic; }

Saved saved_by(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kStatelessBasic:
    case Mechanism::kStatelessStatic:
      return Saved::kNothing;
    case Mechanism::kStatefulBasic:
    case Mechanism::kStatefulStatic:
      return Saved::kCode;
    case Mechanism::kDynamic:
    case Mechanism::kShared:
      break;
  }
  return Saved::kMemory;
}

// Octets of UDVM memory that are there whatever the message.
std::size_t memory_of(const CompressorConfig& config) {
  const std::size_t message = config.transport == Transport::kMessages ? most_compressed_of(config) : 0;
  // An operand says no more than 65535.
  return std::min<std::size_t>(udvm_memory_size(config.peer.decompression_memory_size, config.transport, message),
                               65535);
}

// Octets of the peer's state memory that one item may take. Until the next one is acknowledged, both are there; where
// it is as soon as it is sent, one is enough. With the least that SIP asks for there is no choice: in halves of that,
// an INVITE has no room.
std::size_t longest_item_of(const CompressorConfig& config) {
  const std::size_t all = config.peer.state_memory_size;
  return config.acknowledgement == Acknowledgement::kTransport || all <= kLeastForSip.state_memory_size ? all : all / 2;
}

// UDVM cycles that there are before a bit of the compressed data is taken: what the header of a message that refers to
// state grants, the shortest there is (RFC 3320 8.6).
std::size_t cycles_at_first(const CompressorConfig& config) {
  return (1000 + 8 * (1 + kLeastIdentifier)) * std::size_t{config.peer.cycles_per_bit};
}

// What is taken of them besides an item of state and a dictionary.
std::size_t cycles_besides(const CompressorConfig& config, const Program& program) {
  const std::size_t shared = program.has_shared ? 2 * config.shared_length : 0;
  const std::size_t zeros = program.has_zeros ? 2 * Program::kZerosInFront : 0;
  const std::size_t user = program.saved == Saved::kMemory ? 2 * config.user_dictionary.size() : 0;
  return shared + zeros + user + kCyclesOfRest;
}

// What loading so many octets of the dictionary takes.
std::size_t cycles_to_load(std::size_t dictionary) {
  return mutant("sigcomp-dictionary-takes-no-cycles") ? 0 : dictionary;
}

// The longest item that there are cycles for, where the whole dictionary is loaded as well. With `grows` the message
// that first goes round the buffer does both: it loads the dictionary, and leaves an item of the whole memory.
std::size_t item_for_cycles(const CompressorConfig& config, const Program& program) {
  const std::size_t loaded = has_dictionary(config) ? cycles_to_load(sip_sdp_dictionary().value.size()) : 0;
  const std::size_t taken = cycles_besides(config, program) + loaded;
  const std::size_t left = cycles_at_first(config) - std::min(cycles_at_first(config), taken);
  return program.hashes ? left / 2 : left;
}

// An item of state takes as much of the state memory as its end says: 64 octets are its cost (RFC 3320 6.2).
std::size_t buffer_end_of(const CompressorConfig& config, const Program& program) {
  std::size_t end = memory_of(config) - (program.has_flags ? kListRoom : program.hashes ? kParametersRoom : 0);
  if (config.memory != 0) end = std::min(end, config.memory);
  if (program.saved != Saved::kMemory) return end;
  if (config.memory == 0) end = std::min(end, Program::kRegisters + item_for_cycles(config, program));
  return std::min(end, longest_item_of(config));
}

void check(const CompressorConfig& config) {
  if (!are_valid(config.peer)) {
    throw std::invalid_argument(
        "the peer's decompression_memory_size must be a power of two from 2048 to 131072, its state_memory_size 0 or "
        "such a power, and cycles_per_bit one from 16 to 128 (RFC 3320 3.3.1)");
  }
  if (config.own && !are_valid(*config.own)) {
    throw std::invalid_argument("the parameters to announce to the peer are not valid (RFC 3320 3.3.1)");
  }
  if (config.offset_bits != 0 && (config.offset_bits < 12 || config.offset_bits > 14)) {
    throw std::invalid_argument("offset_bits must be 12, 13 or 14, or 0 to leave the choice to the compressor");
  }
  if (config.length_bits != 4 && config.length_bits != 6 && config.length_bits != 8) {
    throw std::invalid_argument("length_bits must be 4, 6 or 8");
  }
  if (config.dictionary_priority > 5) throw std::invalid_argument("dictionary_priority must be 1 to 5, or 0 for all");
  if (config.shared_length < 8 || config.shared_length > 2040) {
    throw std::invalid_argument("shared_length must be 8 to 2040 octets");
  }
  if (config.mechanism == Mechanism::kShared && config.shared_state == SharedState::kFirstTurnOnce &&
      config.acknowledgement != Acknowledgement::kTransport) {
    throw std::invalid_argument(
        "shared_state first-turn-once needs acknowledgement transport: over a lossy transport the peer may have given "
        "up the first message of its turn without a report");
  }
  if (config.transport == Transport::kMessages && most_compressed_of(config) >= config.peer.decompression_memory_size) {
    throw std::invalid_argument("most_compressed leaves no decompression memory to the peer");
  }
}

// Octets of the dictionary that are put into the buffer, and in `end` where they end in RFC 3485's.
std::size_t dictionary_of(const CompressorConfig& config, Saved saved, std::size_t room, std::size_t& end) {
  const std::size_t whole = sip_sdp_dictionary().value.size();
  end = config.dictionary_priority == 0 ? whole : kStrings;
  if (!has_dictionary(config)) return 0;
  if (config.dictionary_priority != 0) return std::min(kStringsByPriority[config.dictionary_priority - 1], room);
  // Its table, at the end, is worth little, and nothing where messages begin to overwrite it at once.
  if (whole <= (saved == Saved::kMemory ? room / 4 * 3 : room)) return whole;
  end = kStrings;
  // Items that are no longer than what has been written leave memory for messages that are kept.
  return std::min(kStrings, config.mechanism == Mechanism::kShared ? room / 2 : room);
}

// The lines of `text` without the blocks of which a word is not among `words`.
std::string selected(std::string_view text, const std::vector<std::string_view>& words) {
  std::istringstream in{std::string(text)};
  std::string result;
  bool on = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("; [")) {
      std::istringstream block(line.substr(3));
      for (std::string word; block >> word;) on = on && std::find(words.begin(), words.end(), word) != words.end();
    } else if (line == "; ]") {
      on = true;
    } else if (on) {
      result += line + "\n";
    }
  }
  return result;
}

class Source {
 public:
  void set(const std::string& name, std::size_t value) {
    text_ += "set (" + name + ", " + std::to_string(value) + ")\n";
  }
  // Adds `part`, with `operand` for each `name` in it.
  void add(std::string part, const std::vector<std::pair<std::string, std::string>>& operands = {}) {
    for (const auto& [name, operand] : operands) {
      for (std::size_t at = part.find(name); at != std::string::npos; at = part.find(name, at + operand.size())) {
        part.replace(at, name.size(), operand);
      }
    }
    text_ += part;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

std::vector<std::string_view> words_of(const CompressorConfig& config, const Program& program) {
  std::vector<std::string_view> words;
  const auto add = [&words](bool has, std::string_view word) {
    if (has) words.push_back(word);
  };
  add(has_dictionary(config) && !program.dictionary.empty(), "dictionary");
  add(!config.user_dictionary.empty() && program.saved == Saved::kMemory, "user");
  add(program.grows, "grows");
  add(!program.grows, "fixed");
  add(program.has_number, "number");
  add(program.has_flags, "flags");
  add(program.has_shared, "shared");
  add(program.has_shared && !program.shared_has_room, "counted");
  add(program.shared_has_room, "room");
  add(program.has_zeros, "zeros");
  add(program.has_checkpoint, "checkpoint");
  add(program.has_free, "free");
  add(config.own.has_value(), "own");
  add(program.hashes, "hash");
  add(program.saved == Saved::kCode && program.asks, "constant");
  return words;
}

// `buffer_begin`: 0 for right after the program.
std::string source_of(const CompressorConfig& config, const Program& program, std::size_t dictionary_end,
                      std::size_t buffer_begin) {
  const bool kept = program.saved != Saved::kNothing;
  const bool memory = program.saved == Saved::kMemory;
  const std::size_t dictionary = program.dictionary.size();
  const auto words = words_of(config, program);
  Source source;
  if (config.algorithm == Algorithm::kLzss) {
    source.set("offset_bits", offset_bits_of(config));
    source.set("length_bits", config.length_bits);
  }
  source.set("bit_order", program.bit_order);
  source.set("buffer_end", program.buffer_end);
  source.set("dictionary_begin", dictionary_end - dictionary);
  // "If the state_length operand is set to 0": the whole of it, which is the shorter operand.
  source.set("dictionary_length", dictionary == sip_sdp_dictionary().value.size() ? 0 : dictionary);
  source.set("dictionary_address", program.buffer_end - dictionary);
  source.set("user_length", memory ? config.user_dictionary.size() : 0);
  source.set("shared_length", config.shared_length);
  source.set("most_listed", program.most_listed());
  // Without a list of identifiers, the three octets lie in scratch memory, where no hash is put.
  source.set("list", program.has_flags || program.hashes ? program.buffer_end : 52);
  if (config.own) source.set("own", std::size_t{encode(*config.own)} << 8 | kVersionWithNack);
  source.add(selected(kBeginSource, words), {{"first_free", "(circular_buffer + user_length)"}});
  source.add(std::string(config.algorithm == Algorithm::kLzss ? kLzssSource : kDeflateSource));
  source.add(selected(kEndSource, words), {{"kept_length", !kept           ? "0"
                                                           : program.grows ? "$state_length"
                                                           : memory        ? "(buffer_end - 64)"
                                                                           : "(circular_buffer - 128)"},
                                           {"kept_address", !kept    ? "0"
                                                            : memory ? "64"
                                                                     : "128"},
                                           {"kept_instruction", !kept           ? "0"
                                                                : program.grows ? "$next_instruction"
                                                                : memory        ? "next_message"
                                                                                : "128"},
                                           {"kept_priority", program.has_checkpoint ? "$priority" : "0"},
                                           {"minimum_access_length", kept ? "6" : "0"},
                                           {"requested", program.asks ? "feedback" : "0"},
                                           {"returned", program.has_flags || config.own ? "list" : "0"}});
  if (dictionary != 0) {
    source.add(":dictionary_identifier byte (");
    for (std::size_t i = 0; i < kLeastIdentifier; ++i) {
      source.add((i == 0 ? "" : ", ") + std::to_string(sip_sdp_dictionary().identifier[i]));
    }
    source.add(")\n");
  }
  if (buffer_begin != 0) source.add("at (" + std::to_string(buffer_begin) + ")\n");
  source.add(":circular_buffer\n");
  return source.text();
}

std::invalid_argument no_state_memory() {
  return std::invalid_argument(
      "the peer's state_memory_size leaves no room for an item of state, which the mechanism needs");
}

std::size_t longest_match_of(const CompressorConfig& config) {
  const std::size_t cycles = config.peer.cycles_per_bit;
  if (config.algorithm == Algorithm::kLzss) {
    const std::size_t bits = 1 + offset_bits_of(config) + config.length_bits;
    return std::min((std::size_t{1} << config.length_bits) - 1 + kShortestMatch,
                    (bits * cycles - kCyclesOfLzssMatch) / 2);
  }
  // With the least bits that a match so long can have: those of its length, and 5 of a short distance.
  std::size_t longest = 0;
  for (const auto& [most, bits] : {std::pair{10U, 7U}, {18U, 8U}, {34U, 9U}, {66U, 10U}, {130U, 11U}, {257U, 13U}}) {
    const std::size_t paid = ((bits + 5) * cycles - kCyclesOfDeflateMatch) / 2;
    longest = std::min<std::size_t>(most, paid);
    if (longest < most) break;
  }
  return longest;
}

}  // namespace

unsigned offset_bits_of(const CompressorConfig& config) noexcept {
  if (config.offset_bits != 0) return config.offset_bits;
  std::size_t memory = config.peer.decompression_memory_size;
  if (config.memory != 0) memory = std::min(memory, config.memory);
  // The buffer ends where an item of state has to.
  if (saved_by(config.mechanism) == Saved::kMemory) memory = std::min(memory, longest_item_of(config));
  return memory <= 4096 ? 12 : memory <= 8192 ? 13 : 14;
}

std::size_t most_compressed_of(const CompressorConfig& config) noexcept {
  constexpr std::size_t kMost = 1400;
  if (config.transport == Transport::kStream) {  // a longer message is a decompression failure (RFC 3320, 8.7)
    const std::size_t most = config.peer.decompression_memory_size;
    return config.most_compressed == 0 ? most : std::min(config.most_compressed, most);
  }
  if (config.most_compressed != 0) return config.most_compressed;
  return std::min<std::size_t>(kMost, config.peer.decompression_memory_size / 2);
}

Program::Program(const CompressorConfig& config) {
  check(config);
  saved = saved_by(config.mechanism);
  const bool memory = saved == Saved::kMemory;
  grows = memory && !config.whole_memory;
  has_number = memory && config.acknowledgement == Acknowledgement::kNumber;
  asks = saved != Saved::kNothing &&
         (config.acknowledgement == Acknowledgement::kNumber || config.acknowledgement == Acknowledgement::kIdentifier);
  hashes = memory && config.acknowledgement == Acknowledgement::kIdentifier;
  // Messages that are kept besides would have items of state pushed out, or never be used.
  has_shared = config.mechanism == Mechanism::kShared && config.peer.state_memory_size > kSharedMemory;
  shared_has_room = has_shared && config.whole_memory;
  has_zeros = memory && config.whole_memory;
  has_checkpoint = memory && config.checkpoint_every != 0;
  has_free = has_checkpoint || has_shared;
  has_flags = memory && (has_shared || has_checkpoint || config.announce);
  bit_order = config.algorithm == Algorithm::kDeflate ? 5 : 0;  // programs/deflate.udvm: P and F

  const std::size_t end = std::min<std::size_t>(memory_of(config), buffer_end_of(config, *this));
  if (memory_of(config) < kListRoom || end > 65535 || end < kMostProgram + kLeastBuffer) {
    if (memory && config.peer.state_memory_size < kMostProgram + kLeastBuffer) throw no_state_memory();
    throw std::invalid_argument(
        "the peer's decompression_memory_size leaves the decompressor no memory beside a message of most_compressed "
        "octets: 768 are the least");
  }
  buffer_end = static_cast<std::uint16_t>(end);
  std::size_t dictionary_end = 0;
  const std::size_t room = buffer_end - kMostProgram - 1;
  if (memory && config.user_dictionary.size() > room) {
    throw std::invalid_argument("user_dictionary is longer than the peer's circular buffer");
  }
  const std::size_t length =
      dictionary_of(config, saved, room - (memory ? config.user_dictionary.size() : 0), dictionary_end);
  dictionary = sip_sdp_dictionary().value.first(dictionary_end).last(length);

  auto result = assembled(source_of(config, *this, dictionary_end, 0));
  if (const auto* program = std::get_if<assembler::Program>(&result);
      program != nullptr && memory && config.whole_memory && program->names.at("circular_buffer") < kBufferOfThesis) {
    result = assembled(source_of(config, *this, dictionary_end, kBufferOfThesis));
  }
  if (const auto* error = std::get_if<assembler::SourceError>(&result)) {
    throw std::logic_error("the program of the compressor cannot be assembled: " + error->text());
  }
  const auto& program = std::get<assembler::Program>(result);
  const auto message = assembler::upload(program);
  if (const auto* sentence = std::get_if<std::string>(&message)) {
    throw std::logic_error("the program of the compressor cannot be uploaded: " + *sentence);
  }
  const Octets uploaded = assembler::code_of(program);
  code.assign(uploaded.begin(), uploaded.end());
  buffer_begin = static_cast<std::uint16_t>(program.names.at("circular_buffer"));
  load_dictionary = static_cast<std::uint16_t>(program.names.at("load_dictionary"));
  next_message = static_cast<std::uint16_t>(program.names.at("next_message"));
  if (buffer_begin > kMostProgram) throw std::logic_error("the program of the compressor reaches into its buffer");

  if (saved == Saved::kCode && longest_state() + kItemCost > config.peer.state_memory_size &&
      !mutant("sigcomp-state-memory-counted-on")) {
    throw no_state_memory();
  }
  longest_match = longest_match_of(config);
  farthest = config.algorithm == Algorithm::kLzss ? std::min(std::size_t{1} << offset_bits_of(config), buffer() - 1)
                                                  : std::min<std::size_t>(32768, buffer() - 1);
  // No match costs more UDVM cycles than its bits grant (RFC 3320 8.6), and no literal does. So the cycles that there
  // are at the beginning, with those that the header grants, are for what is done with whole pieces of memory.
  const std::size_t state = saved == Saved::kNothing ? 0 : longest_state();
  const std::size_t hashed = hashes ? state : 0;
  if (state + hashed + cycles_to_load(dictionary.size()) + cycles_besides(config, *this) > cycles_at_first(config)) {
    throw std::invalid_argument(
        "the peer's cycles_per_bit is too low to have that much memory saved with every message: with a smaller "
        "`memory` it would do");
  }
}

}  // namespace headroom::sigcomp
