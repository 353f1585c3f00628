// SPDX-License-Identifier: Apache-2.0
//
// An adapter that copies octets, speaks feedback, and breaks one promise of the ABI, or none. A test fixture.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faults.h"
#include "headroom.h"

struct headroom_instance {
  std::uint32_t channels;
  std::uint32_t largest;  // octets of a link packet; 0: any
  bool segments;
  std::deque<std::string> waiting;  // segments behind the first
  std::string unit;                 // what has come of one
  std::uint64_t packets;
  std::uint32_t length_before;  // of the output
  std::uint64_t drained_ns;
  bool feedback_waits;
  bool garbage_came;
  const std::uint8_t* input_before;
  bool announced;                   // the first packet has been given, or has come
  std::unique_ptr<char[]> reserve;  // taken at first, used bit by bit
  std::mutex mutex;
  std::atomic<bool> stop = false;
  std::thread thread;
  void* (*take)(std::size_t) = std::malloc;
  void (*give_back)(void*) = std::free;
};

namespace {

using faulty::Fault;
using faulty::kFault;
using Json = nlohmann::json;

constexpr std::uint64_t kFeedbackEvery = 10;  // packets
constexpr std::uint64_t kFirstPackets = 8;
constexpr std::size_t kInFront = 40;  // octets of headers
constexpr std::size_t kReserve = 32 << 20;
constexpr std::size_t kLeakPiece = 8 << 20;
constexpr int kMostLeakPieces = 128;  // then it gives up: a sanitized build has no limit that would stop it
std::uint8_t shared_counter = 0;

// Faults of adapters whose first packet makes a context, which all others need: the octet behind it is 1.
bool announces() {
  return kFault == Fault::takes_what_did_not_fit_for_sent || kFault == Fault::begins_anew_for_want_of_room ||
         kFault == Fault::calls_want_of_context_malformed;
}

// Some faults show in an octet behind the packet.
bool has_trailer() {
  return kFault == Fault::shares_a_counter || kFault == Fault::sends_its_environment ||
         kFault == Fault::sends_what_it_did_not_write || kFault == Fault::counts_its_burst || announces();
}

// Packets that are too long for the link; or it should.
bool cuts_up() {
  return kFault == Fault::ignores_what_the_link_takes || kFault == Fault::leaves_out_a_segment ||
         kFault == Fault::hurries_past_its_outputs;
}

std::string description() {
  Json scheme = {{"scheme", "rohc"},
                 {"roles", {"compressor", "decompressor"}},
                 {"profiles", {"0x0000"}},
                 {"modes", {"U", "O"}},
                 {"cids", {"small"}},
                 {"max_cid", 15},
                 {"max_channels", 4},
                 {"feedback", {"own"}},
                 {"names", {{"packet_types", {"copy"}}, {"modes", {"U", "O"}}, {"events", {"none"}}}}};
  if (kFault == Fault::loses_piggybacked_feedback) scheme["feedback"] = {"own", "piggybacked"};
  if (cuts_up()) scheme["features"] = {"segmentation"};
  const Json document = {{"name", "faulty"}, {"version", "1"}, {"schemes", {scheme}}};
  return kFault == Fault::describes_no_json ? "{\"name\": faulty}" : document.dump();
}

std::size_t write_text(const std::string& text, char* json, std::size_t capacity, bool regardless) {
  if (text.size() < capacity) {
    std::memcpy(json, text.c_str(), text.size() + 1);
  } else if (regardless && capacity > 0) {
    std::memcpy(json, text.c_str(), capacity);
  }
  return text.size();
}

std::size_t describe(char* json, std::size_t capacity) {
  return write_text(description(), json, capacity, kFault == Fault::describes_too_much);
}

// Throws with a sentence when the configuration is none.
void configure(std::int32_t role, const char* text, headroom_instance& instance) {
  instance.channels = 1;
  if (kFault == Fault::accepts_anything) return;
  const Json config = Json::parse(text);
  if (role != HEADROOM_COMPRESSOR && role != HEADROOM_DECOMPRESSOR)
    throw std::runtime_error("the role must be 1 or 2.");
  const auto require = [](bool holds, const char* sentence) {
    if (!holds) throw std::runtime_error(sentence);
  };
  require(config.is_object() && config.value("scheme", Json()) == "rohc", "the scheme must be \"rohc\".");
  const Json channels = config.value("channels", Json(1u));
  require(channels.is_number_unsigned() && channels >= 1u && channels <= 4u, "channels must be 1 to 4.");
  instance.channels = channels.get<std::uint32_t>();
  require(config.value("cids", Json("small")) == "small", "cids must be \"small\".");
  const Json max_cid = config.value("max_cid", Json(15u));
  require(max_cid.is_number_unsigned() && max_cid <= 15u, "max_cid must be 0 to 15.");
  const Json profiles = config.value("profiles", Json::array());
  require(profiles.is_array(), "profiles must be a list.");
  for (const Json& profile : profiles) require(profile == "0x0000", "the only profile is 0x0000.");
  const Json mrru = config.value("mrru", Json(0u));
  require(mrru.is_number_unsigned(), "mrru must be a number of octets.");
  instance.segments = mrru != 0u;
  instance.largest = config.value("largest_packet", 0u);
  const Json mode = config.value("mode", Json("U"));
  require(mode == "U" || mode == "O", "mode must be \"U\" or \"O\".");
  const Json options = config.value("options", Json::object());
  require(options.is_object() && options.empty(), "there are no options.");
  if (kFault != Fault::refuses_unknown_keys) return;
  for (const auto& [key, value] : config.items()) require(key.size() < 15, "there is an unknown key.");
}

void read_the_clock() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
}

