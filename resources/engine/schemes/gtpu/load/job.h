// SPDX-License-Identifier: Apache-2.0
//
// The job of `load` for a user plane: sessions, traffic, and how the traffic is spread over workers.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_JOB_H
#define HEADROOM_SCHEMES_GTPU_LOAD_JOB_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/instance.h"

namespace headroom::gtpu::load {

enum class Rules : std::uint8_t { basic, rules, dpi };
enum class Distribution : std::uint8_t { queues, rx_cores };

struct Length {
  std::uint32_t weight = 1;
  std::uint32_t octets = 0;  // of the packet on N3, from its outer IP header
};

struct Traffic {
  std::uint32_t access_users = 600'000;  // users with a session
  std::uint32_t active_users = 6'000;    // of these, users that have flows
  std::uint32_t flows = 60'000;          // at any time
  std::uint32_t packets_of_flow = 200;   // mean; a flow that ends makes room for a new one
  double uplink_share = 0.5;             // of packets
  double http_share = 0.85;              // of flows; the others are UDP
  double hit_share = 0.1;                // of flows, that match a rule beside the default
  std::vector<Length> lengths = {{26, 104}, {10, 576}, {23, 1402}};
  std::vector<std::string> hosts = {"www.example.com"};  // of HTTP requests of flows that match a rule
};

struct Job {
  AdapterJob user_plane;               // with what the job implies in its configuration
  std::optional<AdapterJob> baseline;  // measured in turn with it
  Rules rules = Rules::basic;
  Distribution distribution = Distribution::queues;
  std::uint32_t workers = 1;
  std::uint32_t rx_cores = 1;
  std::vector<unsigned> cpus;  // of rx cores, if any, then of workers; empty: none is pinned
  Traffic traffic;
  std::uint64_t packets = 1'000'000;  // of a trial, by each worker
  std::uint32_t trials = 5;
  std::uint64_t seed = 0;
  bool stages = true;                                // measures stages by difference
  bool virtual_clock = false;                        // simulates further workers
  std::vector<std::uint32_t> virtual_threads = {1};  // of each design
  std::vector<double> loads = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  std::uint32_t n3 = 0;  // IPv4 address of the user plane
};

// True if a job of `load` is about a user plane.
[[nodiscard]] bool is_about_user_plane(const Json& job);

// Throws Error(job).
[[nodiscard]] Job read_job(const Json& document);

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_JOB_H
