// SPDX-License-Identifier: Apache-2.0
//
// The processing of bursts, which the instances of all encapsulations share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cxx/calls.h"
#include "headroom.h"
#include "scheme.h"
#include "ule/config.h"

namespace headroom::ule {

// Makes an instance for Encapsulation::gse. Throws ConfigError.
[[nodiscard]] headroom_instance* make_gse(std::int32_t role, const Config& config);

// Processes a burst, in both roles. Calls `one` for each packet that has octets and a valid channel; `one` returns the
// packet's status. Returns the number of processed packets.
template <typename One>
std::size_t each(headroom_packet* packets, std::size_t count, std::uint32_t channels, headroom_detail* details,
                 One&& one) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    headroom_detail* const detail = details != nullptr ? details + i : nullptr;
    if (detail != nullptr) *detail = kUnknown;
    p.out_length = 0;
    if (p.channel >= channels) {
      p.status = HEADROOM_ERR_CHANNEL;
    } else if (p.in_length == 0) {
      p.status = p.in_type == HEADROOM_TYPE_LOST ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
    } else {
      p.status = one(p, detail);
    }
    if (p.more != 0) return i + 1;
  }
  return count;
}

// Fills records of `drain` by calling `next` until it returns false. Returns the number of filled records.
template <typename Next>
std::size_t drain_into(headroom_packet* packets, std::size_t count, headroom_detail* details, Next&& next) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_detail* const detail = details != nullptr ? details + i : nullptr;
    if (detail != nullptr) *detail = kUnknown;
    if (!next(packets[i], detail)) return i;
  }
  return count;
}

// The functions that all instances with an encapsulator, and all instances with a receiver, share.
template <typename Encapsulator>
class EncapsulatingInstance : public headroom_instance {
 public:
  explicit EncapsulatingInstance(const Config& config) : encapsulator_(config), channels_(config.channels) {}

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

 protected:
  Encapsulator encapsulator_;
  std::uint32_t channels_;
};

template <typename Receiver>
class ReceivingInstance : public headroom_instance {
 public:
  explicit ReceivingInstance(const Config& config) : receiver_(config), channels_(config.channels) {}

  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t,
                         headroom_detail* details) override {
    return each(packets, count, channels_, details,
                [&](headroom_packet& p, headroom_detail* detail) { return receiver_.receive(p, detail); });
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail* details) override {
    return drain_into(packets, count, details,
                      [&](headroom_packet& p, headroom_detail* detail) { return receiver_.drain(p, detail); });
  }
  void control(const nlohmann::json&) override {
    throw ConfigError("there is no message that this scheme understands");
  }

 protected:
  Receiver receiver_;
  std::uint32_t channels_;
};

}  // namespace headroom::ule
