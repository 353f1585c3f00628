// SPDX-License-Identifier: Apache-2.0
//
// L3 rules by tuple space: rules with the same prefix lengths and with or without a protocol are one table, looked up
// by the masked addresses; ports decide among the few rules that share an entry. A lookup is made once for each flow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gtpu/inspection/rules.h"

namespace headroom::gtpu::inspection {

// A flow as the user sees it. IPv4 addresses stand behind ::ffff:0:0/96.
struct FlowKey {
  std::array<std::uint8_t, 16> user{}, remote{};
  std::uint16_t user_port = 0, remote_port = 0;  // 0 where the protocol has none
  std::uint8_t protocol = 0;
};

class L3Rules {
 public:
  explicit L3Rules(const std::vector<L3Rule>& rules);

  // The first rule that matches; nothing where none does.
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
    std::uint32_t first = 0;  // number of its first rule: later tuples cannot win over an earlier match
    std::unordered_map<Masked, std::vector<Candidate>, Hash> entries{};
  };
  [[nodiscard]] static Masked masked(const FlowKey& flow, const Tuple& tuple) noexcept;

  std::vector<Tuple> tuples_;  // by `first`, ascending
};

}  // namespace headroom::gtpu::inspection
