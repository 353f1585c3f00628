// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/pfcp_values.h"

#include <algorithm>

namespace headroom::gtpu::pfcp {
namespace {

[[nodiscard]] Address ipv4_address(FieldReader& in) noexcept {
  const Octets taken = in.take(4);
  return taken.empty() ? Address{} : Address::of_ipv4(taken.data());
}

[[nodiscard]] Address ipv6_address(FieldReader& in) noexcept {
  const Octets taken = in.take(16);
  return taken.empty() ? Address{} : Address::of_ipv6(taken.data());
}

template <typename T>
[[nodiscard]] std::optional<T> whole(const FieldReader& in, const T& value) noexcept {
  return in.ok() ? std::optional<T>(value) : std::nullopt;
}

}  // namespace

std::optional<FTeid> read_f_teid(Octets value) noexcept {
  FieldReader in(value);
  FTeid f;
  const std::uint8_t flags = in.u8();
  f.has_ipv4 = (flags & 0x01) != 0;
  f.has_ipv6 = (flags & 0x02) != 0;
  f.choose = (flags & 0x04) != 0;
  if (f.choose) {
    if ((flags & 0x08) != 0) f.choose_id = in.u8();
  } else {
    f.teid = in.u32();
    if (f.has_ipv4) f.ipv4 = ipv4_address(in);
    if (f.has_ipv6) f.ipv6 = ipv6_address(in);
  }
  return whole(in, f);
}

void write_f_teid(MessageWriter& out, const FTeid& f) noexcept {
  const std::size_t ie = out.open(kFTeid);
  out.number((f.has_ipv4 ? 0x01u : 0u) | (f.has_ipv6 ? 0x02u : 0u), 1).number(f.teid, 4);
  if (f.has_ipv4) out.octets({f.ipv4.ipv4_octets(), 4});
  if (f.has_ipv6) out.octets(f.ipv6.octets);
  out.close(ie);
}

std::optional<FSeid> read_f_seid(Octets value) noexcept {
  FieldReader in(value);
  FSeid f;
  const std::uint8_t flags = in.u8();
  f.seid = in.number(8);
  if ((flags & 0x02) != 0) f.ipv4 = ipv4_address(in);
  if ((flags & 0x01) != 0) f.ipv6 = ipv6_address(in);
  return whole(in, f);
}

void write_f_seid(MessageWriter& out, const FSeid& f) noexcept {
  const std::size_t ie = out.open(kFSeid);
  out.number((f.ipv4 ? 0x02u : 0u) | (f.ipv6 ? 0x01u : 0u), 1).number(f.seid, 8);
  if (f.ipv4) out.octets({f.ipv4->ipv4_octets(), 4});
  if (f.ipv6) out.octets(f.ipv6->octets);
  out.close(ie);
}

std::optional<NodeId> read_node_id(Octets value) noexcept {
  FieldReader in(value);
  NodeId id;
  id.type = static_cast<NodeIdType>(in.u8() & 0x0F);
  id.octets = id.type == NodeIdType::ipv4 ? in.take(4) : id.type == NodeIdType::ipv6 ? in.take(16) : in.rest();
  return whole(in, id);
}

std::optional<UeIpAddress> read_ue_ip_address(Octets value) noexcept {
  FieldReader in(value);
  UeIpAddress a;
  const std::uint8_t flags = in.u8();
  a.destination = (flags & 0x04) != 0;
  a.choose = (flags & 0x30) != 0;
  if ((flags & 0x02) != 0) a.ipv4 = ipv4_address(in);
  if ((flags & 0x01) != 0) a.ipv6 = ipv6_address(in);
  // IPv6D: so many bits of the prefix are the user's to delegate; the prefix is shorter than /64 by them.
  if ((flags & 0x08) != 0) a.ipv6_prefix = static_cast<std::uint8_t>(64 - std::min<unsigned>(in.u8(), 64));
  if ((flags & 0x40) != 0) a.ipv6_prefix = std::min<std::uint8_t>(in.u8(), 128);
  return whole(in, a);
}

std::optional<SdfFilter> read_sdf_filter(Octets value) noexcept {
  FieldReader in(value);
  SdfFilter f;
  const std::uint8_t flags = in.u8();
  (void)in.u8();  // spare
  if ((flags & 0x01) != 0) {
    const Octets text = in.take(in.u16());
    f.flow_description = std::string_view(reinterpret_cast<const char*>(text.data()), text.size());
  }
  if ((flags & 0x02) != 0) f.tos = in.u16();
  if ((flags & 0x04) != 0) f.spi = in.u32();
  if ((flags & 0x08) != 0) f.flow_label = static_cast<std::uint32_t>(in.number(3) & 0xF'FFFF);
  if ((flags & 0x10) != 0) f.filter_id = in.u32();
  return whole(in, f);
}

std::optional<OuterHeaderCreation> read_outer_header_creation(Octets value) noexcept {
  FieldReader in(value);
  OuterHeaderCreation h;
  h.description = in.u16();
  if ((h.description & (kCreateGtpUIpv4 | kCreateGtpUIpv6)) != 0) {
    h.teid = in.u32();
    if ((h.description & kCreateGtpUIpv4) != 0) h.ipv4 = ipv4_address(in);
    if ((h.description & kCreateGtpUIpv6) != 0) h.ipv6 = ipv6_address(in);
  }
  return whole(in, h);
}

std::optional<Volume> read_volume(Octets value) noexcept {
  FieldReader in(value);
  Volume v;
  const std::uint8_t flags = in.u8();
  if ((flags & 0x01) != 0) v.total = in.number(8);
  if ((flags & 0x02) != 0) v.uplink = in.number(8);
  if ((flags & 0x04) != 0) v.downlink = in.number(8);
  return whole(in, v);
}

std::optional<BitRates> read_bit_rates(Octets value) noexcept {
  FieldReader in(value);
  BitRates r;
  r.uplink = in.number(5);
  r.downlink = in.number(5);
  return whole(in, r);
}

}  // namespace headroom::gtpu::pfcp
