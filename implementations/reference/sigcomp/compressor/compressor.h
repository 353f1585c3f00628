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
//     compressor->heard(heard_from(outcome, decompressor.udvm().completion()));
//   }
//
// What messages carry for the other direction (RFC 3320 9.4.9, figures 12 and 13) goes through the state handler: the
// peer's feedback item is returned, items of state of the compartment are announced, and what is sent is kept as state
// where the mechanism is shared compression.
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

struct Workshop;

enum class Algorithm {
  kLzss,     // the modified LZSS of maenpaa-2005, 7.8.4
  kDeflate,  // RFC 1951
};

// maenpaa-2005, 9.6: each does what the ones before it do, and more.
enum class Mechanism {
  kStatelessBasic,   // each message by itself, with the bytecode
  kStatefulBasic,    // the peer keeps the bytecode
  kStatelessStatic,  // with the dictionary of RFC 3485
  kStatefulStatic,
  kDynamic,  // against earlier messages (RFC 3321 4.1)
  kShared,   // also against what the peer has sent (RFC 3321 5.2)
};

// How the compressor learns that the peer has an item of state. Announcements of the peer count in any case.
enum class Acknowledgement {
  kNumber,      // a feedback item of one octet is asked for with each message (RFC 3320 9.4.9)
  kIdentifier,  // the bytecode asks for six octets of the item's identifier, as maenpaa-2005 does (appendix B)
  kTransport,   // it is reliable and keeps order: what has been sent has arrived (maenpaa-2005, 9.8)
  kOthers,      // the application tells, by acknowledge()
};

// kShared: which message of the peer the next one is compressed against. A turn is what one side sends between two
// messages of the other.
enum class SharedState {
  kNewest,  // "the most recent message it has received" (maenpaa-2005, 7.11)
  // The newest; but of the peer's first turn it is the first one. One message of this side's first turn puts it into
  // the buffer, and from the second turn on every message does, also where the buffer has it. With kTransport only: a
  // peer that knows its second message to have arrived gives up the first with its third, which may be lost.
  kFirstTurnOnce,
};

struct CompressorConfig {
  Algorithm algorithm = Algorithm::kLzss;
  Mechanism mechanism = Mechanism::kDynamic;
  Search search = Search::kHash;
  unsigned offset_bits = 0;  // 12, 13 or 14; 0: as many as the memory that there is asks for
  unsigned length_bits = 6;  // 4, 6 or 8
  // With kStatelessStatic and what follows it: strings of RFC 3485 with the priorities 1 to this one. 0: all of it,
  // with its table, which is a little better than 5.
  unsigned dictionary_priority = 0;
  // kShared: octets of a received message that the next one is compressed against, from its beginning.
  std::size_t shared_length = 1500;
  // kDynamic and kShared: every so many messages the item of state is a checkpoint (RFC 3321 5.5), with the highest
  // retention priority. 0: never.
  unsigned checkpoint_every = 0;
  // kDynamic and kShared: what is sent with the first messages, to be compressed against (RFC 3321 5.4).
  std::vector<std::uint8_t> user_dictionary = {};
  Acknowledgement acknowledgement = Acknowledgement::kNumber;
  // Announce the items of state that the peer has here, as maenpaa-2005 does (8.12). kShared announces what it needs
  // in any case.
  bool announce = false;
  // kDynamic and kShared: the peer is to keep the whole memory with each message, as in maenpaa-2005, and not only what
  // has been written; the circular buffer begins at address 400 (7.9, Figure 29); with kShared, what the peer has sent
  // takes shared_length octets of it, however short it is (9.3); and each message takes eight more.
  bool whole_memory = false;
  // The three that follow make messages longer. They follow from the tables of maenpaa-2005, to the octet; of the first
  // and the third no sentence of it speaks. Any decompressor restores what is made with them.
  //
  // The compressor has a circular buffer itself, with the dictionary at its beginning, and compares in linear memory:
  // no match crosses the end of the buffer, neither where it is taken from nor where it is put.
  bool linear_buffer = false;
  // kDynamic and kShared: "previous data need to be deleted from the hash map to make room for new data" (9.3) before
  // the message is compressed: no match begins where it is going to overwrite the buffer, nor where others that went on
  // from the same item of state have overwritten theirs.
  bool room_first = false;
  SharedState shared_state = SharedState::kNewest;
  // Octets of the peer's UDVM memory that are used at most; 0: all of it.
  std::size_t memory = 0;
  // Announced to the peer in the first messages, until one is acknowledged (RFC 3320 3.3.1, 9.4.9).
  std::optional<Parameters> own = {};