// With a filter of its own, so that there can be no other.
void filter_system_calls() {
  const sock_filter filter[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_prctl},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PR_SET_SECCOMP},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{std::size(filter), const_cast<sock_filter*>(filter)};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// Hooks of a codec that takes other allocators, too.
struct Allocator {
  void* (*take)(std::size_t);
  void (*give_back)(void*);
};
volatile Allocator usual_allocator = {std::malloc, std::free};

headroom_instance* create(std::int32_t role, const char* config, char* error, std::size_t error_capacity) {
  auto instance = std::make_unique<headroom_instance>();
  try {
    configure(role, config, *instance);
  } catch (const std::exception& reason) {
    if (kFault != Fault::refuses_silently) std::snprintf(error, error_capacity, "%s", reason.what());
    if (kFault == Fault::refuses_silently && error_capacity > 0) error[0] = '\0';
    return nullptr;
  }
  if (kFault == Fault::hoards_memory) instance->reserve.reset(new char[kReserve]);
  if (kFault == Fault::prints) std::printf("hello\n");
  if (kFault == Fault::reads_the_clock_when_created) read_the_clock();
  if (kFault == Fault::draws_a_random_number) {
    char drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) < 0) std::snprintf(error, error_capacity, "there is no randomness.");
  }
  if (static bool started = false; kFault == Fault::starts_a_thread && !std::exchange(started, true)) {
    instance->thread = std::thread([&stop = instance->stop] { stop.wait(false); });
  }
  if (kFault == Fault::leaves_a_file_open) (void)open("/dev/null", O_RDONLY);
  if (kFault == Fault::keeps_one_file_open_for_all) {
    static const int log = open("/dev/null", O_WRONLY);
    if (log < 0) std::snprintf(error, error_capacity, "there is nowhere to write.");
  }
  return instance.release();
}

void destroy(headroom_instance* self) {
  self->stop = true;
  self->stop.notify_one();
  if (self->thread.joinable()) self->thread.join();
  if (kFault == Fault::leaks_when_destroyed) return;
  delete self;
}

