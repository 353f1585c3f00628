// SPDX-License-Identifier: Apache-2.0
//
// Wrong outputs of the reference: an instance changes all outputs of one kind in one way, as {"options": {"wrong":
// {"output": "decompressed", "change": "doubled"}}} says. Behind the change is the ordinary reference, so nothing else
// is wrong. The suite robustness/wrong_outputs expects that the conformance suites notice.
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "changed_adapter.h"

namespace {

using Octets = std::vector<std::uint8_t>;

// The functions that outputs come from: compress, decompress (both with drain), take_reverse, forward, take, take_n4.
constexpr std::string_view kOutputs[] = {"compressed", "decompressed", "reverse", "forwarded", "taken", "n4"};
enum Output : std::size_t { kCompressed, kDecompressed, kReverse, kForwarded, kTaken, kN4 };

// altered ... octets are others: all; of a user plane's packet the second half; of an N4 message the last
// cut ....... the last octet is missing
// refused ... it is an error instead
// dropped ... it is nothing instead
// doubled ... it is sent twice
// delayed ... it is sent a second later
// added ..... 40 octets that mean nothing follow
// passed .... an input that has no output goes on as it came
// aside ..... it is sent on another interface, or to another port
constexpr std::string_view kChanges[] = {"altered", "cut",   "refused", "dropped", "doubled",
                                         "delayed", "added", "passed",  "aside"};
enum Change : std::size_t { kAltered, kCut, kRefused, kDropped, kDoubled, kDelayed, kAdded, kPassed, kAside };

constexpr std::uint64_t kDelay = 1'000'000'000;  // nanoseconds
constexpr std::uint8_t kMask = 0x5A;
const Octets kNonsense(40, kMask);

struct WrongOutput {
  struct Scope {
    explicit Scope(const WrongOutput&) noexcept {}
  };

  // Throws ConfigError if there is no such output or change.
  static WrongOutput take(json& options) {
    WrongOutput wrong;
    const auto found = options.find("wrong");
    if (found == options.end()) return wrong;
    wrong.output = place(*found, "output", kOutputs);
    wrong.change = place(*found, "change", kChanges);
    wrong.exists = true;
    options.erase(found);
    return wrong;
  }

  explicit operator bool() const noexcept { return exists; }
  [[nodiscard]] bool is(Output of, Change how) const noexcept { return output == of && change == how; }

  headroom_instance* wrap(headroom_instance* instance, const json&) const;

  bool exists = false;
  std::size_t output = 0;
  std::size_t change = 0;

 private:
  static std::size_t place(const json& asked, const char* key, std::span<const std::string_view> names) {
    const std::string name = asked.is_object() ? asked.value(key, "") : "";
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) {
      throw headroom::ConfigError("\"wrong\" in \"options\" has no " + std::string(key) +
                                  " that wrong_output.h knows: " + asked.dump());
    }
    return static_cast<std::size_t>(known - names.begin());
  }
};

// An output that waits for `drain`, `take`, `take_n4` or `take_reverse`.
struct Waiting {
  Octets octets;
  std::uint64_t due = 0;
  std::uint32_t channel = 0;
  std::uint16_t type = 0;
  std::int32_t side = 0;
};

void alter(std::span<std::uint8_t> octets) noexcept {
  for (std::uint8_t& octet : octets) octet ^= kMask;
}

