// SPDX-License-Identifier: Apache-2.0
//
// UserPlaneChannel is the channel of a node with a user plane: the link port is N3 (and N9), the plain port is N6. N4
// is UDP on port 8805 (TS 29.244, 6.1) of the node's N4 address, on either port. The node answers address resolution
// for the addresses of the user plane.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_USER_PLANE_CHANNEL_H
#define HEADROOM_SCHEMES_GTPU_PORTS_USER_PLANE_CHANNEL_H

#include <memory>
#include <optional>
#include <vector>

#include "adapter/user_plane.h"
#include "node/channel_kind.h"
#include "node/job.h"
#include "schemes/gtpu/ports/neighbours.h"

namespace headroom::gtpu::ports {

// One side of the node. `next_hop` is the router to which all packets go; no value: packets go to their own
// destination.
struct SideJob {
  std::vector<Address> own;
  std::optional<Address> next_hop;
};

// The state that the workers of a node share.
struct SharedUserPlane {
  SharedUserPlane(const AdapterJob& job, std::size_t count) : workers(job, count) {}
  UserPlaneWorkers workers;
  Neighbours n3, n6;
};

struct UserPlaneJob {
  SideJob n3, n6;
  std::vector<Address> n9;  // addresses to which packets come from other user planes, over the same port as N3
  std::optional<Address> n4;
};

class UserPlaneChannel final : public node::Forwarder {
 public:
  // Makes the channel of a worker. Throws Error(adapter). REQUIRES: the references outlive the channel.
  UserPlaneChannel(const node::Job& job, const UserPlaneJob& sides, std::shared_ptr<SharedUserPlane> shared,
                   const node::Place& place);

  void to_link(std::span<node::Frame> frames, std::uint64_t now_ns, node::Outbox& link) override;
  void to_plain(std::span<node::Frame> frames, std::uint64_t now_ns, node::Outbox& plain, node::Outbox& link) override;
  [[nodiscard]] bool waits() const noexcept override { return true; }
  void act(std::uint64_t now_ns, node::Outbox& plain, node::Outbox& link) override;
  [[nodiscard]] const Instance* endpoint() const noexcept override { return &shared_->workers.instance(); }

 private:
  // A side of the node, with the state needed to send to it. The plain side has no outbox while frames of the plain
  // side are forwarded; frames to it then wait for `act`.
  struct Side {
    const SideJob& job;
    Neighbours& neighbours;
    MacAddress mac;
    std::uint32_t mtu;
    node::Outbox* outbox = nullptr;
    std::vector<node::Frame> waiting{};
    std::uint64_t next_request_ns = 0;
  };

  void forward(std::span<node::Frame> frames, Side& from, std::int32_t side, std::uint64_t now_ns);
  [[nodiscard]] bool take_for_node(node::Frame& frame, Side& from, std::uint64_t now_ns);
  void handle_n4(const node::Frame& frame, const node::FrameParts& parts, std::uint64_t now_ns);
  void send_forwarded(node::Frame& frame, const headroom_user_packet& packet, std::uint64_t now_ns);
  void take_packets(std::uint64_t now_ns);
  void take_n4(std::uint64_t now_ns);
  [[nodiscard]] headroom_side side_to(OctetView packet) const noexcept;
  void send_copy(OctetView packet, Side& to, std::uint64_t now_ns);
  // Writes the Ethernet header of a packet and sends the packet; sends a request for the MAC address if it is not
  // known.
  void send(node::Frame& frame, Side& to, std::uint64_t now_ns);
  void ask(const Address& wanted, Side& to, std::uint64_t now_ns);
  void put(const node::Frame& frame, Side& to);
  void lose(const node::Frame& frame, io::Counter& cause) noexcept;
  [[nodiscard]] Side& side_of(std::int32_t side) noexcept { return side == HEADROOM_N6 ? n6_ : n3_; }

  const std::shared_ptr<SharedUserPlane> shared_;
  const headroom_user_plane& functions_;
  headroom_instance* const worker_;
  const bool is_first_;
  const std::optional<Address> n4_;
  const std::vector<Address> n9_;
  node::FrameStore& store_;
  node::Statistics& statistics_;
  Side n3_, n6_;
  std::vector<headroom_user_packet> packets_, given_;
  std::vector<node::Frame> forwarded_;
  Octets room_;  // room for one packet or N4 message that was taken
};

// Reads the part of the node's job that is about the user plane. Throws Error(job).
[[nodiscard]] std::shared_ptr<const node::ChannelKind> read_user_plane_channel(Object& job, const AdapterJob& endpoint);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_USER_PLANE_CHANNEL_H
