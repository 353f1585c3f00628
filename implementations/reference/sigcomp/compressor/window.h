// SPDX-License-Identifier: Apache-2.0
//
// Window is the content of the decompressor's circular buffer, and the search for matches in it (maenpaa-2005, 7.8.4
// and 7.8.5).
//
// A circular buffer of n octets holds the last n - 1 octets that were put into it, and the octet that is overwritten
// next. The compressor needs no circle: it keeps the dictionary, the earlier messages and the message in a row, and
// looks back no further than the buffer reaches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kShortestMatch = 3;  // 7.8.4: two octets are shorter as literals

enum class Search {
  kHash,    // searches a chain of positions that begin with the same three octets
  kLinear,  // searches every position
};

struct Match {
  std::uint32_t distance = 0;
  std::uint32_t length = 0;  // 0: there is none
};

class Window {
 public:
  // `dictionary` is always at the front. `room` is the number of octets after the dictionary. All memory is allocated
  // here, and touched on first use. REQUIRES: `dictionary` outlives the window.
  Window(Octets dictionary, std::size_t room, Search search);

  // ---- Earlier messages. `at` counts octets after the dictionary.
  // Removes everything after the dictionary.
  void clear() noexcept;
  // Appends octets that matches may refer to. REQUIRES: there is room.
  void add(Octets octets) noexcept;
  // Removes everything after `at`. REQUIRES: at <= end().
  void cut(std::size_t at) noexcept;
  [[nodiscard]] std::size_t end() const noexcept { return end_ - dictionary_; }
  // Returns the dictionary and the octets after it.
  [[nodiscard]] Octets text() const noexcept { return Octets(octets_).first(end_); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return octets_.size() * (search_ == Search::kHash ? 1 + sizeof older_[0] : 1) +
           (newest_.size() + of_dictionary_.size()) * sizeof newest_[0];
  }
  [[nodiscard]] std::size_t room() const noexcept { return octets_.size() - kSpare - dictionary_; }

  // ---- The message to be compressed, which is an earlier one afterwards.
  // Begins to compress a message. REQUIRES: there is room after end().
  void begin(Octets message) noexcept;
  // Finds the longest match of the next octets, and the nearest of several that are equally long: at most `longest`
  // octets long and `farthest` octets away. A match may run into the octets that it describes (COPY-OFFSET copies octet
  // by octet), but no match that begins before the position `seam` goes on after it. Both kinds of search find the
  // same match.
  [[nodiscard]] Match find(std::size_t longest, std::size_t farthest, std::size_t seam = 0) const noexcept;
  // Passes `count` octets of the message. REQUIRES: no more than left().
  void advance(std::size_t count) noexcept;
  [[nodiscard]] std::size_t left() const noexcept { return end_ - at_; }
  // Returns the number of octets in front of the next one, including the dictionary.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  [[nodiscard]] std::uint8_t next() const noexcept { return octets_[at_]; }

 private:
  static constexpr std::uint32_t kNone = 0;  // positions in chains count from 1
  static constexpr std::size_t kSpare = 8;   // octets that may be read after the last one

  [[nodiscard]] std::uint32_t bucket(std::size_t position) const noexcept;
  // Enters positions up to `limit` into chains, if all three octets at the position are there.
  void enter_to(std::size_t limit) noexcept;
  // Calls `visit` with each position from `oldest` on that may match, the nearest first, until `visit` returns true.
  template <typename Visit>
  void visit_from(std::size_t oldest, Visit visit) const noexcept;
  // Replaces `best` by the match at `position` if that is longer. Returns true if no match can be longer than `best`.
  bool improve(std::size_t position, std::size_t longest, Match& best) const noexcept;

  std::size_t dictionary_;  // octets of the dictionary
  Search search_;
  std::size_t at_;           // position of the next octet
  std::size_t end_;          // position after the last octet
  std::size_t entered_ = 0;  // positions before this one are in chains
  std::vector<std::uint8_t> octets_;
  std::vector<std::uint32_t> newest_;         // by bucket: the last position in the bucket, plus 1
  std::vector<std::uint32_t> of_dictionary_;  // value of `newest_` for the dictionary alone
  std::unique_ptr<std::uint32_t[]> older_;    // by position: the previous position in the same bucket, plus 1
};

}  // namespace headroom::sigcomp
