// SPDX-License-Identifier: Apache-2.0
//
// Messages of a worker that are no G-PDU, and replies.
#include <algorithm>
#include <cstring>

#include "gtpu/forward/worker.h"
#include "mutants.h"

namespace headroom::gtpu {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

void Worker::handle_message(Item& item, const Transport& t, const Message& message, std::uint64_t now_ns) {
  std::uint8_t room[kLongestReply];
  switch (message.fault) {
    case Message::Fault::too_short:
    case Message::Fault::extension:
      return finish(item, HEADROOM_ERR_MALFORMED);
    case Message::Fault::version:
      return finish(item, HEADROOM_ERR_UNSUPPORTED);
    case Message::Fault::not_understood:
      if (mutant("gtpu-no-extension-headers-notification") || !may_reply(now_ns))
        return finish(item, HEADROOM_ERR_UNSUPPORTED);
      reply(item, t, {room, write_supported_extension_headers(room, message.sequence)}, kGtpuPort);
      return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_ANSWERED);
    case Message::Fault::none:
      break;
  }
  switch (message.type) {
    case kEchoRequest:
      reply(item, t, {room, write_echo_response(room, message.sequence)},
            mutant("gtpu-echo-response-to-another-port") ? kGtpuPort : t.source_port);
      return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_ANSWERED);
    case kErrorIndication: {
      const auto cause = read_error_indication(message.payload);
      if (mutant("gtpu-error-indication-answered")) return find_session(item, now_ns);
      if (!cause) return finish(item, HEADROOM_ERR_MALFORMED);
      if (const Session* session = sessions_.by_peer().find(Sessions::peer_key(cause->peer, cause->teid))) {
        Event event;
        event.kind = Event::Kind::error_indication;
        event.session = session->seid;
        event.teid = cause->teid;
        event.peer = cause->peer;
        event.time_ns = now_ns;
        epoch_.events.push(event);  // where the ring is full, the peer's next Error Indication serves as well
      }
      return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_CONSUMED);
    }
    case kEndMarker:
      return forward_end_marker(item, message.teid);
    case kEchoResponse:
    case kExtensionHeaders:
      return finish(item, HEADROOM_NOTHING, HEADROOM_REASON_CONSUMED);
    default:
      return finish(item, HEADROOM_ERR_UNSUPPORTED);
  }
}

// 7.3.2: an End Marker goes where the tunnel's packets go, and ends here where they leave the tunnel.
void Worker::forward_end_marker(Item& item, std::uint32_t teid) {
  const Session* const session = item.table->find(item.key);
  finish(item, HEADROOM_NOTHING, session != nullptr ? HEADROOM_REASON_CONSUMED : HEADROOM_REASON_NO_SESSION);
  if (session == nullptr || mutant("gtpu-end-marker-not-passed-on")) return;
  const RuleSet& rules = *session->rules.load(std::memory_order_acquire);
  for (const Match* m = rules.matches + rules.match_count; m-- != rules.matches;) {
    const Action& action = *m->action;
    if (m->teid != teid || (action.apply & kForward) == 0 || action.target.header_length == 0) continue;
    headroom_user_packet& p = *item.packet;
    std::uint8_t* const behind = p.octets + kMostOuterHeader;  // of which there is room in front or in the packet
    p.octets = encapsulate(behind, 0, kEndMarker, action.target, {});
    p.length = static_cast<std::uint32_t>(behind - p.octets);
    p.side = action.target.side;
    return finish(item, HEADROOM_OK);
  }
}

void Worker::reply(const Item& item, const Transport& t, std::span<const std::uint8_t> message, std::uint16_t port) {
  if (!is_from_host(t)) return;
  std::uint8_t packet[kIpv6Header + kUdpHeader + kLongestReply];
  std::size_t length =
      write_transport(packet, t.destination_address(), t.source_address(), kGtpuPort, port, message.size());
  std::memcpy(packet + length, message.data(), message.size());
  length += message.size();
  if (t.ipv6) write_udp_checksum(packet, mutant("gtpu-wrong-udp-checksum") ? length - 1 : length);
  if (std::uint8_t* const room = outbox_.add(length, item.packet->side)) std::memcpy(room, packet, length);
}

bool Worker::may_reply(std::uint64_t now_ns) noexcept {
  const std::uint64_t rate = config_.error_indications_per_second;
  if (rate == 0) return false;
  const std::uint64_t begin = std::max(reply_free_at_ns_, now_ns);
  const std::uint64_t step = kNsPerSecond / rate;
  if (begin - now_ns + step > kNsPerSecond || begin > ~std::uint64_t{0} - step) return false;
  reply_free_at_ns_ = begin + step;
  return true;
}

}  // namespace headroom::gtpu
