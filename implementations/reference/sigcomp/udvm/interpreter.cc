// SPDX-License-Identifier: Apache-2.0
//
// The loop: gets an instruction and the values of all its operands, charges its cycles (RFC 3320 8.6, figure 11) and
// does it. In the order of chapter 9; what takes more than a few lines stands in instructions.cc and requests.cc.
#include <algorithm>

#include "sigcomp/udvm/emit.h"
#include "sigcomp/udvm/fetch.h"
#include "sigcomp/udvm/many_operands.h"
#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/stack.h"
#include "sigcomp/udvm/udvm.h"
#include "sigcomp/udvm/work.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::uint8_t code_of(Opcode opcode) noexcept { return static_cast<std::uint8_t>(opcode); }

}  // namespace

template <bool kObserved>
Udvm::Stop Udvm::execute(const Run& run, Position& position) noexcept {
  const std::uint32_t size = memory_.size();
  std::uint8_t* const memory = memory_.data();
  // Local, so that they live in registers; the others change seldom.
  std::uint32_t pc = position.pc;
  std::uint64_t spare = position.spare;

  const auto stop = [&](Stop how) {
    position.pc = pc;
    position.spare = spare;
    return how;
  };
  const auto fail = [&](Reason reason, std::uint8_t opcode) {
    failure_.reason = reason;
    failure_.opcode = opcode;
    failure_.pc = static_cast<std::uint16_t>(pc);
    return stop(Stop::kFailed);
  };

  // "If the next instruction to be executed lies outside the available memory then decompression failure occurs."
  if (pc >= size) [[unlikely]]
    return fail(Reason::kSegfault, 0);
  Instruction* current = &code_.at(memory, size, pc);
  for (;;) {
    if constexpr (kObserved) {
      stop(Stop::kPaused);
      if (!observe(run, position)) return Stop::kPaused;
      current = &code_.at(memory, size, pc);  // rounds that are left out may have changed it
    }
    const Instruction& decoded = *current;
    const std::uint8_t opcode = decoded.opcode;
    // It lives in registers as long as nothing has its address: what is not inlined gets another.
    Fetch f(decoded, memory, size, code_);
    std::uint32_t next = 0;  // where to go on; what is beyond the memory is SEGFAULT of this instruction

    // Returns true if all operands are good and the instruction can be paid for; if not, f.trouble says why. An
    // instruction that has not been paid for has changed nothing, so it can begin again after a pause.
    const auto pay = [&](std::uint64_t cost) __attribute__((always_inline)) {
      if (!f.good()) [[unlikely]]
        return false;
      if (cost > spare) [[unlikely]] {
        position.needed = cost;
        f.trouble = Reason::kCyclesExhausted;
        return false;
      }
      spare -= cost;
      return true;
    };
    // Brings the next pause nearer: for instructions that are more work than cycles.
    const auto work = [&](std::uint64_t more) {
      const std::uint64_t moved = std::min(spare, more);
      spare -= moved;
      position.reserve += moved;
      work_ += more;
    };
    // "the number of available UDVM cycles is increased by n * cycles_per_bit once the instruction has been executed"
    const auto grant = [&](std::uint64_t bits) __attribute__((always_inline)) {
      position.reserve += bits * run.cycles_per_bit;
      position.available += bits * run.cycles_per_bit;
    };
    // 9.1.1 and 9.1.2: a word is overwritten with the result.
    const auto alter = [&](auto result) __attribute__((always_inline)) {
      const std::uint16_t at = f.reference();
      const std::uint32_t first = f.word(at);
      const std::uint32_t second = f.multitype();
      if (pay(1)) f.store(at, static_cast<std::uint16_t>(result(first, second)));
      next = f.end();
    };
    const auto divide = [&](auto result) __attribute__((always_inline)) {
      alter([&](std::uint32_t m, std::uint32_t n) -> std::uint32_t {
        if (n != 0) return result(m, n);
        f.trouble = Reason::kDivByZero;
        return m;
      });
    };

    switch (decoded.action) {
      case code_of(Opcode::kDecompressionFailure):
        if (pay(1)) f.trouble = Reason::kUserRequested;
        break;

      // ---- 9.1 Mathematical instructions
      case code_of(Opcode::kAnd):
        alter([](std::uint32_t m, std::uint32_t n) { return m & n; });
        break;
      case code_of(Opcode::kOr):
        alter([](std::uint32_t m, std::uint32_t n) { return m | n; });
        break;
      case code_of(Opcode::kNot): {
        const std::uint16_t at = f.reference();
        const std::uint16_t value = f.word(at);
        if (pay(1)) f.store(at, static_cast<std::uint16_t>(~value));
        next = f.end();
        break;
      }
      case code_of(Opcode::kLshift):
        alter([](std::uint32_t m, std::uint32_t n) { return n < 16 ? m << n : 0; });
        break;
      case code_of(Opcode::kRshift):
        alter([](std::uint32_t m, std::uint32_t n) { return n < 16 ? m >> n : 0; });
        break;
      case code_of(Opcode::kAdd):
        alter([](std::uint32_t m, std::uint32_t n) { return m + n; });
        break;
      case code_of(Opcode::kSubtract):
        alter([](std::uint32_t m, std::uint32_t n) { return m - n; });
        break;
      case code_of(Opcode::kMultiply):
        alter([](std::uint32_t m, std::uint32_t n) { return m * n; });
        break;
      case code_of(Opcode::kDivide):
        divide([](std::uint32_t m, std::uint32_t n) { return m / n; });
        break;
      case code_of(Opcode::kRemainder):
        divide([](std::uint32_t m, std::uint32_t n) { return m % n; });
        break;
      case code_of(Opcode::kSortAscending):
      case code_of(Opcode::kSortDescending): {
        const std::uint16_t start = f.multitype();
        const std::uint16_t n = f.multitype();
        const std::uint16_t k = f.multitype();
        next = f.end();
        if (!pay(Sorter::cost(n, k))) break;
        if (start + 2 * std::uint64_t{n} * k > size) {
          f.trouble = Reason::kSegfault;
        } else {
          code_.written(start, 2U * n * k);
          sorter_.sort(memory_.data() + start, n, k, static_cast<Opcode>(opcode) == Opcode::kSortDescending);
        }
        break;
      }
      case code_of(Opcode::kSha1): {
        const std::uint16_t from = f.multitype();
        const std::uint16_t length = f.multitype();
        const std::uint16_t destination = f.multitype();
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (!pay(1 + std::uint64_t{length})) break;
        f.trouble = hash(from, length, destination, bounds);
        work(kWorkOfSha1);
        break;
      }

      // ---- 9.2 Memory management instructions
      case kEmitMatch:
        if constexpr (!kObserved) {
          if (emit_match(decoded, spare)) {
            next = decoded.integers[EmitMatch::kNext];
            break;
          }
        }
        [[fallthrough]];
      case code_of(Opcode::kLoad): {
        const std::uint16_t address = f.multitype();
        const std::uint16_t value = f.multitype();
        next = f.end();
        if (pay(1)) f.store(address, value);
        break;
      }
      case code_of(Opcode::kMultiload): {
        const std::uint16_t address = f.multitype();
        const std::uint16_t n = f.literal();
        if (!pay(1 + std::uint64_t{n})) break;
        if (decoded.is_complete) {
          Fetch operands(decoded, memory, size, code_, 2);
          multiload(operands, pc, f.end(), address, n);
          f.trouble = operands.trouble;
        } else {
          FetchFromMemory ahead(memory, size, code_, f.end());
          for (std::uint32_t i = 0; i < n && ahead.good(); ++i) ahead.skip_multitype();
          FetchFromMemory operands(memory, size, code_, f.end());
          operands.trouble = ahead.good() ? Reason::kNone : ahead.trouble;
          if (operands.good()) multiload(operands, pc, ahead.end(), address, n);
          f.trouble = operands.trouble;
          f.set_end(ahead.end());
        }
        next = f.end();
        break;
      }
      case code_of(Opcode::kPush): {
        const std::uint16_t value = f.multitype();
        next = f.end();
        if (pay(1)) push(f, value);
        break;
      }
      case code_of(Opcode::kPop): {
        const std::uint16_t address = f.multitype();
        next = f.end();
        if (!pay(1)) break;
        const std::uint16_t value = pop(f);
        if (f.trouble == Reason::kNone) f.store(address, value);
        break;
      }
      case code_of(Opcode::kCopy): {
        const std::uint16_t from = f.multitype();
        const std::uint16_t length = f.multitype();
        const std::uint16_t destination = f.multitype();
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (pay(1 + std::uint64_t{length}) && !memory_.copy(from, length, destination, bounds)) {
          f.trouble = Reason::kSegfault;
        }
        break;
      }
      case code_of(Opcode::kCopyLiteral):
      case code_of(Opcode::kCopyOffset): {
        std::uint16_t from = f.multitype();
        const std::uint16_t length = f.multitype();
        const std::uint16_t at = f.reference();
        const std::uint16_t destination = f.word(at);
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (!pay(1 + std::uint64_t{length})) break;
        if (static_cast<Opcode>(opcode) == Opcode::kCopyOffset) from = bounds.before(destination, from);
        const auto end = memory_.copy(from, length, destination, bounds);
        if (!end) {
          f.trouble = Reason::kSegfault;
        } else if (length > 0) {
          f.store(at, *end);
        }
        break;
      }
      case code_of(Opcode::kMemset): {
        const std::uint16_t address = f.multitype();
        const std::uint16_t length = f.multitype();
        const std::uint16_t start = f.multitype();
        const std::uint16_t offset = f.multitype();
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (pay(1 + std::uint64_t{length}) && !memory_.write_sequence(address, length, static_cast<std::uint8_t>(start),
                                                                      static_cast<std::uint8_t>(offset), bounds)) {
          f.trouble = Reason::kSegfault;
        }
        break;
      }

      // ---- 9.3 Program flow instructions
      case code_of(Opcode::kJump):
        next = f.address(pc);
        pay(1);
        break;
      case code_of(Opcode::kCompare): {
        const std::uint16_t value_1 = f.multitype();
        const std::uint16_t value_2 = f.multitype();
        const std::uint16_t less = f.address(pc);
        const std::uint16_t equal = f.address(pc);
        const std::uint16_t greater = f.address(pc);
        next = value_1 < value_2 ? less : value_1 == value_2 ? equal : greater;
        pay(1);
        break;
      }
      case code_of(Opcode::kCall):
        next = f.address(pc);
        if (pay(1)) push(f, static_cast<std::uint16_t>(f.end()));
        break;
      case code_of(Opcode::kReturn):
        if (pay(1)) next = pop(f);
        break;
      case code_of(Opcode::kSwitch): {
        const std::uint16_t n = f.literal();
        const std::uint16_t j = f.multitype();
        if (!pay(1 + std::uint64_t{n})) break;
        const auto choose = [&](auto& operands) {
          for (std::uint32_t i = 0; i < n && operands.good(); ++i) {
            const std::uint16_t address = operands.address(pc);
            if (i == j) next = address;
          }
        };
        if (decoded.is_complete) {
          Fetch operands(decoded, memory, size, code_, 2);
          choose(operands);
          f.trouble = operands.trouble;
        } else {
          FetchFromMemory operands(memory, size, code_, f.end());
          choose(operands);
          (void)operands.good();
          f.trouble = operands.trouble;
        }
        if (f.good() && j >= n) f.trouble = Reason::kSwitchValueTooHigh;
        break;
      }
      case code_of(Opcode::kCrc): {
        const std::uint16_t value = f.multitype();
        const std::uint16_t from = f.multitype();
        const std::uint16_t length = f.multitype();
        const std::uint16_t otherwise = f.address(pc);
        const CopyBounds bounds = f.bounds();
        if (!pay(1 + std::uint64_t{length})) break;
        std::uint16_t computed = 0;
        f.trouble = crc(from, length, bounds, computed);
        next = computed == value ? f.end() : otherwise;
        break;
      }

      // ---- 9.4 I/O instructions
      case code_of(Opcode::kInputBytes): {
        const std::uint16_t length = f.multitype();
        const std::uint16_t destination = f.multitype();
        const std::uint16_t otherwise = f.address(pc);
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (!pay(1 + std::uint64_t{length})) break;
        const auto octets = input_.bytes(length);
        if (!octets) {
          next = otherwise;
        } else if (memory_.write(destination, *octets, bounds)) {
          grant(8U * std::uint64_t{length});
        } else {
          f.trouble = Reason::kSegfault;
        }
        break;
      }
      case kReadMatch:  // by itself, it is no more than its first instruction
      case code_of(Opcode::kInputBits): {
        const std::uint16_t length = f.multitype();
        const std::uint16_t destination = f.multitype();
        const std::uint16_t otherwise = f.address(pc);
        next = f.end();
        const std::uint16_t order = f.word(kInputBitOrder);
        if (!pay(1)) break;
        if (order > kMostBitOrder) {
          f.trouble = Reason::kBadInputBitorder;
        } else if (length > kMostBits) {
          f.trouble = Reason::kTooManyBitsRequested;
        } else {
          input_.set_p(order & kPBit);
          if (length > input_.bits_left()) {
            next = otherwise;
          } else {
            f.store(destination, input_.bits(length, (order & kFBit) != 0));
            grant(length);
          }
        }
        break;
      }
      case kReadCode:
        if constexpr (!kObserved) {
          position.spare = spare;
          if (emit_codes(decoded, run, position)) {
            spare = position.spare;
            next = pc;
            break;
          }
        }
        [[fallthrough]];
      case code_of(Opcode::kInputHuffman): {
        const std::uint16_t destination = f.multitype();
        const std::uint16_t otherwise = f.address(pc);
        const std::uint16_t n = f.literal();
        if (!pay(1 + std::uint64_t{n})) break;
        next = f.end();
        if (n == 0) break;  // "if n = 0 then the INPUT-HUFFMAN instruction is ignored"
        const std::uint16_t order = f.word(kInputBitOrder);
        if (order > kMostBitOrder && f.trouble == Reason::kNone) f.trouble = Reason::kBadInputBitorder;
        if (f.trouble != Reason::kNone) break;
        input_.set_p(order & kPBit);
        Huffman found;
        if (const std::uint16_t* const values = f.values(); values != nullptr) [[likely]] {
          Values operands(values);
          found = input_huffman(operands, input_, (order & kHBit) != 0, n);
          f.trouble = operands.trouble;
        } else if (decoded.is_complete) {
          Fetch operands(decoded, memory, size, code_, 3);
          found = input_huffman(operands, input_, (order & kHBit) != 0, n);
          f.trouble = operands.trouble;
        } else {
          FetchFromMemory operands(memory, size, code_, f.end());
          found = input_huffman(operands, input_, (order & kHBit) != 0, n);
          f.trouble = operands.trouble;
          f.set_end(operands.end());
        }
        if (found.matched) {
          next = f.end();
          if (f.good()) f.store(destination, found.value);
          grant(found.taken);
        } else {
          next = otherwise;
        }
        break;
      }
      case code_of(Opcode::kStateAccess): {
        const std::uint16_t identifier = f.multitype();
        const std::uint16_t identifier_length = f.multitype();
        const std::uint16_t begin = f.multitype();
        std::uint16_t length = f.multitype();
        std::uint16_t address = f.multitype();
        std::uint16_t instruction = f.multitype();
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (!f.good()) break;
        if (length == 0 && begin != 0) {
          f.trouble = Reason::kInvalidStateProbe;
          break;
        }
        const StateItem* item = nullptr;
        f.trouble = find_state(run, identifier, identifier_length, bounds, item);
        if (f.trouble != Reason::kNone) break;
        if (length == 0) length = static_cast<std::uint16_t>(item->value.size());
        if (address == 0) address = item->header.address;
        if (instruction == 0) instruction = item->header.instruction;
        if (!pay(1 + std::uint64_t{length})) break;
        if (std::size_t{begin} + length > item->value.size()) {
          f.trouble = Reason::kStateTooShort;
          break;
        }
        failure_.details_length = 0;
        work(kWorkOfStateAccess);
        if (!memory_.write(address, Octets(item->value).subspan(begin, length), bounds)) f.trouble = Reason::kSegfault;
        if (instruction != 0) next = instruction;
        break;
      }
      case code_of(Opcode::kStateCreate): {
        std::array<std::uint16_t, 5> operands;
        for (auto& operand : operands) operand = f.multitype();
        next = f.end();
        if (pay(1 + std::uint64_t{operands[0]})) f.trouble = request_creation(operands);
        break;
      }
      case code_of(Opcode::kStateFree): {
        const std::uint16_t from = f.multitype();
        const std::uint16_t length = f.multitype();
        next = f.end();
        if (pay(1)) f.trouble = request_free(from, length);
        break;
      }
      case kEmitOctet:
        if constexpr (!kObserved) {
          if (emit_octet(decoded, spare)) {
            next = decoded.integers[EmitOctet::kNext];
            break;
          }
        }
        [[fallthrough]];
      case code_of(Opcode::kOutput): {
        const std::uint16_t start = f.multitype();
        const std::uint16_t length = f.multitype();
        next = f.end();
        const CopyBounds bounds = f.bounds();
        if (pay(1 + std::uint64_t{length})) f.trouble = output(start, length, bounds);
        break;
      }
      case code_of(Opcode::kEndMessage): {
        std::array<std::uint16_t, 7> operands;
        for (auto& operand : operands) operand = f.multitype();
        const CopyBounds bounds = f.bounds();
        if (!pay(1 + std::uint64_t{operands[2]})) break;
        f.trouble = end_message(operands, bounds);
        if (f.trouble != Reason::kNone) break;
        return stop(Stop::kEnded);
      }
      default:
        f.trouble = Reason::kInvalidOpcode;
        break;
    }

    if (f.trouble != Reason::kNone) [[unlikely]] {
      if (f.trouble == Reason::kCyclesExhausted && position.needed <= spare + position.reserve) {
        position.is_traced = position.is_followed = true;
        return stop(Stop::kPaused);
      }
      return fail(f.trouble, opcode);
    }
    if (next >= size) [[unlikely]] {
      // An instruction that ends where the memory does is done; the next one is what lies outside.
      if (next != f.end()) return fail(Reason::kSegfault, opcode);
      pc = next;
      return fail(Reason::kSegfault, 0);
    }
    pc = next;
    current = &code_.after(*current, memory, size, pc);
  }
}

template Udvm::Stop Udvm::execute<false>(const Run&, Position&) noexcept;
template Udvm::Stop Udvm::execute<true>(const Run&, Position&) noexcept;

}  // namespace headroom::sigcomp::udvm
