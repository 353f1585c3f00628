// SPDX-License-Identifier: Apache-2.0
//
// headroom-engine: one JSON job in, one JSON document out (README.md).

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/crash.h"
#include "base/error.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/no_processes.h"
#include "base/seal.h"
#include "commands.h"

namespace {

using headroom::Error;
using headroom::ErrorKind;
using headroom::Json;

constexpr std::size_t kLargestJob = std::size_t{1} << 30;
constexpr int kExitFailed = 1, kExitBadJob = 2;
constexpr const char* kTooLarge = "there is not enough memory for this job; ask for fewer packets or flows.";

std::string read_all(int descriptor, const std::string& name) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n == 0) return text;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(ErrorKind::input, "cannot read the job " + name + ": " + std::strerror(errno) + ".");
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > kLargestJob) throw Error(ErrorKind::job, "the job " + name + " is larger than 1 GiB.");
  }
}

std::string read_job_text(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, "on standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw Error(ErrorKind::input, "cannot open the job " + path + ": " + std::strerror(errno) + ".");
  std::string text = read_all(descriptor, path);
  close(descriptor);
  return text;
}

int reserved = -1;  // a descriptor of the real standard output

// Takes standard output away from whatever runs in this process: an adapter that prints must not spoil the one document
// that is to stand there. What it prints goes to standard error. A process that is forked, such as a child of `check`,
// does not have the real one at all. Returns its descriptor.
int reserve_output() {
  std::cout.flush();
  reserved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (reserved < 0)
    throw Error(ErrorKind::output, std::string("standard output is not open: ") + std::strerror(errno) + ".");
  pthread_atfork(nullptr, nullptr, [] { close(reserved); });
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return reserved;
}

bool write_all(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

int report(int output, ErrorKind kind, const std::string& message, const std::string& where,
           const std::string& seal = {}) {
  Json error = {{"error", {{"kind", name_of(kind)}, {"message", message}, {"where", where}}}};
  if (!seal.empty()) error["seal"] = seal;
  write_all(output, error.dump() + "\n");
  return kind == ErrorKind::job ? kExitBadJob : kExitFailed;
}

// Goes on as the program beside this one that has the commands for network ports. Returns only if that fails.
int hand_over(char** argv, const std::string& command) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string program = (self.parent_path() / "headroom-engine-wire").string();
  if (program == self)
    return report(STDOUT_FILENO, ErrorKind::internal, "a defect of the engine: no " + command + ".", "");
  execv(program.c_str(), argv);
  return report(STDOUT_FILENO, ErrorKind::input,
                "this build has no network ports (" + program + ": " + std::strerror(errno) + "), which " + command +
                    " needs: install libdpdk-dev and build again.",
                "");
}

int carry_out(const headroom::CommandFunction& command, const std::string& job_path) {
  int output = STDOUT_FILENO;
  std::string seal;
  const headroom::Limits limits;
  const auto complain = [&](ErrorKind kind, const std::string& message, const std::string& where = {}) {
    const std::string limit = limits.lowered();
    if (limit.empty() || kind == ErrorKind::job) return report(output, kind, message, where, seal);
    // No place in the job: where it fails is not where it was caused.
    return report(output, ErrorKind::adapter,
                  "an adapter lowered a limit of its process (" + limit + "), and then: " + message, "", seal);
  };
  try {
    output = reserve_output();
    if (command.serve != nullptr) {
      command.serve(STDIN_FILENO, output);
      return 0;
    }
    Json job = headroom::parse_json(read_job_text(job_path));
    seal = headroom::take_seal(job);
    Json result = command.run(job);
    if (!seal.empty()) result["seal"] = seal;
    if (!write_all(output, result.dump() + "\n")) {
      std::cerr << "headroom-engine: the result cannot be written: " << std::strerror(errno) << ".\n";
      return kExitFailed;
    }
    return 0;
  } catch (const headroom::StuckThread& error) {
    _exit(report(output, error.kind(), error.what(), error.where(), seal));
  } catch (const Error& error) {
    return complain(error.kind(), error.what(), error.where());
  } catch (const std::length_error&) {  // with 32 bits before there is anything to allocate
    return complain(ErrorKind::internal, kTooLarge);
  } catch (const std::bad_alloc&) {
    return complain(ErrorKind::internal, kTooLarge);
  } catch (const std::exception& error) {
    return complain(ErrorKind::internal, std::string("a defect of the engine: ") + error.what() + ".");
  }
}

}  // namespace

int main(int argc, char** argv) {
  headroom::tell_where_it_dies();
  std::signal(SIGXFSZ, SIG_IGN);  // an output that becomes too large is then an error, and no crash of an adapter
  CLI::App app("Hosts adapters of header-compression implementations: reads one JSON job, prints one JSON document.");
  app.set_version_flag("--version", std::string(HEADROOM_VERSION) + ", " + HEADROOM_BUILD);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  echo '{\"library\": \"build/gcc-O2/lib/null.so\"}' | headroom-engine describe --job -\n\n"
      "Jobs and results are described in resources/engine/README.md.");
  std::string job_path;
  const headroom::Command* chosen = nullptr;
  for (const headroom::Command& command : headroom::commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    if (!command.serves) sub->add_option("--job", job_path, "The job: a file, or - for standard input")->required();
    sub->callback([&chosen, &command] { chosen = &command; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) return 0;  // help and version
    return report(STDOUT_FILENO, ErrorKind::job, std::string(error.what()) + "; see headroom-engine --help.", "");
  }
  const auto here = chosen->needs_ports() ? headroom::find_ports_command(chosen->name)
                                          : std::optional(headroom::CommandFunction{chosen->run, chosen->serve});
  if (!here) return hand_over(argv, std::string(chosen->name));
  if (chosen->name != "check") headroom::take_no_filters();  // its processes filter calls, and notice other filters
  return carry_out(*here, job_path);
}
