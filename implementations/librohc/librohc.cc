// SPDX-License-Identifier: Apache-2.0
//
// librohc as an implementation under test. The library is opened when an instance is made: the file that the variable
// HEADROOM_LIBROHC names, else librohc.so.3 where the loader finds it. Nothing of the library is needed to build this
// file, which declares what it calls, after the library's public documentation. A channel is an object of the library.
#include <array>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cxx/calls.h"
#include "cxx/library.h"
#include "cxx/reverse_queue.h"
#include "headroom.h"

namespace {

using headroom::require;
using nlohmann::json;

// ---- What is called of the library.

struct Time {
  std::uint64_t seconds, nanoseconds;
};
struct Buffer {  // handed over by value
  Time time;
  std::uint8_t* data;
  std::size_t capacity, offset, length;
};
using Random = int (*)(const void* object, void* ours);
using IsRtp = bool (*)(const std::uint8_t* ip, const std::uint8_t* udp, const std::uint8_t* payload, unsigned, void*);
constexpr int kLargeCid = 0, kSmallCid = 1, kUMode = 1, kOMode = 2;

struct Librohc {
  headroom::Library file{"HEADROOM_LIBROHC", "librohc.so.3", "it is no librohc of version 2.2 or later"};
  const char* (*version)() = file["rohc_version"];
  void* (*new_compressor)(int cid_type, std::uint16_t max_cid, Random, void*) = file["rohc_comp_new2"];
  void (*free_compressor)(void*) = file["rohc_comp_free"];
  bool (*enable_compressor)(void*, int profile) = file["rohc_comp_enable_profile"];
  bool (*set_rtp_detection)(void*, IsRtp, void*) = file["rohc_comp_set_rtp_detection_cb"];
  int (*compress)(void*, Buffer packet, Buffer* out) = file["rohc_compress4"];
  bool (*deliver_feedback)(void*, Buffer) = file["rohc_comp_deliver_feedback2"];
  void* (*new_decompressor)(int cid_type, std::uint16_t max_cid, int mode) = file["rohc_decomp_new2"];
  void (*free_decompressor)(void*) = file["rohc_decomp_free"];
  bool (*enable_decompressor)(void*, int profile) = file["rohc_decomp_enable_profile"];
  int (*decompress)(void*, Buffer in, Buffer* out, Buffer* received, Buffer* feedback) = file["rohc_decompress3"];
};

// By the library's numbers: OK, SEGMENT, MALFORMED, NO_CONTEXT, BAD_CRC, OUTPUT_TOO_SMALL; any other is internal.
constexpr std::array kStatus = {
    HEADROOM_OK,      HEADROOM_ERR_UNSUPPORTED, HEADROOM_ERR_MALFORMED, HEADROOM_ERR_NO_CONTEXT,
    HEADROOM_ERR_CRC, HEADROOM_ERR_NO_SPACE};

// ---- What it is given.

int next_random(const void*, void* state) {  // Knuth's MMIX generator
  auto& s = *static_cast<std::uint64_t*>(state);
  s = s * 6364136223846793005U + 1442695040888963407U;
  return static_cast<int>(s >> 33);
}

// Without an answer of ours nothing is RTP. Version 2, no RTCP (RFC 5761, 4), and no port below 1024.
bool looks_like_rtp(const std::uint8_t*, const std::uint8_t* udp, const std::uint8_t* payload, unsigned size, void*) {
  return size >= 12 && payload[0] >> 6 == 2 && (payload[1] < 192 || payload[1] > 223) && udp[0] >= 4 && udp[2] >= 4;
}

Buffer buffer(const std::uint8_t* data, std::size_t capacity, std::size_t length, std::uint64_t now_ns) {
  const std::uint64_t t = now_ns + 1'000'000'000;  // at the time 0 the library gives CID 0 to every flow
  return {{t / 1'000'000'000, t % 1'000'000'000}, const_cast<std::uint8_t*>(data), capacity, 0, length};
}

}  // namespace

struct headroom_instance : headroom::AmpleInstance {
  Librohc library{};
  std::uint64_t random = 0;
  std::vector<std::unique_ptr<void, void (*)(void*)>> objects{};  // by channel
  headroom::ReverseQueue<> own{}, received{};
};

namespace {

constexpr char kDescription[] =
    R"({"name": "librohc", "version": "not found", "licence": "LGPL-2.1-or-later", "schemes": [{
  "scheme": "rohc", "roles": ["compressor", "decompressor"], 
  "profiles": ["0x0000", "0x0001", "0x0002", "0x0003", "0x0004", "0x0006"],
  "modes": ["U", "O"], "cids": ["small", "large"], "max_cid": 16383, "max_channels": 64,
  "feedback": ["own", "interspersed"], "features": ["context-replication"], "names": {"packet_types": [], "modes": [], "compressor_states": [],
  "decompressor_states": [], "events": ["none"]}}]})";

