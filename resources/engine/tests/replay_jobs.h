// SPDX-License-Identifier: Apache-2.0
//
// Jobs of `replay` for tests.
#ifndef HEADROOM_TESTS_REPLAY_JOBS_H
#define HEADROOM_TESTS_REPLAY_JOBS_H

#include <gtest/gtest.h>

#include <string>

#include "profiles.h"
#include "replay/run.h"

namespace headroom::replay {

using namespace headroom::testing;

inline const std::string kNull = HEADROOM_LIBRARIES "/null.so";
inline const std::string kTalker = HEADROOM_LIBRARIES "/faulty/talker.so";
inline const std::string kReference = HEADROOM_LIBRARIES "/reference.so";

inline std::string faulty(const std::string& fault) { return HEADROOM_LIBRARIES "/faulty/faulty_" + fault + ".so"; }

inline Json adapter(const std::string& library) { return {{"library", library}, {"config", {{"scheme", "rohc"}}}}; }

// A job with the same adapter on both sides.
inline Json job_with(const std::string& library, std::uint64_t packets = 1000, std::uint64_t flows = 1) {
  return {{"compressor", adapter(library)},
          {"decompressor", adapter(library)},
          {"source", {{"profile", call_profile()}, {"flows", flows}, {"packets", packets}}},
          {"seed", 5}};
}

inline Json run_job(const Json& job) {
  const Json copy = parse_json(job.dump());
  return run(read_job(copy));
}

inline std::string job_error(const Json& job, ErrorKind kind) {
  try {
    (void)run_job(job);
  } catch (const Error& error) {
    EXPECT_EQ(name_of(error.kind()), std::string(headroom::name_of(kind)));
    return error.where() + ": " + error.what();
  }
  return "no error";
}

}  // namespace headroom::replay

#endif  // HEADROOM_TESTS_REPLAY_JOBS_H
