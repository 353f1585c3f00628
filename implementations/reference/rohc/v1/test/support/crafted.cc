// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/crafted.h"

#include <array>

#include "rohc/framework/wire/crc.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/profiles.h"

namespace headroom::rohc::test {
namespace {

const Layout& layout_of_spec(const PacketSpec& s) {
  const bool lite = s.udp && s.udp->lite;
  if (s.esp) return layout_of(shape_for(s.ip.version, Transport::kEsp));
  if (!s.udp) return layout_of(shape_for(s.ip.version, Transport::kNone));
  if (s.rtp) return layout_of(shape_for(s.ip.version, lite ? Transport::kRtpUdpLite : Transport::kRtp));
  return layout_of(shape_for(s.ip.version, lite ? Transport::kUdpLite : Transport::kUdp));
}

std::size_t outer_octets(const PacketSpec& s) { return !s.outer ? 0 : s.outer->version == 4 ? 20 : 40; }

template <typename Write>
Packet written(Write write) {
  std::array<std::uint8_t, 256> room{};
  wire::Writer out(room);
  write(out);
  return copy_of(out.written());
}

}  // namespace

Packet crafted(const PacketSpec& original, wire::BaseHeader base, const std::optional<wire::Extension>& extension,
               Octets tail, const wire::CidOctets& cid, wire::Cce cce) {
  const Packet packet = build(original);
  const Layout& l = layout_of_spec(original);
  const std::uint8_t* outer = original.outer ? packet.data() : nullptr;
  const unsigned outer_version = original.outer ? original.outer->version : 0;
  const std::uint8_t* inner = packet.data() + outer_octets(original);
  const StaticCrc crc = static_crc(outer, outer_version, inner, l);
  using wire::PacketType;
  const bool long_crc =
      base.type == PacketType::kUor2 || base.type == PacketType::kUor2Id || base.type == PacketType::kUor2Ts;
  base.crc = long_crc ? finish_crc7(crc.crc7, outer, outer_version, inner, l)
                      : finish_crc3(crc.crc3, outer, outer_version, inner, l);
  base.extension = extension.has_value();
  const wire::Format format = original.rtp ? wire::Format::kRtp : wire::Format::kUdp;
  return written([&](wire::Writer& out) {
    if (cce != wire::Cce::kNone) wire::write_first_octet(out, cid, wire::octet_of(cce));
    wire::write_base_header(out, cce == wire::Cce::kNone ? cid : wire::CidOctets{}, format, base);
    if (extension) wire::write_extension(out, format, wire::t_field_of(base.type), *extension);
    out.octets(tail);
    out.octets(original.payload);
  });
}

Packet crafted_initialisation(std::uint8_t type, std::uint8_t profile, Octets chains, Octets payload,
                              const wire::CidOctets& cid) {
  Packet p = written([&](wire::Writer& out) {
    wire::write_first_octet(out, cid, type);
    out.octet(profile);
    out.octet(0);
    out.octets(chains);
  });
  const std::size_t crc_at = p.size() - chains.size() - 1;
  p[crc_at] = wire::crc8(p);
  return joined(std::move(p), payload);
}

Packet static_chain(const PacketSpec& s, unsigned profile) {
  const ProfileTraits traits = traits_of(static_cast<wire::Profile>(profile));
  const Packet packet = build(s);
  const Layout& l = layout_of_spec(s);
  const std::uint8_t* inner = packet.data() + outer_octets(s);
  return written([&](wire::Writer& out) {
    if (s.outer) wire::write_ip_static(out, packet.data(), false);
    wire::write_ip_static(out, inner, false);
    if (traits.udp) wire::write_udp_static(out, inner + l.udp);
    if (traits.rtp) wire::write_rtp_static(out, inner + l.rtp);
    if (traits.esp()) wire::write_esp_static(out, inner + l.esp);
  });
}

Packet dynamic_chain(const PacketSpec& s, unsigned profile, const ChainOptions& o) {
  const ProfileTraits traits = traits_of(static_cast<wire::Profile>(profile));
  const Packet packet = build(s);
  const Layout& l = layout_of_spec(s);
  const std::uint8_t* inner = packet.data() + outer_octets(s);
  return written([&](wire::Writer& out) {
    if (s.outer) wire::write_ip_dynamic(out, packet.data(), o.outer_id, traits.constant_ip_id);
    wire::write_ip_dynamic(out, inner, o.id, traits.constant_ip_id);
    if (traits.udp && l.has_coverage()) wire::write_udp_lite_dynamic(out, inner + l.udp);
    if (traits.udp && !l.has_coverage()) wire::write_udp_dynamic(out, inner + l.udp);
    if (traits.esp()) {
      wire::write_esp_dynamic(out, inner + l.esp);
    } else if (traits.rtp) {
      wire::write_rtp_dynamic(out, inner + l.rtp, o.extras);
    } else {
      out.two(o.sn);
    }
  });
}

Packet feedback_element(const wire::Feedback& feedback, bool large_cids) {
  return written([&](wire::Writer& out) { wire::write_feedback_element(out, large_cids, feedback); });
}

wire::Feedback feedback_2(wire::AckType ack, wire::Mode mode, std::uint16_t sn, std::uint32_t cid) {
  wire::Feedback f;
  f.cid = cid;
  f.ack = ack;
  f.mode = mode;
  f.sn = sn & 0xfffU;
  f.sn_width = 12;
  f.crc = true;
  return f;
}

}  // namespace headroom::rohc::test
