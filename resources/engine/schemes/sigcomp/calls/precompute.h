// SPDX-License-Identifier: Apache-2.0
//
// UE traffic is precomputed. A UE's messages depend on those it has received, so every call is run once beforehand,
// with a user's endpoint at one end and a P-CSCF's at the other, and each message is checked octet by octet. The
// recording holds the messages that the P-CSCF receives and its expected output. In the run itself no time or memory of
// a UE is charged to the P-CSCF. The precomputation runs in processes of its own, one for each core.
//
// It relies on a promise of the ABI: the same calls give the same octets. A P-CSCF whose messages to one user depend on
// those of others is detected, because its messages are compared with the precomputed ones.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schemes/sigcomp/calls/job.h"
#include "schemes/sigcomp/calls/plan.h"

namespace headroom::sigcomp::calls {

// The input of the P-CSCF, and its output.
struct Part {
  OctetView input;
  std::uint32_t output_length = 0;
  std::uint64_t output_hash = 0;
};

[[nodiscard]] std::uint64_t hash_of(OctetView octets) noexcept;

class Recording {
 public:
  [[nodiscard]] Part registration(std::uint32_t user, std::uint32_t step) const noexcept;
  [[nodiscard]] Part call(std::uint32_t call, std::uint32_t step) const noexcept;
  // Returns the octets of shared memory that the recording takes.
  [[nodiscard]] std::size_t size() const noexcept;
  // The duration of the precomputation, and the number of its processes.
  std::uint64_t wall_ns = 0;
  std::size_t processes = 0;

 private:
  friend class Precomputation;

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
    std::uint64_t offset;  // offset of the input in the pages of its process
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

// Precomputes the recording. Throws Error(adapter) if a message cannot be delivered, or an adapter crashes its process.
[[nodiscard]] Recording precompute(const Job& job, const Plan& plan);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_PRECOMPUTE_H
