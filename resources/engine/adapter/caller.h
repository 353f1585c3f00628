// SPDX-License-Identifier: Apache-2.0
//
// Caller calls an adapter's functions. A policy determines the reaction to an exception that the adapter lets out, and
// to an answer that the ABI does not allow:
//
//   Fast ...... nothing is caught; a loop over calls ends at such an answer. For loops that are measured.
//   Safe ...... both become PromiseBroken.
//   Watched ... as Safe, and what calls cost is counted; for callers that check each promise (checked.h).
//
// Calls are inlined, allocate nothing, and cost only what the policy adds.
#ifndef HEADROOM_ADAPTER_CALLER_H
#define HEADROOM_ADAPTER_CALLER_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "adapter/promise_broken.h"
#include "base/octets.h"

namespace headroom {

struct Fast {
  template <typename Call>
  static auto call(headroom_role, const char*, Call&& call) -> decltype(call()) {
    return call();
  }
  template <typename Sentence>
  static void broken(headroom_role, const char*, Sentence&&) noexcept {}
};

struct Safe {
  template <typename Call>
  static auto call(headroom_role role, const char* function, Call&& call) -> decltype(call()) {
    return call_safely(role, function, call);
  }
  // Throws PromiseBroken with the sentence that `sentence()` returns.
  template <typename Sentence>
  [[noreturn]] static void broken(headroom_role role, const char* function, Sentence&& sentence) {
    throw PromiseBroken(role, function, sentence());
  }
};

// The status of a record before a call, which the adapter must replace; not a headroom_status.
inline constexpr std::int32_t kNoStatus = 0x5EADBEEF;
// The content of details before a call: no field is known.
inline constexpr headroom_detail kUnknownDetail = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};

struct PacketInput {
  OctetView octets;
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
};

struct PacketOutput {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Octets octets;
  headroom_detail detail{};
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
  std::uint32_t channel = 0;         // channel of the input, or the channel that `drain` reports
  std::vector<PacketOutput> more{};  // further outputs that `drain` returned

  [[nodiscard]] bool came_out() const noexcept { return status == HEADROOM_OK; }
};

// Returns the outputs of one packet, in order, as inputs of the other side. They are views into `output`.
[[nodiscard]] std::vector<PacketInput> link_packets_of(const PacketOutput& output);

struct ReversePacket {
  Octets octets;
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_REVERSE_NEAR;
};

// Returns a record for `input`, with the output buffer `out`.
[[nodiscard]] constexpr headroom_packet record_of(const PacketInput& input, std::uint8_t* out, std::size_t capacity,
                                                  std::int32_t status = kNoStatus) noexcept {
  return {.in = input.octets.data(),
          .out = out,
          .in_length = static_cast<std::uint32_t>(input.octets.size()),
          .out_capacity = static_cast<std::uint32_t>(capacity),
          .channel = input.channel,
          .out_length = 0,
          .status = status,
          .source = 0,
          .in_type = input.type,
          .out_type = HEADROOM_TYPE_DEFAULT,
          .more = 0};
}

// Returns a sentence about what is wrong with the outcome of a packet that had room for `capacity` octets, or an empty
// string.
[[nodiscard]] std::string outcome_defect(const headroom_packet& packet, std::uint32_t capacity, bool may_be_empty);

// Throws Error(adapter) at `where` if the adapter lacks an extension that endpoints need.
void require_endpoint(const Instance& instance, const std::string& where = {});

[[nodiscard]] constexpr const char* name_of_function(bool compressing) noexcept {
  return compressing ? "compress" : "decompress";
}

// Functions through which all calls for packets go. The compiler keeps them apart, so that a profile shows the time
// that an adapter spends in each role, whatever the names of its own functions. They cost about a nanosecond for each
// call, not for each packet.
using PacketFunction = decltype(headroom_api::compress);
[[gnu::noinline]] inline std::size_t compress_in_adapter(PacketFunction function, headroom_instance* self,
                                                         headroom_packet* packets, std::size_t count,
                                                         std::uint64_t now_ns, headroom_detail* details) {
  const std::size_t done = function(self, packets, count, now_ns, details);
  asm volatile("");  // prevents a tail call, which a profile would not show
  return done;
}
[[gnu::noinline]] inline std::size_t decompress_in_adapter(PacketFunction function, headroom_instance* self,
                                                           headroom_packet* packets, std::size_t count,
                                                           std::uint64_t now_ns, headroom_detail* details) {
  const std::size_t done = function(self, packets, count, now_ns, details);
  asm volatile("");
  return done;
}

