// SPDX-License-Identifier: Apache-2.0
//
// TCP flows and others on one channel, with damaged packets and feedback in between. Beside each end runs one that
// never takes its fast path: both must do the same.
//
// Input: configuration octet; seed of the traffic; then actions: 00-3f a raw packet of that many octets to the
// decompressors; 40-4f raw feedback of so many octets to the compressors; 50-5f feedback of the decompressor on its
// way; 60-6f time goes on; 70 the compressors begin anew; 71-bf the next packet of a flow; c0-ff the same, with octets
// altered or lost.
#include <cstddef>
#include <cstdint>

#include "rohc/fuzz/input.h"
#include "rohc/tcp/test/traffic.h"

namespace headroom::rohc::fuzz {
namespace {

class Target {
 public:
  explicit Target(Input& in)
      : in_(in),
        setup_(in.octet()),
        compressor_(compressor_config()),
        general_compressor_(compressor_config()),
        decompressor_(decompressor_config()),
        general_decompressor_(decompressor_config()),
        others_(canned_flows()) {
    general_compressor_.disable_fast_path();
    general_decompressor_.disable_fast_path();
    const unsigned seed = in.octet();
    for (unsigned n = 0; n < kTcpFlows; ++n) flows_.emplace_back(seed + n, n % tcp::testing::Traffic::kShapes, 4 * n);
  }

  void run() {
    while (in_.more()) {
      const std::uint8_t action = in_.octet();
      if (action < 0x40) {
        give(in_.take(action));
      } else if (action < 0x50) {
        feed(in_.take(action & 15U));
      } else if (action < 0x60) {
        for (const auto& e : test::take_all(decompressor_.own_feedback())) feed(e.octets);
        (void)test::take_all(general_decompressor_.own_feedback());
      } else if (action < 0x70) {
        now_ns_ += std::uint64_t{in_.octet()} * 100 * test::kMillisecond;
      } else if (action == 0x70) {
        compressor_.reinitialize();
        general_compressor_.reinitialize();
      } else {
        pass(action);
      }
    }
  }

 private:
  static constexpr unsigned kTcpFlows = 24;

  [[nodiscard]] CompressorConfig compressor_config() const {
    CompressorConfig c;
    c.channel.profiles.tcp = true;
    c.channel.large_cids = (setup_ & 1) != 0;
    c.channel.max_cid = (setup_ & 2) != 0 ? 2 : (setup_ & 1) != 0 ? 300 : 15;
    c.repeats = 1 + (setup_ >> 2 & 3);
    c.ir_refresh = {30, 9000};
    c.fo_refresh = {9, 3000};
    return c;
  }
  [[nodiscard]] DecompressorConfig decompressor_config() const {
    DecompressorConfig d;
    d.channel = compressor_config().channel;
    d.mode = (setup_ & 16) != 0 ? wire::Mode::kUnidirectional : wire::Mode::kOptimistic;
    d.nack_every = 1 + (setup_ >> 5 & 3);
    d.most_contexts = (setup_ & 128) != 0 ? 7 : 0;
    return d;
  }

  void pass(std::uint8_t action) {
    const std::uint8_t which = in_.octet();
    const test::Packet packet =
        (which & 0x80) != 0 ? build(others_[which % kCannedFlows].next()) : flows_[which % kTcpFlows].next();
    const test::Compressed a = test::compress(compressor_, packet, now_ns_),
                           b = test::compress(general_compressor_, packet, now_ns_);
    require(a.status == b.status && a.octets == b.octets, "the compressor's fast path makes other octets");
    require(a.status == HEADROOM_OK, "a packet was not compressed");
    test::Packet link = a.octets;
    if (action >= 0xc0) {
      if ((action & 7) == 0) return;
      for (unsigned changes = action & 7; changes > 0; --changes) {
        const std::size_t at = in_.octet();
        if (at < link.size()) link[at] ^= in_.octet();
      }
    }
    give(link);
  }

  void give(const test::Packet& packet) {
    now_ns_ += test::kMillisecond;
    const test::Restored a = test::decompress(decompressor_, packet, now_ns_),
                         b = test::decompress(general_decompressor_, packet, now_ns_);
    require(a.status == b.status && a.octets == b.octets, "the decompressor's fast path restores another packet");
    require(a.detail.state == b.detail.state && a.detail.event == b.detail.event &&
                a.detail.profile == b.detail.profile && a.detail.packet_type == b.detail.packet_type,
            "the decompressor's fast path leaves another context");
  }

  void feed(const test::Packet& elements) {
    compressor_.give_feedback(0, elements, now_ns_);
    general_compressor_.give_feedback(0, elements, now_ns_);
  }

  Input& in_;
  std::uint8_t setup_;
  Compressor compressor_, general_compressor_;
  Decompressor decompressor_, general_decompressor_;
  std::vector<test::SteadyFlow> others_;
  std::vector<tcp::testing::Traffic> flows_;
  std::uint64_t now_ns_ = 0;
};

}  // namespace
}  // namespace headroom::rohc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headroom::rohc::fuzz::Input in(data, size);
  headroom::rohc::fuzz::Target(in).run();
  return 0;
}
