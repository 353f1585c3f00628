// SPDX-License-Identifier: Apache-2.0
//
// What each instruction reads and writes, for the verifier: RFC 3320 chapter 9, instruction by instruction. Wherever
// the interpreter would fail, nothing needs to be right: no round comes of it.
#include "sigcomp/udvm/operand.h"
#include "sigcomp/udvm/verifier.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::uint32_t kRegisters = 72;  // octets from 0 to the end of the UDVM registers, figure 7

}  // namespace

class Verifier::Reader {
 public:
  struct Operand {
    std::uint16_t value = 0;
    bool in_memory = false;
    std::uint16_t address = 0;  // of the value, where it is in memory
  };

  // Its octets decide, so nothing is good any more when one is marked.
  Reader(Verifier& verifier, const Memory& memory, std::uint32_t pc) noexcept
      : verifier_(verifier), memory_(memory), at_(pc + 1), good_(verifier.decides(pc, 1)) {}

  [[nodiscard]] bool good() const noexcept { return good_ && at_ <= memory_.size(); }

  Operand multitype() noexcept { return operand(kMultitypeEncodings); }
  Operand reference() noexcept { return operand(kReferenceEncodings); }
  std::uint16_t literal() noexcept { return operand(kLiteralEncodings).value; }

  // True if memory[address] is a word of the memory that does not wrap round.
  [[nodiscard]] bool is_word(std::uint32_t address) const noexcept { return address + 1 < memory_.size(); }
  [[nodiscard]] bool are_octets(std::uint64_t address, std::uint64_t length) const noexcept {
    return address + length <= memory_.size();
  }
  [[nodiscard]] std::uint16_t word(std::uint32_t address) const noexcept { return load16(memory_.data() + address); }
  [[nodiscard]] CopyBounds bounds() const noexcept { return {word(kByteCopyLeft), word(kByteCopyRight)}; }

 private:
  Operand operand(const Encodings& encodings) noexcept {
    if (!good()) return {};
    // After the memory there is room for an operand that ends beyond it; good() finds that.
    const Encoding& e = encodings[memory_.data()[at_]];
    if (!e.valid()) {
      good_ = false;
      return {};
    }
    const std::uint16_t integer = integer_of(e, memory_.data() + at_);
    good_ = verifier_.decides(at_, e.length);
    at_ += e.length;
    if (!good()) return {};
    if (!e.in_memory) return {integer, false, 0};
    if (!is_word(integer)) {
      good_ = false;
      return {};
    }
    return {word(integer), true, integer};
  }

  Verifier& verifier_;
  const Memory& memory_;
  std::uint32_t at_;
  bool good_;
};

