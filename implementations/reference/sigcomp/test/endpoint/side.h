// SPDX-License-Identifier: Apache-2.0
//
// One of two endpoints as the engine sees it: an instance behind the ABI, which checks what every call promises.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "headroom_messages.h"
#include "headroom_sessions.h"
#include "headroom_tools.h"
#include "sigcomp/test/support/sip.h"

namespace headroom::sigcomp::test {

using nlohmann::json;

inline const headroom_api& api() { return *headroom_implementation(); }
inline const headroom_sessions& sessions() {
  return *static_cast<const headroom_sessions*>(api().extension(HEADROOM_SESSIONS));
}
inline const headroom_messages& messages() {
  return *static_cast<const headroom_messages*>(api().extension(HEADROOM_MESSAGES));
}
inline const headroom_tools& tools() { return *static_cast<const headroom_tools*>(api().extension(HEADROOM_TOOLS)); }

struct Destroy {
  void operator()(headroom_instance* i) const { api().destroy(i); }
};

struct Result {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  Bytes octets;
  headroom_message_detail detail{};

  // Of a stream: no message is complete.
  [[nodiscard]] bool is_none() const { return status == HEADROOM_NOTHING && detail.kind == HEADROOM_MESSAGE_NONE; }
};

class Side {
 public:
  explicit Side(const json& config) {
    json whole = {{"scheme", "sigcomp"}};
    whole.update(config);
    char error[400] = "";
    self_.reset(api().create(HEADROOM_ENDPOINT, whole.dump().c_str(), error, sizeof error));
    EXPECT_TRUE(self_) << error;
  }

  std::string open(std::uint32_t compartment, const char* settings = nullptr) {
    char error[400] = "";
    return sessions().open(self_.get(), compartment, settings, error, sizeof error) == 1 ? "" : error;
  }
  bool close(std::uint32_t compartment) { return sessions().close(self_.get(), compartment) == 1; }
  bool accept(std::uint32_t compartment) { return messages().accept(self_.get(), compartment) == 1; }

  Result compress(const Bytes& message, std::uint32_t compartment) {
    return process(api().compress, message, compartment, 2 * message.size() + HEADROOM_MESSAGE_EXPANSION);
  }
  Result decompress(const Bytes& message, std::uint32_t compartment = HEADROOM_NO_SESSION) {
    return process(api().decompress, message, compartment, std::max<std::size_t>(HEADROOM_MESSAGE_MAX, message.size()));
  }
  Result compress_into(const Bytes& message, std::uint32_t compartment, std::size_t room) {
    return process(api().compress, message, compartment, room);
  }
  Result decompress_into(const Bytes& message, std::uint32_t compartment, std::size_t room) {
    return process(api().decompress, message, compartment, room);
  }
  // The next outcome of what was decompressed last; nothing when there is none.
  std::optional<Result> drain(std::size_t room = HEADROOM_MESSAGE_MAX) {
    Bytes out(room + 16, 0xa5);
    headroom_packet p{};
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(room);
    if (api().drain(self_.get(), &p, 1, ++now_, nullptr) == 0) return std::nullopt;
    return result_of(p, std::move(out), room);
  }
  // How many of these pieces of streams, with their compartments, one call of decompress handles.
  std::size_t burst(const std::vector<std::pair<std::uint32_t, Bytes>>& pieces) {
    std::vector<Bytes> rooms(pieces.size(), Bytes(HEADROOM_MESSAGE_MAX));
    std::vector<headroom_packet> packets(pieces.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      packets[i].in = pieces[i].second.data();
      packets[i].in_length = static_cast<std::uint32_t>(pieces[i].second.size());
      packets[i].out = rooms[i].data();
      packets[i].out_capacity = HEADROOM_MESSAGE_MAX;
      packets[i].channel = pieces[i].first;
    }
    return api().decompress(self_.get(), packets.data(), packets.size(), ++now_, nullptr);
  }
  // The NACK that waits, and for whom; empty when there is none.
  std::pair<Bytes, std::uint32_t> nack() {
    Bytes room(HEADROOM_REVERSE_MAX);
    headroom_packet p{};
    p.out = room.data();
    p.out_capacity = HEADROOM_REVERSE_MAX;
    if (api().take_reverse(self_.get(), &p, 1, now_) == 0) return {};
    EXPECT_EQ(p.out_type, HEADROOM_REVERSE_FAR);
    room.resize(p.out_length);
    return {room, p.channel};
  }
  std::string control(const char* message) {
    char error[400] = "";
    return api().control(self_.get(), message, error, sizeof error) == 1 ? "" : error;
  }
  // As it is left unasked for until now.
  headroom_message_detail detail() {
    headroom_message_detail detail{};
    detail.struct_size = sizeof detail;
    messages().detail(self_.get(), &detail);
    return detail;
  }
  void compress_unasked(const Bytes& message, std::uint32_t compartment) {
    asks_ = false;
    EXPECT_EQ(compress(message, compartment).status, HEADROOM_OK);
    asks_ = true;
  }
  json statistics() {
    std::string text(api().statistics(self_.get(), nullptr, 0) + 1, '\0');
    api().statistics(self_.get(), text.data(), text.size());
    return json::parse(text.c_str());
  }

 private:
  using Function = std::size_t (*)(headroom_instance*, headroom_packet*, std::size_t, std::uint64_t, headroom_detail*);
  Result process(Function function, const Bytes& in, std::uint32_t compartment, std::size_t room) {
    Bytes out(room + 16, 0xa5);
    headroom_packet p{};
    p.in = in.data();
    p.in_length = static_cast<std::uint32_t>(in.size());
    p.out = out.data();
    p.out_capacity = static_cast<std::uint32_t>(room);
    p.channel = compartment;
    p.out_length = 12345;
    EXPECT_EQ(function(self_.get(), &p, 1, ++now_, nullptr), 1U);
    return result_of(p, std::move(out), room);
  }
  Result result_of(const headroom_packet& p, Bytes out, std::size_t room) {
    EXPECT_EQ(out.back(), 0xa5);
    EXPECT_LE(p.out_length, room);
    EXPECT_TRUE(p.status == HEADROOM_OK || p.out_length == 0);
    out.resize(p.out_length);
    return {p.status, out, asks_ ? detail() : headroom_message_detail{}};
  }

  std::unique_ptr<headroom_instance, Destroy> self_;
  std::uint64_t now_ = 0;
  bool asks_ = true;  // for the detail of each message
};

inline std::string creation_error(const char* config, std::int32_t role = HEADROOM_ENDPOINT) {
  char error[400] = "nothing was written";
  headroom_instance* const made = api().create(role, config, error, sizeof error);
  EXPECT_EQ(made, nullptr);
  if (made != nullptr) api().destroy(made);
  return error;
}

inline json ask(const json& question) {
  const std::string text = question.dump();
  std::string answer(tools().ask(text.c_str(), nullptr, 0) + 1, '\0');
  EXPECT_EQ(tools().ask(text.c_str(), answer.data(), answer.size()), answer.size() - 1);
  return json::parse(answer.c_str());
}

inline const Bytes kMessage = text_octets("REGISTER sip:example.com SIP/2.0\r\nVia: SIP/2.0/UDP 192.0.2.1\r\n\r\n");

inline json stateful(const char* acknowledgement = "transport") {
  return {{"options", {{"mechanism", "stateful-basic"}, {"acknowledgement", acknowledgement}}}};
}

}  // namespace headroom::sigcomp::test
