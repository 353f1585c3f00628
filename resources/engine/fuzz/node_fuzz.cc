// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: frames from the link, and from the plain side, as a node takes them. The first octet chooses adapters,
// tags, feedback, or an endpoint or a stream instead; then follow frames, each behind two octets with its side and
// length. Whatever comes, no frame is lost sight of or longer than its MTU, and the adapters, which keep their
// promises, are not accused of breaking one.
#include <array>
#include <utility>

#include "tests/ports/node_frames.h"

namespace {

using headroom::Json;
using headroom::Octets;
using namespace headroom::node;

constexpr std::size_t kMtu = 600;

// A node with an endpoint, whose users are on one side or the other.
Json sip_job_by(std::uint8_t choice) {
  const char* const adapter = (choice & 8) != 0 ? "/null.so" : "/reference.so";
  Json job = job_of("", Json::object(), {{"mtu", {{"plain", kMtu}, {"link", kMtu}}}, {"burst", 8}});
  job.erase("compressor");
  job.erase("decompressor");
  job["endpoint"] = {{"library", HEADROOM_LIBRARIES + std::string(adapter)},
                     {"config", {{"scheme", "sigcomp"}, {"compartments", 2}}}};
  job["users"] = (choice & 32) != 0 ? "link" : "plain";
  return job;
}

// A node whose link side is datagrams, of whole frames or of IP packets.
Json stream_job_by(std::uint8_t choice) {
  Json job = job_of("", Json::object(), {{"mtu", {{"plain", kMtu}, {"link", kMtu}}}, {"burst", 8}});
  job["compressor"] = job["decompressor"] = {{"library", HEADROOM_LIBRARIES "/reference.so"},
                                             {"config", {{"scheme", "ule"}, {"mrru", 2000}}}};
  job["stream"] = {{"send", {{"address", "239.1.1.1"}, {"port", 5000}, {"source", "10.9.0.1"}, {"packets", 3}}},
                   {"receive", {{"address", "239.1.1.2"}, {"port", 5000}}},
                   {"carry", (choice & 1) != 0 ? "ip" : "frames"}};
  if ((choice & 4) != 0) job["stream"]["send"]["rate_bps"] = 1'000'000;
  return job;
}

Json job_by(std::uint8_t choice) {
  if ((choice & 64) != 0) return stream_job_by(choice);
  if ((choice & 16) != 0) return sip_job_by(choice);
  const Json settings =
      (choice & 1) != 0 ? Json{{"mode", "O"}, {"mrru", 900}, {"largest_packet", 200}} : Json::object();
  Json more = {{"mtu", {{"plain", kMtu}, {"link", kMtu}}}, {"burst", 8}};
  if ((choice & 2) != 0) more["workers"] = {0, 1};
  if ((choice & 4) != 0) more["feedback"] = "piggybacked";
  return job_of((choice & 8) != 0 ? "null" : "reference", (choice & 8) != 0 ? Json::object() : settings, more);
}

void check(const std::vector<Octets>& frames) {
  for (const Octets& frame : frames) {
    if (look(frame).packet > kMtu) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The fuzzer goes on looking at what they covered when their instances are gone.
  [[maybe_unused]] static const std::array kept = {headroom::Library::open(HEADROOM_LIBRARIES "/null.so", ""),
                                                   headroom::Library::open(HEADROOM_LIBRARIES "/reference.so", "")};
  if (size == 0) return 0;
  End end(job_by(data[0]), (data[0] & 82) == 2 ? 1 : 0);
  headroom::OctetView rest(data + 1, size - 1);
  std::vector<Octets> frames;
  for (bool plain = false; rest.size() >= 2;) {
    const std::size_t length = std::min<std::size_t>(headroom::load16(rest.data()) & 0x07FF, rest.size() - 2);
    const bool other_side = ((rest[0] & 0x80) != 0) != plain;
    if (other_side) check(plain ? end.to_link(std::exchange(frames, {})) : end.to_plain(std::exchange(frames, {})));
    plain ^= other_side;
    frames.emplace_back(rest.begin() + 2, rest.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(2 + length);
    end.now_ns += 4'000'000;
    end.act();
  }
  check(end.to_link(frames));
  check(end.to_plain(frames));
  check(end.link.frames());
  if (end.store.out() != 0) __builtin_trap();
  return 0;
}
