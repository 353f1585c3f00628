// SPDX-License-Identifier: Apache-2.0
//
// Calls of an endpoint that trust nothing, as guarded.h has them for compressors and decompressors: one message at a
// time, its output buffer fresh, poisoned and fenced, everything that the ABI promises looked at.
#ifndef HEADROOM_ADAPTER_GUARDED_ENDPOINT_H
#define HEADROOM_ADAPTER_GUARDED_ENDPOINT_H

#include <cstdint>
#include <optional>
#include <string>

#include "adapter/guarded.h"
#include "adapter/instance.h"
#include "base/cycles.h"
#include "base/octets.h"

namespace headroom {

struct MessageOutput {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Octets octets;
  headroom_message_detail detail{};
  std::uint64_t cycles = 0;  // of the call, by the counter given to time_calls; 0 without one

  [[nodiscard]] bool came_out() const noexcept { return status == HEADROOM_OK; }
  // Nothing was complete on a stream.
  [[nodiscard]] bool is_none() const noexcept {
    return status == HEADROOM_NOTHING && detail.kind == HEADROOM_MESSAGE_NONE;
  }
};

// The words for headroom_message_kind: "compressed", "silent", "plain" …; empty for a value that the ABI does not know.
[[nodiscard]] const char* name_of_kind(std::uint8_t kind) noexcept;

class GuardedEndpoint {
 public:
  // Throws Error(adapter) when the table lacks a function that endpoints have. REQUIRES: the instance is an endpoint.
  explicit GuardedEndpoint(Instance& instance);

  // Throw PromiseBroken. `source` is as in headroom_packet.
  [[nodiscard]] MessageOutput compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns);
  [[nodiscard]] MessageOutput decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                         std::uint64_t now_ns);
  // The next outcome of what was decompressed last; nothing when there is none (any more). To be called until then.
  [[nodiscard]] std::optional<MessageOutput> drain(std::uint64_t now_ns);
  [[nodiscard]] bool accept(std::uint32_t compartment);
  // Of the message whose outcome was returned last, as it is now: after `accept` it says so.
  [[nodiscard]] headroom_message_detail detail();
  [[nodiscard]] std::optional<ReversePacket> take_reverse(std::uint64_t now_ns) {
    return guarded_.take_reverse(now_ns);
  }

  // Nothing when the adapter did it, else its sentence.
  [[nodiscard]] std::optional<std::string> open(std::uint32_t compartment, const Json& settings);
  [[nodiscard]] std::optional<std::string> control(const std::string& message) { return guarded_.control(message); }
  [[nodiscard]] bool close(std::uint32_t compartment);

  // From now on `cycles`, which must outlive this, counts what calls take.
  void time_calls(const Cycles& cycles);

  // From now on nothing is asked about messages that are compressed, as where an endpoint is in use: their detail is
  // empty.
  void ask_about_arrivals_only() noexcept { asks_about_compressed_ = false; }

  // From now on what calls cost is counted.
  void watch_costs() noexcept {
    watches_costs_ = true;
    guarded_.watch_reverse_costs(costs_);
  }
  // Of all calls since then together.
  [[nodiscard]] const CallCosts& costs() const noexcept { return costs_; }

  [[nodiscard]] Instance& instance() noexcept { return instance_; }
  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  [[nodiscard]] MessageOutput process(bool compressing, OctetView in, std::uint32_t compartment, std::uint32_t source,
                                      std::uint64_t now_ns);
  [[noreturn]] void broken(const char* function, const std::string& sentence) const;
  template <typename Call>
  auto calling(const char* function, Call&& call) const -> decltype(call());
  // `before`: the record as it was given. The outcome of `call`, which fills it.
  template <typename Call>
  [[nodiscard]] std::optional<MessageOutput> one(const char* function, headroom_packet& packet, Call&& call);
  void check_outcome(const headroom_packet& before, const headroom_packet& after, const char* function) const;
  void check_detail(const MessageOutput& output) const;

  Instance& instance_;
  Guarded guarded_;  // for control and reverse packets
  Octets arena_;
  Octets input_;
  bool drains_ = false;                      // the message given last may have further outputs
  std::size_t room_ = HEADROOM_MESSAGE_MAX;  // octets, of the last call
  const Cycles* cycles_ = nullptr;
  std::uint64_t cost_of_reading_ = 0;
  bool asks_about_compressed_ = true;
  bool watches_costs_ = false;
  mutable CallCosts costs_;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_GUARDED_ENDPOINT_H
