// SPDX-License-Identifier: Apache-2.0
//
// Restoring headers with lists: the core first, then the lists put between its headers (RFC 3095 5.8.4.1: Next Header
// fields follow from what comes next).
#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/v1/decompressor/header.h"

namespace headroom::rohc {
namespace {

// Builds the whole chain octet by octet.
class Builder {
 public:
  explicit Builder(RestoredHeader& header) noexcept : header_(header) {}

  [[nodiscard]] std::uint16_t at() const noexcept { return static_cast<std::uint16_t>(size_); }
  [[nodiscard]] std::uint8_t* position() noexcept { return header_.octets.data() + size_; }

  void add(const std::uint8_t* from, std::size_t count) noexcept {
    std::memcpy(position(), from, count);
    size_ += count;
  }

  // The extension headers of `list` with what follows them; false for GRE before anything but IP. REQUIRES: `listed` is
  // where the places go.
  [[nodiscard]] bool add_headers(const DecompressorLists& lists, const HeaderList& list, std::uint16_t sn,
                                 std::uint8_t last_next, ExtensionHeaders& listed) noexcept {
    std::size_t from = 0;
    listed.count = 0;
    const std::uint16_t start = at();
    for (unsigned i = 0; i < list.now.count; ++i) {
      const Octets item{list.now.items.data() + from, list.now.item_octets[i]};
      from += item.size();
      const bool followed = i + 1U < list.now.count && !mutant("next-header-not-restored");
      const std::uint8_t next = followed ? list.now.items[from] : last_next;
      if (item[0] == kGre && next != kProtocolIpv4 && next != kProtocolIpv6) return false;
      const std::size_t octets = header_octets_of(item);
      // GRE headers are longer than their items, which alone are bounded.
      if (at() - start + octets > kMaxListOctets || octets > kMaxItemOctets) return false;
      std::uint8_t* to = position();
      write_header_of(item, next, to);
      const ItemFields fields = fields_of_header(item[0], to, octets);
      if (fields.sequence_at != 0) wire::store32(to + fields.sequence_at, sequence_of(lists, list, i, item, sn));
      listed.headers[listed.count++] = {item[0], static_cast<std::uint8_t>(octets), at()};
      size_ += octets;
    }
    listed.octets = static_cast<std::uint16_t>(at() - start);
    return true;
  }

 private:
  RestoredHeader& header_;
  std::size_t size_ = 0;
};

std::uint8_t& next_of(std::uint8_t* ip, const Layout& l) noexcept { return ip[l.is_ipv4() ? 9 : 6]; }

std::uint16_t id_in(const std::uint8_t* ip, const Layout& l) noexcept {
  return l.is_ipv4() ? wire::load16(ip + l.id_at) : std::uint16_t{0};
}

// The IP header at `from`, which stands in the core, with the type of its first extension header, and these after it.
[[nodiscard]] bool add_ip(Builder& out, const std::uint8_t* from, const Layout& l, const DecompressorLists& lists,
                          const HeaderList& list, std::uint16_t sn, ExtensionHeaders& listed) noexcept {
  std::uint8_t core[kIpv6Header];
  std::copy_n(from, ip_layout(l.ip_version).header, core);
  const std::uint8_t next = next_of(core, l);
  if (list.now.count != 0) next_of(core, l) = list.now.items[0];
  out.add(core, ip_layout(l.ip_version).header);
  return out.add_headers(lists, list, sn, next, listed);
}

std::size_t extras_octets(const DecompressorLists& lists) noexcept {
  std::size_t octets = 0;
  for (unsigned i = 0; i < lists.extra_count; ++i) octets += ip_layout(lists.extras[i][0] >> 4).header;
  return octets;
}

// Lengths and checksum of an IP header that already has its IP-ID.
[[nodiscard]] bool mend_ip(std::uint8_t* ip, std::size_t length) noexcept {
  const Layout& l = ip_layout(ip[0] >> 4);
  return complete_ip(ip, l, length, id_in(ip, l));
}

[[nodiscard]] bool restore_listed(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                                  RestoredHeader& header, std::optional<std::uint16_t> coverage) noexcept {
  const DecompressorLists& lists = *copy.lists;
  const Layout& l = layout_of(copy.c.shape);
  const std::size_t csrc_octets = 4U * lists.csrc.count;
  const std::size_t extras = extras_octets(lists);
  RestoredHeader core;
  if (!restore_core(copy, marker, udp_checksum, payload + csrc_octets + extras, core, coverage)) return false;

  ListedHeaders& listed = header.listed;
  listed.outer.count = 0;
  listed.outer.octets = 0;
  const std::uint8_t* from = core.octets.data();
  Builder out(header);
  if (copy.c.tunnel) {
    const Layout& outer = ip_layout(copy.tunnel.version);
    if (!add_ip(out, from, outer, lists, lists.outer, copy.c.sn, listed.outer)) return false;
    from += outer.header;
  }
  listed.inner_at = out.at();
  if (!add_ip(out, from, l, lists, lists.inner, copy.c.sn, listed.inner)) return false;
  const std::size_t ip_octets = ip_layout(l.ip_version).header;
  listed.transport_at = out.at();
  out.add(from + ip_octets, l.header - ip_octets);
  listed.csrc_count = l.has_rtp() ? lists.csrc.count : std::uint8_t{0};
  listed.csrc_at = out.at();
  if (l.has_rtp()) {
    std::uint8_t& first = header.octets[listed.transport_at + l.rtp - ip_octets];
    first = static_cast<std::uint8_t>(first | lists.csrc.count);
    out.add(lists.csrc.now.data(), csrc_octets);
  }
  listed.extra_count = lists.extra_count;
  listed.extras_octets = static_cast<std::uint16_t>(extras);
  for (unsigned i = 0; i < lists.extra_count; ++i) {
    out.add(lists.extras[i].data(), ip_layout(lists.extras[i][0] >> 4).header);
  }
  header.size = out.at();
  listed.octets = out.at();

  const std::size_t total = header.size + payload;
  if (copy.c.tunnel && !mend_ip(header.octets.data(), total)) return false;
  if (!mend_ip(header.octets.data() + listed.inner_at, total - listed.inner_at)) return false;
  std::size_t at = listed.transport_at;
  for (unsigned i = 0; i < lists.extra_count; ++i) {
    if (!mend_ip(header.octets.data() + at, total - at)) return false;
    at += ip_layout(lists.extras[i][0] >> 4).header;
  }
  return true;
}

}  // namespace

DecompressorLists& lists_of(ContextCopy& copy) noexcept {
  if (copy.c.lists == ListUse::kNone) *copy.lists = DecompressorLists{};
  copy.c.lists = ListUse::kActive;
  return *copy.lists;
}

bool restore(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
             RestoredHeader& header, std::optional<std::uint16_t> coverage) noexcept {
  return copy.c.lists == ListUse::kActive ? restore_listed(copy, marker, udp_checksum, payload, header, coverage)
                                          : restore_core(copy, marker, udp_checksum, payload, header, coverage);
}

}  // namespace headroom::rohc
