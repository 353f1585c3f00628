// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: frames from the link, and from the plain side, as a node takes them (frames.h). The first octet chooses
// adapters, tags, feedback, or a stream instead. The adapters, which keep their promises, are not accused of breaking
// one.
#include <array>

#include "fuzz/ports/frames.h"

namespace {

using headroom::Json;
using namespace headroom::node;

constexpr std::size_t kMtu = 600;

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
  Json settings = (choice & 1) != 0 ? Json{{"mode", "O"}, {"mrru", 900}, {"largest_packet", 200}} : Json::object();
  if ((choice & 128) != 0) settings = {{"scheme", "vj"}};  // whose packets travel over PPPoE
  Json more = {{"mtu", {{"plain", kMtu}, {"link", kMtu}}}, {"burst", 8}};
  if ((choice & 2) != 0) more["workers"] = {0, 1};
  if ((choice & 4) != 0) more["feedback"] = "piggybacked";
  return job_of((choice & 8) != 0 ? "null" : "reference", (choice & 8) != 0 ? Json::object() : settings, more);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The fuzzer goes on looking at what they covered when their instances are gone.
  [[maybe_unused]] static const std::array kept = {headroom::Library::open(HEADROOM_LIBRARIES "/null.so", ""),
                                                   headroom::Library::open(HEADROOM_LIBRARIES "/reference.so", "")};
  if (size == 0) return 0;
  End end(job_by(data[0]), (data[0] & 66) == 2 ? 1 : 0);
  forward(end, {data + 1, size - 1}, kMtu);
  return 0;
}
