// SPDX-License-Identifier: Apache-2.0
//
// BytecodeCompressor is the compressor of a compartment for every algorithm and mechanism; it uses the bytecode of
// `Program`. Its messages have, behind the header of RFC 3320 (figure 3):
//
//   with bytecode: the user-specific dictionary
//   kNumber        an octet, the low seven bits of the message's number, to be returned
//   kShared, checkpoints, announcements: an octet of flags, and what they say (programs/begin.udvm)
//   codes
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sigcomp/compressor/codes.h"
#include "sigcomp/compressor/history.h"

namespace headroom::sigcomp {

// FactoryState holds what the compressors of one factory share.
struct FactoryState {
  // The program for a configuration, without the options that differ between compartments.
  struct PreparedProgram {
    explicit PreparedProgram(const CompressorConfig& config, Sha1& sha1);
    Program program;
    Sha1Digest code_identifier{};      // Saved::kCode
    std::unique_ptr<ItemNames> names;  // with Saved::kMemory; refers to `program`, so a PreparedProgram never moves
  };
  // The text to search in: the dictionary, followed by the text of the compartment that used it last.
  struct SearchText {
    SearchText(Octets dictionary, Search search);
    Window window;
    std::uint64_t user = 0;    // 0: none
    std::uint64_t epoch = 0;   // epoch of the user's history
    std::size_t begin = 0;     // position in the history of the text after the dictionary
    std::size_t base = 0;      // position up to which the text is that of the history
    std::uint64_t number = 0;  // number of the message after `base`; 0: that text is not usable
  };

  // Returns the program for a configuration. Each configuration is tried once and remembered: a peer may offer other
  // parameters with every message, but has fewer than 300 different offers (RFC 3320 3.3.1). Throws
  // std::invalid_argument as Program does.
  const PreparedProgram& prepared(const CompressorConfig& config);
  SearchText& search_text(const CompressorConfig& config, const Program& program);
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  Sha1 sha1;
  std::vector<std::uint8_t> message;
  std::vector<std::uint8_t> put;  // octets put into the buffer in front of a message
  Spares spares;
  std::uint64_t users = 0;

 private:
  struct Tried {
    CompressorConfig config;
    std::unique_ptr<PreparedProgram> prepared;  // or nullptr
    std::string why_not;
  };

  std::vector<Tried> tried_;
  std::map<std::tuple<const std::uint8_t*, std::size_t, Search>, std::unique_ptr<SearchText>> search_texts_;
};

class BytecodeCompressor final : public Compressor {
 public:
  // Throws std::invalid_argument as Program does.
  BytecodeCompressor(FactoryState& factory, StateHandler& states, const CompressorConfig& config, CompartmentId id);

  [[nodiscard]] Octets compress(Octets message, std::size_t room) override;
  void heard(const ReceivedParts& received) override;
  bool acknowledge(Octets partial) override;
  void refused(const Nack& nack) override;
  void forget() override;
  [[nodiscard]] std::size_t most() const noexcept override { return most_compressed_of(config_); }
  [[nodiscard]] Sent last() const noexcept override { return sent_; }
  [[nodiscard]] const Sha1Digest* leaves() noexcept override;
  [[nodiscard]] std::size_t memory_bytes() const noexcept override;

 private:
  class Writer;
  // The fields of a message in front of its codes.
  struct Front {
    std::uint8_t flags = 0;
    bool shares = false;  // True if the message is compressed against the peer's message
    Octets put;           // octets put into the buffer in front of this message
    std::optional<History::Partial> free;
    std::optional<Sha1Digest> own;  // identifier of this message if it is kept for the peer
  };

  [[nodiscard]] Octets first_text() const noexcept;
  [[nodiscard]] bool adapt();
  [[nodiscard]] bool take_up(const CompressorConfig& config);
  [[nodiscard]] bool take_up_wanted(CompressorConfig config, Mechanism mechanism);
  void take_own_shared(const Sha1Digest& identifier, Octets message, std::uint64_t number);
  void free_own_shared(std::size_t count);
  void note_acknowledged() noexcept;
  void acknowledge_item(Octets item);
  void listen_to_shared(const ReceivedParts& received);
  [[nodiscard]] Octets put_in_front(bool shares);
  [[nodiscard]] Front front_of(const Item& base, std::size_t message_length);
  [[nodiscard]] bool may_share(Octets message);
  [[nodiscard]] std::size_t list(std::span<std::uint8_t> room, const Sha1Digest* own);
  void write_header(Writer& writer, const Sha1Digest* item);
  [[nodiscard]] Front write_front(Writer& writer, const Item& base, Octets message);
  [[nodiscard]] std::size_t write_codes(std::span<std::uint8_t> room, const Item& base, Octets put, Octets message);
  void note_sent(const Front& front, Octets message);
  [[nodiscard]] MatchLimits limits_of(const Item& base, std::size_t put, std::size_t message) const noexcept;
  void prepare(FactoryState::SearchText& search_text, const Item& base, std::size_t needed);

  FactoryState& factory_;
  StateHandler& states_;
  CompressorConfig config_;  // with the parameters that the peer offers now
  // The values that config_ had before it was adapted to a peer that offers less.
  Mechanism wanted_mechanism_;
  std::uint32_t wanted_memory_;  // decompression memory of the peer
  std::size_t wanted_most_compressed_;
  Parameters offered_;  // the peer's latest parameters, which the next message uses
  CompartmentId id_;
  std::uint64_t user_;
  const FactoryState::PreparedProgram* prepared_;
  FactoryState::SearchText* search_text_;
  History history_;
  bool code_is_known_ = false;  // with Saved::kCode: the peer has the bytecode
  std::uint64_t turns_ = 0;     // number of turns: series of sent messages
  bool is_turn_begun_ = false;  // True if the newest turn has begun and the peer has sent nothing since
  // The message of the peer that the next message is compressed against, which the peer has announced as state, and its
  // number; 0: none.
  std::vector<std::uint8_t> shared_;
  Sha1Digest shared_identifier_{};
  std::uint64_t shared_number_ = 0;
  std::size_t shared_cost_ = 0;     // octets of state memory that the item takes at the peer
  std::size_t shared_in_turn_ = 0;  // messages announced by the peer since the last sent one, with shared_
  struct OwnShared {
    Sha1Digest identifier;
    std::uint64_t number;   // number of the message
    bool is_known = false;  // True if the message has been acknowledged
  };
  std::vector<OwnShared> own_shared_;  // the oldest first
  Sent sent_;
  std::array<std::uint8_t, kLeastIdentifier> referred_{};
};

}  // namespace headroom::sigcomp
