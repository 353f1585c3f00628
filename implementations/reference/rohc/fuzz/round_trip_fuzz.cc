// SPDX-License-Identifier: Apache-2.0
//
// Arbitrary packets through compressor and decompressor over a perfect link with feedback: every packet must arrive as
// it was, and nothing else may be delivered. Beside the compressor runs one that never takes its fast path: both must
// make the same octets.
//
// Input: configuration octet; an octet whose lowest bit asks for R-mode; then actions: 00-3f a raw packet, its length
// in the next octet; 40-bf a packet of a canned flow with a few octets altered, checksum of the first IPv4 header
// mended on demand; c0-ff pauses, or the decompressor asks for another mode.
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
        compressor_(config()),
        general_(config()),
        decompressor_(decompressor_config()),
        flows_(canned_flows()) {
    general_.disable_fast_path();
    if ((in.octet() & 1) != 0) decompressor_.set_mode(wire::Mode::kReliable);
  }

  void run() {
    while (in_.more()) {
      const std::uint8_t action = in_.octet();
      if (action < 0x40) {
        pass(in_.take(in_.octet()));
      } else if (action < 0xc0) {
        altered(action);
      } else if (action < 0xf0) {
        now_ns_ += std::uint64_t{in_.octet()} * 100 * test::kMillisecond;
      } else {
        constexpr wire::Mode kModes[] = {wire::Mode::kUnidirectional, wire::Mode::kOptimistic, wire::Mode::kReliable,
                                         wire::Mode::kReliable};
        decompressor_.set_mode(kModes[action & 3]);
      }
    }
  }

 private:
  [[nodiscard]] CompressorConfig config() const {
    CompressorConfig c;
    c.channel.large_cids = (setup_ & 1) != 0;
    c.channel.max_cid = (setup_ & 2) != 0 ? 2 : 15;
    c.highest_mode = wire::Mode::kReliable;
    c.repeats = 1 + (setup_ >> 2 & 7);
    c.ir_refresh = {30, 0};
    c.fo_refresh = {9, 3000};
    c.ip_id_largest_step = (setup_ & 32) != 0 ? 1000 : 64;
    if ((setup_ & 64) != 0) c.packet_sizes = {20, 40, 41, 100, 300};
    return c;
  }
  [[nodiscard]] DecompressorConfig decompressor_config() const {
    DecompressorConfig d;
    d.channel = config().channel;
    d.mode = (setup_ & 128) != 0 ? wire::Mode::kOptimistic : wire::Mode::kUnidirectional;
    d.ack_updates = d.mode == wire::Mode::kOptimistic;
    return d;
  }

  void altered(std::uint8_t action) {
    test::SteadyFlow& flow = flows_[action % kCannedFlows];
    const std::uint8_t event = in_.octet();
    if ((event & 1) == 0) flow.next();
    if ((event & 2) != 0 && flow.spec.rtp) flow.spec.rtp->sn = in_.two();
    if ((event & 4) != 0 && flow.spec.rtp) flow.spec.rtp->ts = static_cast<std::uint32_t>(in_.two()) << 16 | in_.two();
    if ((event & 8) != 0) flow.spec.ip.id = in_.two();
    if ((event & 2) != 0 && flow.spec.esp) flow.spec.esp->sn = static_cast<std::uint32_t>(in_.two()) << 16 | in_.two();
    if ((event & 16) != 0 && flow.spec.udp) alter_checksum(*flow.spec.udp);
    if ((event & 32) != 0) flow.spec.payload.resize(in_.octet());
    if ((event & 128) != 0) alter_lists(flow.spec, in_);
    test::Packet packet = build(flow.spec);
    for (unsigned changes = action >> 3 & 7; changes > 0; --changes) {
      const std::size_t at = in_.octet();
      if (at < packet.size()) packet[at] = in_.octet();
    }
    if ((event & 64) != 0 && packet.size() >= 20 && packet[0] >> 4 == 4) test::mend_ipv4_checksum(packet);
    pass(packet);
  }

  void alter_checksum(test::UdpFields& udp) {
    udp.checksum = !udp.checksum;
    if (!udp.lite) return;
    const std::uint8_t coverage = in_.octet();
    udp.coverage = coverage < 0x80 ? std::optional<std::uint16_t>(coverage) : std::nullopt;
  }

  void pass(const test::Packet& packet) {
    now_ns_ += test::kMillisecond;
    const test::Compressed c = test::compress(compressor_, packet, now_ns_);
    const test::Compressed g = test::compress(general_, packet, now_ns_);
    require(c.status == g.status && c.octets == g.octets, "the fast path differs from the general path");
    if (packet.empty()) return;
    require(c.status == HEADROOM_OK, "a packet could not be compressed");
    const test::Restored r = test::decompress(decompressor_, c.octets, now_ns_);
    require(r.status == HEADROOM_OK && r.octets == packet, "a packet did not arrive as it was");
    for (const test::FeedbackElement& e : test::take_all(decompressor_.own_feedback())) {
      compressor_.give_feedback(e.channel, e.octets, now_ns_);
      general_.give_feedback(e.channel, e.octets, now_ns_);
    }
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
