// SPDX-License-Identifier: Apache-2.0
//
// What calls say about packets.
#include <algorithm>

#include "adapter/guarded.h"
#include "base/hex.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {
namespace {

// What a decompressor has to say after a packet, to either end.
void take_all(Guarded& guarded, std::uint64_t now_ns) {
  constexpr int kMost = 1000;
  for (int n = 0; guarded.take_reverse(now_ns); ++n) {
    if (n == kMost) throw Broken("take_reverse never stops returning feedback.");
  }
}

// A feedback element for the compressor at the far end (RFC 5795, 5.2.4.1): FEEDBACK-1 for CID 0, behind the CID where
// CIDs are large.
Octets feedback_to_send(const Subject& subject) {
  if (subject.adapter.scheme != "rohc") throw NotJudged("what feedback of this scheme looks like is not known here.");
  const bool large = subject.adapter.config.contains("cids") && subject.adapter.config["cids"] == "large";
  return large ? Octets{0xF2, 0x00, 0x00} : Octets{0xF1, 0x00};
}

}  // namespace

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
    carry_reverse(decompressor, compressor, time_of(i));
  }
  return {};
}

// Every field of headroom_packet and headroom_detail after calls, for packets that are fine and for
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
      for (std::size_t k = i; k < std::min(i + burst, packets.size()); ++k) inputs.push_back({packets[k]});
      note("packet " + std::to_string(i) + " and following were given to the " + name_of(role));
      try {
        (void)guarded.process(inputs, time_of(i));
        if (role == HEADROOM_DECOMPRESSOR) take_all(guarded, time_of(i));
      } catch (const PromiseBroken& broken) {
        throw Broken(broken.function() + ": " + broken.what());
      }
      i += inputs.size();
    }
  });
  return {};
}

Outcome check_piggyback(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  Instance decompressor(subject.adapter, HEADROOM_DECOMPRESSOR);
  const std::vector<std::string>& ways = compressor.description().find(subject.adapter.scheme)->feedback;
  if (std::find(ways.begin(), ways.end(), "piggybacked") == ways.end())
    throw NotJudged("the adapter does not piggyback feedback.");
  const Octets sent = feedback_to_send(subject);
  Guarded sender(compressor), receiver(decompressor);
  const std::size_t count = std::min<std::size_t>(30, subject.packets.size());
  try {
    for (std::size_t i = 0; i < count; ++i) {
      const bool carries = i % 3 == 1;
      note("packet " + std::to_string(i) + (carries ? " was sent with" : " was sent without") + " feedback in front");
      if (carries && !sender.give_reverse({sent, 0, HEADROOM_REVERSE_FAR}, time_of(i)))
        throw Broken("give_reverse refuses feedback to piggyback although none is waiting.");
      const std::vector<GuardedOutput> link = sender.process({{subject.packets[i].octets}}, time_of(i));
      if (link[0].status != HEADROOM_OK) throw NotJudged("a packet was not compressed; see the check \"round_trip\".");
      (void)receiver.process({{link[0].octets}}, time_of(i));
      Octets received;
      while (const std::optional<ReversePacket> packet = receiver.take_reverse(time_of(i))) {
        if (packet->type != HEADROOM_REVERSE_NEAR) continue;
        received.insert(received.end(), packet->octets.begin(), packet->octets.end());
        if (received.size() > HEADROOM_REVERSE_MAX) break;
      }
      if (received == (carries ? sent : Octets())) continue;
      throw Broken("packet " + std::to_string(i) + " was sent " +
                   (carries ? "with the feedback " + to_hex(sent) + " in front" : "without feedback") + ", and '" +
                   to_hex(received) + "' was received with it.");
    }
  } catch (const PromiseBroken& broken) {
    throw Broken(broken.function() + ": " + broken.what());
  }
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