void misbehave_on_garbage(const headroom_packet& packet) {
  if (packet.in_length == 0) return;
  if (kFault == Fault::aborts_on_garbage && packet.in[0] == 0xFF) std::abort();
  if (kFault == Fault::throws_on_garbage && packet.in[0] == 0xFF) throw std::runtime_error("garbage came in");
  if (kFault == Fault::forks_on_garbage && packet.in[0] == 0xFF) {
    static const pid_t forked = fork();
    if (forked == 0) {  // it keeps every descriptor of its parent
      sleep(600);
      _exit(0);
    }
  }
  if (kFault == Fault::exits_on_garbage && packet.in[0] == 0xFF) _exit(0);
  if (kFault == Fault::hangs_on_garbage && packet.in[0] == 0xFF) {
    const volatile bool forever = true;
    while (forever) {
    }
  }
}

// What a vendor's build does without AddressSanitizer.
__attribute__((no_sanitize("address"))) void look_at_the_input_before(headroom_instance& self,
                                                                      const headroom_packet& packet) {
  if (kFault != Fault::looks_at_the_input_before || packet.in_length == 0) return;
  if (self.input_before != nullptr) {
    const volatile std::uint8_t octet = *self.input_before;
    (void)octet;
  }
  self.input_before = packet.in;
}

void touch_what_is_not_ours(const headroom_packet& packet) {
  if (kFault == Fault::reads_past_the_input) {
    const volatile std::uint8_t octet = packet.in[packet.in_length];
    (void)octet;
  }
  if (kFault == Fault::writes_the_input && packet.in_length > 0) {
    auto* input = const_cast<volatile std::uint8_t*>(packet.in);
    const std::uint8_t octet = *input;
    *input = octet;
  }
  if (kFault == Fault::writes_past_the_output && packet.in_length > packet.out_capacity) {
    std::memcpy(packet.out, packet.in, packet.in_length);
  }
}

void use_the_system(headroom_instance* self) {
  if (kFault == Fault::reads_the_clock) read_the_clock();
  if (kFault == Fault::reads_the_time_in_seconds) (void)time(nullptr);
  if (kFault == Fault::calls_the_system) (void)getppid();
  if (kFault == Fault::hoards_memory && self->packets % 64 == 0) self->reserve[self->packets * 64 % kReserve] = 1;
  if (kFault == Fault::takes_a_lock) self->mutex.lock(), self->mutex.unlock();
  if (kFault == Fault::allocates_for_a_packet) {
    std::string text(100, 'x');
    asm volatile("" : : "m"(*text.data()));  // it must not be optimised away
  }
  if (kFault == Fault::allocates_through_a_pointer) self->give_back(self->take(100));
  if (kFault == Fault::allocates_through_a_variable) usual_allocator.give_back(usual_allocator.take(100));
}

std::uint8_t trailer(std::size_t count, bool first) {
  if (announces()) return first ? 1 : 0;
  if (kFault == Fault::shares_a_counter) return ++shared_counter;
  if (kFault == Fault::sends_its_environment) {
    const char* home = std::getenv("HOME");
    return home == nullptr ? 0 : static_cast<std::uint8_t>(std::strlen(home));
  }
  return static_cast<std::uint8_t>(count);
}

void spoil_outcome(headroom_packet& packet, headroom_detail* detail) {
  if (kFault == Fault::claims_too_many_octets) packet.out_length = packet.out_capacity + 1;
  if (kFault == Fault::claims_success_without_octets) packet.out_length = 0;
  if (kFault == Fault::has_a_status_of_its_own) packet.status = 77;
  if (kFault == Fault::changes_the_callers_fields) packet.channel += 1;
  if (kFault == Fault::has_a_detail_without_name && detail != nullptr) detail->packet_type = 200;
}

// A segment is FE, or FF if it is the last, and octets of the packet.
void cut_up(headroom_instance& self, headroom_packet& packet) {
  if (self.largest == 0 || packet.out_length <= self.largest || kFault == Fault::ignores_what_the_link_takes) return;
  const std::string whole(reinterpret_cast<const char*>(packet.out), packet.out_length);
  const std::size_t piece = self.largest - 1;
  for (std::size_t at = 0; at < whole.size(); at += piece)
    self.waiting.push_back((at + piece < whole.size() ? '\xFE' : '\xFF') + whole.substr(at, piece));
  packet.out_length = static_cast<std::uint32_t>(self.waiting.front().size());
  std::copy(self.waiting.front().begin(), self.waiting.front().end(), packet.out);
  self.waiting.pop_front();
  if (kFault == Fault::leaves_out_a_segment) self.waiting.pop_back();
}

