// SPDX-License-Identifier: Apache-2.0
//
// The replicate chain of IR-CR packets.
#include "rohc/framework/lsb.h"
#include "rohc/tcp/wire/base_header.h"
#include "rohc/tcp/wire/chain.h"
#include "rohc/tcp/wire/chain_fields.h"

namespace headroom::rohc::tcp {
namespace {

using namespace chain;

constexpr std::uint8_t kAll = 0x80;  // discriminator of *_1_replicate
// port_replicate.
constexpr unsigned kPortStatic = 0, kPortLsb = 1, kPortWhole = 2, kPortLsbBits = 8;
constexpr std::int64_t kPortP = 64;

// True if an item with no more than what always changes will do.
bool is_same(const Header& base, const std::uint8_t* b, const Header& h, const std::uint8_t* p) noexcept {
  if (base.length != h.length) return false;
  switch (h.kind) {
    case HeaderKind::kAh:
      return std::memcmp(b, p, 8) == 0;
    case HeaderKind::kGre:
      return b[0] == p[0] && std::memcmp(b + gre_key_place(b), p + gre_key_place(p), (p[0] & kGreK) != 0 ? 4 : 0) == 0;
    case HeaderKind::kMine:
      return b[1] == p[1] && std::memcmp(b + 4, p + 4, h.length - 4U) == 0;
    default:
      return std::memcmp(b, p, h.length) == 0;
  }
}

void write_item(Writer& out, const Header& base, const std::uint8_t* b, const Header& h,
                const std::uint8_t* p) noexcept {
  const bool same = is_same(base, b, h, p);
  switch (h.kind) {
    case HeaderKind::kIpv4:
      out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(h.ip_id) << 2 | 2U | df_of(p)));
      out.octet(p[ipv4::kTos]);
      write_ip_id(out, h, p);
      out.octet(p[ipv4::kTtl]);
      break;
    case HeaderKind::kIpv6:
      out.octet(static_cast<std::uint8_t>(p[0] << 4 | p[1] >> 4));
      write_flow_label(out, 0, flow_label(p));
      break;
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
    case HeaderKind::kRouting:
      out.octet(same ? 0 : kAll);
      if (!same) copy(out, p + 1, h.length - 1U);
      break;
    case HeaderKind::kAh:
      out.octet(same ? 0 : kAll);
      if (!same) copy(out, p + 1, 7);
      copy(out, p + 8, h.length - 8U);
      break;
    case HeaderKind::kGre:
      out.octet(same ? std::uint8_t{0} : static_cast<std::uint8_t>(kAll | (p[0] >> 5 & 4) | (p[0] >> 4 & 3)));
      if ((p[0] & kGreC) != 0) copy(out, p + 4, 2);
      if (!same && (p[0] & kGreK) != 0) copy(out, p + gre_key_place(p), 4);
      if ((p[0] & kGreS) != 0) copy(out, p + gre_number_place(p), 4);
      break;
    case HeaderKind::kMine:
      out.octet(same ? 0 : kAll);
      if (!same) {
        out.octet(p[1]);
        copy(out, p + 4, h.length - 4U);
      }
      break;
    case HeaderKind::kTcp:
      break;
  }
}

