// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/precompute.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "adapter/endpoint.h"
#include "base/cycles.h"
#include "base/identity.h"
#include "schemes/sigcomp/calls/recording.h"
#include "schemes/sigcomp/calls/texts.h"

namespace headroom::sigcomp::calls {
namespace {

constexpr std::size_t kMostProcesses = 64;
constexpr std::size_t kSentence = 1024;
constexpr std::uint64_t kBetweenUsersNs = 1'000'000'000;

// The report of a process at its end, in shared memory.
struct Report {
  bool complete;
  char digest[65];  // of the parts that the process kept
  ErrorKind kind;
  char sentence[kSentence];
  char where[kSentence];
};

[[noreturn]] void no_memory(const char* what) {
  throw Error(ErrorKind::internal, std::string("there is no ") + what + " for the precomputation of calls: " +
                                       std::strerror(errno) + "; ask for fewer calls.");
}

// The reports of all processes, in memory that they share.
class Reports {
 public:
  explicit Reports(std::size_t processes)
      : length_(processes * sizeof(Report)),
        start_(mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) no_memory("memory");
  }
  ~Reports() { munmap(start_, length_); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  [[nodiscard]] Report& operator[](std::size_t process) const noexcept { return static_cast<Report*>(start_)[process]; }

 private:
  std::size_t length_;
  void* start_;
};

std::size_t cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::clamp<std::size_t>(static_cast<std::size_t>(CPU_COUNT(&allowed)), 1, kMostProcesses);
}

std::string status_text(std::int32_t status) {
  const char* const name = name_of_status(status);
  return *name == 0 ? "the unknown status " + std::to_string(status) : "the status " + std::string(name);
}

// Pair holds the endpoints at both ends and passes messages between them.
class Pair {
 public:
  explicit Pair(const Job& job)
      : job_(job),
        proxy_(job.endpoint, job.compartment),
        user_(job.user, job.compartment),
        proxy_room_(kLongestMessage),
        user_room_(kLongestMessage) {}

  void open(std::uint32_t user) {
    user_.open(user);
    proxy_open_ = false;
  }
  void close(std::uint32_t user) {
    user_.close(user);
    if (proxy_open_) proxy_.close(user);
    now_ns_ += kBetweenUsersNs;
  }

  // Returns the input of the P-CSCF, valid until the next call, and its expected output.
  Part play(const Message& message, OctetView text, std::uint32_t user, const std::string& where) {
    now_ns_ += message.after_holding ? job_.holding_ns : message.pause_ns;
    if (message.carried == Carried::plain) return {text, 0, 0};
    if (message.carried == Carried::compartment && !proxy_open_) {
      proxy_.open(user);
      proxy_open_ = true;
    }
    return message.from_user ? from_user(message, text, user, where) : from_core(text, user, where);
  }

 private:
  Part from_user(const Message& message, OctetView text, std::uint32_t user, const std::string& where) {
    const MessageResult sent = user_.compress(text, user, now_ns_, user_room_);
    if (sent.status != HEADROOM_OK) fail("the user's endpoint does not compress", sent.status, where);
    const bool accepts = message.carried == Carried::compartment;
    const MessageResult came =
        proxy_.decompress(sent.octets, user + 1, accepts ? user : HEADROOM_NO_SESSION, now_ns_, proxy_room_);
    if (came.status != HEADROOM_OK) fail("the P-CSCF's endpoint does not decompress", came.status, where);
    require_same(came.octets, text, "the P-CSCF's endpoint", where);
    return {sent.octets, static_cast<std::uint32_t>(text.size()), hash_of(text)};
  }

  Part from_core(OctetView text, std::uint32_t user, const std::string& where) {
    const MessageResult sent = proxy_.compress(text, user, now_ns_, proxy_room_);
    if (sent.status != HEADROOM_OK) fail("the P-CSCF's endpoint does not compress", sent.status, where);
    const MessageResult came = user_.decompress(sent.octets, user + 1, user, now_ns_, user_room_);
    if (came.status != HEADROOM_OK) fail("the user's endpoint does not decompress", came.status, where);
    require_same(came.octets, text, "the user's endpoint", where);
    return {text, static_cast<std::uint32_t>(sent.octets.size()), hash_of(sent.octets)};
  }

  [[noreturn]] static void fail(const std::string& who, std::int32_t status, const std::string& where) {
    throw Error(ErrorKind::adapter,
                who + " this message when the calls are gone through beforehand: " + status_text(status) + ".", where);
  }
  static void require_same(OctetView came, OctetView text, const std::string& who, const std::string& where) {
    if (std::equal(came.begin(), came.end(), text.begin(), text.end())) return;
    throw Error(ErrorKind::adapter,
                who + " restores this message otherwise than it was when the calls are gone through beforehand.",
                where);
  }

