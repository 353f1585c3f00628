// SPDX-License-Identifier: Apache-2.0
//
// What an adapter asks of the operating system: system calls, threads, files, memory, output.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>

#include "base/process.h"
#include "base/sanitizer.h"
#include "check/call_watch.h"
#include "check/checks.h"
#include "check/endpoint.h"
#include "check/syscall_filter.h"
#include "check/user_plane.h"

namespace headroom::check {
namespace {

// A compressor and a decompressor, or two endpoints, that are driven in circles over the same packets without the
// engine allocating anything.
class PacketLoop {
 public:
  explicit PacketLoop(const Subject& subject) {
    if (subject.user_plane) {
      plane_ = std::make_unique<CheckedUserPlane>(subject.adapter, 1);
      for (const UserPlaneTrial::Packet& packet : establish(*plane_, subject)) {
        Octets octets(packet.octets.size() + 2 * kRoom);
        std::copy(packet.octets.begin(), packet.octets.end(), octets.begin() + kRoom);
        plain_.push_back({std::move(octets), static_cast<std::uint16_t>(packet.side)});
        middle_.resize(std::max(middle_.size(), plain_.back().octets.size() + 2 * kSlack));
      }
      out_.resize(HEADROOM_USER_PLANE_MAX);
      return;
    }
    if (subject.endpoint) {
      for (std::unique_ptr<Instance>* side : {&compressor_, &decompressor_}) {
        *side = std::make_unique<Instance>(subject.adapter, HEADROOM_ENDPOINT);
        if ((*side)->sessions() == nullptr) throw NotJudged("no compartment can be opened: there are no sessions.");
        if (const auto sentence = caller_of(**side).open(0, "{}"))
          throw NotJudged("no compartment can be opened: " + *sentence);
      }
      for (std::size_t i = 0; i < kMessages; ++i) plain_.push_back(padded(sip_message(i)));
      middle_.resize(2 * plain_.back().octets.size() + HEADROOM_MESSAGE_EXPANSION);
      out_.resize(HEADROOM_MESSAGE_MAX);
      reverse_.resize(HEADROOM_REVERSE_MAX);
      drained_.resize(out_.size());
      return;
    }
    if (subject.compressor) {
      compressor_ = std::make_unique<Instance>(subject.adapter, HEADROOM_COMPRESSOR);
      for (const SourcePacket& packet : subject.packets) plain_.push_back(padded(packet.octets, packet.type));
    }
    if (subject.decompressor) {
      decompressor_ = std::make_unique<Instance>(subject.adapter, HEADROOM_DECOMPRESSOR);
      for (std::size_t i = 0; !subject.compressor && i < subject.packets.size(); ++i)
        link_.push_back(padded(subject.packets[i].octets, subject.packets[i].type));
    }
    std::size_t longest = 0;
    for (const TypedPacket& packet : plain_) longest = std::max(longest, packet.octets.size());
    for (const TypedPacket& packet : link_) longest = std::max(longest, packet.octets.size());
    middle_.resize(longest + 2 * HEADROOM_EXPANSION);
    out_.resize(longest + 4 * HEADROOM_EXPANSION);
    reverse_.resize(HEADROOM_REVERSE_MAX);
    drained_.resize(out_.size());
  }

  // One packet through whatever there is. Time goes on by 20 ms a packet.
  void step() {
    if (plane_) {
      step_user_packet();
      return;
    }
    if (compressor_ && compressor_->role() == HEADROOM_ENDPOINT) {
      step_message();
      return;
    }
    const std::uint64_t now_ns = time_of(step_);
    const std::vector<TypedPacket>& source = compressor_ ? plain_ : link_;
    const PacketInput input = without_slack(source[step_++ % source.size()]);
    headroom_packet packet = make(input, middle_);
    if (compressor_) {
      process(*compressor_, true, packet, now_ns);
      if (packet.status != HEADROOM_OK || packet.out_length > packet.out_capacity || !decompressor_) return;
    }
    headroom_packet arrived = make(compressor_ ? output_of(packet) : input, out_);
    process(*decompressor_, false, arrived, now_ns);
    take_reverse(*decompressor_, compressor_.get(), now_ns);
  }

  void steps(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) step();
  }
  [[nodiscard]] std::size_t packets() const { return compressor_ || plane_ ? plain_.size() : link_.size(); }

 private:
  static constexpr std::size_t kMessages = 24;
  static constexpr std::uint16_t kRoom = HEADROOM_USER_PLANE_ROOM;

  void step_user_packet() {
    const std::uint64_t now_ns = time_of(step_);
    const TypedPacket& source = plain_[step_++ % plain_.size()];
    std::copy(source.octets.begin(), source.octets.end(), middle_.begin() + kSlack);
    headroom_user_packet packet = {};
    packet.octets = middle_.data() + kSlack + kRoom;
    packet.length = static_cast<std::uint32_t>(source.octets.size() - 2 * kRoom);
    packet.room_before = packet.room_behind = kRoom;
    packet.side = source.type;
    const headroom_user_plane& functions = plane_->workers().functions();
    functions.forward(plane_->workers().first(), &packet, 1, now_ns);
    for (std::size_t i = 0; packet.more != 0 && i < kMostOutputs; ++i) {
      headroom_user_packet taken = {};
      taken.octets = out_.data();
      taken.length = HEADROOM_USER_PLANE_MAX;
      if (functions.take(plane_->workers().first(), &taken, 1, now_ns) == 0) return;
    }
  }

