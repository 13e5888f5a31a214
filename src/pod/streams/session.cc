#include "pod/streams/session.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kml/base/raw_terminal.h"
#include "kml/base/ready_files.h"
#include "kml/base/signals.h"
#include "pod/streams/ending.h"
#include "pod/streams/remote_run.h"
#include "pod/streams/session_activity.h"

namespace kml::pod {

namespace {

/// While this many bytes wait to be sent, no more input is read.
constexpr size_t kMostUnsent = size_t{256} << 10;
/// While more bytes than this wait to be written, no more output is read from the pod.
constexpr size_t kMostUnwritten = size_t{256} << 10;
constexpr std::chrono::seconds kLongestWait{10};

class Session {
 public:
  Session(kube::Client& client, const RunningRank& rank, const SessionOptions& options)
      : client_(client),
        rank_(rank),
        options_(options),
        signals_({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE}),
        ending_(client, options.note),
        activity_(client, options.note),
        input_is_open_(options.has_input) {}

  int run();

 private:
  void on_start(kube::RemoteProcess& process);
  void send_size();
  void take_signals();
  void take_signal(int signal);
  void end_by(int signal);
  void read_input();
  void write_output(bool is_error, std::string_view bytes);
  void check_output();
  bool wants_input() {
    kube::RemoteProcess* process = run_->process();
    return input_is_open_ && process && process->unsent() < kMostUnsent;
  }
  size_t unwritten() const { return out_.pending() + err_.pending(); }
  void drain();

  kube::Client& client_;
  const RunningRank& rank_;
  const SessionOptions& options_;
  Signals signals_;
  std::optional<RawTerminal> terminal_;
  std::optional<TerminalSize> size_;
  ReadyFiles ready_;
  PatientWriter out_{STDOUT_FILENO}, err_{STDERR_FILENO};
  EscapeFilter escapes_;
  std::unique_ptr<RemoteRun> run_;
  Ending ending_;
  SessionActivity activity_;  ///< for a terminal, the guard itself notices the input
  bool input_is_open_;
};

int Session::run() {
  run_ = std::make_unique<RemoteRun>(
      client_,
      kube::RemoteCommand{.namespace_name = rank_.namespace_name,
                          .pod = rank_.pod,
                          .container = rank_.container,
                          .command = options_.command,
                          .has_input = options_.has_input,
                          .has_terminal = options_.has_terminal},
      RemoteRun::Handler{
          .on_start = [this](kube::RemoteProcess& process) { on_start(process); },
          .on_output = [this](bool is_error, std::string_view bytes) { write_output(is_error, bytes); }});
  while (!run_->end() && !ending_.is_over()) {
    const bool wants = wants_input();
    ready_.want(STDIN_FILENO, wants, false);
    const int wake[] = {ready_.fd(), signals_.fd()};
    client_.transport().wait(wants && is_readable(STDIN_FILENO) ? std::chrono::milliseconds(0) : kLongestWait,
                             wake);
    take_signals();
    check_output();
    if (wants_input() && is_readable(STDIN_FILENO)) read_input();
  }
  if (ending_.signal() == 0) drain();
  terminal_.reset();
  const std::optional<RemoteEnd>& end = run_->end();
  if (ending_.signal() != 0) {
    if (end && end->error) options_.note(message_and_why(*end->error));
    return 128 + ending_.signal();
  }
  if (end->error) throw *end->error;
  return end->exit_code;
}

void Session::on_start(kube::RemoteProcess& process) {
  if (options_.has_terminal) {
    terminal_.emplace();
    send_size();
  }
  if (options_.has_input && !input_is_open_ && options_.sends_end_of_input) process.close_input();
}

void Session::send_size() {
  const std::optional<TerminalSize> size = terminal_size(STDIN_FILENO);
  if (!size || size == size_ || !run_->process() || run_->end()) return;
  size_ = size;
  run_->process()->resize(size->columns, size->rows);
}

void Session::take_signals() {
  while (const std::optional<int> signal = signals_.next()) take_signal(*signal);
}

void Session::take_signal(int signal) {
  if (signal == SIGPIPE) return;  // is_closed() reports SIGPIPE, too
  if (signal == SIGWINCH) return send_size();
  if (signal == SIGTSTP) {
    if (terminal_)
      terminal_->stop_process();
    else
      ::raise(SIGSTOP);
    return send_size();
  }
  if (signal == SIGCONT) {
    if (terminal_) terminal_->set_again();
    return send_size();
  }
  end_by(signal);
}

void Session::end_by(int signal) {
  if (run_->end()) return;
  ending_.begin(signal, {run_.get()}, {rank_.name()});
}

void Session::read_input() {
  char buffer[30 << 10];
  const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    input_is_open_ = false;
    if (terminal_) return end_by(SIGHUP);  // the terminal is gone
    if (options_.sends_end_of_input) run_->process()->close_input();
    return;
  }
  const std::string_view bytes(buffer, static_cast<size_t>(count));
  if (!terminal_) {
    run_->process()->send(bytes);
    return activity_.add(rank_, bytes.size());
  }
  const EscapeFilter::Result typed = escapes_.take(bytes);
  run_->process()->send(typed.text);
  if (!typed.ends) return;
  out_.write("\r\n");
  end_by(SIGHUP);
}

void Session::write_output(bool is_error, std::string_view bytes) {
  (is_error ? err_ : out_).write(bytes);
  check_output();
}

void Session::check_output() {
  if (out_.pending() > 0) out_.flush();
  if (err_.pending() > 0) err_.flush();
  ready_.want(out_.fd(), false, out_.pending() > 0);
  ready_.want(err_.fd(), false, err_.pending() > 0);
  if (run_) run_->pause(unwritten() > kMostUnwritten);
  if (out_.is_closed() && ending_.signal() == 0 && run_) end_by(SIGPIPE);
}

/// Call this when the command has ended. Writes the rest of its output.
void Session::drain() {
  while (unwritten() > 0) {
    pollfd files[] = {{out_.fd(), static_cast<short>(out_.pending() > 0 ? POLLOUT : 0), 0},
                      {err_.fd(), static_cast<short>(err_.pending() > 0 ? POLLOUT : 0), 0},
                      {signals_.fd(), POLLIN, 0}};
    ::poll(files, 3, -1);
    while (const std::optional<int> signal = signals_.next())
      if (*signal == SIGINT || *signal == SIGTERM || *signal == SIGHUP) return;
    out_.flush();
    err_.flush();
  }
}

}  // namespace

EscapeFilter::Result EscapeFilter::take(std::string_view typed) {
  Result result;
  for (const char c : typed) {
    if (at_ == At::line_begin && c == '~') {
      at_ = At::tilde;
      continue;
    }
    if (at_ == At::tilde && c == '.') {
      result.ends = true;
      return result;
    }
    if (at_ == At::tilde && c != '~') result.text += '~';
    result.text += c;
    at_ = c == '\r' || c == '\n' ? At::line_begin : At::inside;
  }
  return result;
}

std::vector<std::string> shell_command_line() {
  return {"sh", "-c", "command -v bash >/dev/null 2>&1 && exec bash; exec sh"};
}

int run_session(kube::Client& client, const RunningRank& rank, const SessionOptions& options) {
  return Session(client, rank, options).run();
}

}  // namespace kml::pod
