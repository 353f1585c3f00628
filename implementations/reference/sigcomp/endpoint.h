// SPDX-License-Identifier: Apache-2.0
//
// Endpoint is a SigComp endpoint (RFC 3320 chapter 4): the decompressor dispatcher, the state handler and one
// compressor for each compartment, behind the interface of headroom_messages.h. Endpoint passes feedback in received
// messages to the compressor of their compartment, answers decompression failures with NACKs, and passes each received
// NACK to the compressor that made the message it names (RFC 4077).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cxx/reverse_queue.h"
#include "headroom_messages.h"
#include "sigcomp/compressor/compressor.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/guard/config.h"
#include "sigcomp/sent_messages.h"
#include "sigcomp/state/handler.h"
#include "sigcomp/stream.h"

namespace headroom::sigcomp {

struct CompartmentConfig {
  std::uint32_t state_memory_size = kLeastForSip.state_memory_size;  // octets that this endpoint offers to the peer
  CompressorConfig compressor;
};

// The options that a configuration sets explicitly. Options that are not set follow from what the two sides offer, for
// the whole endpoint or for a compartment.
struct ExplicitSettings {
  bool mechanism = false;
  std::optional<bool> tell_parameters;
  bool sip = false;  // both sides offer at least the minima of RFC 5049 4
};

struct EndpointConfig {
  DecompressorConfig decompressor;
  Transport transport = Transport::kMessages;
  std::uint32_t most_compartments = 1024;
  bool sip_sdp = true;                 // True if the dictionary of RFC 3485 is locally available
  bool presence = true;                // True if the dictionary of RFC 5112 is locally available
  CompartmentConfig compartment;       // used by open() calls without settings of their own
  ExplicitSettings explicit_settings;  // used for compartments that are opened with settings
  // Limits for each source. The source of a message is its compartment, or the sender in headroom_packet.source as long
  // as the message has no compartment.
  GuardConfig guard = {};
};

struct EndpointCounters {
  static constexpr std::size_t kKinds = HEADROOM_MESSAGE_FAILED + 1;
  static constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kFramingError) + 1;

  std::uint64_t compressed = 0;
  std::uint64_t uploads = 0;       // compressed messages that carry bytecode
  std::uint64_t uncompressed = 0;  // messages that could not be compressed
  std::array<std::uint64_t, kKinds> received{};
  std::array<std::uint64_t, kReasons> failures{};
  std::uint64_t cycles = 0;
  std::uint64_t work = 0;     // in units of udvm/work.h
  std::uint64_t endless = 0;  // messages whose bytecode the verifier stopped
  std::uint64_t accepted = 0;
  std::uint64_t nacks_sent = 0;
  std::uint64_t nacks_followed = 0;
  std::uint64_t nacks_unknown = 0;  // received NACKs that name no remembered message
};

class Endpoint {
 public:
  // Throws std::invalid_argument with an explanation if the configuration cannot work, and std::runtime_error if SHA-1
  // is not available (see Sha1).
  explicit Endpoint(const EndpointConfig& config);

  // ---- Compartments. Throws std::invalid_argument with a sentence when it cannot be opened.
  void open(std::uint32_t id, const CompartmentConfig& config);
  void open(std::uint32_t id) { open(id, config_.compartment); }
  bool close(std::uint32_t id);
  // Starts the compartment's stream anew, for a transport connection that has been replaced. Returns false if there is
  // no such compartment.
  bool restart_stream(std::uint32_t id);
  // Report to the compressor what the application learned outside of messages: acknowledge() that the peer has the item
  // of state that begins with `partial`, forget() that the peer has lost its state. Both return false if there is no
  // such compartment.
  bool acknowledge(std::uint32_t id, Octets partial);
  bool forget(std::uint32_t id);

  // ---- Messages: each returns the headroom_status of the packet, whose out_length it sets.
  [[nodiscard]] std::int32_t compress(headroom_packet& packet);
  [[nodiscard]] std::int32_t decompress(headroom_packet& packet, std::uint64_t now_ns);
  // True if the stream that decompress() continued last has unread octets. next() then decompresses the next message of
  // this stream into a record of `drain`, or returns false if no message is complete.
  [[nodiscard]] bool has_more() const noexcept { return unfinished_ != HEADROOM_NO_SESSION; }
  [[nodiscard]] bool next(headroom_packet& packet, std::uint64_t now_ns);
  [[nodiscard]] bool accept(std::uint32_t id);
  // Moves waiting NACKs into `packets` and returns their number, as `take_reverse` of the ABI does.
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    return nacks_.take(packets, count, HEADROOM_REVERSE_FAR);
  }
  // Returns details about the message whose outcome was returned last.
  [[nodiscard]] headroom_message_detail detail() const noexcept;

  [[nodiscard]] const EndpointConfig& config() const noexcept { return config_; }
  [[nodiscard]] const EndpointCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] const StateHandler& states() const noexcept { return states_; }
  [[nodiscard]] const AdmissionCounters& admission() const noexcept { return admission_.counters(); }
  // Returns the octets of memory in use: state, compressors, and everything of fixed size.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Compartment {
    std::uint32_t opening = 0;  // number of this opening, as SentMessages uses it
    std::unique_ptr<Compressor> compressor;
    std::optional<StreamReceiver> receiver;  // on a stream
    std::vector<std::uint8_t> rest;          // octets of the stream, from `taken` on not yet read
    std::size_t taken = 0;                   // octets of `rest` that have been read
  };

  [[nodiscard]] Compartment* compartment(std::uint32_t id);
  // Returns the status of the next message of the compartment's stream, or nothing if no message is complete.
  [[nodiscard]] std::optional<std::int32_t> read_stream(Compartment& c, headroom_packet& packet);
  [[nodiscard]] std::int32_t finish(const Outcome& outcome, Octets message, headroom_packet& packet);
  [[nodiscard]] std::int32_t pass_on(Octets output, headroom_packet& packet) noexcept;
  void take_nack(const Nack& nack, std::uint32_t channel);
  void charge(std::uint64_t work, bool failed);
  void begin_detail(headroom_message_kind kind, std::uint32_t compartment) noexcept;
  void note_item(headroom_message_detail& detail) const noexcept;
  void settle_detail() noexcept;
  void note_header(Octets message) noexcept;
  void note_failure(const Failure& failure) noexcept;

  EndpointConfig config_;
  StateHandler states_;
  Decompressor decompressor_;
  Admission admission_;
  // State of the message that is being processed:
  std::uint64_t now_ns_ = 0;
  SourceId source_ = 0;
  bool acceptable_ = false;                         // its state requests have not been carried out yet
  std::uint32_t unfinished_ = HEADROOM_NO_SESSION;  // the compartment whose stream has_more() is about
  CompressorFactory factory_;
  std::unordered_map<std::uint32_t, Compartment> compartments_;
  std::uint32_t openings_ = 0;
  SentMessages sent_;
  ReverseQueue<2 * kMostNack> nacks_;
  mutable Sha1 sha1_;
  std::vector<std::uint8_t> record_;
  headroom_message_detail detail_{};
  // The compressor that made the message of detail_, as long as detail_ lacks the identifier of the item of state that
  // the message creates; nullptr otherwise. Computing this identifier is expensive, so it is done only when detail() is
  // called, or before the compressor changes.
  Compressor* unnamed_ = nullptr;
  bool completed_ = false;  // True if the UDVM still has the completion of the message that detail_ is about
  EndpointCounters counters_;
};

}  // namespace headroom::sigcomp
