// SPDX-License-Identifier: Apache-2.0
//
// Messages on a stream: the record marking of RFC 3320 4.2.2.
#pragma once

#include <vector>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

// RecordReader splits a stream into messages, whatever the pieces in which the stream arrives.
class RecordReader {
 public:
  enum class Event {
    kMore,          // all octets have been read; the message is not complete
    kMessage,       // message() is complete
    kTooLong,       // the message has more than `most` octets; the reader skips the rest of it
    kFramingError,  // 0xFF80 to 0xFFFE: "the decompressor SHOULD close the stream-based transport in this case"
  };

  // `most` is the limit on the octets of a message without quoting, and on the memory that the reader uses.
  explicit RecordReader(std::size_t most) : most_(most) {}

  // Reads octets and removes them from the front of `stream`, until there is an event. After a framing error nothing is
  // read any more.
  Event read(Octets& stream);

  // Returns the last message. Valid after kMessage, until the next read(). The message is never empty, because
  // consecutive delimiters delimit no message (RFC 4465 3.4).
  [[nodiscard]] Octets message() const noexcept { return message_; }

 private:
  void take(std::uint8_t octet);

  std::size_t most_;
  std::vector<std::uint8_t> message_;
  unsigned quoted_ = 0;  // number of octets that are still to be copied literally
  bool marked_ = false;  // 0xFF has been read, and the octet that tells its meaning has not
  bool done_ = false;    // True after kMessage: the next octet begins a new message
  bool too_long_ = false;
  bool broken_ = false;
};

// Appends `message` to `stream`, with quoting and the delimiter. Record marking adds one octet for each 0xFF that is
// not quoted by an earlier 0xFF (1/128 of the message at worst), and two octets for the delimiter.
void write_record(Octets message, std::vector<std::uint8_t>& stream);

}  // namespace headroom::sigcomp
