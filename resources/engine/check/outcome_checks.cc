// SPDX-License-Identifier: Apache-2.0
//
// What calls say about packets.
#include <algorithm>
#include <utility>

#include "adapter/checked.h"
#include "base/hex.h"
#include "base/nth.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {
namespace {

// What a decompressor has to say after a packet, to either end.
void take_all(Checked& checked, std::uint64_t now_ns) {
  constexpr int kMost = 1000;
  for (int n = 0; checked.take_reverse(now_ns); ++n) {
    if (n == kMost) throw PromiseBroken(checked.instance(), "take_reverse", "it never stops returning packets.");
  }
}

// A sentence if the decompressor rightly says that the CRC of a link packet is wrong, else "".
std::string crc_defect(const Subject& subject, const PacketOutput& link, std::int32_t status) {
  const auto defect_of = known_scheme(subject).trials.crc_defect;
  if (defect_of == nullptr || status != HEADROOM_ERR_CRC) return {};
  const std::string defect = defect_of(subject.adapter.config, link.octets, link.detail.compressed_header);
  return defect.empty() ? defect : " The compressor's packet " + defect + ".";
}

// Calls of one instance, packet by packet, of which is known how many octets each wrote.
class MeasuredCalls {
 public:
  MeasuredCalls(const Subject& subject, headroom_role role) : instance_(subject.adapter, role) {}

  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }
  [[nodiscard]] PacketOutput call(const PacketInput& input, std::uint64_t now_ns) {
    constexpr std::uint8_t kUnwritten = 0xB7;
    written_.clear();
    before_ = std::exchange(length_, 0);
    CallOptions options;
    options.fill = kUnwritten;
    options.written = &written_;
    PacketOutput output = call_one(instance_, input, now_ns, options);
    length_ = output.octets.size();
    return output;
  }
  // A sentence if the output of the last call has not the length that `out_length` says, else "". For packets with
  // which something is wrong: one that is right may have been made in more room than it takes.
  [[nodiscard]] std::string length_defect(std::size_t out_length) const {
    if (written_.empty() || written_[0] == out_length) return {};
    const bool is_stale = out_length == before_;
    if (!is_stale && written_[0] < out_length && out_length - written_[0] < 3) return {};  // octets that equal the fill
    return std::string(" The ") + name_of(instance_.role()) + " wrote " + std::to_string(written_[0]) +
           " octets and says that out_length is " + std::to_string(out_length) +
           (is_stale ? ", a stale length: that of the packet before." : ".");
  }

 private:
  Instance instance_;
  std::vector<std::size_t> written_;
  std::size_t before_ = 0, length_ = 0;  // of the outputs of the two last calls
};

// The round trip where a link packet may carry several packets, or parts of them: all come back in order, once nothing
// is due any more.
class PackedRoundTrip {
 public:
  explicit PackedRoundTrip(const Subject& subject)
      : subject_(subject),
        compressor_(subject.adapter, HEADROOM_COMPRESSOR),
        decompressor_(subject.adapter, HEADROOM_DECOMPRESSOR) {}

  void give(const PacketInput& packet, std::uint64_t now_ns) {
    drain_until(now_ns);
    now_ns_ = now_ns;
    const std::vector<PacketOutput> outputs = sender_.process({packet}, now_ns);
    if (outputs[0].status < 0)
      throw Broken("a packet was not compressed: " + std::string(name_of_status(outputs[0].status)) + ".");
    carry(outputs, now_ns);
  }
  void drain_until(std::uint64_t end_ns) {
    constexpr int kMost = 100'000;
    for (int n = 0;; ++n) {
      const std::uint64_t next_ns = std::min(sender_.next_deadline(), receiver_.next_deadline());
      if (next_ns >= end_ns) return;
      if (n == kMost) throw NotJudged("one deadline follows another without end; see the check \"deadline\".");
      now_ns_ = std::max(now_ns_, next_ns);  // a deadline that has passed means now
      if (sender_.next_deadline() <= now_ns_) carry(sender_.drain_due(now_ns_), now_ns_);
      if (receiver_.next_deadline() <= now_ns_) take(receiver_.drain_due(now_ns_));
    }
  }
  [[nodiscard]] const std::vector<Octets>& delivered() const noexcept { return delivered_; }

