// SPDX-License-Identifier: Apache-2.0
//
// The instances of Encapsulation::gse.
#include "scheme.h"
#include "ule/gse_encapsulator.h"
#include "ule/gse_receiver.h"
#include "ule/instances.h"

namespace headroom::ule {
namespace {

using nlohmann::json;

class GseEncapsulatorInstance final : public headroom_instance {
 public:
  explicit GseEncapsulatorInstance(const Config& config) : encapsulator_(config), channels_(config.channels) {}

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return each(packets, count, channels_, details, [&](headroom_packet& p, headroom_detail* detail) {
      return encapsulator_.encapsulate(p, now_ns, detail);
    });
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) override {
    return drain_into(packets, count, details,
                      [&](headroom_packet& p, headroom_detail*) { return encapsulator_.drain(p, now_ns); });
  }
  [[nodiscard]] std::uint64_t next_deadline() const override { return encapsulator_.next_deadline(); }

  [[nodiscard]] json statistics() const override {
    const GseEncapsulatorCounters& n = encapsulator_.counters();
    return {{"memory_bytes", encapsulator_.memory_bytes()},
            {"contexts", encapsulator_.channels_in_use()},
            {"pdus", n.pdus},
            {"gse_packets", n.gse_packets},
            {"fragmented", n.fragmented},
            {"frames", n.frames},
            {"fill_octets", n.fill},
            {"thresholds", n.thresholds},
            {"refused", n.refused}};
  }
  void control(const json&) override {
    throw ConfigError("with GSE there is no message that an encapsulator understands");
  }

 private:
  GseEncapsulator encapsulator_;
  std::uint32_t channels_;
};

class GseReceiverInstance final : public headroom_instance {
 public:
  explicit GseReceiverInstance(const Config& config) : receiver_(config), channels_(config.channels) {}

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t,
                         headroom_detail* details) override {
    return each(packets, count, channels_, details,
                [&](headroom_packet& p, headroom_detail* detail) { return receiver_.receive(p, detail); });
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail* details) override {
    return drain_into(packets, count, details,
                      [&](headroom_packet& p, headroom_detail* detail) { return receiver_.drain(p, detail); });
  }

  [[nodiscard]] json statistics() const override {
    const GseReceiverCounters& n = receiver_.counters();
    return {{"memory_bytes", receiver_.memory_bytes()},
            {"contexts", receiver_.channels_in_use()},
            {"frames", n.frames},
            {"gse_packets", n.gse_packets},
            {"delivered", n.delivered},
            {"header_crc_errors", n.header_crc_errors},
            {"unsupported_frames", n.unsupported_frames},
            {"other_streams", n.other_streams},
            {"length_errors", n.length_errors},
            {"label_errors", n.label_errors},
            {"crc_errors", n.crc_errors},
            {"type_errors", n.type_errors},
            {"orphans", n.orphans},
            {"discarded", n.discarded},
            {"unmatched_addresses", n.unmatched_addresses}};
  }
  void control(const json&) override { throw ConfigError("there is no message that this scheme understands"); }

 private:
  GseReceiver receiver_;
  std::uint32_t channels_;
};

}  // namespace

headroom_instance* make_gse(std::int32_t role, const Config& config) {
  if (config.channels > kMostStreams) {
    throw ConfigError("with GSE there are at most " + std::to_string(kMostStreams) +
                      " channels: an input stream identifier has 8 bits");
  }
  if (role == HEADROOM_COMPRESSOR) return new GseEncapsulatorInstance(config);
  return new GseReceiverInstance(config);
}

}  // namespace headroom::ule
