// SPDX-License-Identifier: Apache-2.0
#include "adapter/guarded_endpoint.h"

#include <algorithm>
#include <cstring>

#include "adapter/calling.h"
#include "base/sanitizer.h"

namespace headroom {
namespace {

constexpr std::size_t kFence = 64;  // octets in front of the output buffer and behind it
constexpr std::uint8_t kFenceOctet = 0xFE;
constexpr std::uint8_t kPoisonOctet = 0xA5;
constexpr std::int32_t kPoisonStatus = 0x5EADBEEF;
constexpr std::uint32_t kPoisonLength = 0xA5A5A5A5;
constexpr std::size_t kErrorCapacity = 1024;

std::string number(std::uint64_t value) { return std::to_string(value); }

bool all_are(const std::uint8_t* octets, std::size_t count, std::uint8_t value) {
  return std::all_of(octets, octets + count, [value](std::uint8_t octet) { return octet == value; });
}

}  // namespace

const char* name_of_kind(std::uint8_t kind) noexcept {
  constexpr const char* kNames[] = {"none", "compressed", "silent", "plain", "nack", "ignored", "failed"};
  return kind < std::size(kNames) ? kNames[kind] : "";
}

GuardedEndpoint::GuardedEndpoint(Instance& instance) : instance_(instance), guarded_(instance) {
  std::string missing;
  if (instance.sessions() == nullptr) missing = HEADROOM_SESSIONS;
  if (instance.messages() == nullptr || instance.messages()->detail == nullptr)
    missing += (missing.empty() ? "" : ", ") + std::string(HEADROOM_MESSAGES);
  if (!missing.empty()) {
    throw Error(ErrorKind::adapter,
                "the adapter " + instance.path() + " offers an endpoint and lacks extensions: " + missing + ".");
  }
}

void GuardedEndpoint::broken(const char* function, const std::string& sentence) const {
  throw PromiseBroken(instance_, function, sentence);
}

template <typename Call>
auto GuardedEndpoint::calling(const char* function, Call&& call) const -> decltype(call()) {
  const CostWatch watch(watches_costs_ ? &costs_ : nullptr);
  return call_across(call, [&](const std::string& what) { return PromiseBroken(instance_, function, what + "."); });
}

void GuardedEndpoint::time_calls(const Cycles& cycles) {
  cycles_ = &cycles;
  cost_of_reading_ = static_cast<std::uint64_t>(cycles.cost_of_reading());
}

MessageOutput GuardedEndpoint::compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns) {
  return process(true, message, compartment, 0, now_ns);
}

MessageOutput GuardedEndpoint::decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                          std::uint64_t now_ns) {
  return process(false, octets, compartment, source, now_ns);
}

MessageOutput GuardedEndpoint::process(bool compressing, OctetView in, std::uint32_t compartment, std::uint32_t source,
                                       std::uint64_t now_ns) {
  const char* const function = compressing ? "compress" : "decompress";
  room_ =
      compressing ? 2 * in.size() + HEADROOM_MESSAGE_EXPANSION : std::max<std::size_t>(in.size(), HEADROOM_MESSAGE_MAX);
  input_.reserve(in.size() + 1);  // so that data() is no null pointer
  input_.assign(in.begin(), in.end());
  headroom_packet packet{};
  packet.in = input_.data();
  packet.in_length = static_cast<std::uint32_t>(in.size());
  packet.channel = compartment;
  packet.source = source;
  const auto call = compressing ? instance_.api().compress : instance_.api().decompress;
  MessageOutput output =
      *one(function, packet, [&] { return call(instance_.self(), &packet, 1, now_ns, nullptr) == 1; });
  if (!std::equal(in.begin(), in.end(), input_.begin(), input_.end())) broken(function, "it changed its input.");
  if (compressing && output.status == HEADROOM_ERR_DECOMPRESSION)
    broken(function, "it gave the status ERR_DECOMPRESSION, which is for decompress.");
  if (compressing && output.came_out() && output.octets.empty())
    broken(function, "it claims success with no octet of output.");
  std::fill(input_.begin(), input_.end(), kPoisonOctet);
  drains_ = packet.more != 0;
  if (drains_ && instance_.api().drain == nullptr) broken(function, "its message has more outputs, and drain is NULL.");
  if (compressing) {
    if (packet.more != 0) broken(function, "it makes more than one message of one.");
    if (!asks_about_compressed_) return output;
  }
  output.detail = detail();
  check_detail(output);
  return output;
}

std::optional<MessageOutput> GuardedEndpoint::drain(std::uint64_t now_ns) {
  if (!drains_) return std::nullopt;
  headroom_packet packet{};
  std::optional<MessageOutput> output =
      one("drain", packet, [&] { return instance_.api().drain(instance_.self(), &packet, 1, now_ns, nullptr) != 0; });
  drains_ = output.has_value();
  if (!output) return std::nullopt;
  output->detail = detail();
  check_detail(*output);
  return output;
}

