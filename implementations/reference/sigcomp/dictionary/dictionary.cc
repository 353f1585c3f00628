// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/dictionary/dictionary.h"

namespace headroom::sigcomp {
namespace {

constexpr std::uint8_t kSipSdp[] = {
#include "sigcomp/dictionary/sip_sdp.inc"
};
constexpr std::uint8_t kPresence[] = {
#include "sigcomp/dictionary/presence.inc"
};
static_assert(sizeof kSipSdp == 0x12e4);
static_assert(sizeof kPresence == 0x0d93);

constexpr Dictionary kSipSdpDictionary = {kSipSdp, {0xfb, 0xe5, 0x07, 0xdf, 0xe5, 0xe6, 0xaa, 0x5a, 0xf2, 0xab,
                                                    0xb9, 0x14, 0xce, 0xaa, 0x05, 0xf9, 0x9c, 0xe6, 0x1b, 0xa5}};
constexpr Dictionary kPresenceDictionary = {kPresence, {0xd9, 0x42, 0x29, 0x7d, 0x0b, 0xb3, 0x8f, 0xc0, 0x1d, 0x67,
                                                        0x41, 0xd6, 0xb3, 0xb4, 0x81, 0x57, 0xac, 0x8e, 0x1b, 0xe0}};

}  // namespace

const Dictionary& sip_sdp_dictionary() noexcept { return kSipSdpDictionary; }
const Dictionary& presence_dictionary() noexcept { return kPresenceDictionary; }

}  // namespace headroom::sigcomp
