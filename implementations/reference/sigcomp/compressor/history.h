// SPDX-License-Identifier: Apache-2.0
//
// History records which earlier messages the peer may have (maenpaa-2005, 7.6.17; RFC 3321 4.1): the text that went
// into the peer's circular buffer up to the item of state that was acknowledged last, and the items that may yet be
// acknowledged.
//
// Each text is stored once: all acknowledged items lie on one line, where each item has the text of the items before it
// and more.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sigcomp/compressor/item.h"

namespace headroom::sigcomp {

// Spares keeps memory that histories no longer need for histories that need some, so that neither a message nor its
// acknowledgement has to allocate.
class Spares {
 public:
  void give(std::vector<std::uint8_t>&& texts);
  [[nodiscard]] std::vector<std::uint8_t> take() noexcept;  // returns an empty vector, with spare capacity if any
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kLargest = 8192;  // octets
  std::vector<std::vector<std::uint8_t>> all_;
};

class History {
 public:
  using Partial = std::array<std::uint8_t, kLeastIdentifier>;  // the first octets of an identifier
  static constexpr std::size_t kPending = 8;                   // newest items, which may yet be acknowledged

  // `first` is the text in the memory before the first message. `names` belongs to the program; nullptr if the program
  // leaves no items but bytecode. REQUIRES: `names` and `spares` outlive the history.
  History(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first, Spares& spares);

  // Starts anew for another program or another peer. The numbers of messages continue.
  void restart(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first);

  // Chooses the item that the next message goes on from. If the item may be gone from the peer's state memory, an
  // earlier checkpoint, or no item, is chosen.
  const Item& choose();
  [[nodiscard]] const Item& base() const noexcept { return base_; }
  // Returns the identifier of the base. REQUIRES: the base is the item of a message.
  [[nodiscard]] const Sha1Digest& base_name() noexcept;
  // Returns the identifier of the item that the message with this number leaves, or nullptr if it is no longer known.
  [[nodiscard]] const Sha1Digest* name_of(std::uint64_t number) noexcept;
  // Returns the text of the base from position `from` on. REQUIRES: begin() <= from <= base().end.
  [[nodiscard]] Octets text(std::size_t from) const noexcept { return Octets(trunk_).subspan(from - begin_); }
  [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
  // Returns the octet of the buffer that lies `octets` after the pointer of the base, where the next octets will be
  // put. REQUIRES: `octets` is less than the size of the buffer.
  [[nodiscard]] std::uint8_t ahead(std::size_t octets) const noexcept;
  // Returns the largest number of octets that any message that went on from the base has put into its copy of the
  // buffer.
  [[nodiscard]] std::size_t put_since() const noexcept;
  // Returns a number that changes whenever the text of the base is replaced by another text; it stays the same if the
  // text only grows.
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }

  // Returns the item that a message of `appended` octets would leave, without number and identifier.
  [[nodiscard]] Item after(std::size_t appended) const noexcept;
  // Records a sent message: `item` is the result of after() for the octets `first` and `second`. Returns the message's
  // number.
  std::uint64_t sent(Item item, Octets first, Octets second);
  [[nodiscard]] std::uint64_t newest_number() const noexcept { return made_; }

  // Each function records an acknowledgement. Returns false if there is no such item, or the item is older than the
  // base.
  bool acknowledge(Octets partial);
  bool acknowledge_number(std::uint8_t low_bits);  // 7 bits
  bool acknowledge_newest();
  // Records that the peer has lost its state.
  void forget();

  // Returns the item that should be freed, because memory is short or a later checkpoint exists. `needed` is the octets
  // of state memory that the next item takes, together with everything else that needs room.
  [[nodiscard]] std::optional<Partial> to_free(std::size_t needed) const noexcept;
  // Returns the octets of the peer's state memory that are free if all items have arrived.
  [[nodiscard]] std::size_t room() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  // Records that the message with this number has freed the item.
  void freed(const Partial& partial, std::uint64_t by) noexcept;
  // Returns the number of messages since the last checkpoint.
  [[nodiscard]] std::uint64_t since_checkpoint() const noexcept { return made_ - last_checkpoint_; }

 private:
  // An item that the peer may have, and the state memory that it takes there.
  struct Made {
    std::uint64_t age;
    std::size_t cost;
    std::uint64_t freed_by;  // number of a message; 0: none
    std::size_t pointer;     // as Item has it
    bool part;
    bool checkpoint;
    bool is_named;    // True if `partial` is known; always true if items are freed
    Partial partial;  // first octets of its identifier
  };
  struct Pending {
    Item item;
    std::uint64_t message = 0;  // the message's number, even if its item is not to be used
    std::size_t base_end = 0;   // end of the text that the message went on from
    bool anew = false;          // True if the item does not contain the earlier text
    std::vector<std::uint8_t> appended;
  };

  static constexpr std::size_t kMostMade = 256;

  [[nodiscard]] std::size_t cost_of(const Item& item) const noexcept;
  // The functions name() compute the identifier on first use, make_known() only if the item still exists.
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
  Item checkpoint_;  // acknowledged; the base or an item before it on the line; number 0: none
  std::array<Pending, kPending> pending_;
  std::vector<Made> items_;
};

}  // namespace headroom::sigcomp
