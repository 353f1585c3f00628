// SPDX-License-Identifier: Apache-2.0
//
// What `drain` and `next_deadline` promise, and what a report of a lost frame may do.
#include <algorithm>

#include "base/hex.h"
#include "base/nth.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {
namespace {

constexpr std::size_t kPackets = 64;
constexpr std::size_t kMostOutputs = 1000;  // of one packet
constexpr std::size_t kMostDeadlines = 10'000;

// A packet of the source with its room.
struct Slots {
  explicit Slots(const Subject& subject) {
    const std::size_t count = std::min(kPackets, subject.packets.size());
    for (std::size_t i = 0; i < count; ++i) {
      inputs.push_back(subject.packets[i].octets);
      inputs.back().reserve(1);  // so that data() is no null pointer
      outputs.emplace_back(inputs.back().size() + HEADROOM_EXPANSION);
      longest = std::max(longest, outputs.back().size());
      records.push_back(record_of({inputs[i], 0, subject.packets[i].type}, outputs[i].data(), outputs[i].size()));
    }
  }
  std::vector<Octets> inputs, outputs;
  std::vector<headroom_packet> records;
  std::size_t longest = 0;
};

// Adds to `text` what drain puts out, `at_once` records at a time.
void drain_into(std::string& text, const Caller<Judged>& caller, std::size_t room, std::size_t at_once,
                std::uint64_t now_ns) {
  std::vector<Octets> rooms(at_once, Octets(room));
  for (std::size_t outputs = 0; outputs < kMostOutputs;) {
    std::vector<headroom_packet> records(at_once);
    for (std::size_t i = 0; i < at_once; ++i) records[i] = record_of({}, rooms[i].data(), room);
    const std::size_t drained = caller.drain(records.data(), at_once, now_ns);
    if (drained > at_once) throw Broken("drain says that it has filled more records than there are.");
    for (std::size_t i = 0; i < drained; ++i) {
      if (*name_of_status(records[i].status) == '\0') throw Broken("drain leaves a record without a status.");
      if (records[i].out_length > room) throw Broken("drain claims more octets than there is room for.");
      text += std::string("drained ") + name_of_status(records[i].status) + " " +
              to_hex(OctetView(rooms[i]).first(records[i].out_length)) + "\n";
    }
    outputs += drained;
    if (drained == 0) return;
  }
  throw Broken("drain never comes to an end.");
}

// Everything that a compressor puts out, in order, line by line.
std::string outputs_of(const Subject& subject, std::size_t burst, std::size_t at_once) {
  const Instance instance(on_narrow_link(subject), HEADROOM_COMPRESSOR);
  const Caller<Judged> caller = caller_of(instance);
  Slots slots(subject);
  std::string text;
  for (std::size_t begin = 0; begin < slots.records.size();) {
    const std::size_t count = std::min(burst, slots.records.size() - begin);
    const std::vector<headroom_packet> given(slots.records.begin() + static_cast<std::ptrdiff_t>(begin),
                                             slots.records.end());
    note("a burst of " + std::to_string(count) + " was compressed, from " + nth("packet", begin) + " on");
    const std::size_t handled = caller.process(true, &slots.records[begin], count, time_of(0));
    if (handled == 0 || handled > count) {
      throw Broken("compress says that it has handled " + std::to_string(handled) + " of " + std::to_string(count) +
                   " packets.");
    }
    for (std::size_t i = begin; i < begin + handled; ++i) {
      const headroom_packet& packet = slots.records[i];
      if (packet.out_length > slots.outputs[i].size()) throw NotJudged("a packet is too long; see \"outcome\".");
      text += std::string(name_of_status(packet.status)) + " " +
              to_hex(OctetView(slots.outputs[i]).first(packet.out_length)) + "\n";
    }
    for (std::size_t i = begin + handled; i < begin + count; ++i) {
      if (slots.records[i].status != given[i - begin].status || slots.records[i].out_length != 0)
        throw Broken("compress changes packets behind the last one that it has handled.");
    }
    begin += handled;
    const bool more = slots.records[begin - 1].more != 0;
    if (more) drain_into(text, caller, slots.longest, at_once, time_of(0));
    std::string surplus;
    drain_into(surplus, caller, slots.longest, at_once, time_of(0));
    if (!surplus.empty()) {
      throw Broken(more ? "drain puts something out after it has returned 0 at the same time."
                        : "drain puts something out behind a packet whose \"more\" is 0.");
    }
  }
  return text;
}

}  // namespace

