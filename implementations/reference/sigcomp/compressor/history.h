// SPDX-License-Identifier: Apache-2.0
//
// What the peer may have of earlier messages (maenpaa-2005, 7.6.17; RFC 3321 4.1): the text that went into its circular
// buffer up to the item of state that was acknowledged last, and the items that may yet be acknowledged.
//
// Texts are kept once: all acknowledged items lie on one line, each with what the ones before it had and more.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sigcomp/compressor/item.h"

namespace headroom::sigcomp {

// Memory that histories need no more, for the next that does: so that neither a message nor its acknowledgement asks
// the system for any.
class Spares {
 public:
  void give(std::vector<std::uint8_t>&& texts);
  [[nodiscard]] std::vector<std::uint8_t> take() noexcept;  // empty, with room where there is any
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kLargest = 8192;  // octets
  std::vector<std::vector<std::uint8_t>> all_;
};

class History {
 public:
  using Partial = std::array<std::uint8_t, kLeastIdentifier>;  // of an identifier
  static constexpr std::size_t kPending = 8;                   // items that may yet be acknowledged: the newest ones

  // `first`: the text of the memory before there is any message. `names`: of the program, nullptr where it leaves no
  // items but bytecode; they and `spares` outlive the history.
  History(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first, Spares& spares);

  // Another program, another peer: everything begins anew. Messages go on being counted.
  void restart(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first);

  // What the next message goes on from. When an item may be gone from the peer's state memory, a checkpoint before it,
  // or nothing, takes its place.
  const Item& choose();
  [[nodiscard]] const Item& base() const noexcept { return base_; }
  // Its identifier. REQUIRES: it is that of a message.
  [[nodiscard]] const Sha1Digest& base_name() noexcept;
  // That of the item that the message with this number leaves; nullptr when it is not known any more.
  [[nodiscard]] const Sha1Digest* name_of(std::uint64_t number) noexcept;
  // The text of the base from position `from` on. REQUIRES: begin() <= from <= base().end.
  [[nodiscard]] Octets text(std::size_t from) const noexcept { return Octets(trunk_).subspan(from - begin_); }
  [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
  // What the buffer has `octets` behind the pointer of the base, where the next ones will be put. REQUIRES: less than
  // the buffer has.
  [[nodiscard]] std::uint8_t ahead(std::size_t octets) const noexcept;
  // Octets that the messages that went on from the base have put into their copies of the buffer: the most of them.
  [[nodiscard]] std::size_t put_since() const noexcept;
  // Another number whenever the text of the base has become another one, rather than a longer one.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // What a message of `appended` octets would leave, without its number and identifier.
  [[nodiscard]] Item after(std::size_t appended) const noexcept;
  // It has been sent: `item` is what after() gave for the octets `first` and `second`. Returns its number.
  std::uint64_t sent(Item item, Octets first, Octets second);
  [[nodiscard]] std::uint64_t newest_number() const noexcept { return made_; }

  // Each is false when there is no such item, or it is older than the base.
  bool acknowledge(Octets partial);
  bool acknowledge_number(std::uint8_t low_bits);  // 7 bits
  bool acknowledge_newest();
  // The peer has lost its state.
  void forget();

  // The item that had better be freed for lack of memory, or because a later checkpoint has come.
  // `needed`: octets of state memory that the next item takes, and what else is to have room.
  [[nodiscard]] std::optional<Partial> to_free(std::size_t needed) const noexcept;
  // Octets of the peer's state memory that no item takes, if they all have arrived.
  [[nodiscard]] std::size_t room() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  // It has been sent in the message with this number.
  void freed(const Partial& partial, std::uint64_t by) noexcept;
  // Messages since the last checkpoint.
  [[nodiscard]] std::uint64_t since_checkpoint() const noexcept { return made_ - last_checkpoint_; }

 private:
  // An item that the peer may have, and what it takes of its state memory.
  struct Made {
    std::uint64_t age;
    std::size_t cost;
    std::uint64_t freed_by;  // number of a message; 0: none
    std::size_t pointer;     // as Item has it
    bool part;
    bool checkpoint;
    bool is_named;    // `partial` is known: always, where items are freed
    Partial partial;  // of its identifier
  };
  struct Pending {
    Item item;
    std::uint64_t message = 0;  // its number, also when the item is not to be used
    std::size_t base_end = 0;   // of the text that it went on from
    bool anew = false;          // the text before it is not part of it
    std::vector<std::uint8_t> appended;
  };

  static constexpr std::size_t kMostMade = 256;

  [[nodiscard]] std::size_t cost_of(const Item& item) const noexcept;
  // Each computes the identifier on first use; make_known() where the item is still there.
  const Sha1Digest& name(Item& item, Octets older, Octets newer) noexcept;
  const Sha1Digest& name(Pending& pending) noexcept;
  void make_known(Made& made) noexcept;
  [[nodiscard]] Made* find_same(Pending& pending) noexcept;
  bool take(Pending& pending);
  [[nodiscard]] bool is_there(const Item& item) const noexcept;
  void cut(std::size_t end, const Pending* kept);
  void give_up(Pending& pending);
  void trim();

  const Program* program_;
  ItemNames* names_;
  Spares* spares_;
  std::size_t state_memory_size_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t last_checkpoint_ = 0;
  std::uint64_t returned_ = 0;  // the last number that came back; 0: none
  std::uint64_t epoch_ = 1;
  std::vector<std::uint8_t> first_;  // the text before there was any message
  std::size_t begin_ = 0;            // position of trunk_[0]
  std::vector<std::uint8_t> trunk_;
  Item base_;
  Item checkpoint_;  // acknowledged, on the same line before the base or the base itself; number 0: none
  std::array<Pending, kPending> pending_;
  std::vector<Made> items_;
};

}  // namespace headroom::sigcomp
