// SPDX-License-Identifier: Apache-2.0
//
// The statistics of one side of one direction of a replay, from the details that the adapter gives with each packet.
#ifndef HEADROOM_REPLAY_STATISTICS_H
#define HEADROOM_REPLAY_STATISTICS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "base/json_reader.h"

namespace headroom::replay {

// Lengths is an exact distribution of small numbers.
class Lengths {
 public:
  void add(std::uint32_t length) {
    ++counts_[length];
    ++packets_;
    octets_ += length;
  }
  [[nodiscard]] Json json()
      const;  // {"mean", "min", "max", "octets", "histogram": [[length, packets], …]}; null when empty

 private:
  std::map<std::uint32_t, std::uint64_t> counts_;
  std::uint64_t packets_ = 0;
  std::uint64_t octets_ = 0;
};

class SideStatistics {
 public:
  // `packs`: a packet with the status NOTHING has been taken and leaves later; only the adapter knows which octets of a
  // link packet are its header.
  SideStatistics(const Names& names, headroom_role role, bool packs) : names_(names), role_(role), packs_(packs) {}

  // Adds a packet that the side handled: its index in the source, its channel and its outcome. `link_octets` is its
  // length on the link, and `link_header` the header's part of it.
  void add(std::uint64_t packet, std::uint32_t channel, std::int32_t status, const headroom_detail& detail,
           std::uint64_t link_octets, std::uint32_t link_header);

  [[nodiscard]] Json json() const;

 private:
  struct PerType {
    std::uint64_t packets = 0, octets = 0, header_octets = 0;
  };
  struct Context {
    std::uint8_t mode = 255, state = 255;
  };

  void note_transition(std::uint64_t packet, std::uint32_t channel, std::uint32_t cid, const char* what,
                       const std::vector<std::string>& words, std::uint8_t& known, std::uint8_t now);

  static constexpr std::size_t kMostTransitions = 10'000;  // limit on listed transitions; all are counted

  const Names& names_;
  headroom_role role_;
  bool packs_;
  std::map<std::int32_t, std::uint64_t> statuses_;
  std::map<std::uint8_t, PerType> types_;
  std::map<std::uint16_t, std::uint64_t> profiles_;
  std::map<std::uint8_t, std::uint64_t> events_;
  std::map<std::uint64_t, Context> contexts_;  // by channel and CID
  Lengths headers_;
  std::uint64_t transitions_ = 0;
  Json transition_list_ = Json::array();
};

// Returns the known fields of a detail: {"cid", "profile", "type", "mode", "state", "event", "plain_header",
// "compressed_header"}.
[[nodiscard]] Json json_of(const headroom_detail& detail, const Names& names, headroom_role role);

[[nodiscard]] std::string profile_name(std::uint16_t profile);  // "0x0001"

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_STATISTICS_H