// Reads the item of a header of which `p` has the octets of the base's, as many as both have. The length of the header,
// or 0 if malformed or too long.
std::size_t read_item(Reader& in, Header& h, bool innermost, std::uint8_t* octets, std::size_t room) noexcept {
  std::uint8_t* p = octets + h.at;
  const auto discriminator = [&](std::uint8_t mask, bool& all) {
    const std::uint8_t d = in.octet();
    all = (d & kAll) != 0;
    return d == 0 || (d & mask) == kAll;
  };
  bool all = false;
  switch (h.kind) {
    case HeaderKind::kIpv4: {
      const std::uint8_t first = in.octet();
      if (first >> 4 != 0) return 0;  // reserved
      set_df(p, first & 1U);
      p[ipv4::kTos] = in.octet();
      if (!read_ip_id(in, h, innermost, first >> 2 & 3U, p)) return 0;
      if ((first & 2) != 0) p[ipv4::kTtl] = in.octet();
      return kIpv4Length;
    }
    case HeaderKind::kIpv6: {
      set_tos(h, octets, in.octet());
      const std::uint8_t first = in.octet();
      return first >> 5 == 0 && read_flow_label(in, first, p) ? kIpv6Length : 0;
    }
    case HeaderKind::kHopByHop:
    case HeaderKind::kDestination:
    case HeaderKind::kRouting: {
      if (!discriminator(0xff, all)) return 0;
      if (!all) return h.length <= room ? h.length : 0;
      p[1] = in.octet();
      const std::size_t length = std::size_t{p[1]} * 8 + 8;
      if (length > room) return 0;
      copy(in, p + 2, length - 2);
      return length;
    }
    case HeaderKind::kAh: {
      if (!discriminator(0xff, all)) return 0;
      if (all) copy(in, p + 1, 7);
      const std::size_t length = std::size_t{p[1]} * 4 + 8;
      if (p[1] == 0 || length > room) return 0;
      copy(in, p + 8, length - 8);
      return length;
    }
    case HeaderKind::kGre: {
      const std::uint8_t d = in.octet();
      if (room < 16 || (d != 0 && (d & 0xf8) != kAll)) return 0;
      if (d != 0) p[0] = static_cast<std::uint8_t>((d << 5 & kGreC) | (d << 4 & (kGreK | kGreS)));
      if ((p[0] & kGreC) != 0) {
        copy(in, p + 4, 2);
        store16(p + 6, 0);
      }
      if (d != 0 && (p[0] & kGreK) != 0) copy(in, p + gre_key_place(p), 4);
      if ((p[0] & kGreS) != 0) copy(in, p + gre_number_place(p), 4);
      return gre_length(p[0]);
    }
    case HeaderKind::kMine: {
      if (!discriminator(0xff, all) || room < 12) return 0;
      if (all) p[1] = in.octet();
      const std::size_t length = p[1] >> 7 != 0 ? 12 : 8;
      if (all) copy(in, p + 4, length - 4);
      return length;
    }
    case HeaderKind::kTcp:
      break;
  }
  return 0;
}

unsigned port_flags(std::uint16_t base, std::uint16_t port) noexcept {
  if (base == port) return kPortStatic;
  return in_reach(port, base, kPortLsbBits, kPortP, 16) ? kPortLsb : kPortWhole;
}
void write_port(Writer& out, unsigned flags, std::uint16_t port) noexcept {
  if (flags == kPortLsb) out.octet(static_cast<std::uint8_t>(port));
  if (flags == kPortWhole) out.two(port);
}
void read_port(Reader& in, unsigned flags, std::uint8_t* p) noexcept {
  if (flags == kPortLsb)
    store16(p, static_cast<std::uint16_t>(lsb_decode(in.octet(), kPortLsbBits, load16(p), kPortP)));
  if (flags == kPortWhole) store16(p, in.two());
}

}  // namespace

bool can_replicate(const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                   const std::uint8_t* octets, const Control& control) noexcept {
  if (base.count != layout.count) return false;
  for (unsigned i = 0; i + 1 < layout.count; ++i) {
    const Header &b = base.headers[i], &h = layout.headers[i];
    const std::uint8_t *bp = base_octets + b.at, *p = octets + h.at;
    if (b.kind != h.kind || next_of(b, base_octets) != next_of(h, octets)) return false;
    if (h.kind == HeaderKind::kIpv4 && std::memcmp(bp + ipv4::kAddresses, p + ipv4::kAddresses, 8) != 0) return false;
    if (h.kind == HeaderKind::kIpv6 && std::memcmp(bp + ipv6::kHopLimit, p + ipv6::kHopLimit, 33) != 0) return false;
  }
  const std::uint8_t *b = base_octets + base.tcp().at, *p = octets + layout.tcp().at;
  const bool same_ecn = (b[field::kOffset] & 0x0f) == (p[field::kOffset] & 0x0f) &&
                        ((b[field::kFlags] ^ p[field::kFlags]) & flag::kEcn) == 0;
  return (control.ecn_used || same_ecn) && rsf_index(p[field::kFlags]) != kNoRsfIndex;
}

