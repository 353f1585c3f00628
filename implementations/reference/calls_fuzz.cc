// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: any calls of the ABI, in any order that headroom.h allows, with any octets, to instances of the
// configurations in a file (`calls_configurations`). Each buffer is memory of its own, as long as the call says and
// freed when it returns, so that AddressSanitizer sees what is touched beyond its ends, or later. The program prints
// the number of its calls when it ends.
//
// Input: an octet that chooses the configuration; then steps, each an octet that says what, one that says how, and what
// the step needs besides (see `Target::step`).
//
// File: a list of objects. "roles": those of the instances, of which packets go from one to the next; "config": their
// configuration; "types": types of link packets that the link layer may name; "controls": messages for `control`.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "headroom_user_plane.h"

// The path of the file, which each scheme has in a source that CMake makes.
extern const char* const calls_configurations;

namespace {

using nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

constexpr int kMostSteps = 48;  // so that an input ends soon
constexpr int kMostOutputs = 20'000;
constexpr std::uint32_t kSessions = 3;  // that steps name; as many are open at first as the configuration allows

std::uint64_t calls = 0;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "a promise of the ABI is broken: %s\n", what);
  std::abort();
}

const headroom_api& api() {
  ++calls;
  return *headroom_implementation();
}

template <typename Functions>
const Functions* extension(const char* name) {
  static const auto* const functions = static_cast<const Functions*>(headroom_implementation()->extension(name));
  return functions;
}
const headroom_user_plane& plane() {
  ++calls;
  return *extension<headroom_user_plane>(HEADROOM_USER_PLANE_EXTENSION);
}

// What is left of the input; zeros behind its end.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> octets) : rest_(octets) {}
  [[nodiscard]] bool is_over() const noexcept { return rest_.empty(); }
  std::uint8_t octet() noexcept {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::size_t two() noexcept {
    const std::size_t high = octet();
    return high << 8 | octet();
  }
  Bytes octets(std::size_t count) {
    const auto taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

 private:
  std::span<const std::uint8_t> rest_;
};

// Memory of exactly so many octets.
class Block {
 public:
  explicit Block(std::size_t size) : octets_(new std::uint8_t[size]), size_(size) {}
  explicit Block(const Bytes& content) : Block(content.size()) {
    std::copy(content.begin(), content.end(), octets_.get());
  }
  [[nodiscard]] std::uint8_t* data() const noexcept { return octets_.get(); }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(size_); }

 private:
  std::unique_ptr<std::uint8_t[]> octets_;
  std::size_t size_;
};

struct LinkPacket {
  Bytes octets;
  std::uint16_t type = 0;
};

// What a step says besides what it is about, from its second octet.
struct How {
  std::uint8_t bits;
  [[nodiscard]] bool turns() const noexcept { return (bits & 1) != 0; }  // the instance is the next one
  [[nodiscard]] bool has_little_room() const noexcept { return (bits & 2) != 0; }
  [[nodiscard]] bool loses() const noexcept { return (bits & 4) != 0; }
  [[nodiscard]] bool damages() const noexcept { return (bits & 8) != 0; }
  [[nodiscard]] bool is_silent() const noexcept { return (bits & 16) != 0; }  // nothing goes back
  [[nodiscard]] bool wants_details() const noexcept { return (bits & 32) != 0; }
  [[nodiscard]] std::uint32_t session() const noexcept { return bits >> 6; }  // or channel
};

