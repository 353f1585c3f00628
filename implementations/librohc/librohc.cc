// SPDX-License-Identifier: Apache-2.0
//
// librohc as an implementation under test. The library is opened when an instance is made: the file that the variable
// HEADROOM_LIBROHC names, else librohc.so.3 where the loader finds it. Nothing of the library is needed to build this
// file, which declares what it calls, after the library's public documentation. A channel is an object of the library.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "headroom.h"

namespace {

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

struct Library {
  std::unique_ptr<void, int (*)(void*)> handle{nullptr, dlclose};
  const char* (*version)();
  void* (*new_compressor)(int cid_type, std::uint16_t max_cid, Random, void*);
  void (*free_compressor)(void*);
  bool (*enable_compressor)(void*, int profile);
  bool (*set_rtp_detection)(void*, IsRtp, void*);
  int (*compress)(void*, Buffer packet, Buffer* out);
  bool (*deliver_feedback)(void*, Buffer);
  void* (*new_decompressor)(int cid_type, std::uint16_t max_cid, int mode);
  void (*free_decompressor)(void*);
  bool (*enable_decompressor)(void*, int profile);
  int (*decompress)(void*, Buffer packet, Buffer* out, Buffer* received_feedback, Buffer* feedback);
};

// Throws a sentence when there is no library, or one that is too old.
Library open_library() {
  const char* named = std::getenv("HEADROOM_LIBROHC");
  const char* name = named != nullptr && *named != '\0' ? named : "librohc.so.3";
  Library l;
  l.handle.reset(dlopen(name, RTLD_NOW | RTLD_LOCAL));
  if (!l.handle) {
    const char* reason = dlerror();
    throw std::runtime_error(std::string("librohc cannot be opened (") + (reason != nullptr ? reason : name) +
                             "); build it and let HEADROOM_LIBROHC name its librohc.so.3");
  }
  const auto get = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(l.handle.get(), symbol));
    if (function == nullptr) {
      throw std::runtime_error(std::string(name) + " has no " + symbol + ": it is no librohc of version 2.2 or later");
    }
  };
  get(l.version, "rohc_version");
  get(l.new_compressor, "rohc_comp_new2"), get(l.free_compressor, "rohc_comp_free");
  get(l.enable_compressor, "rohc_comp_enable_profile"), get(l.set_rtp_detection, "rohc_comp_set_rtp_detection_cb");
  get(l.compress, "rohc_compress4"), get(l.deliver_feedback, "rohc_comp_deliver_feedback2");
  get(l.new_decompressor, "rohc_decomp_new2"), get(l.free_decompressor, "rohc_decomp_free");
  get(l.enable_decompressor, "rohc_decomp_enable_profile"), get(l.decompress, "rohc_decompress3");
  return l;
}

int next_random(const void*, void* state) {  // Knuth's MMIX generator
  auto& s = *static_cast<std::uint64_t*>(state);
  s = s * 6364136223846793005U + 1442695040888963407U;
  return static_cast<int>(s >> 33);
}

// Without an answer of ours nothing is RTP. Version 2, no RTCP (RFC 5761, 4), and no port below 1024.
bool looks_like_rtp(const std::uint8_t*, const std::uint8_t* udp, const std::uint8_t* payload, unsigned size, void*) {
  return size >= 12 && payload[0] >> 6 == 2 && (payload[1] < 192 || payload[1] > 223) && udp[0] >= 4 && udp[2] >= 4;
}

std::int32_t status_of(int theirs) {  // by the library's numbers: OK, SEGMENT, MALFORMED, NO_CONTEXT, BAD_CRC, …
  constexpr std::array kStatus = {
      HEADROOM_OK,      HEADROOM_ERR_UNSUPPORTED, HEADROOM_ERR_MALFORMED, HEADROOM_ERR_NO_CONTEXT,
      HEADROOM_ERR_CRC, HEADROOM_ERR_NO_SPACE};
  return theirs >= 0 && theirs < 6 ? kStatus[static_cast<std::size_t>(theirs)] : HEADROOM_ERR_INTERNAL;
}

Buffer buffer(const std::uint8_t* data, std::size_t capacity, std::size_t length, std::uint64_t now_ns) {
  const std::uint64_t t = now_ns + 1'000'000'000;  // at the time 0 the library gives CID 0 to every flow
  return {{t / 1'000'000'000, t % 1'000'000'000}, const_cast<std::uint8_t*>(data), capacity, 0, length};
}