void put_together(headroom_instance& self, headroom_packet& packet) {
  if (packet.out[0] < 0xFE) return;
  const bool last = packet.out[0] == 0xFF;
  self.unit.append(reinterpret_cast<const char*>(packet.out) + 1, packet.out_length - 1);
  packet.out_length = 0;
  packet.status = HEADROOM_NOTHING;
  if (!last) return;
  const std::string whole = std::exchange(self.unit, {});
  packet.status = whole.size() > packet.out_capacity ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
  if (packet.status != HEADROOM_OK) return;
  std::copy(whole.begin(), whole.end(), packet.out);
  packet.out_length = static_cast<std::uint32_t>(whole.size());
}

// CRC-8 of RFC 3095, 5.9.1.
std::uint8_t crc8(const std::uint8_t* octets, std::size_t count) {
  std::uint8_t crc = 0xFF;
  for (std::size_t i = 0; i < count; ++i) {
    crc ^= octets[i];
    for (int bit = 0; bit < 8; ++bit) crc = static_cast<std::uint8_t>((crc & 1) != 0 ? crc >> 1 ^ 0xE0 : crc >> 1);
  }
  return crc;
}

// Each packet is an IR packet of the Uncompressed profile (RFC 3095, 5.10.1): type, profile and their CRC.
void process_with_crc(headroom_packet& packet, bool compressing) {
  constexpr std::uint8_t kIr[] = {0xFC, 0x00};
  constexpr std::uint32_t kHeader = sizeof kIr + 1;
  const auto fail = [&](std::int32_t status) { packet.status = status; };
  if (compressing) {
    if (packet.in_length + kHeader > packet.out_capacity) return fail(HEADROOM_ERR_NO_SPACE);
    std::memcpy(packet.out, kIr, sizeof kIr);
    packet.out[sizeof kIr] = crc8(kIr, sizeof kIr);
    std::memcpy(packet.out + kHeader, packet.in, packet.in_length);
    packet.out_length = packet.in_length + kHeader;
  } else {
    if (packet.in_length <= kHeader || std::memcmp(packet.in, kIr, sizeof kIr) != 0)
      return fail(HEADROOM_ERR_MALFORMED);
    if (packet.in[sizeof kIr] != crc8(kIr, sizeof kIr)) return fail(HEADROOM_ERR_MALFORMED);  // the fault
    if (packet.in_length - kHeader > packet.out_capacity) return fail(HEADROOM_ERR_NO_SPACE);
    packet.out_length = packet.in_length - kHeader;
    std::memcpy(packet.out, packet.in + kHeader, packet.out_length);
  }
  packet.status = HEADROOM_OK;
}

