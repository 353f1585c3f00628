// SPDX-License-Identifier: Apache-2.0
//
// L3Rules matches L3 rules by tuple space search: rules with the same prefix lengths, and equally with or without a
// protocol, form one table, which is looked up by the masked addresses; ports select among the few rules of an entry.
// There is one lookup for each flow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gtpu/inspection/rules.h"

namespace headroom::gtpu::inspection {

// A flow from the user's point of view. IPv4 addresses are after ::ffff:0:0/96.
struct FlowKey {
  std::array<std::uint8_t, 16> user{}, remote{};
  std::uint16_t user_port = 0, remote_port = 0;  // 0 if the protocol has no ports
  std::uint8_t protocol = 0;
};

class L3Rules {
 public:
  explicit L3Rules(const std::vector<L3Rule>& rules);

  // Returns the number of the first rule that matches, or nothing.
  [[nodiscard]] std::optional<std::uint32_t> match(const FlowKey& flow) const noexcept;

 private:
  struct Masked {
    std::array<std::uint8_t, 16> user{}, remote{};
    std::uint8_t protocol = 0;
    bool operator==(const Masked&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Masked& masked) const noexcept;
  };
  struct Candidate {
    std::uint32_t number;
    PortRange user_ports, remote_ports;
  };
  struct Tuple {
    std::uint8_t user_length, remote_length;
    bool any_protocol;
    std::uint32_t first = 0;  // number of the tuple's first rule: a later tuple cannot beat an earlier match
    std::unordered_map<Masked, std::vector<Candidate>, Hash> entries{};
  };
  [[nodiscard]] static Masked masked(const FlowKey& flow, const Tuple& tuple) noexcept;

  std::vector<Tuple> tuples_;  // by `first`, ascending
};

}  // namespace headroom::gtpu::inspection
