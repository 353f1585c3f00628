// SPDX-License-Identifier: Apache-2.0
//
// The status of a packet that is lost: that of its reason, as headroom_status says.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>

#include "base/nth.h"
#include "check/checks.h"

namespace headroom::check {
namespace {

constexpr std::size_t kDamagedPackets = 100;
constexpr std::size_t kTried = 12;  // of them, for each reason

// The first `count` inputs, nothing lost.
void feed(const Instance& instance, const std::vector<TypedPacket>& inputs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) (void)call_one(instance, input_of(inputs[i]), time_of(i));
}

void require_reason(headroom_role role, const std::string& given, std::int32_t status,
                    std::initializer_list<std::int32_t> right) {
  if (status >= 0 || std::find(right.begin(), right.end(), status) != right.end()) return;
  std::string names;
  for (const std::int32_t one : right) names += (names.empty() ? "" : " or ") + std::string(name_of_status(one));
  throw Broken(std::string("the ") + name_of(role) + " answers " + name_of_status(status) + " to " + given + "; " +
               names + " is right.");
}

// A packet that fits, with one octet of room less than it takes.
void check_want_of_room(const Subject& subject, headroom_role role) {
  const std::vector<TypedPacket> inputs = inputs_for(subject, role, kDamagedPackets);
  const Instance control(subject.adapter, role);
  const std::size_t step = std::max<std::size_t>(1, inputs.size() / kTried);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const PacketOutput whole = call_one(control, input_of(inputs[i]), time_of(i));
    if (i % step != 0 || !whole.came_out() || whole.octets.empty()) continue;
    const auto room = static_cast<std::uint32_t>(whole.octets.size() - 1);
    const std::string given = nth("packet", i) + " with room for " + std::to_string(room) + " octets, where it takes " +
                              std::to_string(whole.octets.size());
    note(given + " was given to the " + name_of(role));
    const Instance instance(subject.adapter, role);
    feed(instance, inputs, i);
    CallOptions options;
    options.capacity = room;
    const PacketOutput out = call_one(instance, input_of(inputs[i]), time_of(i), options);
    require_reason(role, given, out.status, {HEADROOM_ERR_NO_SPACE});
  }
}

// A packet from the middle of a flow whose beginning has not come. Nothing is judged where packets do not even come out
// in their order: the check "round_trip" says so.
void check_want_of_context(const Subject& subject) {
  const std::vector<TypedPacket> inputs = inputs_for(subject, HEADROOM_DECOMPRESSOR, kDamagedPackets);
  const Instance control(subject.adapter, HEADROOM_DECOMPRESSOR);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (call_one(control, input_of(inputs[i]), time_of(i)).status < 0) return;
  const std::size_t step = std::max<std::size_t>(1, inputs.size() / kTried);
  for (std::size_t i = step; i < inputs.size(); i += step) {
    const std::string given = nth("packet", i) + " without those before it";
    note(given + " was given to the decompressor");
    const Instance instance(subject.adapter, HEADROOM_DECOMPRESSOR);
    const PacketOutput out = call_one(instance, input_of(inputs[i]), time_of(i));
    require_reason(HEADROOM_DECOMPRESSOR, given, out.status, {HEADROOM_ERR_NO_CONTEXT, HEADROOM_ERR_STATE});
  }
}

// Link packets whose CRCs are right: those of the compressor, or the one that any decompressor takes.
std::vector<TypedPacket> packets_with_crc(const Subject& subject) {
  if (subject.compressor) return inputs_for(subject, HEADROOM_DECOMPRESSOR, kDamagedPackets);
  const auto with_right_crc = known_scheme(subject).trials.with_right_crc;
  if (with_right_crc == nullptr) return {};
  Octets octets = with_right_crc(subject.adapter.config);
  const Instance instance(subject.adapter, HEADROOM_DECOMPRESSOR);
  if (octets.empty() || !call_one(instance, {octets, 0, 0}, time_of(0)).came_out()) return {};
  return {{std::move(octets), 0}};
}

// A packet in which a CRC alone is wrong.
void check_wrong_crc(const Subject& subject) {
  const auto with_wrong_crc = known_scheme(subject).trials.with_wrong_crc;
  if (with_wrong_crc == nullptr) return;
  const std::vector<TypedPacket> inputs = packets_with_crc(subject);
  std::map<std::string_view, std::size_t> tried;  // by the CRC that is wrong
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const WrongCrc wrong = with_wrong_crc(subject.adapter.config, inputs[i].octets);
    if (wrong.octets.empty() || ++tried[wrong.crc] > kTried) continue;
    const std::string given = nth("packet", i) + " in which " + std::string(wrong.crc) + " disagrees";
    note(given + " was given to the decompressor");
    const Instance instance(subject.adapter, HEADROOM_DECOMPRESSOR);
    feed(instance, inputs, i);
    const PacketOutput out = call_one(instance, {wrong.octets, 0, inputs[i].type}, time_of(i));
    if (wrong.repairable && out.status == HEADROOM_ERR_REPAIR) continue;
    require_reason(HEADROOM_DECOMPRESSOR, given, out.status, {HEADROOM_ERR_CRC});
  }
}

}  // namespace

Outcome check_status(const Subject& subject) {
  for_each_role(subject, [&](headroom_role role) { check_want_of_room(subject, role); });
  if (subject.decompressor && subject.compressor) check_want_of_context(subject);
  if (subject.decompressor) check_wrong_crc(subject);
  return {};
}

}  // namespace headroom::check