  // The two take turns.
  void step_message() {
    const std::uint64_t now_ns = time_of(step_);
    Instance& from = step_ % 2 == 0 ? *compressor_ : *decompressor_;
    Instance& to = step_ % 2 == 0 ? *decompressor_ : *compressor_;
    headroom_packet packet = make(without_slack(plain_[step_++ % plain_.size()]), middle_);
    packet.out_capacity = static_cast<std::uint32_t>(middle_.size());
    process(from, true, packet, now_ns);
    if (packet.status != HEADROOM_OK || packet.out_length > packet.out_capacity) return;
    headroom_packet arrived = make(output_of(packet), out_);
    arrived.out_capacity = static_cast<std::uint32_t>(out_.size());
    process(to, false, arrived, now_ns);
    take_reverse(to, nullptr, now_ns);
  }

  void process(const Instance& instance, bool compressing, headroom_packet& packet, std::uint64_t now_ns) {
    const Caller<Fast> caller(instance);
    (void)caller.process(compressing, &packet, 1, now_ns);
    if (packet.more == 0) return;
    caller.drain_all(compressing, record_of({}, drained_.data(), drained_.size()), kMostOutputs, now_ns,
                     [](const headroom_packet&) {});
  }

  // What `from` wants sent reaches `to`, if there is one.
  void take_reverse(const Instance& from, const Instance* to, std::uint64_t now_ns) {
    for (std::size_t i = 0; i < kMostOutputs; ++i) {
      const auto packet = Caller<Fast>(from).next_reverse(reverse_.data(), now_ns);
      if (!packet) return;
      if (to != nullptr)
        (void)Caller<Fast>(*to).give_reverse({packet->octets, packet->channel, HEADROOM_REVERSE_NEAR}, now_ns);
    }
  }

  static constexpr std::size_t kMostOutputs = 64;
  static constexpr std::size_t kSlack =
      64;  // octets after each packet: reading past its end is what another check looks for

  static TypedPacket padded(Octets octets, std::uint16_t type = HEADROOM_TYPE_DEFAULT) {
    octets.resize(octets.size() + kSlack);
    return {std::move(octets), type};
  }
  static PacketInput without_slack(const TypedPacket& packet) {
    return {OctetView(packet.octets).first(packet.octets.size() - kSlack), 0, packet.type};
  }

  // What came out of a packet, which is in `middle_`.
  [[nodiscard]] PacketInput output_of(const headroom_packet& packet) const {
    return {{middle_.data(), packet.out_length}, 0, packet.out_type};
  }
  static headroom_packet make(const PacketInput& input, Octets& out) {
    return record_of(input, out.data(), input.octets.size() + HEADROOM_EXPANSION);
  }

  std::unique_ptr<Instance> compressor_, decompressor_;
  std::unique_ptr<CheckedUserPlane> plane_;
  std::vector<TypedPacket> plain_, link_;
  Octets middle_, out_, reverse_, drained_;
  std::size_t step_ = 0;
};

void require_packets(const PacketLoop& loop) {
  if (loop.packets() == 0) throw NotJudged("there is no packet to try it with.");
}

// The life of a pair of instances, from creation to destruction.
void live(const Subject& subject, std::size_t packets) {
  PacketLoop loop(subject);
  require_packets(loop);
  loop.steps(packets);
}

std::size_t threads() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    count += entry.is_directory() ? 1u : 0u;
  return count;
}

std::set<std::string> open_files() {
  std::set<std::string> files;
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    char name[64];
    char target[256];
    std::snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(name, target, sizeof target);
    if (length > 0)
      files.insert(std::to_string(descriptor) + " (" + std::string(target, static_cast<std::size_t>(length)) + ")");
  }
  return files;
}

}  // namespace

Outcome check_no_clock(const Subject& subject) {
  if (kThreadSanitizer) throw NotJudged("ThreadSanitizer itself reads the time-stamp counter.");
  // Loaded before, because the loader is not the adapter; instances are made without a clock as packets are handled.
  const auto library = Library::open(subject.adapter.library, "/library");
  std::optional<PacketLoop> loop;
  if (kAddressSanitizer) loop.emplace(subject);  // whose allocator reads the counter for what instances take
  note("instances were made and packets handled with every clock forbidden");
  forbid_clock_and_randomness();
  if (!loop) loop.emplace(subject);
  require_packets(*loop);
  loop->steps(2 * loop->packets());
  return {};
}