bool Verifier::follow(const Memory& memory, std::uint16_t pc) noexcept {
  if (memory.size() < kRegisters || pc >= memory.size()) return false;
  Reader r(*this, memory, pc);
  const auto opcode = static_cast<Opcode>(memory.data()[pc]);
  // An operand that decides.
  const auto decisive = [&](const Reader::Operand& operand) {
    return r.good() && (!operand.in_memory || decides(operand.address, 2));
  };
  const auto all_decisive = [&](unsigned count) {
    while (count-- > 0) {
      if (!decisive(r.multitype())) return false;
    }
    return true;
  };
  const auto bounds_decide = [&] { return decides(kByteCopyLeft, 4); };
  // memory[at] decides, and so does the place that it says.
  const auto word_decides = [&](std::uint32_t at) { return r.is_word(at) && decides(at, 2); };

  // Each case ends with whether the instruction can be part of a round; `r` is after its operands then.
  const bool possible = [&] {
    switch (opcode) {
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kNot:
      case Opcode::kLshift:
      case Opcode::kRshift:
      case Opcode::kAdd:
      case Opcode::kSubtract:
      case Opcode::kMultiply:
      case Opcode::kDivide:
      case Opcode::kRemainder:
        return follow_alter(r, opcode);
      case Opcode::kSortAscending:
      case Opcode::kSortDescending:
        return follow_sort(r);
      case Opcode::kSha1: {
        const auto position = r.multitype();
        const auto length = r.multitype();
        const auto destination = r.multitype();
        if (!decisive(position) || !decisive(length) || !decisive(destination) || !bounds_decide()) return false;
        const CopyBounds bounds = r.bounds();
        write(destination.value, 20, is_marked(position.value, length.value, bounds), bounds);
        return true;
      }
      case Opcode::kLoad:
        return follow_load(r);
      case Opcode::kMultiload:
        return follow_multiload(r);
      case Opcode::kPush:
      case Opcode::kCall: {
        const auto operand = r.multitype();
        if (!r.good() || !word_decides(kStackLocation)) return false;
        if (opcode == Opcode::kCall && !decisive(operand)) return false;
        const std::uint16_t location = r.word(kStackLocation);
        if (!word_decides(location)) return false;
        const auto slot = static_cast<std::uint16_t>(location + 2 * r.word(location) + 2);
        if (!r.is_word(slot)) return false;
        write(slot, 2, opcode == Opcode::kPush && operand.in_memory && is_marked(operand.address, 2));
        write(location, 2, false);
        return true;
      }
      case Opcode::kPop:
      case Opcode::kReturn: {
        const auto destination = opcode == Opcode::kPop ? r.multitype() : Reader::Operand{};
        if (!decisive(destination) || !word_decides(kStackLocation)) return false;
        const std::uint16_t location = r.word(kStackLocation);
        if (!word_decides(location)) return false;
        const auto slot = static_cast<std::uint16_t>(location + 2 * (r.word(location) - 1) + 2);
        if (!r.is_word(slot)) return false;
        write(location, 2, false);
        if (opcode == Opcode::kReturn) return decides(slot, 2);
        if (!r.is_word(destination.value)) return false;
        write(destination.value, 2, is_marked(slot, 2));
        return true;
      }
      case Opcode::kCopy:
      case Opcode::kCopyLiteral:
      case Opcode::kCopyOffset:
        return follow_copy(r, opcode);
      case Opcode::kMemset: {
        const auto address = r.multitype();
        const auto length = r.multitype();
        const auto start = r.multitype();
        const auto offset = r.multitype();
        if (!decisive(address) || !decisive(length) || !bounds_decide()) return false;
        const bool marked =
            (start.in_memory && is_marked(start.address, 2)) || (offset.in_memory && is_marked(offset.address, 2));
        write(address.value, length.value, marked, r.bounds());
        return true;
      }
      case Opcode::kJump:
        return all_decisive(1);
      case Opcode::kCompare:
        return follow_compare(r);
      case Opcode::kSwitch: {
        const std::uint16_t count = r.literal();
        return r.good() && all_decisive(1U + count);
      }
      case Opcode::kCrc: {
        const auto value = r.multitype();
        const auto position = r.multitype();
        const auto length = r.multitype();
        return decisive(value) && decisive(position) && decisive(length) && all_decisive(1) && bounds_decide() &&
               decides(position.value, length.value, r.bounds());
      }
      // Without input, or what has been taken is none: they go elsewhere, or write what they write in every round.
      case Opcode::kInputBytes:
        return all_decisive(3) && bounds_decide();
      case Opcode::kInputBits:
      case Opcode::kInputHuffman: {
        if (opcode == Opcode::kInputBits && !all_decisive(1)) return false;
        const auto destination = r.multitype();
        if (!decisive(destination) || !all_decisive(1) || !decides(kInputBitOrder, 2)) return false;
        if (opcode == Opcode::kInputHuffman) {
          const std::uint16_t sets = r.literal();
          if (!r.good() || !all_decisive(4U * sets)) return false;
        }
        forget_counters(destination.value, 2);
        return true;
      }
      case Opcode::kStateAccess: {
        const auto identifier = r.multitype();
        const auto length = r.multitype();
        if (!decisive(identifier) || !decisive(length) || !all_decisive(4) || !bounds_decide()) return false;
        counters_.clear();  // what is written, and where, is the same in each round, but is not known here
        return decides(identifier.value, length.value, r.bounds());
      }
      case Opcode::kOutput:
        return all_decisive(2) && bounds_decide();
      // What ends the message, and requests, of which there are few.
      case Opcode::kDecompressionFailure:
      case Opcode::kStateCreate:
      case Opcode::kStateFree:
      case Opcode::kEndMessage:
        return false;
    }
    return false;  // no instruction
  }();
  return possible && r.good();
}

// memory[at] becomes the result of memory[at] and the second operand.
bool Verifier::follow_alter(Reader& r, Opcode opcode) noexcept {
  const auto first = r.reference();
  const auto second = opcode == Opcode::kNot ? Reader::Operand{} : r.multitype();
  if (!r.good()) return false;
  // The divisor decides whether there is a division by zero.
  if ((opcode == Opcode::kDivide || opcode == Opcode::kRemainder) && second.in_memory && !decides(second.address, 2)) {
    return false;
  }
  const bool second_is_marked = second.in_memory && is_marked(second.address, 2);
  const bool counts = opcode == Opcode::kAdd || opcode == Opcode::kSubtract;
  if (phase_ == Phase::kSearch) {
    if (counts) note_word(first.address);
    return true;
  }
  const Counter* const known = counter_at(first.address);
  std::optional<Counter> counter;
  if (counts && known != nullptr && !second_is_marked) {
    counter = *known;
    const int step = opcode == Opcode::kAdd ? second.value : -second.value;
    counter->offset = static_cast<std::uint16_t>(counter->offset + step);
  }
  write(first.address, 2, is_marked(first.address, 2) || second_is_marked);
  if (counter) counters_.add(*counter);
  return true;
}

