// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/window.h"

#include <algorithm>
#include <cstring>

namespace headroom::sigcomp {
namespace {

constexpr unsigned kBucketBits = 12;

}  // namespace

Window::Window(std::size_t most_dictionary, std::size_t farthest, std::size_t most, Search search)
    : farthest_(farthest), search_(search), octets_(most_dictionary + most) {
  if (search_ != Search::kHash) return;
  newest_.assign(std::size_t{1} << kBucketBits, kNone);
  of_dictionary_ = newest_;
  older_.resize(octets_.size());
}

void Window::load(Octets older, Octets newer) noexcept {
  dictionary_ = older.size() + newer.size();
  std::copy(newer.begin(), newer.end(), std::copy(older.begin(), older.end(), octets_.begin()));
  at_ = end_ = dictionary_;
  if (search_ != Search::kHash) return;
  std::fill(newest_.begin(), newest_.end(), kNone);
  for (std::size_t i = 0; i + kShortestMatch <= dictionary_; ++i) enter(i);
  std::copy(newest_.begin(), newest_.end(), of_dictionary_.begin());
}

void Window::begin(Octets message) noexcept {
  at_ = dictionary_;
  end_ = dictionary_ + message.size();
  if (!message.empty()) std::memcpy(octets_.data() + at_, message.data(), message.size());
  if (search_ != Search::kHash) return;
  std::copy(of_dictionary_.begin(), of_dictionary_.end(), newest_.begin());
  // The last positions of the dictionary, whose three octets are partly the message's.
  for (std::size_t i = dictionary_ - std::min(dictionary_, kShortestMatch - 1); i < dictionary_; ++i) {
    if (i + kShortestMatch <= end_) enter(i);
  }
}

std::uint32_t Window::bucket(std::size_t position) const noexcept {
  const std::uint8_t* const p = octets_.data() + position;
  const std::uint32_t three = static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8 | p[2];
  return three * 0x9e3779b1U >> (32 - kBucketBits);  // Fibonacci hashing
}

void Window::enter(std::size_t position) noexcept {
  std::uint32_t& newest = newest_[bucket(position)];
  older_[position] = newest;
  newest = static_cast<std::uint32_t>(position + 1);
}

bool Window::improve(std::size_t position, std::size_t longest, Match& best) const noexcept {
  const std::uint8_t* const here = octets_.data() + at_;
  const std::uint8_t* const there = octets_.data() + position;
  // It has to agree where the best so far ends, or it is no longer.
  if (there[best.length] != here[best.length]) return false;
  std::size_t length = 0;
  while (length < longest && there[length] == here[length]) ++length;
  if (length > best.length && length >= kShortestMatch) {
    best = {static_cast<std::uint32_t>(at_ - position), static_cast<std::uint32_t>(length)};
  }
  return best.length == longest;
}

Match Window::find(std::size_t longest) const noexcept {
  Match best;
  longest = std::min(longest, left());
  if (longest < kShortestMatch) return best;
  const std::size_t oldest = at_ - std::min(at_, farthest_);
  if (search_ == Search::kLinear) {
    for (std::size_t position = at_; position-- > oldest;) {
      if (improve(position, longest, best)) break;
    }
    return best;
  }
  for (std::uint32_t entry = newest_[bucket(at_)]; entry > oldest; entry = older_[entry - 1]) {
    if (improve(entry - 1, longest, best)) break;
  }
  return best;
}

void Window::advance(std::size_t count) noexcept {
  if (search_ == Search::kHash) {
    const std::size_t hashable = end_ - std::min(end_, kShortestMatch - 1);
    for (std::size_t i = at_; i < std::min(at_ + count, hashable); ++i) enter(i);
  }
  at_ += count;
}

}  // namespace headroom::sigcomp
