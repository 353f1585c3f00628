// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing outside the buffers, found by pages that must not be touched right beside them.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/nth.h"
#include "check/checks.h"

namespace headroom::check {
namespace {

constexpr std::size_t kMostOctets = 1 << 16;
constexpr std::uint8_t kFill = 0xA5;
constexpr std::size_t kSlack = 256;  // octets that a check about something else forgives

// Memory between two pages that must not be touched.
class Fenced {
 public:
  Fenced() {
    page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (kMostOctets + page_ - 1) / page_ * page_;
    void* mapped = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::uint8_t*>(mapped) + page_;
    writable(true);
  }
  ~Fenced() { munmap(base_ - page_, size_ + 2 * page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  void writable(bool yes) { mprotect(base_, size_, yes ? PROT_READ | PROT_WRITE : PROT_READ); }
  // `length` octets that end where the forbidden page begins, or start where the other one ends.
  [[nodiscard]] std::uint8_t* at_end(std::size_t length) const { return base_ + size_ - length; }
  [[nodiscard]] std::uint8_t* at_start() const { return base_; }

 private:
  std::size_t page_, size_;
  std::uint8_t* base_;
};

// An instance that has been given the first `count` of `inputs`.
std::unique_ptr<Instance> instance_after(const Subject& subject, headroom_role role,
                                         const std::vector<TypedPacket>& inputs, std::size_t count) {
  auto instance = std::make_unique<Instance>(subject.adapter, role);
  for (std::size_t i = 0; i < count; ++i) (void)call_one(*instance, input_of(inputs[i]), time_of(i));
  return instance;
}

void check_capacity(const Subject& subject, headroom_role role, const std::vector<TypedPacket>& inputs, std::size_t i,
                    std::uint32_t capacity, Fenced& out) {
  const std::unique_ptr<Instance> instance = instance_after(subject, role, inputs, i);
  note(nth("packet", i) + " was given to the " + name_of(role) + " with room for " + std::to_string(capacity) +
       " octets of output");
  std::uint8_t* buffer = out.at_end(capacity);
  constexpr std::size_t kBefore = 64;
  std::memset(buffer - kBefore, kFill, kBefore);
  Octets padded = inputs[i].octets;
  padded.resize(padded.size() + kSlack);
  const OctetView given(padded.data(), padded.size() - kSlack);
  headroom_packet packet = record_of({given, 0, inputs[i].type}, buffer, capacity);
  process_one(*instance, packet, time_of(i));
  if (std::any_of(buffer - kBefore, buffer, [](std::uint8_t octet) { return octet != kFill; })) {
    throw Broken(std::string("the ") + name_of(role) + " writes in front of its output buffer.");
  }
  if (packet.status == HEADROOM_OK && packet.out_length > capacity) {
    throw Broken(std::string("the ") + name_of(role) + " claims " + std::to_string(packet.out_length) +
                 " octets of output in a buffer of " + std::to_string(capacity) + "; ERR_NO_SPACE is right.");
  }
}

// Every length of every input, whole and cut short: flush against a forbidden page after it and before it, or in the
// middle of memory that can only be read.
enum class Place { at_the_edges, in_read_only_memory };

void try_inputs(const Subject& subject, Place place) {
  Fenced in;
  for_each_role(subject, [&](headroom_role role) {
    const std::vector<TypedPacket> inputs = inputs_for(subject, role, 12);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::unique_ptr<Instance> instance = instance_after(subject, role, inputs, i);
      for (std::size_t length = 0; length <= inputs[i].octets.size(); ++length) {
        const bool edges = place == Place::at_the_edges;
        for (std::uint8_t* at :
             {edges ? in.at_end(length) : in.at_start() + kSlack, in.at_start() + (edges ? 0 : kSlack)}) {
          note("the first " + std::to_string(length) + " octets of " + nth("packet", i) + " were given to the " +
               name_of(role));
          in.writable(true);
          std::copy_n(inputs[i].octets.begin(), length, at);
          in.writable(edges);
          Octets out(length + 4 * HEADROOM_EXPANSION);
          headroom_packet packet = record_of({{at, length}, 0, inputs[i].type}, out.data() + HEADROOM_EXPANSION,
                                             length + HEADROOM_EXPANSION);
          process_one(*instance, packet, time_of(i));
        }
      }
    }
  });
}

}  // namespace

Outcome check_output_bounds(const Subject& subject) {
  Fenced out;
  for_each_role(subject, [&](headroom_role role) {
    const std::vector<TypedPacket> inputs = inputs_for(subject, role, 6);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::unique_ptr<Instance> reference = instance_after(subject, role, inputs, i);
      const auto needed =
          static_cast<std::uint32_t>(call_one(*reference, input_of(inputs[i]), time_of(i)).octets.size());
      // Every capacity from nothing to a little more than is needed, and the one that the engine promises.
      const std::uint32_t most = std::min<std::uint32_t>(needed + 8, 512);
      for (std::uint32_t capacity = 0; capacity <= most; ++capacity)
        check_capacity(subject, role, inputs, i, capacity, out);
      check_capacity(subject, role, inputs, i, static_cast<std::uint32_t>(inputs[i].octets.size()) + HEADROOM_EXPANSION,
                     out);
    }
  });
  return {};
}

Outcome check_input_bounds(const Subject& subject) {
  try_inputs(subject, Place::at_the_edges);
  return {};
}

Outcome check_input_untouched(const Subject& subject) {
  try_inputs(subject, Place::in_read_only_memory);
  return {};
}

}  // namespace headroom::check
