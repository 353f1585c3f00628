// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/wire/base_header.h"

#include "mutants.h"

namespace headroom::rohc::wire {
namespace {

constexpr std::uint8_t octet(unsigned v) noexcept { return static_cast<std::uint8_t>(v); }

constexpr Bits bits(unsigned value, unsigned width) noexcept {
  return {value & ((1U << width) - 1), static_cast<std::uint8_t>(width)};
}

// Second octet of the type 1 formats of RTP: M or X, SN (4), CRC (3).
unsigned second_of_type_1(bool flag, const BaseHeader& h) noexcept {
  return (flag ? 0x80U : 0U) | low(h.sn, 4) << 3 | (h.crc & 7U);
}

// Second octet of the type 2 formats of RTP: T or the last bit of TS, M, SN (6).
unsigned second_of_type_2(unsigned top, const BaseHeader& h) noexcept {
  return top << 7 | (h.marker ? 0x40U : 0U) | low(h.sn, 6);
}

void write_rtp(Writer& out, const CidOctets& cid, const BaseHeader& h) noexcept {
  const unsigned crc_octet = (h.extension ? 0x80U : 0U) | (h.crc & 0x7fU);
  switch (h.type) {
    case PacketType::kUo1:  // 10 TS(6) | M SN(4) CRC(3)
      write_first_octet(out, cid, octet(0x80U | low(h.ts, 6)));
      out.octet(octet(second_of_type_1(h.marker, h)));
      break;
    case PacketType::kUo1Id:  // 10 T=0 ID(5) | X SN(4) CRC(3)
      write_first_octet(out, cid, octet(0x80U | low(h.id, 5)));
      out.octet(octet(second_of_type_1(h.extension, h)));
      break;
    case PacketType::kUo1Ts:  // 10 T=1 TS(5) | M SN(4) CRC(3)
      write_first_octet(out, cid, octet(0xa0U | low(h.ts, 5)));
      out.octet(octet(second_of_type_1(h.marker, h)));
      break;
    case PacketType::kUor2:  // 110 TS(5) | TS(1) M SN(6) | X CRC(7)
      write_first_octet(out, cid, octet(0xc0U | low(h.ts, 6) >> 1));
      out.octet(octet(second_of_type_2(h.ts.value & 1U, h)));
      out.octet(octet(crc_octet));
      break;
    case PacketType::kUor2Id:  // 110 ID(5) | T=0 M SN(6) | X CRC(7)
      write_first_octet(out, cid, octet(0xc0U | low(h.id, 5)));
      out.octet(octet(second_of_type_2(0, h)));
      out.octet(octet(crc_octet));
      break;
    default:  // kUor2Ts: 110 TS(5) | T=1 M SN(6) | X CRC(7)
      write_first_octet(out, cid, octet(0xc0U | low(h.ts, 5)));
      out.octet(octet(second_of_type_2(1, h)));
      out.octet(octet(crc_octet));
      break;
  }
}

// Types 0 and 1 of R-mode (5.7.1, 5.7.2, 5.11.3).
void write_reliable(Writer& out, const CidOctets& cid, Format format, const BaseHeader& h) noexcept {
  const unsigned flags = (h.marker ? 0x80U : 0U) | (h.extension ? 0x40U : 0U);
  switch (h.type) {
    case PacketType::kR0:  // 00 SN(6)
      write_first_octet(out, cid, octet(low(h.sn, 6)));
      return;
    case PacketType::kR0Crc:  // 01 SN(6) | SN(1) CRC(7)
      write_first_octet(out, cid, octet(0x40U | low(h.sn, 7) >> 1));
      out.octet(octet((mutant("r-0-crc-sn-bit-lost") ? 0U : h.sn.value & 1U) << 7 | (h.crc & 0x7fU)));
      return;
    default:
      break;
  }
  write_first_octet(out, cid, octet(0x80U | low(h.sn, 6)));
  if (format == Format::kUdp) {  // 10 SN(6) | X ID(7)
    out.octet(octet((h.extension ? 0x80U : 0U) | low(h.id, mutant("r-1-udp-id-of-six-bits") ? 6 : 7)));
  } else if (h.type == PacketType::kR1) {  // 10 SN(6) | M X TS(6)
    out.octet(octet(flags | low(h.ts, 6)));
  } else if (h.type == PacketType::kR1Id) {  // 10 SN(6) | M X T=0 ID(5)
    out.octet(octet(flags | low(h.id, 5)));
  } else {  // kR1Ts: 10 SN(6) | M X T=1 TS(5)
    out.octet(octet(flags | (mutant("r-1-ts-without-t") ? 0U : 0x20U) | low(h.ts, 5)));
  }
}

void write_udp(Writer& out, const CidOctets& cid, const BaseHeader& h) noexcept {
  if (h.type == PacketType::kUo1) {  // 10 ID(6) | SN(5) CRC(3)
    write_first_octet(out, cid, octet(0x80U | low(h.id, 6)));
    out.octet(octet(low(h.sn, 5) << 3 | (h.crc & 7U)));
  } else {  // kUor2: 110 SN(5) | X CRC(7)
    write_first_octet(out, cid, octet(0xc0U | low(h.sn, 5)));
    out.octet(octet((h.extension ? 0x80U : 0U) | (h.crc & 0x7fU)));
  }
}

// REQUIRES: `first` starts type 0 or 1.
BaseHeader read_reliable(std::uint8_t first, Reader& in, Format format, bool t_bit) noexcept {
  BaseHeader h;
  h.sn = bits(first, 6);
  if ((first & 0xc0) == 0) {
    h.type = PacketType::kR0;
    return h;
  }
  const std::uint8_t second = in.octet();
  if ((first & 0xc0) == 0x40) {
    h.type = PacketType::kR0Crc;
    if (!mutant("r-0-crc-sn-bit-ignored")) h.sn = h.sn.followed_by(bits(second >> 7, 1));
    h.crc = second & 0x7f;
    h.crc_width = 7;
    return h;
  }
  if (format == Format::kUdp) {
    h.type = PacketType::kR1;
    h.extension = (second & 0x80) != 0;
    h.id = bits(second, 7);
    return h;
  }
  h.marker = (second & 0x80) != 0;
  h.extension = (second & 0x40) != 0;
  if (!t_bit) {
    h.type = PacketType::kR1;
    h.ts = bits(second, 6);
  } else if (((second & 0x20) != 0) != mutant("r-1-t-reversed")) {
    h.type = PacketType::kR1Ts;
    h.ts = bits(second, 5);
  } else {
    h.type = PacketType::kR1Id;
    h.id = bits(second, 5);
  }
  return h;
}

BaseHeader read_rtp_type_1(std::uint8_t first, std::uint8_t second, bool t_bit) noexcept {
  BaseHeader h;
  h.sn = bits(second >> 3, 4);
  h.crc = second & 7;
  h.crc_width = 3;
  if (!t_bit) {
    h.type = PacketType::kUo1;
    h.ts = bits(first, 6);
    h.marker = (second & 0x80) != 0;
  } else if ((first & 0x20) != 0) {
    h.type = PacketType::kUo1Ts;
    h.ts = bits(first, 5);
    h.marker = (second & 0x80) != 0;
  } else {
    h.type = PacketType::kUo1Id;
    h.id = bits(first, 5);
    h.extension = (second & 0x80) != 0;
  }
  return h;
}

BaseHeader read_rtp_type_2(std::uint8_t first, std::uint8_t second, std::uint8_t third, bool t_bit) noexcept {
  BaseHeader h;
  h.sn = bits(second, 6);
  h.marker = (second & 0x40) != 0;
  h.extension = (third & 0x80) != 0;
  h.crc = third & 0x7f;
  h.crc_width = 7;
  if (!t_bit) {
    h.type = PacketType::kUor2;
    h.ts = bits((first & 0x1fU) << 1 | second >> 7, 6);
  } else if ((second & 0x80) != 0) {
    h.type = PacketType::kUor2Ts;
    h.ts = bits(first, 5);
  } else {
    h.type = PacketType::kUor2Id;
    h.id = bits(first, 5);
  }
  return h;
}

}  // namespace

void write_base_header(Writer& out, const CidOctets& cid, Format format, const BaseHeader& header) noexcept {
  if (header.type == PacketType::kUo0) {  // 0 SN(4) CRC(3)
    write_first_octet(out, cid, octet(low(header.sn, 4) << 3 | (header.crc & 7U)));
  } else if (header.type >= PacketType::kR0 && header.type <= PacketType::kR1Ts) {
    write_reliable(out, cid, format, header);
  } else if (format == Format::kRtp) {
    write_rtp(out, cid, header);
  } else {
    write_udp(out, cid, header);
  }
}

std::optional<BaseHeader> read_base_header(std::uint8_t first, Reader& in, Format format, bool t_bit,
                                           bool reliable) noexcept {
  BaseHeader h;
  if (reliable && (first & 0xc0) != 0xc0) {
    h = read_reliable(first, in, format, t_bit);
  } else if ((first & 0x80) == 0) {
    h.type = PacketType::kUo0;
    h.sn = bits(first >> 3, 4);
    h.crc = first & 7;
    h.crc_width = 3;
  } else if ((first & 0xc0) == 0x80) {
    const std::uint8_t second = in.octet();
    if (format == Format::kRtp) {
      h = read_rtp_type_1(first, second, t_bit);
    } else {
      h.type = PacketType::kUo1;
      h.id = bits(first, 6);
      h.sn = bits(second >> 3, 5);
      h.crc = second & 7;
      h.crc_width = 3;
    }
  } else if ((first & 0xe0) == 0xc0) {
    const std::uint8_t second = in.octet();
    if (format == Format::kRtp) {
      h = read_rtp_type_2(first, second, in.octet(), t_bit);
    } else {
      h.type = PacketType::kUor2;
      h.sn = bits(first, 5);
      h.extension = (second & 0x80) != 0;
      h.crc = second & 0x7f;
      h.crc_width = 7;
    }
  } else {
    return std::nullopt;
  }
  if (!in.ok()) return std::nullopt;
  return h;
}

}  // namespace headroom::rohc::wire
