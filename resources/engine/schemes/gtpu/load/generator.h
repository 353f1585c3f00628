// SPDX-License-Identifier: Apache-2.0
//
// The packets of a load: flows of active users that are born, carry some packets and end. Packets are written into
// buffers that are used again and again, as a network card writes into its ring.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_GENERATOR_H
#define HEADROOM_SCHEMES_GTPU_LOAD_GENERATOR_H

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "load/pages.h"
#include "schemes/gtpu/load/job.h"
#include "schemes/gtpu/load/sessions.h"

namespace headroom::gtpu::load {

inline constexpr std::size_t kBurst = 32;
inline constexpr std::uint32_t kSegment = 2048;  // packets that are written before any of them is forwarded

// The worker to which packets of a user are given, by a hash of the user's address.
[[nodiscard]] constexpr std::uint32_t worker_of(std::uint32_t user, std::uint32_t workers) noexcept {
  return static_cast<std::uint32_t>((mix64(user) >> 32) * workers >> 32);
}

// Session of active user number `index`; different for each.
[[nodiscard]] std::uint32_t session_of(const Traffic& traffic, std::uint64_t seed, std::uint32_t index) noexcept;

// The buffers of one segment, and its records by side.
class Segment {
 public:
  Segment();

  [[nodiscard]] std::uint8_t* packet(std::uint32_t index) const noexcept {
    return pages_.data() + std::size_t{index} * kStride + kRoomBefore;
  }
  void clear() noexcept {
    uplink_.clear();
    downlink_.clear();
    octets_n3_ = 0;
  }
  // Clears the text of the earlier request in the buffer `index`. `length` is that of the next text, 0 if there is
  // none.
  void renew_text(std::uint32_t index, std::size_t length) noexcept;
  // Adds the record of a packet whose octets lie in the buffer `index`.
  void add(std::uint32_t index, bool uplink, std::uint32_t length);
  [[nodiscard]] std::vector<headroom_user_packet>& uplink() noexcept { return uplink_; }
  [[nodiscard]] std::vector<headroom_user_packet>& downlink() noexcept { return downlink_; }
  [[nodiscard]] std::uint64_t octets_n3() const noexcept { return octets_n3_; }

 private:
  // An Ethernet header lies in front of the packet, as in a network card's buffer.
  static constexpr std::size_t kRoomBefore = HEADROOM_USER_PLANE_ROOM + 14;
  static constexpr std::size_t kStride = 36 * headroom::load::kCacheLine;  // no power of two: sets of caches

  headroom::load::Pages pages_;
  std::vector<headroom_user_packet> uplink_, downlink_;
  std::vector<std::uint16_t> text_;  // octets of the request in each buffer
  std::uint64_t octets_n3_ = 0;      // of all packets, as they are on N3
};

class Generator {
 public:
  // Makes the packets of the users that `worker_of` gives to `worker` of `workers`. `teids` are the uplink tunnel
  // endpoints by session; if it is empty, the endpoints of the range are used. Throws Error(job) if the worker has no
  // user.
  Generator(const Job& job, const SessionRange& range, std::uint32_t worker, std::uint32_t workers,
            std::span<const std::uint32_t> teids = {});

  // Writes the next `count` packets. REQUIRES: count <= kSegment.
  void fill(Segment& segment, std::uint32_t count);

  [[nodiscard]] std::uint32_t users() const noexcept { return users_; }

 private:
  struct Flow {
    std::uint32_t session = 0;
    std::uint32_t remote = 0;  // address
    std::uint16_t user_port = 0, remote_port = 0;
    std::uint32_t sent = 0, life = 0;  // packets
    std::uint16_t host = 0;            // of its HTTP request
    bool tcp = false;
  };

  void begin_flow(Flow& flow);
  [[nodiscard]] std::uint32_t draw_length() noexcept;
  // Returns the text of the flow's next packet; nullptr if it is no request.
  [[nodiscard]] const std::string* request_of(const Flow& flow) const noexcept;
  // Returns the length of the user's packet.
  std::uint32_t write_inner(std::uint8_t* at, const Flow& flow, bool uplink, std::uint32_t length);
  void write_outer(std::uint8_t* at, const Flow& flow, std::uint32_t inner_length) const noexcept;

  const Traffic& traffic_;
  SessionRange range_;
  std::span<const std::uint32_t> teids_;
  std::uint32_t n3_;
  Xoshiro256 random_;
  Chance uplink_, http_, hit_;
  std::uint32_t weight_ = 0;  // of all lengths
  std::uint32_t users_ = 0;
  std::vector<Flow> flows_;
  std::vector<std::string> requests_;  // the first is that of flows that match no rule
};

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_GENERATOR_H
