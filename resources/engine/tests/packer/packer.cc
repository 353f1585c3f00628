// SPDX-License-Identifier: Apache-2.0
//
// An adapter that packs: link packets are cells of 32 octets, filled with packets one behind another. What does not
// fill a cell waits for the next packet, for a millisecond at most. A test fixture.
//
//   cell:    number of the cell, where the first packet begins that begins in it (255: none does), 30 octets
//   packet:  its length in two octets, its octets; a length of 0xFFFF is padding up to the end of the cell
#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "cxx/calls.h"
#include "headroom.h"

namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::size_t kRoom = 30;
constexpr std::uint64_t kThresholdNs = 1'000'000;
constexpr std::uint8_t kNoBeginning = 255;

struct Channel {
  Octets pending;                      // compressor: of the next cells. Decompressor: of a packet that is not whole
  std::deque<std::size_t> beginnings;  // of packets in it
  std::uint8_t number = 0;             // of the next cell
  bool is_in_step = false;             // decompressor
  std::uint64_t deadline = HEADROOM_NO_DEADLINE;
};

struct Output {
  Octets octets;
  std::uint32_t channel;
};

}  // namespace

struct headroom_instance : headroom::Instance {
  std::map<std::uint32_t, Channel> of_channel{};
  std::deque<Output> outputs{};
};

namespace {

nlohmann::json description() {
  return nlohmann::json::parse(R"({"name": "packer", "version": "1", "schemes": [{
    "scheme": "cells", "roles": ["compressor", "decompressor"], "max_channels": 4, "packs": true,
    "names": {"events": ["none"]}}]})");
}

headroom_instance* make(std::int32_t role, const nlohmann::json& config) {
  return new headroom_instance{{role, headroom::read_configuration(config, description()).channels}};
}

void put_cell(headroom_instance& self, std::uint32_t number) {
  Channel& channel = self.of_channel[number];
  const std::size_t length = std::min(kRoom, channel.pending.size());
  Octets cell = {channel.number++, kNoBeginning};
  if (!channel.beginnings.empty() && channel.beginnings.front() < length)
    cell[1] = static_cast<std::uint8_t>(channel.beginnings.front());
  const auto end = channel.pending.begin() + static_cast<std::ptrdiff_t>(length);
  cell.insert(cell.end(), channel.pending.begin(), end);
  cell.resize(2 + kRoom, 0xFF);
  channel.pending.erase(channel.pending.begin(), end);
  std::deque<std::size_t> beginnings;
  for (const std::size_t at : channel.beginnings) {
    if (at >= length) beginnings.push_back(at - length);
  }
  channel.beginnings = beginnings;
  self.outputs.push_back({std::move(cell), number});
}

void take_packet(headroom_instance& self, const headroom_packet& p, std::uint64_t now_ns) {
  Channel& channel = self.of_channel[p.channel];
  channel.beginnings.push_back(channel.pending.size());
  channel.pending.push_back(static_cast<std::uint8_t>(p.in_length >> 8));
  channel.pending.push_back(static_cast<std::uint8_t>(p.in_length));
  channel.pending.insert(channel.pending.end(), p.in, p.in + p.in_length);
  while (channel.pending.size() >= kRoom) put_cell(self, p.channel);
  channel.deadline = channel.pending.empty() ? HEADROOM_NO_DEADLINE : now_ns + kThresholdNs;
}

// Takes whole packets off the front of what has come.
void take_cell(headroom_instance& self, const headroom_packet& p) {
  Channel& channel = self.of_channel[p.channel];
  if (channel.number != p.in[0]) channel.is_in_step = false;
  channel.number = static_cast<std::uint8_t>(p.in[0] + 1);
  std::size_t begin = 2;
  if (!channel.is_in_step) {
    channel.pending.clear();
    if (p.in[1] == kNoBeginning) return;
    begin += p.in[1];
    channel.is_in_step = true;
  }
  channel.pending.insert(channel.pending.end(), p.in + begin, p.in + p.in_length);
  while (channel.pending.size() >= 2) {
    const std::size_t length = static_cast<std::size_t>(channel.pending[0] << 8 | channel.pending[1]);
    if (length == 0xFFFF) return channel.pending.clear();
    if (length == 0) {  // damaged: the next beginning is in a cell to come
      channel.is_in_step = false;
      return channel.pending.clear();
    }
    if (channel.pending.size() < 2 + length) return;
    const auto octets = channel.pending.begin() + 2;
    const auto end = octets + static_cast<std::ptrdiff_t>(length);
    self.outputs.push_back({Octets(octets, end), p.channel});
    channel.pending.erase(channel.pending.begin(), end);
  }
  if (channel.pending.size() == 1 && channel.pending[0] == 0xFF) channel.pending.clear();
}

bool put_out(headroom_instance& self, headroom_packet& p) {
  if (self.outputs.empty()) return false;
  const Output output = std::move(self.outputs.front());
  self.outputs.pop_front();
  p.channel = output.channel;
  p.status = HEADROOM_ERR_NO_SPACE;
  if (output.octets.size() > p.out_capacity) return true;
  std::copy(output.octets.begin(), output.octets.end(), p.out);
  p.out_length = static_cast<std::uint32_t>(output.octets.size());
  p.status = HEADROOM_OK;
  return true;
}

std::size_t process(headroom_instance* self, headroom_packet* packets, std::uint64_t now_ns) {
  headroom_packet& p = packets[0];
  p.out_length = 0;
  p.status = HEADROOM_NOTHING;
  if (p.channel >= self->channels) {
    p.status = HEADROOM_ERR_CHANNEL;
  } else if (p.in_length == 0) {
    if (p.in_type != HEADROOM_TYPE_LOST) p.status = HEADROOM_ERR_MALFORMED;
  } else if (self->role == HEADROOM_COMPRESSOR) {
    take_packet(*self, p, now_ns);
  } else if (p.in_length != 2 + kRoom || (p.in[1] != kNoBeginning && p.in[1] >= kRoom)) {
    p.status = HEADROOM_ERR_MALFORMED;
  } else {
    take_cell(*self, p);
  }
  put_out(*self, p);
  p.more = self->outputs.empty() ? 0 : 1;
  return 1;
}

// One packet a call, which the ABI allows where it has more outputs: here it always says that it may.
std::size_t each(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                 headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    if (details != nullptr) details[i] = headroom::kUnknown;
    process(self, packets + i, now_ns);
    if (packets[i].more != 0) return i + 1;
  }
  return count;
}

std::size_t drain(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                  headroom_detail* details) {
  for (auto& [number, channel] : self->of_channel) {
    if (channel.deadline > now_ns) continue;
    channel.deadline = HEADROOM_NO_DEADLINE;
    put_cell(*self, number);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!put_out(*self, packets[i])) return i;
    if (details != nullptr) details[i] = headroom::kUnknown;
  }
  return count;
}

std::uint64_t next_deadline(const headroom_instance* self) {
  std::uint64_t first = HEADROOM_NO_DEADLINE;
  for (const auto& [number, channel] : self->of_channel) first = std::min(first, channel.deadline);
  return first;
}

nlohmann::json statistics(const headroom_instance&) { return {{"memory_bytes", 0}, {"contexts", 0}}; }

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = each,
                               .decompress = each,
                               .statistics = headroom::statistics<statistics>,
                               .drain = drain,
                               .next_deadline = next_deadline};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
