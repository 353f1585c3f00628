// SPDX-License-Identifier: Apache-2.0
//
// Segments: a link that is too narrow for most packets.
#include <algorithm>

#include "adapter/checked.h"
#include "base/nth.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {
namespace {

void check_link_packets(std::size_t i, const std::vector<PacketInput>& packets) {
  const std::string which = nth("packet", i);
  if (packets.empty()) throw NotJudged("a packet was not compressed; see the check \"round_trip\".");
  for (const PacketInput& packet : packets) {
    if (packet.octets.size() <= kNarrowLink) continue;
    throw Broken(which + " became a link packet of " + std::to_string(packet.octets.size()) +
                 " octets although \"largest_packet\" is " + std::to_string(kNarrowLink) +
                 " and segments are allowed.");
  }
}

}  // namespace

Outcome check_segments(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  Instance compressor(on_narrow_link(subject), HEADROOM_COMPRESSOR);
  Instance decompressor(on_narrow_link(subject), HEADROOM_DECOMPRESSOR);
  if (!offers(subject, "features", "segmentation"))
    throw NotJudged("the adapter does not list the feature \"segmentation\".");
  Checked sender(compressor), receiver(decompressor);
  std::size_t segmented = 0;
  for (std::size_t i = 0; i < subject.packets.size(); ++i) {
    const PacketInput packet = input_of(subject.packets[i]);
    note(nth("packet", i) + " was sent over a link for " + std::to_string(kNarrowLink) + " octets");
    const std::vector<PacketOutput> sent = sender.process({packet}, time_of(i));
    const std::vector<PacketInput> link = link_packets_of(sent[0]);
    check_link_packets(i, link);
    if (link.size() > 1) ++segmented;
    for (std::size_t k = 0; k < link.size(); ++k) {
      const std::vector<PacketOutput> out = receiver.process({link[k]}, time_of(i));
      const bool last = k + 1 == link.size();
      if (out[0].status != (last ? HEADROOM_OK : HEADROOM_NOTHING)) {
        throw Broken(nth("segment", k) + " of " + nth("packet", i) + " gave " + name_of_status(out[0].status) +
                     (last ? "; OK is right." : "; NOTHING is right."));
      }
      if (!last) continue;
      if (const auto at = replay::first_difference(packet.octets, out[0].octets))
        throw Broken(nth("packet", i) + " came back changed, from octet " + std::to_string(*at) + " on.");
    }
  }
  if (segmented == 0) throw NotJudged("no packet of the source was too long for the link.");
  return {};
}

}  // namespace headroom::check
