// SPDX-License-Identifier: Apache-2.0
//
// What a proxy in front of the ROHC reference does (proxy.h), by the keys of its options:
//   padding       octets of padding in front of every packet that the compressor sends (RFC 5795, 5.2)
//   acks_one_of   the decompressor sends the last of so many ACKs of U- and O-mode for a CID (RFC 3095, 5.7.6)
//   feedback_1    ACKs that need neither mode nor CRC go as FEEDBACK-1 (RFC 3095, 5.7.6.1)
//   deaf_to       of what arrives, the compressor does not use "acks" (those without a CRC option; not in R-mode, whose
//                 confidence is based on them; RFC 3095, 5.4.1.1 and 5.5.1.1.1) or "advice" (LOSS, JITTER, CLOCK,
//                 REJECT and CONTEXT_MEMORY; RFC 3095, 5.7.6.4 and 5.7.6.7 to 5.7.6.9)
#include "proxy.h"

#include <array>
#include <cstring>
#include <map>
#include <string>

#include "rohc/tcp/wire/feedback.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc {
namespace {

constexpr std::uint8_t kPadding = 0xe0;  // RFC 5795, 5.2.1

class RohcProxy : public Proxy {
 public:
  RohcProxy(std::unique_ptr<headroom_instance> behind, const nlohmann::json& options, const nlohmann::json& config)
      : Proxy(std::move(behind)),
        large_cids_(config.value("cids", "small") == "large"),
        in_u_mode_(config.value("mode", "U") == "U"),
        is_tcp_alone_(has_tcp_alone(config)) {
    for (const auto& [key, value] : options.items()) {
      if (key == "padding") {
        padding_ = value.get<std::size_t>();
      } else if (key == "acks_one_of") {
        acks_one_of_ = value.get<unsigned>();
      } else if (key == "feedback_1") {
        feedback_1_ = value.get<bool>();
      } else if (key == "deaf_to" && value == "acks") {
        deaf_to_acks_ = config.value("mode", "U") != "R";
      } else if (key == "deaf_to" && value == "advice") {
        deaf_to_advice_ = true;
      } else {
        throw ConfigError("\"proxy\" in \"options\" has " + key + ": " + value.dump() + ", which rohc/proxy.cc lacks");
      }
    }
  }

 protected:
  void after(headroom_packet& packet) override {
    if (padding_ == 0 || packet.status != HEADROOM_OK || packet.out_length + padding_ > packet.out_capacity) return;
    std::memmove(packet.out + padding_, packet.out, packet.out_length);
    std::memset(packet.out, kPadding, padding_);
    packet.out_length += static_cast<std::uint32_t>(padding_);
  }

  bool sends(headroom_packet& packet) override {
    if (packet.out_type != HEADROOM_REVERSE_FAR || is_tcp_alone_) return true;
    std::array<std::uint8_t, HEADROOM_REVERSE_MAX> copy;
    const std::size_t length =
        rewrite({packet.out, packet.out_length}, copy, [&](wire::Feedback& one) { return sends(packet.channel, one); });
    std::memcpy(packet.out, copy.data(), length);
    packet.out_length = static_cast<std::uint32_t>(length);
    return length != 0;
  }

  bool hears(headroom_packet& packet) override {
    if (packet.in_type != HEADROOM_REVERSE_NEAR || (is_tcp_alone_ && !deaf_to_acks_)) return true;
    const Octets elements{packet.in, packet.in_length};
    const std::size_t length = is_tcp_alone_
                                   ? without_tcp_acks(elements)
                                   : rewrite(elements, heard_, [&](wire::Feedback& one) { return hears(one); });
    packet.in = heard_.data();
    packet.in_length = static_cast<std::uint32_t>(length);
    return length != 0;
  }

 private:
  // True if all feedback is in the formats of profile 0x0006: no other profile of the channel has feedback of its own.
  static bool has_tcp_alone(const nlohmann::json& config) {
    bool tcp = false;
    for (const auto& profile : config.value("profiles", nlohmann::json::array())) {
      tcp = tcp || profile == "0x0006";
      if (profile != "0x0006" && profile != "0x0000") return false;
    }
    return tcp;
  }

  // Copies feedback elements of profile 0x0006 but for acknowledgements (RFC 6846, 8.3.1).
  std::size_t without_tcp_acks(Octets elements) {
    wire::Reader in(elements);
    wire::Writer out(heard_);
    while (in.remaining() != 0) {
      const std::uint8_t* const begin = in.position();
      const auto element = wire::read_feedback_element(in);
      const auto data = element ? wire::read_feedback_cid(*element, large_cids_) : std::nullopt;
      if (!data) break;
      const auto feedback = tcp::read_feedback(data->all, data->all.size() - data->feedback.size());
      if (!feedback || feedback->ack != tcp::AckType::kAck)
        out.octets({begin, static_cast<std::size_t>(in.position() - begin)});
    }
    return out.size();
  }

  // Copies feedback elements, each as `change` has it; those for which it returns false, and no others, are left out.
  template <typename Change>
  std::size_t rewrite(Octets elements, std::span<std::uint8_t> room, Change change) {
    wire::Reader in(elements);
    wire::Writer out(room);
    while (in.remaining() != 0) {
      const std::uint8_t* const begin = in.position();
      const auto data = wire::read_feedback_element(in);
      const auto feedback = data ? wire::read_feedback(*data, large_cids_) : std::nullopt;
      if (!feedback) {  // for the instance to refuse
        const auto length = static_cast<std::size_t>(in.position() - begin);
        for (std::size_t i = 0; i < length; ++i) out.octet(begin[i]);
        if (!data) break;
        continue;
      }
      wire::Feedback changed = *feedback;
      if (change(changed)) wire::write_feedback_element(out, large_cids_, changed);
    }
    return out.size();
  }

  bool sends(std::uint32_t channel, wire::Feedback& one) {
    if (one.ack != wire::AckType::kAck || one.mode == wire::Mode::kReliable) return true;
    if (acks_one_of_ > 1 && ++acks_[{channel, one.cid}] % acks_one_of_ != 0) return false;
    const bool bare = (!one.crc || in_u_mode_) && !one.clock_ms && !one.max_jitter && !one.longest_loss && one.sn_valid;
    if (feedback_1_ && !one.one && bare && one.sn_width == 12) {
      one.one = true;
      one.crc = false;
      one.sn &= 0xffU;
      one.sn_width = 8;
    }
    return true;
  }

  bool hears(wire::Feedback& one) const {
    if (deaf_to_acks_ && one.ack == wire::AckType::kAck && !one.crc) return false;
    if (deaf_to_advice_) {
      one.context_memory = false;
      one.clock_ms = one.max_jitter = one.longest_loss = std::nullopt;
    }
    return true;
  }

  bool large_cids_;
  bool in_u_mode_;     // the decompressor asks for no other mode, so that no ACK needs a CRC
  bool is_tcp_alone_;  // besides profile 0x0000
  std::size_t padding_ = 0;
  unsigned acks_one_of_ = 1;
  bool feedback_1_ = false;
  bool deaf_to_acks_ = false;
  bool deaf_to_advice_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> acks_;  // by channel and CID
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> heard_{};
};

const ProxyOf kProxy("rohc",
                     [](std::unique_ptr<headroom_instance> behind, const nlohmann::json& options,
                        const nlohmann::json& config) -> std::unique_ptr<headroom_instance> {
                       return std::make_unique<RohcProxy>(std::move(behind), options, config);
                     });

}  // namespace
}  // namespace headroom::rohc
