// SPDX-License-Identifier: Apache-2.0
//
// The job of `transfer`: the path, the TCP, and what compresses headers on the link.
#ifndef HEADROOM_TRANSFER_JOB_H
#define HEADROOM_TRANSFER_JOB_H

#include <cstdint>
#include <optional>

#include "adapter/instance.h"
#include "transfer/pipe.h"
#include "transfer/tcp_sender.h"

namespace headroom::transfer {

struct Codec {
  AdapterJob compressor, decompressor;
};

struct Job {
  SenderConfig tcp;
  std::uint32_t mtu = 576;  // octets of an IP packet with data
  PipeConfig network;       // between the fixed host and the router, the same both ways
  PipeConfig link;          // from the router to the mobile host
  PipeConfig reverse_link;
  std::optional<Codec> codec, reverse_codec;
  // Octets that a compressed header is taken to have; nothing: those that it has, or all 40 without a codec.
  std::optional<std::uint32_t> compressed_header;
  bool has_feedback = true;  // of the codec, over the reverse link
  double feedback_ber = 0;
  std::uint64_t warm_up_ns = 0;   // of a batch: the time before throughput is counted
  std::uint64_t duration_ns = 0;  // of a batch, after its warm-up
  std::uint32_t fewest_batches = 2, most_batches = 2;
  double standard_error = 0;  // of the mean, relative: batches end when it is reached
  std::uint64_t seed = 0;
};

inline constexpr std::uint32_t kMostBatches = 100'000;

// Throws Error(job).
[[nodiscard]] Job read_job(const Value& document);
[[nodiscard]] inline Job read_job(const Json& document) { return read_job(Value(document, "")); }

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_JOB_H
