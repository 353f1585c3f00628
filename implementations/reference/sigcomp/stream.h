// SPDX-License-Identifier: Apache-2.0
//
// StreamReceiver puts a stream-based transport, such as a TCP connection, in front of a decompressor. It handles record
// marking (RFC 3320 4.2.2), uncompressed messages on the same port (RFC 5049 chapter 5) and NACKs to be sent back (RFC
// 4077 2.2). Each message is collected completely before it is decompressed (strategy 1 of RFC 3320 4.2.1); there is no
// continuous mode (RFC 5049 chapter 6).
#pragma once

#include <vector>

#include "sigcomp/decompressor.h"
#include "sigcomp/message/record_marking.h"

namespace headroom::sigcomp {

class StreamReceiver {
 public:
  enum class Event {
    kMore,     // all octets have been read without an event
    kMessage,  // a message has been decompressed; outcome() describes it
    kPlain,    // the stream is not SigComp: read() never takes an octet; the application reads the stream itself
    kTooLong,  // a message longer than decompression_memory_size was dropped; the stream goes on
    kBroken,   // a framing error; the transport should be closed. read() takes no more octets
  };

  // REQUIRES: `decompressor` outlives the receiver. Several receivers may share a decompressor if each outcome is
  // handled before the next read().
  explicit StreamReceiver(Decompressor& decompressor)
      : decompressor_(decompressor), reader_(decompressor.config().decompression_memory_size) {}

  // Reads octets and removes them from the front of `stream`, until there is an event.
  Event read(Octets& stream, udvm::Trace* trace = nullptr);

  // Returns the outcome of the last message. Valid after kMessage.
  [[nodiscard]] const Outcome& outcome() const noexcept { return *outcome_; }
  [[nodiscard]] Octets message() const noexcept { return reader_.message(); }  // the message without record marking

  // Returns the NACK to be sent back over the same connection, with record marking, or an empty span if there is none.
  // Valid after kMessage or kBroken, until the next call.
  [[nodiscard]] Octets answer();

 private:
  Decompressor& decompressor_;
  RecordReader reader_;
  const Outcome* outcome_ = nullptr;
  bool begun_ = false;
  bool plain_ = false;
  bool broken_ = false;
  std::vector<std::uint8_t> answer_;
};

}  // namespace headroom::sigcomp
