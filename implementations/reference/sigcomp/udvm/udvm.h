// SPDX-License-Identifier: Apache-2.0
//
// The Universal Decompressor Virtual Machine: RFC 3320 chapters 8 and 9.
//
// One instance serves one message after another; it has all its memory (about 490 kB) from the beginning, except for
// state values that END-MESSAGE gathers from a circular buffer, and the verifier's, which the first suspicious program
// brings (260 kB). Every message is hostile: reads and writes are checked against the memory's size, and the time that
// a message takes is bounded by its UDVM cycles, by its work (work.h), and by the verifier, which ends loops that lead
// nowhere.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sigcomp/message/reason.h"
#include "sigcomp/sha1.h"
#include "sigcomp/udvm/code.h"
#include "sigcomp/udvm/completion.h"
#include "sigcomp/udvm/input.h"
#include "sigcomp/udvm/memory.h"
#include "sigcomp/udvm/sort.h"
#include "sigcomp/udvm/verifier.h"

namespace headroom::sigcomp::udvm {

inline constexpr std::uint32_t kMostOutput = 65536;  // RFC 3320 9.4.8

// Watches instructions as they are about to be executed.
class Trace {
 public:
  virtual ~Trace() = default;
  // `pc` lies in the memory; `cycles` is how many have been used so far.
  virtual void instruction(const Memory& memory, std::uint16_t pc, std::uint64_t cycles) = 0;
};

struct Run {
  Octets input;              // the remaining SigComp message
  std::uint64_t cycles = 0;  // available at the beginning: (1000 + bits of the header) * cycles_per_bit, 8.6
  std::uint16_t cycles_per_bit = 16;
  std::uint16_t start = 0;              // address of the first instruction
  const StateSource* states = nullptr;  // nullptr: there are none
  Trace* trace = nullptr;               // does not see what the verifier leaves out
  std::uint64_t most_work = 0;          // beyond it the message fails as if its cycles had ended; 0: no limit (work.h)
  bool verify = true;
  bool keep_decoded = true;  // false: take each instruction apart whenever it is executed; for tests to compare with
};

class Udvm {
 public:
  // Throws std::runtime_error as Sha1 does.
  Udvm();
  // Its memory knows where its code is.
  Udvm(const Udvm&) = delete;
  Udvm& operator=(const Udvm&) = delete;

  // To be reset and filled with code and Useful Values before each run.
  [[nodiscard]] Memory& memory() noexcept { return memory_; }
  [[nodiscard]] const Memory& memory() const noexcept { return memory_; }

  // Runs until END-MESSAGE (true) or decompression failure (false, see failure()).
  bool run(const Run& run) noexcept;

  // About the last run.
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t cycles_used() const noexcept { return cycles_used_; }
  // What has really been done, in units of work.h: without the rounds that were left out, with what it took to watch.
  [[nodiscard]] std::uint64_t work() const noexcept { return work_; }
  // Whether the verifier has found that the program goes round until its cycles end. Then it has failed as it would
  // have without the verifier: with the same reason, instruction and number of cycles. Only output() differs: what the
  // rounds that were left out would have written is zeros, and what comes behind may be of an earlier round.
  [[nodiscard]] bool is_endless() const noexcept { return is_endless_; }
  // Whether an OUTPUT instruction was met: "there is technically a difference between outputting a 0-byte decompressed
  // message, and not outputting a decompressed message at all" (9.4.8).
  [[nodiscard]] bool has_output() const noexcept { return has_output_; }
  [[nodiscard]] Octets output() const noexcept { return {output_.get(), output_length_}; }
  // After run() has returned true.
  [[nodiscard]] const Completion& completion() const noexcept { return completion_; }

  [[nodiscard]] Sha1& sha1() noexcept { return sha1_; }

 private:
  // Where a program stands. Cycles that are left are `spare` and `reserve` together; it pauses when the former is used
  // up, which is how often run() looks at it.
  struct Position {
    std::uint32_t pc = 0;
    std::uint64_t available = 0;  // cycles in all, so far
    std::uint64_t spare = 0;
    std::uint64_t reserve = 0;
    std::uint64_t begun = 0;   // cycles that had been used when it went on after the last pause
    std::uint64_t needed = 0;  // cycles of the instruction that it has paused at
    bool is_watched = false;   // by the verifier
    // The instruction at `pc` has been seen by the tracer (the verifier) already, before the pause.
    bool is_traced = false;
    bool is_followed = false;
    [[nodiscard]] std::uint64_t left() const noexcept { return spare + reserve; }
    [[nodiscard]] std::uint64_t used() const noexcept { return available - left(); }
  };
  enum class Stop { kEnded, kFailed, kPaused };

