// SPDX-License-Identifier: Apache-2.0
#include "adapter/endpoint.h"

namespace headroom {

Endpoint::Endpoint(const AdapterJob& job, const Json& compartment)
    : instance_(job, HEADROOM_ENDPOINT),
      caller_(instance_),
      compartment_(compartment.is_null() ? "" : compartment.dump()) {
  require_endpoint(instance_, job.where);
}

void Endpoint::open(std::uint32_t compartment) {
  if (const auto sentence = caller_.open(compartment, compartment_.empty() ? nullptr : compartment_.c_str())) {
    throw Error(ErrorKind::adapter, "the adapter " + instance_.path() + " opens no compartment " +
                                        std::to_string(compartment) + ": " + *sentence);
  }
}

void Endpoint::close(std::uint32_t compartment) {
  if (caller_.close(compartment)) return;
  throw Error(ErrorKind::adapter, "the adapter " + instance_.path() + " says that it has no compartment " +
                                      std::to_string(compartment) + ", which it has opened.");
}

// The adapter may write over its record, so room and capacity are not read there.
MessageResult Endpoint::process(bool compressing, headroom_packet packet, std::uint64_t now_ns) {
  const char* const function = name_of_function(compressing);
  const headroom_packet given = packet;
  now_ns_ = std::max(now_ns_, now_ns);
  if (caller_.process(compressing, &packet, 1, now_ns_) != 1)
    caller_.broken(function, [] { return "it has not handled the message that it was given."; });
  if (packet.more != 0) caller_.broken(function, [] { return "one message became several."; });
  if (std::string defect = outcome_defect(packet, given.out_capacity, true); !defect.empty())
    caller_.broken(function, [&] { return defect; });
  if (packet.status != HEADROOM_OK) return {packet.status, {}, false};
  return {packet.status, {given.out, packet.out_length}, false};
}

MessageResult Endpoint::compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns, MessageRoom& room,
                                 std::size_t most) {
  const std::size_t capacity = std::min(most, room.for_compressing(message.size()));
  return process(true, record_of({message, compartment}, room.data(), capacity), now_ns);
}

MessageResult Endpoint::decompress(OctetView message, std::uint32_t source, std::uint32_t accept_as,
                                   std::uint64_t now_ns, MessageRoom& room) {
  const std::size_t capacity = room.for_decompressing(message.size());
  headroom_packet packet = record_of({message, HEADROOM_NO_SESSION}, room.data(), capacity);
  packet.source = source;
  MessageResult result = process(false, packet, now_ns);
  if (accept_as != HEADROOM_NO_SESSION && result.status == HEADROOM_OK) result.accepted = accept(accept_as);
  return result;
}

bool Endpoint::accept(std::uint32_t compartment) { return caller_.accept(compartment) == 1 || is_plain(); }

// True if the message decompressed last was not compressed, so that there was nothing to accept.
bool Endpoint::is_plain() const {
  if (!caller_.has_detail()) return false;
  headroom_message_detail detail{};
  detail.struct_size = sizeof detail;
  caller_.detail(detail);
  return detail.kind == HEADROOM_MESSAGE_PLAIN;
}

OctetView Endpoint::take_reverse() {
  const auto reverse = caller_.next_reverse(reverse_.data(), now_ns_);
  return reverse ? reverse->octets : OctetView();
}

}  // namespace headroom
