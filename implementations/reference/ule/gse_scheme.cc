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

class GseEncapsulatorInstance final : public EncapsulatingInstance<GseEncapsulator> {
 public:
  using EncapsulatingInstance::EncapsulatingInstance;

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
};

class GseReceiverInstance final : public ReceivingInstance<GseReceiver> {
 public:
  using ReceivingInstance::ReceivingInstance;

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