  // What the peer offers, until its messages tell.
  Parameters peer = kLeastForSip;
  Transport transport = Transport::kMessages;
  // Octets of the longest SigComp message to be made; 0: what most_compressed_of says. Over kMessages they are taken
  // from the decompression memory (RFC 3320 chapter 7).
  std::size_t most_compressed = 0;

  friend bool operator==(const CompressorConfig&, const CompressorConfig&) = default;
};

// offset_bits, or what is chosen for it.
[[nodiscard]] unsigned offset_bits_of(const CompressorConfig& config) noexcept;
// most_compressed, or else: over kMessages 1400, which a link of 1500 has room for, and half the peer's decompression
// memory where that is less; over kStream that memory, beyond which a peer may take it for noise.
[[nodiscard]] std::size_t most_compressed_of(const CompressorConfig& config) noexcept;

// The words of configurations: "lzss", "deflate"; "stateless-basic", "stateful-basic", "stateless-static",
// "stateful-static", "dynamic", "shared"; "hash", "linear"; "number", "identifier", "transport", "others"; "newest",
// "first-turn-once". Nothing for any other.
[[nodiscard]] std::optional<Algorithm> algorithm_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Mechanism> mechanism_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Search> search_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<Acknowledgement> acknowledgement_named(std::string_view name) noexcept;
[[nodiscard]] std::optional<SharedState> shared_state_named(std::string_view name) noexcept;

// What a message of the peer tells the compressor: one that has been decompressed and accepted for its compartment.
struct Heard {
  Octets message;              // as decompressed
  Octets returned_feedback;    // the item, with the octet that tells its length
  Octets returned_parameters;  // figure 13, without the octet that ends it
};
[[nodiscard]] inline Heard heard_from(const Outcome& outcome, const udvm::Completion& completion) noexcept {
  return {outcome.output, outcome.returned_feedback, completion.returned_parameters};
}

// About the message compressed last.
struct Sent {
  std::size_t overhead = 0;  // octets before the compressed data
  bool uploads = false;      // it brings bytecode
  Octets refers_to;          // partial identifier of the item in its header; empty with bytecode
};

class Compressor {
 public:
  // Octets of the longest application message.
  static constexpr std::size_t kMost = udvm::kMostOutput - 1;

  virtual ~Compressor() = default;

  // The whole SigComp message, valid until the next call of any compressor of the same factory; or nothing: `message`
  // is longer than kMost, or what would be made of it longer than most_compressed or than `room`, and then everything
  // is as if it had never been given. What is made must be sent: the peer's state is counted. Throws std::bad_alloc.
  [[nodiscard]] virtual Octets compress(Octets message, std::size_t room) = 0;
  [[nodiscard]] Octets compress(Octets message) { return compress(message, kMost); }

  // The peer has sent a message: acknowledgements, parameters, shared state.
  virtual void heard(const Heard& heard) = 0;
  // The peer has the item of state that begins with `partial`, 6 octets or more. False when it is none that may be
  // used, or older than what was acknowledged last.
  virtual bool acknowledge(Octets partial) = 0;
  // The peer could not decompress a message (RFC 4077). REQUIRES: it is one that this compressor has made, or the NACK
  // is about its stream; no other sender may cause state to be given up.
  virtual void refused(const Nack& nack) = 0;
  // The peer has lost its state: the next messages bring the bytecode again.
  virtual void forget() = 0;

  // Octets of the longest SigComp message that it makes now.
  [[nodiscard]] virtual std::size_t most() const noexcept = 0;
  [[nodiscard]] virtual Sent last() const noexcept = 0;
  // Identifier of the item that the message compressed last leaves with the peer: nullptr when there is none, or what
  // has been heard since has made an end of it. May take the time of a hash.
  [[nodiscard]] virtual const Sha1Digest* leaves() noexcept = 0;
  // Octets of memory that are this compartment's; what it shares with others is the factory's.
  [[nodiscard]] virtual std::size_t memory_bytes() const noexcept = 0;
};

// Makes compressors. Those with the same configuration share what is the same for all: bytecode, dictionary, and the
// memory to search in. Of one thread, with all its compressors.
class CompressorFactory {
 public:
  // `states`: of the endpoint; outlives the factory. Throws std::runtime_error as Sha1 does.
  explicit CompressorFactory(StateHandler& states);
  ~CompressorFactory();

  // For the compartment `id`. The factory outlives it. Throws std::invalid_argument with a sentence for a configuration
  // that cannot work.
  [[nodiscard]] std::unique_ptr<Compressor> make(const CompressorConfig& config, CompartmentId id);
  // Octets of memory that its compressors share.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  StateHandler& states_;
  std::unique_ptr<Workshop> workshop_;
};

}  // namespace headroom::sigcomp
