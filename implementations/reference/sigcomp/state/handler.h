// SPDX-License-Identifier: Apache-2.0
//
// The state handler: RFC 3320 chapter 6, with RFC 4896 chapters 3.3, 5, 6, 9 and 10. It keeps items of state, the
// compartments that they were created under, and the feedback that goes with a compartment. It is the only thing that
// one message leaves to the next.
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

// What is known of the endpoint that a compartment stands for, as its messages have told.
struct Peer {
  std::optional<Parameters> parameters;  // as announced last
  std::optional<std::uint8_t> version;
  bool wants_no_state = false;        // S-bit
  bool wants_no_local_state = false;  // I-bit
  // Items of state that it offers, those announced last at the end. No more than kMostAnnouncements are kept: an
  // announcement may be ignored (RFC 4465 4.1), and memory for it is not part of any state_memory_size.
  static constexpr std::size_t kMostAnnouncements = 32;
  std::vector<std::vector<std::uint8_t>> announced;
};

class StateHandler final : public StateSource {
 public:
  static constexpr std::uint64_t kAnyMemory = ~std::uint64_t{0};
  // Throws std::runtime_error as Sha1 does. `most_compartments`, and `most_memory`, octets that are promised to all of
  // them together as their state_memory_size: beyond them open() refuses. So no compartment, whatever it does, takes
  // state memory from another, and none is ever given less than what it was promised.
  explicit StateHandler(std::size_t most_compartments, std::uint64_t most_memory = kAnyMemory);

  // ---- Locally available state that belongs to no compartment, such as dictionaries (RFC 4896 10.3.2). Stays for
  // good. False when the identifier is taken by another item.
  bool offer(const StateHeader& header, Octets value);

  // ---- Compartments. The application decides who has one, and authenticates messages (RFC 3320 3.1).
  // False when there is one with this id already, there are too many, too much memory has been promised, or the size is
  // not one of 3.3.1 (0 is).
  bool open(CompartmentId id, std::uint32_t state_memory_size);
  // What the compartment created is freed. False when there is none.
  bool close(CompartmentId id);
  [[nodiscard]] bool has(CompartmentId id) const { return compartments_.contains(id); }
  [[nodiscard]] std::size_t compartments() const noexcept { return compartments_.size(); }
  // Octets of state memory that open compartments have been promised.
  [[nodiscard]] std::uint64_t promised() const noexcept { return promised_; }

  // ---- Messages
  // What a message that has been decompressed asks for, under the compartment that the application returned for it:
  // creations, frees, feedback, in the order of 9.4.9. Returns false, and does nothing, when there is no such
  // compartment ("no valid compartment", RFC 3320 4.3).
  bool apply(CompartmentId id, const udvm::Completion& completion, Octets returned_feedback);

  // One creation, RFC 3320 6.2, also for state that this endpoint makes by itself with kLocalRetentionPriority. False
  // when it was unsuccessful: no such compartment, no state memory, or a clash of identifiers.
  bool create(CompartmentId id, const StateHeader& header, std::uint16_t priority, Octets value);
  // Frees the one item of the compartment that matches; false when none does, or several do.
  bool free(CompartmentId id, Octets partial);

  // ---- What there is
  [[nodiscard]] StateFound find(Octets partial) const noexcept override;
  [[nodiscard]] std::size_t items() const noexcept { return items_.size(); }
  // Items of a compartment, and the state memory that they take. 0 when there is no such compartment.
  [[nodiscard]] std::size_t items_of(CompartmentId id) const;
  [[nodiscard]] std::uint32_t memory_of(CompartmentId id) const;
  // State memory of it that nothing takes. 0 when there is no such compartment.
  [[nodiscard]] std::uint32_t room_of(CompartmentId id) const;
  // Calls act(item) for each item of a compartment, in the order in which they would be freed.
  template <typename Act>
  void for_each_item(CompartmentId id, Act act) const {
    if (const Compartment* const c = compartment(id); c != nullptr) {
      for (const auto& [order, item] : c->by_order) act(item->second.item);
    }
  }
  // nullptr when there is no such compartment.
  [[nodiscard]] const Peer* peer_of(CompartmentId id) const;
  // The feedback item that the compressor of this compartment is to return, in every message until another takes its
  // place (RFC 4896 9.2); empty when there is none.
  [[nodiscard]] Octets feedback_to_return(CompartmentId id) const;
  // The feedback item that came back last: what the compressor of this compartment had asked for. Empty when none has.
  [[nodiscard]] Octets returned_feedback(CompartmentId id) const;

 private:
  struct Stored {
    StateItem item;
    std::size_t compartments = 0;  // that have it
    bool local = false;            // offered, so never deleted
  };
  // By identifier, so that those which share their first octets are neighbours.
  using Items = std::map<Sha1Digest, Stored>;

  // The order in which items of a compartment are freed: priority 65535, then from 0 up, the older first.
  struct Order {
    std::uint32_t rank;
    std::uint64_t age;  // the number of the creation
    friend auto operator<=>(const Order&, const Order&) = default;
  };
  struct Compartment {
    std::uint32_t allowed = 0;            // state_memory_size that the application gave
    std::uint32_t state_memory_size = 0;  // the same, or 0 after an S-bit
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
