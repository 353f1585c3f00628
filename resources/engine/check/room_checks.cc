// SPDX-License-Identifier: Apache-2.0
//
// What HEADROOM_ERR_NO_SPACE costs: one packet and no other.
#include <algorithm>
#include <utility>

#include "base/nth.h"
#include "check/checks.h"
#include "replay/compare.h"

namespace headroom::check {
namespace {

constexpr std::size_t kRefusedEvery = 3;  // packets; the first of them is one of those
constexpr std::size_t kLostEvery = 4;

// The side that has too little room.
enum class NoRoomAt : std::uint8_t { kNowhere, kCompressor, kDecompressor };

struct Attempt {
  bool refused = false;
  TypedPacket output;  // what came out all the same
};

// Gives one packet with room for half of it.
Attempt try_one(const Instance& instance, const PacketInput& input, std::size_t i) {
  CallOptions options;
  options.capacity = static_cast<std::uint32_t>(input.octets.size() / 2);
  PacketOutput out = call_one(instance, input, time_of(i), options);
  return {!out.came_out(), {std::move(out.octets), out.type}};
}

// One of three packets is given to the compressor twice, the first time without room for it, or one of four is lost to
// a decompressor for want of room. All others must come back. kNowhere is the control: an adapter that fails without
// such packets is not judged here.
void try_in_too_little_room(const Subject& subject, NoRoomAt no_room_at) {
  const Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  const Instance decompressor(subject.adapter, HEADROOM_DECOMPRESSOR);
  std::string last;  // packet for which there was no room
  for (std::size_t i = 0; i < subject.packets.size(); ++i) {
    const PacketInput packet = input_of(subject.packets[i]);
    const std::string name = nth("packet", i);
    note(name + " was compressed and decompressed" + (last.empty() ? "" : ", after there was no room for " + last));
    TypedPacket link;
    if (no_room_at == NoRoomAt::kCompressor && i % kRefusedEvery == 0) {
      Attempt attempt = try_one(compressor, packet, i);
      if (attempt.refused) last = name;
      link = std::move(attempt.output);
    }
    const std::string after = "after there was no room for " + last + ", ";
    if (link.octets.empty()) {
      PacketOutput called = call_one(compressor, packet, time_of(i));
      if (!called.came_out()) {
        if (last.empty()) throw NotJudged("a packet was not compressed; see the check \"round_trip\".");
        throw Broken(after + name + " was not compressed: " + name_of_status(called.status) + ".");
      }
      link = {std::move(called.octets), called.type};
    }
    if (no_room_at == NoRoomAt::kDecompressor && i % kLostEvery == 0 &&
        try_one(decompressor, input_of(link), i).refused) {
      last = name;
      continue;
    }
    const PacketOutput out = call_one(decompressor, input_of(link), time_of(i));
    const bool same = out.came_out() && !replay::first_difference(packet.octets, out.octets);
    if (!same && last.empty()) throw NotJudged("a packet did not come back; see the check \"round_trip\".");
    if (!out.came_out()) throw Broken(after + name + " was not decompressed: " + name_of_status(out.status) + ".");
    if (!same) throw Broken(after + name + " came back changed.");
    carry_reverse(decompressor, compressor, time_of(i));
  }
}

}  // namespace

Outcome check_no_space(const Subject& subject) {
  if (!subject.compressor || !subject.decompressor) throw NotJudged("this needs both a compressor and a decompressor.");
  if (Instance(subject.adapter, HEADROOM_COMPRESSOR).packs())
    throw NotJudged("with an adapter that packs nothing tells which packet a link packet without room has cost.");
  for (const NoRoomAt no_room_at : {NoRoomAt::kNowhere, NoRoomAt::kCompressor, NoRoomAt::kDecompressor})
    try_in_too_little_room(subject, no_room_at);
  return {};
}

}  // namespace headroom::check