template <typename Policy>
class Caller {
 public:
  explicit Caller(const Instance& instance, Policy policy = {}) noexcept
      : Caller(instance.library(), instance.self(), instance.role(), policy) {}
  Caller(const Library& library, headroom_instance* self, headroom_role role, Policy policy = {}) noexcept
      : library_(&library), self_(self), role_(role), policy_(policy) {}

  // ---- one call
  std::size_t process(bool compressing, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                      headroom_detail* details = nullptr) const {
    headroom_instance* const self = self_;
    return policy_.call(role_, name_of_function(compressing), [&] {
      return compressing ? compress_in_adapter(api().compress, self, packets, count, now_ns, details)
                         : decompress_in_adapter(api().decompress, self, packets, count, now_ns, details);
    });
  }
  // Functions with a has_… function REQUIRE that the adapter has the function.
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details = nullptr) const {
    headroom_instance* const self = self_;
    return policy_.call(role_, "drain", [&] {
      return role_ == HEADROOM_DECOMPRESSOR ? decompress_in_adapter(api().drain, self, packets, count, now_ns, details)
                                            : compress_in_adapter(api().drain, self, packets, count, now_ns, details);
    });
  }
  [[nodiscard]] bool has_drain() const noexcept { return api().drain != nullptr; }
  [[nodiscard]] std::uint64_t next_deadline() const {
    const headroom_instance* const self = self_;
    return policy_.call(role_, "next_deadline", [&] { return api().next_deadline(self); });
  }
  [[nodiscard]] bool has_next_deadline() const noexcept { return api().next_deadline != nullptr; }
  std::size_t take_reverse(headroom_packet* packets, std::size_t count, std::uint64_t now_ns) const {
    return call("take_reverse", api().take_reverse, packets, count, now_ns);
  }
  [[nodiscard]] bool has_take_reverse() const noexcept { return api().take_reverse != nullptr; }
  std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t now_ns) const {
    return call("give_reverse", api().give_reverse, packets, count, now_ns);
  }
  [[nodiscard]] bool has_give_reverse() const noexcept { return api().give_reverse != nullptr; }
  std::int32_t control(const char* json, char* error, std::size_t capacity) const {
    return call("control", api().control, json, error, capacity);
  }
  [[nodiscard]] bool has_control() const noexcept { return api().control != nullptr; }
  std::size_t statistics(char* json, std::size_t capacity) const {
    return policy_.call(role_, "statistics", [&] { return api().statistics(self_, json, capacity); });
  }

  // ---- extensions. REQUIRE: the adapter has them.
  std::int32_t open(std::uint32_t session, const char* json, char* error, std::size_t capacity) const {
    return call("sessions.open", library_->sessions()->open, session, json, error, capacity);
  }
  [[nodiscard]] bool close(std::uint32_t session) const {
    return call("sessions.close", library_->sessions()->close, session) == 1;
  }
  std::int32_t accept(std::uint32_t session) const {
    return call("messages.accept", library_->messages()->accept, session);
  }
  [[nodiscard]] bool has_detail() const noexcept { return library_->messages()->detail != nullptr; }
  void detail(headroom_message_detail& detail) const {
    policy_.call(role_, "messages.detail", [&] { library_->messages()->detail(self_, &detail); });
  }

  // ---- shorter forms, which most callers need. Throw PromiseBroken as the policy says.

  // Processes all packets, in as many calls as the adapter needs. After each call, `handled(begin, end)` is called for
  // the packets that the adapter has handled; it also drains. Stops if the adapter returns an impossible number of
  // packets.
  template <typename Handled>
  void process_all(bool compressing, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                   headroom_detail* details, Handled&& handled) const {
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t left = count - begin;
      const std::size_t n =
          process(compressing, packets + begin, left, now_ns, details != nullptr ? details + begin : nullptr);
      if (n == 0 || n > left) [[unlikely]] {
        broken(name_of_function(compressing), [&] {
          return "it returned " + std::to_string(n) + " as the number of packets that it has handled, of " +
                 std::to_string(left) + "; there is at least one.";
        });
        return;
      }
      handled(begin, begin + n);
      begin += n;
    }
  }

  // Drains into copies of `record` until nothing is left, and calls `take(record)` for each output. Stops at `most`
  // outputs, more than the adapter can have.
  template <typename Take>
  void drain_all(bool compressing, const headroom_packet& record, std::size_t most, std::uint64_t now_ns,
                 Take&& take) const {
    if (!has_drain())
      return broken(name_of_function(compressing), [] { return "its packet has more outputs, and drain is NULL."; });
    for (std::size_t outputs = 0;; ++outputs) {
      headroom_packet output = record;
      if (drain(&output, 1, now_ns) == 0) return;
      if (outputs == most) return broken("drain", [] { return "it never comes to an end."; });
      take(output);
    }
  }

  // Returns the next reverse packet, which lies in `room` (HEADROOM_REVERSE_MAX octets), or nothing if none waits or
  // the adapter has no such function.
  struct Reverse {
    OctetView octets;
    std::uint32_t channel;
    std::uint16_t type;
  };
  [[nodiscard]] std::optional<Reverse> next_reverse(std::uint8_t* room, std::uint64_t now_ns) const {
    if (!has_take_reverse()) return std::nullopt;
    headroom_packet packet = record_of({}, room, HEADROOM_REVERSE_MAX, HEADROOM_OK);
    const std::size_t taken = take_reverse(&packet, 1, now_ns);
    if (taken == 0) return std::nullopt;
    if (taken != 1 || packet.out_length == 0 || packet.out_length > HEADROOM_REVERSE_MAX) {
      broken("take_reverse", [&] {
        return "it claims a packet of " + std::to_string(packet.out_length) + " octets in a buffer of " +
               std::to_string(HEADROOM_REVERSE_MAX) + ".";
      });
      return std::nullopt;
    }
    return Reverse{{room, packet.out_length}, packet.channel, packet.out_type};
  }

  // Passes one reverse packet to the adapter. Returns true if the adapter has taken it.
  bool give_reverse(const PacketInput& reverse, std::uint64_t now_ns) const {
    if (!has_give_reverse()) return false;
    headroom_packet packet = record_of(reverse, nullptr, 0, HEADROOM_ERR_INTERNAL);
    give_reverse(&packet, 1, now_ns);
    return packet.status == HEADROOM_OK;
  }

  // Sends a message to the adapter. Returns nothing if the adapter carried it out, or the adapter's sentence if it
  // refused.
  [[nodiscard]] std::optional<std::string> control(const std::string& message) const {
    if (!has_control()) return "the adapter has no control function.";
    return refusal("control", [&](char* error, std::size_t room) { return control(message.c_str(), error, room); });
  }
  [[nodiscard]] std::optional<std::string> open(std::uint32_t session, const char* json) const {
    return refusal("sessions.open", [&](char* error, std::size_t room) { return open(session, json, error, room); });
  }

  template <typename Sentence>
  void broken(const char* function, Sentence&& sentence) const {
    policy_.broken(role_, function, sentence);
  }

  [[nodiscard]] headroom_role role() const noexcept { return role_; }
  [[nodiscard]] Policy& policy() noexcept { return policy_; }
  [[nodiscard]] const Policy& policy() const noexcept { return policy_; }

 private:
  [[nodiscard]] const headroom_api& api() const noexcept { return library_->api(); }

  template <typename Function, typename... Arguments>
  auto call(const char* name, Function* function, Arguments... arguments) const {
    return policy_.call(role_, name, [&] { return function(self_, arguments...); });
  }

  template <typename Ask>
  [[nodiscard]] std::optional<std::string> refusal(const char* function, Ask&& ask) const {
    char sentence[1024] = "";
    if (ask(sentence, sizeof sentence) == 1) return std::nullopt;
    const std::size_t length = strnlen(sentence, sizeof sentence);
    if (length == 0) broken(function, [] { return "it refuses without a sentence."; });
    return std::string(sentence, length);
  }

  const Library* library_;
  headroom_instance* self_;
  headroom_role role_;
  [[no_unique_address]] Policy policy_;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_CALLER_H
