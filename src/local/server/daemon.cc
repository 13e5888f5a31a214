#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "kml/base/background.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/json_fields.h"
#include "kml/base/process.h"
#include "kml/local/daemon.h"
#include "local/admission/images.h"
#include "local/http/http_server.h"
#include "local/server/serve.h"
#include "local/server/server_folder.h"

namespace kml::local {

namespace {

constexpr const char* kAnswers = "ready";
constexpr int kPlainStopMilliseconds = 30'000;
constexpr int kLookMilliseconds = 2000;
// How long to wait for the response of a busy server.
constexpr std::chrono::milliseconds kPatience{2000};
// The time limit for a command that only checks whether the server is alive, and then waits for the response
// to its own request.
constexpr std::chrono::milliseconds kGlance{100};
// How long a server may be unresponsive before it is killed, if the user asked for that.
constexpr std::chrono::seconds kHung{10};
// How long to wait for a server that is starting or stopping.
constexpr auto kSettle = std::chrono::seconds(30);

constexpr std::tuple kOptionFields = {JsonField{"folder", &ServeOptions::folder},
                                      JsonField{"fakeGpus", &ServeOptions::fake_gpus},
                                      JsonField{"fakeGpuResource", &ServeOptions::fake_gpu_resource},
                                      JsonField{"cpu", &ServeOptions::cpu},
                                      JsonField{"memory", &ServeOptions::memory},
                                      JsonField{"nodeLabels", &ServeOptions::node_labels},
                                      JsonField{"logLimit", &ServeOptions::log_limit},
                                      JsonField{"port", &ServeOptions::port},
                                      JsonField{"podMaxPids", &ServeOptions::pod_max_pids}};

std::string to_argument(const ServeOptions& options) {
  return fields_to_json(options, kOptionFields).dump();
}

ServeOptions from_argument(const std::string& text) {
  ServeOptions options;
  read_fields(parse_json(text, "the daemon's options"), options, kOptionFields);
  return options;
}

ServeOptions options_of_last(const ServerFolder& folder) try {
  const auto text = read_file_if_exists(folder.options());
  return text ? from_argument(*text) : ServeOptions();
} catch (const Error& error) {
  throw Error(ErrorCode::failure, "cannot start the embedded server with its last settings",
              folder.options().string() + ": " + message_and_why(error),
              "start the server with the flags that you want: kml local up");
}

Fd lock_start(const ServerFolder& folder) {
  Fd lock(::open(folder.start_lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) throw system_error("cannot open " + folder.start_lock().string(), errno);
  lock_exclusively(lock, folder.start_lock());
  return lock;
}

/// Throws Error if Linux has no pidfds (before 5.3) or forbids them. Without pidfds, the server's signal
/// could reach a process that reuses the number of a pod's process.
void require_pidfds() {
  if (open_process(::getpid())) return;
  const int error = errno;
  utsname system{};
  ::uname(&system);
  throw Error(ErrorCode::failure, "the embedded server needs Linux 5.3 or later",
              std::string("this is Linux ") + system.release + "; pidfd_open: " + std::strerror(error),
              "submit to a cluster: --context NAME");
}

/// Waits up to this long for the process to end. Returns whether it has ended.
bool ends_within(const Fd& process, int milliseconds) {
  pollfd end{process.get(), POLLIN, 0};
  while (::poll(&end, 1, milliseconds) < 0 && errno == EINTR) {
  }
  return (end.revents & POLLIN) != 0;
}

enum class Life { ended, silent, answers };

/// A killed server holds its lock and socket until it has ended, but accepts no connections. So if a server
/// does not accept a connection, it is asked again until it responds or ends.
Life life_of(int pid, const std::filesystem::path& socket, std::chrono::milliseconds patience) {
  const auto ask = [&] {
    errno = 0;
    return replies_at(socket, patience) ? Life::answers : errno == EAGAIN ? Life::silent : Life::ended;
  };
  if (pid == kServerOutside) return ask();
  const Fd process = open_process(pid);
  const auto deadline = std::chrono::steady_clock::now() + kSettle;
  while (process && std::chrono::steady_clock::now() < deadline) {
    if (const Life life = ask(); life != Life::ended) return life;
    if (ends_within(process, 10)) return Life::ended;
  }
  return Life::ended;
}

DaemonStatus look(const std::filesystem::path& asked, std::chrono::milliseconds patience) {
  const ServerFolder folder = server_folder(asked);
  DaemonStatus found;
  found.folder = folder.path;
  found.kubeconfig = folder.kubeconfig();
  found.log = folder.log();
  found.pid = server_lock_holder(folder);
  // A starting server already holds the lock, but does not respond yet.
  if (found.pid == 0 || !is_ready(folder, found.pid)) return found;
  if (std::filesystem::exists(folder.socket())) {
    found.socket = folder.socket();
  } else if (!is_ready(folder, found.pid)) {
    return found;  // the server is stopping, and has removed its socket
  }
  found.url = url_in_kubeconfig(folder);
  const Life life = found.socket.empty() ? Life::answers : life_of(found.pid, found.socket, patience);
  found.running = life != Life::ended;
  found.responds = life != Life::silent;
  return found;
}

/// Waits while a process holds the server's lock, but does not respond. If the server was killed or is
/// stopping, it will release the lock; if it is starting, it will respond.
void wait_until_settled(const ServerFolder& folder) {
  const auto deadline = std::chrono::steady_clock::now() + kSettle;
  while (std::chrono::steady_clock::now() < deadline) {
    const int pid = server_lock_holder(folder);
    if (pid == 0 || look(folder.path, kGlance).running) return;
    if (const Fd process = open_process(pid)) ends_within(process, 10);
  }
}

/// Waits until a server that is ending its jobs has ended itself. If `on_hang` is given and the server has
/// not responded for kHung, returns false.
bool ends_its_jobs(const ServerFolder& folder, const Fd& process,
                   const std::function<void(const std::string&)>& on_hang) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> silent_since;
  while (!ends_within(process, kLookMilliseconds)) {
    if (!on_hang || !std::filesystem::exists(folder.socket())) continue;
    const auto asked = Clock::now();
    if (replies_at(folder.socket(), kPatience)) {
      silent_since.reset();
    } else if (!std::filesystem::exists(folder.socket())) {
      continue;  // the server began to exit after it was asked
    } else if (!silent_since) {
      silent_since = asked;
      on_hang("the embedded server does not respond; kml kills it in " + std::to_string(kHung.count()) +
              " seconds unless it responds");
    } else if (Clock::now() - *silent_since >= kHung) {
      return false;
    }
  }
  return true;
}

/// Kills a server that hangs. Its pods would keep running, so this starts another server, which can end them.
void replace_hung(const ServerFolder& folder, int pid, const Fd& process) {
  ServeOptions options = settings_of(pid);
  ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  ends_within(process, kPlainStopMilliseconds);
  options.folder = folder.path;
  bool started = false;
  ensure_running(options, started);
}

/// An environment variable, because commands that kml starts must obey it, too.
constexpr const char* kKeepDown = "KML_KEEP_DOWN";

Error down_error() {
  Error error(ErrorCode::unreachable, "the embedded server is down; `kml local up` starts it",
              "it was stopped with `kml local down`", "kml local up");
  error.reason = kServerDown;
  return error;
}

/// A full disk must not keep the user from ending the server.
void note_end_by_user(const ServerFolder& folder) {
  try {
    write_file_atomically(folder.ended(), "");
  } catch (const Error&) {
  }
}

/// Starts a server, and returns its report: kAnswers, or why it failed. Empty if it died without a report.
std::string start_and_listen(const ServerFolder& folder, ServeOptions options) {
  options.folder = folder.path;
  // The server runs in "/", because the current folder may be removed or unmounted later.
  return start_in_background({{"kml", "daemon", to_argument(options)}, folder.log(), "/"});
}

}  // namespace

int run_daemon(const std::string& options) {
  Starter starter;
  try {
    return serve_until_stopped(from_argument(options), [&] { starter.tell(kAnswers); });
  } catch (const Error& error) {
    starter.tell(compact_text(
        {{"code", static_cast<int>(error.code)}, {"why", message_and_why(error)}, {"fix", error.fix}}));
    [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, describe(error).data(), describe(error).size());
    return static_cast<int>(error.code);
  }
}

DaemonStatus status(const std::filesystem::path& folder) {
  return look(folder, kPatience);
}

ServeOptions settings_of(int pid) {
  // The command line is "kml", "daemon", OPTIONS, each followed by a zero byte. A server in the foreground
  // has no OPTIONS.
  const std::string line = read_file_if_exists("/proc/" + std::to_string(pid) + "/cmdline").value_or("");
  const size_t options = line.find('{');
  if (options == std::string::npos) return {};
  return from_argument(line.substr(options, line.find('\0', options) - options));
}

DaemonStatus ensure_running(const ServeOptions& options, bool& started) {
  started = false;
  if (DaemonStatus found = look(options.folder, kGlance); found.running) return found;
  require_pidfds();
  const ServerFolder folder = server_folder(options.folder);
  make_server_folder(folder);
  const Fd lock = lock_start(folder);
  wait_until_settled(folder);
  if (DaemonStatus found = look(options.folder, kGlance); found.running) return found;
  const std::string said = start_and_listen(folder, options);
  if (said != kAnswers) {
    const Json problem = Json::parse(said, nullptr, /*allow_exceptions=*/false);
    const bool is_usage = int_at(problem, {"code"}) == static_cast<int>(ErrorCode::usage);
    throw Error(is_usage ? ErrorCode::usage : ErrorCode::failure, "cannot start the embedded server",
                string_at(problem, {"why"}, "it exited immediately"),
                string_at(problem, {"fix"}, "see " + folder.log().string()));
  }
  write_file_atomically(folder.options(), to_argument(options));
  started = true;
  return look(options.folder, kGlance);
}

void keep_down() {
  ::setenv(kKeepDown, "yes", 1);
}

DaemonStatus ensure_running(bool& started) {
  started = false;
  if (DaemonStatus found = look({}, kGlance); found.running) return found;
  if (!environment(kKeepDown).empty() && std::filesystem::exists(server_folder({}).ended()))
    throw down_error();
  return ensure_running(options_of_last(server_folder({})), started);
}

void stop(const std::filesystem::path& asked, bool stop_jobs,
          const std::function<void(const std::string&)>& on_hang) {
  const ServerFolder folder = server_folder(asked);
  const int pid = server_lock_holder(folder);
  if (pid == 0) return;
  const Fd process = open_process(pid);
  // In the meantime, the process may have ended, and its number may have been reused.
  if (!process || server_lock_holder(folder) != pid) return;
  note_end_by_user(folder);  // recorded before the end, because clients connect again at once
  const int signal = stop_jobs ? stop_jobs_signal() : SIGTERM;
  if (::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) != 0)
    throw system_error("cannot stop the embedded server, process " + std::to_string(pid), errno);
  if (stop_jobs) {
    if (ends_its_jobs(folder, process, on_hang)) {
      std::filesystem::remove(folder.options());
      return;
    }
    replace_hung(folder, pid, process);
    return stop(asked, stop_jobs, on_hang);
  }
  // Killing loses nothing, because all acknowledged writes are on disk.
  if (!ends_within(process, kPlainStopMilliseconds))
    ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

void set_image(const std::filesystem::path& folder, const std::string& image,
               const std::vector<std::string>& command) {
  const ServerFolder made = server_folder(folder);
  make_server_folder(made);
  Images(made.path).set(image, command);
}

}  // namespace kml::local
