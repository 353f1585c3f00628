// SPDX-License-Identifier: Apache-2.0
//
// A SigComp endpoint: RFC 3320 chapter 4. The decompressor dispatcher, the state handler and a compressor for each
// compartment, put together as the ABI has it (headroom_messages.h): what messages say to the compressors reaches
// them, failures are answered with NACKs, and NACKs reach the compressor whose message they name (RFC 4077).
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
  std::uint32_t state_memory_size = kLeastForSip.state_memory_size;  // octets that this endpoint offers
  CompressorConfig compressor;
};

// What a configuration says itself. The rest follows from what the two sides offer, of the endpoint or of a
// compartment.
struct Said {
  bool mechanism = false;
  std::optional<bool> tell_parameters;
  bool sip = false;  // both sides offer at least the minima of RFC 5049 4
};

struct EndpointConfig {
  DecompressorConfig decompressor;
  Transport transport = Transport::kMessages;
  std::uint32_t most_compartments = 1024;
  bool sip_sdp = true;            // locally available: the dictionary of RFC 3485
  bool presence = true;           // and that of RFC 5112
  CompartmentConfig compartment;  // unless open() gets other settings
  Said said;                      // for compartments opened with settings
  // A source is a compartment; before there is one, the sender in headroom_packet.source.
  GuardConfig guard = {};
};

struct EndpointCounters {
  static constexpr std::size_t kKinds = HEADROOM_MESSAGE_FAILED + 1;
  static constexpr std::size_t kReasons = static_cast<std::size_t>(Reason::kFramingError) + 1;

  std::uint64_t compressed = 0;
  std::uint64_t uploads = 0;       // of these with bytecode
  std::uint64_t uncompressed = 0;  // what could not be compressed
  std::array<std::uint64_t, kKinds> received{};
  std::array<std::uint64_t, kReasons> failures{};
  std::uint64_t cycles = 0;
  std::uint64_t work = 0;     // in units of udvm/work.h
  std::uint64_t endless = 0;  // messages that the verifier has ended
  std::uint64_t accepted = 0;
  std::uint64_t nacks_sent = 0;
  std::uint64_t nacks_followed = 0;
  std::uint64_t nacks_unknown = 0;  // about no message that is remembered
};

class Endpoint {
 public:
  // Throws std::invalid_argument with a sentence for a configuration that cannot work, std::runtime_error as Sha1 does.
  explicit Endpoint(const EndpointConfig& config);

  // ---- Compartments. Throws std::invalid_argument with a sentence when it cannot be opened.
  void open(std::uint32_t id, const CompartmentConfig& config);
  void open(std::uint32_t id) { open(id, config_.compartment); }
  bool close(std::uint32_t id);
  // The transport of a compartment has been replaced: its stream begins anew. False when there is no such compartment.
  bool restart_stream(std::uint32_t id);
  // What the application learns by other ways than messages; both are false when there is no such compartment.
  bool acknowledge(std::uint32_t id, Octets partial);
  bool forget(std::uint32_t id);

  // ---- Messages: each returns the headroom_status of the packet, whose out_length it sets.
  [[nodiscard]] std::int32_t compress(headroom_packet& packet);
  [[nodiscard]] std::int32_t decompress(headroom_packet& packet, std::uint64_t now_ns);
  // Octets are left of the stream that decompress() has continued last: next() may make a message of them. It fills a
  // record of `drain`, or returns false where no message is complete.
  [[nodiscard]] bool has_more() const noexcept { return unfinished_ != HEADROOM_NO_SESSION; }
  [[nodiscard]] bool next(headroom_packet& packet, std::uint64_t now_ns);
  [[nodiscard]] bool accept(std::uint32_t id);
  // NACKs, as `take_reverse` has them.
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    return nacks_.take(packets, count, HEADROOM_REVERSE_FAR);
  }
  // About the message whose outcome was returned last.
  [[nodiscard]] headroom_message_detail detail() const noexcept;

  [[nodiscard]] const EndpointConfig& config() const noexcept { return config_; }
  [[nodiscard]] const EndpointCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] const StateHandler& states() const noexcept { return states_; }
  [[nodiscard]] const AdmissionCounters& admission() const noexcept { return admission_.counters(); }
  // State, what compressors keep, and everything of fixed size.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Compartment {
    std::uint32_t opening = 0;  // of SentMessages
    std::unique_ptr<Compressor> compressor;
    std::optional<StreamReceiver> receiver;  // on a stream
    std::vector<std::uint8_t> rest;          // octets of the stream that are not all taken yet
    std::size_t taken = 0;                   // of them
  };

  [[nodiscard]] Compartment* compartment(std::uint32_t id);
  // The status of the next message of a stream; nothing when none is complete.
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
  // Of the message at hand:
  std::uint64_t now_ns_ = 0;
  SourceId source_ = 0;
  bool acceptable_ = false;                         // what it asks of the state handler has not been carried out
  std::uint32_t unfinished_ = HEADROOM_NO_SESSION;  // the compartment of has_more()
  CompressorFactory factory_;
  std::unordered_map<std::uint32_t, Compartment> compartments_;
  std::uint32_t openings_ = 0;
  SentMessages sent_;
  ReverseQueue<2 * kMostNack> nacks_;
  mutable Sha1 sha1_;
  std::vector<std::uint8_t> record_;
  headroom_message_detail detail_{};
  // Of the message that detail_ is about, while that lacks the identifier of the item that it leaves. Computing it
  // takes a while, so it is done when detail() is asked for, or before anything happens to the compressor.
  Compressor* unnamed_ = nullptr;
  bool completed_ = false;  // detail_ is about a message whose completion the UDVM has
  EndpointCounters counters_;
};

}  // namespace headroom::sigcomp
