// SPDX-License-Identifier: Apache-2.0
//
// The compressor of a compartment: one interface before every algorithm and mechanism (RFC 3320 4.4; maenpaa-2005,
// 7.6.2). An endpoint has one for each of its compartments, beside the state handler that its decompressor uses:
//
//   CompressorFactory factory(states);
//   states.open(id, 131072);
//   const auto compressor = factory.make({.mechanism = Mechanism::kDynamic}, id);
//   send(compressor->compress(invite));
//   …
//   const Outcome& outcome = decompressor.decompress(datagram, transport);      // what the peer sends
//   if (outcome.kind == Outcome::Kind::kNack) compressor->refused(outcome.nack);
//   if (outcome.kind == Outcome::Kind::kMessage && decompressor.accept(id)) {
//     compressor->heard(received_parts(outcome, decompressor.udvm().completion()));
//   }
//
// Feedback that messages carry for the other direction (RFC 3320 9.4.9, figures 12 and 13) goes through the state
// handler: it returns the peer's feedback item, announces the compartment's items of state, and, if the mechanism is
// shared compression, keeps sent messages as state.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sigcomp/compressor/window.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/message/nack.h"
#include "sigcomp/message/parameters.h"
#include "sigcomp/state/handler.h"

namespace headroom::sigcomp {

struct FactoryState;

enum class Algorithm {
  kLzss,     // the modified LZSS of maenpaa-2005, 7.8.4
  kDeflate,  // RFC 1951
};

// The mechanisms of maenpaa-2005, 9.6. Each one extends the one before it.
enum class Mechanism {
  kStatelessBasic,   // compresses each message by itself and sends the bytecode with it
  kStatefulBasic,    // the peer keeps the bytecode
  kStatelessStatic,  // with the dictionary of RFC 3485
  kStatefulStatic,
  kDynamic,  // compresses against earlier messages (RFC 3321 4.1)
  kShared,   // also compresses against the peer's messages (RFC 3321 5.2)
};

// The way in which the compressor learns that the peer has an item of state. The peer's announcements always count as
// well.
enum class Acknowledgement {
  kNumber,      // each message requests a feedback item of one octet (RFC 3320 9.4.9)
  kIdentifier,  // the bytecode requests six octets of the item's identifier, as in maenpaa-2005 (appendix B)
  kTransport,   // the transport is reliable and in order, so sent messages have arrived (maenpaa-2005, 9.8)
  kOthers,      // the application calls acknowledge()
};

// kShared: selects the peer's message that the next message is compressed against. A turn is the series of messages
// that one side sends between two messages of the other side.
enum class SharedState {
  kNewest,  // "the most recent message it has received" (maenpaa-2005, 7.11)
  // The newest message, but of the peer's first turn the first message. One message of this side's first turn puts the
  // peer's message into the buffer; from the second turn on every message does, even if the buffer has it already. Only
  // with kTransport: a peer that knows that its second message has arrived gives up the first one with its third
  // message, which may be lost.
  kFirstTurnOnce,
};

struct CompressorConfig {
  Algorithm algorithm = Algorithm::kLzss;
  Mechanism mechanism = Mechanism::kDynamic;
  Search search = Search::kHash;
  unsigned offset_bits = 0;  // 12, 13 or 14; 0: as many as the available memory needs
  unsigned length_bits = 6;  // 4, 6 or 8
  // With kStatelessStatic and all later mechanisms: the dictionary has the strings of RFC 3485 with priorities from 1
  // to this one. 0: the whole dictionary with its table, which compresses slightly better than 5.
  unsigned dictionary_priority = 0;
  // kShared: the number of octets, from the beginning of a received message, that the next message is compressed
  // against.
  std::size_t shared_length = 1500;
  // kDynamic and kShared: the number of messages from one checkpoint to the next. A checkpoint is an item of state with
  // the highest retention priority (RFC 3321 5.5). 0: no checkpoints.
  unsigned checkpoint_every = 0;
  // kDynamic and kShared: the user-specific dictionary, which is sent with the first messages and compressed against
  // (RFC 3321 5.4).
  std::vector<std::uint8_t> user_dictionary = {};
  Acknowledgement acknowledgement = Acknowledgement::kNumber;
  // True if messages announce the items of state that the peer has at this endpoint, as in maenpaa-2005 (8.12). kShared
  // always announces the items that it needs.
  bool announce = false;
  // kDynamic and kShared: the peer keeps the whole memory with each message, as in maenpaa-2005, and not only the
  // written part. The circular buffer begins at address 400 (7.9, Figure 29); with kShared, a message of the peer takes
  // shared_length octets of the buffer, however short the message is (9.3); and each message takes eight octets more.
  bool whole_memory = false;
  // The next three options make messages longer. They reproduce the tables of maenpaa-2005 to the octet, although the
  // text mentions neither the first nor the third. Any decompressor restores the messages made with them.
  //
  // The compressor itself has a circular buffer, with the dictionary at its beginning, and compares octets in linear
  // memory: no match crosses the end of the buffer, neither at its source nor at its destination.
  bool linear_buffer = false;
  // kDynamic and kShared: "previous data need to be deleted from the hash map to make room for new data" (9.3) before
  // the message is compressed. No match begins where this message will overwrite the buffer, nor where other messages
  // that went on from the same item of state have overwritten their copies of the buffer.
  bool room_first = false;
  SharedState shared_state = SharedState::kNewest;
  // The limit on the octets of the peer's UDVM memory that are used; 0: all of the memory.
  std::size_t memory = 0;
  // The parameters of this endpoint, announced to the peer in the first messages until one is acknowledged (RFC 3320
  // 3.3.1, 9.4.9).
  std::optional<Parameters> own = {};

