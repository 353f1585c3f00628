// SPDX-License-Identifier: Apache-2.0
#include "transfer/connection.h"

namespace headroom::transfer {
namespace {

// Streams of the seed.
enum Stream : std::uint64_t { kPhase = 1, kNetwork, kNetworkBack, kLink, kReverseLink, kFeedback };

class Connection {
 public:
  Connection(const Job& job, std::uint64_t seed)
      : warm_up_ns_(job.warm_up_ns),
        end_ns_(job.warm_up_ns + job.duration_ns),
        format_(job.mtu - kHeaders),
        mss_(job.mtu - kHeaders),
        sender_(sender_config(job, seed)),
        warm_up_(*this),
        end_(*this),
        fixed_host_(*this),
        network_(simulation_, job.network, derive(seed, kNetwork), [this](Segment& s) { link_.send(s); }),
        network_back_(simulation_, job.network, derive(seed, kNetworkBack),
                      [this](Acknowledgement& a) {
                        sender_.acknowledge(a.expected, a.reported(), simulation_.now_ns());
                        send();
                      }),
        link_(simulation_, link_config(job, seed), format_,
              [this](const Segment& s) {
                reverse_.send({receiver_.receive(s.number), answers_++});
              }),
        reverse_(simulation_, reverse_config(job, seed), format_,
                 [this](const Answer& a) { network_back_.send(a.acknowledgement, kHeaders); }) {
    simulation_.add(warm_up_);
    simulation_.add(end_);
    simulation_.add(fixed_host_);
  }

  [[nodiscard]] ConnectionResult run() {
    send();
    simulation_.run();
    ConnectionResult result;
    result.acknowledged = (sender_.acknowledged() - acknowledged_in_warm_up_) * mss_;
    result.sender = sender_.counts();
    result.link = link_.counts();
    result.reverse_link = reverse_.counts();
    return result;
  }

 private:
  struct WarmUp final : sim::Host {
    explicit WarmUp(Connection& c) : connection(c) {}
    [[nodiscard]] std::uint64_t next_ns() const override { return is_over ? sim::kNever : connection.warm_up_ns_; }
    void act() override {
      is_over = true;
      connection.acknowledged_in_warm_up_ = connection.sender_.acknowledged();
    }
    Connection& connection;
    bool is_over = false;
  };
  struct End final : sim::Host {
    explicit End(Connection& c) : connection(c) {}
    [[nodiscard]] std::uint64_t next_ns() const override {
      return connection.has_ended_ ? sim::kNever : connection.end_ns_;
    }
    void act() override {
      connection.has_ended_ = true;
      connection.network_.close();
      connection.network_back_.close();
      connection.link_.close();
      connection.reverse_.close();
    }
    Connection& connection;
  };
  // The timer of the sender.
  struct FixedHost final : sim::Host {
    explicit FixedHost(Connection& c) : connection(c) {}
    [[nodiscard]] std::uint64_t next_ns() const override {
      return connection.has_ended_ ? sim::kNever : connection.sender_.timeout_at_ns().value_or(sim::kNever);
    }
    void act() override {
      connection.sender_.time_out(connection.simulation_.now_ns());
      connection.send();
    }
    Connection& connection;
  };

  [[nodiscard]] static SenderConfig sender_config(const Job& job, std::uint64_t seed) {
    SenderConfig config = job.tcp;
    Xoshiro256 random(derive(seed, kPhase));
    config.phase_ns = uniform(config.tick_ns - 1, [&random] { return random.next(); });
    return config;
  }
  [[nodiscard]] static LinkDirectionConfig link_config(const Job& job, std::uint64_t seed) {
    LinkDirectionConfig config;
    config.pipe = job.link;
    config.codec = job.codec ? &*job.codec : nullptr;
    config.compressed_header = job.compressed_header;
    config.has_feedback = job.has_feedback;
    Impairment& impairment = config.feedback.impairment;
    impairment.rate_bps = job.reverse_link.rate_bps;
    impairment.delay_ns = job.reverse_link.delay_ns;
    impairment.ber = job.feedback_ber;
    impairment.payload_errors = OnError::drop;
    config.feedback.seed = derive(seed, kFeedback);
    config.seed = derive(seed, kLink);
    return config;
  }
  [[nodiscard]] static LinkDirectionConfig reverse_config(const Job& job, std::uint64_t seed) {
    LinkDirectionConfig config;
    config.pipe = job.reverse_link;
    config.codec = job.reverse_codec ? &*job.reverse_codec : nullptr;
    config.compressed_header = job.compressed_header;
    config.has_feedback = false;
    config.seed = derive(seed, kReverseLink);
    return config;
  }

  void send() {
    while (const auto segment = sender_.next(simulation_.now_ns()))
      network_.send({*segment, segments_++}, kHeaders + mss_);
  }

  const std::uint64_t warm_up_ns_, end_ns_;
  std::uint64_t acknowledged_in_warm_up_ = 0;  // segments
  bool has_ended_ = false;
  sim::Simulation simulation_;
  SegmentFormat format_;
  std::uint32_t mss_;
  TcpSender sender_;
  TcpReceiver receiver_;
  std::uint16_t segments_ = 0, answers_ = 0;  // Identification of the next
  WarmUp warm_up_;
  End end_;
  FixedHost fixed_host_;
  Pipe<Segment> network_;
  Pipe<Acknowledgement> network_back_;
  CompressedLink<Segment> link_;
  CompressedLink<Answer> reverse_;
};

}  // namespace

ConnectionResult run_connection(const Job& job, std::uint64_t seed) { return Connection(job, seed).run(); }

}  // namespace headroom::transfer
