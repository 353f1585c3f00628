// SPDX-License-Identifier: Apache-2.0
//
// The parsers of header chains: that of packets as they arrive at a compressor, and those of the chains in IR and
// IR-DYN packets. What they accept must lie inside the input, and what an IR says must survive being restored and
// parsed again.
//
// Input: two octets that choose parser and profiles, then the octets to parse.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rohc/fuzz/input.h"
#include "rohc/v1/decompressor/initialise.h"
#include "rohc/v1/header/chain.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/header/listed.h"

namespace headroom::rohc::fuzz {
namespace {

void require_items_survive(Octets octets, const ExtensionHeaders& list) {
  for (unsigned i = 0; i < list.count; ++i) {
    const ExtensionHeader& h = list.headers[i];
    require(h.offset + h.octets <= octets.size(), "an extension header longer than its packet");
    Item item;
    item_of(octets.data() + h.offset, h.type, h.octets, item);
    const Octets data{item.data.data(), item.octets};
    require(item_octets(data) == item.octets && header_octets_of(data) == h.octets, "an item of another length");
    std::uint8_t next = 0;
    require(extension_header_octets(h.type, octets.subspan(h.offset), next) == h.octets, "an inconsistent length");
    std::vector<std::uint8_t> header(h.octets);
    write_header_of(data, next, header.data());
    require(std::equal(header.begin(), header.end(), octets.begin() + h.offset), "an item is not its header");
  }
}

void parse_lists(Octets octets, ChainLimits limits, const HeaderChain& simple) {
  if (!may_be_listed(octets, simple, limits)) return;
  HeaderChain chain;
  ListedHeaders listed;
  if (!parse_listed(octets, limits, chain, listed)) return;
  require(listed.octets <= octets.size(), "lists longer than their packet");
  require(!listed.empty(), "lists without anything in them");
  require_items_survive(octets, listed.outer);
  require_items_survive(octets, listed.inner);
  (void)listed_crc7(octets.data(), listed, chain.outer_version, chain.layout());
}

void parse_packet(Octets octets, std::uint8_t choice, std::uint8_t variety) {
  HeaderChain chain;
  const ChainLimits limits{(choice & 16) != 0, (choice & 32) != 0, (variety & 1) != 0, (variety & 2) != 0,
                           (variety & 4) != 0};
  if (!parse_chain(octets, limits, chain)) return;
  require(chain.octets <= octets.size(), "a chain longer than its packet");
  require(chain.octets == chain.outer_octets + chain.layout().header, "a chain that is not the sum of its headers");
  const std::uint8_t* inner = octets.data() + chain.outer_octets;
  require(inner[0] >> 4 == chain.layout().ip_version, "a version that the shape does not have");
  require(!chain.layout().is_ipv4() || ipv4_sum(inner) == 0xffff, "a wrong checksum was accepted");
  parse_lists(octets, limits, chain);
}

// Restores the headers for a payload of a few octets; they must be headers that a compressor would take, where the
// profile ends with UDP or less.
void restore_headers(const Initialisation& init) {
  RestoredHeader header;
  constexpr std::size_t kPayload = 20;
  if (!restore(init.after, init.marker, init.udp_checksum, kPayload, header, init.coverage)) return;
  require(header.size <= header.octets.size(), "headers longer than there is room");
  std::vector<std::uint8_t> packet(header.octets.begin(),
                                   header.octets.begin() + static_cast<std::ptrdiff_t>(header.size));
  packet.resize(header.size + kPayload);
  HeaderChain chain;
  require(parse_chain(packet, {}, chain), "restored headers that cannot be parsed");
  parse_lists(packet, {}, chain);
}

void parse_initialisation(Octets octets, std::uint8_t choice, std::uint8_t variety) {
  constexpr wire::Profile kTables[][4] = {
      {wire::Profile::kRtp, wire::Profile::kUdp, wire::Profile::kIp, wire::Profile::kRtp},
      {wire::Profile::kRtpUdpLite, wire::Profile::kUdpLite, wire::Profile::kIp, wire::Profile::kEsp}};
  const auto& profiles = kTables[variety & 1];
  const wire::Profile profile = profiles[choice & 3];
  DecompressorLists lists{};
  ContextCopy none{};
  none.lists = &lists;
  const Initialisation ir = read_ir(none, profile, (choice & 4) == 0, octets);
  require(ir.header_octets <= octets.size(), "a chain longer than its packet");
  if (ir.status != wire::ChainStatus::kOk) return;
  if (ir.has_dynamic) restore_headers(ir);
  // What follows is an IR-DYN for the context just made, perhaps of another profile.
  const Initialisation dynamic = read_ir_dyn(ir.after, profiles[choice >> 4 & 3], octets.subspan(ir.header_octets));
  require(ir.header_octets + dynamic.header_octets <= octets.size(), "a chain longer than its packet");
  if (dynamic.status == wire::ChainStatus::kOk) restore_headers(dynamic);
  // And a second IR over the first.
  const Initialisation again =
      read_ir(ir.after, profiles[choice >> 6 & 3], (choice & 8) != 0, octets.subspan(ir.header_octets));
  if (again.status == wire::ChainStatus::kOk && (again.has_dynamic || again.keeps_dynamic)) restore_headers(again);
}

}  // namespace
}  // namespace headroom::rohc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::rohc::fuzz;
  if (size < 2) return 0;
  // A copy of its own size, so that AddressSanitizer sees a read past the end.
  const std::vector<std::uint8_t> octets(data + 2, data + size);
  if ((data[0] & 8) != 0 && (data[0] & 4) != 0) {
    parse_packet(octets, data[0], data[1]);
  } else {
    parse_initialisation(octets, data[0], data[1]);
  }
  return 0;
}
