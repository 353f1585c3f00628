// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/window.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace headroom::sigcomp {
namespace {

constexpr unsigned kBucketBits = 12;

std::uint32_t word_at(const std::uint8_t* p) noexcept {
  std::uint32_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

std::uint32_t three_at(const std::uint8_t* p) noexcept {
  const std::uint32_t word = word_at(p);
  return std::endian::native == std::endian::little ? word & 0xffffff : word >> 8;
}

std::uint32_t bucket_of(const std::uint8_t* p) noexcept {
  return three_at(p) * 0x9e3779b1U >> (32 - kBucketBits);  // Fibonacci hashing
}

// Octets that two strings have in common at their beginning, at most `most`. Both may be read 7 octets further.
std::size_t common(const std::uint8_t* a, const std::uint8_t* b, std::size_t most) noexcept {
  for (std::size_t length = 0; length < most; length += 8) {
    std::uint64_t x;
    std::uint64_t y;
    std::memcpy(&x, a + length, sizeof x);
    std::memcpy(&y, b + length, sizeof y);
    if (const std::uint64_t difference = x ^ y; difference != 0) {
      const int bits =
          std::endian::native == std::endian::little ? std::countr_zero(difference) : std::countl_zero(difference);
      return std::min(most, length + static_cast<std::size_t>(bits) / 8);
    }
  }
  return most;
}

}  // namespace

Window::Window(Octets dictionary, std::size_t room, Search search)
    : dictionary_(dictionary.size()),
      search_(search),
      at_(dictionary_),
      end_(dictionary_),
      octets_(dictionary_ + room + kSpare) {
  std::copy(dictionary.begin(), dictionary.end(), octets_.begin());
  if (search_ != Search::kHash) return;
  newest_.assign(std::size_t{1} << kBucketBits, kNone);
  older_ = std::make_unique_for_overwrite<std::uint32_t[]>(octets_.size());
  enter_to(end_);
  of_dictionary_ = newest_;
}

void Window::clear() noexcept {
  at_ = end_ = dictionary_;
  if (search_ != Search::kHash) return;
  std::copy(of_dictionary_.begin(), of_dictionary_.end(), newest_.begin());
  entered_ = dictionary_ - std::min(dictionary_, kShortestMatch - 1);
}

void Window::add(Octets octets) noexcept {
  begin(octets);
  advance(octets.size());
}

void Window::cut(std::size_t at) noexcept {
  at_ = end_ = dictionary_ + at;
  if (search_ != Search::kHash) return;
  const std::size_t whole = end_ - std::min(end_, kShortestMatch - 1);
  // In the opposite order of enter_to(), each position is the newest of its bucket.
  while (entered_ > whole) {
    --entered_;
    newest_[bucket(entered_)] = older_[entered_];
  }
}

void Window::begin(Octets message) noexcept {
  at_ = end_;
  if (!message.empty()) std::memcpy(octets_.data() + end_, message.data(), message.size());
  end_ += message.size();
  enter_to(at_);
}

std::uint32_t Window::bucket(std::size_t position) const noexcept { return bucket_of(octets_.data() + position); }

void Window::enter_to(std::size_t limit) noexcept {
  if (search_ != Search::kHash) return;
  limit = std::min(limit, end_ - std::min(end_, kShortestMatch - 1));
  const std::uint8_t* const octets = octets_.data();
  std::uint32_t* const newest = newest_.data();
  std::uint32_t* const older = older_.get();
  for (std::size_t position = entered_; position < limit; ++position) {
    std::uint32_t& entry = newest[bucket_of(octets + position)];
    older[position] = entry;
    entry = static_cast<std::uint32_t>(position + 1);
  }
  entered_ = std::max(entered_, limit);
}

inline bool Window::improve(std::size_t position, std::size_t longest, Match& best) const noexcept {
  const std::uint8_t* const here = octets_.data() + at_;
  const std::uint8_t* const there = octets_.data() + position;
  // It has to agree where the best so far ends, and in the octets before, or it is no longer.
  if (best.length == 0) {
    if (three_at(there) != three_at(here)) return false;
  } else if (word_at(there + best.length - 3) != word_at(here + best.length - 3)) {
    return false;
  }
  const std::size_t length = common(here, there, longest);
  if (length > best.length) {
    best = {static_cast<std::uint32_t>(at_ - position), static_cast<std::uint32_t>(length)};
  }
  return best.length == longest;
}

template <typename Visit>
inline void Window::visit_from(std::size_t oldest, Visit visit) const noexcept {
  if (search_ == Search::kLinear) {
    for (std::size_t position = at_; position-- > oldest;) {
      if (visit(position)) return;
    }
    return;
  }
  for (std::uint32_t entry = newest_[bucket(at_)]; entry > oldest; entry = older_[entry - 1]) {
    if (visit(entry - 1)) return;
  }
}

Match Window::find(std::size_t longest, std::size_t farthest, std::size_t seam) const noexcept {
  Match best;
  longest = std::min(longest, left());
  if (longest < kShortestMatch) return best;
  const std::size_t oldest = at_ - std::min(at_, farthest);
  if (seam <= oldest) {
    visit_from(oldest, [&](std::size_t position) { return improve(position, longest, best); });
    return best;
  }
  visit_from(oldest, [&](std::size_t position) {
    if (position >= seam) return improve(position, longest, best);
    const std::size_t most = std::min(longest, seam - position);
    return most >= kShortestMatch && most > best.length && improve(position, most, best) && most == longest;
  });
  return best;
}

void Window::advance(std::size_t count) noexcept {
  at_ += count;
  enter_to(at_);
}

}  // namespace headroom::sigcomp