class WithWrongOutput : public headroom_instance {
 public:
  WithWrongOutput(headroom_instance* behind, const WrongOutput& wrong) : behind_(behind), wrong_(wrong) {}

  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) override {
    return each(&headroom_instance::compress, kCompressed, packets, count, now_ns, details);
  }
  std::size_t decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                         headroom_detail* details) override {
    return each(&headroom_instance::decompress, kDecompressed, packets, count, now_ns, details);
  }
  std::size_t drain(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details) override {
    std::size_t filled = 0;
    while (filled < count) {
      headroom_packet& packet = packets[filled];
      const headroom_packet empty = packet;
      if (behind_->drain(&packet, 1, now_ns, details == nullptr ? nullptr : details + filled) == 0) break;
      spoil(packet, last_call_, now_ns, nullptr);
      if (packet.status == HEADROOM_NOTHING && wrong_.output == last_call_) {
        packet = empty;
      } else {
        ++filled;
      }
    }
    for (; filled < count && is_due(now_ns); ++filled) {
      fill(packets[filled], next());
      if (details != nullptr) details[filled] = unknown();
    }
    return filled;
  }
  [[nodiscard]] std::uint64_t next_deadline() const override {
    const bool elsewhere = wrong_.output == kN4 || wrong_.output == kReverse;
    return waiting_.empty() || elsewhere ? behind_->next_deadline()
                                         : std::min(behind_->next_deadline(), waiting_.front().due);
  }

  std::size_t take_reverse(headroom_packet* packets, std::size_t count) override {
    std::size_t filled = 0;
    while (filled < count) {
      headroom_packet& packet = packets[filled];
      if (wrong_.is(kReverse, kDoubled) && !waiting_.empty()) {
        fill(packet, next());
        ++filled;
        continue;
      }
      const headroom_packet empty = packet;
      if (behind_->take_reverse(&packet, 1) == 0) break;
      if (wrong_.is(kReverse, kAltered)) alter({packet.out, packet.out_length});
      if (wrong_.is(kReverse, kDoubled)) keep(octets_of(packet), 0, packet.channel, packet.out_type);
      if (wrong_.is(kReverse, kDropped)) {
        packet = empty;
      } else {
        ++filled;
      }
    }
    return filled;
  }
  std::size_t give_reverse(headroom_packet* packets, std::size_t count, std::uint64_t now_ns) override {
    return behind_->give_reverse(packets, count, now_ns);
  }
  [[nodiscard]] json statistics() const override { return behind_->statistics(); }
  void control(const json& message) override { behind_->control(message); }

  void open(std::uint32_t session, const json& settings) override { behind_->open(session, settings); }
  bool close(std::uint32_t session) override { return behind_->close(session); }
  bool accept(std::uint32_t session) override { return behind_->accept(session); }
  [[nodiscard]] headroom_message_detail message_detail() const override { return behind_->message_detail(); }

  headroom_instance* add_worker() override { return new WithWrongOutput(behind_->add_worker(), wrong_); }
  void forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) override;
  std::size_t take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) override;
  void n4(const headroom_n4_message& message, std::uint64_t now_ns) override { behind_->n4(message, now_ns); }
  bool take_n4(headroom_n4_message& message, std::uint64_t now_ns) override;
  [[nodiscard]] std::uint64_t n4_deadline() const override {
    return waiting_.empty() || wrong_.output != kN4 ? behind_->n4_deadline()
                                                    : std::min(behind_->n4_deadline(), waiting_.front().due);
  }
  void disable_fast_path() override { behind_->disable_fast_path(); }

 private:
  using Call = std::size_t (headroom_instance::*)(headroom_packet*, std::size_t, std::uint64_t, headroom_detail*);

  std::size_t each(Call call, Output output, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                   headroom_detail* details) {
    last_call_ = output;
    for (std::size_t i = 0; i < count; ++i) {
      (behind_.get()->*call)(packets + i, 1, now_ns, details == nullptr ? nullptr : details + i);
      spoil(packets[i], output, now_ns, packets + i);
      if (packets[i].more != 0) return i + 1;
    }
    return count;
  }

  // Changes an output of `compress`, `decompress` or `drain`. `given` is the packet that it came of, if it is known.
  void spoil(headroom_packet& packet, Output output, std::uint64_t now_ns, const headroom_packet* given) {
    if (wrong_.output != output) return;
    if (packet.status != HEADROOM_OK) {
      if (wrong_.change != kPassed || given == nullptr || given->in_type == HEADROOM_TYPE_LOST) return;
      packet.status = HEADROOM_OK;
      packet.out_length = std::min(given->in_length, packet.out_capacity);
      std::copy_n(given->in, packet.out_length, packet.out);
      return;
    }
    switch (wrong_.change) {
      case kAltered:
        return alter({packet.out, packet.out_length});
      case kCut:
        packet.out_length -= packet.out_length == 0 ? 0 : 1;
        return;
      case kRefused:
        packet.status = HEADROOM_ERR_UNSUPPORTED;
        packet.out_length = 0;
        return;
      case kAdded:
        keep(kNonsense, now_ns, packet.channel, packet.out_type);
        packet.more = 1;
        return;
      case kDoubled:
        keep(octets_of(packet), now_ns, packet.channel, packet.out_type);
        packet.more = 1;
        return;
      case kDelayed:
        keep(octets_of(packet), now_ns + kDelay, packet.channel, packet.out_type);
        [[fallthrough]];
      case kDropped:
        packet.status = HEADROOM_NOTHING;
        packet.out_length = 0;
        return;
      default:
        return;
    }
  }

  // Changes a packet of `forward` or `take` in its buffer. Returns false if nothing is to be sent in its place.
  bool spoil(headroom_user_packet& packet, std::uint64_t now_ns) {
    switch (wrong_.change) {
      case kAltered:
        alter({packet.octets + packet.length / 2, packet.octets + packet.length});
        return true;
      case kCut:
        packet.length -= packet.length == 0 ? 0 : 1;
        return true;
      case kAdded:
        keep(kNonsense, now_ns, 0, 0, packet.side);
        return true;
      case kDoubled:
        keep({packet.octets, packet.octets + packet.length}, now_ns, 0, 0, packet.side);
        return true;
      case kAside:
        packet.side = packet.side == HEADROOM_N6 ? HEADROOM_N9 : HEADROOM_N6;
        return true;
      case kDelayed:
        keep({packet.octets, packet.octets + packet.length}, now_ns + kDelay, 0, 0, packet.side);
        return false;
      default:
        return wrong_.change != kDropped && wrong_.change != kRefused;
    }
  }

  void keep(Octets octets, std::uint64_t due, std::uint32_t channel, std::uint16_t type, std::int32_t side = 0) {
    waiting_.push_back({std::move(octets), due, channel, type, side});
  }
  [[nodiscard]] bool is_due(std::uint64_t now_ns) const { return !waiting_.empty() && waiting_.front().due <= now_ns; }
  Waiting next() {
    Waiting output = std::move(waiting_.front());
    waiting_.pop_front();
    return output;
  }
  static Octets octets_of(const headroom_packet& packet) { return {packet.out, packet.out + packet.out_length}; }
  static void fill(headroom_packet& packet, const Waiting& output) {
    packet.channel = output.channel;
    packet.out_type = output.type;
    packet.status = HEADROOM_OK;
    packet.out_length = copy(output.octets, packet.out, packet.out_capacity);
  }
  static std::uint32_t copy(const Octets& octets, std::uint8_t* to, std::uint32_t room) {
    const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(octets.size(), room));
    std::copy_n(octets.begin(), length, to);
    return length;
  }
  static headroom_detail unknown() noexcept { return {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFF, 0xFF, 0xFF, 0xFF, 0}; }

  std::unique_ptr<headroom_instance> behind_;
  WrongOutput wrong_;
  Output last_call_ = kCompressed;
  std::deque<Waiting> waiting_;
  headroom_n4_message last_message_{};
};