void process(headroom_instance* self, headroom_packet& packet, headroom_detail* detail, std::size_t count,
             bool compressing) {
  misbehave_on_garbage(packet);
  if (packet.in_length > 0 && packet.in[0] == 0xFF) self->garbage_came = self->feedback_waits = true;
  touch_what_is_not_ours(packet);
  look_at_the_input_before(*self, packet);
  use_the_system(self);
  if (detail != nullptr) *detail = {0, 0, 0xFFFF, 0xFFFF, 0, 0, 255, 0, 0};
  packet.out_length = 0;
  const std::uint32_t extra = has_trailer() ? 1 : 0;
  const std::uint32_t length = compressing ? packet.in_length + extra : packet.in_length - extra;
  if (packet.channel >= self->channels && kFault != Fault::takes_any_channel) {
    packet.status = HEADROOM_ERR_CHANNEL;
  } else if (packet.in_type == HEADROOM_TYPE_LOST && kFault != Fault::takes_a_loss_for_a_packet) {
    packet.status = HEADROOM_NOTHING;
  } else if (packet.in_length == 0 || (!compressing && packet.in_length <= extra)) {
    packet.status = HEADROOM_ERR_MALFORMED;
    if (kFault == Fault::leaves_a_length_with_an_error) packet.out_length = 5;
  } else if (kFault == Fault::compresses_nothing && compressing) {
    packet.status = HEADROOM_ERR_UNSUPPORTED;
  } else if (length > packet.out_capacity) {
    packet.status = kFault == Fault::calls_want_of_room_malformed ? HEADROOM_ERR_MALFORMED : HEADROOM_ERR_NO_SPACE;
    if (kFault == Fault::takes_what_did_not_fit_for_sent && compressing) self->announced = true;
    if (!compressing && announces() && packet.in[length] == 1) self->announced = true;
    if (kFault == Fault::begins_anew_for_want_of_room && !compressing) self->announced = false;
  } else if (announces() && !compressing && !self->announced && packet.in[length] != 1) {
    packet.status = kFault == Fault::calls_want_of_context_malformed ? HEADROOM_ERR_MALFORMED : HEADROOM_ERR_NO_CONTEXT;
  } else if (kFault == Fault::calls_a_wrong_crc_malformed) {
    process_with_crc(packet, compressing);
  } else {
    const bool first = !std::exchange(self->announced, true);
    std::size_t copied = length - (compressing ? extra : 0);
    if (kFault == Fault::writes_payloads_at_first && !compressing && self->packets >= kFirstPackets)
      copied = std::min(copied, kInFront);
    std::memcpy(packet.out, packet.in, copied);
    if (extra != 0 && compressing && kFault != Fault::sends_what_it_did_not_write)
      packet.out[length - 1] = trailer(count, first);
    if (kFault == Fault::spoils_an_octet && !compressing) packet.out[length - 1] ^= 1;
    if (kFault == Fault::spoils_three_packets_of_four && !compressing && self->packets % 4 != 3)
      packet.out[length - 1] ^= 1;
    if (kFault == Fault::writes_behind_the_output) packet.out[packet.out_capacity] = 0;
    packet.out_length = length;
    if (kFault == Fault::leaves_the_length_of_the_packet_before && !compressing && self->length_before != 0)
      packet.out_length = std::min(self->length_before, packet.out_capacity);
    self->length_before = length;
    packet.status = HEADROOM_OK;
    ++self->packets;
    if (!compressing && self->packets % kFeedbackEvery == 0) self->feedback_waits = true;
    spoil_outcome(packet, detail);
    if (cuts_up() && self->segments) compressing ? cut_up(*self, packet) : put_together(*self, packet);
  }
}

std::size_t handled(std::size_t count) {
  return kFault == Fault::handles_nothing ? 0 : kFault == Fault::handles_more_than_there_is ? count + 1 : count;
}

std::size_t compress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t,
                     headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) {
    process(self, packets[i], details == nullptr ? nullptr : &details[i], count, true);
    if (self->waiting.empty() && kFault != Fault::drains_for_ever) continue;
    packets[i].more = 1;
    if (kFault != Fault::hurries_past_its_outputs) return i + 1;
  }
  return handled(count);
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t,
                       headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i)
    process(self, packets[i], details == nullptr ? nullptr : &details[i], count, false);
  return handled(count);
}

std::size_t drain(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                  headroom_detail* details) {
  self->drained_ns = now_ns;
  std::size_t drained = 0;
  if (kFault == Fault::drains_for_ever && count != 0) {
    packets->out[0] = 'x';
    packets->out_length = 1;
    packets->status = HEADROOM_OK;
    packets->channel = 0;
    return 1;
  }
  for (; drained < count && !self->waiting.empty(); ++drained, self->waiting.pop_front()) {
    const std::string& segment = self->waiting.front();
    headroom_packet& packet = packets[drained];
    if (details != nullptr) details[drained] = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};
    packet.status = segment.size() > packet.out_capacity ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
    packet.channel = 0;
    packet.out_length = packet.status == HEADROOM_OK ? static_cast<std::uint32_t>(segment.size()) : 0;
    std::copy_n(segment.begin(), packet.out_length, packet.out);
  }
  return drained;
}

