// SPDX-License-Identifier: Apache-2.0
//
// An endpoint that leaves out what a message has in common with the one before it, and breaks one promise of the ABI,
// or none. A test fixture. A message is F8, an octet without meaning, the number of a text that both ends know (four
// octets, 0: none), how many octets of that come first, how many of its own follow (two octets each), and those.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cxx/calls.h"
#include "cxx/endpoint.h"
#include "faults.h"
#include "headroom_messages.h"

namespace {

using faulty_endpoint::Fault;
using faulty_endpoint::kFault;
using nlohmann::json;

constexpr std::size_t kHeader = 10;  // octets
constexpr std::size_t kLongest = 65'535 - kHeader;
constexpr std::size_t kRemembered = 8;        // texts of a compartment
constexpr std::uint8_t kStateNotFound = 1;    // RFC 4077 3.2
constexpr std::uint8_t kMessageTooShort = 7;  // likewise

struct Compartment {
  std::string sent{};                  // the last one
  std::deque<std::string> received{};  // the last ones
  std::string stream{};                // what came of a message that is not whole yet
};

std::deque<std::string> shared_memory;
std::uint8_t shared_counter = 0;

}  // namespace

struct headroom_instance {
  bool stream = false;
  bool repeats = false;
  std::map<std::uint32_t, Compartment> compartments{};
  bool waits = false;      // `text` for an application that says whose it is
  std::string text{};      // of the message decompressed last
  std::string_view own{};  // of it what was not known before, in the input
  int nacks_wait = 0;
  headroom_message_detail last{};
  std::uint32_t unfinished = HEADROOM_NO_SESSION;  // compartment whose stream may have another message
  std::deque<std::string> kept{};                  // by one that keeps every message
  std::atomic<bool> stop = false;
  std::thread thread{};
};

namespace {

std::uint32_t number_of(std::string_view text) {  // FNV-1a
  std::uint32_t hash = 2'166'136'261;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16'777'619;
  return hash | 1;
}

json description() {
  const bool tools = kFault == Fault::lists_tools_it_lacks || kFault >= Fault::has_an_answer_for_everything;
  return {{"name", "faulty-endpoint"},
          {"version", "1"},
          {"schemes",
           {{{"scheme", "sigcomp"},
             {"roles", {"endpoint"}},
             {"transports", {"udp", "tcp"}},
             {"version", 2},
             {"max_decompression_memory_size", 131072},
             {"max_state_memory_size", 131072},
             {"max_cycles_per_bit", 128},
             {"max_compartments", 1024},
             {"dictionaries", json::array()},
             {"features", {"compression", "nack", "peer"}},
             {"choices", json::object()},
             {"tools", tools ? json{"echo"} : json::array()},
             {"names", json::object()}}}}};
}

headroom_instance* make(std::int32_t role, const json& given) {
  json config = given;
  headroom::require(role == HEADROOM_ENDPOINT || kFault == Fault::takes_any_role, "there are endpoints (role 3) only");
  if (kFault == Fault::takes_any_transport && config.value("transport", json()) == "pigeon") config.erase("transport");
  if (kFault == Fault::refuses_unknown_keys) {
    for (const auto& [key, value] : config.items()) headroom::require(key.size() < 30, "there is an unknown key");
  }
  const auto c = headroom::read_endpoint_configuration(config, description()["schemes"][0]);
  if (config.contains("options")) headroom::Settings(config["options"], "\"options\"").only({});
  auto self = std::make_unique<headroom_instance>();
  self->stream = c.stream;
  if (kFault == Fault::prints) std::printf("hello\n");
  if (kFault == Fault::leaves_a_file_open) (void)open("/dev/null", O_RDONLY);
  if (static bool started = false; kFault == Fault::starts_a_thread && !std::exchange(started, true)) {
    self->thread = std::thread([&stop = self->stop] { stop.wait(false); });
  }
  return self.release();
}

headroom_instance* create(std::int32_t role, const char* config, char* error, std::size_t capacity) {
  headroom_instance* const made = headroom::create<make, true>(role, config, error, capacity);
  if (made == nullptr && kFault == Fault::refuses_silently && capacity > 0) error[0] = '\0';
  return made;
}

void destroy(headroom_instance* self) {
  self->stop = true;
  self->stop.notify_one();
  if (self->thread.joinable()) self->thread.join();
  if (kFault != Fault::leaks_when_destroyed) delete self;
}

// ---- Messages

// Puts `text` out, or says why not.
std::int32_t put(std::string_view text, headroom_packet& packet) {
  if (text.size() > packet.out_capacity) {
    if (kFault == Fault::calls_want_of_room_malformed) return HEADROOM_ERR_MALFORMED;
    if (kFault == Fault::writes_beyond_the_output) packet.out[packet.out_capacity] = 0;
    if (kFault == Fault::claims_another_room) packet.out_capacity = ~std::uint32_t{0};
    if (kFault != Fault::claims_more_than_there_is_room && kFault != Fault::claims_another_room) {
      return HEADROOM_ERR_NO_SPACE;
    }
    packet.out_length = static_cast<std::uint32_t>(text.size());
    return HEADROOM_OK;
  }
  std::copy(text.begin(), text.end(), packet.out);
  packet.out_length = static_cast<std::uint32_t>(text.size());
  return HEADROOM_OK;
}

std::int32_t compress_one(headroom_instance& self, headroom_packet& packet, std::uint64_t) {
  self.last = {};
  self.waits = false;
  if (kFault == Fault::compresses_for_nobody) self.compartments[packet.channel];
  const auto found = self.compartments.find(packet.channel);
  if (found == self.compartments.end()) return HEADROOM_ERR_CHANNEL;
  if (packet.in_length == 0 || packet.in_length > kLongest) return HEADROOM_ERR_UNSUPPORTED;
  if (kFault == Fault::declines_everything) return HEADROOM_ERR_UNSUPPORTED;
  if (kFault == Fault::reads_the_clock) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
  }
  std::string& sent = found->second.sent;
  const std::string text(reinterpret_cast<const char*>(packet.in), packet.in_length);
  const auto common =
      static_cast<std::size_t>(std::mismatch(sent.begin(), sent.end(), text.begin(), text.end()).first - sent.begin());
  const std::uint32_t known = sent.empty() ? 0 : number_of(sent);
  const std::size_t own = text.size() - common;
  std::string message = {'\xF8', kFault == Fault::shares_a_counter ? static_cast<char>(++shared_counter) : '\0'};
  for (int shift = 24; shift >= 0; shift -= 8) message += static_cast<char>(known >> shift);
  for (const std::size_t length : {common, own}) {
    message += static_cast<char>(length >> 8);
    message += static_cast<char>(length);
  }
  message += text.substr(common);
  if (kFault == Fault::keeps_every_message) {
    // Small blocks may come from what the allocator's thread cache has, which counts as in use before, too.
    self.kept.push_back(message);
    self.kept.back().reserve(2048);
  }
  const std::int32_t status = put(message, packet);
  if (status != HEADROOM_OK) return status;
  sent = text;
  self.last.kind = HEADROOM_MESSAGE_COMPRESSED;
  self.last.compartment = packet.channel;
  return status;
}