void WithWrongOutput::forward(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_user_packet& packet = packets[i];
    const Octets given(packet.octets, packet.octets + packet.length);
    const headroom_user_packet before = packet;
    behind_->forward(&packet, 1, now_ns);
    if (wrong_.output != kForwarded) continue;
    if (packet.status == HEADROOM_OK) {
      if (!spoil(packet, now_ns)) {
        packet.status = wrong_.change == kRefused ? HEADROOM_ERR_UNSUPPORTED : HEADROOM_NOTHING;
      }
      if (!waiting_.empty()) packet.more = 1;
    } else if (wrong_.change == kPassed) {
      packet.status = HEADROOM_OK;
      packet.octets = before.octets;
      packet.length = before.length;
      packet.side = before.side;
      std::ranges::copy(given, packet.octets);
    }
  }
}

std::size_t WithWrongOutput::take(headroom_user_packet* packets, std::size_t count, std::uint64_t now_ns) {
  std::size_t filled = 0;
  while (filled < count) {
    headroom_user_packet& packet = packets[filled];
    if (wrong_.output != kN4 && is_due(now_ns)) {
      const Waiting output = next();
      packet.length = copy(output.octets, packet.octets, packet.length);
      packet.side = output.side;
      packet.status = HEADROOM_OK;
      ++filled;
      continue;
    }
    const headroom_user_packet empty = packet;
    if (behind_->take(&packet, 1, now_ns) == 0) break;
    if (wrong_.output == kTaken && !spoil(packet, now_ns)) {
      packet = empty;
    } else {
      ++filled;
    }
  }
  return filled;
}

bool WithWrongOutput::take_n4(headroom_n4_message& message, std::uint64_t now_ns) {
  while (true) {
    if (wrong_.output == kN4 && is_due(now_ns)) {
      message.length = copy(next().octets, message.octets, message.capacity);
      std::copy_n(last_message_.peer, sizeof message.peer, message.peer);
      message.port = last_message_.port;
      return true;
    }
    if (!behind_->take_n4(message, now_ns)) return false;
    if (wrong_.output != kN4) return true;
    last_message_ = message;
    switch (wrong_.change) {
      case kAltered:
        if (message.length > 0) message.octets[message.length - 1] ^= kMask;
        return true;
      case kCut:
        message.length -= message.length == 0 ? 0 : 1;
        return true;
      case kDelayed:
        keep({message.octets, message.octets + message.length}, now_ns + kDelay, 0, 0);
        continue;
      case kDropped:
        continue;
      case kDoubled:
        keep({message.octets, message.octets + message.length}, now_ns, 0, 0);
        return true;
      case kAside:
        message.port ^= 1;
        return true;
      case kAdded:
        keep(kNonsense, now_ns, 0, 0);
        return true;
      default:
        return true;
    }
  }
}

headroom_instance* WrongOutput::wrap(headroom_instance* instance, const json&) const {
  return exists ? new WithWrongOutput(instance, *this) : instance;
}

}  // namespace
