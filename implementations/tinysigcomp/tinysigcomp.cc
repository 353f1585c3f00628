// SPDX-License-Identifier: Apache-2.0
//
// tinySIGCOMP of the Doubango framework as an implementation under test. The library is opened when an instance is
// made: the file that the variable HEADROOM_TINYSIGCOMP names, else libtinySIGCOMP.so where the loader finds it.
// Nothing of it is needed to build this file, which declares what it calls and reads. README.md tells how it is made.
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "cxx/library.h"
#include "cxx/library_endpoint.h"
#include "headroom_messages.h"

namespace {

using headroom::require;
using nlohmann::json;

// ---- What is called of the library, and what is read of its result.

struct Result {
  const void* definition;
  volatile long references;
  std::uint64_t compartment;
  void* created[4];
  std::uint8_t creations;
  void* freed[4];
  std::uint8_t frees;
  std::uint64_t stream;
  unsigned is_stream : 1;
  void *output, *requested_feedback, *parameters, *returned_feedback;
  unsigned is_nack : 1;
  void* nack;
  std::uint64_t cycles;
};

struct Tinysigcomp {
  headroom::Library file{"HEADROOM_TINYSIGCOMP", "libtinySIGCOMP.so", "it is no tinySIGCOMP of version 2 (2019)"};
  void* (*make)() = file["tcomp_manager_create"];
  Result* (*make_result)() = file["tcomp_result_create"];
  void* (*release)(void*) = file["tsk_object_unref"];
  int (*set_decompression_memory_size)(void*, std::uint32_t) = file["tcomp_manager_setDecompression_Memory_Size"];
  int (*set_state_memory_size)(void*, std::uint32_t) = file["tcomp_manager_setState_Memory_Size"];
  int (*set_cycles_per_bit)(void*, std::uint8_t) = file["tcomp_manager_setCycles_Per_Bit"];
  int (*set_version)(void*, std::uint8_t) = file["tcomp_manager_setSigComp_Version"];
  int (*add_sip_dictionary)(void*) = file["tcomp_manager_addSipSdpDictionary"];
  int (*add_presence_dictionary)(void*) = file["tcomp_manager_addPresenceDictionary"];
  std::size_t (*compress)(void*, const void* compartment, std::size_t, const void* in, std::size_t, void* out,
                          std::size_t, int stream) = file["tcomp_manager_compress"];
  std::size_t (*decompress)(void*, const void* in, std::size_t, Result*) = file["tcomp_manager_decompress"];
  void (*set_output)(Result*, void*, std::size_t, int stream, std::uint64_t) = file["tcomp_result_setOutputBuffer"];
  void (*set_compartment)(Result*, const void*, std::size_t) = file["tcomp_result_setCompartmentId"];
  void (*accept)(void*, Result*) = file["tcomp_manager_provideCompartmentId"];
  void (*close_compartment)(void*, const void*, std::size_t) = file["tcomp_manager_closeCompartment"];
  std::uint8_t* (*octets)(const void* buffer, std::size_t position) = file["tcomp_buffer_getBufferAtPos"];
  std::size_t (*length)(const void* buffer) = file["tcomp_buffer_getSize"];
  void (*set_debug_level)(int) = file["tsk_debug_set_level"];
};

using Object = std::unique_ptr<void, void* (*)(void*)>;

}  // namespace

struct headroom_instance : headroom::LibraryEndpoint {
  Tinysigcomp library{};
  Object manager{nullptr, nullptr}, result_object{nullptr, nullptr};
  std::unordered_set<std::uint32_t> compartments{};
  bool acceptable = false;  // the message decompressed last is still to be accepted

  [[nodiscard]] Result& result() const { return *static_cast<Result*>(result_object.get()); }
};

namespace {

constexpr char kDescription[] = R"({"name": "tinysigcomp", "version": "unknown", "licence": "GPL-3.0-or-later",
  "schemes": [{"scheme": "sigcomp", "roles": ["endpoint"], "transports": ["udp"], "version": 2, "min_version": 2,
  "max_decompression_memory_size": 65536, "min_state_memory_size": 2048, "max_state_memory_size": 131072, "max_cycles_per_bit": 128,
  "max_compartments": 65536, "dictionaries": ["sip-sdp", "presence"],
  "features": ["compression", "cycles", "feedback", "announcements", "nack"],
  "choices": {"algorithm": ["deflate"], "mechanism": ["dynamic"]}, "tools": [], "names": {}}]})";

json description() { return json::parse(kDescription); }

