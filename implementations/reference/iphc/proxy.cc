// SPDX-License-Identifier: Apache-2.0
//
// What a proxy in front of the IPHC reference does (../proxy.h), by the keys of its options:
//   regular   the compressor lets packets keep their regular headers: "A compressor is also free not to group packets
//             into packet streams for compression" (RFC 2507, 4)
#include "proxy.h"

#include <cstring>

#include "iphc/config.h"

namespace headroom::iphc {
namespace {

class IphcProxy : public Proxy {
 public:
  IphcProxy(std::unique_ptr<headroom_instance> behind, const nlohmann::json& options) : Proxy(std::move(behind)) {
    for (const auto& [key, value] : options.items()) {
      if (key != "regular") throw ConfigError("\"proxy\" in \"options\" has " + key + ", which iphc/proxy.cc lacks");
      regular_ = value.get<bool>();
    }
  }

 protected:
  void before(headroom_packet& packet) override { given_ = packet; }

  void after(headroom_packet& packet) override {
    if (!regular_ || packet.status != HEADROOM_OK || given_.in_length > packet.out_capacity) return;
    std::memcpy(packet.out, given_.in, given_.in_length);
    packet.out_length = given_.in_length;
    packet.out_type = given_.in[0] >> 4 == 6 ? kTypeIpv6 : kTypeIpv4;
  }

 private:
  bool regular_ = false;
  headroom_packet given_{};
};

const ProxyOf kProxy("iphc",
                     [](std::unique_ptr<headroom_instance> behind, const nlohmann::json& options,
                        const nlohmann::json&) -> std::unique_ptr<headroom_instance> {
                       return std::make_unique<IphcProxy>(std::move(behind), options);
                     });

}  // namespace
}  // namespace headroom::iphc