// An instance, and the calls for it.
class Instance {
 public:
  Instance(std::int32_t role, const std::string& config, std::size_t mrru) : role_(role), mrru_(mrru) {
    Block error(200);
    const Block text(Bytes(config.c_str(), config.c_str() + config.size() + 1));
    self_ = api().create(role, reinterpret_cast<const char*>(text.data()), reinterpret_cast<char*>(error.data()),
                         error.size());
    require(self_ != nullptr, reinterpret_cast<const char*>(error.data()));
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() { api().destroy(self_); }

  [[nodiscard]] std::int32_t role() const noexcept { return role_; }

  // Outputs of a packet, those of `drain` included.
  std::vector<LinkPacket> process(bool compresses, const LinkPacket& in, std::uint32_t channel, std::uint32_t source,
                                  std::size_t room, bool has_details, std::uint64_t now) {
    const Block octets(in.octets);
    std::vector<LinkPacket> outputs;
    headroom_packet p{};
    p.in = octets.data();
    p.in_length = octets.size();
    p.in_type = in.type;
    p.channel = channel;
    p.source = source;
    {
      const Block out(room);
      const std::unique_ptr<headroom_detail> detail(has_details ? new headroom_detail{} : nullptr);
      p.out = out.data();
      p.out_capacity = out.size();
      const auto call = compresses ? api().compress : api().decompress;
      require(call(self_, &p, 1, now, detail.get()) == 1, "one packet is handled");
      keep(p, outputs);
    }
    look();
    room_ = room;
    if (p.more != 0) drain(now, outputs);
    return outputs;
  }

  void drain(std::uint64_t now, std::vector<LinkPacket>& outputs) {
    const Block out(room_);
    for (int count = 0;; ++count) {
      require(count < kMostOutputs, "drain comes to an end");
      headroom_packet p{};
      p.out = out.data();
      p.out_capacity = out.size();
      if (api().drain(self_, &p, 1, now, nullptr) == 0) return;
      keep(p, outputs);
      look();
    }
  }

  std::vector<LinkPacket> take_reverse(std::uint64_t now) {
    std::vector<LinkPacket> taken;
    for (int count = 0;; ++count) {
      require(count < kMostOutputs, "take_reverse comes to an end");
      const Block out(HEADROOM_REVERSE_MAX);
      headroom_packet p{};
      p.out = out.data();
      p.out_capacity = out.size();
      if (api().take_reverse(self_, &p, 1, now) == 0) return taken;
      require(p.out_type != 0 && p.out_length > 0, "a reverse packet has a type and octets");
      keep(p, taken);
    }
  }

  void give_reverse(const LinkPacket& in, std::uint32_t channel, std::uint64_t now) {
    const Block octets(in.octets);
    headroom_packet p{};
    p.in = octets.data();
    p.in_length = octets.size();
    p.in_type = in.type;
    p.channel = channel;
    require(api().give_reverse(self_, &p, 1, now) == 1, "one reverse packet is handled");
    require(p.status != HEADROOM_ERR_INTERNAL, "no defect that it noticed itself");
  }

  void control(const std::string& message) {
    const Block text(Bytes(message.c_str(), message.c_str() + message.size() + 1));
    const Block error(120);
    error.data()[0] = 0;
    const std::int32_t understood = api().control(self_, reinterpret_cast<const char*>(text.data()),
                                                  reinterpret_cast<char*>(error.data()), error.size());
    require(understood == 1 || (understood == 0 && error.data()[0] != 0), "control refuses with a sentence");
  }

  void look_at_statistics() {
    const std::size_t length = api().statistics(self_, nullptr, 0);
    const Block text(length + 1);
    require(api().statistics(self_, reinterpret_cast<char*>(text.data()), text.size()) == length,
            "statistics have one length");
    require(text.data()[length] == 0, "statistics end with NUL");
  }

  void wait(std::uint64_t now, std::vector<LinkPacket>& outputs) {
    drain(now, outputs);
    const std::uint64_t next = api().next_deadline(self_);
    require(next > now, "a drained instance has no deadline that has passed");
  }

  [[nodiscard]] bool has_sessions() const noexcept { return role_ == HEADROOM_ENDPOINT; }
  void open(std::uint32_t session) {
    const Block error(120);
    ++calls;
    (void)sessions().open(self_, session, nullptr, reinterpret_cast<char*>(error.data()), error.size());
  }
  void close(std::uint32_t session) {
    ++calls;
    (void)sessions().close(self_, session);
  }
  void accept(std::uint32_t session) {
    ++calls;
    (void)messages().accept(self_, session);
  }

  [[nodiscard]] std::size_t room(bool compresses, std::size_t length) const noexcept {
    if (role_ != HEADROOM_ENDPOINT) return length + HEADROOM_EXPANSION + (compresses ? 0 : mrru_);
    return compresses ? 2 * length + HEADROOM_MESSAGE_EXPANSION : std::max<std::size_t>(HEADROOM_MESSAGE_MAX, length);
  }

  void forward(const Bytes& packet, std::int32_t side, std::uint64_t now) {
    constexpr std::size_t kRoom = HEADROOM_USER_PLANE_ROOM;
    const Block buffer(kRoom + packet.size() + kRoom);
    std::copy(packet.begin(), packet.end(), buffer.data() + kRoom);
    headroom_user_packet p{};
    p.octets = buffer.data() + kRoom;
    p.length = static_cast<std::uint32_t>(packet.size());
    p.room_before = p.room_behind = kRoom;
    p.side = side;
    plane().forward(self_, &p, 1, now);
    require(p.status != HEADROOM_ERR_INTERNAL, "no defect that it noticed itself");
    if (p.status != HEADROOM_OK) return;
    require(p.octets >= buffer.data() && p.octets + p.length <= buffer.data() + buffer.size(), "within the room");
    require(p.side >= HEADROOM_N3 && p.side <= HEADROOM_N9 && p.length != 0, "a side and octets");
  }

  void n4(const Bytes& message, std::uint64_t now) {
    const Block octets(message);
    headroom_n4_message m{};
    m.octets = octets.data();
    m.length = m.capacity = octets.size();
    m.peer[10] = m.peer[11] = 0xFF;
    m.peer[15] = 1;
    m.port = 8805;
    plane().n4(self_, &m, now);
  }

  void take_all(std::uint64_t now) {
    const Block room(HEADROOM_USER_PLANE_MAX);
    headroom_user_packet p{};
    headroom_n4_message m{};
    m.capacity = room.size();
    for (int count = 0;; ++count) {
      require(count < kMostOutputs, "take comes to an end");
      p.octets = m.octets = room.data();
      p.length = room.size();
      if (plane().take(self_, &p, 1, now) == 0 && plane().take_n4(self_, &m, now) == 0) break;
      require(p.length <= room.size() && m.length <= room.size(), "what is taken fits");
    }
    require(plane().n4_deadline(self_) > now, "a deadline of N4 lies ahead");
  }

 private:
  static const headroom_sessions& sessions() { return *extension<headroom_sessions>(HEADROOM_SESSIONS); }
  static const headroom_messages& messages() { return *extension<headroom_messages>(HEADROOM_MESSAGES); }

  static void keep(const headroom_packet& p, std::vector<LinkPacket>& outputs) {
    require(p.status >= HEADROOM_ERR_DECOMPRESSION && p.status <= HEADROOM_NOTHING, "the status is one");
    require(p.status != HEADROOM_ERR_INTERNAL, "no defect that it noticed itself");
    require(p.out_length <= p.out_capacity, "an output fits into its room");
    require(p.status == HEADROOM_OK || p.out_length == 0, "octets come with success alone");
    if (p.status == HEADROOM_OK) outputs.push_back({Bytes(p.out, p.out + p.out_length), p.out_type});
  }

  // At what is known of the message handled last.
  void look() {
    if (role_ != HEADROOM_ENDPOINT) return;
    const auto detail = std::make_unique<headroom_message_detail>();
    detail->struct_size = sizeof *detail;
    ++calls;
    messages().detail(self_, detail.get());
  }

  std::int32_t role_;
  std::size_t mrru_;
  std::size_t room_ = HEADROOM_EXPANSION;  // of the call before, which `drain` has, too
  headroom_instance* self_;
};

struct Setup {
  std::vector<std::int32_t> roles;
  std::string config;
  std::size_t mrru = 0;
  std::vector<std::uint16_t> types;
  std::vector<std::string> controls;
};

std::vector<Setup> read_setups() {
  std::ifstream file(calls_configurations);
  std::vector<Setup> setups;
  for (const json& one : json::parse(file)) {
    Setup setup{one.at("roles"),
                one.at("config").dump(),
                one.at("config").value("mrru", std::size_t{0}),
                one.value("types", std::vector<std::uint16_t>{0}),
                {}};
    for (const json& message : one.value("controls", json::array())) setup.controls.push_back(message.dump());
    setup.controls.emplace_back("{}");
    setups.push_back(std::move(setup));
  }
  require(!setups.empty(), "there are configurations");
  return setups;
}

class Target {
 public:
  explicit Target(const Setup& setup) : setup_(setup) {
    for (const std::int32_t role : setup.roles) {
      instances_.push_back(std::make_unique<Instance>(role, setup.config, setup.mrru));
      if (instances_.back()->has_sessions()) instances_.back()->open(0);
    }
  }

