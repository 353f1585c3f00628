// SPDX-License-Identifier: Apache-2.0
//
// Reads resources/vectors/sigcomp. Ends the program when a file is missing or wrong: without it nothing is proved.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp::test {

[[nodiscard]] inline std::string vector_file(const std::string& name) {
  std::ifstream in(std::string(HEADROOM_SIGCOMP_VECTORS) + "/" + name, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "%s cannot be read\n", name.c_str());
    std::abort();
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[nodiscard]] inline nlohmann::json vectors_of(const std::string& name) {
  return nlohmann::json::parse(vector_file(name));
}

}  // namespace headroom::sigcomp::test
