// SPDX-License-Identifier: Apache-2.0
//
// The Universal Decompressor Virtual Machine: RFC 3320 chapters 8 and 9.
//
// One instance decompresses one message after another. It allocates all its memory (about 490 kB) at construction,
// except for state values that END-MESSAGE gathers from a circular buffer, and the verifier's memory (260 kB), which is
// allocated for the first suspicious program. Every message is treated as hostile: reads and writes are checked against
// the size of the memory, and the time that a message takes is bounded by its UDVM cycles, by its work (work.h), and by
// the verifier, which stops endless loops.
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

// Trace observes each instruction before it is executed.
class Trace {
 public:
  virtual ~Trace() = default;
  // `pc` is the instruction's address, which lies in the memory; `cycles` is the number of cycles used so far.
  virtual void instruction(const Memory& memory, std::uint16_t pc, std::uint64_t cycles) = 0;
};

struct Run {
  Octets input;              // the remaining SigComp message
  std::uint64_t cycles = 0;  // cycles available at the beginning: (1000 + bits of the header) * cycles_per_bit, 8.6
  std::uint16_t cycles_per_bit = 16;
  std::uint16_t start = 0;              // address of the first instruction
  const StateSource* states = nullptr;  // nullptr: there are no states
  Trace* trace = nullptr;               // is not called for instructions that the verifier skips
  std::uint64_t most_work = 0;          // work beyond which the message fails as if out of cycles; 0: no limit (work.h)
  bool verify = true;
  bool keep_decoded = true;  // false: decode each instruction whenever it is executed, for comparison in tests
};

class Udvm {
 public:
  // Throws std::runtime_error if SHA-1 is not available (see Sha1).
  Udvm();
  // Not copyable, as the memory points to the code.
  Udvm(const Udvm&) = delete;
  Udvm& operator=(const Udvm&) = delete;

  // Returns the memory, which the caller resets and fills with code and Useful Values before each run.
  [[nodiscard]] Memory& memory() noexcept { return memory_; }
  [[nodiscard]] const Memory& memory() const noexcept { return memory_; }

  // Runs the program. Returns true after END-MESSAGE, and false after a decompression failure (see failure()).
  bool run(const Run& run) noexcept;

  // Return details of the last run.
  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t cycles_used() const noexcept { return cycles_used_; }
  // Returns the work done, in units of work.h: without skipped rounds of a loop, and including the verifier's own work.
  [[nodiscard]] std::uint64_t work() const noexcept { return work_; }
  // True if the verifier has proved that the program loops until its cycles end. The run has then failed as it would
  // have without the verifier: with the same reason, instruction and number of cycles. Only output() differs: output of
  // skipped rounds is zeros, and the octets after it may be from an earlier round.
  [[nodiscard]] bool is_endless() const noexcept { return is_endless_; }
  // True if an OUTPUT instruction was executed: "there is technically a difference between outputting a 0-byte
  // decompressed message, and not outputting a decompressed message at all" (9.4.8).
  [[nodiscard]] bool has_output() const noexcept { return has_output_; }
  [[nodiscard]] Octets output() const noexcept { return {output_.get(), output_length_}; }
  // Returns the completion of the last run. Valid if run() returned true.
  [[nodiscard]] const Completion& completion() const noexcept { return completion_; }

  [[nodiscard]] Sha1& sha1() noexcept { return sha1_; }

 private:
  // The state of a running program. The cycles left are `spare` plus `reserve`; the program pauses when `spare` is used
  // up, so `spare` determines how often run() inspects the program.
  struct Position {
    std::uint32_t pc = 0;
    std::uint64_t available = 0;  // cycles granted so far
    std::uint64_t spare = 0;
    std::uint64_t reserve = 0;
    std::uint64_t begun = 0;   // cycles used when the program resumed after the last pause
    std::uint64_t needed = 0;  // cycles of the instruction that the program has paused at
    bool is_watched = false;   // True if the verifier watches the program
    // True if the tracer (is_traced) or the verifier (is_followed) has seen the instruction at `pc` already, before the
    // pause.
    bool is_traced = false;
    bool is_followed = false;
    [[nodiscard]] std::uint64_t left() const noexcept { return spare + reserve; }
    [[nodiscard]] std::uint64_t used() const noexcept { return available - left(); }
  };
  enum class Stop { kEnded, kFailed, kPaused };

  // Executes instructions until the program ends, fails or pauses. With kObserved, tracer and verifier see each
  // instruction.
  template <bool kObserved>
  Stop execute(const Run& run, Position& position) noexcept;
  // Shows the next instruction to tracer and verifier. Returns false if the program is to pause in front of it.
  [[nodiscard]] bool observe(const Run& run, Position& position) noexcept;
  // Checks a program that has run for a while without reading input: lets the verifier watch the program if it is time
  // to.
  void suspect(Position& position) noexcept;
  [[nodiscard]] Situation situation(const Position& position) const noexcept;
  // Skips rounds of a loop that only use up cycles or room for output. Returns false if other rounds may exist.
  [[nodiscard]] bool leave_out(const Proof& proof, Position& position) noexcept;

  // The emit functions execute an idiom. Each returns false, and does nothing, if the instructions must be executed one
  // by one.
  [[nodiscard]] bool emit_octet(const Instruction& i, std::uint64_t& spare) noexcept;
  [[nodiscard]] bool emit_match(const Instruction& i, std::uint64_t& spare) noexcept;
  void copy_match(std::uint32_t from, std::uint32_t length, std::uint32_t to, std::uint8_t* output) noexcept;
  // Reads codes with the instruction `code` and the idioms behind it, and emits the octets that the codes stand for, as
  // long as no obstacle occurs and cycles and input suffice. Returns false if no code was read; otherwise the next
  // instruction is `code` again.
  [[nodiscard]] bool emit_codes(const Instruction& code, const Run& run, Position& position) noexcept;

  // Functions for the parts of instructions that are rare or long. Each returns kNone or the reason for the
  // decompression failure, and may set the details of failure_.
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
  std::unique_ptr<std::uint8_t[]> output_;   // kMostOutput octets, and kShort more that may be overwritten
  std::unique_ptr<std::uint8_t[]> scratch_;  // kMostMemory octets, for strings gathered by byte copying
  std::size_t output_length_ = 0;
  bool has_output_ = false;
  std::uint64_t cycles_used_ = 0;
  std::uint64_t work_ = 0;
  bool is_endless_ = false;
  std::unique_ptr<Verifier> verifier_;
  std::uint64_t watched_ = 0;  // instructions that the verifier has watched in this message
  Failure failure_;
  Completion completion_;
  // The address and length of the octets of each request, until END-MESSAGE copies the octets.
  struct Place {
    std::uint16_t address;
    std::uint16_t length;
  };
  std::array<Place, kMostCreations + kMostFrees> places_{};
  std::array<std::vector<std::uint8_t>, kMostCreations + kMostFrees> gathered_;
};

}  // namespace headroom::sigcomp::udvm