  // Executes instructions until one of these happens. With kObserved, tracer and verifier see each of them.
  template <bool kObserved>
  Stop execute(const Run& run, Position& position) noexcept;
  // Before an instruction: false when the program is to pause in front of it.
  [[nodiscard]] bool observe(const Run& run, Position& position) noexcept;
  // When a program has gone on for a while without input: has the verifier watch, if it is time to.
  void suspect(Position& position) noexcept;
  [[nodiscard]] Situation situation(const Position& position) const noexcept;
  // Leaves out the rounds that do nothing but use up cycles or room for output. False when there may be others.
  [[nodiscard]] bool leave_out(const Proof& proof, Position& position) noexcept;

  // Idioms: false, and nothing has been done, where the instructions are to be executed one by one.
  [[nodiscard]] bool emit_octet(const Instruction& i, std::uint64_t& spare) noexcept;
  [[nodiscard]] bool emit_match(const Instruction& i, std::uint64_t& spare) noexcept;
  void copy_match(std::uint32_t from, std::uint32_t length, std::uint32_t to, std::uint8_t* output) noexcept;
  // Reads codes, with `code` and what it goes on to, and emits what they stand for, as long as nothing is in the way
  // and there are cycles and input. False when it has done none; otherwise the next instruction is `code` again.
  [[nodiscard]] bool emit_codes(const Instruction& code, const Run& run, Position& position) noexcept;

  // The parts of instructions that are seldom or long. Each returns kNone or why decompression failed, and may have set
  // the details of failure_.
  [[nodiscard]] Reason output(std::uint16_t from, std::uint16_t length, CopyBounds bounds) noexcept;
  [[nodiscard]] Reason hash(std::uint16_t from, std::uint16_t length, std::uint16_t to, CopyBounds bounds) noexcept;
  [[nodiscard]] Reason crc(std::uint16_t from, std::uint16_t length, CopyBounds bounds, std::uint16_t& value) noexcept;
  [[nodiscard]] Reason find_state(const Run& run, std::uint16_t from, std::uint16_t length, CopyBounds bounds,
                                  const StateItem*& item) noexcept;
  [[nodiscard]] Reason request_creation(const std::array<std::uint16_t, 5>& operands) noexcept;
  [[nodiscard]] Reason request_free(std::uint16_t from, std::uint16_t length) noexcept;
  [[nodiscard]] Reason end_message(const std::array<std::uint16_t, 7>& operands, CopyBounds bounds) noexcept;
  [[nodiscard]] Reason resolve_requests(CopyBounds bounds) noexcept;
  [[nodiscard]] Reason take_feedback(std::uint16_t requested, std::uint16_t returned) noexcept;

  Code code_;
  Memory memory_{&code_};
  Input input_;
  Sorter sorter_;
  Sha1 sha1_;
  std::unique_ptr<std::uint8_t[]> output_;   // kMostOutput octets, and kShort that may be written, too
  std::unique_ptr<std::uint8_t[]> scratch_;  // kMostMemory octets, for what byte copying gathers
  std::size_t output_length_ = 0;
  bool has_output_ = false;
  std::uint64_t cycles_used_ = 0;
  std::uint64_t work_ = 0;
  bool is_endless_ = false;
  std::unique_ptr<Verifier> verifier_;
  std::uint64_t watched_ = 0;  // what watching this message has taken, in instructions
  Failure failure_;
  Completion completion_;
  // Where the octets of each request lie, until END-MESSAGE copies them: address and length.
  struct Place {
    std::uint16_t address;
    std::uint16_t length;
  };
  std::array<Place, kMostCreations + kMostFrees> places_{};
  std::array<std::vector<std::uint8_t>, kMostCreations + kMostFrees> gathered_;
};

}  // namespace headroom::sigcomp::udvm
