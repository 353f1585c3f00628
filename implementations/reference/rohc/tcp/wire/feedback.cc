// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/wire/feedback.h"

#include "mutants.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc::tcp {
namespace {

enum Option : std::uint8_t { kReject = 2, kMsnNotValid = 3, kMsn = 4, kContextMemory = 9 };

// CRC over the element with the CRC field as zero (8.3.1); the field is the third octet after the CID.
std::uint8_t crc_of(Octets element, std::size_t at) noexcept {
  constexpr std::uint8_t kZero = 0;
  const std::uint8_t state = wire::crc8({&kZero, 1}, wire::crc8(element.first(at)));
  return wire::crc8(element.subspan(at + 1), state);
}

}  // namespace

std::optional<Feedback> read_feedback(Octets element, std::size_t cid_octets) noexcept {
  if (element.size() <= cid_octets) return std::nullopt;
  wire::Reader in(element.subspan(cid_octets));
  Feedback f;
  if (in.remaining() == 1) {
    f.msn = in.octet();
    f.msn_bits = 8;
    return f;
  }
  const std::uint16_t first = in.two();
  const std::uint8_t crc = in.octet();
  if (!in.ok() || first >> 14 == 3) return std::nullopt;
  if (crc != crc_of(element, cid_octets + 2) && !mutant("tcp-feedback-crc-not-checked")) return std::nullopt;
  f.ack = static_cast<AckType>(first >> 14);
  f.msn = first & 0x3fff;
  f.has_crc = true;
  unsigned seen = 0;  // "Each ROHC-TCP feedback option can appear at most once"
  while (in.remaining() != 0) {
    const std::uint8_t head = in.octet();
    const unsigned type = head >> 4, length = head & 0x0fU;
    const std::uint8_t* data = in.take(length);
    if (data == nullptr) return std::nullopt;
    const bool known = type == kReject || type == kMsnNotValid || type == kMsn || type == kContextMemory;
    if (!known) continue;  // "MUST otherwise ignore the unknown option"
    if ((seen >> type & 1) != 0 || length != (type == kMsn ? 1U : 0U)) return std::nullopt;
    seen |= 1U << type;
    if (type == kMsn) {
      f.msn = static_cast<std::uint16_t>(f.msn << 2 | data[0] >> 6);
      f.msn_bits = 16;
    }
  }
  f.reject = (seen >> kReject & 1) != 0;
  f.msn_valid = (seen >> kMsnNotValid & 1) == 0;
  f.context_memory = (seen >> kContextMemory & 1) != 0;
  if (!f.msn_valid && f.msn_bits == 16) return std::nullopt;
  return f;
}

void write_feedback(wire::Writer& out, Octets cid, const Feedback& f, std::uint16_t msn) noexcept {
  const std::size_t start = out.size();
  out.octets(cid);
  if (f.msn_bits == 8) {
    out.octet(static_cast<std::uint8_t>(msn));
    return;
  }
  const unsigned bits = f.msn_bits == 16 ? msn >> 2 : msn & 0x3fffU;
  out.two(static_cast<std::uint16_t>(static_cast<unsigned>(f.ack) << 14 | bits));
  std::uint8_t* const crc = out.take(1);
  if (crc == nullptr) return;
  *crc = 0;
  if (f.reject) out.octet(kReject << 4);
  if (!f.msn_valid) out.octet(kMsnNotValid << 4);
  if (f.msn_bits == 16) {
    out.octet(kMsn << 4 | 1);
    out.octet(static_cast<std::uint8_t>(msn << 6));
  }
  if (f.context_memory) out.octet(kContextMemory << 4);
  const Octets element = out.written().subspan(start);
  if (out.ok()) *crc = crc_of(element, cid.size() + 2);
}

}  // namespace headroom::rohc::tcp
