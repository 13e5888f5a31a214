#include "pod/streams/remote_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kml/base/text.h"

namespace kml::pod {

namespace {

/// How long to wait for the rest of the report. The shell writes it at once, so its parts arrive one right
/// after another.
constexpr std::chrono::milliseconds kUntilShown{20};
/// How long to wait before a signal that was not delivered is sent again.
constexpr std::chrono::milliseconds kUntilSentAgain{500};

/// The shell becomes the command (exec), so its process id is also that of the command and of the command's
/// process group: most runtimes create a session for each command that they start (runc: nsexec.c). With
/// `reports_end`, the shell does not become the command, but stays as the leader of that group. It reports
/// the exit code, and waits until the client is gone, because output may be lost if a session ends at the
/// same time as its input. The trap makes the shell wait for a command that takes long to end.
std::vector<std::string> started_by_shell(const std::string& mark, bool reports_end,
                                          const std::vector<std::string>& command) {
  const std::string report = "echo " + mark + "$code";
  const std::string run = reports_end ? R"(trap : HUP INT QUIT TERM; (exec "$@"); code=$?; )" + report +
                                            "; " + report + " >&2; while read -r rest; do :; done; exit $code"
                                      : R"(exec "$@")";
  std::vector<std::string> words = {"sh", "-c", "echo " + mark + "$$; " + run, "sh"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// How many characters at the end of `text` may be the start of `mark`.
size_t begun_at_end(std::string_view text, std::string_view mark) {
  size_t count = std::min(text.size(), mark.size() - 1);
  while (count > 0 && !mark.starts_with(text.substr(text.size() - count))) --count;
  return count;
}

/// Sends the signal $1 to the process group $2. If the group does not exist (crun before 1.20:
/// containers/crun#1643), sends it to each descendant of process $2. A stopped process receives its signal
/// when it continues.
constexpr const char* kKill = R"(exec 2>/dev/null
all=-$2
collect() {
  children=
  read -r children <"/proc/$1/task/$1/children"
  for process in $children; do
    all="$all $process"
    collect $process
  done
}
if ! kill -0 $all; then
  all=$2
  collect $2
fi
for process in $all; do
  kill -$1 $process
  kill -CONT $process
done
:)";

std::vector<std::string> kill_command(const std::string& signal, int pid) {
  return {"sh", "-c", kKill, "sh", signal, std::to_string(pid)};
}

}  // namespace

RemoteRun::RemoteRun(kube::Client& client, kube::RemoteCommand command, Handler handler, Shell shell)
    : client_(client), command_(std::move(command)), handler_(std::move(handler)), shell_(shell) {
  start(!command_.command.empty());
}

RemoteRun::~RemoteRun() = default;

void RemoteRun::start(bool by_shell) {
  awaits_pid_ = by_shell;
  reports_end_ = by_shell && shell_ == Shell::stays && !command_.has_terminal;
  first_line_.clear();
  kube::RemoteCommand command = command_;
  if (by_shell) {
    mark_ = "kml-" + random_hex(8) + "-";
    command.command = started_by_shell(mark_, reports_end_, command_.command);
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
  if (awaits_pid_ && !is_error) {
    first_line_ += bytes;
    return take_pid();
  }
  if (reports_end_) return take_until_end(is_error, bytes);
  handler_.on_output(is_error, bytes);
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
    if (!signal_name_.empty()) deliver_signal_soon(std::chrono::milliseconds(0));
  }
  started();
  if (!rest.empty()) take(false, rest);
}

/// Holds back output that may be the start of the report. If nothing follows within a moment, passes it on,
/// because the reader may have to respond before the command writes more. If the report does follow, it is
/// still recognized.
void RemoteRun::hold(bool is_error, std::string text, size_t shown) {
  ReportedStream& stream = reported_[is_error ? 1 : 0];
  stream.held = std::move(text);
  stream.shown = shown;
  if (shown >= stream.held.size() || stream.held.size() >= mark_.size()) return;
  stream.until_shown = client_.transport().after(kUntilShown, [this, &stream, is_error] {
    const std::string output = stream.held.substr(std::exchange(stream.shown, stream.held.size()));
    handler_.on_output(is_error, output);
  });
}

/// Passes on the output before the shell's report. When both streams have reported, the output is complete.
void RemoteRun::take_until_end(bool is_error, std::string_view bytes) {
  ReportedStream& stream = reported_[is_error ? 1 : 0];
  if (stream.exit_code) return;  // output of a process that the command has left behind
  stream.until_shown.reset();
  stream.held += bytes;
  const std::string text = std::exchange(stream.held, {});
  const size_t shown = std::exchange(stream.shown, 0);
  const size_t at = std::min(text.find(mark_), text.size());
  const size_t newline = text.find('\n', at);
  const bool is_whole = newline != std::string::npos;
  const size_t output = at < text.size() ? at : text.size() - begun_at_end(text, mark_);
  if (is_whole)
    stream.exit_code = whole_number(text.substr(at + mark_.size(), newline - at - mark_.size())).value_or(0);
  else
    hold(is_error, text.substr(output), shown > output ? shown - output : 0);
  if (output > shown) handler_.on_output(is_error, std::string_view(text).substr(shown, output - shown));
  if (!reported_[0].exit_code || !reported_[1].exit_code || end_) return;
  end_ = RemoteEnd{*reported_[0].exit_code};
  process_.reset();  // the shell ends when its input does
}

void RemoteRun::ended(std::optional<int> exit_code, const Error* error) {
  // Without a process id, the command has not started: the image has no sh, or its sh does not run. If the
  // server rejected the request, another attempt would not help. If the connection broke, the command may
  // have started.
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
  for (const bool is_error : {false, true}) {
    ReportedStream& stream = reported_[is_error ? 1 : 0];
    stream.until_shown.reset();
    if (stream.held.size() > stream.shown)
      handler_.on_output(is_error, std::exchange(stream.held, {}).substr(stream.shown));
  }
  if (!exit_code)
    end_ = RemoteEnd{0, *error};
  else if (*exit_code == 0 && reports_end_ && has_started_)
    end_ = RemoteEnd{
        0, Error(ErrorCode::unreachable,
                 "the session in pod \"" + command_.pod + "\" closed before the command finished",
                 "its shell did not report the command's exit code, and the output may be incomplete",
                 "the command may still run: see what runs with kml exec … -- ps")};
  else
    end_ = RemoteEnd{*exit_code};
}

bool RemoteRun::send_signal(const std::string& name) {
  if (pid_ <= 0 && !awaits_pid_) return false;
  signal_name_ = name;
  if (pid_ > 0) deliver_signal();
  return true;
}

void RemoteRun::deliver_signal() {
  kube::RemoteCommand kill = {.namespace_name = command_.namespace_name,
                              .pod = command_.pod,
                              .container = command_.container,
                              .command = kill_command(signal_name_, pid_)};
  const auto on_end = [this](std::optional<int> code, const Error* error) {
    if (error || *code != 0) deliver_signal_soon(kUntilSentAgain);
  };
  signal_ = std::make_unique<kube::RemoteProcess>(
      client_, std::move(kill),
      kube::RemoteHandler{.on_output = [](bool, std::string_view) {}, .on_end = on_end});
}

void RemoteRun::deliver_signal_soon(std::chrono::milliseconds wait) {
  signal_again_ = client_.transport().after(wait, [this] {
    if (end_) return;
    try {
      deliver_signal();
    } catch (const Error&) {
      deliver_signal_soon(kUntilSentAgain);
    }
  });
}

}  // namespace kml::pod
