// SPDX-License-Identifier: Apache-2.0
//
// The reference with wrong outputs (wrong_output.h) that also ends the process, or disturbs it, at one place
// of an adapter's life. Place and way stand in the name of the library's file, as in "created-exits-0.so", because the
// first places come before any configuration. The suite robustness/sudden_ends expects that no case passes.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "wrong_output.h"

namespace ending {
namespace {

using Behind = headroom::ChangedAdapter<WrongOutput>;

// What the library's file is called, without folder and ending: a place, '-', a way.
std::string own_name() {
  Dl_info info;
  static const char kHere = 0;
  return dladdr(&kHere, &info) == 0 ? "" : std::filesystem::path(info.dli_fname).stem().string();
}

// Documents that are none of the engine's.
constexpr char kForged[] = R"({"verdict": "pass", "outputs": {}, "packets": [], "wrong": 0, "error": null})";
constexpr char kForgedError[] =
    R"({"error": {"kind": "job", "message": "this machine lacks it", "where": "/channel"}})";

void say(int descriptor, std::string_view text) {
  if (write(descriptor, text.data(), text.size()) < 0) return;  // it may be shut
}

// Ends or disturbs the process in a way. A number stands for an exit status or a signal.
void end(std::string_view way) {
  const std::size_t split = way.rfind('-');
  const int number = split == std::string_view::npos ? 0 : std::atoi(std::string(way.substr(split + 1)).c_str());
  const std::string_view verb = way.substr(0, split);
  if (verb == "exits") std::exit(number);
  if (verb == "leaves") _exit(number);  // without any destructor
  if (verb == "signal") kill(getpid(), number);
  if (verb == "claims") say(STDOUT_FILENO, kForged), _exit(number);
  if (verb == "blames") say(STDOUT_FILENO, kForgedError), _exit(number);
  if (verb == "complains") say(STDERR_FILENO, "bwrap: Can't make symlink\n"), _exit(number);
  if (verb == "shuts") close_range(static_cast<unsigned>(number), ~0U, 0);
  if (verb == "executes") execl("/bin/true", "true", nullptr);
  if (verb == "throws") throw std::runtime_error("a reason of its own");
  if (verb == "mute") dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  if (verb == "thread") pthread_exit(nullptr);
  if (verb == "forks" && fork() > 0) _exit(number);
  if (verb == "starves") {
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_AS, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_NOFILE, &none);
  }
  if (verb == "later") {
    std::thread([number] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      _exit(number);
    }).detach();
  }
}

// Places of an adapter's life, as a library's name has them. Behind the functions of headroom.h: when the library is
// loaded, when the process exits, and when the library's own destructors run.
constexpr std::string_view kPlaces[] = {"loaded",     "described", "extended", "created",  "called",
                                        "drained",    "asked",     "reversed", "returned", "counted",
                                        "controlled", "destroyed", "exiting",  "unloaded"};
enum Place : std::size_t {
  kLoaded,
  kDescribed,
  kExtended,
  kCreated,
  kCalled,
  kDrained,
  kAsked,
  kReversed,
  kReturned,
  kCounted,
  kControlled,
  kDestroyed,
  kExiting,
  kUnloaded
};

// Ends the process the first time that it comes by the place in the library's name.
void come_to(Place place) {
  static const std::string& name = *new std::string(own_name());  // needed until the very end
  static bool done = false;
  const std::size_t split = name.find('-');
  if (done || split == std::string::npos || kPlaces[place] != std::string_view(name).substr(0, split)) return;
  done = true;
  end(std::string_view(name).substr(split + 1));
}

__attribute__((constructor)) void load() {
  come_to(kLoaded);
  std::atexit([] { come_to(kExiting); });
}
__attribute__((destructor)) void unload() { come_to(kUnloaded); }

// A function of a table: comes to a place, and does what the same function of `kTable` does.
template <Place kPlace, auto kTable, auto kMember, typename Result, typename... Arguments>
Result come_and_call(Arguments... arguments) {
  come_to(kPlace);
  return (kTable->*kMember)(arguments...);
}
template <Place kPlace, auto kTable, auto kMember, typename Table, typename Result, typename... Arguments>
constexpr auto function_of(Result (*Table::*)(Arguments...)) {
  return &come_and_call<kPlace, kTable, kMember, Result, Arguments...>;
}

template <Place kPlace, auto kMember>
constexpr auto at = function_of<kPlace, &Behind::kApi, kMember>(kMember);
template <Place kPlace, auto kMember>
constexpr auto at_user_plane = function_of<kPlace, &Behind::kUserPlane, kMember>(kMember);
template <Place kPlace, auto kMember>
constexpr auto at_messages = function_of<kPlace, &Behind::kMessages, kMember>(kMember);

constexpr headroom_user_plane kUserPlane = {
    .struct_size = sizeof(headroom_user_plane),
    .reserved = 0,
    .add_worker = at_user_plane<kCreated, &headroom_user_plane::add_worker>,
    .forward = at_user_plane<kCalled, &headroom_user_plane::forward>,
    .take = at_user_plane<kDrained, &headroom_user_plane::take>,
    .n4 = at_user_plane<kCalled, &headroom_user_plane::n4>,
    .take_n4 = at_user_plane<kReversed, &headroom_user_plane::take_n4>,
    .n4_deadline = at_user_plane<kAsked, &headroom_user_plane::n4_deadline>,
};
constexpr headroom_messages kMessages = {
    .struct_size = sizeof(headroom_messages),
    .reserved = 0,
    .accept = at_messages<kReturned, &headroom_messages::accept>,
    .detail = at_messages<kReturned, &headroom_messages::detail>,
};

const void* extension(const char* name) {
  come_to(kExtended);
  const void* const found = Behind::extension(name);
  if (found == &Behind::kUserPlane) return &kUserPlane;
  return found == &Behind::kMessages ? &kMessages : found;
}

constexpr headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = at<kDescribed, &headroom_api::describe>,
    .create = at<kCreated, &headroom_api::create>,
    .destroy = at<kDestroyed, &headroom_api::destroy>,
    .compress = at<kCalled, &headroom_api::compress>,
    .decompress = at<kCalled, &headroom_api::decompress>,
    .statistics = at<kCounted, &headroom_api::statistics>,
    .drain = at<kDrained, &headroom_api::drain>,
    .next_deadline = at<kAsked, &headroom_api::next_deadline>,
    .take_reverse = at<kReversed, &headroom_api::take_reverse>,
    .give_reverse = at<kReturned, &headroom_api::give_reverse>,
    .control = at<kControlled, &headroom_api::control>,
    .extension = extension,
};

}  // namespace
}  // namespace ending

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &ending::kApi; }