using Feedback = std::deque<std::pair<std::uint32_t, std::vector<std::uint8_t>>>;  // channel, octets

}  // namespace

struct headroom_instance {
  Library library;
  bool compressor = true;
  std::uint64_t random = 0;
  std::vector<void*> channels;
  Feedback own, received;
  std::vector<std::uint8_t> room;
  ~headroom_instance() {
    for (void* one : channels) (compressor ? library.free_compressor : library.free_decompressor)(one);
  }
};

namespace {

constexpr char kDescription[] =
    R"({"name": "librohc", "version": "not found", "licence": "LGPL-2.1-or-later", "schemes": [{
  "scheme": "rohc", "roles": ["compressor", "decompressor"], "profiles": ["0x0000", "0x0001", "0x0002", "0x0003", "0x0004"],
  "modes": ["U", "O"], "cids": ["small", "large"], "max_cid": 16383, "max_channels": 64,
  "feedback": ["own", "interspersed"], "names": {"packet_types": [], "modes": [], "compressor_states": [],
  "decompressor_states": [], "events": ["none"]}}]})";

std::size_t write_text(const std::string& text, char* room, std::size_t capacity) {
  if (text.size() < capacity) std::memcpy(room, text.c_str(), text.size() + 1);
  return text.size();
}

// The version is the library's; without one the description stays what it is, for it declares what is asked.
std::size_t describe(char* room, std::size_t capacity) {
  json document = json::parse(kDescription);
  try {
    document["version"] = open_library().version();
  } catch (const std::exception&) {
    document["version"] = "not found";
  }
  return write_text(document.dump(), room, capacity);
}

headroom_instance* create(std::int32_t role, const char* config_json, char* error, std::size_t capacity) try {
  const json config = json::parse(config_json);
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw std::runtime_error(sentence);
  };
  const auto number = [&](const char* key, unsigned standard, unsigned least, unsigned most) {
    const json value = config.value(key, json(standard));
    require(value.is_number_unsigned() && value >= least && value <= most,
            (std::string("\"") + key + "\" must be a whole number from " + std::to_string(least) + " to " +
             std::to_string(most))
                .c_str());
    return value.get<std::size_t>();
  };
  const std::string cids = config.value("cids", "small"), mode = config.value("mode", "U");
  require(role == HEADROOM_COMPRESSOR || role == HEADROOM_DECOMPRESSOR, "the role must be 1 or 2");
  require(config.at("scheme") == "rohc", "\"scheme\" must be \"rohc\"");
  require(cids == "small" || cids == "large", "\"cids\" must be \"small\" or \"large\"");
  require(mode == "U" || mode == "O", "\"mode\" must be \"U\" or \"O\": librohc has no R-mode");
  require(config.value("options", json::object()) == json::object(), "\"options\" must be empty: there are none");
  require(config.value("mrru", json(0U)) == 0U, "\"mrru\" must be 0: segments are not driven through this adapter");
  const auto max_cid = static_cast<std::uint16_t>(number("max_cid", 15, 0, cids == "large" ? 16383 : 15));
  const auto profiles = config.value("profiles", json::parse(kDescription)["schemes"][0]["profiles"]);
  require(profiles.is_array(), "\"profiles\" must be a list of hexadecimal numbers such as \"0x0001\"");
  auto self = std::make_unique<headroom_instance>();
  self->compressor = role == HEADROOM_COMPRESSOR;
  self->random = config.value("seed", std::uint64_t{0});
  const std::size_t channels = number("channels", 1, 1, 64);
  const int theirs = mode == "O" && config.value("feedback", true) ? kOMode : kUMode;
  self->library = open_library();
  const Library& l = self->library;
  for (std::size_t i = 0; i < channels; ++i) {
    const int type = cids == "large" ? kLargeCid : kSmallCid;
    void* one = self->compressor ? l.new_compressor(type, max_cid, next_random, &self->random)
                                 : l.new_decompressor(type, max_cid, theirs);
    require(one != nullptr, "librohc refuses these parameters of a channel");
    self->channels.push_back(one);
    for (const std::string profile : profiles) {
      const int id = std::stoi(profile, nullptr, 16);
      require((self->compressor ? l.enable_compressor : l.enable_decompressor)(one, id),
              ("librohc has no profile " + profile).c_str());
    }
    require(!self->compressor || l.set_rtp_detection(one, looks_like_rtp, nullptr),
            "librohc refuses its RTP detection");
  }
  return self.release();
} catch (const std::exception& reason) {
  if (error != nullptr && capacity > 0) std::snprintf(error, capacity, "%s.", reason.what());
  return nullptr;
}

