// SPDX-License-Identifier: Apache-2.0
//
// Calls of an endpoint that trust nothing, as checked.h has them for compressors and decompressors, one message at a
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
  std::uint64_t cycles = 0;  // of the call, by the counter given to time_calls; 0 without one

  [[nodiscard]] bool came_out() const noexcept { return status == HEADROOM_OK; }
  // Nothing was complete on a stream.
  [[nodiscard]] bool is_none() const noexcept {
    return status == HEADROOM_NOTHING && detail.kind == HEADROOM_MESSAGE_NONE;
  }
};

// The words for headroom_message_kind: "compressed", "silent", "plain" …; empty for a value that the ABI does not know.
[[nodiscard]] const char* name_of_kind(std::uint8_t kind) noexcept;

class CheckedEndpoint : public CheckedInstance {
 public:
  // Throws Error(adapter) when the table lacks a function that endpoints have. REQUIRES: the instance is an endpoint.
  explicit CheckedEndpoint(Instance& instance);

  // Throw PromiseBroken. `source` is as in headroom_packet.
  [[nodiscard]] MessageOutput compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns);
  [[nodiscard]] MessageOutput decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                         std::uint64_t now_ns);
  // The next outcome of what was decompressed last; nothing when there is none (any more). To be called until then.
  [[nodiscard]] std::optional<MessageOutput> drain(std::uint64_t now_ns);
  [[nodiscard]] bool accept(std::uint32_t compartment);
  // The current detail of the message whose outcome was returned last: after `accept` it says so.
  [[nodiscard]] headroom_message_detail detail();

  // Nothing when the adapter did it, else its sentence.
  [[nodiscard]] std::optional<std::string> open(std::uint32_t compartment, const Json& settings);
  [[nodiscard]] bool close(std::uint32_t compartment) { return caller_.close(compartment); }

  // From now on the detail of compressed messages is not requested and stays empty, as in an application.
  void ask_about_arrivals_only() noexcept { asks_about_compressed_ = false; }

 private:
  [[nodiscard]] Filled process(bool compressing, OctetView in, std::uint32_t compartment, std::uint32_t source,
                               std::uint64_t now_ns);
  [[nodiscard]] MessageOutput output_of(Filled filled, bool asks);
  void check_detail(const MessageOutput& output) const;

  bool drains_ = false;                      // the message given last may have further outputs
  std::size_t room_ = HEADROOM_MESSAGE_MAX;  // octets, of the last call
  bool asks_about_compressed_ = true;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_CHECKED_ENDPOINT_H
