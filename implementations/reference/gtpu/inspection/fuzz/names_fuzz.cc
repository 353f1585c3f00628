// SPDX-License-Identifier: Apache-2.0
//
// The names of a packet's payload: there is a host wherever there is a text, and no character of it is a space.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "gtpu/inspection/names.h"

namespace {

using namespace headroom::gtpu::inspection;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Names names;
  read_names({data, size}, names);
  const bool is_named = names.protocol == Protocol::http || names.protocol == Protocol::tls;
  check(is_named == !names.host().empty() && names.host_length <= names.length);
  check(names.protocol == Protocol::http || names.path().empty());
  check(std::ranges::none_of(names.text(), [](char c) { return static_cast<unsigned char>(c) <= ' '; }));
  return 0;
}
