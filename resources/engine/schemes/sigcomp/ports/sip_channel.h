// SPDX-License-Identifier: Apache-2.0
//
// SipChannel is the channel of a node with an endpoint that acts for users, or towards users: SIP datagrams from the
// plain side become compressed messages on the link, in the same datagram with other lengths and checksums, and back.
// All other packets pass unchanged.
//
// A user is an address; each user has a compartment (RFC 3320 3.1), opened with the first message to the user, or the
// first message decompressed from the user. If there are too many users, the user that has been silent longest is
// removed.
#ifndef HEADROOM_SCHEMES_SIGCOMP_PORTS_SIP_CHANNEL_H
#define HEADROOM_SCHEMES_SIGCOMP_PORTS_SIP_CHANNEL_H

#include <list>
#include <unordered_map>

#include "adapter/endpoint.h"
#include "node/channel_kind.h"
#include "node/job.h"
#include "schemes/sigcomp/ports/datagram.h"

namespace headroom::sigcomp::ports {

// Users holds the compartments of users: numbers from 0 up.
class Users {
 public:
  // Throws Error(adapter) as Endpoint does. REQUIRES: most >= 1.
  Users(Endpoint& endpoint, std::size_t most, node::Statistics& statistics, std::uint64_t salt)
      : endpoint_(endpoint), most_(most), statistics_(statistics), by_address_(0, Hash{salt}) {}

  // Returns the compartment of a user, and opens one if there is none.
  [[nodiscard]] std::uint32_t of(const Address& address);
  // Returns the compartment of a user, or HEADROOM_NO_SESSION if there is none.
  [[nodiscard]] std::uint32_t find(const Address& address) const;

 private:
  struct Hash {
    std::uint64_t salt;
    std::size_t operator()(const Address& address) const noexcept { return hash_of(address, salt); }
  };
  struct User {
    Address address;
    std::uint32_t compartment;
  };
  using ByUse = std::list<User>;  // the one used last at the front

  Endpoint& endpoint_;
  std::size_t most_;
  node::Statistics& statistics_;
  ByUse by_use_;
  std::unordered_map<Address, ByUse::iterator, Hash> by_address_;
};

// The users that an endpoint acts for, or towards.
struct SipUsers {
  bool on_plain = true;     // True: on the plain side; false: on the link side
  std::size_t most = 1024;  // of a worker
};

class SipChannel final : public node::Forwarder {
 public:
  // Throws Error(adapter). The references must outlive the channel. REQUIRES: the job has an endpoint.
  SipChannel(const node::Job& job, const SipUsers& users, node::FrameStore& store, node::Statistics& statistics);

  void to_link(std::span<node::Frame> frames, std::uint64_t now_ns, node::Outbox& link) override;
  void to_plain(std::span<node::Frame> frames, std::uint64_t now_ns, node::Outbox& plain, node::Outbox& link) override;

  [[nodiscard]] const Instance* endpoint() const noexcept override { return &endpoint_.instance(); }

 private:
  void compress(node::Frame& frame, const node::FrameParts& parts, Datagram& datagram, std::uint64_t now_ns,
                node::Outbox& link);
  void decompress(node::Frame& frame, const node::FrameParts& parts, Datagram& datagram, std::uint64_t now_ns,
                  node::Outbox& plain, node::Outbox& link);
  void send_nacks(const node::Frame& frame, const node::FrameParts& parts, const Datagram& datagram,
                  node::Outbox& link);
  void pass(const node::Frame& frame, const node::FrameParts& parts, std::uint32_t mtu, node::Outbox& out) noexcept;
  void lose(const node::Frame& frame, io::Counter& cause) noexcept;
  // Returns the largest new payload in octets with which the datagram fits the frame and the MTU.
  [[nodiscard]] static std::uint32_t room_for(const node::Frame& frame, const node::FrameParts& parts,
                                              const Datagram& datagram, std::uint32_t mtu) noexcept;
  // Returns a number for the ABI's `source`.
  [[nodiscard]] std::uint32_t source_number(const Address& address) const noexcept;
  static void write(node::Frame& frame, const node::FrameParts& parts, Datagram& datagram, OctetView payload) noexcept;

  const std::uint32_t plain_mtu_, link_mtu_;
  const node::Feedback feedback_;
  const bool users_on_plain_;
  node::FrameStore& store_;
  node::Statistics& statistics_;
  // Salt of the hashes, different in each run; only the grouping of sources into budgets depends on it.
  const std::uint64_t salt_;
  Endpoint endpoint_;
  MessageRoom room_;
  Users users_;
};

// Returns the user's address in a SIP datagram: its source if it comes from the users' side, else its destination.
// Returns nothing for a keep-alive of line ends (RFC 5626 3.5.1) and for datagrams that are not SIP.
[[nodiscard]] std::optional<Address> user_of(OctetView packet, bool from_users) noexcept;

// Reads the part of the node's job that is about users. Throws Error(job).
[[nodiscard]] std::shared_ptr<const node::ChannelKind> read_sip_channel(Object& job, const AdapterJob& endpoint);

}  // namespace headroom::sigcomp::ports

#endif  // HEADROOM_SCHEMES_SIGCOMP_PORTS_SIP_CHANNEL_H