std::size_t two_octets(std::string_view message, std::size_t at) {
  return static_cast<std::size_t>(static_cast<std::uint8_t>(message[at])) << 8 |
         static_cast<std::uint8_t>(message[at + 1]);
}

std::int32_t fail(headroom_instance& self, std::uint8_t reason) {
  if (kFault == Fault::fails_in_silence) return HEADROOM_ERR_MALFORMED;
  self.last.kind = HEADROOM_MESSAGE_FAILED;
  self.last.reason = reason;
  self.nacks_wait = kFault == Fault::nacks_twice ? 2 : 1;
  return HEADROOM_ERR_DECOMPRESSION;
}

void remember(Compartment& compartment, const std::string& text) {
  std::deque<std::string>& memory = kFault == Fault::shares_what_it_remembers ? shared_memory : compartment.received;
  memory.push_back(text);
  if (memory.size() > kRemembered) memory.pop_front();
}

const std::string* look_up(const headroom_instance& self, std::uint32_t number) {
  const auto in = [number](const std::deque<std::string>& memory) -> const std::string* {
    const auto found = std::find_if(memory.begin(), memory.end(),
                                    [number](const std::string& text) { return number_of(text) == number; });
    return found == memory.end() ? nullptr : &*found;
  };
  for (const auto& entry : self.compartments) {
    if (const std::string* text = in(entry.second.received)) return text;
  }
  return in(shared_memory);
}

// What the engine would print had all gone well.
constexpr std::string_view kForgedResult =
    R"({"promise_broken": null, "records": [{"arrivals": [{"status": "ERR_DECOMPRESSION", "kind": "failed"}]}]})";

// Ends the process, with a lie on every descriptor that may be the engine's output or that of a check's child.
[[noreturn]] void end_with(std::string_view forged) {
  for (int descriptor = 3; descriptor < 64; ++descriptor) (void)!write(descriptor, forged.data(), forged.size());
  _exit(0);
}

