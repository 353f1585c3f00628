// SPDX-License-Identifier: Apache-2.0
#include "rohc/header/crc_coverage.h"

#include <array>
#include <cstring>

#include "mutants.h"
#include "rohc/wire/crc.h"

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
  std::array<std::uint8_t, 2 * kImageSize> octets_;
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

Gathered dynamic_octets(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                        const Layout& l) noexcept {
  Gathered g;
  if (outer != nullptr) add_ip_dynamic(g, outer, outer_version);
  add_ip_dynamic(g, inner, l.ip_version);
  if (l.has_udp()) g.add(inner + l.udp + 4, mutant("crc-without-udp-checksum") ? 2 : 4);
  if (l.has_esp()) g.add(inner + l.esp + 4, 4);
  if (l.has_rtp()) g.add(inner + l.rtp + 1, 7);
  return g;
}

}  // namespace

StaticCrc static_crc(const std::uint8_t* outer, unsigned outer_version, const std::uint8_t* inner,
                     const Layout& l) noexcept {
  Gathered g;
  if (outer != nullptr) add_ip_static(g, outer, outer_version);
  add_ip_static(g, inner, l.ip_version);
  if (l.has_udp()) g.add(inner + l.udp, 4);
  if (l.has_esp()) g.add(inner + l.esp, 4);
  if (l.has_rtp()) {  // octets 1, 9-12
    g.add(inner + l.rtp, 1);
    g.add(inner + l.rtp + 8, 4);
  }
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

}  // namespace headroom::rohc
