// SPDX-License-Identifier: Apache-2.0
#include "taroc/window.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::taroc {
namespace {

void unite(Ranges& ranges, const Ranges& others) noexcept {
  for (std::size_t i = 0; i < kFields; ++i) ranges[i].unite(others[i]);
}

Ranges ranges_of(const Values& values) noexcept {
  Ranges ranges;
  for (std::size_t i = 0; i < kFields; ++i) ranges[i] = {values[i], values[i]};
  return ranges;
}

void raise(std::uint32_t& highest, std::uint32_t value) noexcept {
  if (wire::distance(highest, value) > 0) highest = value;
}

}  // namespace

bool SlidingWindow::has_room_for(const Values& values) const noexcept {
  return std::equal(values.begin(), values.end(), ranges_.begin(), [](std::uint32_t v, const wire::Range& range) {
    const std::int32_t above = wire::distance(range.min, v);
    const std::uint32_t widest = above < 0 ? range.max - v : static_cast<std::uint32_t>(above);
    return widest <= kWidest;
  });
}

void SlidingWindow::clear() noexcept {
  first_ = size_ = turned_ = 0;
  bucket_packets_ = 1;
  packets_ = 0;
}

void SlidingWindow::add(const Values& values, std::uint64_t octets) noexcept {
  append(values, octets);
  shrink(mutant("taroc-window-of-one-packet") ? 0 : octets);
}

// A packet after a long jump is alone in its bucket, so that those in front of the jump can leave.
bool SlidingWindow::begins_bucket(const Values& values, std::uint64_t octets) noexcept {
  if (size_ == turned_) return true;
  const Bucket& last = at(size_ - 1);
  return last.packets >= bucket_packets_ ||
         std::int64_t{wire::distance(last.highest_sequence, values[kSequence])} > static_cast<std::int64_t>(octets) ||
         std::int64_t{wire::distance(last.highest_acknowledgement, values[kAcknowledgement])} >
             static_cast<std::int64_t>(octets);
}

void SlidingWindow::append(const Values& values, std::uint64_t octets) noexcept {
  const Ranges one = ranges_of(values);
  if (begins_bucket(values, octets)) {
    if (size_ == kBuckets) pair();
    if (size_ == turned_) {
      behind_ = one;
    } else {
      unite(behind_, one);
    }
    at(size_++) = {one, values[kSequence], values[kAcknowledgement], 1};
  } else {
    Bucket& last = at(size_ - 1);
    unite(last.ranges, one);
    raise(last.highest_sequence, values[kSequence]);
    raise(last.highest_acknowledgement, values[kAcknowledgement]);
    ++last.packets;
    unite(behind_, one);
  }
  if (++packets_ == 1) {
    ranges_ = one;
  } else {
    unite(ranges_, one);
  }
}

void SlidingWindow::shrink(std::uint64_t octets) noexcept {
  while (size_ > 1 && (packets_ > kMostPackets || ranges_[kSequence].max - at(0).highest_sequence > octets ||
                       ranges_[kAcknowledgement].max - at(0).highest_acknowledgement > octets))
    remove_first();
  if (size_ < kBuckets / 4 && bucket_packets_ > 1) bucket_packets_ /= 2;
}

void SlidingWindow::remove_first() noexcept {
  if (turned_ == 0) turn();
  packets_ -= at(0).packets;
  first_ = (first_ + 1) % kBuckets;
  --size_;
  --turned_;
  ranges_ = behind_;
  if (turned_ == 0) return;
  ranges_ = at(0).ranges;
  if (size_ > turned_) unite(ranges_, behind_);
}

void SlidingWindow::turn() noexcept {
  for (std::size_t i = size_ - 1; i-- > 0;) unite(at(i).ranges, at(i + 1).ranges);
  turned_ = size_;
}

// Makes one bucket of each two.
void SlidingWindow::pair() noexcept {
  if (turned_ % 2 != 0) turn();  // two of a kind are needed
  for (std::size_t i = 0; i < kBuckets / 2; ++i) {
    Bucket pair = at(2 * i);
    const Bucket& second = at(2 * i + 1);
    unite(pair.ranges, second.ranges);
    raise(pair.highest_sequence, second.highest_sequence);
    raise(pair.highest_acknowledgement, second.highest_acknowledgement);
    pair.packets += second.packets;
    at(i) = pair;
  }
  size_ = kBuckets / 2;
  turned_ /= 2;
  bucket_packets_ *= 2;
}

}  // namespace headroom::taroc