bool Verifier::follow_load(Reader& r) noexcept {
  const auto address = r.multitype();
  const auto value = r.multitype();
  if (!r.good() || !r.is_word(address.value) || (address.in_memory && !decides(address.address, 2))) return false;
  const bool marked = value.in_memory && is_marked(value.address, 2);
  std::optional<Counter> counter;
  if (const Counter* const known = value.in_memory ? counter_at(value.address) : nullptr; known != nullptr) {
    counter = Counter{address.value, known->base, known->offset};
  }
  write(address.value, 2, marked);
  if (counter && phase_ == Phase::kProve && !counters_.full()) counters_.add(*counter);
  return true;
}

// Later words may be copies of earlier ones (RFC 4896 3.2). The octets that are written are none of the instruction's
// own, or it fails.
bool Verifier::follow_multiload(Reader& r) noexcept {
  const auto address = r.multitype();
  const std::uint16_t count = r.literal();
  if (!r.good() || (address.in_memory && !decides(address.address, 2))) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto value = r.multitype();
    const auto to = static_cast<std::uint16_t>(address.value + 2 * i);
    if (!r.good() || !r.is_word(to)) return false;
    write(to, 2, value.in_memory && is_marked(value.address, 2));
  }
  return true;
}

bool Verifier::follow_copy(Reader& r, Opcode opcode) noexcept {
  const auto position = r.multitype();
  const auto length = r.multitype();
  const auto destination = opcode == Opcode::kCopy ? r.multitype() : r.reference();
  if (!r.good()) return false;
  for (const auto& operand : {position, length, destination}) {
    if (operand.in_memory && !decides(operand.address, 2)) return false;
  }
  if (!decides(kByteCopyLeft, 4)) return false;
  const CopyBounds bounds = r.bounds();
  const std::uint16_t to = destination.value;
  const std::uint16_t from = opcode == Opcode::kCopyOffset ? bounds.before(to, position.value) : position.value;
  if (phase_ == Phase::kProve) {
    forget_counters(to, length.value, bounds);
    if (!marks_.copy(from, length.value, to, bounds)) return false;
  }
  if (opcode != Opcode::kCopy && length.value > 0) write(destination.address, 2, false);
  return true;
}

bool Verifier::follow_compare(Reader& r) noexcept {
  const Reader::Operand values[] = {r.multitype(), r.multitype()};
  Reader::Operand addresses[3];
  for (auto& address : addresses) {
    address = r.multitype();
    if (!r.good() || (address.in_memory && !decides(address.address, 2))) return false;
  }
  if (addresses[0].value == addresses[1].value && addresses[1].value == addresses[2].value) return true;
  for (unsigned i = 0; i < 2; ++i) {
    const auto& value = values[i];
    if (!value.in_memory) continue;
    if (phase_ == Phase::kSearch) {
      note_word(value.address);
      for (unsigned octet = 0; octet < 2; ++octet) {
        std::uint8_t& mark = marks_.data()[value.address + octet];
        if (mark == 0) mark = kCompared;
      }
      continue;
    }
    if (!is_marked(value.address, 2)) continue;
    const auto& other = values[1 - i];
    const Counter* const counter = counter_at(value.address);
    if (counter == nullptr || conditions_.full() || (other.in_memory && is_marked(other.address, 2))) return false;
    // That it is less than the other value, equal to it or greater is so as long as it lies between these.
    Condition condition{counter->base, counter->offset, other.value, other.value};
    if (value.value < other.value) {
      condition.lowest = 0;
      condition.highest = static_cast<std::uint16_t>(other.value - 1);
    } else if (value.value > other.value) {
      condition.lowest = static_cast<std::uint16_t>(other.value + 1);
      condition.highest = 65535;
    }
    conditions_.add(condition);
  }
  return true;
}

// Words of other lists are put in the order of those of the first.
bool Verifier::follow_sort(Reader& r) noexcept {
  const auto start = r.multitype();
  const auto lists = r.multitype();
  const auto words = r.multitype();
  if (!r.good()) return false;
  for (const auto& operand : {start, lists, words}) {
    if (operand.in_memory && !decides(operand.address, 2)) return false;
  }
  const std::uint64_t octets = std::uint64_t{2} * lists.value * words.value;
  if (!r.are_octets(start.value, octets)) return false;
  if (octets > 0) {
    const auto length = static_cast<std::uint32_t>(octets);
    write(start.value, length, is_marked(start.value, length));
  }
  return true;
}

}  // namespace headroom::sigcomp::udvm
