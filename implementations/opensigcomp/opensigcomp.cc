// SPDX-License-Identifier: Apache-2.0
//
// Open SigComp as an implementation under test. The library is opened when an instance is made: the file that the
// variable HEADROOM_OPENSIGCOMP names, else libopensigcomp.so where the loader finds it. It is one of C++ classes;
// nothing of it is needed to build this file, which calls constructors and functions by the names that every compiler
// with the Itanium C++ ABI gives them, and never looks into an object. README.md tells how the library is made.
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cxx/library.h"
#include "cxx/library_endpoint.h"
#include "headroom_messages.h"

namespace {

using headroom::require;
using nlohmann::json;

// ---- What is called of the library. Objects are void*; theirs, their functions' first argument.

struct OpenSigcomp {
  headroom::Library file{"HEADROOM_OPENSIGCOMP", "libopensigcomp.so", "it is no Open SigComp, or not for 64 bits"};
  // StateHandler: state memory, cycles per bit, decompression memory, version, NACKs to remember for each compartment;
  // of the peer: state memory, cycles per bit, decompression memory, version.
  void (*make_handler)(void*, std::size_t, std::size_t, std::size_t, std::uint16_t, unsigned, unsigned, unsigned,
                       unsigned, std::uint16_t) = file["_ZN3osc12StateHandlerC1Emmmtjjjjt"];
  void (*end_handler)(void*) = file["_ZN3osc12StateHandlerD1Ev"];
  void (*use_sip_dictionary)(void*) = file["_ZN3osc12StateHandler16useSipDictionaryEv"];
  void (*make_stack)(void*, void* handler) = file["_ZN3osc5StackC1ERNS_12StateHandlerE"];
  void (*end_stack)(void*) = file["_ZN3osc5StackD1Ev"];
  void (*make_deflate)(void*, void* handler) = file["_ZN3osc17DeflateCompressorC1ERNS_12StateHandlerE"];
  void (*add_compressor)(void* stack, void* compressor) = file["_ZN3osc5Stack13addCompressorEPNS_10CompressorE"];
  void* (*compress)(void* stack, const void*, std::size_t, const void* compartment, std::size_t,
                    bool reliable) = file["_ZN3osc5Stack15compressMessageEPKvmS2_mb"];
  std::size_t (*decompress)(void* stack, const void*, std::size_t, void* out, std::size_t,
                            void*& changes) = file["_ZN3osc5Stack17uncompressMessageEPKvmPvmRPNS_12StateChangesE"];
  std::size_t (*decompress_record)(void* stack, void* message, void* out, std::size_t, void*& changes, bool stream) =
      file["_ZN3osc5Stack17uncompressMessageERNS_14SigcompMessageEPvmRPNS_12StateChangesEb"];
  void (*accept)(void* stack, void* changes, const void* compartment,
                 std::size_t) = file["_ZN3osc5Stack20provideCompartmentIdEPNS_12StateChangesEPKvm"];
  void* (*nack)(void* stack) = file["_ZN3osc5Stack7getNackEv"];
  std::uint8_t* (*datagram)(void* message) = file["_ZN3osc14SigcompMessage18getDatagramMessageEv"];
  std::size_t (*datagram_length)(const void* message) = file["_ZNK3osc14SigcompMessage17getDatagramLengthEv"];
  std::uint8_t* (*record)(void* message) = file["_ZN3osc14SigcompMessage16getStreamMessageEv"];
  std::size_t (*record_length)(void* message) = file["_ZN3osc14SigcompMessage15getStreamLengthEv"];
  void (*end_message)(void*) = file["_ZN3osc14SigcompMessageD1Ev"];
  void (*make_stream)(void*) = file["_ZN3osc9TcpStreamC1Ev"];
  void (*end_stream)(void*) = file["_ZN3osc9TcpStreamD1Ev"];
  int (*add_to_stream)(void*, const void*, std::size_t) = file["_ZN3osc9TcpStream7addDataEPKvm"];  // 0: no error
  void* (*next_of_stream)(void*) = file["_ZN3osc9TcpStream14getNextMessageEv"];
};

// An object of the library and its destructor. Its memory comes from operator new, on either side.
struct End {
  void (*destructor)(void*);
  void operator()(void* object) const {
    destructor(object);
    ::operator delete(object);
  }
};
using Object = std::unique_ptr<void, End>;

// Octets for an object of ours: the largest that is made here has 288.
constexpr std::size_t kObject = 8192;

void* room_for_object() { return std::memset(::operator new(kObject), 0, kObject); }

// Octets of the longest message that it is given. It makes room for half as much again, counted in 16 bits, and writes
// beyond that.
constexpr std::uint32_t kMost = 43'690;

// Octets of room for what comes out: of the longest message, and one that it leaves free.
constexpr std::size_t kRoom = HEADROOM_MESSAGE_MAX + 1;

constexpr std::uint8_t kFramingError = 25;  // RFC 4077 3.2

}  // namespace

