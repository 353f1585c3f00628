// SPDX-License-Identifier: Apache-2.0
//
// The decompressor dispatcher (RFC 3320 4.2 and 4.3). It takes SigComp messages from a transport, has the UDVM
// decompress them, and passes their state requests to the state handler once the application has accepted them.
//
//   const Outcome& outcome = decompressor.decompress(datagram, Transport::kMessages);
//   if (outcome.kind == Outcome::Kind::kMessage && application.authenticates(outcome.output)) decompressor.accept(id);
#pragma once

#include "sigcomp/message/header.h"
#include "sigcomp/message/nack.h"
#include "sigcomp/message/parameters.h"
#include "sigcomp/state/handler.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp {

// The kind of transport, which determines the size of the UDVM's memory (RFC 3320 chapter 7).
enum class Transport {
  kMessages,  // UDP, SCTP: decompression_memory_size - n for a message of n octets
  kStream,    // TCP: decompression_memory_size / 2; RecordReader delimits the messages
};

// Returns the octets of UDVM memory for a message of `message` octets. REQUIRES: message <= decompression_memory_size.
[[nodiscard]] std::uint32_t udvm_memory_size(std::uint32_t decompression_memory_size, Transport transport,
                                             std::size_t message) noexcept;

struct DecompressorConfig {
  std::uint16_t cycles_per_bit = kLeastForSip.cycles_per_bit;
  std::uint32_t decompression_memory_size = kLeastForSip.decompression_memory_size;  // octets
  std::uint8_t version = kVersionWithNack;  // SigComp_version; with kVersionBasic NACKs are neither sent nor understood

  // Limits beyond RFC 3320 that protect against hostile bytecode (udvm/work.h, udvm/verifier.h).
  // The units of work that a message may take for each available UDVM cycle; 0: no limit. Useful bytecode takes little
  // more than 1 unit per cycle; the most that any instruction takes is 29.
  std::uint32_t work_per_cycle = 4;
  std::uint64_t most_work = 0;  // limit on the units of work of one message, independent of its cycles; 0: no limit
  bool verify = true;           // True if the verifier stops endless loops
  bool keep_decoded = true;     // see keep_decoded in udvm::Run
};

// The outcome of decompressing a message. All octets stay valid until the next message is decompressed, even if the
// message itself is gone; only `nack.details` points into the message.
struct Outcome {
  enum class Kind {
    kMessage,     // decompressed: `output` is for the application
    kNoOutput,    // decompressed without executing an OUTPUT instruction: the application gets nothing
    kNack,        // a NACK: `nack` is for the compressor that sent the message it names
    kIgnored,     // a NACK that is too short; it gets no answer
    kNotSigComp,  // not a SigComp message: passed to the application unchanged if both share a port (RFC 5049 5)
    kFailure,     // decompression failure: `failure`
  };
  Kind kind = Kind::kNotSigComp;
  Octets output;
  std::uint64_t cycles = 0;  // UDVM cycles used
  std::uint64_t work = 0;    // work that decompression has taken, in units of udvm/work.h
  bool is_endless = false;   // the verifier stopped the program; its failure is kCyclesExhausted, as without it
  Octets returned_feedback;  // the feedback item including its length octet; empty if the message has none
  Nack nack;
  Failure failure;
};

class Decompressor {
 public:
  // REQUIRES: `states` outlives the decompressor. Throws std::invalid_argument with an explanation if the configuration
  // is outside of 3.3.1, and std::runtime_error if SHA-1 is not available (see Sha1).
  Decompressor(const DecompressorConfig& config, StateHandler& states);

  // Decompresses one whole message. `trace`, if given, is called for each instruction.
  const Outcome& decompress(Octets message, Transport transport, udvm::Trace* trace = nullptr) noexcept;

  // Accepts the last decompressed message for the compartment `id`, which the application has determined, and carries
  // out the message's state requests. Returns false if there was no message, it has been accepted already, or there is
  // no such compartment.
  bool accept(CompartmentId id);

  // Returns the NACK that answers the failure of `message`, which must be the last decompressed message. Returns
  // nothing if it did not fail or the SigComp version is 1. The octets are valid until the next call.
  [[nodiscard]] Octets nack(Octets message) noexcept;
  // Returns the NACK that answers a framing error of a stream (RFC 4077 3.2, code 25); nothing in version 1.
  [[nodiscard]] Octets framing_nack() noexcept;

  // Returns the outcome of the last decompressed message.
  [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }
  [[nodiscard]] const udvm::Udvm& udvm() const noexcept { return udvm_; }
  [[nodiscard]] const DecompressorConfig& config() const noexcept { return config_; }

 private:
  // The load functions return kNone, or the reason for the decompression failure.
  [[nodiscard]] Reason load(const Header& header, std::uint32_t memory_size, std::uint16_t& start) noexcept;
  [[nodiscard]] Reason load_state(Octets partial, std::uint16_t& start) noexcept;
  [[nodiscard]] Reason load_code(const Header& header, std::uint16_t& start) noexcept;
  void set_useful_values(std::size_t partial_identifier, std::size_t state_length) noexcept;
  [[nodiscard]] Reason too_large() noexcept;
  [[nodiscard]] std::uint64_t most_work(const Header& header) const noexcept;
  const Outcome& fail(Reason reason) noexcept;

  DecompressorConfig config_;
  StateHandler& states_;
  udvm::Udvm udvm_;
  Outcome outcome_;
  bool acceptable_ = false;
  // A copy of the message's returned feedback item, as the message may be gone when it is accepted.
  std::array<std::uint8_t, kMostFeedbackItem> returned_feedback_{};
  std::array<std::uint8_t, kMostNack> nack_{};
};

}  // namespace headroom::sigcomp
