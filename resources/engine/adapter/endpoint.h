// SPDX-License-Identifier: Apache-2.0
//
// Endpoint is an adapter's endpoint (headroom_messages.h) as a P-CSCF, a UE or a node uses it: one message at a time,
// with only the checks that keep the caller safe.
#ifndef HEADROOM_ADAPTER_ENDPOINT_H
#define HEADROOM_ADAPTER_ENDPOINT_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "adapter/caller.h"

namespace headroom {

// MessageRoom has room for the output of a message, whatever the adapter writes. Each thread has one.
class MessageRoom {
 public:
  explicit MessageRoom(std::size_t longest_message)
      : octets_(std::max<std::size_t>(HEADROOM_MESSAGE_MAX, 2 * longest_message + HEADROOM_MESSAGE_EXPANSION)) {}
  [[nodiscard]] std::uint8_t* data() noexcept { return octets_.data(); }
  // Returns the room that the ABI promises for an input of `in` octets, and no more.
  [[nodiscard]] std::size_t for_compressing(std::size_t in) const noexcept {
    return std::min(octets_.size(), 2 * in + HEADROOM_MESSAGE_EXPANSION);
  }
  [[nodiscard]] std::size_t for_decompressing(std::size_t in) const noexcept {
    return std::min(octets_.size(), std::max<std::size_t>(HEADROOM_MESSAGE_MAX, in));
  }

 private:
  Octets octets_;
};

struct MessageResult {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  OctetView octets;       // the output, in the MessageRoom
  bool accepted = false;  // True if the message was accepted, or there was nothing to accept
};

// All functions throw PromiseBroken if the adapter breaks a promise of the ABI.
class Endpoint {
 public:
  // Makes the endpoint. `compartment` is the settings for each open(); null: no settings. Throws Error(adapter) if the
  // adapter refuses.
  Endpoint(const AdapterJob& job, const Json& compartment);

  // Opens a compartment. Throws Error(adapter) with the adapter's sentence if it refuses.
  void open(std::uint32_t compartment);
  void close(std::uint32_t compartment);

  // Compresses a message. `most` is the largest allowed output in octets; if it does not suffice, the status is
  // HEADROOM_ERR_NO_SPACE, and the adapter treats the message as never sent.
  [[nodiscard]] MessageResult compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns,
                                       MessageRoom& room, std::size_t most = ~std::size_t{0});
  // Decompresses a datagram whose compartment follows from its output. `accept_as` is the compartment that the
  // application then names; HEADROOM_NO_SESSION: none.
  [[nodiscard]] MessageResult decompress(OctetView message, std::uint32_t source, std::uint32_t accept_as,
                                         std::uint64_t now_ns, MessageRoom& room);
  // Accepts the last decompressed message for the compartment that the application names. REQUIRES: the message has not
  // been accepted yet. Returns true if the adapter has accepted it, or if the message had arrived uncompressed, so that
  // there was nothing to accept.
  [[nodiscard]] bool accept(std::uint32_t compartment);
  // Returns the next message that the endpoint itself wants sent, a NACK, or an empty view if there is none. Valid
  // until the next call.
  [[nodiscard]] OctetView take_reverse();

  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] MessageResult process(bool compressing, headroom_packet packet, std::uint64_t now_ns);

  Instance instance_;
  Caller<Safe> caller_;
  std::string compartment_;
  std::uint64_t now_ns_ = 0;  // never decreases
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> reverse_{};
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_ENDPOINT_H
