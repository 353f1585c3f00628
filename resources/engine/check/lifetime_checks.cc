// SPDX-License-Identifier: Apache-2.0
//
// Buffers that are the caller's again (headroom.h, "Buffers"): each call has buffers of its own, in memory that nothing
// may touch once the call has returned. An adapter that keeps a pointer into them ends its process.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>

#include "adapter/library.h"
#include "check/checks.h"
#include "check/endpoint.h"

namespace headroom::check {
namespace {

constexpr std::size_t kPackets = 120;
constexpr std::size_t kMessages = 24;
constexpr std::size_t kLongestBurst = 3;
constexpr int kMostReverse = 64;  // packets after one packet, and outputs of one
constexpr std::size_t kErrorCapacity = 256;

// The buffers of one call.
class CallBuffers {
 public:
  CallBuffers() : base_(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (base_ == MAP_FAILED) throw std::bad_alloc();
  }
  // The addresses stay taken: no later buffer may lie there.
  ~CallBuffers() {
    madvise(base_, kSize, MADV_DONTNEED);
    mprotect(base_, kSize, PROT_NONE);
  }
  CallBuffers(const CallBuffers&) = delete;
  CallBuffers& operator=(const CallBuffers&) = delete;

  [[nodiscard]] std::uint8_t* octets(std::size_t count) {
    if (count > kSize - used_) throw NotJudged("the packets are too long for this check.");
    std::uint8_t* const start = static_cast<std::uint8_t*>(base_) + used_;
    used_ = (used_ + count + kAlignment - 1) / kAlignment * kAlignment;
    return start;
  }
  [[nodiscard]] std::uint8_t* copy(OctetView given) {
    std::uint8_t* const start = octets(given.size() + 1);
    std::copy(given.begin(), given.end(), start);
    return start;
  }
  [[nodiscard]] const char* text(const std::string& given) {  // with its NUL
    return static_cast<char*>(std::memcpy(octets(given.size() + 1), given.c_str(), given.size() + 1));
  }
  template <typename T>
  [[nodiscard]] T* array(std::size_t count, const T& value = {}) {
    T* const start = reinterpret_cast<T*>(octets(count * sizeof(T)));
    std::uninitialized_fill_n(start, count, value);
    return start;
  }

 private:
  static constexpr std::size_t kSize = 512 << 10;
  static constexpr std::size_t kAlignment = 64;
  void* base_;
  std::size_t used_ = 0;
};

// One instance, each of whose calls has buffers of its own.
class Borrower {
 public:
  Borrower(const AdapterJob& job, headroom_role role)
      : library_(Library::open(job.library, "/library")),
        self_(create(library_->api(), job, role)),
        caller_(*library_, self_, role) {}
  ~Borrower() { library_->api().destroy(self_); }
  Borrower(const Borrower&) = delete;
  Borrower& operator=(const Borrower&) = delete;

  // What came out of each, in order; nothing of what did not come out.
  std::vector<TypedPacket> process(bool compressing, const std::vector<PacketInput>& inputs, std::uint64_t now_ns) {
    CallBuffers buffers;
    const std::size_t count = inputs.size();
    auto* const packets = buffers.array<headroom_packet>(count);
    auto* const details = buffers.array<headroom_detail>(count);
    for (std::size_t i = 0; i < count; ++i) {
      const OctetView octets(buffers.copy(inputs[i].octets), inputs[i].octets.size());
      const std::size_t room = room_for(compressing, octets.size());
      packets[i] =
          record_of({octets, inputs[i].channel, inputs[i].type}, buffers.octets(room), room, HEADROOM_ERR_INTERNAL);
    }
    const std::vector<headroom_packet> given(packets, packets + count);
    std::vector<TypedPacket> outputs;
    called(name_of_function(compressing));
    caller_.process_all(compressing, packets, count, now_ns, details, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (packets[i].status != HEADROOM_OK || packets[i].out_length > given[i].out_capacity) continue;
        outputs.push_back({Octets(given[i].out, given[i].out + packets[i].out_length), packets[i].out_type});
      }
      if (packets[end - 1].more != 0) drain(given[end - 1].out_capacity, now_ns, outputs);
      if (end < count) called(name_of_function(compressing));
    });
    return outputs;
  }

