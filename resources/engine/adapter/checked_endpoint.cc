// SPDX-License-Identifier: Apache-2.0
#include "adapter/checked_endpoint.h"

#include <cstring>

namespace headroom {

const char* name_of_kind(std::uint8_t kind) noexcept {
  constexpr const char* kNames[] = {"none", "compressed", "silent", "plain", "nack", "ignored", "failed"};
  return kind < std::size(kNames) ? kNames[kind] : "";
}

CheckedEndpoint::CheckedEndpoint(Instance& instance) : CheckedInstance(instance) {
  require_endpoint(instance);
  if (!caller_.has_detail())
    throw Error(ErrorKind::adapter,
                "the adapter " + instance.path() + " offers an endpoint and lacks messages.detail.");
}

MessageOutput CheckedEndpoint::compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns) {
  constexpr const char* kName = "compress";
  room_ = 2 * message.size() + HEADROOM_MESSAGE_EXPANSION;
  Filled filled = process(true, message, compartment, 0, now_ns);
  if (filled.record.status == HEADROOM_ERR_DECOMPRESSION)
    broken(kName, "it gave the status ERR_DECOMPRESSION, which is for decompress.");
  if (filled.record.more != 0) broken(kName, "it makes more than one message of one.");
  return output_of(std::move(filled), asks_about_compressed_);
}

MessageOutput CheckedEndpoint::decompress(OctetView octets, std::uint32_t compartment, std::uint32_t source,
                                          std::uint64_t now_ns) {
  room_ = std::max<std::size_t>(octets.size(), HEADROOM_MESSAGE_MAX);
  Filled filled = process(false, octets, compartment, source, now_ns);
  drains_ = filled.record.more != 0;
  if (drains_ && !caller_.has_drain()) broken("decompress", "its message has more outputs, and drain is NULL.");
  return output_of(std::move(filled), true);
}

CheckedInstance::Filled CheckedEndpoint::process(bool compressing, OctetView in, std::uint32_t compartment,
                                                 std::uint32_t source, std::uint64_t now_ns) {
  headroom_packet record = record_of({{}, compartment}, nullptr, 0);
  record.source = source;
  record.out_length = kPoisonLength;
  drains_ = false;
  return *one(name_of_function(compressing), &in, record, room_, !compressing,
              [&](headroom_packet& packet) { return caller_.process(compressing, &packet, 1, now_ns); });
}

std::optional<MessageOutput> CheckedEndpoint::drain(std::uint64_t now_ns) {
  if (!drains_) return std::nullopt;
  headroom_packet record = record_of({}, nullptr, 0);
  record.out_length = kPoisonLength;
  std::optional<Filled> filled = one("drain", nullptr, record, room_, true,
                                     [&](headroom_packet& packet) { return caller_.drain(&packet, 1, now_ns); });
  drains_ = filled.has_value();
  if (!filled) return std::nullopt;
  return output_of(std::move(*filled), true);
}

// To be called before any other function: the cycles are those of the call before.
MessageOutput CheckedEndpoint::output_of(Filled filled, bool asks) {
  MessageOutput output;
  output.status = filled.record.status;
  output.octets = std::move(filled.octets);
  output.cycles = static_cast<std::uint64_t>(caller_.policy().cycles());
  if (!asks) return output;
  output.detail = detail();
  check_detail(output);
  return output;
}

headroom_message_detail CheckedEndpoint::detail() {
  constexpr const char* kName = "messages.detail";
  // After the structure as it is here there must be nothing that the adapter writes.
  buffers_.reset(1, sizeof(headroom_message_detail));
  std::uint8_t* const room = buffers_.add(sizeof(headroom_message_detail));
  headroom_message_detail detail{};
  detail.struct_size = sizeof detail;
  std::memcpy(room, &detail.struct_size, sizeof detail.struct_size);
  caller_.detail(*reinterpret_cast<headroom_message_detail*>(room));
  std::memcpy(&detail, room, sizeof detail);
  if (detail.struct_size != sizeof detail || !Buffers::are_fences_whole(room, sizeof detail))
    broken(kName, "it changed struct_size, or wrote beyond what that says.");
  return detail;
}

void CheckedEndpoint::check_detail(const MessageOutput& output) const {
  const headroom_message_detail& d = output.detail;
  const auto check = [&](bool holds, const std::string& what) {
    if (!holds) broken("messages.detail", what);
  };
  check(*name_of_kind(d.kind) != '\0', "its kind is " + std::to_string(d.kind) + ", which the ABI does not know.");
  check(d.referred_length <= sizeof d.referred && d.details_length <= sizeof d.details &&
            d.returned_length <= sizeof d.returned_feedback && d.requested_length <= sizeof d.requested_feedback,
        "one of its lengths is beyond the array that it is about.");
  if (d.kind == HEADROOM_MESSAGE_NONE) return;
  const bool failed = output.status == HEADROOM_ERR_DECOMPRESSION;
  const bool for_the_application = d.kind == HEADROOM_MESSAGE_COMPRESSED || d.kind == HEADROOM_MESSAGE_PLAIN;
  const bool fits = failed == (d.kind == HEADROOM_MESSAGE_FAILED) &&
                    (output.status != HEADROOM_OK || for_the_application) &&
                    (output.status != HEADROOM_NOTHING || !for_the_application);
  check(fits,
        std::string("its kind is ") + name_of_kind(d.kind) + " with the status " + name_of_status(output.status) + ".");
}

bool CheckedEndpoint::accept(std::uint32_t compartment) {
  const std::int32_t result = caller_.accept(compartment);
  if (result != 0 && result != 1) {
    broken("messages.accept",
           "it returned " + std::to_string(result) + "; 0 and 1 are the values that mean something.");
  }
  return result == 1;
}

std::optional<std::string> CheckedEndpoint::open(std::uint32_t compartment, const Json& settings) {
  return caller_.open(compartment, settings.dump().c_str());
}

}  // namespace headroom
