// SPDX-License-Identifier: Apache-2.0
//
// Controller is the user plane's end of N4 (3GPP TS 29.244): associations, sessions and reports. One thread at a time
// calls it; workers may run at the same time (sessions.h).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "gtpu/n4/predefined.h"
#include "gtpu/n4/rule_reader.h"
#include "gtpu/n4/session_state.h"
#include "gtpu/n4/transactions.h"
#include "gtpu/n4/usage_reports.h"
#include "gtpu/sessions/sessions.h"
#include "gtpu/wire/pfcp.h"
#include "headroom_user_plane.h"

namespace headroom::gtpu::n4 {

struct Config {
  Address node{};                   // Node ID and address of F-SEIDs
  std::uint32_t recovery_time = 0;  // Recovery Time Stamp (8.2.65); time 0 of the injected clock
  std::vector<PredefinedRule> predefined{};
};

class Controller {
 public:
  // Limits that bound memory and the length of a response.
  static constexpr std::size_t kMostAssociations = 256;
  static constexpr std::size_t kMostRules = 512;  // rules of one kind in one session
  static constexpr std::size_t kMostUrrs = 128;

  // REQUIRES: `sessions` lives until the last call of the controller.
  Controller(Sessions& sessions, Config config);

  // Handles all messages in a datagram. Answers are queued for `take`.
  void handle(const headroom_n4_message& message, std::uint64_t now);
  // Fills `message` with the next message to send: answers first, then reports and retransmissions. Returns false if
  // there is none.
  bool take(headroom_n4_message& message, std::uint64_t now);
  // Returns the time at which `take` is to be called even if no message has arrived; HEADROOM_NO_DEADLINE: never.
  [[nodiscard]] std::uint64_t deadline() const;

 private:
  struct Association {
    std::string node_id{};  // type and octets; empty: none
    Peer peer{};
  };
  // A request that is being answered.
  struct Request {
    pfcp::Message message{};
    pfcp::Octets octets{};  // octets of the whole message
    Peer peer{};
    std::uint64_t now = 0;
  };

  void handle_message(const Request& request);
  void handle_request(const Request& request);
  void handle_report_response(const Request& request);

  // Node messages (7.4)
  void heartbeat(const Request& request);
  void association_setup(const Request& request);
  void association_update(const Request& request);
  void association_release(const Request& request);
  // Finds the association that a request names. Rejects the request and returns nothing if there is none.
  [[nodiscard]] std::optional<std::uint32_t> association_of(const Request& request, std::optional<pfcp::Ie> node_id);
  [[nodiscard]] bool knows(const Peer& peer) const;
  void remove_sessions(std::uint32_t association);

  // Session messages (7.5)
  void establish(const Request& request);
  void modify(const Request& request);
  void remove(const Request& request);
  bool read_modification(const Request& request, const Session& session, Rules& rules);
  bool check_size(const Rules& rules);
  // Finds the session that a request is about. Rejects the request and returns nullptr if there is none.
  [[nodiscard]] Session* session_of(const Request& request);
  [[nodiscard]] SessionState& state_of(const Session& session);

  // Answers. `seid` is the control plane's SEID.
  [[nodiscard]] pfcp::MessageWriter response(const Request& request, std::uint64_t seid = 0);
  void node_id(pfcp::MessageWriter& out) const;
  void answer(const Request& request, pfcp::MessageWriter& out);
  void reject(const Request& request, const Failure& failure, std::uint64_t seid = 0);
  [[nodiscard]] static Failure failure_of(const Refusal& refusal);

  // Reports (7.5.8)
  void handle_event(const Event& event, std::uint64_t now);
  void handle_timer(const UsageReports::Timer& timer, std::uint64_t now);
  void report_usage(const Session& session, SessionState& state, std::uint32_t urr, std::uint32_t reached,
                    std::uint64_t now);
  // Sends a Session Report Request, to which `write` adds the reports. Returns its sequence number.
  template <typename Write>
  std::uint32_t report(const Session& session, std::uint8_t type, std::uint64_t now, Write&& write);

  Sessions& sessions_;
  Address node_;
  std::uint32_t recovery_time_;
  PredefinedRules predefined_;
  RuleReader reader_;
  UsageReports usage_reports_;
  std::vector<Association> associations_{};
  std::vector<SessionState> states_{};  // by Session::index
  AnswerCache answers_{};
  PendingRequests pending_{};
  std::deque<Datagram> outbox_{};
  std::vector<std::uint8_t> buffer_;
};

}  // namespace headroom::gtpu::n4
