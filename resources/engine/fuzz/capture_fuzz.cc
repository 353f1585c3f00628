// SPDX-License-Identifier: Apache-2.0
//
// Fuzz target: capture files, as the engine reads them. Nothing but a result or an Error may come of any octets.
#include "base/error.h"
#include "capture/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const headroom::LinkFraming* link :
       {static_cast<const headroom::LinkFraming*>(nullptr), &headroom::kUnknownFraming}) {
    try {
      headroom::CaptureFilter filter;
      filter.link = link;
      const headroom::Capture capture = headroom::read_capture(headroom::OctetView(data, size), filter);
      for (const headroom::CapturedPacket& packet : capture.packets) {
        if (packet.octets.empty() || packet.octets.size() > 65'535) __builtin_trap();
      }
    } catch (const headroom::Error&) {
    }
  }
  return 0;
}
