// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/wire/chain.h"

#include <bit>
#include <cstring>

#include "rohc/framework/lsb.h"
#include "rohc/tcp/wire/chain_fields.h"

namespace headroom::rohc::tcp {
namespace {

using namespace chain;

constexpr ItemTable kEmptyTable{};
constexpr OptionList kEmptyList{};
constexpr OptionContext kNoOptions{kEmptyTable, kEmptyList, nullptr};

constexpr std::uint8_t kVersion6 = 0x80;  // version_flag

void write_static(Writer& out, const Header& h, const std::uint8_t* p) noexcept {
  switch (h.kind) {
    case HeaderKind::kIpv4:
      out.octet(0);
      out.octet(p[ipv4::kProtocol]);
      copy(out, p + ipv4::kAddresses, 8);
      break;
    case HeaderKind::kIpv6:
      write_flow_label(out, kVersion6, flow_label(p));
      out.octet(p[ipv6::kNextHeader]);
      copy(out, p + ipv6::kAddresses, 32);
      break;
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
      copy(out, p, 2);
      break;
    case HeaderKind::kRouting:
      copy(out, p, h.length);
      break;
    case HeaderKind::kAh:
      copy(out, p, 2);
      copy(out, p + 4, 4);
      break;
    case HeaderKind::kGre: {
      const unsigned is_ipv6 = load16(p + 2) == 0x86dd ? 1 : 0;
      const unsigned c = p[0] >> 7, k = p[0] >> 5 & 1U, s = p[0] >> 4 & 1U;
      out.octet(static_cast<std::uint8_t>(is_ipv6 << 7 | c << 6 | k << 5 | s << 4));
      if (k != 0) copy(out, p + gre_key_place(p), 4);
      break;
    }
    case HeaderKind::kMine:
      copy(out, p, 2);
      copy(out, p + 4, h.length - 4U);
      break;
    case HeaderKind::kTcp:
      copy(out, p, 4);
      break;
  }
}

// Reads a static item into `p`, where `room` octets are free. The length of the header, 0 if malformed, or kNoRoom.
constexpr std::size_t kNoRoom = kMostOctets + 1;
std::size_t read_static(Reader& in, HeaderKind kind, std::uint8_t* p, std::size_t room) noexcept {
  std::size_t length = 8;
  switch (kind) {
    case HeaderKind::kIpv4:
      if (room < kIpv4Length) return kNoRoom;
      if (in.octet() != 0) return 0;
      p[ipv4::kProtocol] = in.octet();
      copy(in, p + ipv4::kAddresses, 8);
      return kIpv4Length;
    case HeaderKind::kIpv6: {
      if (room < kIpv6Length) return kNoRoom;
      p[0] = 0x60;
      const std::uint8_t first = in.octet();
      if ((first & 0xe0) != kVersion6 || !read_flow_label(in, first, p)) return 0;
      p[ipv6::kNextHeader] = in.octet();
      copy(in, p + ipv6::kAddresses, 32);
      return kIpv6Length;
    }
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
    case HeaderKind::kRouting:
      if (room < 8) return kNoRoom;
      copy(in, p, 2);
      length = std::size_t{p[1]} * 8 + 8;
      if (room < length) return kNoRoom;
      if (kind == HeaderKind::kRouting) copy(in, p + 2, length - 2);
      return length;
    case HeaderKind::kAh:
      if (room < 12) return kNoRoom;
      copy(in, p, 2);
      copy(in, p + 4, 4);
      length = p[1] == 0 ? 0 : std::size_t{p[1]} * 4 + 8;
      return length <= room ? length : kNoRoom;
    case HeaderKind::kGre: {
      const std::uint8_t first = in.octet();
      if ((first & 0x0f) != 0) return 0;  // padding
      if (room < 16) return kNoRoom;
      p[0] = static_cast<std::uint8_t>((first << 1 & kGreC) | (first & (kGreK | kGreS)));
      store16(p + 2, first >> 7 != 0 ? 0x86dd : 0x0800);
      if ((p[0] & kGreK) != 0) copy(in, p + gre_key_place(p), 4);
      return gre_length(p[0]);
    }
    case HeaderKind::kMine:
      if (room < 12) return kNoRoom;
      copy(in, p, 2);
      length = p[1] >> 7 != 0 ? 12 : 8;
      copy(in, p + 4, length - 4);
      return length;
    case HeaderKind::kTcp:
      if (room < kTcpLength) return kNoRoom;
      copy(in, p, 4);
      return kTcpLength;
  }
  return 0;
}

void write_dynamic(Writer& out, const Header& h, const std::uint8_t* p) noexcept {
  switch (h.kind) {
    case HeaderKind::kIpv4:
      out.octet(static_cast<std::uint8_t>(df_of(p) << 2 | static_cast<unsigned>(h.ip_id)));
      out.octet(p[ipv4::kTos]);
      out.octet(p[ipv4::kTtl]);
      write_ip_id(out, h, p);
      break;
    case HeaderKind::kIpv6:
      out.octet(static_cast<std::uint8_t>(p[0] << 4 | p[1] >> 4));
      out.octet(p[ipv6::kHopLimit]);
      break;
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
      copy(out, p + 2, h.length - 2U);
      break;
    case HeaderKind::kAh:
      copy(out, p + 2, 2);
      copy(out, p + 8, h.length - 8U);
      break;
    case HeaderKind::kGre:
      if ((p[0] & kGreC) != 0) copy(out, p + 4, 2);
      if ((p[0] & kGreS) != 0) copy(out, p + gre_number_place(p), 4);
      break;
    default:
      break;
  }
}

bool read_dynamic(Reader& in, Header& h, bool innermost, std::uint8_t* octets) noexcept {
  std::uint8_t* p = octets + h.at;
  switch (h.kind) {
    case HeaderKind::kIpv4: {
      const std::uint8_t first = in.octet();
      if (first >> 3 != 0) return false;  // reserved
      set_df(p, first >> 2 & 1U);
      p[ipv4::kTos] = in.octet();
      p[ipv4::kTtl] = in.octet();
      return read_ip_id(in, h, innermost, first & 3U, p);
    }
    case HeaderKind::kIpv6:
      set_tos(h, octets, in.octet());
      p[ipv6::kHopLimit] = in.octet();
      break;
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
      copy(in, p + 2, h.length - 2U);
      break;
    case HeaderKind::kAh:
      copy(in, p + 2, 2);
      copy(in, p + 8, h.length - 8U);
      break;
    case HeaderKind::kGre:
      if ((p[0] & kGreC) != 0) copy(in, p + 4, 2);
      if ((p[0] & kGreS) != 0) copy(in, p + gre_number_place(p), 4);
      break;
    default:
      break;
  }
  return true;
}

}  // namespace

void write_static_chain(Writer& out, const Layout& layout, const std::uint8_t* octets) noexcept {
  for (unsigned i = 0; i < layout.count; ++i) write_static(out, layout.headers[i], octets + layout.headers[i].at);
}

ChainStatus read_static_chain(Reader& in, Layout& layout, std::uint8_t* octets) noexcept {
  std::memset(octets, 0, kMostOctets);
  layout.count = 0;
  layout.octets = 0;
  HeaderKind kind = (in.peek() & kVersion6) != 0 ? HeaderKind::kIpv6 : HeaderKind::kIpv4;
  for (;;) {
    const std::size_t room = kMostOctets - layout.octets;
    const std::size_t length = read_static(in, kind, octets + layout.octets, room);
    if (!in.ok() || length == 0) return ChainStatus::kMalformed;
    if (length == kNoRoom || !layout.append(kind, length)) return ChainStatus::kTooLong;
    if (kind == HeaderKind::kTcp) return ChainStatus::kOk;
    if (!kind_of(next_of(layout.tcp(), octets), kind)) return ChainStatus::kMalformed;
  }
}

void write_dynamic_chain(Writer& out, const Layout& layout, const std::uint8_t* octets, const Control& control,
                         bool stride, const OptionList& options, const ItemTable& table) noexcept {
  for (unsigned i = 0; i + 1 < layout.count; ++i) write_dynamic(out, layout.headers[i], octets + layout.headers[i].at);
  const std::uint8_t* p = octets + layout.tcp().at;
  const std::uint32_t ack = load32(p + field::kAck);
  const std::uint16_t urgent = load16(p + field::kUrgent);
  out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(control.ecn_used) << 7 |
                                      static_cast<unsigned>(stride) << 6 | static_cast<unsigned>(ack == 0) << 5 |
                                      static_cast<unsigned>(urgent == 0) << 4 | (p[field::kOffset] & 0x0fU)));
  out.octet(p[field::kFlags]);
  out.two(control.msn);
  copy(out, p + field::kSeq, 4);
  if (ack != 0) out.four(ack);
  copy(out, p + field::kWindow, 4);  // and the checksum
  if (urgent != 0) out.two(urgent);
  if (stride) out.two(control.ack_stride);
  write_list(out, options, 0xffff);
  for (unsigned i = 0; i < options.count; ++i)
    write_item(out, options.index[i], {p + kTcpLength + options.at[i], options.length[i]},
               table.is_static_item(options.index[i]), ack);
}

