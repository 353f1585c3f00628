// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/stream.h"

namespace headroom::sigcomp {

StreamReceiver::Event StreamReceiver::read(Octets& stream, udvm::Trace* trace) {
  outcome_ = nullptr;
  if (!begun_ && !stream.empty()) {
    begun_ = true;
    // Delimiters that nothing came before count as SigComp, too: their MSBs are 11111.
    plain_ = !is_sigcomp(stream.front());
  }
  if (plain_) return Event::kPlain;
  switch (reader_.read(stream)) {
    case RecordReader::Event::kMore:
      return Event::kMore;
    case RecordReader::Event::kMessage:
      outcome_ = &decompressor_.decompress(reader_.message(), Transport::kStream, trace);
      return Event::kMessage;
    case RecordReader::Event::kTooLong:
      return Event::kTooLong;
    case RecordReader::Event::kFramingError:
      break;
  }
  broken_ = true;
  return Event::kBroken;
}

Octets StreamReceiver::answer() {
  answer_.clear();
  Octets nack;
  if (broken_) {
    nack = decompressor_.framing_nack();
  } else if (outcome_ != nullptr) {
    nack = decompressor_.nack(reader_.message());
  }
  if (!nack.empty()) write_record(nack, answer_);
  return answer_;
}

}  // namespace headroom::sigcomp
