// SPDX-License-Identifier: Apache-2.0
//
// An adapter that copies octets, and attacks the machine around it as the first instance is made. Where the attack
// succeeds it spoils what it decompresses, so that the attack shows. A test fixture.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults.h"
#include "headroom.h"

struct headroom_instance {};

namespace {

using intruder::Attack;
using intruder::kAttack;

constexpr std::size_t kTooMuch = 400 << 20;  // octets: more than anybody needs
constexpr int kPatienceMs = 1000;
constexpr unsigned kLong = 600;  // seconds
bool succeeded = false;

std::string given(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number(const char* name) { return std::atoi(given(name).c_str()); }

std::string of_caller(const char* file) { return "/proc/" + given("INTRUDER_PID") + "/" + file; }

bool opens(const std::string& path, int flags) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

bool writes(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written = descriptor >= 0 && write(descriptor, "intruder\n", 9) == 9;
  if (descriptor >= 0) close(descriptor);
  return written;
}

bool fills(const std::string& folder) {
  static const std::vector<char> block(1 << 20, 'x');
  const std::string path = folder + "/intruder";
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  std::signal(SIGXFSZ, SIG_IGN);
  std::size_t filled = 0;
  for (ssize_t n = 1; n > 0 && filled<kTooMuch; filled += n> 0 ? static_cast<std::size_t>(n) : 0)
    n = write(descriptor, block.data(), block.size());
  close(descriptor);
  unlink(path.c_str());
  return filled >= kTooMuch;
}

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(number("INTRUDER_PORT")));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool connects() {
  const sockaddr_in address = loopback();
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(connection);
  return connected;
}

bool listens() {
  const sockaddr_in address = loopback();
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool heard =
      bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(listener, 1) == 0;
  pollfd waiting{listener, POLLIN, 0};
  const bool reached = heard && poll(&waiting, 1, kPatienceMs) > 0;
  close(listener);
  return reached;
}

bool is_open(int descriptor) {
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

bool opens_raw_socket() { return is_open(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)); }

std::atomic<bool> raw_opened = false;
std::atomic<int> answered = 0;

// Rights belong to threads, and a signal's handler has those of the thread that it comes to.
bool opens_raw_socket_anywhere() {
  const auto handler = std::signal(SIGUSR2, [](int) {
    if (opens_raw_socket()) raw_opened = true;
    ++answered;
  });
  if (handler == SIG_ERR) return opens_raw_socket();  // the signal would end the process
  int asked = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    asked += syscall(SYS_tgkill, getpid(), std::stoi(thread.path().filename()), SIGUSR2) == 0;
  while (answered < asked) usleep(1000);
  return raw_opened;
}

// In a process with one thread, as the kernel wants it.
bool enters_namespace() {
  const pid_t child = fork();
  if (child == 0) _exit(unshare(CLONE_NEWUSER));
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

// Nothing of it is left that tells where it comes from: its environment, its session, its parent, its descriptors.
void leave_a_daemon() {
  if (fork() != 0) return;
  clearenv();
  setsid();
  if (fork() != 0) _exit(0);
  prctl(PR_SET_NAME, "intruder");
  for (int descriptor = 0; descriptor < 256; ++descriptor) close(descriptor);
  execl("/bin/sleep", "intruder", std::to_string(kLong).c_str(), nullptr);
  _exit(0);
}

int output = -1;  // a file that its process writes

void find_an_output() {
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    struct stat status;
    const bool writes = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY;
    if (writes && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) output = dup(descriptor);
  }
}

bool attack() {
  switch (kAttack) {
    case Attack::reads_a_file:
      return opens(given("INTRUDER_FILE"), O_RDONLY);
    case Attack::writes_a_file:
      return writes(given("INTRUDER_FILE"));
    case Attack::makes_a_file:
      return opens(given("INTRUDER_FILE"), O_WRONLY | O_CREAT);
    case Attack::fills_the_disk:
      for (const auto& folder : {given("INTRUDER_FILE"), std::string("/tmp"), std::string("/var/tmp"),
                                 std::string("/dev/shm"), std::string("/run"), std::string(".")})
        if (fills(folder)) return true;
      return false;
    case Attack::traces_its_caller:
      return ptrace(PTRACE_SEIZE, number("INTRUDER_PID"), nullptr, nullptr) == 0;
    case Attack::opens_its_callers_memory:
      return opens(of_caller("mem"), O_RDWR);
    case Attack::writes_its_callers_output:
      return opens(of_caller("fd/1"), O_WRONLY);
    case Attack::signals_its_caller:
      return kill(number("INTRUDER_PID"), 0) == 0;
    case Attack::connects_to_loopback:
      return connects();
    case Attack::listens_on_loopback:
      return listens();
    case Attack::opens_a_raw_socket:
      return opens_raw_socket_anywhere();
    case Attack::enters_a_user_namespace:
      return enters_namespace();
    case Attack::reaches_the_hypervisor:
      return is_open(socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
    case Attack::uses_keys:
      return syscall(SYS_add_key, "user", "intruder", "x", 1, KEY_SPEC_PROCESS_KEYRING) >= 0;
    case Attack::leaves_a_daemon:
      leave_a_daemon();
      return false;
    case Attack::changes_an_output:
      find_an_output();
      return false;
    default:
      return false;
  }
}

void stay() {
  const volatile bool forever = true;
  while (forever)
    if (kAttack != Attack::works_when_loaded) sleep(kLong);
}

__attribute__((constructor)) void when_loaded() {
  if (kAttack == Attack::sleeps_when_loaded || kAttack == Attack::works_when_loaded) stay();
}

__attribute__((destructor)) void when_unloaded() {
  if (kAttack == Attack::sleeps_when_unloaded) stay();
  if (output >= 0 && pwrite(output, "x", 1, 0) == 1) close(output);
}

std::size_t put(const char* text, char* json, std::size_t capacity) {
  const std::size_t length = std::strlen(text);
  if (length < capacity) std::memcpy(json, text, length + 1);
  return length;
}

std::size_t describe(char* json, std::size_t capacity) {
  return put(R"({"name": "intruder", "version": "1", "schemes": [{"scheme": "rohc", "roles": ["compressor",
"decompressor"], "profiles": ["0x0000"], "modes": ["U"], "cids": ["small"], "max_cid": 15, "max_channels": 1,
"feedback": []}]})",
             json, capacity);
}

