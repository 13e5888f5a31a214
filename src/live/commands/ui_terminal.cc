#include "live/commands/ui_terminal.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "kml/base/raw_terminal.h"
#include "kml/base/ready_files.h"
#include "kml/base/signals.h"
#include "kml/base/terminal_process.h"
#include "kml/base/text.h"
#include "live/screen/app.h"

namespace kml::cli {

namespace {

using live::Pane;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// Switch to the alternate screen, with pastes in brackets and without a cursor, and back, with default
/// colors.
constexpr RawTerminal::Codes kScreenCodes = {"\x1B[?1049h\x1B[?2004h\x1B[?25l\x1B[2J",
                                             "\x1B[m\x1B[?25h\x1B[?2004l\x1B[?1049l"};
/// Nobody can read changes that are drawn more often. Keys are answered at once.
constexpr milliseconds kShortestFrame{50};
/// How often ages are updated on the screen.
constexpr milliseconds kAges{1000};
/// An Escape that is the start of a sequence is followed by the rest within this time, as in tmux. A longer
/// time would delay the key Escape.
constexpr milliseconds kSequence{10};
constexpr size_t kPieceOfOutput = size_t{64} << 10;

/// Gives the screen what it needs from outside: the terminal, and processes for the panes' commands.
class Terminal final : public live::Outside {
 public:
  Terminal() : out_(STDOUT_FILENO) { enter(); }

  void start(Pane& pane, const std::vector<std::string>& argv, TerminalSize size) override {
    commands_[&pane] = std::make_unique<TerminalProcess>(argv, size);
  }
  void resize(Pane& pane, TerminalSize size) override {
    if (const auto command = commands_.find(&pane); command != commands_.end()) command->second->resize(size);
  }
  void stop(Pane& pane) override { commands_.erase(&pane); }

  void run_in_front(const std::vector<std::string>& argv) override {
    raw_.reset();
    if (kml::run_in_front(argv) != 0) {
      std::cout << "kml: press Enter to return" << std::flush;
      char key = 0;
      while (::read(STDIN_FILENO, &key, 1) == 1 && key != '\n') {
      }
    }
    enter();
  }
  void copy(std::string_view text) override { out_.write("\x1B]52;c;" + base64_encoded(text) + "\x07"); }

  void stop_process() {
    raw_->stop_process();
    shown_.reset();
  }
  void set_again() {
    raw_->set_again();
    shown_.reset();
  }
  /// Draws the whole screen again if its size has changed.
  void draw(const live::Canvas& canvas, bool colours) {
    std::string bytes;
    if (!shown_ || shown_->rows() != canvas.rows() || shown_->columns() != canvas.columns()) {
      bytes = "\x1B[m\x1B[2J";
      shown_.emplace(canvas.rows(), canvas.columns());
    }
    bytes += live::difference(*shown_, canvas, colours);
    shown_ = canvas;
    if (!bytes.empty()) out_.write(bytes);
  }
  /// Returns whether the terminal has taken all that was drawn. A slow terminal gets fewer screens, but never
  /// an outdated one.
  bool flush() {
    out_.flush();
    return out_.pending() == 0;
  }
  bool is_closed() const { return out_.is_closed(); }

  void add_to(std::vector<pollfd>& all) const {
    for (const auto& [pane, command] : commands_)
      if (command->fd() >= 0) all.push_back({.fd = command->fd(), .events = POLLIN, .revents = 0});
    if (out_.pending() > 0) all.push_back({.fd = out_.fd(), .events = POLLOUT, .revents = 0});
  }
  /// Passes the commands' output to their panes. Returns whether there was any.
  bool read_commands() {
    bool any = false;
    for (const auto& [pane, command] : commands_) {
      if (pane->has_ended()) continue;
      std::string text;
      const bool goes_on = command->read(text, kPieceOfOutput);
      pane->add(text);
      if (!goes_on) pane->end();
      any = any || !text.empty() || !goes_on;
    }
    return any;
  }

 private:
  void enter() {
    raw_.emplace(kScreenCodes);
    shown_.reset();
  }

