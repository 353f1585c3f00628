// SPDX-License-Identifier: Apache-2.0
//
// A stream-based transport, such as a TCP connection, in front of a decompressor: record marking (RFC 3320 4.2.2),
// plain messages on the same port (RFC 5049 chapter 5), NACKs back (RFC 4077 2.2). Each message is collected before it
// is decompressed, strategy 1 of RFC 3320 4.2.1; there is no continuous mode (RFC 5049 chapter 6).
#pragma once

#include <vector>

#include "sigcomp/decompressor.h"
#include "sigcomp/message/record_marking.h"

namespace headroom::sigcomp {

class StreamReceiver {
 public:
  enum class Event {
    kMore,     // all octets are taken, and there is no event
    kMessage,  // outcome() is about one more message
    kPlain,    // the stream does not begin as SigComp: nothing is taken, now and later; it is for the application
    kTooLong,  // a message exceeded decompression_memory_size and has been dropped; the stream goes on
    kBroken,   // a framing error; the transport should be closed. Nothing is taken any more
  };

  // `decompressor` outlives the receiver; several may share it, as long as each outcome is dealt with at once.
  explicit StreamReceiver(Decompressor& decompressor)
      : decompressor_(decompressor), reader_(decompressor.config().decompression_memory_size) {}

  // Takes octets from the front of `stream`, which moves on behind them, until there is an event.
  Event read(Octets& stream, udvm::Trace* trace = nullptr);

  // After kMessage.
  [[nodiscard]] const Outcome& outcome() const noexcept { return *outcome_; }
  [[nodiscard]] Octets message() const noexcept { return reader_.message(); }  // without record marking

  // After kMessage or kBroken: the NACK to be sent back over the same connection, with its record marking; empty when
  // there is none to send. Valid until the next call.
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
