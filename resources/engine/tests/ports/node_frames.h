// SPDX-License-Identifier: Apache-2.0
//
// Hand-made packets and frames, and a channel of a node without DPDK around it.
#ifndef HEADROOM_TESTS_NODE_FRAMES_H
#define HEADROOM_TESTS_NODE_FRAMES_H

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "capture/frame.h"
#include "node/job.h"
#include "node/make_channel.h"

namespace headroom::node {

inline constexpr std::uint16_t kEtherTypeRohc = 0x22F1;  // of the jobs below

inline const MacAddress kHost = {2, 0, 0, 0, 0, 1}, kPeer = {2, 0, 0, 0, 0, 2}, kLinkMac = {2, 0, 0, 0, 0, 9},
                        kPlainMac = {2, 0, 0, 0, 0, 8};

// An IPv4 UDP packet of `length` octets, 28 at least. `number` is IP-ID and payload, `flow` the source port.
inline Octets udp_packet(std::size_t length, std::uint16_t number = 1, std::uint16_t flow = 5000) {
  Octets packet(length, static_cast<std::uint8_t>(number));
  const Octets header = {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 0, 0x10, 0, 0, 0, 0, 0};
  std::copy(header.begin(), header.end(), packet.begin());
  store16(&packet[2], static_cast<std::uint32_t>(length));
  store16(&packet[4], number);
  store16(&packet[20], flow);
  store16(&packet[24], static_cast<std::uint32_t>(length - 20));
  store16(&packet[10], checksum_finish(checksum_add(0, {packet.data(), 20})));
  return packet;
}

// Segment `number` of an IPv4 TCP connection, with 10 octets each (RFC 793, 3.1).
inline Octets tcp_packet(std::uint16_t number) {
  Octets packet = udp_packet(50, number);
  packet[9] = 6;
  store16(&packet[10], 0);
  store16(&packet[10], checksum_finish(checksum_add(0, {packet.data(), 20})));
  const Octets header = {0x13, 0x88, 0, 80, 0, 0, 0, 0, 0, 0, 0, 1, 0x50, 0x10, 0xFF, 0xFF, 0, 0, 0, 0};
  std::copy(header.begin(), header.end(), packet.begin() + 20);
  store32(&packet[24], 10u * number);
  const Octets lengths = {0, 6, 0, static_cast<std::uint8_t>(packet.size() - 20)};  // of the pseudo header
  const std::uint32_t addresses = checksum_add(checksum_add(0, {&packet[12], 8}), lengths);
  store16(&packet[36], checksum_finish(checksum_add(addresses, {&packet[20], packet.size() - 20})));
  return packet;
}

// An IPv6 packet with `next` as Next Header and `rest` behind the header.
inline Octets ipv6_packet(std::uint8_t next, const Octets& rest) {
  Octets packet(40, 0);
  packet[0] = 0x60;
  store16(&packet[4], static_cast<std::uint32_t>(rest.size()));
  packet[6] = next;
  packet[7] = 64;
  packet[23] = 1;
  packet[39] = 2;
  packet.insert(packet.end(), rest.begin(), rest.end());
  return packet;
}

// `tags` are TPID and TCI of each VLAN tag, the outer one first.
inline Octets frame_of(std::uint16_t type, const Octets& payload, const std::vector<std::uint32_t>& tags = {},
                       const MacAddress& source = kHost) {
  Octets frame(kPeer.size() + source.size());
  std::copy(source.begin(), source.end(), std::copy(kPeer.begin(), kPeer.end(), frame.begin()));
  const auto put16 = [&](std::uint32_t value) {
    frame.push_back(static_cast<std::uint8_t>(value >> 8));
    frame.push_back(static_cast<std::uint8_t>(value));
  };
  for (const std::uint32_t tag : tags) {
    put16(tag >> 16);
    put16(tag & 0xFFFF);
  }
  put16(type);
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

inline Octets ipv4_frame(const Octets& packet, const std::vector<std::uint32_t>& tags = {}) {
  return frame_of(kEtherTypeIpv4, packet, tags);
}

inline constexpr std::uint32_t vlan(std::uint16_t vid) { return std::uint32_t{kTpidCustomer} << 16 | vid; }

// Buffers from the heap, around which a sanitizer watches.
class HeapStore final : public FrameStore {
 public:
  static constexpr std::uint32_t kFront = 16, kRoom = 2048;

  [[nodiscard]] bool take(Frame& frame) noexcept override {
    if (empty) return false;
    frame = of({});
    return true;
  }
  void give_back(const Frame& frame) noexcept override {
    const auto found =
        std::find_if(buffers_.begin(), buffers_.end(), [&](const auto& buffer) { return buffer.get() == frame.owner; });
    if (found == buffers_.end()) __builtin_trap();  // given back twice
    buffers_.erase(found);
  }

  [[nodiscard]] Frame of(const Octets& octets) {
    auto& buffer = buffers_.emplace_back(new std::uint8_t[kFront + kRoom]);
    std::copy(octets.begin(), octets.end(), buffer.get() + kFront);
    return {buffer.get() + kFront, static_cast<std::uint32_t>(octets.size()), kFront, kRoom, buffer.get()};
  }
  [[nodiscard]] std::size_t out() const noexcept { return buffers_.size(); }

  bool empty = false;

 private:
  std::vector<std::unique_ptr<std::uint8_t[]>> buffers_;
};

class Collected final : public Outbox {
 public:
  explicit Collected(HeapStore& store) : store_(store) {}
  // The frames that have come out since the last call.
  [[nodiscard]] std::vector<Octets> frames() {
    flush();
    return std::exchange(frames_, {});
  }

 private:
  void send(std::span<const Frame> frames) noexcept override {
    for (const Frame& frame : frames) {
      frames_.emplace_back(frame.octets, frame.octets + frame.length);
      store_.give_back(frame);
    }
  }

  HeapStore& store_;
  std::vector<Octets> frames_;
};

// A job as it comes from a file, where numbers without a sign are unsigned.
[[nodiscard]] inline Job read(const Json& job) { return read_job(parse_json(job.dump())); }

// One end of a link.
class End {
 public:
  explicit End(const Json& job, std::uint16_t channel = 0)
      : job_(read(job)), channel_(make_channel(job_, channel, kPlainMac, kLinkMac, store, statistics)) {}

  // The frames that come out at the other side. Feedback of to_plain is in `link`.
  std::vector<Octets> to_link(const std::vector<Octets>& frames) {
    for_bursts(frames, [&](std::span<Frame> burst) { channel_->to_link(burst, now_ns, link); });
    return link.frames();
  }
  std::vector<Octets> to_plain(const std::vector<Octets>& frames) {
    for_bursts(frames, [&](std::span<Frame> burst) { channel_->to_plain(burst, now_ns, plain, link); });
    return plain.frames();
  }
  void act() { channel_->act(now_ns, plain, link); }

  HeapStore store;
  Statistics statistics;
  Collected plain{store}, link{store};
  std::uint64_t now_ns = 1'000'000'000;

 private:
  template <typename Forward>
  void for_bursts(const std::vector<Octets>& frames, Forward&& forward) {
    std::vector<Frame> burst;
    for (const Octets& octets : frames) {
      burst.push_back(store.of(octets));
      if (burst.size() < job_.burst && &octets != &frames.back()) continue;
      forward(std::span<Frame>(burst));
      burst.clear();
    }
  }

  const Job job_;
  const std::unique_ptr<Forwarder> channel_;
};

// A job with the named adapter on both sides (none: null) and `settings` for it, `more` on top.
inline Json job_of(const std::string& adapter, Json settings = Json::object(), const Json& more = Json::object()) {
  if (!settings.contains("scheme")) settings["scheme"] = "rohc";
  const Json side = adapter.empty()
                        ? Json(nullptr)
                        : Json{{"library", HEADROOM_LIBRARIES "/" + adapter + ".so"}, {"config", std::move(settings)}};
  Json job = {{"plain", {{"vdev", "net_null0"}}},
              {"link", {{"vdev", "net_null1"}}},
              {"compressor", side},
              {"decompressor", side},
              {"workers", {0}}};
  job.update(more);
  return job;
}

}  // namespace headroom::node

#endif  // HEADROOM_TESTS_NODE_FRAMES_H