Outcome check_no_system_calls(const Subject& subject) {
  PacketLoop loop(subject);
  require_packets(loop);
  loop.steps(2 * loop.packets());  // the first packets of each flow may do as they like
  note("packets were handled with every system call forbidden");
  forbid_system_calls();
  loop.steps(2 * loop.packets());
  end_child(Verdict::pass, "");  // an ordinary return would need calls that are forbidden now
}

Outcome check_no_allocation(const Subject& subject) {
  // Watched before instances are made, which may take pointers to allocators, and again behind the first packets: by
  // then it has opened the libraries that it needs.
  const auto library = Library::open(subject.adapter.library, "/library");
  note("the adapter's calls of allocators and locks were redirected");
  const unsigned found = watch_calls();
  PacketLoop loop(subject);
  require_packets(loop);
  loop.steps(2 * loop.packets());
  if (found + watch_calls() == 0) throw NotJudged("calls of allocators and locks cannot be watched here.");
  note("packets were handled with calls of allocators and locks watched");
  forget_calls();
  loop.steps(2 * loop.packets());
  const WatchedCalls calls = watched_calls();
  if (calls.count == 0) return {};
  throw Broken("it calls " + std::string(calls.first) + ", and others such, " + std::to_string(calls.count) +
               " times for " + std::to_string(2 * loop.packets()) +
               " packets, although the flows' first packets have passed.");
}

Outcome check_quiet(const Subject& subject) {
  const int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0) throw LacksHere("this kernel has no files in memory.");
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  live(subject, 300);
  std::fflush(nullptr);
  struct stat about = {};
  fstat(file, &about);
  if (about.st_size == 0) return {};
  std::string printed(80, '\0');
  const ssize_t length = pread(file, printed.data(), printed.size(), 0);
  printed.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  throw Broken("it prints " + std::to_string(about.st_size) + " octets: \"" + printed + "\".");
}

Outcome check_threads(const Subject& subject) {
  const std::size_t before = threads();
  PacketLoop loop(subject);
  require_packets(loop);
  loop.steps(300);
  const std::size_t during = threads();
  if (during > before) throw Broken("it starts " + std::to_string(during - before) + " thread(s).");
  return {};
}

Outcome check_files(const Subject& subject) {
  const std::set<std::string> before = open_files();  // before the library is loaded, which may open some, too
  live(subject, 300);
  for (const std::string& file : open_files()) {
    if (!before.contains(file)) throw Broken("it leaves a file open: descriptor " + file + ".");
  }
  return {};
}

Outcome check_memory_flat(const Subject& subject) {
  // A message takes a hundred times as long as a packet.
  const std::size_t kWarmUp = subject.endpoint ? 600 : 20'000, kPackets = subject.endpoint ? 6'000 : 200'000;
  constexpr std::size_t kForgiven = 64 << 10;           // octets of heap
  constexpr std::uint64_t kForgivenResident = 2 << 20;  // octets of memory that does not come from malloc
  PacketLoop loop(subject);
  require_packets(loop);
  loop.steps(kWarmUp);
  const std::size_t heap = heap_in_use();
  const std::uint64_t resident = resident_octets();
  loop.steps(kPackets);
  const std::size_t heap_after = heap_in_use();
  const std::uint64_t resident_after = resident_octets();
  const std::string over = " octets over " + std::to_string(kPackets) + " packets of flows that it knows.";
  if (heap_after > heap + kForgiven) throw Broken("its heap grows by " + std::to_string(heap_after - heap) + over);
  if (!kAddressSanitizer && resident_after > resident + kForgivenResident)
    throw Broken("the process grows by " + std::to_string(resident_after - resident) + over);
  return {};
}

Outcome check_destroy_frees(const Subject& subject) {
  constexpr int kWarmUp = 10, kLives = 100;
  constexpr std::size_t kForgiven = 4 << 10;  // octets of heap over all of them
  constexpr std::uint64_t kForgivenResident = 4 << 20;
  // Loaded throughout: loading a library takes memory of its own.
  const auto library = Library::open(subject.adapter.library, "/library");
  for (int i = 0; i < kWarmUp; ++i) live(subject, 50);
  // What malloc keeps for the thread, to be given out again, counts as in use. How much that becomes depends on what
  // this process has inherited, but it comes to an end; so one that has grown gets further chances.
  for (int chances = 3;; --chances) {
    const std::size_t heap = heap_in_use();
    const std::uint64_t resident = resident_octets();
    for (int i = 0; i < kLives; ++i) live(subject, 50);
    const std::size_t heap_after = heap_in_use();
    const std::uint64_t resident_after = resident_octets();
    const bool heap_grows = heap_after > heap + kForgiven;
    if (!heap_grows && (kAddressSanitizer || resident_after <= resident + kForgivenResident)) return {};
    if (chances != 0) continue;
    const std::string over = " octets after " + std::to_string(kLives) + " instances were made and destroyed.";
    if (heap_grows) throw Broken("its heap has grown by " + std::to_string(heap_after - heap) + over);
    throw Broken("the process has grown by " + std::to_string(resident_after - resident) + over);
  }
}

}  // namespace headroom::check