  const Job& job_;
  Endpoint proxy_, user_;
  MessageRoom proxy_room_, user_room_;
  bool proxy_open_ = false;
  std::uint64_t now_ns_ = 0;
};

// Runs the precomputation in a process for each core. Process n plays the users whose number modulo the number of
// processes is n.
class Precomputation {
 public:
  explicit Precomputation(const PrecomputeJob& job)
      : job_(job.calls),
        plan_(make_plan(job_)),
        processes_(std::min<std::size_t>(cores(), std::max<std::size_t>(1, plan_.users))),
        numbers_(job_, plan_),
        recording_(job.output, numbers_),
        reports_(processes_),
        calls_(job_, plan_) {}

  Json execute() {
    const std::uint64_t start = monotonic_ns();
    std::vector<pid_t> children;
    for (std::size_t process = 0; process < processes_; ++process) {
      const pid_t child = fork();
      if (child == 0) _exit(play_and_report(process) ? 0 : 1);
      if (child < 0) break;
      children.push_back(child);
    }
    std::optional<Error> wrong;
    for (std::size_t process = 0; process < children.size(); ++process) {
      int status = 0;
      while (waitpid(children[process], &status, 0) < 0 && errno == EINTR) {
      }
      if (!wrong) wrong = error_of(process, status);
    }
    if (wrong) throw *wrong;
    if (children.size() < processes_) no_memory("process");
    Json digests = Json::array();
    for (std::size_t process = 0; process < processes_; ++process)
      digests.push_back(std::string(reports_[process].digest, sizeof Report::digest - 1));
    return {{"engine", engine_identity()}, {"messages", numbers_.count},        {"octets", recording_.size()},
            {"digests", digests},          {"wall_ns", monotonic_ns() - start}, {"processes", processes_}};
  }

 private:
  // The work of one process.
  bool play_and_report(std::size_t process) noexcept {
    Report& report = reports_[process];
    const auto tell = [&report](ErrorKind kind, const char* sentence, const char* where) {
      report.kind = kind;
      std::strncpy(report.sentence, sentence, kSentence - 1);
      std::strncpy(report.where, where, kSentence - 1);
    };
    try {
      const std::string digest = play(process);
      digest.copy(report.digest, sizeof report.digest - 1);
      report.complete = true;
    } catch (const Error& error) {
      tell(error.kind(), error.what(), error.where().c_str());
    } catch (const std::exception& error) {
      tell(ErrorKind::internal, error.what(), "");
    }
    return report.complete;
  }

  // Returns the digest of the parts.
  std::string play(std::size_t process) {
    Pair pair(job_);
    Texts texts(job_);
    NewRecording::Writer writer(recording_);
    for (auto user = static_cast<std::uint32_t>(process); user < plan_.users;
         user += static_cast<std::uint32_t>(processes_)) {
      pair.open(user);
      texts.use(user, user);
      for (std::size_t step = 0; step < job_.registration.size(); ++step) {
        const std::string where = "/registration/" + std::to_string(step);
        writer.keep(numbers_.registration(user, step),
                    pair.play(job_.registration[step], texts.registration(step), user, where));
      }
      calls_.each(user, [&](std::uint32_t call) { play_call(writer, pair, texts, user, call); });
      pair.close(user);
    }
    return writer.finish();
  }

  void play_call(NewRecording::Writer& writer, Pair& pair, Texts& texts, std::uint32_t user, std::uint32_t call) {
    texts.use(user, call);
    for (std::size_t step = 0; step < job_.call.size(); ++step) {
      writer.keep(numbers_.call(call, step),
                  pair.play(job_.call[step], texts.call(step), user, "/call/" + std::to_string(step)));
    }
  }

  // Returns the error of a process that has ended: its own report, or the signal that it died of.
  [[nodiscard]] std::optional<Error> error_of(std::size_t process, int status) const {
    const Report& report = reports_[process];
    if (report.complete) return std::nullopt;
    if (!WIFSIGNALED(status)) return Error(report.kind, report.sentence, report.where);
    return Error(ErrorKind::adapter, std::string("an adapter died of the signal ") + strsignal(WTERMSIG(status)) +
                                         " when the calls were gone through beforehand.");
  }

  const Job& job_;
  const Plan plan_;
  const std::size_t processes_;
  const PartNumbers numbers_;
  NewRecording recording_;
  Reports reports_;
  const CallsOfUsers calls_;
};

}  // namespace

Json precompute(const PrecomputeJob& job) { return Precomputation(job).execute(); }

OwnRecording::OwnRecording(Job& job) : descriptor_(memfd_create("calls", MFD_CLOEXEC)) {
  if (descriptor_ < 0) no_memory("file in memory");
  job.recording = "/proc/self/fd/" + std::to_string(descriptor_);
  try {
    const Json made = precompute({job, job.recording});
    job.digests = made["digests"].get<std::vector<std::string>>();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

OwnRecording::~OwnRecording() { ::close(descriptor_); }

}  // namespace headroom::sigcomp::calls
