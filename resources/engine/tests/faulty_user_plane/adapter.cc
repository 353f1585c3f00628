// SPDX-License-Identifier: Apache-2.0
//
// A user plane for G-PDUs over IPv4 that breaks one promise of the ABI, or none. A test fixture.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cxx/calls.h"
#include "faults.h"
#include "headroom_user_plane.h"

namespace {

using faulty_user_plane::Fault;
using faulty_user_plane::kFault;
using nlohmann::json;

constexpr std::uint32_t kOuter = 28, kEncapsulation = kOuter + 16, kIpv4 = 20;
constexpr std::uint32_t kUser = 0x0A20'0000, kTeid = 0x0100'0001;  // of the first session that `check` makes

struct Shared {
  std::uint32_t sessions = 0;
};
std::uint8_t shared_counter = 0;

}  // namespace

struct headroom_instance {
  std::shared_ptr<Shared> shared{};
  bool first = false;
  bool got_garbage = false;
  int waiting = 0;  // packets, for `take`
  std::vector<std::vector<std::uint8_t>> kept{};
};

namespace {

std::uint32_t load32(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}
std::uint32_t load16(const std::uint8_t* at) { return std::uint32_t{at[0]} << 8 | at[1]; }
void store16(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

json description() {
  return {{"name", "faulty-user-plane"},
          {"version", "1"},
          {"schemes",
           {{{"scheme", "gtpu"},
             {"roles", {"user-plane"}},
             {"n4", kFault == Fault::claims_a_control_plane},
             {"max_sessions", 1000},
             {"max_workers", 64},
             {"features", json::array()}}}}};
}

headroom_instance* create(std::int32_t role, const char* text, char* error, std::size_t capacity) {
  const json config = json::parse(text, nullptr, false);
  const bool good = role == HEADROOM_USER_PLANE && config.is_object() && config.value("scheme", json()) == "gtpu" &&
                    config.contains("n3");
  if (!good && kFault != Fault::accepts_anything) {
    headroom::put_error("this is no configuration of a user plane", error, capacity);
    return nullptr;
  }
  if (kFault == Fault::prints) std::printf("hello\n");
  auto self = std::make_unique<headroom_instance>();
  self->shared = std::make_shared<Shared>();
  if (config.is_object() && config.contains("session_range"))
    self->shared->sessions = config["session_range"].value("count", 0u);
  self->first = true;
  return self.release();
}

headroom_instance* add_worker(headroom_instance* first, char*, std::size_t) {
  return new headroom_instance{first->shared};
}

std::uint32_t sessions_of(const headroom_instance& self) {
  return kFault == Fault::keeps_sessions_from_others && !self.first ? 0 : self.shared->sessions;
}

std::int32_t nothing(headroom_user_packet& p, std::uint16_t reason) {
  p.reason = reason;
  return HEADROOM_NOTHING;
}

// Writes an answer on every descriptor that may be the engine's output.
void forge_answer() {
  constexpr std::string_view kForged = R"({"outcomes": [{"status": "OK"}], "taken": [], "n4": [], "time_ns": 0})"
                                       "\n";
  for (int descriptor = 3; descriptor < 64; ++descriptor) (void)!write(descriptor, kForged.data(), kForged.size());
}

std::int32_t uplink(headroom_instance& self, headroom_user_packet& p) {
  if (p.length < kOuter + 12 || p.octets[0] != 0x45 || p.octets[9] != 17) {
    if (kFault == Fault::aborts_on_garbage) std::abort();
    if (kFault == Fault::forges_an_answer) forge_answer();
    self.got_garbage = true;
    return HEADROOM_ERR_MALFORMED;
  }
  const std::uint8_t* const gtp = p.octets + kOuter;
  if (gtp[1] == 1) {
    ++self.waiting;
    p.more = 1;
    return nothing(p, HEADROOM_REASON_ANSWERED);
  }
  if (gtp[0] != 0x34 || gtp[1] != 255 || p.length < kEncapsulation + kIpv4) {
    return load32(gtp + 4) - kTeid < self.shared->sessions ? HEADROOM_ERR_MALFORMED
                                                           : nothing(p, HEADROOM_REASON_NO_SESSION);
  }
  if (load32(gtp + 4) - kTeid >= sessions_of(self)) return nothing(p, HEADROOM_REASON_NO_SESSION);
  const std::uint32_t length = load16(p.octets + kEncapsulation + 2);
  if ((length < kIpv4 || length > p.length - kEncapsulation) && kFault != Fault::trusts_the_length)
    return HEADROOM_ERR_MALFORMED;
  p.octets += kEncapsulation;
  p.length = length;
  p.side = HEADROOM_N6;
  return HEADROOM_OK;
}

std::int32_t downlink(headroom_instance& self, headroom_user_packet& p) {
  if (p.length < kIpv4 || p.octets[0] != 0x45 || p.length + kEncapsulation > HEADROOM_USER_PLANE_MAX)
    return HEADROOM_ERR_MALFORMED;
  if (load32(p.octets + 16) - kUser >= sessions_of(self)) return nothing(p, HEADROOM_REASON_NO_SESSION);
  if (kFault == Fault::forwards_one_way) return nothing(p, HEADROOM_REASON_NO_RULE);
  p.octets -= kEncapsulation;
  p.length += kEncapsulation;
  std::memset(p.octets, 0, kEncapsulation);
  p.octets[0] = 0x45;
  store16(p.octets + 2, p.length);
  if (kFault == Fault::shares_a_counter) p.octets[5] = ++shared_counter;
  p.side = HEADROOM_N3;
  return HEADROOM_OK;
}

void spoil(headroom_user_packet& p, const headroom_user_packet& given) {
  switch (kFault) {
    case Fault::writes_in_front_of_the_room:
      given.octets[-given.room_before - 1] = 7;
      break;
    case Fault::writes_behind_the_room:
      given.octets[given.length + given.room_behind] = 7;
      break;
    case Fault::moves_a_packet_away:
      p.octets = given.octets - given.room_before - 4;
      break;
    case Fault::sends_more_than_there_is:
      p.length = given.length + given.room_before + given.room_behind + 1;
      break;
    case Fault::has_a_side_of_its_own:
      p.side = 7;
      break;
    case Fault::has_a_status_of_its_own:
      p.status = HEADROOM_ERR_CRC;
      break;
    case Fault::leaves_a_packet_without_status:
      p.status = given.status;
      break;
    default:
      break;
  }
}

void forward(headroom_instance* self, headroom_user_packet* packets, std::size_t count, std::uint64_t) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_user_packet& p = packets[i];
    const headroom_user_packet given = p;
    if (kFault == Fault::reads_the_clock) {
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
    }
    if (kFault == Fault::allocates_for_a_packet) {
      const std::string text(100, 'x');
      asm volatile("" : : "m"(*text.data()));  // it must not be optimised away
    }
    if (kFault == Fault::hoards_memory) self->kept.emplace_back(4000);  // so much that the heap is sure to grow
    p.status = p.side == HEADROOM_N6 ? downlink(*self, p) : uplink(*self, p);
    if (p.status == HEADROOM_OK) spoil(p, given);
    if (p.status == HEADROOM_OK && kFault == Fault::counts_its_burst && p.side == HEADROOM_N3)
      p.octets[5] = static_cast<std::uint8_t>(count);
  }
}

