// SPDX-License-Identifier: Apache-2.0
//
// Calls of an adapter that check everything: each output buffer is fresh, poisoned and fenced, and every promise of the
// ABI about an outcome is checked before the outcome is used. `replay` and `check` do so for every packet; `load`
// leaves these checks out for speed.
#ifndef HEADROOM_ADAPTER_CHECKED_H
#define HEADROOM_ADAPTER_CHECKED_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapter/buffers.h"
#include "adapter/caller.h"
#include "adapter/watched.h"

namespace headroom {

// CheckedInstance has the functions for instances of every role. All throw PromiseBroken.
class CheckedInstance {
 public:
  explicit CheckedInstance(Instance& instance) : instance_(instance), caller_(instance) {}

  // Returns the next reverse packet, or nothing. Has no effect if the adapter has no reverse packets.
  [[nodiscard]] std::optional<ReversePacket> take_reverse(std::uint64_t now_ns);
  // Passes a reverse packet to the adapter. Returns true if the adapter has taken it. Feedback that goes in front of a
  // packet adds to the room of the next `process`.
  bool give_reverse(const ReversePacket& packet, std::uint64_t now_ns);

  // Sends `message` to the adapter. Returns nothing if the adapter understood it, or the adapter's sentence.
  [[nodiscard]] std::optional<std::string> control(const std::string& message) {
    deadline_.reset();
    return caller_.control(message);
  }

  // Times all further calls with `cycles`. REQUIRES: `cycles` outlives this object.
  void time_calls(const Cycles& cycles) { caller_.policy().time_with(cycles); }

  // Counts the cost of all further calls.
  void watch_costs() noexcept { caller_.policy().count_into(costs_); }
  // Returns the total cost of all calls since watch_costs().
  [[nodiscard]] const CallCosts& costs() const noexcept { return costs_; }

  [[nodiscard]] Instance& instance() noexcept { return instance_; }
  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 protected:
  // A record after a call, and the octets of its output.
  struct Filled {
    headroom_packet record;
    Octets octets;
  };

  // Passes one record with fresh buffers through `call`, which returns the number of records that the adapter has
  // handled or filled. `in` is nullptr for a function that only puts out; nothing is then returned if it has put out
  // nothing. `may_be_empty`: a success may have no octets.
  template <typename Call>
  [[nodiscard]] std::optional<Filled> one(const char* function, const OctetView* in, headroom_packet record,
                                          std::size_t room, bool may_be_empty, Call&& call);
  // Checks the promises of the ABI about a record. `before` is the record before the call.
  void check_record(const char* function, const headroom_packet& before, const headroom_packet& after,
                    bool may_be_empty) const;
  void check_input(const char* function, OctetView given, const std::uint8_t* in) const;
  void check_channel(const char* function, std::uint32_t channel) const;
  [[noreturn]] void broken(const char* function, const std::string& sentence) const {
    throw PromiseBroken(instance_, function, sentence);
  }

  Instance& instance_;
  Caller<Watched> caller_;
  Buffers buffers_;
  Octets input_;
  std::uint32_t extra_room_ = 0;           // additional octets in the next `process`, for feedback in front of a packet
  std::optional<std::uint64_t> deadline_;  // deadline after the last call; only calls change it

 private:
  CallCosts costs_;
};

// Checked is a compressor or decompressor.
class Checked : public CheckedInstance {
 public:
  // `expansion` is the room for output in addition to each input's length, in octets.
  explicit Checked(Instance& instance, std::uint32_t expansion = HEADROOM_EXPANSION)
      : CheckedInstance(instance), expansion_(expansion), drain_room_(expansion) {}

  // Compresses or decompresses, depending on the instance's role, and drains. Fills one entry of `outputs` for each
  // input, and reuses its memory.
  void process(std::span<const PacketInput> inputs, std::uint64_t now_ns, std::vector<PacketOutput>& outputs);
  [[nodiscard]] std::vector<PacketOutput> process(const std::vector<PacketInput>& inputs, std::uint64_t now_ns) {
    std::vector<PacketOutput> outputs;
    process(inputs, now_ns, outputs);
    return outputs;
  }

  // Returns the next deadline, or HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline();
  // Drains the outputs that are due at `now_ns`. Afterwards the next deadline is later.
  [[nodiscard]] std::vector<PacketOutput> drain_due(std::uint64_t now_ns);

  // Returns the time of a packet in timed calls of `process`, or nothing if no call was timed; the counter of cycles
  // has `hz`. In a burst, each packet is charged with its share of the call. As usual_ns, with the processor time of
  // all calls of the instance: work that an adapter puts off until `drain`, or until a later packet, counts.
  [[nodiscard]] std::optional<double> ns_per_packet(double hz) const;

 private:
  [[nodiscard]] bool compresses() const noexcept { return instance_.role() == HEADROOM_COMPRESSOR; }
  // Fills the records and their buffers, with `room` octets in addition to each input's length.
  void lay_out(std::span<const PacketInput> inputs, std::uint32_t room);
  // Adds the times of the last call, which has handled so many packets.
  void time_packets(std::size_t count);
  // Processes the outcome of a call that has handled the records from `begin` to `end`.
  void check_call(std::size_t begin, std::size_t end) const;
  // Checks the record of an input, and takes its output.
  void take_output(std::size_t i, const PacketInput& input, PacketOutput& output);
  [[nodiscard]] std::vector<PacketOutput> drain(std::uint64_t now_ns);
  void check_detail(const headroom_detail& detail, const char* function) const;
  void check_lengths(const headroom_packet& packet, const PacketOutput& output) const;

  std::uint32_t expansion_;
  std::uint32_t drain_room_;  // octets of the largest record of the last call
  std::vector<headroom_packet> packets_;
  std::vector<headroom_packet> expected_;
  std::vector<headroom_detail> details_;
  std::vector<double> per_packet_;  // cycles for each packet, one entry for each call
  std::uint64_t timed_packets_ = 0;
};

// --------------------------------------------------------------------------------------------------------------

template <typename Call>
std::optional<CheckedInstance::Filled> CheckedInstance::one(const char* function, const OctetView* in,
                                                            headroom_packet record, std::size_t room, bool may_be_empty,
                                                            Call&& call) {
  buffers_.reset(1, room);
  record.out = buffers_.add(room);
  record.out_capacity = static_cast<std::uint32_t>(room);
  if (in != nullptr) {
    input_.reserve(in->size() + 1);  // so that data() is never a null pointer
    input_.assign(in->begin(), in->end());
    record.in = input_.data();
    record.in_length = static_cast<std::uint32_t>(in->size());
  }
  headroom_packet before = record;
  deadline_.reset();
  const std::size_t count = call(record);
  if (!Buffers::are_fences_whole(before.out, room))
    broken(function, "it wrote outside the output buffer of " + std::to_string(room) + " octets.");
  if (count == 0 && in == nullptr) return std::nullopt;
  if (count != 1) broken(function, "it returned " + std::to_string(count) + " for one record.");
  if (in == nullptr) before.channel = record.channel;  // a field that the adapter fills
  check_record(function, before, record, may_be_empty);
  if (in != nullptr) check_input(function, *in, input_.data());
  Filled filled{record, Octets(record.out, record.out + record.out_length)};
  buffers_.poison();
  if (in != nullptr) std::fill(input_.begin(), input_.end(), kPoisonOctet);
  return filled;
}

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_CHECKED_H
