// SPDX-License-Identifier: Apache-2.0
#include "replay/carrier.h"

#include <utility>

#include "capture/writer.h"
#include "link/report.h"

namespace headroom::replay {
namespace {

constexpr std::size_t kMacHeader = 14;

}  // namespace

CarrierJob read_carrier(const Value& value, std::uint16_t ether_type) {
  Object object(value);
  CarrierJob job{read_adapter_job(object.required("compressor")), {}};
  if (const auto v = object.optional("decompressor")) job.decompressor = read_adapter_job(*v);
  const bool has_type = object.has("type");
  job.type = static_cast<std::uint16_t>(object.integer("type", kSmallestEtherType, 0xFFFF, ether_type));
  if (!has_type && ether_type == 0)
    object.fail("packets of the inner scheme have no Ethernet type: name the \"type\" of the PDUs that carry them.");
  job.ethernet = object.boolean("ethernet", false);
  object.finish();
  return job;
}

Carrier::Carrier(const CarrierJob& job)
    : type_(job.type), ethernet_(job.ethernet), compressor_(job.compressor, HEADROOM_COMPRESSOR) {
  if (job.decompressor) decompressor_ = std::make_unique<Side>(*job.decompressor, HEADROOM_DECOMPRESSOR);
}

LinkPacket Carrier::link_packet(const PacketOutput& output, std::uint64_t tag, std::uint32_t channel) {
  LinkPacket packet;
  packet.octets = output.octets;
  packet.channel = channel;
  packet.header_length = static_cast<std::uint32_t>(packet.octets.size());
  packet.tag = tag;
  packet.type = output.type;
  return packet;
}

std::vector<LinkPacket> Carrier::take(const LinkPacket& inner, std::uint64_t now_ns) {
  const std::size_t index = pdus_.size();
  const bool follows = !carried_.empty() && carried_.back().tag == inner.tag;
  carried_.push_back({inner.tag, follows ? carried_.back().part + 1 : 0, inner.header_length, inner.type});
  SourcePacket& pdu = pdus_.emplace_back();
  pdu.time_ns = now_ns;
  pdu.channel = inner.channel;
  pdu.octets = inner.octets;
  ++counts_.sent;
  counts_.sent_octets += inner.octets.size();
  const Octets frame = ethernet_ ? ethernet_frame(kMacB, kMacA, type_, pdu.octets) : pdu.octets;
  const std::vector<PacketOutput> outputs =
      compressor_.checked.process({{frame, pdu.channel, ethernet_ ? kEtherTypeFrame : type_}}, now_ns);
  const PacketOutput& output = outputs.front();
  std::vector<LinkPacket> packets;
  std::uint64_t octets = 0;
  const auto add = [&](const PacketOutput& one) {
    if (!one.came_out()) return;
    // What is due on other channels is put out behind it, too.
    const bool is_of_pdu = one.channel == pdu.channel;
    packets.push_back(link_packet(one, is_of_pdu ? index : kInserted, one.channel));
    if (is_of_pdu) octets += one.octets.size();
  };
  add(output);
  for (const PacketOutput& more : output.more) add(more);
  compressor_.statistics.add(index, pdu.channel, output.status, output.detail, octets, 0);
  if (output.status < 0) {
    ++refused_;
  } else {
    packed_.take(index);
  }
  return packets;
}

std::vector<LinkPacket> Carrier::take_due(std::uint64_t now_ns) {
  std::vector<LinkPacket> packets;
  for (const PacketOutput& output : compressor_.checked.drain_due(now_ns)) {
    if (output.came_out()) packets.push_back(link_packet(output, kInserted, output.channel));
  }
  return packets;
}

void Carrier::note_sent(const LinkPacket& sent, const LinkOutcome& outcome, bool at_deadline) {
  packed_.note_sent(sent.channel, at_deadline ? Packed::kDeadline : static_cast<std::size_t>(sent.tag),
                    outcome.fate == Fate::delivered);
}

std::vector<Delivery> Carrier::receive(std::span<const Delivery> burst, std::uint64_t now_ns) {
  std::vector<PacketInput> inputs;
  for (const Delivery& delivery : burst) {
    const std::uint16_t type = delivery.error ? std::uint16_t{HEADROOM_TYPE_LOST} : delivery.packet.type;
    inputs.push_back({delivery.packet.octets, delivery.packet.channel, type});
  }
  const std::vector<PacketOutput> outputs = decompressor_->checked.process(inputs, now_ns);
  std::vector<Delivery> deliveries;
  for (std::size_t i = 0; i < burst.size(); ++i) {
    const LinkPacket& packet = burst[i].packet;
    if (!burst[i].error && !burst[i].idle) {
      decompressor_->statistics.add(packet.tag, packet.channel, outputs[i].status, outputs[i].detail,
                                    packet.octets.size(), 0);
    }
    note_output(now_ns, packet.channel, outputs[i], deliveries);
    for (const PacketOutput& more : outputs[i].more) note_output(now_ns, packet.channel, more, deliveries);
  }
  return deliveries;
}

std::vector<Delivery> Carrier::receive_due(std::uint64_t now_ns) {
  std::vector<Delivery> deliveries;
  for (const PacketOutput& output : decompressor_->checked.drain_due(now_ns))
    note_output(now_ns, output.channel, output, deliveries);
  return deliveries;
}

std::optional<OctetView> Carrier::open(const PacketOutput& output) const {
  const OctetView octets = output.octets;
  const std::uint16_t type = output.type != HEADROOM_TYPE_DEFAULT ? output.type : ethernet_ ? kEtherTypeFrame : type_;
  if (type == type_) return octets;
  if (type != kEtherTypeFrame || octets.size() < kMacHeader || load16(&octets[kMacHeader - 2]) != type_)
    return std::nullopt;
  return octets.subspan(kMacHeader);
}

void Carrier::note_output(std::uint64_t now_ns, std::uint32_t channel, const PacketOutput& output,
                          std::vector<Delivery>& deliveries) {
  if (!output.came_out()) return;
  const std::optional<OctetView> octets = open(output);
  if (!octets) {
    ++other_types_;
    return;
  }
  Delivery delivery{now_ns, {}};
  delivery.packet.octets.assign(octets->begin(), octets->end());
  delivery.packet.channel = channel;
  delivery.packet.header_length = static_cast<std::uint32_t>(octets->size());
  delivery.packet.tag = kInserted;
  std::optional<std::size_t> index;
  if (const auto match = packed_.deliver(channel, *octets)) {
    index = match->index;
    delivery.duplicate = match->again;
    ++(match->again ? again_ : delivered_);
  } else {
    index = packed_.deliver_another(channel);
    ++(index ? damaged_ : unknown_);
  }
  if (index) {
    Carried& carried = carried_[*index];
    carried.delivered = true;
    delivery.packet.tag = carried.tag;
    delivery.packet.type = carried.type;
    delivery.packet.header_length = carried.header_length;
  }
  deliveries.push_back(std::move(delivery));
}

std::vector<Carrier::Missing> Carrier::missing() const {
  std::vector<Missing> missing;
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    const bool is_missing = decompressor_ ? !carried_[i].delivered : packed_.may_be_lost(i);
    if (is_missing) missing.push_back({carried_[i].tag, carried_[i].part});
  }
  return missing;
}

