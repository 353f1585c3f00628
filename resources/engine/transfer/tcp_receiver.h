// SPDX-License-Identifier: Apache-2.0
//
// TcpReceiver is a TCP receiver that acknowledges every segment. Numbers count segments.
#ifndef HEADROOM_TRANSFER_TCP_RECEIVER_H
#define HEADROOM_TRANSFER_TCP_RECEIVER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "transfer/tcp_sender.h"

namespace headroom::transfer {

inline constexpr std::size_t kMostBlocks = 3;  // blocks in an acknowledgement, as beside the time stamps option

struct Acknowledgement {
  std::uint64_t expected = 0;  // the first segment that has not arrived
  std::array<SackBlock, kMostBlocks> blocks{};
  std::uint8_t block_count = 0;
  [[nodiscard]] std::span<const SackBlock> reported() const noexcept { return {blocks.data(), block_count}; }
};

class TcpReceiver {
 public:
  // Processes an arriving segment. Returns the acknowledgement, with blocks of the segments after a hole, the latest
  // first (RFC 2018, 4).
  [[nodiscard]] Acknowledgement receive(std::uint64_t segment) {
    if (segment == expected_) {
      ++expected_;
      const auto next = std::ranges::find(blocks_, expected_, &SackBlock::begin);
      if (next != blocks_.end()) {
        expected_ = next->end;
        blocks_.erase(next);
      }
    } else if (segment > expected_) {
      add(segment);
    }
    Acknowledgement answer;
    answer.expected = expected_;
    answer.block_count = static_cast<std::uint8_t>(std::min(blocks_.size(), kMostBlocks));
    std::copy_n(blocks_.begin(), answer.block_count, answer.blocks.begin());
    return answer;
  }

 private:
  void add(std::uint64_t segment) {
    SackBlock made{segment, segment + 1};
    std::erase_if(blocks_, [&made](const SackBlock& block) {
      if (block.end < made.begin || block.begin > made.end) return false;
      made = {std::min(block.begin, made.begin), std::max(block.end, made.end)};
      return true;
    });
    blocks_.insert(blocks_.begin(), made);
  }

  std::uint64_t expected_ = 0;
  std::vector<SackBlock> blocks_;  // blocks that neither touch nor overlap, the latest first
};

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_TCP_RECEIVER_H
