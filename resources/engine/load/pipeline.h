// SPDX-License-Identifier: Apache-2.0
//
// Pipeline is one direction of all flow pairs: generator -> compressor -> decompressor -> verification, a burst at a
// time. It is the measured loop: no allocation, no lock, no system call, no log.
#ifndef HEADROOM_LOAD_PIPELINE_H
#define HEADROOM_LOAD_PIPELINE_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "adapter/caller.h"
#include "base/cycles.h"
#include "base/random.h"
#include "load/generator.h"
#include "load/job.h"
#include "load/measure.h"
#include "load/order.h"
#include "load/packed.h"

namespace headroom::load {

// The buffers of one burst, reused by both directions, so that they stay in the first-level cache.
class BurstBuffers {
 public:
  BurstBuffers(std::uint32_t burst, std::size_t stride, std::uint32_t longest_payload, std::uint32_t longest_packet);

  [[nodiscard]] std::uint8_t* payload(std::uint32_t i) noexcept {
    return plain_.data() + i * plain_stride_ + payload_at_;
  }
  [[nodiscard]] std::size_t payload_stride() const noexcept { return plain_stride_; }  // from one payload to the next
  [[nodiscard]] std::uint8_t* link(std::uint32_t i) noexcept { return link_.data() + i * out_stride_; }
  [[nodiscard]] std::uint8_t* out(std::uint32_t i) noexcept { return out_.data() + i * out_stride_; }
  [[nodiscard]] std::uint32_t link_capacity() const noexcept { return link_capacity_; }
  [[nodiscard]] std::uint32_t out_capacity() const noexcept { return out_capacity_; }

 private:
  std::size_t payload_at_, plain_stride_, out_stride_;
  std::uint32_t link_capacity_, out_capacity_;
  Pages plain_, link_, out_;
};

class Pipeline {
 public:
  Pipeline(const Job& job, bool reverse, BurstBuffers& buffers, Generator& generator);

  // Makes the adapters' instances.
  void open();

  // Runs one burst: visits flows until `burst` packets are made or `visits` is used up, and carries the packets all the
  // way. Returns the number of visits used. `began` is the cycle count at its start, and is set to the count at its
  // end.
  std::uint64_t run_burst(std::uint64_t visits, std::uint64_t& began, PhaseMeasurement& measured) noexcept;

  [[nodiscard]] std::uint64_t tick() const noexcept { return tick_; }  // tick of the next visit
  [[nodiscard]] Generator& generator() noexcept { return generator_; }
  [[nodiscard]] const Instance& compressor() const noexcept { return *compressor_; }
  [[nodiscard]] const Instance& decompressor() const noexcept { return *decompressor_; }
  [[nodiscard]] std::uint64_t last_completion() const noexcept { return last_completion_; }
  [[nodiscard]] std::uint32_t last_packets() const noexcept { return last_packets_; }

 private:
  static constexpr std::uint32_t kAhead = 48;  // visits between the prefetch of a slot and its use
  static constexpr std::size_t kRing = 512;    // more than kAhead and the largest burst

  // The channel of a flow (RFC 5795 5.1.1).
  struct Channels {
    std::uint32_t channels, per_channel;
    unsigned shift;
    bool one, power_of_two;
    [[nodiscard]] std::uint32_t of(std::uint32_t flow) const noexcept {
      if (one) return 0;
      const std::uint32_t whole = power_of_two ? flow >> shift : flow / per_channel;  // the division is slow
      return whole < channels ? whole : whole % channels;
    }
  };

  [[nodiscard]] std::uint32_t generate(std::uint64_t& visits, PhaseMeasurement& measured) noexcept;
  template <typename Maker>
  [[nodiscard]] std::uint32_t generate_with(Maker maker, std::uint64_t& visits, PhaseMeasurement& measured) noexcept;
  // Compresses or decompresses, and drains.
  void process(const Instance& instance, std::vector<headroom_packet>& packets, std::uint32_t count,
               std::uint64_t now_ns, StatusCounts& statuses) noexcept;
  [[nodiscard]] std::uint32_t hand_over(std::uint32_t count, PhaseMeasurement& measured) noexcept;
  // Verifies `made` packets, of which `count` were given to the decompressor.
  void verify(std::uint32_t made, std::uint32_t count, PhaseMeasurement& measured) noexcept;
  // Returns how many packets on from a verified one the next stands: a random number, `verify_every` on average.
  [[nodiscard]] std::uint64_t draw_distance() noexcept;
  // Changes an octet of what an earlier packet has left in the buffers of the next packet to verify, if it is one of
  // `count`: an adapter that writes nothing there would otherwise pass.
  void spoil_buffers(std::uint32_t count) noexcept;
  // Charges each side with its calls, and the stage `feedback` with the rest, from the cycle count `began` on. Returns
  // that at the end.
  std::uint64_t carry_feedback(std::uint64_t now_ns, std::uint64_t began, PhaseMeasurement& measured) noexcept;

  // Runs a burst of a compressor that packs. Packets that wait in it at its deadline leave with the next burst.
  void run_packed(std::uint32_t count, std::uint64_t now_ns, PhaseMeasurement& measured) noexcept;
  void compress_packed(std::uint32_t count, std::uint64_t now_ns, PhaseMeasurement& measured) noexcept;
  void decompress_packed(std::span<const OutputList::Output> packets, std::uint64_t now_ns,
                         PhaseMeasurement& measured) noexcept;
  void verify_packed(PhaseMeasurement& measured) noexcept;
  // Drains into a list, until nothing is left or the list is full.
  void drain_into(OutputList& list, const Caller<Fast>& caller, std::uint64_t now_ns, StatusCounts& statuses) noexcept;

  const Job& job_;
  BurstBuffers& buffers_;
  Generator& generator_;
  std::unique_ptr<Instance> compressor_, decompressor_;
  Order order_;
  Cycles cycles_;
  std::array<std::uint32_t, kRing> ahead_{};  // flows to visit, from head_ to tail_
  std::uint64_t head_ = 0, tail_ = 0;
  std::uint32_t popped_in_tick_ = 0;
  std::uint64_t tick_ = 0;
  bool uniform_;
  Xoshiro256 chance_;  // not of the job's seed: no adapter may know which packets are verified
  std::uint64_t until_verify_;
  std::vector<headroom_packet> to_compress_, to_decompress_;
  std::vector<std::uint32_t> origin_;  // index in the burst of each packet to decompress
  std::vector<std::uint8_t> spare_;    // room for unused outputs and feedback
  bool carries_feedback_ = false;
  Channels channels_;
  struct PackedState {
    OutputList link, plain;
    SentPackets sent;
  };
  std::optional<PackedState> packed_;
  std::uint64_t verified_end_ = 0;  // cycles at the end of the last packed burst
  std::uint64_t last_completion_ = 0;
  std::uint32_t last_packets_ = 0;
};

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_PIPELINE_H
