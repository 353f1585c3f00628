// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/record_marking.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::sigcomp {
namespace {

constexpr std::uint8_t kMark = 0xff;
constexpr std::uint8_t kMostQuoted = 0x7f;

}  // namespace

void RecordReader::take(std::uint8_t octet) {
  if (message_.size() < most_) {
    message_.push_back(octet);
  } else {
    too_long_ = true;
  }
}

RecordReader::Event RecordReader::read(Octets& stream) {
  if (broken_) return Event::kFramingError;
  if (done_) {
    message_.clear();
    done_ = false;
  }
  while (!stream.empty()) {
    const std::uint8_t octet = stream.front();
    stream = stream.subspan(1);
    if (quoted_ > 0) {
      take(octet);
      --quoted_;
    } else if (!marked_) {
      if (octet == kMark) {
        marked_ = true;
      } else {
        take(octet);
      }
    } else {
      marked_ = false;
      if (octet <= kMostQuoted - (mutant("sigcomp-no-quote-of-127") ? 1 : 0)) {
        take(kMark);
        quoted_ = mutant("sigcomp-quotes-one-less") && octet > 0 ? octet - 1 : octet;
      } else if (octet != kMark) {
        broken_ = true;
        return Event::kFramingError;
      } else if (too_long_) {
        too_long_ = false;
        message_.clear();
        return Event::kTooLong;
      } else if (!message_.empty()) {
        done_ = true;
        return Event::kMessage;
      }
    }
  }
  return Event::kMore;
}

void write_record(Octets message, std::vector<std::uint8_t>& stream) {
  for (auto at = message.begin(); at != message.end();) {
    stream.push_back(*at);
    if (*at++ != kMark || mutant("sigcomp-sends-unquoted")) continue;
    // Quotes as far as the last 0xFF within reach.
    const auto reach = at + std::min<std::ptrdiff_t>(kMostQuoted, message.end() - at);
    auto end = reach;
    while (end != at && *(end - 1) != kMark) --end;
    stream.push_back(static_cast<std::uint8_t>(end - at));
    stream.insert(stream.end(), at, end);
    at = end;
  }
  stream.insert(stream.end(), {kMark, kMark});
}

}  // namespace headroom::sigcomp