  // The parameters that the peer is assumed to offer until its messages announce others.
  Parameters peer = kLeastForSip;
  Transport transport = Transport::kMessages;
  // The length of the longest SigComp message to be made, in octets; 0: as most_compressed_of() returns. Over
  // kMessages, the message takes this length from the decompression memory (RFC 3320 chapter 7).
  std::size_t most_compressed = 0;

  friend bool operator==(const CompressorConfig&, const CompressorConfig&) = default;
};

// Returns offset_bits, or the value chosen for it if it is 0.
[[nodiscard]] unsigned offset_bits_of(const CompressorConfig& config) noexcept;
// Over kMessages: returns most_compressed, or if that is 0, the smaller of 1400, which fits a link of 1500 octets, and
// half the peer's decompression memory. Over kStream: returns the peer's decompression memory, as a longer message is a
// decompression failure (RFC 3320 8.7), or most_compressed if that is less and not 0.
[[nodiscard]] std::size_t most_compressed_of(const CompressorConfig& config) noexcept;

// Each function returns the value for a word of a configuration: "lzss", "deflate"; "stateless-basic",
// "stateful-basic", "stateless-static", "stateful-static", "dynamic", "shared"; "hash", "linear"; "number",
// "identifier", "transport", "others"; "newest", "first-turn-once". Each returns nothing for other words.
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Mechanism> mechanism_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Search> search_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Acknowledgement> acknowledgement_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<SharedState> shared_state_named(std::string_view name) noexcept;

// The parts of a received message that matter to the compressor. The message has been decompressed and accepted for the
// compressor's compartment.
struct ReceivedParts {
  Octets message;              // the decompressed message
  Octets returned_feedback;    // the feedback item including its length octet
  Octets returned_parameters;  // the fields of figure 13, without the octet that ends them
};
[[nodiscard]] inline ReceivedParts received_parts(const Outcome& outcome, const udvm::Completion& completion) noexcept {
  return {outcome.output, outcome.returned_feedback, completion.returned_parameters};
}

// Details of the message compressed last.
struct Sent {
  std::size_t overhead = 0;  // octets in front of the compressed data
  bool uploads = false;      // True if the message uploads bytecode
  Octets refers_to;          // partial identifier in the message's header; empty if the message uploads bytecode
};

class Compressor {
 public:
  // Octets of the longest application message.
  static constexpr std::size_t kMost = udvm::kMostOutput - 1;

  virtual ~Compressor() = default;

  // Returns the SigComp message, valid until the next call of any compressor of the same factory. Returns nothing if
  // `message` is longer than kMost, or the SigComp message would be longer than most_compressed or `room`; the
  // compressor's state is then unchanged. REQUIRES: the caller sends the returned message, because the compressor
  // accounts for the peer's state. Throws std::bad_alloc.
  [[nodiscard]] virtual Octets compress(Octets message, std::size_t room) = 0;
  [[nodiscard]] Octets compress(Octets message) { return compress(message, kMost); }

  // Processes a message of the peer: acknowledgements, parameters, shared state.
  virtual void heard(const ReceivedParts& received) = 0;
  // Records that the peer has the item of state whose identifier begins with `partial`, 6 octets or more. Returns false
  // if there is no usable item with this identifier, or the item is older than the last acknowledged one.
  virtual bool acknowledge(Octets partial) = 0;
  // Processes a NACK: the peer could not decompress a message (RFC 4077). REQUIRES: this compressor has made that
  // message, or the NACK is about the compressor's stream. No other sender may make the compressor give up state.
  virtual void refused(const Nack& nack) = 0;
  // Records that the peer has lost its state: the next messages bring the bytecode again.
  virtual void forget() = 0;

  // Returns the length of the longest SigComp message that the compressor makes now, in octets.
  [[nodiscard]] virtual std::size_t most() const noexcept = 0;
  [[nodiscard]] virtual Sent last() const noexcept = 0;
  // Returns the identifier of the item that the message compressed last creates at the peer, or nullptr if there is no
  // such item, or a message received since then has ended it. May take the time of a hash.
  [[nodiscard]] virtual const Sha1Digest* leaves() noexcept = 0;
  // Returns the octets of memory that only this compartment uses, without those that it shares through the factory.
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;
};

// CompressorFactory makes compressors. Compressors with the same configuration share bytecode, dictionary and search
// memory. A factory and all its compressors belong to one thread.
class CompressorFactory {
 public:
  // `states` is the endpoint's state handler. REQUIRES: `states` outlives the factory. Throws std::runtime_error if
  // SHA-1 is not available (see Sha1).
  explicit CompressorFactory(StateHandler& states);
  ~CompressorFactory();

  // Makes the compressor of the compartment `id`. REQUIRES: the factory outlives the compressor. Throws
  // std::invalid_argument with an explanation if the configuration cannot work.
  [[nodiscard]] std::unique_ptr<Compressor> make(const CompressorConfig& config, CompartmentId id);
  // Returns the octets of memory that the factory's compressors share.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  StateHandler& states_;
  std::unique_ptr<FactoryState> state_;
};

}  // namespace headroom::sigcomp