  std::vector<ReversePacket> take(std::uint64_t now_ns) {
    std::vector<ReversePacket> taken;
    for (int i = 0; i < kMostReverse && caller_.has_take_reverse(); ++i) {
      CallBuffers buffers;
      std::uint8_t* const out = buffers.octets(HEADROOM_REVERSE_MAX);
      auto* const packet = buffers.array(1, record_of({}, out, HEADROOM_REVERSE_MAX, HEADROOM_OK));
      called("take_reverse");
      if (caller_.take_reverse(packet, 1, now_ns) != 1 || packet->out_length > HEADROOM_REVERSE_MAX) break;
      taken.push_back({Octets(out, out + packet->out_length), packet->channel, packet->out_type});
    }
    return taken;
  }

  void give(const Octets& octets, std::uint16_t type, std::uint64_t now_ns) {
    if (!caller_.has_give_reverse()) return;
    CallBuffers buffers;
    const OctetView copy(buffers.copy(octets), octets.size());
    called("give_reverse");
    (void)caller_.give_reverse(buffers.array(1, record_of({copy, 0, type}, nullptr, 0)), 1, now_ns);
  }

  void ask_for_statistics() {
    constexpr std::size_t kCapacity = 64 << 10;
    CallBuffers buffers;
    called("statistics");
    (void)caller_.statistics(buffers.array<char>(kCapacity), kCapacity);
  }

  void control(const std::string& message) {
    if (!caller_.has_control()) return;
    CallBuffers buffers;
    called("control");
    (void)caller_.control(buffers.text(message), buffers.array<char>(kErrorCapacity), kErrorCapacity);
  }

  void open(std::uint32_t compartment) {
    CallBuffers buffers;
    called("sessions.open");
    char* const error = buffers.array<char>(kErrorCapacity);
    if (library_->sessions() == nullptr || caller_.open(compartment, buffers.text("{}"), error, kErrorCapacity) != 1) {
      throw NotJudged(std::string("no compartment can be opened: ") + error);
    }
  }

  void accept(std::uint32_t compartment) {
    called("messages.accept");
    if (library_->messages() != nullptr) (void)caller_.accept(compartment);
  }

  void ask_about_message() {
    if (library_->messages() == nullptr || !caller_.has_detail()) return;
    CallBuffers buffers;
    auto* const detail = buffers.array<headroom_message_detail>(1);
    detail->struct_size = sizeof *detail;
    called("messages.detail");
    caller_.detail(*detail);
  }

 private:
  static headroom_instance* create(const headroom_api& api, const AdapterJob& job, headroom_role role) {
    CallBuffers buffers;
    note(std::string("create was called for a ") + name_of(role));
    char* const error = buffers.array<char>(kErrorCapacity);
    headroom_instance* const self = api.create(role, buffers.text(job.config.dump()), error, kErrorCapacity);
    if (self == nullptr) throw NotJudged(std::string("no instance can be made: ") + error);
    return self;
  }
  void drain(std::size_t room, std::uint64_t now_ns, std::vector<TypedPacket>& outputs) {
    for (int i = 0; i < kMostReverse && caller_.has_drain(); ++i) {
      CallBuffers buffers;
      std::uint8_t* const out = buffers.octets(room);
      auto* const packet = buffers.array(1, record_of({}, out, room, HEADROOM_OK));
      called("drain");
      if (caller_.drain(packet, 1, now_ns, buffers.array<headroom_detail>(1)) != 1) return;
      if (packet->status == HEADROOM_OK && packet->out_length <= room)
        outputs.push_back({Octets(out, out + packet->out_length), packet->out_type});
    }
    if (caller_.has_drain()) throw NotJudged("drain never comes to an end; see the other checks.");
  }
  [[nodiscard]] std::size_t room_for(bool compressing, std::size_t length) const {
    if (caller_.role() != HEADROOM_ENDPOINT) return length + HEADROOM_EXPANSION;
    return compressing ? 2 * length + HEADROOM_MESSAGE_EXPANSION : std::max<std::size_t>(length, HEADROOM_MESSAGE_MAX);
  }
  void called(const char* function) {
    note("call " + std::to_string(++calls_) + " of a " + name_of(caller_.role()) + " was made, " + function +
         ", and the buffers of the calls before it could not be touched any more");
  }

  std::shared_ptr<const Library> library_;
  headroom_instance* self_;
  Caller<Judged> caller_;
  std::size_t calls_ = 0;
};

