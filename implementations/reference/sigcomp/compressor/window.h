// SPDX-License-Identifier: Apache-2.0
//
// What the decompressor's circular buffer holds, and the search for matches in it (maenpaa-2005, 7.8.4 and 7.8.5).
//
// A circular buffer of n octets is the last n - 1 octets of everything that was ever put into it, and the one that is
// overwritten next. The compressor needs no circle for that: it keeps the dictionary and the message in a row and looks
// back no further.
#pragma once

#include <cstdint>
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
  // `most_dictionary` and `most`: octets of the longest dictionary and message. `farthest`: the longest distance of a
  // match. All memory is allocated here.
  Window(std::size_t most_dictionary, std::size_t farthest, std::size_t most, Search search);

  // The dictionary for all messages to come: `older`, and `newer` behind it. REQUIRES: no more than `most_dictionary`.
  void load(Octets older, Octets newer) noexcept;

  // Begins anew: the dictionary, and behind it `message`. REQUIRES: at most `most` octets.
  void begin(Octets message) noexcept;

  // The longest match of what is next, the nearest where several are as long; at most `longest` octets. Matches may run
  // into what they describe (COPY-OFFSET copies octet by octet). Both searches find the same.
  [[nodiscard]] Match find(std::size_t longest) const noexcept;

  // Passes `count` octets of the message. REQUIRES: no more than left().
  void advance(std::size_t count) noexcept;

  [[nodiscard]] std::size_t left() const noexcept { return end_ - at_; }
  [[nodiscard]] std::uint8_t next() const noexcept { return octets_[at_]; }

 private:
  static constexpr std::uint32_t kNone = 0;  // positions in chains count from 1

  [[nodiscard]] std::uint32_t bucket(std::size_t position) const noexcept;
  void enter(std::size_t position) noexcept;
  // Makes `best` the match with the position where that is longer; true when it cannot be beaten any more.
  bool improve(std::size_t position, std::size_t longest, Match& best) const noexcept;

  std::size_t dictionary_ = 0;  // octets of it
  std::size_t farthest_;
  Search search_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::vector<std::uint8_t> octets_;          // the dictionary, then the message
  std::vector<std::uint32_t> newest_;         // by bucket: the last position in it, plus 1
  std::vector<std::uint32_t> of_dictionary_;  // `newest_` before there is a message
  std::vector<std::uint32_t> older_;          // by position: the one before it in its bucket, plus 1
};

}  // namespace headroom::sigcomp