struct headroom_instance : headroom::LibraryEndpoint {
  struct Compartment {
    std::uint64_t name;  // for the library: new each time, because it never closes one
    Object stream;
    enum { unknown, sigcomp, plain } kind = unknown;  // of the stream
    bool broken = false;                              // a framing error ends it
  };

  OpenSigcomp library{};
  Object handler{nullptr, {}}, stack{nullptr, {}};
  std::unordered_map<std::uint32_t, Compartment> compartments{};
  std::uint64_t opened = 0;
  void* changes = nullptr;  // of the message decompressed last, until it is accepted; the library's
  std::uint32_t unfinished = HEADROOM_NO_SESSION;  // compartment whose stream may have another complete message
};

namespace {

constexpr char kDescription[] =
    R"({"name": "opensigcomp", "version": "unknown", "licence": "GPL-2.0-only", "schemes": [{
  "scheme": "sigcomp", "roles": ["endpoint"], "transports": ["udp", "tcp"], "version": 2, "min_version": 2,
  "max_decompression_memory_size": 131072, "max_state_memory_size": 131072, "max_cycles_per_bit": 128,
  "max_compartments": 1048576, "dictionaries": ["sip-sdp"],
  "features": ["compression", "feedback", "announcements", "nack", "peer"],
  "choices": {"algorithm": ["deflate"], "mechanism": ["dynamic"]}, "tools": [], "names": {}}]})";

json description() { return json::parse(kDescription); }

headroom_instance* make(std::int32_t role, const json& settings) {
  auto self = headroom::make_library_endpoint<headroom_instance>(role, settings, description());
  const headroom::EndpointConfiguration& c = self->config;
  require(c.peer.decompression_memory_size < 131072 || c.peer.state_memory_size < 131072,
          "Open SigComp writes beyond its memory when its peer's decompression_memory_size and state_memory_size are "
          "both 131072");
  const OpenSigcomp& l = self->library;
  void* const handler = room_for_object();
  l.make_handler(handler, c.own.state_memory_size, c.own.cycles_per_bit, c.own.decompression_memory_size, c.own.version,
                 4, c.peer.state_memory_size, c.peer.cycles_per_bit, c.peer.decompression_memory_size, c.peer.version);
  self->handler = Object(handler, {l.end_handler});
  self->room.resize(kRoom);
  if (!c.dictionaries.empty()) l.use_sip_dictionary(handler);
  void* const stack = room_for_object();
  l.make_stack(stack, handler);
  self->stack = Object(stack, {l.end_stack});
  void* const deflate = room_for_object();
  l.make_deflate(deflate, handler);
  l.add_compressor(stack, deflate);  // which takes it over
  return self.release();
}

void open(headroom_instance& self, std::uint32_t compartment, const json& settings) {
  headroom::require_new_compartment(self.compartments, self.config.compartments, compartment, settings, "Open SigComp");
  void* const stream = room_for_object();
  self.library.make_stream(stream);
  self.compartments.emplace(compartment,
                            headroom_instance::Compartment{self.opened++, Object(stream, {self.library.end_stream})});
}

std::int32_t compress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  self.last = headroom::read_message({});
  const auto at = self.compartments.find(p.channel);
  if (at == self.compartments.end()) return HEADROOM_ERR_CHANNEL;
  if (p.in_length > kMost) return HEADROOM_ERR_UNSUPPORTED;
  const OpenSigcomp& l = self.library;
  const std::uint64_t name = at->second.name;
  const Object message(l.compress(self.stack.get(), p.in, p.in_length, &name, sizeof name, self.config.stream),
                       {l.end_message});
  if (!message) return HEADROOM_ERR_UNSUPPORTED;
  const std::uint8_t* const octets = l.datagram(message.get());
  self.last = headroom::read_message({octets, l.datagram_length(message.get())});
  self.last.compartment = p.channel;
  const std::size_t length = self.config.stream ? l.record_length(message.get()) : l.datagram_length(message.get());
  return headroom::give(p, self.config.stream ? l.record(message.get()) : octets, length);
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  const auto at = self->compartments.find(compartment);
  if (self->changes == nullptr || at == self->compartments.end()) return 0;
  const std::uint64_t name = at->second.name;
  self->library.accept(self->stack.get(), self->changes, &name, sizeof name);
  self->changes = nullptr;
  headroom::note_accepted(*self, compartment);
  return 1;
}

// The NACK that the message decompressed last has called for goes into the queue; false when there is none.
bool take_nack(headroom_instance& self, std::uint32_t channel) {
  const OpenSigcomp& l = self.library;
  const Object nack(l.nack(self.stack.get()), {l.end_message});
  if (!nack) return false;
  headroom::put_failure({l.datagram(nack.get()), l.datagram_length(nack.get())}, self.last);
  if (self.config.stream) {
    self.nacks.put(channel, {l.record(nack.get()), l.record_length(nack.get())});
  } else {
    self.nacks.put(channel, {l.datagram(nack.get()), l.datagram_length(nack.get())});
  }
  return true;
}

