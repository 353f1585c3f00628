// SPDX-License-Identifier: Apache-2.0
//
// A proxy stands in front of an instance of the reference and makes use of freedoms in a specification: the proxy
// withholds feedback, adds padding or ignores a feedback option. Reference and proxy together are a double
// (doubles.yaml of each scheme): another correct implementation, which no case may fail.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "scheme.h"

namespace headroom {

// The base class of proxies. Passes every call on to the instance behind the proxy, packet by packet; a scheme's proxy
// overrides the hooks.
class Proxy : public headroom_instance {
 public:
  explicit Proxy(std::unique_ptr<headroom_instance> behind) : behind_(std::move(behind)) {}

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return each(&headroom_instance::compress, packets, count, now_ns, details);
  }
  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) override {
    return each(&headroom_instance::decompress, packets, count, now_ns, details);
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) override {
    const std::size_t filled = behind_->drain(packets, count, now_ns, details);
    for (std::size_t i = 0; i < filled; ++i) after(packets[i]);
    return filled;
  }
  [[nodiscard]] std::uint64_t next_deadline() const override { return behind_->next_deadline(); }
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) override {
    std::size_t kept = 0;
    while (kept < count) {
      const headroom_packet empty = packets[kept];
      if (behind_->take_reverse(packets + kept, 1) == 0) break;
      if (sends(packets[kept])) {
        ++kept;
      } else {
        packets[kept] = empty;
      }
    }
    return kept;
  }
  std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t now_ns) override {
    for (std::size_t i = 0; i < count; ++i) {
      headroom_packet given = packets[i];
      packets[i].out_length = 0;
      packets[i].status = HEADROOM_OK;
      if (!hears(given)) continue;
      behind_->give_reverse(&given, 1, now_ns);
      packets[i].status = given.status;
    }
    return count;
  }
  [[nodiscard]] nlohmann::json statistics() const override { return behind_->statistics(); }
  void control(const nlohmann::json& message) override { behind_->control(message); }
  void disable_fast_path() override { behind_->disable_fast_path(); }

 protected:
  // Called before a packet is passed to the instance. May point `in` to octets that the proxy owns.
  virtual void before(headroom_packet&) {}
  // Called after the instance handled a packet. May change the output, up to `out_capacity` octets.
  virtual void after(headroom_packet&) {}
  // Called for each reverse packet from the instance. May change the packet. Returns false to withhold the packet.
  virtual bool sends(headroom_packet&) { return true; }
  // Called for each reverse packet that arrives for the instance. May change the packet in the same ways as `before`.
  // Returns false to drop the packet.
  virtual bool hears(headroom_packet&) { return true; }

  headroom_instance& behind() noexcept { return *behind_; }

 private:
  using Call = std::size_t (headroom_instance::*)(headroom_packet*, std::size_t, std::uint64_t, headroom_detail*);

  std::size_t each(Call call, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                   headroom_detail* details) {
    for (std::size_t i = 0; i < count; ++i) {
      headroom_packet given = packets[i];
      before(given);
      (behind_.get()->*call)(&given, 1, now_ns, details == nullptr ? nullptr : details + i);
      after(given);
      packets[i].out_length = given.out_length;
      packets[i].status = given.status;
      packets[i].out_type = given.out_type;
      packets[i].more = given.more;
      if (given.more != 0) return i + 1;
    }
    return count;
  }

  std::unique_ptr<headroom_instance> behind_;
};

// Makes a scheme's proxy in front of an instance. `options` is the value of {"options": {"proxy": …}}, `config` the
// rest of the configuration. Throws ConfigError for an unknown option.
using MakeProxy = std::unique_ptr<headroom_instance> (*)(std::unique_ptr<headroom_instance> behind,
                                                         const nlohmann::json& options, const nlohmann::json& config);

// The proxy factories by scheme. Each proxy's source file defines a ProxyOf object, which registers the factory.
inline std::map<std::string_view, MakeProxy>& proxies() {
  static std::map<std::string_view, MakeProxy> all;
  return all;
}
struct ProxyOf {
  ProxyOf(std::string_view scheme, MakeProxy make) { proxies().emplace(scheme, make); }
};

}  // namespace headroom