ChainStatus read_dynamic_chain(Reader& in, Layout& layout, std::uint8_t* octets, Control& control,
                               ReceivedList& received, OptionList& list) noexcept {
  for (unsigned i = 0; i + 1 < layout.count; ++i)
    if (!read_dynamic(in, layout.headers[i], i == layout.innermost, octets)) return ChainStatus::kMalformed;
  std::uint8_t* p = octets + layout.tcp().at;
  const std::uint8_t first = in.octet();
  control.ecn_used = first >> 7 != 0;
  p[field::kOffset] = first & 0x0f;
  p[field::kFlags] = in.octet();
  control.msn = in.two();
  copy(in, p + field::kSeq, 4);
  const std::uint32_t ack = (first & 0x20) != 0 ? 0 : in.four();
  store32(p + field::kAck, ack);
  copy(in, p + field::kWindow, 4);
  store16(p + field::kUrgent, (first & 0x10) != 0 ? std::uint16_t{0} : in.two());
  if ((first & 0x40) != 0) control.ack_stride = in.two();
  if (!in.ok() || !read_list(in, ack, true, received)) return ChainStatus::kMalformed;
  if (build_options(nullptr, &received, kNoOptions, ack, p + kTcpLength, list) != OptionStatus::kOk)
    return ChainStatus::kMalformed;
  layout.set_options(list.octets);
  return ChainStatus::kOk;
}