// Where the library may write. With less room than the ABI promises it writes beyond it or crashes, so that it gets a
// buffer of ours then; `pass_on` looks whether what came of it fits.
Buffer room_for(headroom_instance& self, const headroom_packet& p, std::uint64_t now_ns) {
  const std::size_t needed = std::size_t{p.in_length} + HEADROOM_EXPANSION;
  if (p.out_capacity >= needed) return buffer(p.out, p.out_capacity, 0, now_ns);
  self.room.resize(std::max(self.room.size(), needed));
  return buffer(self.room.data(), self.room.size(), 0, now_ns);
}

std::int32_t pass_on(headroom_packet& p, const Buffer& out) {
  if (out.length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  if (out.data + out.offset != p.out) std::copy_n(out.data + out.offset, out.length, p.out);
  p.out_length = static_cast<std::uint32_t>(out.length);
  return out.length == 0 ? HEADROOM_NOTHING : HEADROOM_OK;
}

std::int32_t compress(headroom_instance& self, headroom_packet& p, std::uint64_t now_ns) {
  Buffer out = room_for(self, p, now_ns);
  const Buffer in = buffer(p.in, p.in_length, p.in_length, now_ns);
  const int theirs = self.library.compress(self.channels[p.channel], in, &out);
  return theirs == 0 ? pass_on(p, out) : status_of(theirs);
}

std::int32_t decompress(headroom_instance& self, headroom_packet& p, std::uint64_t now_ns) {
  std::array<std::uint8_t, HEADROOM_FEEDBACK_MAX> far, near;
  Buffer out = room_for(self, p, now_ns);
  Buffer received = buffer(far.data(), far.size(), 0, now_ns), own = buffer(near.data(), near.size(), 0, now_ns);
  const Buffer in = buffer(p.in, p.in_length, p.in_length, now_ns);
  const int theirs = self.library.decompress(self.channels[p.channel], in, &out, &received, &own);
  const auto keep = [&](Feedback& where, const Buffer& b) {
    if (b.length != 0) where.push_back({p.channel, {b.data + b.offset, b.data + b.offset + b.length}});
  };
  keep(self.received, received), keep(self.own, own);
  return theirs == 0 ? pass_on(p, out) : status_of(theirs);
}

template <auto one, bool compressor>
void each(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
          headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    if (details != nullptr) details[i] = {0xFFFFFFFFU, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 0, 0};
    p.out_length = 0;
    const bool ours = p.channel < self->channels.size() && self->compressor == compressor;
    p.status = !ours ? HEADROOM_ERR_CHANNEL : p.in_length == 0 ? HEADROOM_ERR_MALFORMED : one(*self, p, now_ns);
  }
}

template <Feedback headroom_instance::*where>
std::int32_t take(headroom_instance* self, headroom_feedback* feedback) {
  Feedback& from = self->*where;
  if (from.empty() || from.front().second.size() > feedback->capacity) return 0;
  const auto& [channel, octets] = from.front();
  feedback->channel = channel;
  feedback->length = static_cast<std::uint32_t>(octets.size());
  std::copy(octets.begin(), octets.end(), feedback->data);
  from.pop_front();
  return 1;
}

void give(headroom_instance* self, const headroom_feedback* f, std::uint64_t now_ns) {
  if (!self->compressor || f->channel >= self->channels.size() || f->length == 0) return;
  (void)self->library.deliver_feedback(self->channels[f->channel], buffer(f->data, f->length, f->length, now_ns));
}

// The library does not tell how much memory it uses.
std::size_t statistics(const headroom_instance* self, char* room, std::size_t capacity) {
  return write_text(json({{"memory_bytes", 0}, {"contexts", 0}, {"channels", self->channels.size()}}).dump(), room,
                    capacity);
}

constexpr headroom_api kApi = {HEADROOM_ABI_VERSION,
                               sizeof(headroom_api),
                               describe,
                               create,
                               [](headroom_instance* self) { delete self; },
                               each<compress, true>,
                               each<decompress, false>,
                               take<&headroom_instance::own>,
                               take<&headroom_instance::received>,
                               give,
                               nullptr,
                               statistics,
                               nullptr};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
