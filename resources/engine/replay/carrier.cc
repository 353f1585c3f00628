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

Carrier::Carrier(const CarrierJob& job, RunContext& run, sim::LineConfig line, std::size_t burst, Deliver deliver)
    : run_(run),
      type_(job.type),
      ethernet_(job.ethernet),
      compressor_(job.compressor, HEADROOM_COMPRESSOR),
      deliver_(std::move(deliver)) {
  if (job.decompressor) decompressor_ = std::make_unique<Side>(*job.decompressor, HEADROOM_DECOMPRESSOR);
  sim::HopConfig hop;
  hop.compressor = &compressor_.checked;
  if (decompressor_) hop.decompressor = &decompressor_->checked;
  hop.burst = burst;
  hop.is_all_header = true;
  hop.line = std::move(line);
  hop.receiver = [this](std::span<PacketOutput> pdus) { receive(pdus); };
  hop.observer = this;
  hop_.emplace(run.simulation, std::move(hop));
}

void Carrier::carry(LinkPacket inner) {
  const std::size_t index = pdus_.size();
  const bool follows = !carried_.empty() && carried_.back().tag == inner.tag;
  carried_.push_back({inner.tag, follows ? carried_.back().part + 1 : 0, inner.header_length, inner.type});
  SourcePacket& pdu = pdus_.emplace_back();
  pdu.time_ns = run_.simulation.now_ns();
  pdu.channel = inner.channel;
  pdu.octets = std::move(inner.octets);
  ++counts_.sent;
  counts_.sent_octets += pdu.octets.size();
  sim::HopPacket packet{pdu.octets, pdu.channel, type_, kUnknownLength, index};
  Octets frame;
  if (ethernet_) {
    frame = ethernet_frame(kMacB, kMacA, type_, pdu.octets);
    packet.octets = frame;
    packet.type = kEtherTypeFrame;
  }
  hop_->send({&packet, 1});
}

void Carrier::on_compressed(const sim::HopPacket& packet, const PacketOutput* output, const sim::Compressed& made) {
  compressor_.statistics.add(packet.tag, packet.channel, output->status, output->detail, made.link_octets, 0);
  if (output->status < 0) {
    ++refused_;
  } else {
    packed_.take(static_cast<std::size_t>(packet.tag));
  }
}

void Carrier::on_leaving(const LinkPacket& packet, bool /*on_feedback_line*/) {
  run_.digest.add(0, packet.channel, packet.octets, packet.type);
}

void Carrier::on_sent(const sim::SentPacket& sent, const LinkOutcome& outcome) {
  packed_.note_sent(sent.channel, sent.at_deadline ? Packed::kDeadline : static_cast<std::size_t>(sent.tag),
                    outcome.fate == Fate::delivered);
}

void Carrier::on_arrival(const Delivery& delivery, const PacketOutput& output) {
  if (delivery.error || delivery.idle) return;
  const LinkPacket& packet = delivery.packet;
  decompressor_->statistics.add(packet.tag, packet.channel, output.status, output.detail, packet.octets.size(), 0);
}

void Carrier::receive(std::span<PacketOutput> pdus) {
  std::vector<Delivery> deliveries;
  for (PacketOutput& pdu : pdus) {
    const std::uint32_t channel = pdu.channel;
    std::optional<Octets> octets = open(std::move(pdu));
    if (octets) {
      deliveries.push_back(found(channel, std::move(*octets)));
    } else {
      ++other_types_;
    }
  }
  deliver_(deliveries);
}

std::optional<Octets> Carrier::open(PacketOutput output) const {
  Octets octets = std::move(output.octets);
  const std::uint16_t type = output.type != HEADROOM_TYPE_DEFAULT ? output.type : ethernet_ ? kEtherTypeFrame : type_;
  if (type == type_) return octets;
  if (type != kEtherTypeFrame || octets.size() < kMacHeader || load16(&octets[kMacHeader - 2]) != type_)
    return std::nullopt;
  octets.erase(octets.begin(), octets.begin() + kMacHeader);
  return octets;
}

Delivery Carrier::found(std::uint32_t channel, Octets octets) {
  Delivery delivery;
  delivery.time_ns = run_.simulation.now_ns();
  std::optional<std::size_t> index;
  if (const auto match = packed_.deliver(channel, octets)) {
    index = match->index;
    delivery.duplicate = match->again;
    ++(match->again ? again_ : delivered_);
  } else {
    index = packed_.deliver_another(channel);
    ++(index ? damaged_ : unknown_);
  }
  LinkPacket& packet = delivery.packet;
  packet.channel = channel;
  packet.header_length = static_cast<std::uint32_t>(octets.size());
  packet.octets = std::move(octets);
  packet.tag = kInserted;
  if (index) {
    Carried& carried = carried_[*index];
    carried.delivered = true;
    packet.tag = carried.tag;
    packet.type = carried.type;
    packet.header_length = carried.header_length;
  }
  return delivery;
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

Json Carrier::result(std::uint64_t duration_ns, bool ask_adapters) const {
  Json json = {{"type", type_},
               {"ethernet", ethernet_},
               {"compressor", compressor_.json(ask_adapters)},
               {"link", json_of(hop_->line_counts(), duration_ns)}};
  if (decompressor_) json["decompressor"] = decompressor_->json(ask_adapters);
  json["packets"] = {{"carried", carried_.size()}, {"refused", refused_}, {"delivered", delivered_},
                     {"duplicates", again_},       {"damaged", damaged_}, {"unknown", unknown_},
                     {"other_types", other_types_}};
  return json;
}

}  // namespace headroom::replay
