// SPDX-License-Identifier: Apache-2.0
//
// What the decompressor's circular buffer holds, and the search for matches in it (maenpaa-2005, 7.8.4 and 7.8.5).
//
// A circular buffer of n octets is the last n - 1 octets of everything that was ever put into it, and the one that is
// overwritten next. The compressor needs no circle for that: it keeps the dictionary, earlier messages and the message
// in a row and looks back no further.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kShortestMatch = 3;  // 7.8.4: two octets are shorter as literals

enum class Search {
  kHash,    // chains of the positions that begin with the same three octets
  kLinear,  // every position
};

struct Match {
  std::uint32_t distance = 0;
  std::uint32_t length = 0;  // 0: there is none
};

class Window {
 public:
  // `dictionary`, which outlives the window, is always in front. `room`: octets behind it. All memory is allocated
  // here, and is touched when it is used.
  Window(Octets dictionary, std::size_t room, Search search);

  // ---- Earlier messages. `at` counts octets behind the dictionary.
  // Nothing is left behind the dictionary.
  void clear() noexcept;
  // Octets to be found, behind those that are there. REQUIRES: there is room.
  void add(Octets octets) noexcept;
  // What is behind `at` is gone. REQUIRES: at <= end().
  void cut(std::size_t at) noexcept;
  [[nodiscard]] std::size_t end() const noexcept { return end_ - dictionary_; }
  // All of it, the dictionary in front.
  [[nodiscard]] Octets text() const noexcept { return Octets(octets_).first(end_); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return octets_.size() * (search_ == Search::kHash ? 1 + sizeof older_[0] : 1) +
           (newest_.size() + of_dictionary_.size()) * sizeof newest_[0];
  }
  [[nodiscard]] std::size_t room() const noexcept { return octets_.size() - kSpare - dictionary_; }

  // ---- The message to be compressed, which is an earlier one afterwards.
  // REQUIRES: there is room behind end().
  void begin(Octets message) noexcept;
  // The longest match of what is next, the nearest where several are as long; at most `longest` octets, no more than
  // `farthest` away. Matches may run into what they describe (COPY-OFFSET copies octet by octet), but none that begins
  // before `seam`, a position, goes on behind it. Both searches find the same.
  [[nodiscard]] Match find(std::size_t longest, std::size_t farthest, std::size_t seam = 0) const noexcept;
  // Passes `count` octets of the message. REQUIRES: no more than left().
  void advance(std::size_t count) noexcept;
  [[nodiscard]] std::size_t left() const noexcept { return end_ - at_; }
  // Of what is next: octets before it, the dictionary's among them.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  [[nodiscard]] std::uint8_t next() const noexcept { return octets_[at_]; }

 private:
  static constexpr std::uint32_t kNone = 0;  // positions in chains count from 1
  static constexpr std::size_t kSpare = 8;   // octets that may be read behind the last one

  [[nodiscard]] std::uint32_t bucket(std::size_t position) const noexcept;
  // Enters positions into chains up to `limit`, as far as their three octets are there.
  void enter_to(std::size_t limit) noexcept;
  // Calls `visit` with each position from `oldest` on that may match, the nearest first, until it says true.
  template <typename Visit>
  void visit_from(std::size_t oldest, Visit visit) const noexcept;
  // Makes `best` the match with the position where that is longer; true when it cannot be beaten any more.
  bool improve(std::size_t position, std::size_t longest, Match& best) const noexcept;

  std::size_t dictionary_;  // octets of it
  Search search_;
  std::size_t at_;           // of the next octet
  std::size_t end_;          // of what is there
  std::size_t entered_ = 0;  // positions before it are in chains
  std::vector<std::uint8_t> octets_;
  std::vector<std::uint32_t> newest_;         // by bucket: the last position in it, plus 1
  std::vector<std::uint32_t> of_dictionary_;  // `newest_` with the dictionary alone
  std::unique_ptr<std::uint32_t[]> older_;    // by position: the one before it in its bucket, plus 1
};

}  // namespace headroom::sigcomp