// `call` fills `packet`, and returns false when it has not.
template <typename Call>
std::optional<MessageOutput> GuardedEndpoint::one(const char* function, headroom_packet& packet, Call&& call) {
  arena_.assign(kFence + room_ + kFence, kFenceOctet);
  packet.out = arena_.data() + kFence;
  packet.out_capacity = static_cast<std::uint32_t>(room_);
  std::memset(packet.out, kPoisonOctet, room_);
  packet.out_length = kPoisonLength;
  packet.status = kPoisonStatus;
  headroom_packet before = packet;
  const std::uint64_t began = cycles_ != nullptr ? cycles_->now() : 0;
  const bool filled = calling(function, call);
  const std::uint64_t took = cycles_ != nullptr ? cycles_->now() - began : 0;
  if (!all_are(arena_.data(), kFence, kFenceOctet) || !all_are(before.out + room_, kFence, kFenceOctet)) {
    broken(function, "it wrote outside the output buffer of " + number(room_) + " octets.");
  }
  if (!filled && before.in == nullptr) return std::nullopt;
  if (!filled) broken(function, "it has not handled the message that it was given.");
  if (before.in == nullptr) before.channel = packet.channel;  // of drain: the adapter's to fill
  check_outcome(before, packet, function);
  MessageOutput output;
  output.status = packet.status;
  output.octets.assign(packet.out, packet.out + packet.out_length);
  // The buffers are ours again (headroom.h, "Buffers"): `accept` and `detail` find nothing in them.
  std::fill(arena_.begin(), arena_.end(), kPoisonOctet);
  output.cycles = took - std::min(took, cost_of_reading_);
  return output;
}

void GuardedEndpoint::check_outcome(const headroom_packet& before, const headroom_packet& after,
                                    const char* function) const {
  if (after.in != before.in || after.out != before.out || after.in_length != before.in_length ||
      after.out_capacity != before.out_capacity || after.channel != before.channel || after.source != before.source ||
      after.in_type != before.in_type) {
    broken(function, "it changed fields of headroom_packet that are the caller's to fill.");
  }
  if (after.status == kPoisonStatus) broken(function, "it left a message without a status.");
  if (*name_of_status(after.status) == '\0') {
    broken(function, "it gave the status " + std::to_string(after.status) + ", which the ABI does not know.");
  }
  if (after.status == HEADROOM_OK ? after.out_length > after.out_capacity : after.out_length != 0) {
    broken(function, "it gave out_length " + number(after.out_length) + " with the status " +
                         name_of_status(after.status) + " and room for " + number(after.out_capacity) + " octets.");
  }
}

headroom_message_detail GuardedEndpoint::detail() {
  // Behind the structure as it is here there must be nothing that the adapter writes.
  struct {
    headroom_message_detail detail;
    std::uint8_t fence[kFence];
  } room;
  std::memset(&room, kFenceOctet, sizeof room);
  room.detail.struct_size = sizeof room.detail;
  calling("messages.detail", [&] { instance_.messages()->detail(instance_.self(), &room.detail); });
  if (room.detail.struct_size != sizeof room.detail || !all_are(room.fence, kFence, kFenceOctet)) {
    broken("messages.detail", "it changed struct_size, or wrote beyond what that says.");
  }
  return room.detail;
}

void GuardedEndpoint::check_detail(const MessageOutput& output) const {
  const headroom_message_detail& d = output.detail;
  const auto check = [&](bool holds, const std::string& what) {
    if (!holds) broken("messages.detail", what);
  };
  check(*name_of_kind(d.kind) != '\0', "its kind is " + number(d.kind) + ", which the ABI does not know.");
  check(d.referred_length <= sizeof d.referred && d.details_length <= sizeof d.details &&
            d.returned_length <= sizeof d.returned_feedback && d.requested_length <= sizeof d.requested_feedback,
        "one of its lengths is beyond the array that it is about.");
  if (d.kind == HEADROOM_MESSAGE_NONE) return;
  const bool failed = output.status == HEADROOM_ERR_DECOMPRESSION;
  check(failed == (d.kind == HEADROOM_MESSAGE_FAILED),
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status " + name_of_status(output.status) + ".");
  const bool for_the_application = d.kind == HEADROOM_MESSAGE_COMPRESSED || d.kind == HEADROOM_MESSAGE_PLAIN;
  check(output.status != HEADROOM_OK || for_the_application,
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status OK.");
  check(output.status != HEADROOM_NOTHING || !for_the_application,
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status NOTHING.");
}

bool GuardedEndpoint::accept(std::uint32_t compartment) {
  const std::int32_t result =
      calling("messages.accept", [&] { return instance_.messages()->accept(instance_.self(), compartment); });
  if (result != 0 && result != 1) {
    broken("messages.accept",
           "it returned " + std::to_string(result) + "; 0 and 1 are the values that mean something.");
  }
  return result == 1;
}

std::optional<std::string> GuardedEndpoint::open(std::uint32_t compartment, const Json& settings) {
  std::string sentence(kErrorCapacity, '\0');
  const std::string text = settings.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::int32_t result = calling("sessions.open", [&] {
    return instance_.sessions()->open(instance_.self(), compartment, text.c_str(), sentence.data(), sentence.size());
  });
  if (result == 1) return std::nullopt;
  sentence.resize(strnlen(sentence.data(), sentence.size()));
  if (sentence.empty()) broken("sessions.open", "it refused a compartment without a sentence.");
  return sentence;
}

bool GuardedEndpoint::close(std::uint32_t compartment) {
  return calling("sessions.close", [&] { return instance_.sessions()->close(instance_.self(), compartment); }) == 1;
}

}  // namespace headroom
