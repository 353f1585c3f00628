// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/dynamic.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sigcomp/state/handler.h"

namespace headroom::sigcomp {
namespace {

std::size_t capacity_of(const LzssProgram& program, std::uint32_t state_memory_size) {
  const std::size_t capacity = state_memory_size / (kItemCost + program.state_length);
  if (capacity == 0) {
    throw std::invalid_argument(
        "state_memory_size is less than one item of state takes: a smaller decompression_memory_size makes smaller "
        "items");
  }
  return capacity;
}

}  // namespace

DynamicCompressor::DynamicCompressor(const LzssConfig& config, std::uint32_t state_memory_size)
    : config_(config),
      program_(config, Saved::kMemory),
      capacity_(capacity_of(program_, state_memory_size)),
      window_(program_.buffer(), program_.farthest(config), kMost, config.search),
      message_(config.most_compressed) {
  // The memory from the registers on, as it is before the first code is read.
  std::vector<std::uint8_t>& memory = initial_.memory;
  memory.resize(program_.state_length);
  store16(memory.data(), LzssProgram::kBuffer);
  store16(memory.data() + 2, program_.buffer_end);
  std::copy(program_.code.begin(), program_.code.end(),
            memory.begin() + (LzssProgram::kCode - LzssProgram::kRegisters));
  add(initial_, program_.dictionary);
  base_ = initial_;
  for (Image& image : pending_) image = initial_;
  load(base_);
}

// Puts octets into the image's circular buffer, as COPY-LITERAL and COPY-OFFSET do at the peer.
void DynamicCompressor::add(Image& image, Octets message) noexcept {
  const std::size_t size = program_.buffer();
  std::uint8_t* const buffer = image.memory.data() + kBufferInImage;
  for (Octets rest = message; !rest.empty();) {
    const std::size_t count = std::min(rest.size(), size - image.pointer);
    std::copy_n(rest.begin(), count, buffer + image.pointer);
    image.pointer = (image.pointer + count) % size;
    rest = rest.subspan(count);
  }
  image.filled = std::min(size - 1, image.filled + message.size());
  store16(image.memory.data() + 6, static_cast<std::uint16_t>(LzssProgram::kBuffer + image.pointer));
}

// Makes the image's buffer, from the oldest octet to the newest, the dictionary of the window.
void DynamicCompressor::load(const Image& image) noexcept {
  const Octets buffer = Octets(image.memory).subspan(kBufferInImage);
  const std::size_t newer = std::min(image.filled, image.pointer);
  window_.load(buffer.last(image.filled - newer), buffer.subspan(image.pointer - newer, newer));
}

bool DynamicCompressor::refers_to_state() const noexcept {
  // The item, those made since, and that it must still be there when the next message arrives.
  return base_.number != 0 && made_ - base_.number + 1 <= capacity_;
}

Octets DynamicCompressor::compress(Octets message) noexcept {
  if (base_.number != 0 && !refers_to_state()) forget();
  const StateReference reference = reference_to(base_.identifier);
  const Octets front = base_.number != 0 ? Octets(reference) : Octets(program_.upload);
  if (message.size() > kMost || front.size() > message_.size()) return {};
  std::copy(front.begin(), front.end(), message_.begin());
  BitWriter bits(std::span<std::uint8_t>(message_).subspan(front.size()));
  window_.begin(message);
  write_codes(window_, bits, config_, program_.longest_match);
  const std::size_t compressed = bits.finish();
  if (bits.full()) return {};

  last_ = (last_ + 1) % kPending;
  Image& image = pending_[last_];
  image = base_;  // no allocation: both have the same size
  add(image, message);
  image.identifier = identifier_of(sha1_, program_.state, image.memory);
  image.number = ++made_;
  // A message sent twice leaves the same item twice. Whether that makes it young again is for the peer, so its age
  // counts from the first.
  for (const Image& other : pending_) {
    if (other.number != 0 && other.identifier == image.identifier) image.number = std::min(image.number, other.number);
  }
  return Octets(message_).first(front.size() + compressed);
}

bool DynamicCompressor::acknowledge(Octets partial) noexcept {
  if (!is_identifier_length(partial.size())) return false;
  for (Image& image : pending_) {
    if (image.number <= base_.number || !std::equal(partial.begin(), partial.end(), image.identifier.begin())) continue;
    base_ = image;
    load(base_);
    return true;
  }
  return false;
}

void DynamicCompressor::forget() noexcept {
  // What is pending is as doubtful as what it was made from.
  for (Image& image : pending_) image.number = 0;
  base_ = initial_;
  load(base_);
}

}  // namespace headroom::sigcomp
