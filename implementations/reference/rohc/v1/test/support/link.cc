// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/link.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace headroom::rohc::test {
namespace {

constexpr std::uint8_t kGuard = 0xa5;
constexpr std::size_t kGuards = 64;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

struct Room {
  explicit Room(std::size_t size) : octets(size + kGuards, kGuard), capacity(size) {}

  void check(const headroom_packet& p) const {
    if (p.out_length > capacity) give_up("out_length exceeds out_capacity");
    const bool intact = std::all_of(octets.begin() + static_cast<std::ptrdiff_t>(capacity), octets.end(),
                                    [](std::uint8_t octet) { return octet == kGuard; });
    if (!intact) give_up("octets were written past the end of the output buffer");
  }

  std::vector<std::uint8_t> octets;
  std::size_t capacity;
};

template <typename Result, typename Call>
Result one_packet(Octets packet, std::uint32_t channel, std::size_t capacity, Call call) {
  // A copy of its own size, so that AddressSanitizer sees a read past the end.
  const std::vector<std::uint8_t> in(packet.begin(), packet.end());
  if (capacity == kEnough) capacity = packet.size() + HEADROOM_EXPANSION;
  Room room(capacity);
  headroom_packet p{};
  p.in = in.data();
  p.in_length = static_cast<std::uint32_t>(in.size());
  p.out = room.octets.data();
  p.out_capacity = static_cast<std::uint32_t>(capacity);
  p.channel = channel;
  Result result;
  call(p, result.detail);
  room.check(p);
  result.status = p.status;
  if (p.status != HEADROOM_OK && p.out_length != 0)
    give_up("out_length is not 0 although the status is not HEADROOM_OK");
  room.octets.resize(p.out_length);
  result.octets = std::move(room.octets);
  return result;
}

}  // namespace

Compressed compress(Compressor& compressor, Octets packet, std::uint64_t now_ns, std::uint32_t channel,
                    std::size_t room) {
  bool more = false;
  Compressed sent = one_packet<Compressed>(packet, channel, room, [&](headroom_packet& p, headroom_detail& d) {
    if (compressor.compress(&p, 1, now_ns, &d) != 1) give_up("a packet was not handled");
    more = p.more != 0;
  });
  for (;;) {
    Room drained(packet.size() + HEADROOM_EXPANSION);
    headroom_packet p{};
    p.out = drained.octets.data();
    p.out_capacity = static_cast<std::uint32_t>(drained.capacity);
    if (compressor.drain(&p, 1) == 0) {
      if (more == sent.more.empty()) give_up("more is not as there is more");
      return sent;
    }
    drained.check(p);
    if (p.status != HEADROOM_OK || p.out_length == 0) give_up("a segment was not put out");
    if (p.channel != channel) give_up("a segment is of another channel");
    drained.octets.resize(p.out_length);
    sent.more.push_back(std::move(drained.octets));
  }
}

Restored decompress(Decompressor& decompressor, Octets packet, std::uint64_t now_ns, std::uint32_t channel,
                    std::size_t room) {
  return one_packet<Restored>(packet, channel, room, [&](headroom_packet& p, headroom_detail& d) {
    decompressor.decompress(&p, 1, now_ns, &d);
  });
}

std::vector<Packet> link_packets_of(const Compressed& sent) {
  std::vector<Packet> packets = {sent.octets};
  packets.insert(packets.end(), sent.more.begin(), sent.more.end());
  return packets;
}

std::vector<FeedbackElement> take_all(FeedbackQueue& queue) {
  std::vector<FeedbackElement> all;
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> room;
  std::uint32_t channel = 0;
  while (const std::size_t size = queue.take(channel, room))
    all.push_back({channel, {room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size)}});
  return all;
}

const Compressed& Link::lose(Octets packet, std::uint32_t channel) {
  now_ns += step_ns;
  sent = compress(compressor, packet, now_ns, channel);
  return sent;
}

bool Link::pass(Octets packet, std::uint32_t channel) {
  lose(packet, channel);
  received = decompress(decompressor, sent.octets, now_ns, channel);
  return received.status == HEADROOM_OK && std::ranges::equal(received.octets, packet);
}

wire::Feedback read(const FeedbackElement& element, bool large_cids) {
  wire::Reader in(element.octets);
  const auto data = wire::read_feedback_element(in);
  if (!data || in.remaining() != 0) give_up("the decompressor made an element that is none");
  const auto feedback = wire::read_feedback(*data, large_cids);
  if (!feedback) give_up("the decompressor made feedback that cannot be read");
  return *feedback;
}

std::vector<wire::Feedback> Link::carry_feedback() {
  std::vector<wire::Feedback> result;
  for (const FeedbackElement& element : take_all(decompressor.own_feedback())) {
    result.push_back(read(element, large_cids_));
    compressor.give_feedback(element.channel, element.octets, now_ns);
  }
  return result;
}

std::string_view name_of(wire::PacketType type) noexcept {
  const auto place = static_cast<std::size_t>(type);
  if (place < wire::kPacketTypeNames.size()) return wire::kPacketTypeNames[place];
  return tcp::kOwnNames[place - wire::kPacketTypeNames.size()];
}

std::string Link::describe() const {
  return std::string(name_of(sent.type())) + " [" +
         to_hex(Octets(sent.octets).first(std::min<std::size_t>(sent.octets.size(), 80))) + "] -> status " +
         std::to_string(received.status) + " [" +
         to_hex(Octets(received.octets).first(std::min<std::size_t>(received.octets.size(), 80))) + "]";
}

}  // namespace headroom::rohc::test