LinkCounts Carrier::carried_counts() const {
  LinkCounts counts = counts_;
  counts.fates[static_cast<std::size_t>(Fate::carrier)] = missing().size();
  counts.fates[static_cast<std::size_t>(Fate::delivered)] = counts.sent - missing().size();
  counts.duplicated = again_;
  counts.damaged_delivered = damaged_;
  counts.inserted = unknown_;
  return counts;
}

Json Carrier::Side::json(bool ask_adapter) const {
  Json json = statistics.json();
  json["adapter"] = identity(instance);
  if (ask_adapter) json["statistics"] = instance.statistics();
  return json;
}

Json Carrier::result(const LinkCounts& link, std::uint64_t duration_ns, bool ask_adapters) const {
  Json json = {{"type", type_},
               {"ethernet", ethernet_},
               {"compressor", compressor_.json(ask_adapters)},
               {"link", json_of(link, duration_ns)}};
  if (decompressor_) json["decompressor"] = decompressor_->json(ask_adapters);
  json["packets"] = {{"carried", carried_.size()}, {"refused", refused_}, {"delivered", delivered_},
                     {"duplicates", again_},       {"damaged", damaged_}, {"unknown", unknown_},
                     {"other_types", other_types_}};
  return json;
}

}  // namespace headroom::replay
