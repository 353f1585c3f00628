// SPDX-License-Identifier: Apache-2.0
//
// Frames of a fuzzer for one end of a link: each behind two octets with its side and length.
#ifndef HEADROOM_FUZZ_PORTS_FRAMES_H
#define HEADROOM_FUZZ_PORTS_FRAMES_H

#include <utility>

#include "tests/ports/node_frames.h"

namespace headroom::node {

inline void check_lengths(const std::vector<Octets>& frames, std::size_t mtu) {
  for (const Octets& frame : frames) {
    if (find_parts(frame).packet > mtu) __builtin_trap();
  }
}

// Whatever comes, no frame is lost sight of or longer than `mtu`, which is that of both sides.
inline void forward(End& end, OctetView rest, std::size_t mtu) {
  std::vector<Octets> frames;
  for (bool plain = false; rest.size() >= 2;) {
    const std::size_t length = std::min<std::size_t>(load16(rest.data()) & 0x07FF, rest.size() - 2);
    const bool other_side = ((rest[0] & 0x80) != 0) != plain;
    if (other_side) {
      const std::vector<Octets> burst = std::exchange(frames, {});
      check_lengths(plain ? end.to_link(burst) : end.to_plain(burst), mtu);
    }
    plain ^= other_side;
    frames.emplace_back(rest.begin() + 2, rest.begin() + 2 + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(2 + length);
    end.now_ns += 4'000'000;
    end.act();
  }
  check_lengths(end.to_link(frames), mtu);
  check_lengths(end.to_plain(frames), mtu);
  check_lengths(end.link.frames(), mtu);
  if (end.store.out() != 0) __builtin_trap();
}

}  // namespace headroom::node

#endif  // HEADROOM_FUZZ_PORTS_FRAMES_H