 private:
  void carry(const std::vector<PacketOutput>& outputs, std::uint64_t now_ns) {
    for (const PacketOutput& output : outputs) {
      if (output.came_out()) take(receiver_.process({{output.octets, output.channel, output.type}}, now_ns), &output);
      carry(output.more, now_ns);
    }
  }
  // `link` is the packet whose outputs they are; nullptr if none is.
  void take(const std::vector<PacketOutput>& outputs, const PacketOutput* link = nullptr) {
    for (const PacketOutput& output : outputs) {
      if (output.status < 0) {
        throw Broken("a link packet was not decompressed: " + std::string(name_of_status(output.status)) + "." +
                     (link != nullptr ? crc_defect(subject_, *link, output.status) : ""));
      }
      if (output.came_out()) delivered_.push_back(output.octets);
      take(output.more, link);
    }
  }

  const Subject& subject_;
  Instance compressor_, decompressor_;
  Checked sender_{compressor_}, receiver_{decompressor_};
  std::vector<Octets> delivered_;
  std::uint64_t now_ns_ = 0;
};

void check_packed_round_trip(const Subject& subject) {
  PackedRoundTrip trip(subject);
  for (std::size_t i = 0; i < subject.packets.size(); ++i) {
    note(nth("packet", i) + " was given to the compressor");
    trip.give(input_of(subject.packets[i]), time_of(i));
  }
  trip.drain_until(HEADROOM_NO_DEADLINE);
  const std::vector<Octets>& delivered = trip.delivered();
  for (std::size_t i = 0; i < std::min(delivered.size(), subject.packets.size()); ++i) {
    if (const auto at = replay::first_difference(subject.packets[i].octets, delivered[i]))
      throw Broken(nth("packet", i) + " came back changed, from octet " + std::to_string(*at) + " on.");
  }
  if (delivered.size() != subject.packets.size()) {
    throw Broken("of " + std::to_string(subject.packets.size()) + " packets " + std::to_string(delivered.size()) +
                 " have come back when nothing was due any more.");
  }
}

}  // namespace

Outcome check_round_trip(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  MeasuredCalls compressor(subject, HEADROOM_COMPRESSOR), decompressor(subject, HEADROOM_DECOMPRESSOR);
  if (compressor.instance().packs()) {
    check_packed_round_trip(subject);
    return {};
  }
  for (std::size_t i = 0; i < subject.packets.size(); ++i) {
    const PacketInput packet = input_of(subject.packets[i]);
    const std::string name = nth("packet", i);
    note(name + " was compressed and decompressed");
    const PacketOutput link = compressor.call(packet, time_of(i));
    if (!link.came_out()) throw Broken(name + " was not compressed: " + name_of_status(link.status) + ".");
    const PacketOutput out = decompressor.call(input_of(link), time_of(i));
    if (!out.came_out()) {
      throw Broken(name + " was not decompressed: " + name_of_status(out.status) + "." +
                   compressor.length_defect(link.octets.size()) + crc_defect(subject, link, out.status));
    }
    if (const auto at = replay::first_difference(packet.octets, out.octets)) {
      std::string defect = compressor.length_defect(link.octets.size());
      if (defect.empty()) defect = decompressor.length_defect(out.octets.size());
      throw Broken(name + " came back changed, from octet " + std::to_string(*at) + " on." + defect);
    }
    carry_reverse(decompressor.instance(), compressor.instance(), time_of(i));
  }
  return {};
}