  void step(Input& in) {
    const std::uint8_t what = in.octet() & 7;
    const How how{in.octet()};
    Instance& chosen = *instances_[how.turns() ? instances_.size() - 1 : 0];
    const bool is_plane = chosen.role() == HEADROOM_USER_PLANE;
    now_ += 1'000'000;
    switch (what) {
      case 0:  // a packet: a length of two octets, and the octets
        packet_ = in.octets(in.two());
        break;
      case 1:  // the packet before, changed: how many octets, and for each its place (two octets) and its value
        change(packet_, in);
        break;
      case 2:  // a link packet, or a message of N4: an octet for its type, and as in 0
        link_.type = setup_.types[in.octet() % setup_.types.size()];
        link_.octets = in.octets(in.two());
        return is_plane ? n4(chosen) : arrive(receiver(how), link_, how, in);
      case 3:  // the last of these, changed as in 1
        change(link_.octets, in);
        return is_plane ? n4(chosen) : arrive(receiver(how), link_, how, in);
      case 4:  // a reverse packet: which compressor it is for, and as in 0
        return reverse(chosen, how, in);
      case 5:
        return control(chosen, how, in);
      case 6:  // time passes: an octet n, 2^n ns
        now_ += std::uint64_t{1} << in.octet() % 40;
        return wait(how);
      default:
        return looked_ ? void() : look();
    }
    if (is_plane) {
      chosen.forward(packet_, static_cast<std::int32_t>(how.session() % 3 + HEADROOM_N3), now_);
      return chosen.take_all(now_);
    }
    send(how, in);
  }

