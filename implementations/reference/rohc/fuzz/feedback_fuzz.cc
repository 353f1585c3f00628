// SPDX-License-Identifier: Apache-2.0
//
// A compressor with live flows, given whatever feedback the input says. On a perfect link every packet must arrive as
// it was, whatever the feedback: a decompressor that has received everything has received what is acknowledged.
//
// Input: configuration octet; which flows live already; then actions: 00-7f feedback of that many octets, given as it
// is; 80-bf a packet of a canned flow with something changed; c0-df well-formed FEEDBACK-2 with a CRC option for a CID,
// all else drawn from the input; e0-ff time goes on, or the compressor begins anew.
#include <cstddef>
#include <cstdint>

#include "rohc/fuzz/input.h"
#include "rohc/v1/test/support/crafted.h"

namespace headroom::rohc::fuzz {
namespace {

class Target {
 public:
  explicit Target(Input& in)
      : in_(in),
        setup_(in.octet()),
        compressor_(config()),
        general_(config()),
        decompressor_(decompressor_config()),
        flows_(canned_flows()) {
    general_.disable_fast_path();
    const unsigned which = in.octet();
    for (unsigned i = 0; i < 6; ++i) {
      for (std::size_t f = 0; f < flows_.size(); ++f) {
        if ((which >> f & 1) != 0) pass(flows_[f].next());
      }
    }
  }

  void run() {
    while (in_.more()) {
      const std::uint8_t action = in_.octet();
      if (action < 0x80) {
        give(in_.take(action));
      } else if (action < 0xc0) {
        packet(action);
      } else if (action < 0xe0) {
        wire::Feedback f = test::feedback_2(static_cast<wire::AckType>(action % 3),
                                            static_cast<wire::Mode>(action >> 3 & 3), in_.two(), in_.octet() % 10);
        const std::uint8_t options = in_.octet();
        f.sn_valid = (options & 1) == 0;
        f.reject = (options & 6) == 6;
        f.context_memory = (options & 24) == 24;
        f.crc = (options & 32) == 0;
        if ((options & 64) != 0) f.clock_ms = in_.octet();
        if ((options & 128) != 0) {
          f.max_jitter = in_.octet();
          f.longest_loss = in_.octet();
        }
        give(test::feedback_element(f, config().channel.large_cids));
      } else if (action < 0xf8) {
        now_ns_ += std::uint64_t{in_.octet()} * 50 * test::kMillisecond;
      } else {
        compressor_.reinitialize();
        general_.reinitialize();
      }
    }
    for (test::SteadyFlow& flow : flows_) pass(flow.next());
  }

 private:
  [[nodiscard]] CompressorConfig config() const {
    CompressorConfig c;
    c.channel.large_cids = (setup_ & 1) != 0;
    c.repeats = 1 + (setup_ >> 1 & 7);
    c.reject_hold_ms = 500;
    c.ir_refresh = {20, 2000};
    c.fo_refresh = {7, 0};
    if ((setup_ & 32) != 0) c.highest_mode = wire::Mode::kReliable;
    if ((setup_ & 16) != 0) c.highest_mode = wire::Mode::kUnidirectional;
    if ((setup_ & 32) != 0) c.timer_ts = (setup_ & 64) != 0 ? TimerTs::kAlways : TimerTs::kNegotiated;
    c.timer_jitter_ms = 0;
    return c;
  }
  [[nodiscard]] DecompressorConfig decompressor_config() const {
    DecompressorConfig d;
    d.channel = config().channel;
    d.clock_ms = 1;
    return d;
  }

  void packet(std::uint8_t action) {
    test::SteadyFlow& flow = flows_[action % kCannedFlows];
    flow.next();
    if ((action & 8) != 0) flow.spec.ip.ttl = in_.octet();
    if ((action & 16) != 0) flow.spec.ip.id = in_.two();
    if ((action & 32) != 0 && flow.spec.rtp) flow.spec.rtp->ts += in_.two();
    pass(flow.spec);
  }

  void give(const test::Packet& elements) {
    compressor_.give_feedback(0, elements, now_ns_);
    general_.give_feedback(0, elements, now_ns_);
  }

  void pass(const test::PacketSpec& spec) {
    now_ns_ += test::kMillisecond;
    const test::Packet packet = build(spec);
    const test::Compressed c = test::compress(compressor_, packet, now_ns_);
    require(c.octets == test::compress(general_, packet, now_ns_).octets,
            "the fast path differs from the general path");
    require(c.status == HEADROOM_OK, "a packet could not be compressed");
    const test::Restored r = test::decompress(decompressor_, c.octets, now_ns_);
    require(r.status == HEADROOM_OK && r.octets == packet, "a packet did not arrive as it was");
    (void)test::take_all(decompressor_.own_feedback());
  }

  Input& in_;
  std::uint8_t setup_;
  Compressor compressor_;
  Compressor general_;
  Decompressor decompressor_;
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
