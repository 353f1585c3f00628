// SPDX-License-Identifier: Apache-2.0
//
// The decompressor dispatcher: RFC 3320 4.2 and 4.3. It takes SigComp messages from a transport, has the UDVM
// decompress them, and passes to the state handler what the application permits.
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

// RFC 3320 chapter 7: the transport decides on the size of the UDVM's memory.
enum class Transport {
  kMessages,  // UDP, SCTP: decompression_memory_size - n for a message of n octets
  kStream,    // TCP: decompression_memory_size / 2; RecordReader delimits the messages
};

// Octets of UDVM memory for a message of `message` octets. REQUIRES: message <= decompression_memory_size.
[[nodiscard]] std::uint32_t udvm_memory_size(std::uint32_t decompression_memory_size, Transport transport,
                                             std::size_t message) noexcept;

struct DecompressorConfig {
  std::uint16_t cycles_per_bit = kLeastForSip.cycles_per_bit;
  std::uint32_t decompression_memory_size = kLeastForSip.decompression_memory_size;  // octets
  std::uint8_t version = kVersionWithNack;  // SigComp_version; with kVersionBasic there are no NACKs, in or out

  // What goes beyond RFC 3320 against hostile bytecode (udvm/work.h, udvm/verifier.h).
  // Units of work that a message may take for each UDVM cycle that it could get; 0: no limit. Whatever is of use takes
  // little more than 1; the most that an instruction can take is 29.
  std::uint32_t work_per_cycle = 4;
  std::uint64_t most_work = 0;  // of one message, whatever its cycles; 0: no limit
  bool verify = true;           // have the verifier end loops that lead nowhere
  bool keep_decoded = true;     // udvm::Run
};

// What became of a message. Octets stay valid until the next one, whatever becomes of the message's own; only the
// details of `nack` lie in the message.
struct Outcome {
  enum class Kind {
    kMessage,     // decompressed: `output` is for the application
    kNoOutput,    // decompressed, and no OUTPUT instruction was met: nothing is for the application
    kNack,        // a NACK: `nack` is for the compressor that sent the message it names
    kIgnored,     // a NACK that is too short; it is never answered
    kNotSigComp,  // no message of SigComp's; for the application as it is, where both share a port (RFC 5049 5)
    kFailure,     // decompression failure: `failure`
  };
  Kind kind = Kind::kNotSigComp;
  Octets output;
  std::uint64_t cycles = 0;  // UDVM cycles used
  std::uint64_t work = 0;    // what it has really taken, in units of udvm/work.h
  bool is_endless = false;   // the verifier has ended it: kCyclesExhausted, as it would have been in the end
  Octets returned_feedback;  // the item, with the octet that tells its length; empty when there is none
  Nack nack;
  Failure failure;
};

class Decompressor {
 public:
  // `states` outlives the decompressor. Throws std::invalid_argument with a sentence for a configuration beyond 3.3.1,
  // std::runtime_error as Sha1 does.
  Decompressor(const DecompressorConfig& config, StateHandler& states);

  // Decompresses one whole message. `trace` sees each instruction.
  const Outcome& decompress(Octets message, Transport transport, udvm::Trace* trace = nullptr) noexcept;

  // The application has recognised the message decompressed last as one of this compartment: what it asks of the state
  // handler happens. False when there was none, it has been accepted already, or there is no such compartment.
  bool accept(CompartmentId id);

  // The NACK that answers the failure of `message`, the one decompressed last, or nothing: when it did not fail, or in
  // version 1. Valid until the next call.
  [[nodiscard]] Octets nack(Octets message) noexcept;
  // The one that answers a stream with a framing error (RFC 4077 3.2, 25); nothing in version 1.
  [[nodiscard]] Octets framing_nack() noexcept;

  // Of the message decompressed last.
  [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }
  [[nodiscard]] const udvm::Udvm& udvm() const noexcept { return udvm_; }
  [[nodiscard]] const DecompressorConfig& config() const noexcept { return config_; }

 private:
  // Each returns kNone or why there is a failure.
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
  // The message may be gone when it is accepted: what it brings back is copied.
  std::array<std::uint8_t, kMostFeedbackItem> returned_feedback_{};
  std::array<std::uint8_t, kMostNack> nack_{};
};

}  // namespace headroom::sigcomp