std::size_t sequence_place(const Header& h, const std::uint8_t* octets) noexcept {
  if (h.kind == HeaderKind::kAh) return h.at + 8U;
  if (h.kind == HeaderKind::kGre && (octets[h.at] & kGreS) != 0) return h.at + gre_number_place(octets + h.at);
  return 0;
}

namespace {

void write_number(Writer& out, std::uint32_t number, bool wide) noexcept {
  if (wide) {
    out.four(0x80000000U | number);
  } else {
    out.octet(static_cast<std::uint8_t>(number & 0x7f));
  }
}

void read_number(Reader& in, std::uint8_t* p) noexcept {
  const bool wide = in.peek() >> 7 != 0;
  const std::uint32_t lsb = wide ? in.four() & 0x7fffffff : in.octet();
  store32(p, lsb_decode(lsb, wide ? kThirtyOneBits : kSevenBits, load32(p), wide ? kThirtyOneP : kSevenP));
}

void write_irregular(Writer& out, const Layout& layout, unsigned i, const std::uint8_t* octets,
                     const IrregularHeaders& choice) noexcept {
  const Header& h = layout.headers[i];
  const std::uint8_t* p = octets + h.at;
  const bool wide = (choice.wide_numbers >> i & 1) != 0;
  if (h.kind == HeaderKind::kIpv4 && h.ip_id == IpIdBehaviour::kRandom) out.two(load16(p + ipv4::kId));
  if (is_ip(h.kind) && i != layout.innermost) {
    if (choice.ecn_used) out.octet(tos_of(h, octets));
    if (choice.outer_ttl) out.octet(octets[ttl_place(h)]);
  } else if (h.kind == HeaderKind::kAh) {
    write_number(out, load32(p + 8), wide);
    copy(out, p + 12, h.length - 12U);
  } else if (h.kind == HeaderKind::kGre) {
    if ((p[0] & kGreC) != 0) copy(out, p + 4, 2);
    if ((p[0] & kGreS) != 0) write_number(out, load32(p + gre_number_place(p)), wide);
  }
}

void read_irregular(Reader& in, const Layout& layout, unsigned i, std::uint8_t* octets,
                    const IrregularHeaders& choice) noexcept {
  const Header& h = layout.headers[i];
  std::uint8_t* p = octets + h.at;
  if (h.kind == HeaderKind::kIpv4 && h.ip_id == IpIdBehaviour::kRandom) store16(p + ipv4::kId, in.two());
  if (h.kind == HeaderKind::kIpv4 && h.ip_id == IpIdBehaviour::kZero) store16(p + ipv4::kId, 0);
  if (is_ip(h.kind) && i != layout.innermost) {
    if (choice.ecn_used) set_tos(h, octets, in.octet());
    if (choice.outer_ttl) octets[ttl_place(h)] = in.octet();
  } else if (h.kind == HeaderKind::kAh) {
    read_number(in, p + 8);
    copy(in, p + 12, h.length - 12U);
  } else if (h.kind == HeaderKind::kGre) {
    if ((p[0] & kGreC) != 0) copy(in, p + 4, 2);
    if ((p[0] & kGreS) != 0) read_number(in, p + gre_number_place(p));
  }
}

}  // namespace