// A whole message; `compartment` is null where nobody knows it yet.
std::int32_t decompress_message(headroom_instance& self, std::string_view message, Compartment* compartment,
                                headroom_packet& packet) {
  if (kFault == Fault::drops_everything) return HEADROOM_NOTHING;
  if (kFault == Fault::misses_state_always) return fail(self, kStateNotFound);
  if (message.size() < kHeader || message.size() - kHeader != two_octets(message, 8)) {
    if (kFault == Fault::aborts_on_garbage) std::abort();
    if (kFault == Fault::forges_a_result) end_with(kForgedResult);
    if (kFault == Fault::passes_itself) end_with("p");
    return fail(self, kMessageTooShort);
  }
  const auto number = static_cast<std::uint32_t>(two_octets(message, 2) << 16 | two_octets(message, 4));
  const std::size_t common = two_octets(message, 6);
  std::string text;
  if (number != 0 || common != 0) {
    const std::string* const known = look_up(self, number);
    if (known == nullptr || known->size() < common) return fail(self, kStateNotFound);
    text = known->substr(0, common);
  }
  text += message.substr(kHeader);
  if (text.size() > kLongest) return fail(self, kMessageTooShort);
  const std::int32_t status = put(text, packet);
  if (status != HEADROOM_OK) return status;
  if (kFault == Fault::spoils_an_octet && packet.out_length > 0 && !self.stream) packet.out[packet.out_length - 1] ^= 1;
  if (kFault == Fault::nacks_what_came_out) self.nacks_wait = 1;
  self.last.kind = HEADROOM_MESSAGE_COMPRESSED;
  self.text = text;
  self.own = message.substr(kHeader);
  if (compartment != nullptr) remember(*compartment, text);
  self.waits = compartment == nullptr || kFault == Fault::accepts_what_was_carried_out;
  return status;
}

std::int32_t decompress_stream(headroom_instance& self, Compartment& compartment, headroom_packet& packet) {
  std::string& stream = compartment.stream;
  if (packet.in_length != 0) stream.append(reinterpret_cast<const char*>(packet.in), packet.in_length);
  self.unfinished = kFault == Fault::never_wants_more ? packet.channel : HEADROOM_NO_SESSION;
  if (stream.empty() && kFault == Fault::never_wants_more) {
    self.last.kind = HEADROOM_MESSAGE_COMPRESSED;
    return HEADROOM_OK;
  }
  if (stream.empty()) return HEADROOM_NOTHING;
  if (static_cast<std::uint8_t>(stream[0]) < 0xF8) {  // plain, piece by piece
    self.last.kind = HEADROOM_MESSAGE_PLAIN;
    const std::size_t piece = std::min<std::size_t>(stream.size(), packet.out_capacity);
    (void)put(std::string_view(stream).substr(0, piece), packet);
    stream.erase(0, piece);
    return HEADROOM_OK;
  }
  if (stream.size() < kHeader || stream.size() < kHeader + two_octets(stream, 8)) return HEADROOM_NOTHING;
  self.unfinished = packet.channel;
  const std::string message = stream.substr(0, kHeader + two_octets(stream, 8));
  stream.erase(0, kFault == Fault::forgets_the_rest_of_a_piece ? std::string::npos : message.size());
  if (kFault == Fault::gives_each_message_twice && (self.repeats = !self.repeats)) stream.insert(0, message);
  return decompress_message(self, message, &compartment, packet);
}

std::int32_t decompress_one(headroom_instance& self, headroom_packet& packet, std::uint64_t) {
  self.last = {};
  self.last.compartment = packet.channel;
  self.waits = false;
  const auto found = self.compartments.find(packet.channel);
  Compartment* compartment = found == self.compartments.end() ? nullptr : &found->second;
  if (kFault == Fault::streams_for_nobody && compartment == nullptr && self.stream) return HEADROOM_NOTHING;
  if (compartment == nullptr && (self.stream || packet.channel != HEADROOM_NO_SESSION)) return HEADROOM_ERR_CHANNEL;
  if (self.stream) return decompress_stream(self, *compartment, packet);
  const std::string_view message(reinterpret_cast<const char*>(packet.in), packet.in_length);
  if (message.empty()) return HEADROOM_ERR_MALFORMED;
  if (packet.in[0] >= 0xF8) return decompress_message(self, message, compartment, packet);
  self.last.kind = HEADROOM_MESSAGE_PLAIN;
  return put(message, packet);
}

bool waits(const headroom_instance& self) { return self.unfinished != HEADROOM_NO_SESSION; }

// For `drain`.
bool next(headroom_instance& self, headroom_packet& packet, std::uint64_t) {
  const auto found = self.compartments.find(self.unfinished);
  if (found == self.compartments.end()) return false;
  const headroom_message_detail before = std::exchange(self.last, headroom_message_detail{});
  packet.channel = found->first;
  packet.out_length = 0;
  packet.status = decompress_stream(self, found->second, packet);
  const bool none = packet.status == HEADROOM_NOTHING && self.last.kind == HEADROOM_MESSAGE_NONE && !waits(self);
  if (none) self.last = before;
  return !none;
}

