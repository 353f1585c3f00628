// SPDX-License-Identifier: Apache-2.0
//
// The state handler: RFC 3320 chapter 6, with RFC 4896 chapters 3.3, 5, 6, 9 and 10. StateHandler keeps items of state,
// the compartments that they were created under, and the feedback of each compartment. Nothing else passes from one
// message to the next.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sigcomp/message/feedback.h"
#include "sigcomp/state/item.h"
#include "sigcomp/udvm/completion.h"

namespace headroom::sigcomp {

using CompartmentId = std::uint64_t;

inline constexpr std::uint32_t kItemCost = 64;                   // octets besides the value, RFC 3320 6.2
inline constexpr std::uint16_t kLocalRetentionPriority = 65535;  // "these states must always be freed first"

// The peer of a compartment, as its messages have described it.
struct Peer {
  std::optional<Parameters> parameters;  // the latest announced ones
  std::optional<std::uint8_t> version;
  bool wants_no_state = false;        // S-bit
  bool wants_no_local_state = false;  // I-bit
  // Partial identifiers of the items of state that the peer offers, the latest announcements last. At most
  // kMostAnnouncements are kept: an announcement may be ignored (RFC 4465 4.1), and its memory is not part of any
  // state_memory_size.
  static constexpr std::size_t kMostAnnouncements = 32;
  std::vector<std::vector<std::uint8_t>> announced;
};

class StateHandler final : public StateSource {
 public:
  static constexpr std::uint64_t kAnyMemory = ~std::uint64_t{0};
  // `most_compartments` limits the number of compartments, `most_memory` the octets of state memory that all
  // compartments together are promised; open() refuses to go beyond them. So each compartment always has the state
  // memory that it was promised, whatever other compartments do. Throws std::runtime_error if SHA-1 is not available
  // (see Sha1).
  explicit StateHandler(std::size_t most_compartments, std::uint64_t most_memory = kAnyMemory);

  // ---- Locally available state that belongs to no compartment, such as dictionaries (RFC 4896 10.3.2). Stays for
  // good. False if the identifier is taken by another item.
  bool offer(const StateHeader& header, Octets value);

  // ---- Compartments. The application decides who has one, and authenticates messages (RFC 3320 3.1).
  // Opens a compartment. Returns false if the id is in use, there are too many compartments, too much memory has been
  // promised, or the size is not one of 3.3.1 (0 is allowed).
  bool open(CompartmentId id, std::uint32_t state_memory_size);
  // Closes a compartment and frees its items. Returns false if there is no such compartment.
  bool close(CompartmentId id);
  [[nodiscard]] bool has(CompartmentId id) const { return compartments_.contains(id); }
  [[nodiscard]] std::size_t compartments() const noexcept { return compartments_.size(); }
  // Returns the octets of state memory that open compartments have been promised.
  [[nodiscard]] std::uint64_t promised() const noexcept { return promised_; }

  // ---- Messages
  // Carries out what a decompressed message requests, for the compartment that the application has determined:
  // creations, frees and feedback, in the order of 9.4.9. Returns false, and does nothing, if there is no such
  // compartment ("no valid compartment", RFC 3320 4.3).
  bool apply(CompartmentId id, const udvm::Completion& completion, Octets returned_feedback);

  // Creates an item of state (RFC 3320 6.2), also for state that this endpoint makes by itself with
  // kLocalRetentionPriority. Returns false if the creation was unsuccessful: no such compartment, no state memory, or a
  // clash of identifiers.
  bool create(CompartmentId id, const StateHeader& header, std::uint16_t priority, Octets value);
  // Frees the compartment's item that matches `partial`. Returns false if no item or several items match.
  bool free(CompartmentId id, Octets partial);

  // ---- What there is
  [[nodiscard]] StateFound find(Octets partial) const noexcept override;
  [[nodiscard]] std::size_t items() const noexcept { return items_.size(); }
  // Return the number of items of a compartment, and the octets of state memory that they take. Both return 0 if there
  // is no such compartment.
  [[nodiscard]] std::size_t items_of(CompartmentId id) const;
  [[nodiscard]] std::uint32_t memory_of(CompartmentId id) const;
  // Returns the compartment's free state memory in octets, or 0 if there is no such compartment.
  [[nodiscard]] std::uint32_t room_of(CompartmentId id) const;
  // Calls act(item) for each item of a compartment, in the order in which they would be freed.
  template <typename Act>
  void for_each_item(CompartmentId id, Act act) const {
    if (const Compartment* const c = compartment(id); c != nullptr) {
      for (const auto& [order, item] : c->by_order) act(item->second.item);
    }
  }
  // Returns the peer of a compartment, or nullptr if there is no such compartment.
  [[nodiscard]] const Peer* peer_of(CompartmentId id) const;
  // Returns the feedback item that the compressor of this compartment is to return in every message until a new item
  // replaces it (RFC 4896 9.2); empty if there is none.
  [[nodiscard]] Octets feedback_to_return(CompartmentId id) const;
  // Returns the feedback item that the peer returned last, as the compressor of this compartment had requested; empty
  // if none has been returned.
  [[nodiscard]] Octets returned_feedback(CompartmentId id) const;

 private:
  struct Stored {
    StateItem item;
    std::size_t compartments = 0;  // number of compartments that have the item
    bool local = false;            // True for an item that offer() added, which is never deleted
  };
  // Items sorted by identifier, so that items whose identifiers share their first octets are neighbours.
  using Items = std::map<Sha1Digest, Stored>;

  // The order in which items of a compartment are freed: first priority 65535, then priorities from 0 up; older items
  // first.
  struct Order {
    std::uint32_t rank;
    std::uint64_t age;  // the number of the creation
    friend auto operator<=>(const Order&, const Order&) = default;
  };
  struct Compartment {
    std::uint32_t allowed = 0;            // state_memory_size that the application gave
    std::uint32_t state_memory_size = 0;  // `allowed`, or 0 after an S-bit
    std::uint32_t used = 0;
    std::map<Order, Items::iterator> by_order;
    std::unordered_map<const Stored*, Order> by_item;
    Peer peer;
    std::vector<std::uint8_t> to_return;
    std::vector<std::uint8_t> returned;
  };

  [[nodiscard]] Compartment* compartment(CompartmentId id);
  [[nodiscard]] const Compartment* compartment(CompartmentId id) const;
  bool create_in(Compartment& c, const StateHeader& header, std::uint16_t priority, Octets value);
  bool free_in(Compartment& c, Octets partial);
  void remove(Compartment& c, std::map<Order, Items::iterator>::iterator entry);
  void take_feedback(Compartment& c, const udvm::Completion& completion);

  static constexpr std::uint32_t rank_of(std::uint16_t priority) noexcept {
    return priority == kLocalRetentionPriority ? 0 : 1U + priority;
  }

  Sha1 sha1_;
  std::size_t most_compartments_;
  std::uint64_t most_memory_;
  std::uint64_t promised_ = 0;
  std::uint64_t creations_ = 0;
  Items items_;
  std::unordered_map<CompartmentId, Compartment> compartments_;
};

}  // namespace headroom::sigcomp