// The version is the library's. Without the library the description keeps its version: it declares capabilities.
json description() {
  json document = json::parse(kDescription);
  try {
    document["version"] = Librohc().version();
  } catch (const headroom::ConfigError&) {
  }
  return document;
}

headroom_instance* make(std::int32_t role, const json& settings) {
  // Without "profiles" there are those of RFC 3095, as in the reference: profile 0x0006 is had by asking for it.
  json accepted = json::parse(kDescription);
  if (!settings.is_object() || !settings.contains("profiles")) accepted["schemes"][0]["profiles"].erase(5);
  const headroom::Configuration config = headroom::read_configuration(settings, accepted);
  std::unique_ptr<headroom_instance> self(new headroom_instance{{{role, config.channels}}});
  self->random = config.seed;
  const Librohc& l = self->library;
  const bool compressor = role == HEADROOM_COMPRESSOR;
  const int cids = config.large_cids ? kLargeCid : kSmallCid;
  const int mode = config.mode == "O" && config.feedback ? kOMode : kUMode;
  const auto max_cid = static_cast<std::uint16_t>(config.max_cid);
  for (std::uint32_t i = 0; i < config.channels; ++i) {
    void* one = compressor ? l.new_compressor(cids, max_cid, next_random, &self->random)
                           : l.new_decompressor(cids, max_cid, mode);
    require(one != nullptr, "librohc refuses these parameters of a channel");
    self->objects.emplace_back(one, compressor ? l.free_compressor : l.free_decompressor);
    for (const std::string& profile : config.profiles)
      require((compressor ? l.enable_compressor : l.enable_decompressor)(one, std::stoi(profile, nullptr, 16)),
              "librohc has no profile " + profile);
    require(!compressor || l.set_rtp_detection(one, looks_like_rtp, nullptr), "librohc refuses its RTP detection");
  }
  return self.release();
}

std::int32_t outcome(int theirs, const Buffer& out, headroom_packet& p) {
  if (theirs < 0 || theirs >= static_cast<int>(kStatus.size())) return HEADROOM_ERR_INTERNAL;
  if (theirs != 0) return kStatus[static_cast<std::size_t>(theirs)];
  if (out.offset != 0) std::memmove(p.out, out.data + out.offset, out.length);
  p.out_length = static_cast<std::uint32_t>(out.length);
  return out.length == 0 ? HEADROOM_NOTHING : HEADROOM_OK;
}

std::int32_t compress(headroom_instance& self, headroom_packet& p, std::uint64_t now_ns, headroom_detail*) {
  Buffer out = buffer(p.out, p.out_capacity, 0, now_ns);
  const Buffer in = buffer(p.in, p.in_length, p.in_length, now_ns);
  return outcome(self.library.compress(self.objects[p.channel].get(), in, &out), out, p);
}

std::int32_t decompress(headroom_instance& self, headroom_packet& p, std::uint64_t now_ns, headroom_detail*) {
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> far, near;
  Buffer out = buffer(p.out, p.out_capacity, 0, now_ns);
  Buffer received = buffer(far.data(), far.size(), 0, now_ns), own = buffer(near.data(), near.size(), 0, now_ns);
  const Buffer in = buffer(p.in, p.in_length, p.in_length, now_ns);
  const int theirs = self.library.decompress(self.objects[p.channel].get(), in, &out, &received, &own);
  self.received.put(p.channel, {received.data + received.offset, received.length});
  self.own.put(p.channel, {own.data + own.offset, own.length});
  return outcome(theirs, out, p);
}

std::size_t take(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  const std::size_t far = self->own.take(packets, count, HEADROOM_REVERSE_FAR);
  return far + self->received.take(packets + far, count - far, HEADROOM_REVERSE_NEAR);
}

std::int32_t give_one(headroom_instance& self, const headroom_packet& p, std::uint64_t now_ns) {
  if (self.role != HEADROOM_COMPRESSOR || p.in_type != HEADROOM_REVERSE_NEAR) return HEADROOM_ERR_UNSUPPORTED;
  if (p.channel >= self.channels) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0) return HEADROOM_ERR_MALFORMED;
  (void)self.library.deliver_feedback(self.objects[p.channel].get(), buffer(p.in, p.in_length, p.in_length, now_ns));
  return HEADROOM_OK;
}

std::size_t give(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns) {
  for (std::size_t i = 0; i < count; ++i) packets[i].status = give_one(*self, packets[i], now_ns);
  return count;
}

// The library does not tell how much memory it uses.
json statistics(const headroom_instance& self) {
  return {{"memory_bytes", 0}, {"contexts", 0}, {"channels", self.channels}};
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = headroom::create<make>,
                               .destroy = [](headroom_instance* self) { delete self; },
                               .compress = headroom::each<compress, HEADROOM_COMPRESSOR>,
                               .decompress = headroom::each<decompress, HEADROOM_DECOMPRESSOR>,
                               .statistics = headroom::statistics<statistics>,
                               .take_reverse = take,
                               .give_reverse = give};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