std::uint64_t next_deadline(const headroom_instance* self) {
  return kFault == Fault::has_deadlines_without_end ? self->drained_ns + 1000 : 1;
}

bool has_deadlines() {
  return kFault == Fault::has_a_deadline_that_is_over || kFault == Fault::has_deadlines_without_end;
}

std::size_t take_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  if (count == 0) return 0;
  if (kFault == Fault::loses_piggybacked_feedback) return 0;
  if (kFault == Fault::invents_received_feedback) {
    packets->out[0] = 0xF1;
    packets->out_length = HEADROOM_REVERSE_MAX + 1;
    packets->out_type = HEADROOM_REVERSE_NEAR;
    packets->status = HEADROOM_OK;
    packets->channel = 0;
    return 1;
  }
  if (!self->feedback_waits) return 0;
  self->feedback_waits = kFault == Fault::never_stops_feeding_back;
  packets->out[0] = 0xF1;  // feedback of one octet, RFC 5795 5.2.4.1
  packets->out[1] = 0x00;
  const bool lies = kFault == Fault::claims_too_much_feedback ||
                    (kFault == Fault::lies_about_feedback_on_garbage && self->garbage_came);
  packets->out_length = lies ? HEADROOM_REVERSE_MAX + 1 : 2;
  packets->out_type = kFault == Fault::sends_feedback_without_type ? 0 : HEADROOM_REVERSE_FAR;
  packets->status = HEADROOM_OK;
  packets->channel = 0;
  return 1;
}

void misbehave_on_feedback(std::uint32_t length) {
  if (kFault == Fault::aborts_on_feedback && length > 100) std::abort();
  if (kFault == Fault::leaks_on_feedback && length > 100) {
    for (int piece = 0; piece < kMostLeakPieces; ++piece) {
      void* room = std::malloc(kLeakPiece);
      if (room == nullptr) break;
      std::memset(room, 1, kLeakPiece);
      asm volatile("" : : "r"(room) : "memory");  // it must not be optimised away
    }
    std::abort();
  }
}

std::size_t give_reverse(headroom_instance*, headroom_packet* packets, std::size_t count, std::uint64_t) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool taken = packets[i].in_type == HEADROOM_REVERSE_NEAR || kFault == Fault::loses_piggybacked_feedback;
    packets[i].out_length = 0;
    packets[i].status = taken ? HEADROOM_OK : HEADROOM_ERR_UNSUPPORTED;
    if (packets[i].in_type == HEADROOM_REVERSE_NEAR) misbehave_on_feedback(packets[i].in_length);
  }
  return count;
}

std::size_t statistics(const headroom_instance*, char* json, std::size_t capacity) {
  const char* text = kFault == Fault::poor_statistics ? "{\"contexts\": 0}" : "{\"memory_bytes\": 64, \"contexts\": 0}";
  return write_text(text, json, capacity, false);
}

std::int32_t control(headroom_instance*, const char*, char* error, std::size_t error_capacity) {
  std::snprintf(error, error_capacity, "%s",
                kFault == Fault::silent_control ? "" : "there is nothing to control here.");
  return 0;
}

const headroom_api kApi = {
    .abi_version = kFault == Fault::next_version ? HEADROOM_ABI_VERSION + 1 : HEADROOM_ABI_VERSION,
    .struct_size = kFault == Fault::short_table ? 24u : std::uint32_t{sizeof(headroom_api)},
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .compress = compress,
    .decompress = kFault == Fault::no_decompress ? nullptr : decompress,
    .statistics = statistics,
    .drain = cuts_up() || kFault == Fault::drains_for_ever || has_deadlines() ? drain : nullptr,
    .next_deadline = has_deadlines() ? next_deadline : nullptr,
    .take_reverse = kFault == Fault::lists_missing_feedback ? nullptr : take_reverse,
    .give_reverse = give_reverse,
    .control = control,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) {
  if (kFault == Fault::keeps_its_calls_from_being_watched) filter_system_calls();
  return kFault == Fault::no_table ? nullptr : &kApi;
}
