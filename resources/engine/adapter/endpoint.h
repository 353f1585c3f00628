// SPDX-License-Identifier: Apache-2.0
//
// An endpoint of an adapter (headroom_messages.h) as a P-CSCF, a UE or a node uses it: one message at a time, and
// no more looked at than keeps its caller safe.
#ifndef HEADROOM_ADAPTER_ENDPOINT_H
#define HEADROOM_ADAPTER_ENDPOINT_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "adapter/caller.h"

namespace headroom {

// MessageRoom has room for the output of a message, whatever the adapter writes. One for each thread.
class MessageRoom {
 public:
  explicit MessageRoom(std::size_t longest_message)
      : octets_(std::max<std::size_t>(HEADROOM_MESSAGE_MAX, 2 * longest_message + HEADROOM_MESSAGE_EXPANSION)) {}
  [[nodiscard]] std::uint8_t* data() noexcept { return octets_.data(); }
  // As far as the ABI promises it for an input of `in` octets, and no further.
  [[nodiscard]] std::size_t for_compressing(std::size_t in) const noexcept {
    return std::min(octets_.size(), 2 * in + HEADROOM_MESSAGE_EXPANSION);
  }
  [[nodiscard]] std::size_t for_decompressing(std::size_t in) const noexcept {
    return std::min(octets_.size(), std::max<std::size_t>(HEADROOM_MESSAGE_MAX, in));
  }

 private:
  Octets octets_;
};

struct Made {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  OctetView octets;       // in the MessageRoom
  bool accepted = false;  // or there was nothing to accept
};

// Every function throws PromiseBroken when the adapter breaks a promise of the ABI.
class Endpoint {
 public:
  // Throws Error(adapter) when the adapter refuses. `compartment`: what open() tells of each; null: nothing.
  Endpoint(const AdapterJob& job, const Json& compartment);

  // Throws Error(adapter) with the adapter's sentence when it refuses.
  void open(std::uint32_t compartment);
  void close(std::uint32_t compartment);

  // `most`: octets that what comes of it may have; where they do not suffice, HEADROOM_ERR_NO_SPACE, and the adapter
  // takes the message for one that was never sent.
  [[nodiscard]] Made compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns, MessageRoom& room,
                              std::size_t most = ~std::size_t{0});
  // A datagram whose compartment only its output tells. `accept_as`: the compartment that the application names then,
  // HEADROOM_NO_SESSION for none.
  [[nodiscard]] Made decompress(OctetView message, std::uint32_t source, std::uint32_t accept_as, std::uint64_t now_ns,
                                MessageRoom& room);
  // The application names the compartment of the message decompressed last, which was not accepted yet. True also when
  // that message asks for nothing.
  [[nodiscard]] bool accept(std::uint32_t compartment);
  // The next message that the endpoint wants sent by itself, a NACK, valid until the next call; empty when there is
  // none (any more).
  [[nodiscard]] OctetView take_reverse();

  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] Made process(bool compressing, headroom_packet packet, std::uint64_t now_ns);

  Instance instance_;
  Caller<Safe> caller_;
  std::string compartment_;
  std::uint64_t now_ns_ = 0;  // which never goes back
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> reverse_{};
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_ENDPOINT_H
