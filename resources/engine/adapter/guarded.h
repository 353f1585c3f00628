// SPDX-License-Identifier: Apache-2.0
//
// Calls of an adapter that trust nothing: each output buffer is fresh, poisoned and fenced, and everything that the ABI
// promises about the outcome of a call is looked at before anybody uses it. What `load` leaves out for speed, `replay`
// and `check` do for every packet.
#ifndef HEADROOM_ADAPTER_GUARDED_H
#define HEADROOM_ADAPTER_GUARDED_H

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "base/cycles.h"
#include "base/octets.h"

namespace headroom {

// A promise of the ABI that an adapter broke.
class PromiseBroken : public std::runtime_error {
 public:
  PromiseBroken(const Instance& instance, const char* function, const std::string& sentence);

  [[nodiscard]] const std::string& function() const noexcept { return function_; }
  [[nodiscard]] headroom_role role() const noexcept { return role_; }

 private:
  std::string function_;
  headroom_role role_;
};

// What calls cost the process. `heap` and `resident` are octets by which memory has grown: those that malloc has given
// out, and those of all pages. `processor_ns` is the processor time of all threads of the process.
struct CallCosts {
  std::int64_t heap = 0, resident = 0, processor_ns = 0;
};

// Adds to `costs`, where there are any, what the process takes in its life.
class CostWatch {
 public:
  explicit CostWatch(CallCosts* costs) : costs_(costs) {
    if (costs_ != nullptr) add(-1);
  }
  ~CostWatch() {
    if (costs_ != nullptr) add(1);
  }
  CostWatch(const CostWatch&) = delete;
  CostWatch& operator=(const CostWatch&) = delete;

 private:
  void add(std::int64_t sign) const noexcept;

  CallCosts* costs_;
};

struct GuardedInput {
  OctetView octets;
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
};

struct GuardedOutput {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Octets octets;
  headroom_detail detail{};
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
  std::vector<GuardedOutput> more{};  // what `drain` returned behind it

  [[nodiscard]] bool came_out() const noexcept { return status == HEADROOM_OK; }
};

// The link packets that a packet became, in order. Views into `output`.
[[nodiscard]] std::vector<OctetView> link_packets_of(const GuardedOutput& output);

struct ReversePacket {
  Octets octets;
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_REVERSE_NEAR;
};

class Guarded {
 public:
  // `expansion`: room for output beyond each input's length.
  explicit Guarded(Instance& instance, std::uint32_t expansion = HEADROOM_EXPANSION);

  // Compresses or decompresses, as the instance's role has it, and drains. Throws PromiseBroken.
  [[nodiscard]] std::vector<GuardedOutput> process(const std::vector<GuardedInput>& inputs, std::uint64_t now_ns);

  // Without effect where the adapter has no reverse packets. Throw PromiseBroken.
  [[nodiscard]] std::optional<ReversePacket> take_reverse(std::uint64_t now_ns);
  // True when it was taken. What goes in front of a packet adds to the room of the next `process`.
  bool give_reverse(const ReversePacket& packet, std::uint64_t now_ns);

  // From now on what `take_reverse` of the adapter takes is added to `costs`, which must outlive this.
  void watch_reverse_costs(CallCosts& costs) noexcept { reverse_costs_ = &costs; }

  // Nothing when the adapter understood `message`, else its sentence.
  [[nodiscard]] std::optional<std::string> control(const std::string& message);

  // More room for the next `process`: what goes in front of a packet comes on top of the expansion.
  void add_room(std::uint32_t octets) noexcept { extra_room_ += octets; }

  // From now on each call of `process` is timed by `cycles`, which must outlive this.
  void time_calls(const Cycles& cycles);

  // The median time of a packet in the timed calls, in cycles, without what reading the counter costs; nothing when
  // none was timed. In bursts, a packet is charged with its share of the call.
  [[nodiscard]] std::optional<double> median_cycles() const;

  [[nodiscard]] Instance& instance() noexcept { return instance_; }
  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  // Returns what `call` returns; throws PromiseBroken for an exception that the adapter lets out of it.
  template <typename Call>
  auto calling(const char* function, Call&& call) const -> decltype(call());
  void check_fields(const headroom_packet& before, const headroom_packet& after, const char* function) const;
  void check_outcome(const headroom_packet& after, const char* function) const;
  void check_detail(const headroom_detail& detail, const char* function) const;
  void check_lengths(const headroom_packet& packet, const GuardedOutput& output, const char* function) const;
  void check_fences(const headroom_packet& packet, const char* function) const;
  // `compress` or `decompress` for packets from `begin` on; how many it has handled.
  [[nodiscard]] std::size_t call(std::size_t begin, std::uint64_t now_ns);
  [[nodiscard]] std::vector<GuardedOutput> drain(std::uint32_t capacity, std::uint64_t now_ns);

  Instance& instance_;
  std::uint32_t expansion_;
  std::uint32_t extra_room_ = 0;
  Octets arena_;
  Octets inputs_;
  std::vector<headroom_packet> packets_;
  std::vector<headroom_packet> expected_;
  std::vector<headroom_detail> details_;
  CallCosts* reverse_costs_ = nullptr;
  const Cycles* cycles_ = nullptr;
  double cost_of_reading_ = 0;
  std::vector<double> per_packet_;  // cycles, one entry a call
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_GUARDED_H
