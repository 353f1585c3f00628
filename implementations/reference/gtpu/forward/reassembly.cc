// SPDX-License-Identifier: Apache-2.0
#include "gtpu/forward/reassembly.h"

#include <algorithm>

namespace headroom::gtpu {

bool Reassembly::insert(Packet& p, const Fragment& f, std::span<const std::uint8_t> octets) {
  const auto end = static_cast<std::uint32_t>(f.offset + f.data.size());
  if (f.header_length + end > 65'535 || p.parts.size() == kMostParts) return false;
  if (!f.more) {
    if (p.length != 0 && p.length != end) return false;
    p.length = end;
  }
  const auto at = std::ranges::lower_bound(p.parts, f.offset, {}, &Part::offset);
  const auto end_of = [](const Part& part) { return part.offset + part.octets.size(); };
  if (at != p.parts.end() && at->offset == f.offset && at->octets.size() == f.data.size())
    return std::ranges::equal(at->octets, f.data);  // the same fragment again
  if ((at != p.parts.end() && at->offset < end) || (at != p.parts.begin() && end_of(at[-1]) > f.offset)) return false;
  p.parts.insert(at, {f.offset, {f.data.begin(), f.data.end()}});
  if (p.length != 0 && end_of(p.parts.back()) > p.length) return false;
  if (f.offset != 0) return true;
  p.header.assign(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(f.header_length));
  if (f.ipv6) p.header[f.next_header_at] = f.protocol;
  return true;
}

std::span<const std::uint8_t> Reassembly::complete(const Packet& p) {
  std::uint32_t covered = 0;
  for (const Part& part : p.parts) {
    if (part.offset != covered) return {};
    covered += static_cast<std::uint32_t>(part.octets.size());
  }
  if (p.length == 0 || covered != p.length) return {};
  whole_ = p.header;
  for (const Part& part : p.parts) whole_.insert(whole_.end(), part.octets.begin(), part.octets.end());
  if (p.ipv6) {
    write16(&whole_[4], static_cast<std::uint32_t>(whole_.size() - kIpv6Header));
  } else {
    write16(&whole_[2], static_cast<std::uint32_t>(whole_.size()));
    write16(&whole_[6], 0);
    write16(&whole_[10], 0);
    write16(&whole_[10], checksum(sum_words({whole_.data(), p.header.size()})));
  }
  return whole_;
}

std::span<const std::uint8_t> Reassembly::add(std::span<const std::uint8_t> octets, std::uint64_t now_ns) {
  while (!packets_.empty() && now_ns - packets_.front().first_ns > kTimeoutNs) packets_.pop_front();
  Fragment f;
  if (!read_fragment(octets, f)) return {};
  Packet wanted;
  std::memcpy(wanted.addresses.data(), &octets[f.ipv6 ? 8 : 12], f.ipv6 ? 32 : 8);
  wanted.id = f.id;
  wanted.protocol = f.protocol;
  wanted.ipv6 = f.ipv6;
  auto it = std::ranges::find_if(packets_, [&](const Packet& p) {
    return p.id == wanted.id && p.ipv6 == wanted.ipv6 && p.protocol == wanted.protocol &&
           p.addresses == wanted.addresses;
  });
  if (it == packets_.end()) {
    if (packets_.size() == kMostPackets) packets_.pop_front();
    wanted.first_ns = now_ns;
    packets_.push_back(std::move(wanted));
    it = packets_.end() - 1;
  }
  std::span<const std::uint8_t> whole;
  const bool fits = insert(*it, f, octets);
  if (fits) whole = complete(*it);
  if (!fits || !whole.empty()) packets_.erase(it);
  return whole;
}

}  // namespace headroom::gtpu
