// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: frames as a node with an endpoint takes them (fuzz/ports/frames.h). The first octet chooses the adapter
// and the side of the users.
#include <array>

#include "fuzz/ports/frames.h"

namespace {

using headroom::Json;
using namespace headroom::node;

constexpr std::size_t kMtu = 600;

// A node with an endpoint, whose users are on one side or the other.
Json job_by(std::uint8_t choice) {
  const char* const adapter = (choice & 8) != 0 ? "/null.so" : "/reference.so";
  Json job = job_of("", Json::object(), {{"mtu", {{"plain", kMtu}, {"link", kMtu}}}, {"burst", 8}});
  job.erase("compressor");
  job.erase("decompressor");
  job["endpoint"] = {{"library", HEADROOM_LIBRARIES + std::string(adapter)},
                     {"config", {{"scheme", "sigcomp"}, {"compartments", 2}}}};
  job["users"] = (choice & 32) != 0 ? "link" : "plain";
  return job;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The fuzzer goes on looking at what they covered when their instances are gone.
  [[maybe_unused]] static const std::array kept = {headroom::Library::open(HEADROOM_LIBRARIES "/null.so", ""),
                                                   headroom::Library::open(HEADROOM_LIBRARIES "/reference.so", "")};
  if (size == 0) return 0;
  End end(job_by(data[0]));
  forward(end, {data + 1, size - 1}, kMtu);
  return 0;
}