// Every field of headroom_packet and headroom_detail after calls, for packets that are fine and for
// some that are not.
Outcome check_outcome_fields(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    std::vector<TypedPacket> packets = inputs_for(subject, role, 100);
    const std::size_t good = packets.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(8, good); ++i) {
      packets.push_back(packets[i]);
      packets.back().octets.resize(packets[i].octets.size() / 2);
    }
    packets.emplace_back();  // no octets at all
    Instance instance(subject.adapter, role);
    Checked checked(instance, 2 * HEADROOM_EXPANSION);
    for (std::size_t i = 0; i < packets.size();) {
      const std::size_t burst = i < good ? 1 + i % 3 : 1;
      std::vector<PacketInput> inputs;
      for (std::size_t k = i; k < std::min(i + burst, packets.size()); ++k) inputs.push_back(input_of(packets[k]));
      note(nth("packet", i) + " and following were given to the " + name_of(role));
      (void)checked.process(inputs, time_of(i));
      if (role == HEADROOM_DECOMPRESSOR) take_all(checked, time_of(i));
      i += inputs.size();
    }
  });
  return {};
}

Outcome check_piggyback(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  Instance decompressor(subject.adapter, HEADROOM_DECOMPRESSOR);
  if (!offers(subject, "feedback", "piggybacked")) throw NotJudged("the adapter does not piggyback feedback.");
  const auto reverse_packet = known_scheme(subject).trials.reverse_packet;
  if (reverse_packet == nullptr) throw NotJudged("what reverse packets of this scheme look like is not known here.");
  const Octets sent = reverse_packet(subject.adapter.config);
  Checked sender(compressor), receiver(decompressor);
  const std::size_t count = std::min<std::size_t>(30, subject.packets.size());
  for (std::size_t i = 0; i < count; ++i) {
    const bool carries = i % 3 == 1;
    note(nth("packet", i) + (carries ? " was sent with" : " was sent without") + " feedback in front");
    if (carries && !sender.give_reverse({sent, 0, HEADROOM_REVERSE_FAR}, time_of(i)))
      throw Broken("give_reverse refuses a packet to piggyback although none is waiting.");
    const std::vector<PacketOutput> link = sender.process({input_of(subject.packets[i])}, time_of(i));
    if (!link[0].came_out()) throw NotJudged("a packet was not compressed; see the check \"round_trip\".");
    (void)receiver.process({input_of(link[0])}, time_of(i));
    Octets received;
    while (const std::optional<ReversePacket> packet = receiver.take_reverse(time_of(i))) {
      if (packet->type != HEADROOM_REVERSE_NEAR) continue;
      received.insert(received.end(), packet->octets.begin(), packet->octets.end());
      if (received.size() > HEADROOM_REVERSE_MAX) break;
    }
    if (received == (carries ? sent : Octets())) continue;
    throw Broken(nth("packet", i) + " was sent " +
                 (carries ? "with the feedback " + to_hex(sent) + " in front" : "without feedback") + ", and '" +
                 to_hex(received) + "' was received with it.");
  }
  return {};
}

Outcome check_channel(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) {
    const Instance instance(subject.adapter, role);
    const std::vector<TypedPacket> inputs = inputs_for(subject, role, 1);
    const PacketInput first = inputs.empty() ? input_of(subject.packets.front()) : input_of(inputs[0]);
    for (const std::uint32_t channel : {instance.channels(), instance.channels() + 1, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
      note("a packet of channel " + std::to_string(channel) + " was given to the " + name_of(role));
      const PacketOutput called = call_one(instance, {first.octets, channel, first.type}, time_of(0));
      if (called.status == HEADROOM_ERR_CHANNEL) continue;
      throw Broken(std::string("the ") + name_of(role) + " answers " + name_of_status(called.status) +
                   " to a packet of channel " + std::to_string(channel) + ", although it has " +
                   std::to_string(instance.channels()) + "; ERR_CHANNEL is right.");
    }
  });
  return {};
}

}  // namespace headroom::check
