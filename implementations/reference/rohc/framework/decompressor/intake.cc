// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/decompressor/intake.h"

#include <utility>

#include "mutants.h"
#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/segment.h"

namespace headroom::rohc {

Intake::Intake(const ChannelParameters& channel, std::vector<std::uint32_t> feedback_for, ArrivalCounters& counters)
    : channel_(channel), feedback_for_(std::move(feedback_for)), reassembly_(channel), counters_(counters) {}

std::int32_t Intake::take(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept {
  arrived = Arrived::kPacket;
  const std::int32_t status = unframe(channel, octets, framed, arrived);
  if (arrived != Arrived::kSegment) {
    if (!mutant("interrupted-segments-go-on") && reassembly_.abandon(channel)) ++counters_.abandoned;
    return status;
  }
  return status == HEADROOM_OK ? reassemble(channel, framed, arrived) : status;
}

// The steps of RFC 3095 5.2.6.
std::int32_t Intake::unframe(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept {
  wire::Reader in(octets);
  while (in.remaining() > 0 && in.peek() == wire::kPadding && !mutant("padding-not-skipped")) in.octet();  // step 1
  bool fed_back = false;
  while (in.remaining() > 0 && wire::is_feedback(in.peek())) {  // step 4
    const std::uint8_t* element = in.position();
    if (!wire::read_feedback_element(in)) return HEADROOM_ERR_MALFORMED;
    if (!mutant("feedback-not-passed-on"))
      pass_feedback_on(channel, {element, static_cast<std::size_t>(in.position() - element)});
    fed_back = true;
  }
  if (in.remaining() == 0) {
    arrived = Arrived::kFeedback;
    return fed_back ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
  }
  framed.header = in.rest();
  const bool add_cid = wire::is_add_cid(in.peek());  // step 2
  if (add_cid) framed.cid = in.octet() & (mutant("add-cid-cut") ? 0x07U : 0x0fU);
  if (in.remaining() == 0) return HEADROOM_ERR_MALFORMED;
  framed.first = in.octet();
  // Step 3, "an error has occurred", and octets that cannot begin a header here.
  if (wire::is_feedback(framed.first) || (framed.first & 0xf0) == 0xe0) return HEADROOM_ERR_MALFORMED;
  if (wire::is_segment(framed.first)) {          // step 5; with MRRU 0 there are no segments on this channel
    if (add_cid) return HEADROOM_ERR_MALFORMED;  // "It never carries a CID" (5.2.5.2)
    arrived = Arrived::kSegment;
    framed.rest = in.rest();
    return reassembly_.enabled() ? HEADROOM_OK : HEADROOM_ERR_UNSUPPORTED;
  }
  if (channel_.large_cids) {  // step 8
    const auto cid = wire::read_large_cid(in);
    if (add_cid || !cid) return HEADROOM_ERR_MALFORMED;
    framed.cid = *cid;
  }
  framed.rest = in.rest();
  return framed.cid <= channel_.max_cid ? HEADROOM_OK : HEADROOM_ERR_NO_CONTEXT;
}

// FEEDBACK_FOR: "to which other ROHC channel any feedback sent on this ROHC channel refers" (RFC 5795 5.1.2).
void Intake::pass_feedback_on(std::uint32_t channel, Octets element) noexcept {
  const std::uint32_t meant = feedback_for_.empty() ? channel : feedback_for_[channel];
  if (meant != kNoContext) received_feedback_.put(meant, element);
}

std::int32_t Intake::reassemble(std::uint32_t channel, Framed& framed, Arrived& arrived) noexcept {
  const bool final = (framed.first & wire::kFinalSegment) != 0;
  switch (reassembly_.add(channel, framed.rest, final)) {
    case Reassembly::Result::kUnfinished:
      return HEADROOM_NOTHING;
    case Reassembly::Result::kTooLong:
    case Reassembly::Result::kTooShort:
      return HEADROOM_ERR_MALFORMED;
    case Reassembly::Result::kBadCrc:
      return HEADROOM_ERR_CRC;
    case Reassembly::Result::kUnit:
      break;
  }
  // "Padding, segments, and feedback are not allowed in reconstructed packets" (5.2.6, step 5).
  const Octets unit = reassembly_.packet();
  if ((unit[0] == wire::kPadding && !mutant("padding-in-unit-accepted")) || wire::is_feedback(unit[0]) ||
      wire::is_segment(unit[0]))
    return HEADROOM_ERR_MALFORMED;
  ++counters_.reassembled;
  arrived = Arrived::kPacket;
  framed = {};
  return unframe(channel, unit, framed, arrived);
}

}  // namespace headroom::rohc