// What came of a message, of which the library has put out `length` octets at `out`.
std::int32_t finish(headroom_instance& self, headroom_packet& p, const std::uint8_t* out, std::size_t length,
                    void* changes) {
  if (take_nack(self, p.channel)) return HEADROOM_ERR_DECOMPRESSION;
  if (changes == nullptr) return headroom::not_decompressed(self);
  if (headroom::give(p, out, length) != HEADROOM_OK) return HEADROOM_ERR_NO_SPACE;
  self.changes = changes;
  if (length == 0) self.last.kind = HEADROOM_MESSAGE_SILENT;
  if (p.channel != HEADROOM_NO_SESSION) accept(&self, p.channel);
  return length == 0 ? HEADROOM_NOTHING : HEADROOM_OK;
}

std::uint8_t* room_for(headroom_instance& self, const headroom_packet& p) {
  return p.out_capacity >= kRoom ? p.out : self.room.data();
}

// The next message of a stream that is complete; nothing when none is.
std::optional<std::int32_t> next_of_stream(headroom_instance& self, headroom_instance::Compartment& c,
                                           headroom_packet& p) {
  const OpenSigcomp& l = self.library;
  self.unfinished = HEADROOM_NO_SESSION;
  const Object message(l.next_of_stream(c.stream.get()), {l.end_message});
  if (!message && !c.broken) return std::nullopt;
  self.changes = nullptr;
  if (!message) {
    self.last = headroom::read_message({});
    self.last.kind = HEADROOM_MESSAGE_FAILED;
    self.last.reason = kFramingError;
    return HEADROOM_ERR_DECOMPRESSION;
  }
  self.unfinished = p.channel;
  self.last = headroom::read_message({l.datagram(message.get()), l.datagram_length(message.get())});
  std::uint8_t* const out = room_for(self, p);
  void* changes = nullptr;
  const std::size_t length = l.decompress_record(self.stack.get(), message.get(), out, kRoom, changes, true);
  return finish(self, p, out, length, changes);
}

std::int32_t decompress_stream(headroom_instance& self, headroom_instance::Compartment& c, headroom_packet& p) {
  // The application tells by the first octet what is SigComp's (RFC 5049 5); the rest never comes to the library.
  if (c.kind == c.unknown && p.in_length != 0) c.kind = headroom::is_sigcomp({p.in, 1}) ? c.sigcomp : c.plain;
  if (c.kind == c.plain && p.in_length != 0) return headroom::give(p, p.in, p.in_length);
  if (c.kind == c.sigcomp) {
    if (p.in_length != 0 && !c.broken) c.broken = self.library.add_to_stream(c.stream.get(), p.in, p.in_length) != 0;
    if (const std::optional<std::int32_t> status = next_of_stream(self, c, p)) return *status;
  }
  self.last.kind = HEADROOM_MESSAGE_NONE;
  return HEADROOM_NOTHING;
}

std::int32_t decompress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  self.changes = nullptr;
  self.last = headroom::read_message({});
  const auto at = self.compartments.find(p.channel);
  if ((p.channel != HEADROOM_NO_SESSION || self.config.stream) && at == self.compartments.end())
    return HEADROOM_ERR_CHANNEL;
  if (self.config.stream) return decompress_stream(self, at->second, p);
  if (p.in_length == 0) return HEADROOM_ERR_MALFORMED;
  self.last = headroom::read_message({p.in, p.in_length});
  if (self.last.kind == HEADROOM_MESSAGE_PLAIN) return headroom::give(p, p.in, p.in_length);
  std::uint8_t* const out = room_for(self, p);
  void* changes = nullptr;
  const std::size_t length = self.library.decompress(self.stack.get(), p.in, p.in_length, out, kRoom, changes);
  return finish(self, p, out, length, changes);
}

bool waits(const headroom_instance& self) { return self.unfinished != HEADROOM_NO_SESSION; }

// For `drain`: the next message of the stream that `decompress` has continued last.
bool next(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  const auto at = self.compartments.find(self.unfinished);
  if (at == self.compartments.end()) return false;
  p.channel = self.unfinished;
  p.out_length = 0;
  const std::optional<std::int32_t> status = next_of_stream(self, at->second, p);
  p.status = status.value_or(HEADROOM_NOTHING);
  return status.has_value();
}

std::int32_t close(headroom_instance* self, std::uint32_t compartment) {
  return static_cast<std::int32_t>(self->compartments.erase(compartment));
}

using Tables =
    headroom::LibraryEndpointTables<description, make, compress, decompress, open, close, accept, waits, next>;

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &Tables::kApi; }