std::size_t take_reverse(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t) {
  if (count == 0 || self->nacks_wait == 0 || kFault == Fault::never_nacks) return 0;
  if (kFault != Fault::never_stops_nacking) --self->nacks_wait;
  const std::uint8_t nack[] = {0xF8, 0x00, 0x0F};
  std::copy(std::begin(nack), std::end(nack), packets->out);
  packets->out_length = sizeof nack;
  packets->out_type = HEADROOM_REVERSE_FAR;
  packets->status = HEADROOM_OK;
  packets->channel = self->last.compartment;
  return 1;
}

// ---- Compartments

void open(headroom_instance& self, std::uint32_t compartment, const json& settings) {
  const headroom::Settings s(settings, "the settings of the compartment");
  if (kFault != Fault::opens_with_unknown_keys) s.only({"state_memory_size", "peer", "options"});
  if (kFault != Fault::opens_twice) {
    headroom::require(!self.compartments.contains(compartment), "the compartment is open already");
  }
  self.compartments[compartment];
}

std::int32_t open_compartment(headroom_instance* self, std::uint32_t compartment, const char* settings, char* error,
                              std::size_t capacity) {
  if (kFault == Fault::opens_what_is_no_number && compartment == HEADROOM_NO_SESSION) return 1;
  return headroom::open_session<open>(self, compartment, settings, error, capacity);
}

std::int32_t close_compartment(headroom_instance* self, std::uint32_t compartment) {
  return self->compartments.erase(compartment) != 0 || kFault == Fault::closes_what_is_not_open ? 1 : 0;
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  if (kFault == Fault::accepts_without_a_message && self->last.kind == HEADROOM_MESSAGE_NONE) return 1;
  const auto found = self->compartments.find(compartment);
  if (self->waits && kFault == Fault::accepts_for_nobody && found == self->compartments.end()) return 1;
  if (!self->waits || found == self->compartments.end()) return 0;
  self->waits = kFault == Fault::accepts_twice;
  if (kFault == Fault::accepts_what_the_input_holds) {
    self->text.replace(self->text.size() - self->own.size(), std::string::npos, self->own);
  }
  if (kFault != Fault::remembers_nothing) remember(found->second, self->text);
  return 1;
}

void message_detail(const headroom_instance* self, headroom_message_detail* detail) {
  if (kFault == Fault::tells_more_than_asked && detail->struct_size < sizeof self->last) {
    std::memcpy(&detail->kind, &self->last.kind, sizeof self->last - sizeof detail->struct_size);
    return;
  }
  headroom::put_detail(self->last, detail);
}

json statistics(const headroom_instance& self) {
  json document = {{"memory_bytes", sizeof self}, {"contexts", self.compartments.size()}};
  if (kFault == Fault::takes_all_memory) document["memory_bytes"] = ~std::uint64_t{0};
  if (kFault == Fault::poor_statistics) document.erase("memory_bytes");
  return document;
}

json answer(const json& request) {
  if (kFault == Fault::has_an_answer_for_everything) return {{"answer", request}};
  static int asked = 0;
  const std::string again = kFault == Fault::answers_in_two_ways && ++asked % 2 == 0 ? ", still" : "";
  headroom::require(request.contains("tool") && request["tool"] == "echo", "the only tool is \"echo\"" + again);
  return {{"echo", request}};
}

std::size_t tool(const char* request, char* room, std::size_t capacity) {
  const std::size_t length = headroom::ask<answer>(request, room, capacity);
  if (kFault == Fault::answers_without_room && length >= capacity && capacity > 0) std::memset(room, '{', capacity);
  return length;
}

const headroom_sessions kSessions = {
    .struct_size = sizeof(headroom_sessions), .reserved = 0, .open = open_compartment, .close = close_compartment};
const headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages), .reserved = 0, .accept = accept, .detail = message_detail};
const headroom_tools kTools = {.struct_size = sizeof(headroom_tools), .reserved = 0, .ask = tool};

const void* extension(const char* name) {
  return headroom::find_extension({{HEADROOM_SESSIONS, &kSessions},
                                   {HEADROOM_MESSAGES, &kMessages},
                                   {HEADROOM_TOOLS, kFault == Fault::lists_tools_it_lacks ? nullptr : &kTools}},
                                  name);
}

const headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = headroom::describe<description>,
    .create = create,
    .destroy = destroy,
    .compress = headroom::each_message<compress_one>,
    .decompress = headroom::each_message<decompress_one, waits>,
    .statistics = headroom::statistics<statistics>,
    .drain = headroom::drain<next>,
    .take_reverse = take_reverse,
    .extension = extension,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
