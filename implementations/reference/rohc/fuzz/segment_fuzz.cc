// SPDX-License-Identifier: Apache-2.0
//
// Segments: a compressor on a link that is too narrow, a decompressor that is given what comes of it, or anything else.
// Beside it runs one that never takes its fast path: both must do the same. What arrives whole must come back whole.
//
// Input: largest link packet, MRRU, whether sizes are padded; then actions: 00-5f a segment of that many octets (odd:
// final); 60-7f a raw packet; 80-ef the next packet of a canned flow, longer or with feedback in front by the next
// octet, some of its link packets left out or damaged; f0-ff time goes on.
#include <cstddef>
#include <cstdint>

#include "rohc/fuzz/input.h"

namespace headroom::rohc::fuzz {
namespace {

class Target {
 public:
  explicit Target(Input& in)
      : in_(in),
        config_(read_config(in)),
        compressor_(config_),
        decompressor_(decompressor_config()),
        general_(decompressor_config()),
        flows_(canned_flows()) {
    general_.disable_fast_path();
  }

  void run() {
    while (in_.more()) {
      const std::uint8_t action = in_.octet();
      if (action < 0x60) {
        test::Packet packet = {static_cast<std::uint8_t>(wire::kSegmentType | (action & 1U))};
        (void)give(test::joined(packet, in_.take(action)));
      } else if (action < 0x80) {
        (void)give(in_.take(action - 0x60U));
      } else if (action < 0xf0) {
        packet(action);
      } else {
        now_ns_ += std::uint64_t{in_.octet()} * test::kMillisecond;
      }
    }
    whole(0, 0);  // and whatever came before, a packet that the link does nothing to arrives
  }

 private:
  static CompressorConfig read_config(Input& in) {
    CompressorConfig config;
    config.largest_packet = std::max<std::uint32_t>(16, in.octet());
    config.channel.mrru = in.two();
    config.ir_refresh = {7, 0};
    config.ir_refresh_start = 0;
    if ((in.octet() & 1) != 0) config.packet_sizes = {16, 40, 100, 300};
    return config;
  }
  [[nodiscard]] DecompressorConfig decompressor_config() const {
    DecompressorConfig config;
    config.channel = config_.channel;
    return config;
  }

  struct Sent {
    test::Packet original;
    std::vector<test::Packet> link;
  };
  Sent send(std::size_t flow, std::uint8_t payload) {
    flows_[flow].spec.payload.resize(10 + payload * 8U, 0x5a);
    Sent sent;
    sent.original = build(flows_[flow].next());
    const test::Compressed out =
        test::compress(compressor_, sent.original, now_ns_, 0, 2 * sent.original.size() + HEADROOM_EXPANSION);
    require(out.status == HEADROOM_OK, "a genuine packet was not compressed");
    sent.link = link_packets_of(out);
    if (!out.more.empty()) {
      require(config_.channel.mrru != 0, "segments where MRRU forbids them");
      for (const test::Packet& p : sent.link) require(p.size() <= config_.largest_packet, "a segment is too long");
    }
    return sent;
  }

  void whole(std::size_t flow, std::uint8_t payload) {
    // Whatever damage there is to its context: an IR packet repairs it.
    compressor_.reinitialize();
    (void)give(test::hex("f1 20"));  // aborts what is left of other segments
    const Sent sent = send(flow, payload);
    test::Restored last;
    for (const test::Packet& p : sent.link) last = give(p);
    require(last.status == HEADROOM_OK && last.octets == sent.original, "a packet that arrived whole did not come out");
  }

  void packet(std::uint8_t action) {
    const std::uint8_t how = in_.octet();
    if ((how & 0x80) != 0) {
      whole(action % kCannedFlows, how & 0x7f);
      return;
    }
    if ((how & 0x40) != 0) (void)compressor_.piggyback(0, test::hex("f1 20"));
    for (test::Packet& p : send(action % kCannedFlows, how & 0x3f).link) {
      const std::uint8_t fate = in_.octet();
      if ((fate & 3) == 1) continue;
      if ((fate & 3) == 2) p[fate % p.size()] ^= static_cast<std::uint8_t>(1U << (fate >> 5));
      (void)give(p);
    }
  }

  test::Restored give(const test::Packet& packet) {
    const std::size_t room = packet.size() + config_.channel.mrru + HEADROOM_EXPANSION;
    const test::Restored a = test::decompress(decompressor_, packet, now_ns_, 0, room);
    const test::Restored b = test::decompress(general_, packet, now_ns_, 0, room);
    require(a.status == b.status && a.octets == b.octets, "the fast path differs from the general path");
    require(
        test::take_all(decompressor_.received_feedback()).size() == test::take_all(general_.received_feedback()).size(),
        "the fast path finds other feedback");
    (void)test::take_all(decompressor_.own_feedback());
    (void)test::take_all(general_.own_feedback());
    return a;
  }

  Input& in_;
  CompressorConfig config_;
  Compressor compressor_;
  Decompressor decompressor_;
  Decompressor general_;
  std::vector<test::SteadyFlow> flows_;
  std::uint64_t now_ns_ = 0;
};

}  // namespace
}  // namespace headroom::rohc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::rohc::fuzz::Input in(data, size);
  headroom::rohc::fuzz::Target(in).run();
  return 0;
}
