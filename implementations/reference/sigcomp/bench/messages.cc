// SPDX-License-Identifier: Apache-2.0
//
// Compress and decompress, microseconds per message, of any number of SigComp endpoints in one interleaved run with the
// same messages, driven through the ABI.
//
//   sigcomp_messages_bench [--sequence FILE] [--offer JSON] [--rounds N] [--cross] LIBRARY[=OPTIONS]...
//
// FILE is one of traffic-profiles/sip; messages go both ways between two endpoints, each way compressed against what
// went before. Each round makes the endpoints anew and plays the sequence twice, in a compartment of its own each time:
// first with other digits, then as it is, which is measured; so memory is warm and no state is there already. What is
// freed stays with the process: how often the system has to make a page would depend on where the heap ends.
//
// --offer is laid over the configuration of each endpoint and what it knows of its peer. OPTIONS are the adapter's
// "options", as in reference.so='{"mechanism": "dynamic"}'. With --cross every library's compressor is tried with every
// library's decompressor; failures are listed with their reason (RFC 4077).
#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "sigcomp/test/support/sip.h"

namespace {

using Clock = std::chrono::steady_clock;
using headroom::sigcomp::test::Bytes;
using headroom::sigcomp::test::SipSequence;
using nlohmann::json;

[[noreturn]] void give_up(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(1);
}

struct Library {
  std::string name;
  const headroom_api* api = nullptr;
  const headroom_sessions* sessions = nullptr;
  const headroom_messages* messages = nullptr;
  std::string config;
};

Library open_library(const std::string& argument, const json& offer) {
  const auto equals = argument.find("={");
  const std::string path = argument.substr(0, equals);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) give_up(dlerror());
  Library l;
  const auto slash = path.rfind('/');
  l.name = argument.substr(slash == std::string::npos || slash > equals ? 0 : slash + 1);
  void* const symbol = dlsym(handle, "headroom_implementation");
  if (symbol == nullptr) give_up(path + " is no adapter");
  l.api = reinterpret_cast<const headroom_api* (*)()>(symbol)();
  if (l.api->abi_version != HEADROOM_ABI_VERSION || l.api->struct_size < sizeof(headroom_api) ||
      l.api->extension == nullptr)
    give_up(path + " has no endpoint");
  l.sessions = static_cast<const headroom_sessions*>(l.api->extension(HEADROOM_SESSIONS));
  l.messages = static_cast<const headroom_messages*>(l.api->extension(HEADROOM_MESSAGES));
  if (l.sessions == nullptr || l.messages == nullptr) give_up(path + " has no endpoint");
  json config = {{"scheme", "sigcomp"}, {"peer", json::object()}};
  config.update(offer);
  config["peer"].update(offer);
  if (equals != std::string::npos) config["options"] = json::parse(argument.substr(equals + 1));
  l.config = config.dump();
  return l;
}

class Endpoint {
 public:
  explicit Endpoint(const Library& l) : api_(*l.api), sessions_(*l.sessions), messages_(*l.messages) {
    char error[512] = "";
    self_ = api_.create(HEADROOM_ENDPOINT, l.config.c_str(), error, sizeof error);
    if (self_ == nullptr) give_up(l.name + ": " + error);
  }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint() { api_.destroy(self_); }

  void open(std::uint32_t compartment) {
    char error[512] = "";
    if (sessions_.open(self_, compartment, nullptr, error, sizeof error) != 1) give_up(error);
  }
  std::chrono::nanoseconds run(bool compress, headroom_packet& packet) {
    const auto begin = Clock::now();
    (compress ? api_.compress : api_.decompress)(self_, &packet, 1, 0, nullptr);
    return Clock::now() - begin;
  }
  [[nodiscard]] headroom_message_detail detail() const {
    headroom_message_detail d{};
    d.struct_size = sizeof d;
    messages_.detail(self_, &d);
    return d;
  }

 private:
  const headroom_api& api_;
  const headroom_sessions& sessions_;
  const headroom_messages& messages_;
  headroom_instance* self_;
};

struct Pair {
  const Library* from;
  const Library* to;
  std::vector<double> compress_us, decompress_us;
  std::size_t messages = 0, plain = 0, link = 0, wrong = 0;
  std::string first_wrong;
};

struct Room {
  Bytes link = Bytes(2 * HEADROOM_MESSAGE_MAX + HEADROOM_MESSAGE_EXPANSION);
  Bytes restored = Bytes(HEADROOM_MESSAGE_MAX);
};

