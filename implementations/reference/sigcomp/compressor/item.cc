// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/item.h"

#include <algorithm>
#include <array>

#include "mutants.h"

namespace headroom::sigcomp {
namespace {

constexpr std::array<std::uint8_t, 65536> kZeros{};

// Strings one after another, which can be taken from their end.
class Row {
 public:
  explicit Row(std::array<Octets, 3> strings) noexcept : strings_(strings) {}
  // Takes the last `count` octets, or as many as there are: puts the strings that they are in front of `at`, which is
  // moved there. Returns how many octets.
  std::size_t take(std::size_t count, Octets*& at) noexcept {
    std::size_t taken = 0;
    for (std::size_t i = strings_.size(); i-- > 0;) {
      Octets& string = strings_[i];
      const std::size_t piece = std::min(string.size(), count - taken);
      *--at = string.last(piece);
      string = string.first(string.size() - piece);
      taken += piece;
    }
    return taken;
  }

 private:
  std::array<Octets, 3> strings_;
};

}  // namespace

ItemNames::ItemNames(const Program& program, Sha1& sha1)
    : program_(&program), sha1_(&sha1), front_(std::size_t{program.buffer_begin} - Program::kRegisters) {
  store16(front_.data(), program.buffer_begin);
  store16(front_.data() + 2, program.buffer_end);
  store16(front_.data() + 4, program.bit_order);
  std::copy(program.code.begin(), program.code.end(), front_.begin() + (Program::kCode - Program::kRegisters));
}

// What END-MESSAGE of a message has the peer keep: programs/end.udvm.
Sha1Digest ItemNames::name_of(const Item& item, Octets older, Octets newer) noexcept {
  const Program& program = *program_;
  store16(front_.data() + 6, static_cast<std::uint16_t>(program.buffer_begin + item.pointer));
  const std::size_t end = item.part ? program.buffer_begin + item.pointer : program.buffer_end;
  const std::uint16_t next = item.part ? program.load_dictionary : program.next_message;
  if (program.grows) {
    store16(front_.data() + 8, static_cast<std::uint16_t>(end));
    store16(front_.data() + 10, next);
  }
  std::array<std::uint8_t, 8> fields;
  store16(fields.data(), static_cast<std::uint16_t>(end - Program::kRegisters));
  store16(fields.data() + 2, Program::kRegisters);
  store16(fields.data() + 4, next);
  store16(fields.data() + 6, kLeastIdentifier);
  // The buffer from its beginning: what was written since the pointer was there last, what has never been written, and
  // what was written before.
  std::array<Octets, 2 + 3 + 1 + 3> pieces;
  pieces[0] = fields;
  pieces[1] = front_;
  Row text({program.dictionary, older, newer});
  Octets* at = &pieces[5];
  const std::size_t written = text.take(item.pointer, at);
  if (item.part) return (*sha1_)(std::span(pieces).first(5));
  at = pieces.data() + pieces.size();
  const std::size_t before = mutant("sigcomp-name-of-the-last-round") ? 0 : text.take(program.buffer() - written, at);
  pieces[5] = Octets(kZeros).first(program.buffer() - written - before);
  return (*sha1_)(std::span<const Octets>(pieces));
}

}  // namespace headroom::sigcomp
