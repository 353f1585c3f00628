// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/header/crc_coverage.h"

#include <array>
#include <cstring>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"

namespace headroom::rohc {
namespace {

// Octets of one kind, gathered from all headers in order.
class Gathered {
 public:
  void add(const std::uint8_t* from, std::size_t count) noexcept {
    std::memcpy(octets_.data() + size_, from, count);
    size_ += count;
  }
  [[nodiscard]] Octets all() const noexcept { return {octets_.data(), size_}; }

 private:
  std::array<std::uint8_t, kMaxHeaderOctets> octets_;
  std::size_t size_ = 0;
};

void add_ip_static(Gathered& g, const std::uint8_t* h, unsigned version) noexcept {
  if (version == 4) {  // octets 1-2, 7-10, 13-20
    g.add(h, 2);
    g.add(h + 6, 4);
    g.add(h + 12, 8);
  } else {  // octets 1-4, 7-40
    g.add(h, 4);
    g.add(h + 6, 34);
  }
}

void add_ip_dynamic(Gathered& g, const std::uint8_t* h, unsigned version) noexcept {
  if (version == 4) {  // octets 3-4, 5-6, 11-12
    g.add(h + 2, mutant("crc-without-ip-id") ? 2 : 4);
    g.add(h + 10, 2);
  } else {  // octets 5-6
    g.add(h + 4, 2);
  }
}

// Transport headers after the innermost IP header; `inner` as if that stood right before them.
void add_transport_static(Gathered& g, const std::uint8_t* inner, const Layout& l) noexcept {
  if (l.has_udp()) g.add(inner + l.udp, 4);
  if (l.has_esp()) g.add(inner + l.esp, 4);
  if (l.has_rtp()) {  // octets 1, 9-12
    g.add(inner + l.rtp, 1);
    g.add(inner + l.rtp + 8, 4);
  }
}

void add_transport_dynamic(Gathered& g, const std::uint8_t* inner, const Layout& l) noexcept {
  if (l.has_udp()) g.add(inner + l.udp + 4, mutant("crc-without-udp-checksum") ? 2 : 4);
  if (l.has_esp()) g.add(inner + l.esp + 4, 4);
  if (l.has_rtp()) g.add(inner + l.rtp + 1, 7);
}

Gathered dynamic_octets(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                        const Layout& l) noexcept {
  Gathered g;
  if (outer != nullptr) add_ip_dynamic(g, outer, outer_version);
  add_ip_dynamic(g, inner, l.ip_version);
  add_transport_dynamic(g, inner, l);
  return g;
}

// An extension header in two: what is static, or what is dynamic (5.8.7).
void add_extension_header(Gathered& g, const ExtensionHeader& h, const std::uint8_t* header, bool dynamic) noexcept {
  if (h.type == kAuthentication) {
    if (dynamic) g.add(header, h.octets);
    return;
  }
  if (h.type != kGre) {
    if (!dynamic) g.add(header, h.octets);
    return;
  }
  const ItemFields f = fields_of_header(h.type, header, h.octets);
  const std::size_t checksum_ends = f.as_is_at + std::size_t{f.as_is_octets};
  const std::size_t sequence_at = f.sequence_at != 0 ? f.sequence_at : h.octets;
  if (dynamic) {
    g.add(header + f.as_is_at, f.as_is_octets);
    g.add(header + sequence_at, h.octets - sequence_at);
  } else if (f.as_is_at != 0) {
    g.add(header, f.as_is_at);
    g.add(header + checksum_ends, sequence_at - checksum_ends);
  } else {
    g.add(header, sequence_at);
  }
}

void add_list(Gathered& g, const std::uint8_t* headers, const ExtensionHeaders& list, bool dynamic) noexcept {
  for (unsigned i = 0; i < list.count; ++i)
    add_extension_header(g, list.headers[i], headers + list.headers[i].offset, dynamic);
}

void add_ip(Gathered& g, const std::uint8_t* h, unsigned version, bool dynamic) noexcept {
  if (dynamic) {
    add_ip_dynamic(g, h, version);
  } else {
    add_ip_static(g, h, version);
  }
}

// All static or all dynamic octets, in the order of the headers.
Gathered listed_octets(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                       const Layout& l, bool dynamic) noexcept {
  Gathered g;
  if (outer_version != 0) {
    add_ip(g, headers, outer_version, dynamic);
    add_list(g, headers, listed.outer, dynamic);
  }
  add_ip(g, headers + listed.inner_at, l.ip_version, dynamic);
  add_list(g, headers, listed.inner, dynamic);
  const std::uint8_t* as_if_inner = headers + listed.transport_at - ip_layout(l.ip_version).header;
  if (dynamic) {
    add_transport_dynamic(g, as_if_inner, l);
  } else {
    add_transport_static(g, as_if_inner, l);
    g.add(headers + listed.csrc_at, 4U * listed.csrc_count);
  }
  const std::uint8_t* extra = headers + listed.transport_at;
  for (unsigned i = 0; i < listed.extra_count; ++i) {
    const unsigned version = extra[0] >> 4;
    add_ip(g, extra, version, dynamic);
    extra += ip_layout(version).header;
  }
  return g;
}

}  // namespace

StaticCrc static_crc(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                     const Layout& l) noexcept {
  Gathered g;
  if (outer != nullptr) add_ip_static(g, outer, outer_version);
  add_ip_static(g, inner, l.ip_version);
  add_transport_static(g, inner, l);
  if (mutant("crc-initial-value")) return {wire::crc3(g.all(), 0), wire::crc7(g.all(), 0)};
  return {wire::crc3(g.all()), wire::crc7(g.all())};
}

std::uint8_t finish_crc3(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                         const std::uint8_t* inner, const Layout& l) noexcept {
  return wire::crc3(dynamic_octets(outer, outer_version, inner, l).all(), state);
}

std::uint8_t finish_crc7(std::uint8_t state, const std::uint8_t* outer, unsigned outer_version,
                         const std::uint8_t* inner, const Layout& l) noexcept {
  return wire::crc7(dynamic_octets(outer, outer_version, inner, l).all(), state);
}

StaticCrc listed_static_crc(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                            const Layout& l) noexcept {
  const Gathered g = listed_octets(headers, listed, outer_version, l, false);
  return {wire::crc3(g.all()), wire::crc7(g.all())};
}

std::uint8_t listed_crc3(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                         const Layout& l) noexcept {
  const std::uint8_t state = wire::crc3(listed_octets(headers, listed, outer_version, l, false).all());
  return wire::crc3(listed_octets(headers, listed, outer_version, l, true).all(), state);
}

std::uint8_t listed_crc7(const std::uint8_t* headers, const ListedHeaders& listed, unsigned outer_version,
                         const Layout& l) noexcept {
  const std::uint8_t state = wire::crc7(listed_octets(headers, listed, outer_version, l, false).all());
  return wire::crc7(listed_octets(headers, listed, outer_version, l, true).all(), state);
}

}  // namespace headroom::rohc
