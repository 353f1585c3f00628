// SPDX-License-Identifier: Apache-2.0
//
// A decompressor with live contexts, given whatever the input says: raw packets, and genuine ones with octets altered.
// Beside it runs one that never takes its fast path: both must do the same.
//
// Input: configuration octet; packets per canned flow to begin with (and 08 for R-mode), and which flows; then actions:
// 00-7f a raw packet of that many octets; 80-bf the next genuine packet of a canned flow with a few octets altered;
// c0-ff time goes on, the mode changes, the compressor begins anew.
#include <cstddef>
#include <cstdint>

#include "rohc/fuzz/input.h"

namespace headroom::rohc::fuzz {
namespace {

class Target {
 public:
  explicit Target(Input& in)
      : in_(in),
        setup_(in.octet()),
        compressor_(compressor_config()),
        decompressor_(decompressor_config()),
        general_(decompressor_config()),
        flows_(canned_flows()) {
    general_.disable_fast_path();
    const unsigned packets = in.octet();  // 0-7; with 0x08 the mode to ask for is R
    if ((packets & 8) != 0) set_mode(wire::Mode::kReliable);
    const unsigned which = in.octet();
    for (unsigned i = 0; i < (packets & 7); ++i) {
      for (std::size_t f = 0; f < flows_.size(); ++f) {
        if ((which >> f & 1) != 0) give(genuine(f), 0);
      }
    }
  }

  void run() {
    while (in_.more()) {
      const std::uint8_t action = in_.octet();
      if (action < 0x80) {
        give(in_.take(action), in_.octet() & 1U);
      } else if (action < 0xc0) {
        altered(action);
      } else if (action < 0xe0) {
        now_ns_ += std::uint64_t{in_.octet()} * 7 * test::kMillisecond;
      } else if (action < 0xf0) {
        constexpr wire::Mode kModes[] = {wire::Mode::kUnidirectional, wire::Mode::kOptimistic, wire::Mode::kReliable,
                                         wire::Mode::kReliable};
        set_mode(kModes[action & 3]);
      } else {
        compressor_.reinitialize();
      }
    }
  }

 private:
  [[nodiscard]] CompressorConfig compressor_config() const {
    CompressorConfig config;
    config.channel.channels = 2;
    config.channel.large_cids = (setup_ & 1) != 0;
    config.channel.max_cid = (setup_ & 1) != 0 ? 300 : 15;
    config.highest_mode = wire::Mode::kReliable;
    config.repeats = 2;
    config.ir_refresh = {12, 0};
    config.fo_refresh = {5, 0};
    config.ir_refresh_start = 0;
    return config;
  }
  [[nodiscard]] DecompressorConfig decompressor_config() const {
    DecompressorConfig config;
    config.channel = compressor_config().channel;
    config.mode = (setup_ & 2) != 0 ? wire::Mode::kOptimistic : wire::Mode::kUnidirectional;
    config.repair_reference = (setup_ & 4) == 0;
    config.repair_wraparound = (setup_ & 8) == 0;
    config.nack_every = 1 + (setup_ >> 4 & 3);
    config.nack_unknown_contexts = (setup_ & 0x40) != 0;
    config.ack_updates = (setup_ & 0x80) != 0;
    return config;
  }

  void set_mode(wire::Mode mode) {
    decompressor_.set_mode(mode);
    general_.set_mode(mode);
  }

  test::Packet genuine(std::size_t flow) {
    return test::compress(compressor_, build(flows_[flow].next()), now_ns_).octets;
  }

  void altered(std::uint8_t action) {
    test::PacketSpec& spec = flows_[action % kCannedFlows].spec;
    const std::uint8_t event = in_.octet();
    if ((event & 1) != 0) spec.ip.ttl = in_.octet();
    if ((event & 2) != 0) spec.ip.id = in_.two();
    if ((event & 4) != 0 && spec.rtp) spec.rtp->ts += in_.two();
    if ((event & 8) != 0 && spec.rtp) spec.rtp->sn = in_.two();
    if ((event & 4) != 0 && spec.udp && spec.udp->lite) spec.udp->coverage = in_.octet();
    if ((event & 8) != 0 && spec.esp) spec.esp->sn += in_.two();
    if ((event & 64) != 0) alter_lists(spec, in_);
    if ((event & 16) != 0 && spec.rtp) spec.rtp->payload_type = in_.octet() & 63;
    test::Packet packet = genuine(action % kCannedFlows);
    for (unsigned changes = action >> 3 & 7; changes > 0; --changes) {
      const std::size_t at = in_.octet();
      if (at < packet.size()) packet[at] ^= in_.octet();
    }
    if ((event & 32) == 0) give(packet, 0);  // else lost
  }

  void give(const test::Packet& packet, std::uint32_t channel) {
    now_ns_ += test::kMillisecond;
    const test::Restored a = test::decompress(decompressor_, packet, now_ns_, channel, 200);
    const test::Restored b = test::decompress(general_, packet, now_ns_, channel, 200);
    require(a.status == b.status && a.octets == b.octets, "the fast path differs from the general path");
    require(a.detail.cid == b.detail.cid && a.detail.state == b.detail.state && a.detail.event == b.detail.event &&
                a.detail.mode == b.detail.mode,
            "the fast path leaves another context");
    require(a.status >= HEADROOM_ERR_REPAIR - 1 && a.status <= HEADROOM_NOTHING,
            "a status that decompression does not have");
    const auto feedback = test::take_all(decompressor_.own_feedback());
    require(feedback.size() == test::take_all(general_.own_feedback()).size(), "the fast path sends other feedback");
    for (const test::FeedbackElement& e : feedback) {
      (void)test::read(e, (setup_ & 1) != 0);
      compressor_.give_feedback(e.channel, e.octets, now_ns_);
    }
    for (const test::FeedbackElement& e : test::take_all(decompressor_.received_feedback()))
      compressor_.give_feedback(e.channel, e.octets, now_ns_);
    (void)test::take_all(general_.received_feedback());
  }

  Input& in_;
  std::uint8_t setup_;
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
