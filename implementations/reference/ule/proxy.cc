// SPDX-License-Identifier: Apache-2.0
//
// What a proxy in front of the ULE reference does (../proxy.h), by the keys of its options:
//   test_sndus   the encapsulator sends a Test SNDU, unasked, after each n-th PDU (RFC 4326, 5.1)
//   no_counters  errors are not counted (RFC 4326, 7; RFC 5163, 3)
//   bare_types   the receiver passes IP packets on without their type
#include "proxy.h"

#include <algorithm>

namespace headroom::ule {
namespace {

constexpr std::uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd;

class UleProxy : public Proxy {
 public:
  UleProxy(std::unique_ptr<headroom_instance> behind, const nlohmann::json& options) : Proxy(std::move(behind)) {
    for (const auto& [key, value] : options.items()) {
      if (key == "test_sndus") {
        test_sndus_ = value.get<unsigned>();
      } else if (key == "no_counters") {
        no_counters_ = value.get<bool>();
      } else if (key == "bare_types") {
        bare_types_ = value.get<bool>();
      } else {
        throw ConfigError("\"proxy\" in \"options\" has " + key + ", which ule/proxy.cc lacks");
      }
    }
  }

  [[nodiscard]] nlohmann::json statistics() const override {
    const nlohmann::json all = Proxy::statistics();
    if (!no_counters_) return all;
    return {{"memory_bytes", all.at("memory_bytes")}, {"contexts", all.at("contexts")}};
  }

 protected:
  void before(headroom_packet& packet) override {
    if (test_sndus_ != 0 && ++count_ % test_sndus_ == 0) {
      behind().control({{"send", "test SNDU"}, {"channel", packet.channel}, {"octets", 20}});
    }
  }
  void after(headroom_packet& packet) override {
    if (bare_types_ && (packet.out_type == kIpv4 || packet.out_type == kIpv6)) packet.out_type = HEADROOM_TYPE_DEFAULT;
  }

 private:
  unsigned test_sndus_ = 0;
  bool no_counters_ = false;
  bool bare_types_ = false;
  unsigned count_ = 0;
};

const ProxyOf kProxy("ule",
                     [](std::unique_ptr<headroom_instance> behind, const nlohmann::json& options,
                        const nlohmann::json&) -> std::unique_ptr<headroom_instance> {
                       return std::make_unique<UleProxy>(std::move(behind), options);
                     });

}  // namespace
}  // namespace headroom::ule