void write_replicate_chain(Writer& out, const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                           const std::uint8_t* octets, const Control& control, bool list_present,
                           const OptionList& options, std::uint16_t present, const ItemTable& table) noexcept {
  for (unsigned i = 0; i + 1 < layout.count; ++i) {
    const Header &b = base.headers[i], &h = layout.headers[i];
    write_item(out, b, base_octets + b.at, h, octets + h.at);
  }
  const std::uint8_t *b = base_octets + base.tcp().at, *p = octets + layout.tcp().at;
  const unsigned source = port_flags(load16(b), load16(p)), destination = port_flags(load16(b + 2), load16(p + 2));
  const bool stride = control.ack_stride != 0;
  const std::uint16_t urgent = load16(p + field::kUrgent);
  const unsigned flags = p[field::kFlags];
  constexpr unsigned kWindowPresence = 1, kAckPresence = 1;  // what moves with every packet is never replicated
  const bool urgent_presence = urgent != load16(b + field::kUrgent);
  out.octet(static_cast<std::uint8_t>(kWindowPresence << 6 | static_cast<unsigned>(list_present) << 5 | source << 3 |
                                      destination << 1 | static_cast<unsigned>(stride)));
  out.octet(static_cast<std::uint8_t>(kAckPresence << 7 | static_cast<unsigned>(urgent_presence) << 6 |
                                      (flags >> 5 & 1) << 5 | (flags >> 4 & 1) << 4 | (flags >> 3 & 1) << 3 |
                                      rsf_index(flags) << 1 | static_cast<unsigned>(control.ecn_used)));
  out.two(control.msn);
  copy(out, p + field::kSeq, 4);
  write_port(out, source, load16(p));
  write_port(out, destination, load16(p + 2));
  copy(out, p + field::kWindow, 2);
  if (urgent_presence) out.two(urgent);
  copy(out, p + field::kAck, 4);
  if (control.ecn_used) out.octet(static_cast<std::uint8_t>((p[field::kOffset] & 0x0fU) << 2 | flags >> 6));
  copy(out, p + field::kChecksum, 2);
  if (stride) out.two(control.ack_stride);
  if (!list_present) return;
  write_list(out, options, present);
  for (unsigned i = 0; i < options.count; ++i)
    if ((present >> i & 1) != 0)
      write_item(out, options.index[i], {p + kTcpLength + options.at[i], options.length[i]},
                 table.is_static_item(options.index[i]), load32(p + field::kAck));
}

ChainStatus read_replicate_chain(Reader& in, const Layout& base, const std::uint8_t* base_octets,
                                 const OptionContext& base_options, Layout& layout, std::uint8_t* octets,
                                 Control& control, bool& has_list, ReceivedList& received, OptionList& list) noexcept {
  std::memset(octets, 0, kMostOctets);
  layout.count = 0;
  layout.octets = 0;
  for (unsigned i = 0; i + 1 < base.count; ++i) {
    Header h = base.headers[i];
    const std::size_t room = kMostOctets - layout.octets;
    if (h.length > room) return ChainStatus::kTooLong;
    std::memcpy(octets + layout.octets, base_octets + h.at, h.length);
    h.at = layout.octets;
    const std::size_t length = read_item(in, h, i == base.innermost, octets, room);
    if (length == 0) return ChainStatus::kMalformed;
    if (!layout.append(h.kind, length)) return ChainStatus::kTooLong;
    layout.headers[i].ip_id = h.ip_id;
  }
  if (!layout.append(HeaderKind::kTcp, kTcpLength)) return ChainStatus::kTooLong;
  std::uint8_t* p = octets + layout.tcp().at;
  std::memcpy(p, base_octets + base.tcp().at, kTcpLength);
  const unsigned first = in.octet(), second = in.octet();
  const unsigned source = first >> 3 & 3U, destination = first >> 1 & 3U;
  if (first >> 7 != 0 || source == 3 || destination == 3) return ChainStatus::kMalformed;
  has_list = (first & 0x20) != 0;
  control.ecn_used = (second & 1) != 0;
  p[field::kFlags] =
      static_cast<std::uint8_t>((p[field::kFlags] & flag::kEcn) | (second & 0x38U) | kRsfFlags[second >> 1U & 3U]);
  control.msn = in.two();
  copy(in, p + field::kSeq, 4);
  read_port(in, source, p);
  read_port(in, destination, p + 2);
  if ((first & 0x40) != 0) copy(in, p + field::kWindow, 2);
  if ((second & 0x40) != 0) copy(in, p + field::kUrgent, 2);
  if ((second & 0x80) != 0) copy(in, p + field::kAck, 4);
  if (control.ecn_used) {
    const std::uint8_t ecn = in.octet();
    if (ecn >> 6 != 0) return ChainStatus::kMalformed;  // padding
    p[field::kOffset] = ecn >> 2 & 0x0f;
    p[field::kFlags] = static_cast<std::uint8_t>((p[field::kFlags] & ~flag::kEcn) | ecn << 6);
  }
  copy(in, p + field::kChecksum, 2);
  if ((first & 1) != 0) control.ack_stride = in.two();
  const std::uint32_t ack = load32(p + field::kAck);
  if (!in.ok() || (has_list && !read_list(in, ack, false, received))) return ChainStatus::kMalformed;
  switch (build_options(nullptr, has_list ? &received : nullptr, base_options, ack, p + kTcpLength, list)) {
    case OptionStatus::kOk:
      break;
    case OptionStatus::kMalformed:
      return ChainStatus::kMalformed;
    case OptionStatus::kUnknownItem:
      return ChainStatus::kUnknownItem;
  }
  layout.set_options(list.octets);
  return ChainStatus::kOk;
}

}  // namespace headroom::rohc::tcp
