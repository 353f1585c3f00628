// SPDX-License-Identifier: Apache-2.0
//
// The UEs, played beforehand. What a UE sends depends on what it has been told, so every call is gone through once, a
// user's endpoint at one end and a P-CSCF's at the other, each message restored octet by octet; what the P-CSCF
// receives is written down, and what it must make of it. In the run itself the UEs cost nothing: neither time nor
// memory of theirs can be taken for the P-CSCF's. It happens in processes of its own, one for each core.
//
// That rests on the promises of the ABI: the same calls give the same octets. A P-CSCF whose messages to one user
// depended on those of others would be found out, for its messages are compared with the rehearsal's.
#ifndef HEADROOM_CALLS_REHEARSAL_H
#define HEADROOM_CALLS_REHEARSAL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "calls/job.h"
#include "calls/plan.h"

namespace headroom::calls {

// What the P-CSCF is given, and what it makes of it.
struct Part {
  OctetView input;
  std::uint32_t output_length = 0;
  std::uint64_t output_hash = 0;
};

[[nodiscard]] std::uint64_t hash_of(OctetView octets) noexcept;

class Script {
 public:
  [[nodiscard]] Part registration(std::uint32_t user, std::uint32_t step) const noexcept;
  [[nodiscard]] Part call(std::uint32_t call, std::uint32_t step) const noexcept;
  // Octets of memory that the script takes, which are nobody's private memory.
  [[nodiscard]] std::size_t size() const noexcept;
  // How long the rehearsal took, and in how many processes.
  std::uint64_t wall_ns = 0;
  std::size_t processes = 0;

 private:
  friend class Rehearsal;

  // Memory shared between processes.
  struct Mapping {
    Mapping(void* where, std::size_t octets) noexcept : at(where), length(octets) {}
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    void* at;
    std::size_t length;
  };
  struct Entry {
    std::uint64_t offset;  // of the input, in the pages of its process
    std::uint64_t output_hash;
    std::uint32_t input_length, output_length;
    std::uint32_t process;
    std::uint32_t unused;
  };

  [[nodiscard]] Part part_of(std::size_t entry) const noexcept;

  std::size_t registrations_ = 0;  // entries of all users' registrations, which stand first
  std::size_t registration_steps_ = 0, call_steps_ = 0;
  std::shared_ptr<Mapping> index_;
  std::vector<std::shared_ptr<Mapping>> pages_;  // of each process
};

// Throws Error(adapter) when a message cannot be brought across, or an adapter takes its process with it.
[[nodiscard]] Script rehearse(const Job& job, const Plan& plan);

}  // namespace headroom::calls

#endif  // HEADROOM_CALLS_REHEARSAL_H