headroom_instance* create(std::int32_t, const char*, char*, std::size_t) {
  static const bool attacked = succeeded = attack();
  (void)attacked;
  return new headroom_instance;
}

void destroy(headroom_instance* self) { delete self; }

void copy(headroom_packet& packet, headroom_detail* detail) {
  if (detail != nullptr) *detail = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};
  packet.out_length = 0;
  packet.status = packet.in_type == HEADROOM_TYPE_LOST     ? HEADROOM_NOTHING
                  : packet.in_length == 0                  ? HEADROOM_ERR_MALFORMED
                  : packet.in_length > packet.out_capacity ? HEADROOM_ERR_NO_SPACE
                                                           : HEADROOM_OK;
  if (packet.status != HEADROOM_OK) return;
  std::memcpy(packet.out, packet.in, packet.in_length);
  packet.out_length = packet.in_length;
}

std::size_t compress(headroom_instance*, headroom_packet* packets, std::size_t count, std::uint64_t,
                     headroom_detail* details) {
  for (std::size_t i = 0; i < count; ++i) copy(packets[i], details == nullptr ? nullptr : &details[i]);
  return count;
}

std::size_t decompress(headroom_instance* self, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) {
  compress(self, packets, count, now_ns, details);
  for (std::size_t i = 0; succeeded && i < count; ++i)
    if (packets[i].out_length > 0) packets[i].out[0] ^= 1;
  return count;
}

std::size_t statistics(const headroom_instance*, char* json, std::size_t capacity) {
  // In a node it shows here that an attack succeeds.
  return put(succeeded ? R"({"memory_bytes": 1, "contexts": 1})" : R"({"memory_bytes": 1, "contexts": 0})", json,
             capacity);
}

const headroom_api kApi = {
    .abi_version = HEADROOM_ABI_VERSION,
    .struct_size = sizeof(headroom_api),
    .describe = describe,
    .create = create,
    .destroy = destroy,
    .compress = compress,
    .decompress = decompress,
    .statistics = statistics,
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) { return &kApi; }