// Packets through whatever there is, with feedback by each way that there is.
void send_packets(const Subject& subject) {
  std::unique_ptr<Borrower> compressor, decompressor;
  if (subject.compressor) compressor = std::make_unique<Borrower>(subject.adapter, HEADROOM_COMPRESSOR);
  if (subject.decompressor) decompressor = std::make_unique<Borrower>(subject.adapter, HEADROOM_DECOMPRESSOR);
  const std::size_t count = std::min(kPackets, subject.packets.size());
  for (std::size_t i = 0, burst = 1; i < count; i += burst, burst = burst % kLongestBurst + 1) {
    const std::uint64_t now_ns = time_of(i);
    std::vector<PacketInput> inputs;
    for (std::size_t k = i; k < std::min(i + burst, count); ++k) inputs.push_back(input_of(subject.packets[k]));
    std::vector<TypedPacket> made;
    if (compressor) {
      made = compressor->process(true, inputs, now_ns);
      inputs.clear();
      for (const TypedPacket& packet : made) inputs.push_back(input_of(packet));
    }
    if (!decompressor || inputs.empty()) continue;
    (void)decompressor->process(false, inputs, now_ns);
    for (const ReversePacket& packet : decompressor->take(now_ns)) {
      const bool piggybacks = packet.type == HEADROOM_REVERSE_FAR && burst == 1;
      if (compressor)
        compressor->give(packet.octets, piggybacks ? HEADROOM_REVERSE_FAR : HEADROOM_REVERSE_NEAR, now_ns);
    }
  }
  for (Borrower* const each : {compressor.get(), decompressor.get()}) {
    if (each == nullptr) continue;
    each->ask_for_statistics();
    each->control(R"({"signal": "no such signal"})");
  }
}

void send_messages(const Subject& subject) {
  Borrower a(subject.adapter, HEADROOM_ENDPOINT), b(subject.adapter, HEADROOM_ENDPOINT);
  for (const std::uint32_t compartment : {0U, 1U}) {
    a.open(compartment);
    b.open(compartment);
  }
  // The application finds out after a while whose message it was, and asks about it before and after.
  const auto receive = [](Borrower& to, OctetView message, std::size_t i) {
    const bool known = i % 4 == 0;
    const Octets another = sip_message(i);
    (void)to.process(false, {{message, known ? 0 : HEADROOM_NO_SESSION}}, time_of(i));
    if (i % 2 == 0) to.ask_about_message();
    (void)to.take(time_of(i));
    if (i % 3 == 0) (void)to.process(true, {{another, 1}}, time_of(i));  // for another peer
    to.accept(0);
    to.ask_about_message();
  };
  for (std::size_t i = 0; i < kMessages; ++i) {
    Borrower& from = i % 2 == 0 ? a : b;
    Borrower& to = i % 2 == 0 ? b : a;
    const Octets message = sip_message(i);
    for (const TypedPacket& made : from.process(true, {{message}}, time_of(i))) {
      if (i % 2 == 1) from.ask_about_message();
      receive(to, made.octets, i);
    }
    receive(to, known_scheme(subject).trials.returning_message, 2 * i + 1);
  }
  a.ask_for_statistics();
  a.control(R"({"no such": "message"})");
}

// Streams, in pieces that end anywhere.
void send_stream(const Subject& subject) {
  AdapterJob job = with_transport(subject.adapter, "tcp");
  Borrower a(job, HEADROOM_ENDPOINT), b(job, HEADROOM_ENDPOINT);
  a.open(0);
  b.open(0);
  constexpr std::size_t kPiece = 37;
  for (std::size_t i = 0; i < kMessages; ++i) {
    const Octets message = sip_message(i);
    for (const TypedPacket& made : a.process(true, {{message}}, time_of(i))) {
      for (std::size_t at = 0; at < made.octets.size(); at += kPiece) {
        const OctetView piece = OctetView(made.octets).subspan(at, std::min(kPiece, made.octets.size() - at));
        (void)b.process(false, {{piece}}, time_of(i));
        (void)b.process(false, {PacketInput()}, time_of(i));
        b.ask_about_message();
      }
    }
  }
}

}  // namespace

Outcome check_buffer_lifetime(const Subject& subject) {
  if (!subject.endpoint) {
    send_packets(subject);
    return {};
  }
  send_messages(subject);
  if (offers(subject, "transports", "tcp")) send_stream(subject);
  return {};
}

}  // namespace headroom::check