Outcome check_drain(const Subject& subject) {
  if (!subject.compressor) throw NotJudged("this needs a compressor.");
  if (!caller_of(Instance(subject.adapter, HEADROOM_COMPRESSOR)).has_drain())
    throw NotJudged("the adapter has no drain: a packet never has more than one output.");
  const std::string one = outputs_of(subject, 1, 1);
  for (const auto& [burst, at_once] : {std::pair<std::size_t, std::size_t>{1, 5}, {8, 1}, {kPackets, 3}}) {
    if (outputs_of(subject, burst, at_once) == one) continue;
    throw Broken("bursts of " + std::to_string(burst) + ", drained " + std::to_string(at_once) +
                 " records at a time, put out something else than packets one by one: a packet with more than one "
                 "output ends a call, so that outputs keep their order.");
  }
  return {};
}

Outcome check_deadline(const Subject& subject) {
  bool any = false;
  for_each_role(subject, [&](headroom_role role) {
    const Instance instance(subject.adapter, role);
    const Caller<Judged> caller = caller_of(instance);
    if (!caller.has_next_deadline()) return;
    if (!caller.has_drain()) throw Broken("there is next_deadline, and drain is NULL.");
    any = true;
    const std::vector<TypedPacket> inputs = inputs_for(subject, role, kPackets);
    std::string ignored;
    const auto after_drain = [&](std::uint64_t now_ns) {
      drain_into(ignored, caller, HEADROOM_MESSAGE_MAX, 1, now_ns);
      const std::uint64_t deadline = caller.next_deadline();
      if (deadline <= now_ns) {
        throw Broken("next_deadline is " + std::to_string(deadline) + " when all that is due at " +
                     std::to_string(now_ns) + " has been drained.");
      }
      return deadline;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      note(nth("packet", i) + " was given to the " + name_of(role) + ", and drained");
      (void)call_one(instance, input_of(inputs[i]), time_of(i));
      const std::uint64_t deadline = after_drain(time_of(i));
      if (deadline >= time_of(i + 1)) continue;
      note("the deadline behind " + nth("packet", i) + " has come");
      (void)after_drain(deadline);
    }
    note("one deadline after another has come behind the last packet");
    std::uint64_t deadline = caller.next_deadline();
    for (std::size_t i = 0; deadline != HEADROOM_NO_DEADLINE; ++i) {
      if (i == kMostDeadlines) throw Broken("one deadline follows another without end, though no packet comes.");
      deadline = after_drain(std::max(deadline, time_of(inputs.size())));
    }
  });
  if (!any) throw NotJudged("the adapter has no next_deadline.");
  return {};
}

Outcome check_lost_frames(const Subject& subject) {
  if (!subject.decompressor) throw NotJudged("this needs a decompressor.");
  const std::vector<TypedPacket> link = link_packets(subject, kPackets);
  const Instance instance(subject.adapter, HEADROOM_DECOMPRESSOR), twin(subject.adapter, HEADROOM_DECOMPRESSOR);
  Octets room(HEADROOM_EXPANSION);
  const std::uint8_t none = 0;
  for (std::size_t i = 0; i < link.size(); ++i) {
    note("a frame was reported lost in front of " + nth("link packet", i));
    headroom_packet report = record_of({{&none, 0}, 0, HEADROOM_TYPE_LOST}, room.data(), room.size());
    process_one(instance, report, time_of(i));
    if (report.status != HEADROOM_NOTHING || report.out_length != 0) {
      throw Broken(std::string("the report of a lost frame is answered with ") + name_of_status(report.status) +
                   "; NOTHING is right.");
    }
    // No frame is lost: what a scheme makes of the report is its own affair, but it does not change what comes out.
    const PacketOutput reported = call_one(instance, input_of(link[i]), time_of(i));
    const PacketOutput unreported = call_one(twin, input_of(link[i]), time_of(i));
    if (!reported.came_out() || !unreported.came_out()) continue;
    if (replay::first_difference(reported.octets, unreported.octets))
      throw Broken(nth("link packet", i) + " comes out changed after the report of a lost frame.");
  }
  return {};
}

}  // namespace headroom::check