headroom_instance* make(std::int32_t role, const json& settings) {
  auto self = headroom::make_library_endpoint<headroom_instance>(role, settings, description());
  const headroom::EndpointConfiguration& c = self->config;
  const Tinysigcomp& l = self->library;
  l.set_debug_level(0);  // of the whole process: nothing is printed
  self->manager = Object(l.make(), l.release);
  self->result_object = Object(l.make_result(), l.release);
  void* const m = self->manager.get();
  require(m != nullptr && self->result_object != nullptr, "tinySIGCOMP makes no manager");
  l.set_decompression_memory_size(m, c.own.decompression_memory_size);
  l.set_state_memory_size(m, c.own.state_memory_size);
  l.set_cycles_per_bit(m, static_cast<std::uint8_t>(c.own.cycles_per_bit));
  l.set_version(m, c.own.version);
  for (const std::string& dictionary : c.dictionaries)
    (dictionary == "sip-sdp" ? l.add_sip_dictionary : l.add_presence_dictionary)(m);
  return self.release();
}

void open(headroom_instance& self, std::uint32_t compartment, const json& settings) {
  headroom::require_new_compartment(self.compartments, self.config.compartments, compartment, settings, "tinySIGCOMP");
  self.compartments.insert(compartment);
}

std::int32_t close(headroom_instance* self, std::uint32_t compartment) {
  if (self->compartments.erase(compartment) == 0) return 0;
  self->library.close_compartment(self->manager.get(), &compartment, sizeof compartment);
  return 1;
}

std::int32_t compress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  self.last = headroom::read_message({});
  if (!self.compartments.contains(p.channel)) return HEADROOM_ERR_CHANNEL;
  const std::size_t most = 2 * std::size_t{p.in_length} + HEADROOM_MESSAGE_EXPANSION;
  if (self.room.size() < most) self.room.resize(most);
  const std::size_t length = self.library.compress(self.manager.get(), &p.channel, sizeof p.channel, p.in, p.in_length,
                                                   self.room.data(), most, 0);
  if (length == 0) return HEADROOM_ERR_UNSUPPORTED;
  self.last = headroom::read_message({self.room.data(), length});
  self.last.compartment = p.channel;
  return headroom::give(p, self.room.data(), length);
}

std::int32_t accept(headroom_instance* self, std::uint32_t compartment) {
  if (!self->acceptable || !self->compartments.contains(compartment)) return 0;
  self->acceptable = false;
  self->library.set_compartment(&self->result(), &compartment, sizeof compartment);
  self->library.accept(self->manager.get(), &self->result());
  headroom::note_accepted(*self, compartment);
  return 1;
}

std::int32_t decompress(headroom_instance& self, headroom_packet& p, std::uint64_t) {
  const Tinysigcomp& l = self.library;
  Result& r = self.result();
  self.acceptable = false;
  self.last = headroom::read_message({p.in, p.in_length});
  const bool known = p.channel != HEADROOM_NO_SESSION;
  if (known && !self.compartments.contains(p.channel)) return HEADROOM_ERR_CHANNEL;
  if (p.in_length == 0) return HEADROOM_ERR_MALFORMED;
  if (self.last.kind == HEADROOM_MESSAGE_PLAIN) return headroom::give(p, p.in, p.in_length);
  std::uint8_t* const out = self.output_for(p);
  l.set_output(&r, out, HEADROOM_MESSAGE_MAX, 0, 0);
  r.cycles = 0;
  const std::size_t length = l.decompress(self.manager.get(), p.in, p.in_length, &r);
  self.last.cycles = r.cycles;
  if (r.is_nack) {
    if (self.last.kind == HEADROOM_MESSAGE_NACK || self.last.kind == HEADROOM_MESSAGE_IGNORED) return HEADROOM_NOTHING;
    const headroom::MessageOctets nack(l.octets(r.nack, 0), l.length(r.nack));
    headroom::put_failure(nack, self.last);
    self.nacks.put(p.channel, nack);
    return HEADROOM_ERR_DECOMPRESSION;
  }
  if (r.cycles == 0) {  // it did not come to any instruction, and does not say why
    self.last.kind = HEADROOM_MESSAGE_FAILED;
    return HEADROOM_ERR_DECOMPRESSION;
  }
  self.last.creations = r.creations;
  self.last.frees = r.frees;
  if (headroom::give(p, out, length) != HEADROOM_OK) return HEADROOM_ERR_NO_SPACE;
  self.acceptable = true;
  if (length == 0) self.last.kind = HEADROOM_MESSAGE_SILENT;
  if (known) accept(&self, p.channel);
  return length == 0 ? HEADROOM_NOTHING : HEADROOM_OK;
}

using Tables = headroom::LibraryEndpointTables<description, make, compress, decompress, open, close, accept>;

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &Tables::kApi; }