std::size_t take(headroom_instance* self, headroom_user_packet* packets, std::size_t count, std::uint64_t) {
  std::size_t taken = 0;
  for (; taken < count && self->waiting > 0; ++taken) {
    if (kFault != Fault::never_stops_giving) --self->waiting;
    std::memset(packets[taken].octets, 0x45, kIpv4);
    packets[taken].length = kIpv4;
    packets[taken].side = HEADROOM_N3;
    packets[taken].status = HEADROOM_OK;
  }
  return taken;
}

std::size_t refuse(headroom_instance*, headroom_packet* packets, std::size_t count, std::uint64_t, headroom_detail*) {
  for (std::size_t i = 0; i < count; ++i) packets[i].status = HEADROOM_ERR_UNSUPPORTED;
  return count;
}

void destroy(headroom_instance* self) {
  if (kFault == Fault::exits_after_garbage && self->got_garbage) _exit(0);
  delete self;
}

json statistics(const headroom_instance& self) {
  return {{"memory_bytes", sizeof self}, {"contexts", self.shared->sessions}};
}

const void* extension(const char* name) {
  static const headroom_user_plane kUserPlane = {.struct_size = sizeof(headroom_user_plane),
                                                 .reserved = 0,
                                                 .add_worker = add_worker,
                                                 .forward = forward,
                                                 .take = kFault == Fault::has_no_take ? nullptr : take};
  return headroom::find_extension({{HEADROOM_USER_PLANE_EXTENSION, &kUserPlane}}, name);
}

constexpr headroom_api kApi = {.abi_version = HEADROOM_ABI_VERSION,
                               .struct_size = sizeof(headroom_api),
                               .describe = headroom::describe<description>,
                               .create = create,
                               .destroy = destroy,
                               .compress = refuse,
                               .decompress = refuse,
                               .statistics = headroom::statistics<statistics>,
                               .extension = extension};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
