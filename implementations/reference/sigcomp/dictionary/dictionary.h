// SPDX-License-Identifier: Apache-2.0
//
// The static dictionaries: items of state that every endpoint has (for SIP and SDP: RFC 3485, RFC 5049 4.5) or may have
// (for presence: RFC 5112). Both have address 0, instruction 0 and a minimum access length of 6 octets.
#pragma once

#include "sigcomp/octets.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

struct Dictionary {
  Octets value;
  Sha1Digest identifier;  // as printed in the RFC
};

[[nodiscard]] const Dictionary& sip_sdp_dictionary() noexcept;   // RFC 3485 section 3, 4,836 octets
[[nodiscard]] const Dictionary& presence_dictionary() noexcept;  // RFC 5112 section 3, 3,475 octets

}  // namespace headroom::sigcomp