 private:
  Instance& sender(How how) { return *instances_[setup_.roles[0] == HEADROOM_ENDPOINT && how.turns() ? 1 : 0]; }
  Instance& receiver(How how) { return *instances_[setup_.roles[0] == HEADROOM_ENDPOINT && how.turns() ? 0 : 1]; }

  static void change(Bytes& octets, Input& in) {
    for (int left = in.octet() & 7; left > 0 && !octets.empty(); --left) {
      const std::size_t at = in.two() % octets.size();
      octets[at] = in.octet();
    }
  }

  void send(How how, Input& in) {
    Instance& from = sender(how);
    const std::size_t room = how.has_little_room() ? in.octet() : from.room(true, packet_.size());
    const auto links = from.process(true, {packet_, 0}, channel(from, how), 0, room, how.wants_details(), now_);
    for (const LinkPacket& link : links) {
      link_ = link;
      if (how.loses()) continue;
      if (how.damages() && !link_.octets.empty()) {
        link_.octets[in.two() % link_.octets.size()] ^= static_cast<std::uint8_t>(1U << in.octet() % 8);
      }
      arrive(receiver(how), link_, how, in);
    }
  }

  void arrive(Instance& at, const LinkPacket& link, How how, Input& in) {
    const std::size_t room = how.has_little_room() ? in.octet() : at.room(false, link.octets.size());
    const std::uint32_t session = at.has_sessions() && how.session() == 3 ? HEADROOM_NO_SESSION : channel(at, how);
    (void)at.process(false, link, session, how.bits % 4, room, how.wants_details(), now_);
    if (session == HEADROOM_NO_SESSION) at.accept(how.bits % kSessions);
    if (how.is_silent()) return;
    for (const LinkPacket& packet : at.take_reverse(now_)) {
      if (at.has_sessions()) {
        (void)sender(how).process(false, packet, HEADROOM_NO_SESSION, 0, HEADROOM_MESSAGE_MAX, false, now_);
      } else {
        sender(how).give_reverse({packet.octets, HEADROOM_REVERSE_NEAR}, channel(at, how), now_);
      }
    }
  }

  // Few channels; what is beyond is an error of its own.
  static std::uint32_t channel(const Instance& of, How how) noexcept {
    return of.has_sessions() ? how.session() % kSessions : how.session() / 2;
  }

  void reverse(Instance& chosen, How how, Input& in) {
    const std::uint16_t type = (in.octet() & 1) != 0 ? HEADROOM_REVERSE_NEAR : HEADROOM_REVERSE_FAR;
    const Bytes octets = in.octets(in.two() % (HEADROOM_REVERSE_MAX + 1));
    // Messages of endpoints arrive as messages (headroom_messages.h).
    if (chosen.role() == HEADROOM_ENDPOINT || chosen.role() == HEADROOM_USER_PLANE || octets.empty()) return;
    chosen.give_reverse({octets, type}, channel(chosen, how), now_);
  }

  void control(Instance& chosen, How how, Input& in) {
    const std::uint8_t which = in.octet();
    if (which >= 192 && chosen.has_sessions()) return chosen.close(how.session() % kSessions);
    if (which >= 128 && chosen.has_sessions()) return chosen.open(how.session() % kSessions);
    if (which >= 96) {
      const Bytes text = in.octets(which % 32U);
      return chosen.control(std::string(text.begin(), text.end()));
    }
    chosen.control(setup_.controls[which % setup_.controls.size()]);
  }

  void n4(Instance& chosen) {
    chosen.n4(link_.octets, now_);
    chosen.take_all(now_);
  }

  void wait(How how) {
    std::vector<LinkPacket> outputs;
    for (const auto& one : instances_) {
      if (one->role() == HEADROOM_USER_PLANE) {
        one->take_all(now_);
        continue;
      }
      outputs.clear();
      one->wait(now_, outputs);
      if (one->role() != HEADROOM_COMPRESSOR || how.loses()) continue;
      Input nothing({});
      for (const LinkPacket& link : outputs) arrive(receiver(how), link, How{0}, nothing);
    }
  }

  // At the statistics, once: they are text, and take as long as many packets.
  void look() {
    looked_ = true;
    for (const auto& one : instances_) one->look_at_statistics();
  }

  const Setup& setup_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Bytes packet_;
  LinkPacket link_;
  std::uint64_t now_ = 0;
  bool looked_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Setup> setups = [] {
    std::atexit([] { std::fprintf(stderr, "calls of the ABI: %llu\n", static_cast<unsigned long long>(calls)); });
    return read_setups();
  }();
  Input in({data, size});
  Target target(setups[in.octet() % setups.size()]);
  for (int steps = 0; steps < kMostSteps && !in.is_over(); ++steps) target.step(in);
  return 0;
}
