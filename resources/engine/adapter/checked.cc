// SPDX-License-Identifier: Apache-2.0
#include "adapter/checked.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/usual.h"

namespace headroom {
namespace {

constexpr std::size_t kMostOutputs = 100'000;  // of one packet: more than it can have octets

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

// ------------------------------------------------------------------------------------------- instances of any role

void CheckedInstance::check_record(const char* function, const headroom_packet& before, const headroom_packet& after,
                                   bool may_be_empty) const {
  if (after.in != before.in || after.out != before.out || after.in_length != before.in_length ||
      after.out_capacity != before.out_capacity || after.channel != before.channel || after.source != before.source ||
      after.in_type != before.in_type)
    broken(function, "it changed fields of headroom_packet that are the caller's to fill.");
  if (const std::string defect = outcome_defect(after, before.out_capacity, may_be_empty); !defect.empty())
    broken(function, defect);
  if (after.status == HEADROOM_ERR_DECOMPRESSION && instance_.messages() == nullptr)
    broken(function, "it gave the status ERR_DECOMPRESSION without an extension that tells the reason.");
  if (after.status != HEADROOM_OK && after.out_length != 0) {
    broken(function, "it gave out_length " + number(after.out_length) + " with the status " +
                         name_of_status(after.status) + "; it must be 0 unless the status is OK.");
  }
}

void CheckedInstance::check_input(const char* function, OctetView given, const std::uint8_t* in) const {
  if (!std::equal(given.begin(), given.end(), in)) broken(function, "it changed its input.");
}

void CheckedInstance::check_channel(const char* function, std::uint32_t channel) const {
  if (channel < instance_.channels()) return;
  broken(function, "its packet is of channel " + number(channel) + " of " + number(instance_.channels()) + ".");
}

std::optional<ReversePacket> CheckedInstance::take_reverse(std::uint64_t now_ns) {
  constexpr const char* kName = "take_reverse";
  if (!caller_.has_take_reverse()) return std::nullopt;
  headroom_packet record = record_of({}, nullptr, 0);
  record.out_length = kPoisonLength;
  std::optional<Filled> filled = one(kName, nullptr, record, HEADROOM_REVERSE_MAX, false,
                                     [&](headroom_packet& packet) { return caller_.take_reverse(&packet, 1, now_ns); });
  if (!filled) return std::nullopt;
  const headroom_packet& packet = filled->record;
  if (packet.status != HEADROOM_OK)
    broken(kName, std::string("it gave the status ") + name_of_status(packet.status) + "; OK is right.");
  if (packet.out_type != HEADROOM_REVERSE_FAR && packet.out_type != HEADROOM_REVERSE_NEAR) {
    broken(kName, "its packet is of the type " + number(packet.out_type) +
                      ", which does not name the compressor that it is for.");
  }
  // An endpoint answers a message whose session may not be known.
  if (instance_.role() != HEADROOM_ENDPOINT) check_channel(kName, packet.channel);
  return ReversePacket{std::move(filled->octets), packet.channel, packet.out_type};
}

bool CheckedInstance::give_reverse(const ReversePacket& reverse, std::uint64_t now_ns) {
  constexpr const char* kName = "give_reverse";
  if (!caller_.has_give_reverse()) return false;
  const OctetView octets = reverse.octets;
  const headroom_packet packet =
      one(kName, &octets, record_of({{}, reverse.channel, reverse.type}, nullptr, 0), 0, true,
          [&](headroom_packet& record) { return caller_.give_reverse(&record, 1, now_ns); })
          ->record;
  const bool taken = packet.status == HEADROOM_OK;
  if (taken && reverse.type == HEADROOM_REVERSE_FAR) extra_room_ += packet.in_length;
  return taken;
}

// ------------------------------------------------------------------------------------- compressors, decompressors

std::optional<double> Checked::ns_per_packet(double hz) const {
  if (per_packet_.empty()) return std::nullopt;
  std::vector<double> times = per_packet_;
  for (double& time : times) time *= 1e9 / hz;
  return usual_ns(std::move(times),
                  static_cast<double>(caller_.policy().cpu_ns()) / static_cast<double>(timed_packets_));
}

void Checked::process(std::span<const PacketInput> inputs, std::uint64_t now_ns, std::vector<PacketOutput>& outputs) {
  const std::uint32_t room = expansion_ + std::exchange(extra_room_, 0) + instance_.expansion() - HEADROOM_EXPANSION;
  lay_out(inputs, room);
  drain_room_ = 0;
  for (const headroom_packet& packet : packets_) drain_room_ = std::max(drain_room_, packet.out_capacity);
  outputs.resize(inputs.size());
  deadline_.reset();
  caller_.process_all(compresses(), packets_.data(), packets_.size(), now_ns, details_.data(),
                      [&](std::size_t begin, std::size_t end) {
                        check_call(begin, end);
                        if (caller_.policy().is_timed()) time_packets(end - begin);
                        for (std::size_t i = begin; i < end; ++i) take_output(i, inputs[i], outputs[i]);
                        if (packets_[end - 1].more != 0) outputs[end - 1].more = drain(now_ns);
                        for (std::size_t i = begin; i < end; ++i) check_lengths(packets_[i], outputs[i]);
                      });
}

void Checked::time_packets(std::size_t count) {
  per_packet_.push_back(caller_.policy().cycles() / static_cast<double>(count));
  timed_packets_ += count;
}

void Checked::lay_out(std::span<const PacketInput> inputs, std::uint32_t room) {
  std::size_t octets = 0;
  for (const PacketInput& input : inputs) octets += input.octets.size();
  buffers_.reset(inputs.size(), octets + inputs.size() * room);
  input_.clear();
  input_.reserve(octets + 1);  // so that data() is no null pointer, and never moves
  packets_.clear();
  for (const PacketInput& input : inputs) {
    const std::uint8_t* const in = input_.data() + input_.size();
    input_.insert(input_.end(), input.octets.begin(), input.octets.end());
    const std::size_t capacity = input.octets.size() + room;
    packets_.push_back(
        record_of({{in, input.octets.size()}, input.channel, input.type}, buffers_.add(capacity), capacity));
    packets_.back().out_length = kPoisonLength;
  }
  expected_ = packets_;
  details_.assign(inputs.size(), kUnknownDetail);
}

void Checked::check_call(std::size_t begin, std::size_t end) const {
  const char* const function = name_of_function(compresses());
  const auto at = [](const std::vector<headroom_packet>& records, std::size_t i) {
    return records.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const headroom_packet& last = packets_[end - 1];
  if (std::any_of(at(packets_, begin), at(packets_, end - 1), [](const auto& packet) { return packet.more != 0; }))
    broken(function, "it went on behind a packet that has more outputs.");
  if (last.more != 0 && !caller_.has_drain()) broken(function, "its packet has more outputs, and drain is NULL.");
  if (end == packets_.size()) return;
  if (last.more == 0) broken(function, "it stopped behind a packet that has no more outputs.");
  if (std::memcmp(&packets_[end], &expected_[end], (packets_.size() - end) * sizeof(headroom_packet)) != 0)
    broken(function, "it changed packets behind the last one that it has handled.");
}

void Checked::take_output(std::size_t i, const PacketInput& input, PacketOutput& output) {
  const char* const function = name_of_function(compresses());
  const headroom_packet& packet = packets_[i];
  check_record(function, expected_[i], packet, false);
  if (!Buffers::are_fences_whole(packet.out, packet.out_capacity))
    broken(function, "it wrote outside the output buffer of " + number(packet.out_capacity) + " octets.");
  check_input(function, input.octets, packet.in);
  check_detail(details_[i], function);
  const bool is_refused = input.channel >= instance_.channels() && packet.status == HEADROOM_ERR_CHANNEL;
  if (input.type == HEADROOM_TYPE_LOST && packet.status != HEADROOM_NOTHING && !is_refused)
    broken(function, "a report of a lost frame has another status than NOTHING.");
  output.status = packet.status;
  output.octets.assign(packet.out, packet.out + packet.out_length);
  output.detail = details_[i];
  output.type = packet.out_type;
  output.channel = packet.channel;
  output.more.clear();
  // The buffers are ours again (headroom.h, "Buffers"): the next call, of any function, finds nothing in them.
  std::fill_n(input_.data() + (packet.in - input_.data()), packet.in_length, kPoisonOctet);
  std::fill_n(packet.out, packet.out_capacity, kPoisonOctet);
}

std::uint64_t Checked::next_deadline() {
  if (!caller_.has_next_deadline()) return HEADROOM_NO_DEADLINE;
  if (deadline_) return *deadline_;
  const std::uint64_t deadline = caller_.next_deadline();
  if (deadline != HEADROOM_NO_DEADLINE && !caller_.has_drain())
    broken("next_deadline", "it tells a deadline, and drain is NULL.");
  deadline_ = deadline;
  return deadline;
}

std::vector<PacketOutput> Checked::drain_due(std::uint64_t now_ns) {
  std::vector<PacketOutput> outputs = drain(now_ns);
  if (const std::uint64_t deadline = next_deadline(); deadline <= now_ns) {
    broken("next_deadline",
           "it tells " + number(deadline) + " when all that is due at " + number(now_ns) + " has been drained.");
  }
  return outputs;
}

std::vector<PacketOutput> Checked::drain(std::uint64_t now_ns) {
  constexpr const char* kName = "drain";
  Buffers kept = std::exchange(buffers_, {});  // those of packets that come after
  std::vector<PacketOutput> outputs;
  for (;;) {
    headroom_detail detail = kUnknownDetail;
    std::optional<Filled> filled =
        one(kName, nullptr, record_of({}, nullptr, 0), drain_room_, false,
            [&](headroom_packet& packet) { return caller_.drain(&packet, 1, now_ns, &detail); });
    if (!filled) break;
    if (outputs.size() == kMostOutputs) broken(kName, "it never comes to an end.");
    check_detail(detail, kName);
    check_channel(kName, filled->record.channel);
    outputs.push_back({filled->record.status,
                       std::move(filled->octets),
                       detail,
                       filled->record.out_type,
                       filled->record.channel,
                       {}});
  }
  buffers_ = std::move(kept);
  return outputs;
}

void Checked::check_detail(const headroom_detail& detail, const char* function) const {
  const Names& names = instance_.names();
  const auto check = [&](const char* field, std::uint8_t index, const std::vector<std::string>& words) {
    if (index == 255 || index < words.size()) return;
    broken(function, std::string("its detail has the ") + field + " " + number(index) +
                         ", for which describe has no name; 255 stands for \"not known\".");
  };
  check("packet_type", detail.packet_type, names.packet_types);
  check("mode", detail.mode, names.modes);
  check("state", detail.state, compresses() ? names.compressor_states : names.decompressor_states);
  check("event", detail.event, names.events);
}

// `output` is that of `packet`, as it was given and has come back.
void Checked::check_lengths(const headroom_packet& packet, const PacketOutput& output) const {
  if (packet.status != HEADROOM_OK) return;
  // The header may stand in link packets that came before, or come after.
  if (instance_.packs() || instance_.restores_from_several()) return;
  std::size_t made = output.octets.size();
  for (const PacketOutput& more : output.more) made += more.octets.size();
  const auto check = [&](const char* field, std::uint16_t length, const char* of, std::size_t whole) {
    if (length == 0xFFFF || length <= whole) return;
    broken(name_of_function(compresses()), std::string("its detail has a ") + field + " of " + number(length) +
                                               " octets in a " + of + " of " + number(whole) + ".");
  };
  check("plain_header", output.detail.plain_header, "packet", compresses() ? packet.in_length : made);
  check("compressed_header", output.detail.compressed_header, "link packet", compresses() ? made : packet.in_length);
}

}  // namespace headroom
