// SPDX-License-Identifier: Apache-2.0
//
// Packed finds the source packet that a delivered packet corresponds to, if link packets carry several packets, or
// parts of them, so that no tag of a link packet can tell. It compares octets. A packet may be lost if the link has
// lost one of the link packets that left while the packet waited.
#ifndef HEADROOM_REPLAY_PACKED_H
#define HEADROOM_REPLAY_PACKED_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/octets.h"
#include "traffic/source.h"

namespace headroom::replay {

class Packed {
 public:
  // The cause of a link packet that was not caused by a source packet.
  static constexpr std::size_t kDeadline = ~std::size_t{0};

  // REQUIRES: `source` outlives this object.
  explicit Packed(const std::vector<SourcePacket>& source) : source_(source) {}

  // Records that the compressor has taken packet `index`.
  void take(std::size_t index);
  // Records a link packet of `channel` that was put out by the call for packet `cause`, or at a deadline. It carries
  // that packet, or the rest of earlier ones.
  void note_sent(std::uint32_t channel, std::size_t cause, bool arrives);
  // Returns the last packet of a channel that was taken.
  [[nodiscard]] std::optional<std::size_t> last_taken(std::uint32_t channel) const;
  // True if the link lost a link packet that may have carried packet `index`.
  [[nodiscard]] bool may_be_lost(std::size_t index) const { return lost_.contains(index); }

  struct Match {
    std::size_t index;
    bool again;  // True if it has been delivered before
  };
  // Records a delivery and returns the packet with these octets: the first after the last delivered one of its
  // channel, else the first at all, else one that has been delivered. Returns nothing if there is none.
  [[nodiscard]] std::optional<Match> deliver(std::uint32_t channel, OctetView octets);
  // Records the delivery of other octets and returns the packet that they stand for: the first that is not lost after
  // the last delivered one of the channel, else the first missing one. It counts as delivered. Returns nothing if no
  // packet is missing.
  [[nodiscard]] std::optional<std::size_t> deliver_another(std::uint32_t channel);
  // True if packet `index` has been taken, and no link packet since then may have carried it.
  [[nodiscard]] bool is_unsent(std::size_t index) const;

 private:
  struct Channel {
    std::vector<std::size_t> waiting;  // packets taken, and not known to have left as a whole
    std::optional<std::size_t> last_cause, last_taken;
    std::optional<std::size_t> sent;  // the last packet that may be on the link
    std::set<std::size_t> missing;
    std::size_t next = 0;  // position after the last delivered packet
  };
  struct Copies {
    std::size_t first;
    std::set<std::size_t> missing;
  };
  using Key = std::pair<std::uint32_t, std::string_view>;  // channel, octets

  [[nodiscard]] static Key key_of(std::uint32_t channel, OctetView octets) {
    return {channel, {reinterpret_cast<const char*>(octets.data()), octets.size()}};
  }
  void note_delivered(Channel& channel, Copies& copies, std::size_t index);

  const std::vector<SourcePacket>& source_;
  std::map<std::uint32_t, Channel> channels_;
  std::map<Key, Copies> copies_;
  std::set<std::size_t> lost_;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_PACKED_H
