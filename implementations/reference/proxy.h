// SPDX-License-Identifier: Apache-2.0
//
// A proxy stands in front of an instance of the reference and uses what a specification leaves open: it withholds
// feedback, adds padding, is deaf to an option. With it the reference becomes a double (doubles.yaml of each scheme),
// another implementation that is right, which no case may fail.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "scheme.h"

namespace headroom {

// Base of the proxies: hands every call to the instance behind it, packet by packet. A scheme's proxy overrides the
// hooks.
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
  // Before a packet is handed on: may let `in` point to octets of the proxy's own.
  virtual void before(headroom_packet&) {}
  // After it has been handled: may change the output, whose room is `out_capacity`.
  virtual void after(headroom_packet&) {}
  // A reverse packet that the instance wants sent; may be changed. False: it is withheld.
  virtual bool sends(headroom_packet&) { return true; }
  // A reverse packet that has arrived; may be changed as by `before`. False: it is not handed on.
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

// Makes a scheme's proxy in front of an instance. `options` is what {"options": {"proxy": …}} has, `config` the rest of
// the configuration. Throws ConfigError where it does not know an option.
using MakeProxy = std::unique_ptr<headroom_instance> (*)(std::unique_ptr<headroom_instance> behind,
                                                         const nlohmann::json& options, const nlohmann::json& config);

// The proxies by scheme. A source file of each defines a ProxyOf.
inline std::map<std::string_view, MakeProxy>& proxies() {
  static std::map<std::string_view, MakeProxy> all;
  return all;
}
struct ProxyOf {
  ProxyOf(std::string_view scheme, MakeProxy make) { proxies().emplace(scheme, make); }
};

}  // namespace headroom
