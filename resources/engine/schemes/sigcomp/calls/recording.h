// SPDX-License-Identifier: Apache-2.0
//
// The messages of calls, precomputed (precompute.h): a file that one process of the engine writes, and another one
// reads, on the same machine. The writer hosts adapters, which could write to the file, too. So the reader trusts no
// octet of it, and compares it with digests of what the writer kept.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_RECORDING_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_RECORDING_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/sha256.h"
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

// The numbers of the parts of a recording: first those of all users' registrations, then those of all calls.
struct PartNumbers {
  PartNumbers(const Job& job, const Plan& plan) noexcept
      : registration_steps(job.registration.size()),
        call_steps(job.call.size()),
        registrations(plan.users * job.registration.size()),
        count(registrations + plan.calls.size() * job.call.size()) {}

  [[nodiscard]] std::size_t registration(std::uint32_t user, std::size_t step) const noexcept {
    return user * registration_steps + step;
  }
  [[nodiscard]] std::size_t call(std::uint32_t call, std::size_t step) const noexcept {
    return registrations + call * call_steps + step;
  }

  std::size_t registration_steps, call_steps, registrations, count;
};

// The calls of each user, in order: process n of those that write a recording plays the users whose number modulo the
// number of processes is n, one after the other.
class CallsOfUsers {
 public:
  CallsOfUsers(const Job& job, const Plan& plan);

  template <typename Use>
  void each(std::uint32_t user, Use use) const {
    if (!keeps_compartments_) return use(user);  // a user for each call
    for (const std::uint32_t call : of_[user]) use(call);
  }

 private:
  bool keeps_compartments_;
  std::vector<std::vector<std::uint32_t>> of_;
};

// The digest of parts and their numbers, in order.
class PartsDigest {
 public:
  void add(std::size_t number, const Part& part);
  // Returns 64 hexadecimal digits. The object cannot be used afterwards.
  [[nodiscard]] std::string finish() { return sha256_.finish(); }

 private:
  Sha256 sha256_;
};

// A file in memory, shared with other processes.
class MappedFile {
 public:
  // Maps `length` octets of an open file. Throws Error(internal).
  MappedFile(int descriptor, std::size_t length, bool writable);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::uint8_t* at(std::size_t offset) const noexcept {
    return static_cast<std::uint8_t*>(start_) + offset;
  }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }

 private:
  void* start_;
  std::size_t length_;
};

// The descriptor of an open file, which is closed with this.
class OpenFile {
 public:
  OpenFile(const std::string& path, int flags, ErrorKind kind);  // throws Error(kind)
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

// A recording that is being written, by several processes that were forked after its construction.
class NewRecording {
 public:
  // Writes to the file `path` from its beginning. Throws Error(output).
  NewRecording(const std::string& path, const PartNumbers& numbers);

  // What one process writes.
  class Writer {
   public:
    explicit Writer(NewRecording& recording) : recording_(recording) {}
    // Stores a part under its number. Throws Error(output).
    void keep(std::size_t number, const Part& part);
    // Writes what has not been written yet, and returns the digest of all parts. Throws Error(output). The object
    // cannot be used afterwards.
    [[nodiscard]] std::string finish();

   private:
    void flush();

    NewRecording& recording_;
    PartsDigest digest_;
    std::uint64_t offset_ = 0;  // place of `waiting_` in the file
    Octets waiting_;
  };

  // Returns the octets of the file.
  [[nodiscard]] std::uint64_t size() const;

 private:
  // Makes room for the index. Returns the descriptor of the file.
  static int with_index(int descriptor, std::size_t length);

  OpenFile file_;
  MappedFile index_;
};

// A recording that is read.
class Recording {
 public:
  // Opens the recording of a job, and compares all its messages with those of the job, and its parts with the digests
  // there. Throws Error(input) if the file cannot be read, and Error(adapter) if its messages are others, or it has
  // more than these: an adapter has changed it.
  Recording(const Job& job, const Plan& plan);

  [[nodiscard]] Part registration(std::uint32_t user, std::uint32_t step) const noexcept {
    return part(numbers_.registration(user, step));
  }
  [[nodiscard]] Part call(std::uint32_t call, std::uint32_t step) const noexcept {
    return part(numbers_.call(call, step));
  }
  // Returns the octets of the file.
  [[nodiscard]] std::size_t size() const noexcept { return mapped_.length(); }

 private:
  [[nodiscard]] Part part(std::size_t number) const noexcept;
  void require_messages_of(const Job& job, const Plan& plan) const;
  void require(std::size_t number, const Message& message, OctetView text) const;
  void require_parts_of(const Job& job, const Plan& plan) const;

  const PartNumbers numbers_;
  const OpenFile file_;
  const MappedFile mapped_;
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_RECORDING_H
