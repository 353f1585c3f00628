// SPDX-License-Identifier: Apache-2.0
//
// Calls of an endpoint that check everything, as checked.h does for compressors and decompressors, one message at a
// time.
#ifndef HEADROOM_ADAPTER_CHECKED_ENDPOINT_H
#define HEADROOM_ADAPTER_CHECKED_ENDPOINT_H

#include <cstdint>
#include <optional>
#include <string>

#include "adapter/checked.h"

namespace headroom {

struct MessageOutput {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Octets octets;
  headroom_message_detail detail{};
  std::uint64_t cycles = 0;  // cycles of the call, by the counter given to time_calls; 0 without a counter

  [[nodiscard]] bool came_out() const noexcept { return status == HEADROOM_OK; }
  // True if no message of the stream was complete.
  [[nodiscard]] bool is_none() const noexcept {
    return status == HEADROOM_NOTHING && detail.kind == HEADROOM_MESSAGE_NONE;
  }
};

// Returns the name of a headroom_message_kind: "compressed", "silent", "plain" …; empty for an unknown value.
[[nodiscard]] const char* name_of_kind(std::uint8_t kind) noexcept;

class CheckedEndpoint : public CheckedInstance {
 public:
  // Throws Error(adapter) if the table lacks a function that endpoints need. REQUIRES: the instance is an endpoint.
  explicit CheckedEndpoint(Instance& instance);

  // Compress or decompress a message. Throw PromiseBroken. `source` is as in headroom_packet.
  [[nodiscard]] MessageOutput compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns);
  [[nodiscard]] MessageOutput decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                         std::uint64_t now_ns);
  // Returns the next outcome of the last decompressed octets, or nothing if there is none. REQUIRES: the caller calls
  // it until it returns nothing.
  [[nodiscard]] std::optional<MessageOutput> drain(std::uint64_t now_ns);
  [[nodiscard]] bool accept(std::uint32_t compartment);
  // Returns the current detail of the message whose outcome was returned last. It reflects a call of `accept`.
  [[nodiscard]] headroom_message_detail detail();

  // Sends a message to the adapter. Returns nothing if the adapter carried it out, or the adapter's sentence.
  [[nodiscard]] std::optional<std::string> open(std::uint32_t compartment, const Json& settings);
  [[nodiscard]] bool close(std::uint32_t compartment) { return caller_.close(compartment); }

  // Stops requesting the detail of compressed messages, as in an application: it stays empty.
  void ask_about_arrivals_only() noexcept { asks_about_compressed_ = false; }

 private:
  [[nodiscard]] Filled process(bool compressing, OctetView in, std::uint32_t compartment, std::uint32_t source,
                               std::uint64_t now_ns);
  [[nodiscard]] MessageOutput output_of(Filled filled, bool asks);
  void check_detail(const MessageOutput& output) const;

  bool drains_ = false;                      // True if the last message may have further outputs
  std::size_t room_ = HEADROOM_MESSAGE_MAX;  // octets of room in the last call
  bool asks_about_compressed_ = true;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_CHECKED_ENDPOINT_H
