// SPDX-License-Identifier: Apache-2.0
//
// What calls say about packets.
#include "adapter/guarded.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {

Outcome check_round_trip(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  const Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  const Instance decompressor(subject.adapter, HEADROOM_DECOMPRESSOR);
  for (std::size_t i = 0; i < subject.packets.size(); ++i) {
    const Octets& packet = subject.packets[i].octets;
    note("packet " + std::to_string(i) + " was compressed and decompressed");
    const std::vector<Called> link = call(compressor, {packet}, 0, time_of(i));
    if (link[0].status != HEADROOM_OK) {
      throw Broken("packet " + std::to_string(i) + " was not compressed: " + name_of_status(link[0].status) + ".");
    }
    const std::vector<Called> out = call(decompressor, {link[0].octets}, 0, time_of(i));
    if (out[0].status != HEADROOM_OK) {
      throw Broken("packet " + std::to_string(i) + " was not decompressed: " + name_of_status(out[0].status) + ".");
    }
    if (const auto at = replay::first_difference(packet, out[0].octets)) {
      throw Broken("packet " + std::to_string(i) + " came back changed, from octet " + std::to_string(*at) + " on.");
    }
    for (const Octets& feedback : take_feedback(decompressor)) give_feedback(compressor, feedback, 0, time_of(i));
  }
  return {};
}

// Every field of headroom_packet, headroom_detail and headroom_feedback after calls, for packets that are fine and for
// some that are not.
Outcome check_outcome_fields(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    std::vector<Octets> packets = role == HEADROOM_DECOMPRESSOR ? link_packets(subject, 100) : std::vector<Octets>();
    for (std::size_t i = 0; role == HEADROOM_COMPRESSOR && i < std::min<std::size_t>(100, subject.packets.size());
         ++i) {
      packets.push_back(subject.packets[i].octets);
    }
    const std::size_t good = packets.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(8, good); ++i) {
      packets.emplace_back(packets[i].begin(), packets[i].begin() + static_cast<std::ptrdiff_t>(packets[i].size() / 2));
    }
    packets.emplace_back();  // no octets at all
    Instance instance(subject.adapter, role);
    Guarded guarded(instance, 2 * HEADROOM_EXPANSION);
    for (std::size_t i = 0; i < packets.size();) {
      const std::size_t burst = i < good ? 1 + i % 3 : 1;
      std::vector<GuardedInput> inputs;
      for (std::size_t k = i; k < std::min(i + burst, packets.size()); ++k) inputs.push_back({packets[k], 0});
      note("packet " + std::to_string(i) + " and following were given to the " + name_of(role));
      try {
        (void)guarded.process(inputs, time_of(i));
        for (int n = 0; role == HEADROOM_DECOMPRESSOR && guarded.take_feedback(); ++n) {
          if (n > 1000) throw Broken("take_feedback never stops returning feedback.");
        }
      } catch (const PromiseBroken& broken) {
        throw Broken(broken.function() + ": " + broken.what());
      }
      i += inputs.size();
    }
  });
  return {};
}

Outcome check_channel(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    const Instance instance(subject.adapter, role);
    const std::vector<Octets> link = link_packets(subject, 1);
    const OctetView packet =
        role == HEADROOM_COMPRESSOR || link.empty() ? OctetView(subject.packets.front().octets) : OctetView(link[0]);
    for (const std::uint32_t channel : {instance.channels(), instance.channels() + 1, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      note("a packet of channel " + std::to_string(channel) + " was given to the " + name_of(role));
      const std::vector<Called> called = call(instance, {packet}, channel, time_of(0));
      if (called[0].status == HEADROOM_ERR_CHANNEL) continue;
      throw Broken(std::string("the ") + name_of(role) + " answers " + name_of_status(called[0].status) +
                   " to a packet of channel " + std::to_string(channel) + ", although it has " +
                   std::to_string(instance.channels()) + "; ERR_CHANNEL is right.");
    }
  });
  return {};
}

}  // namespace headroom::check