// The sequence once, in one compartment. Messages to the first endpoint are compressed by its peer's library, so that
// with --cross `from` compresses what goes forth and decompresses what comes back.
void play(Pair& pair, Endpoint& a, Endpoint& b, const SipSequence& sequence, std::uint32_t compartment, Room& room,
          bool measured) {
  a.open(compartment);
  b.open(compartment);
  std::chrono::nanoseconds compressing{0}, decompressing{0};
  for (std::size_t i = 0; i < sequence.messages.size(); ++i) {
    const Bytes& message = sequence.messages[i];
    Endpoint& sender = sequence.is_back[i] ? b : a;
    Endpoint& receiver = sequence.is_back[i] ? a : b;
    const auto length = static_cast<std::uint32_t>(message.size());
    headroom_packet out{};
    out.in = message.data();
    out.in_length = length;
    out.out = room.link.data();
    out.out_capacity = 2 * length + HEADROOM_MESSAGE_EXPANSION;
    out.channel = compartment;
    compressing += sender.run(true, out);
    headroom_packet in{};
    in.in = room.link.data();
    in.in_length = out.out_length;
    in.out = room.restored.data();
    in.out_capacity = HEADROOM_MESSAGE_MAX;
    in.channel = compartment;
    if (out.status == HEADROOM_OK) decompressing += receiver.run(false, in);
    const bool right = out.status == HEADROOM_OK && in.status == HEADROOM_OK && in.out_length == length &&
                       std::memcmp(message.data(), room.restored.data(), length) == 0;
    if (!right && pair.first_wrong.empty()) {
      pair.first_wrong = "message " + std::to_string(i + 1) + ": compress " + std::to_string(out.status) +
                         ", decompress " + std::to_string(in.status) + ", reason " +
                         std::to_string(receiver.detail().reason);
    }
    ++pair.messages;
    pair.wrong += right ? 0 : 1;
    pair.plain += length;
    pair.link += out.out_length;
  }
  if (!measured) return;
  const auto count = static_cast<double>(sequence.messages.size()) * 1000;
  pair.compress_us.push_back(static_cast<double>(compressing.count()) / count);
  pair.decompress_us.push_back(static_cast<double>(decompressing.count()) / count);
}

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::string sequence_path = HEADROOM_SIP_SEQUENCES "/3gpp-video-call.txt";
  json offer = {{"decompression_memory_size", 8192}, {"state_memory_size", 131072}};
  unsigned long rounds = 200;
  bool cross = false;
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : ""); };
    if (arg == "--sequence") {
      sequence_path = value();
    } else if (arg == "--offer") {
      offer.update(json::parse(value()));
    } else if (arg == "--rounds") {
      rounds = std::strtoul(value().c_str(), nullptr, 10);
    } else if (arg == "--cross") {
      cross = true;
    } else {
      arguments.push_back(arg);
    }
  }
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: %s [--sequence FILE] [--offer JSON] [--rounds N] [--cross] LIBRARY[=OPTIONS]...\n",
                 argv[0]);
    return 2;
  }
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  const SipSequence sequence = headroom::sigcomp::test::sip_sequence(sequence_path);
  SipSequence other_digits = sequence;
  for (Bytes& message : other_digits.messages) {
    for (std::uint8_t& octet : message)
      octet = octet >= '0' && octet <= '9' ? static_cast<std::uint8_t>('0' + '9' - octet) : octet;
  }
  std::vector<Library> libraries;
  for (const std::string& argument : arguments) libraries.push_back(open_library(argument, offer));
  std::vector<Pair> pairs;
  for (const Library& from : libraries) {
    for (const Library& to : libraries) {
      if (cross || &from == &to) pairs.push_back({&from, &to, {}, {}, 0, 0, 0, 0, ""});
    }
  }
  Room room;
  for (unsigned long round = 0; round < rounds; ++round) {
    for (Pair& pair : pairs) {
      Endpoint a(*pair.from), b(*pair.to);
      play(pair, a, b, other_digits, 1, room, false);
      play(pair, a, b, sequence, 2, room, true);
    }
  }
  for (const Pair& pair : pairs) {
    const double times = 100.0 * static_cast<double>(pair.link) / static_cast<double>(pair.plain);
    std::printf("%-40s compress %8.1f  decompress %8.1f us/message  link %5.1f %% of the text  wrong %zu of %zu%s%s\n",
                (pair.from == pair.to ? pair.from->name : pair.from->name + " -- " + pair.to->name).c_str(),
                median(pair.compress_us), median(pair.decompress_us), times, pair.wrong, pair.messages,
                pair.first_wrong.empty() ? "" : "; first: ", pair.first_wrong.c_str());
  }
  return 0;
}
