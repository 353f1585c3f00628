// SPDX-License-Identifier: Apache-2.0
//
// Conversation is one run of a job: it takes the job's steps in order, carries messages between two endpoints, and
// records the outcome of each message.
#ifndef HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CONVERSATION_H
#define HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CONVERSATION_H

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapter/checked_endpoint.h"
#include "base/cycles.h"
#include "link/digest.h"
#include "schemes/sigcomp/messages/capture.h"
#include "schemes/sigcomp/messages/job.h"
#include "schemes/sigcomp/messages/record.h"
#include "sim/simulation.h"

namespace headroom::sigcomp::messages {

class Conversation : private sim::Host {
 public:
  // Makes the endpoints and opens their compartments. Throws Error(adapter) if they refuse. `cycles` is set if calls
  // are to be timed, `capture` if there is a capture; otherwise nullptr.
  Conversation(const Job& job, const Cycles* cycles, Capture* capture);

  // Takes all steps. Throws PromiseBroken, and Error(adapter) if an adapter refuses a step's request.
  void play();

  [[nodiscard]] std::vector<Record>& records() noexcept { return records_; }
  // Returns the octets that a script inserted into the link, and their outcome.
  [[nodiscard]] const std::vector<Arrival>& inserted() const noexcept { return inserted_; }
  // Returns the endpoint of a side, or nullptr if the job has none.
  [[nodiscard]] const CheckedEndpoint* endpoint(Side side) const noexcept { return side_of(side).endpoint.get(); }
  [[nodiscard]] LinkCounts link(Side from) const { return side_of(from).line->counts(); }
  // Returns the digest of all octets that both sides have put on the link. REQUIRES: called only once.
  [[nodiscard]] std::string link_digest() { return digest_.finish(); }
  // Returns the octets of streams to this side that its decompressor has refused to the end.
  [[nodiscard]] std::uint64_t unread_octets(Side to) const noexcept;
  // Returns the cost of all calls of an endpoint, after each step; with Job::costs.
  [[nodiscard]] const std::vector<CallCosts>& costs(Side side) const noexcept { return side_of(side).costs; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return simulation_.now_ns(); }
  [[nodiscard]] std::optional<std::size_t> at() const noexcept { return at_; }

 private:
  struct Stream {
    std::deque<std::uint64_t> expected;  // tags of messages on their way, in order
    Octets unread;                       // that the decompressor has refused, to be given again with what comes next
    std::uint64_t rounds = 0;            // outcomes of the decompressor
    std::uint64_t most_rounds = 0;       // no message and no piece is of no octets, and each delivery may be refused
  };
  struct Position {
    std::unique_ptr<Instance> instance;
    std::unique_ptr<CheckedEndpoint> endpoint;
    sim::Line* line = nullptr;                // link from this side to the other
    std::map<std::uint32_t, Stream> streams;  // to this side, by compartment
    std::vector<CallCosts> costs;
  };
  [[nodiscard]] Position& side_of(Side side) noexcept { return sides_[static_cast<int>(side)]; }
  [[nodiscard]] const Position& side_of(Side side) const noexcept { return sides_[static_cast<int>(side)]; }

  // Returns the time of the next step. A step without a time waits until no message is on its way.
  [[nodiscard]] std::uint64_t next_ns() const override;
  // Takes the next step.
  void act() override;
  [[nodiscard]] sim::Line& connect(Side from);
  void take_step(std::size_t index);
  void note_costs();
  void send(std::size_t index);
  void receive_literal(std::size_t index);
  // Puts octets on the link. Returns their outcome, or nothing for a stream, which always arrives.
  [[nodiscard]] std::optional<LinkOutcome> put_on_link(Side from, std::uint32_t compartment, Octets octets,
                                                       std::uint64_t tag);
  void receive(Side to, const Delivery& delivery);
  [[nodiscard]] MessageOutput decompress_datagram(Side to, OctetView octets, std::uint32_t compartment,
                                                  std::uint32_t source);
  void receive_datagram(Side to, const Delivery& delivery);
  void receive_stream(Side to, const Delivery& delivery);
  void receive_nack(Side to, NackRecord& nack, MessageOutput output);
  // Throws PromiseBroken if there have been more answers than a stream can have messages.
  void count_round(Side to, Stream& stream);
  void note_arrival(std::size_t index, Arrival arrival);
  // Returns the feedback of `side` after the last message that it received. Throws PromiseBroken if the feedback never
  // ends.
  [[nodiscard]] std::vector<Octets> feedback_of(Side side);
  // Adds the answers of `side` to its last received message to the record, and sends them if `travels`.
  void answer(Side side, Record& record, Arrival& arrival, std::size_t index, bool travels);

  const Job& job_;
  Capture* capture_;
  Position sides_[2];
  std::vector<Record> records_;
  std::vector<Arrival> inserted_;
  LinkDigest digest_;
  sim::Simulation simulation_;
  std::size_t next_ = 0;           // the step that comes next
  std::optional<std::size_t> at_;  // the step that is being taken, for errors
};

}  // namespace headroom::sigcomp::messages

#endif  // HEADROOM_SCHEMES_SIGCOMP_MESSAGES_CONVERSATION_H
