#include "jobs/streams/remote_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kml/core/text.h"

namespace kml::jobs {

namespace {

/// The shell becomes the command, so its process id is also that of the command and of its process group:
/// runtimes make a session for each command that they start (runc: nsexec.c).
///
/// With `keeps_output`, it stays as the leader of that group, so that the command can close its standard
/// output and go on to read: containerd 1.6 ends a session, with success, once the first process has closed
/// it, and loses the input on its way. The trap lets the shell wait for a command that takes its time to end.
std::vector<std::string> started_by_shell(const std::string& mark, const kube::RemoteCommand& command) {
  const bool keeps_output = command.has_input && !command.has_terminal;
  const std::string run = keeps_output ? R"(trap : HUP INT QUIT TERM; (exec "$@"); exit)" : R"(exec "$@")";
  std::vector<std::string> words = {"sh", "-c", "echo " + mark + "$$; " + run, "sh"};
  words.insert(words.end(), command.command.begin(), command.command.end());
  return words;
}

std::vector<std::string> kill_command(const std::string& signal, int pid) {
  const std::string kill = "kill -" + signal + " ", id = std::to_string(pid);
  // If the runtime made no group, signals only the process. A stopped process gets its signal when it
  // continues.
  return {"sh", "-c",
          kill + "-" + id + " 2>/dev/null || " + kill + id + " 2>/dev/null; kill -CONT -" + id +
              " 2>/dev/null; :"};
}

}  // namespace

RemoteRun::RemoteRun(kube::Client& client, kube::RemoteCommand command, Handler handler)
    : client_(client), command_(std::move(command)), handler_(std::move(handler)) {
  start(!command_.command.empty());
}

RemoteRun::~RemoteRun() = default;

void RemoteRun::start(bool by_shell) {
  awaits_pid_ = by_shell;
  first_line_.clear();
  kube::RemoteCommand command = command_;
  if (by_shell) {
    mark_ = "kml-" + random_hex(8) + "-";
    command.command = started_by_shell(mark_, command_);
  }
  kube::RemoteHandler handler;
  handler.on_open = [this, by_shell] {
    if (!by_shell) started();
  };
  handler.on_output = [this](bool is_error, std::string_view bytes) { take(is_error, bytes); };
  handler.on_end = [this](std::optional<int> code, const Error* error) { ended(code, error); };
  process_ = std::make_unique<kube::RemoteProcess>(client_, std::move(command), std::move(handler));
  if (is_paused_) process_->pause(true);
}

void RemoteRun::started() {
  if (!std::exchange(has_started_, true) && handler_.on_start) handler_.on_start(*process_);
}

kube::RemoteProcess* RemoteRun::process() {
  return has_started_ ? process_.get() : nullptr;
}

void RemoteRun::pause(bool on) {
  if (std::exchange(is_paused_, on) != on && !end_) process_->pause(on);
}

void RemoteRun::take(bool is_error, std::string_view bytes) {
  if (!awaits_pid_ || is_error) return handler_.on_output(is_error, bytes);
  first_line_ += bytes;
  take_pid();
}

void RemoteRun::take_pid() {
  const size_t compared = std::min(first_line_.size(), mark_.size());
  const bool is_mark = first_line_.compare(0, compared, mark_, 0, compared) == 0;
  const size_t newline = first_line_.find('\n');
  if (is_mark && newline == std::string::npos) return;
  awaits_pid_ = false;
  std::string_view rest = first_line_;
  if (is_mark) {
    // A terminal turns the newline into "\r\n".
    const auto number = trim(rest.substr(mark_.size(), newline - mark_.size()));
    pid_ = whole_number(number).value_or(0);
    rest.remove_prefix(newline + 1);
  }
  started();
  if (!rest.empty()) handler_.on_output(false, rest);
}

void RemoteRun::ended(std::optional<int> exit_code, const Error* error) {
  // Without a process id the command has not begun: the image has no sh, or one that cannot run. If the
  // server refused, trying again would not help; if the connection broke, the command may have begun.
  const bool without_shell =
      awaits_pid_ && first_line_.empty() &&
      (exit_code ? *exit_code == 126 || *exit_code == 127
                 : error->code == ErrorCode::failure && error->http_status == 0 && !error->reason.empty());
  if (without_shell) {
    again_ = client_.transport().after(std::chrono::milliseconds(0), [this] {
      try {
        start(false);
      } catch (const Error& broken) {
        ended({}, &broken);
      }
    });
    return;
  }
  if (exit_code)
    end_ = RemoteEnd{*exit_code};
  else
    end_ = RemoteEnd{0, *error};
}

bool RemoteRun::send_signal(const std::string& name) {
  if (pid_ <= 0) return false;
  kube::RemoteCommand kill = {.namespace_name = command_.namespace_name,
                              .pod = command_.pod,
                              .container = command_.container,
                              .command = kill_command(name, pid_)};
  signal_ = std::make_unique<kube::RemoteProcess>(
      client_, std::move(kill),
      kube::RemoteHandler{.on_output = [](bool, std::string_view) {},
                          .on_end = [](std::optional<int>, const Error*) {}});
  return true;
}

}  // namespace kml::jobs