void write_irregular_chain(Writer& out, const Layout& layout, const std::uint8_t* octets,
                           const IrregularHeaders& choice) noexcept {
  for (unsigned i = 0; i + 1 < layout.count; ++i) write_irregular(out, layout, i, octets, choice);
  const std::uint8_t* p = octets + layout.tcp().at;
  if (choice.ecn_used)
    out.octet(static_cast<std::uint8_t>(tos_of(layout.inner(), octets) << 6 | (p[field::kOffset] & 0x0f) << 2 |
                                        p[field::kFlags] >> 6));
  out.two(load16(p + field::kChecksum));
}

bool read_irregular_chain(Reader& in, const Layout& layout, std::uint8_t* octets,
                          const IrregularHeaders& choice) noexcept {
  for (unsigned i = 0; i + 1 < layout.count; ++i) read_irregular(in, layout, i, octets, choice);
  std::uint8_t* p = octets + layout.tcp().at;
  if (choice.ecn_used) {
    const std::uint8_t ecn = in.octet();
    set_tos(layout.inner(), octets, static_cast<std::uint8_t>((tos_of(layout.inner(), octets) & 0xfc) | ecn >> 6));
    p[field::kOffset] = static_cast<std::uint8_t>((p[field::kOffset] & 0xf0) | (ecn >> 2 & 0x0f));
    p[field::kFlags] = static_cast<std::uint8_t>((p[field::kFlags] & ~flag::kEcn) | ecn << 6);
  }
  store16(p + field::kChecksum, in.two());
  return in.ok();
}

}  // namespace headroom::rohc::tcp
