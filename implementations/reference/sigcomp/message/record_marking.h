// SPDX-License-Identifier: Apache-2.0
//
// Messages on a stream: the record marking of RFC 3320 4.2.2.
#pragma once

#include <vector>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

// Takes a stream apart into messages, whatever the pieces in which it arrives.
class RecordReader {
 public:
  enum class Event {
    kMore,          // all octets are taken; the message goes on
    kMessage,       // message() is complete
    kTooLong,       // the message has more than `most` octets; the rest of it is passed over, up to its end
    kFramingError,  // 0xFF80 to 0xFFFE: "the decompressor SHOULD close the stream-based transport in this case"
  };

  // `most`: octets of a message, without quoting; all that is ever kept.
  explicit RecordReader(std::size_t most) : most_(most) {}

  // Takes octets from the front of `stream`, which moves on behind them, until there is an event. After a framing
  // error nothing is taken any more.
  Event read(Octets& stream);

  // After kMessage, until the next read(): never empty, for delimiters in a row delimit nothing (RFC 4465 3.4).
  [[nodiscard]] Octets message() const noexcept { return message_; }

 private:
  void take(std::uint8_t octet);

  std::size_t most_;
  std::vector<std::uint8_t> message_;
  unsigned quoted_ = 0;  // octets that are still to be copied literally
  bool marked_ = false;  // 0xFF has come, and what it means has not
  bool done_ = false;    // message() has been handed out
  bool too_long_ = false;
  bool broken_ = false;
};

// Appends `message` with its quoting and the delimiter behind it. It grows by one octet for each 0xFF that is not
// quoted with one before it (by 1/128 at worst), and two for the delimiter.
void write_record(Octets message, std::vector<std::uint8_t>& stream);

}  // namespace headroom::sigcomp