  PatientWriter out_;
  std::optional<RawTerminal> raw_;
  std::optional<live::Canvas> shown_;
  std::map<Pane*, std::unique_ptr<TerminalProcess>> commands_;
};

TerminalSize size_now() {
  return terminal_size(STDOUT_FILENO).value_or(TerminalSize{80, 24});
}

class Session {
 public:
  Session(const GlobalOptions& options, std::vector<live::Source> sources,
          const std::vector<live::Scope>& scopes, live::View view, bool colours)
      : signals_({SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP, SIGQUIT}),
        model_(std::move(sources)),
        app_(model_.tables(), options, scopes, terminal_, size_now()),
        colours_(colours) {
    app_.show_view(view);
  }

  void run() {
    bool is_due = true;  // whether the screen may need to be drawn again
    for (auto drawn = steady_clock::time_point(); !app_.is_over();) {
      const auto now = steady_clock::now();
      const bool is_time = now - drawn >= (key_ ? milliseconds(0) : is_due ? kShortestFrame : kAges);
      if (is_time && terminal_.flush()) {
        app_.update(system_clock().now());
        terminal_.draw(app_.draw(system_clock().now()), colours_);
        drawn = now;
        is_due = key_ = false;
      }
      if (terminal_.is_closed()) return;
      wait(is_due ? kShortestFrame : kAges - std::chrono::floor<milliseconds>(now - drawn));
      is_due = take_all() || is_due;
    }
  }

 private:
  void wait(milliseconds limit) {
    std::vector<pollfd> all = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                               {.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    for (const int fd : model_.fds()) all.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    terminal_.add_to(all);
    limit = std::min(limit, model_.longest_wait());
    if (keys_.waits()) limit = std::min(limit, kSequence);
    if (model_.has_more()) limit = milliseconds(0);
    ::poll(all.data(), all.size(), static_cast<int>(std::max(limit, milliseconds(0)).count()));
    has_input_ = (all[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
  }

  /// Returns whether the screen may need to be drawn again.
  bool take_all() {
    const bool was_key = take_input();
    take_signals();
    const bool changed = !model_.update().empty();
    return terminal_.read_commands() || changed || was_key;
  }

  bool take_input() {
    std::vector<live::Key> pressed;
    if (has_input_) {
      char bytes[4096];
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
        throw Error(ErrorCode::interrupted, "the terminal was closed");
      if (got > 0) pressed = keys_.read({bytes, static_cast<size_t>(got)});
    } else if (keys_.waits()) {
      pressed = keys_.end();
    }
    for (const live::Key& key : pressed) {
      if (key.is_control("z"))
        terminal_.stop_process();
      else
        app_.handle(key, system_clock().now());
      if (app_.is_over()) break;
    }
    key_ = key_ || !pressed.empty();
    return !pressed.empty();
  }

  void take_signals() {
    while (const auto signal = signals_.next()) {
      key_ = true;
      if (*signal == SIGWINCH)
        app_.resize(size_now());
      else if (*signal == SIGTSTP)
        terminal_.stop_process();
      else if (*signal == SIGCONT)
        terminal_.set_again();
      else
        throw Error(ErrorCode::interrupted, "interrupted");
    }
  }

  const Signals signals_;
  Terminal terminal_;
  live::Model model_;
  live::App app_;
  live::KeyReader keys_;
  const bool colours_;
  bool has_input_ = false, key_ = false;
};

}  // namespace

int run_terminal(Context& context, const GlobalOptions& options, std::vector<live::Source> sources,
                 const std::vector<live::Scope>& scopes, live::View view) {
  if (!context.streams().out_is_terminal || ::isatty(STDIN_FILENO) == 0)
    throw usage_error("kml ui needs a terminal", "standard input or standard output is not a terminal",
                      "`kml ui -o json` prints the changes as lines of JSON");
  try {
    Session(options, std::move(sources), scopes, view, context.streams().colours).run();
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
    return static_cast<int>(error.code);  // the user or a closed terminal ended kml ui: no message
  }
  return 0;
}

}  // namespace kml::cli
