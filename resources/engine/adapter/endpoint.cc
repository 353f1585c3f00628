// SPDX-License-Identifier: Apache-2.0
#include "adapter/endpoint.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "adapter/calling.h"

namespace headroom {
namespace {

constexpr std::size_t kErrorCapacity = 1024;

}  // namespace

MessageRoom::MessageRoom(std::size_t longest_message)
    : octets_(std::max<std::size_t>(HEADROOM_MESSAGE_MAX, 2 * longest_message + HEADROOM_MESSAGE_EXPANSION)) {}

std::uint32_t MessageRoom::for_compressing(std::size_t in) const noexcept {
  return static_cast<std::uint32_t>(std::min(octets_.size(), 2 * in + HEADROOM_MESSAGE_EXPANSION));
}

std::uint32_t MessageRoom::for_decompressing(std::size_t in) const noexcept {
  return static_cast<std::uint32_t>(std::min(octets_.size(), std::max<std::size_t>(HEADROOM_MESSAGE_MAX, in)));
}

Endpoint::Endpoint(const AdapterJob& job, const Json& compartment)
    : instance_(job, HEADROOM_ENDPOINT), compartment_(compartment.is_null() ? "" : compartment.dump()) {
  if (instance_.sessions() == nullptr || instance_.messages() == nullptr) {
    throw Error(ErrorKind::adapter,
                "the adapter " + job.library +
                    " offers endpoints, but lacks one of the extensions \"" HEADROOM_SESSIONS
                    "\" and \"" HEADROOM_MESSAGES "\".",
                job.where);
  }
}

void Endpoint::open(std::uint32_t compartment) {
  char sentence[kErrorCapacity] = "";
  const char* const json = compartment_.empty() ? nullptr : compartment_.c_str();
  const std::int32_t opened = call_adapter("sessions.open", [&] {
    return instance_.sessions()->open(instance_.self(), compartment, json, sentence, sizeof sentence);
  });
  if (opened == 1) return;
  const std::string_view said(sentence, strnlen(sentence, sizeof sentence));
  throw Error(ErrorKind::adapter, "the adapter " + instance_.path() + " opens no compartment " +
                                      std::to_string(compartment) + ": " +
                                      (said.empty() ? "it gives no reason, against its promise." : std::string(said)));
}

void Endpoint::close(std::uint32_t compartment) {
  const std::int32_t closed =
      call_adapter("sessions.close", [&] { return instance_.sessions()->close(instance_.self(), compartment); });
  if (closed != 1) {
    throw Error(ErrorKind::adapter, "the adapter " + instance_.path() + " says that it has no compartment " +
                                        std::to_string(compartment) + ", which it has opened.");
  }
}

std::uint64_t Endpoint::never_back(std::uint64_t now_ns) noexcept { return now_ns_ = std::max(now_ns_, now_ns); }

// The adapter may write over its record, so room and capacity are not read there.
Made Endpoint::process(bool compressing, headroom_packet packet, std::uint64_t now_ns) {
  const auto broken = [](const std::string& what) {
    throw Error(ErrorKind::adapter, "the adapter broke a promise: " + what);
  };
  const headroom_api& api = instance_.api();
  const headroom_packet given = packet;
  const std::uint64_t now = never_back(now_ns);
  const std::size_t handled = call_adapter(compressing ? "compress" : "decompress", [&] {
    return (compressing ? api.compress : api.decompress)(instance_.self(), &packet, 1, now, nullptr);
  });
  if (handled != 1) broken("it has not handled the message that it was given.");
  if (packet.more != 0) broken("one message became several.");
  Made made{packet.status, {}, false};
  if (*name_of_status(packet.status) == 0)
    broken("it gave the status " + std::to_string(packet.status) + ", which the ABI does not know.");
  if (packet.status != HEADROOM_OK) return made;
  if (packet.out_length > given.out_capacity) {
    broken("it claims " + std::to_string(packet.out_length) + " octets of output in a buffer of " +
           std::to_string(given.out_capacity) + ".");
  }
  made.octets = {given.out, packet.out_length};
  return made;
}

Made Endpoint::compress(OctetView message, std::uint32_t compartment, std::uint64_t now_ns, MessageRoom& room,
                        std::uint32_t most) {
  headroom_packet packet{};
  packet.in = message.data();
  packet.in_length = static_cast<std::uint32_t>(message.size());
  packet.out = room.data();
  packet.out_capacity = std::min(most, room.for_compressing(message.size()));
  packet.channel = compartment;
  return process(true, packet, now_ns);
}

Made Endpoint::decompress(OctetView message, std::uint32_t source, std::uint32_t accept_as, std::uint64_t now_ns,
                          MessageRoom& room) {
  headroom_packet packet{};
  packet.in = message.data();
  packet.in_length = static_cast<std::uint32_t>(message.size());
  packet.out = room.data();
  packet.out_capacity = room.for_decompressing(message.size());
  packet.channel = HEADROOM_NO_SESSION;
  packet.source = source;
  Made made = process(false, packet, now_ns);
  if (accept_as != HEADROOM_NO_SESSION && made.status == HEADROOM_OK) made.accepted = accept(accept_as);
  return made;
}

bool Endpoint::accept(std::uint32_t compartment) {
  const std::int32_t accepted =
      call_adapter("messages.accept", [&] { return instance_.messages()->accept(instance_.self(), compartment); });
  return accepted == 1 || is_plain();
}

// Whether the message decompressed last was none of SigComp's, so that there was nothing to accept.
bool Endpoint::is_plain() const {
  if (instance_.messages()->detail == nullptr) return false;
  headroom_message_detail detail{};
  detail.struct_size = sizeof detail;
  call_adapter("messages.detail", [&] { instance_.messages()->detail(instance_.self(), &detail); });
  return detail.kind == HEADROOM_MESSAGE_PLAIN;
}

OctetView Endpoint::take_reverse() {
  if (instance_.api().take_reverse == nullptr) return {};
  headroom_packet packet{};
  packet.out = reverse_.data();
  packet.out_capacity = HEADROOM_REVERSE_MAX;
  const std::size_t taken =
      call_adapter("take_reverse", [&] { return instance_.api().take_reverse(instance_.self(), &packet, 1, now_ns_); });
  if (taken == 0) return {};
  if (taken != 1 || packet.out_length == 0 || packet.out_length > reverse_.size()) {
    throw Error(ErrorKind::adapter, "the adapter's take_reverse broke a promise: it claims a message of " +
                                        std::to_string(packet.out_length) + " octets in a buffer of " +
                                        std::to_string(reverse_.size()) + ".");
  }
  return {reverse_.data(), packet.out_length};
}

}  // namespace headroom
