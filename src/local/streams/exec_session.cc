#include "local/streams/exec_session.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/base/text.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

// The kubelet waits this long for a container runtime. No command needs this long to start.
constexpr std::chrono::seconds kStartLimit{60};
// The most pieces that one session sends in one turn of the event loop.
constexpr int kPiecesInTurn = 32;

// How long to wait for the command's last output if another process keeps its terminal open.
constexpr std::chrono::milliseconds kTerminalPatience{500};

constexpr int kKilled = 128 + 9;

struct Pipe {
  Fd reader, writer;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe", errno);
  return {Fd(ends[0]), Fd(ends[1])};
}

Fd open_null() {
  return Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
}

void do_not_block(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

class ExecSession : public SocketSession {
 public:
  ExecSession(EventLoop& loop, const PodFolder& folder, CommandRequest command, const WantedStreams& wanted)
      : loop_(loop), folder_(folder), command_(std::move(command)), wanted_(wanted) {}
  ~ExecSession() override { release(); }

  void on_open() override {
    // Like the kubelet, sends an empty message first, so that the client knows that the server is ready.
    send_on(*socket, wanted_.out ? Channel::out : wanted_.err ? Channel::err : Channel::status, "");
    try {
      begin();
    } catch (const Error& error) {
      finish(internal_error_text(message_and_why(error)));
    }
  }

  void on_message(std::string_view payload) override {
    if (payload.empty()) return;
    const std::string_view bytes = payload.substr(1);
    switch (static_cast<Channel>(payload[0])) {
      case Channel::in:
        if (in_ && !in_ends_) to_command_ += bytes;
        break;
      case Channel::size: resize(bytes); break;
      case Channel::close:
        if (bytes == std::string_view("\0", 1)) in_ends_ = true;
        break;
      default: break;
    }
    feed();
  }

  void on_sent() override { pump(); }
  void on_closed() override { release(); }

 private:
  struct Output {
    Channel channel;
    int fd = -1;  ///< the descriptor of `owner`, or of the terminal
    Fd owner = {};
    bool is_drained = true;
  };

  void begin() {
    std::array<Fd, 3> theirs;
    if (command_.terminal)
      theirs[0] = open_terminal();
    else
      open_pipes(theirs);
    connection_ = connect_for_commands(folder_.commands());
    if (!connection_) throw system_error("cannot reach the pod's shim", errno);
    if (!is_trusted_peer(connection_.get()))
      throw Error(ErrorCode::failure, "cannot reach the pod's shim", "another process has taken its place");
    const int descriptors[] = {theirs[0].get(), theirs[1].get(), theirs[2].get()};
    if (!send_message(connection_.get(), to_json(command_).dump(),
                      std::span(descriptors).first(command_.terminal ? 1 : 3)))
      throw system_error("cannot ask the pod's shim", errno);
    loop_.watch(connection_.get(), EPOLLIN, [this](uint32_t) { take_answers(); });
    deadline_ = loop_.after(kStartLimit, [this] {
      deadline_.reset();
      finish(internal_error_text("the pod's shim does not answer"));
    });
  }

  Fd open_terminal() {
    terminal_ = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal_ || ::unlockpt(terminal_.get()) != 0) throw system_error("cannot make a terminal", errno);
    Fd theirs(::ioctl(terminal_.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!theirs) throw system_error("cannot open a terminal", errno);
    do_not_block(terminal_);
    if (wanted_.in) in_ = terminal_.get();
    outputs_[0].fd = terminal_.get();
    loop_.watch(terminal_.get(), EPOLLIN | EPOLLOUT | EPOLLET, [this](uint32_t) {
      feed();
      pump();
    });
    return theirs;
  }

  void open_pipes(std::array<Fd, 3>& theirs) {
    for (Fd& fd : theirs) fd = open_null();
    if (wanted_.in) {
      Pipe pipe = make_pipe();
      theirs[0] = std::move(pipe.reader);
      in_owner_ = std::move(pipe.writer);
      do_not_block(in_owner_);
      in_ = in_owner_.get();
      loop_.watch(*in_, EPOLLOUT | EPOLLET, [this](uint32_t) { feed(); });
    }
    for (size_t i = 0; i < 2; ++i) {
      if (!(i == 0 ? wanted_.out : wanted_.err)) continue;
      Pipe pipe = make_pipe();
      theirs[i + 1] = std::move(pipe.writer);
      outputs_[i].owner = std::move(pipe.reader);
      do_not_block(outputs_[i].owner);
      outputs_[i].fd = outputs_[i].owner.get();
      loop_.watch(outputs_[i].fd, EPOLLIN | EPOLLET, [this](uint32_t) { pump(); });
    }
  }

  /// Writes input to the command, as much as it accepts.
  void feed() {
    while (in_ && !to_command_.empty()) {
      const ssize_t written = ::write(*in_, to_command_.data(), to_command_.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) break;
      if (written <= 0) return close_in();  // the command does not read any more
      to_command_.erase(0, static_cast<size_t>(written));
    }
    if (in_ && in_ends_ && to_command_.empty()) end_in();
    if (!released_) socket->read_more(to_command_.size() < kMostHeld);
  }

  /// A terminal cannot be closed on one side only, so a command that reads lines gets the end-of-file
  /// character.
  void end_in() {
    termios settings{};
    if (command_.terminal && ::tcgetattr(terminal_.get(), &settings) == 0 &&
        (settings.c_lflag & ICANON) != 0) {
      [[maybe_unused]] const ssize_t ignored = ::write(terminal_.get(), &settings.c_cc[VEOF], 1);
    }
    close_in();
  }

  void close_in() {
    to_command_.clear();
    if (in_owner_) loop_.forget(in_owner_.get());
    in_owner_ = Fd();
    in_.reset();
    if (!released_) socket->read_more(true);
  }

  void resize(std::string_view text) {
    const Json size = Json::parse(text, nullptr, false);
    if (!terminal_ || !size.is_object()) return;
    winsize window{};
    window.ws_col = static_cast<unsigned short>(std::clamp<int64_t>(int_at(size, {"Width"}), 0, 0xffff));
    window.ws_row = static_cast<unsigned short>(std::clamp<int64_t>(int_at(size, {"Height"}), 0, 0xffff));
    ::ioctl(terminal_.get(), TIOCSWINSZ, &window);
  }

  /// Sends the command's output, as much as the client reads. Once the command has ended, only output that
  /// was already written is sent: a process that it left behind may keep the streams open forever.
  void pump() {
    if (released_) return;
    bool all_drained = true;
    for (Output& output : outputs_) {
      for (int count = 0; output.fd >= 0 && socket->unsent() < kMostHeld; ++count) {
        if (count == kPiecesInTurn) {
          pump_soon();
          break;
        }
        if (!read_piece(output)) break;
      }
      all_drained = all_drained && (output.fd < 0 || output.is_drained);
    }
    if (all_drained && end_) finish(*end_);
  }

  /// Returns false if no more output is available now.
  bool read_piece(Output& output) {
    char buffer[kLargestMessage];
    const ssize_t got = ::read(output.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    // Output may take a moment to pass through a terminal.
    output.is_drained = got == 0 || (got < 0 && (errno != EAGAIN || !command_.terminal || is_patience_over_));
    if (got > 0) {
      send_on(*socket, output.channel, {buffer, static_cast<size_t>(got)});
      return true;
    }
    if (got < 0 && errno == EAGAIN) return false;
    // A terminal that no process has open any more returns the error EIO.
    if (!output.owner) return false;
    loop_.forget(output.fd);
    output.owner = Fd();
    output.fd = -1;
    return false;
  }

  void pump_soon() {
    if (pump_timer_) return;
    pump_timer_ = loop_.after(std::chrono::nanoseconds(0), [this] {
      pump_timer_.reset();
      pump();
    });
  }

  void take_answers() {
    while (const auto message = receive_message(connection_.get())) {
      CommandAnswer answer{};
      if (message->text.size() != sizeof answer) break;
      std::memcpy(&answer, message->text.data(), sizeof answer);
      answer.text[sizeof answer.text - 1] = '\0';
      take_answer(answer);
      if (released_) return;
    }
    if (errno == EAGAIN || end_) return;
    // The container has ended, and the keeper with it.
    loop_.forget(connection_.get());
    end_with(has_started_ ? exit_code_text(words(), kKilled)
                          : internal_error_text("the container has exited"));
  }

  void take_answer(const CommandAnswer& answer) {
    if (deadline_) loop_.cancel(*deadline_);
    deadline_.reset();
    switch (answer.kind) {
      case CommandAnswer::started: has_started_ = true; break;
      case CommandAnswer::refused:
        loop_.forget(connection_.get());
        end_with(internal_error_text("error executing command in container: " + std::string(answer.text)));
        break;
      case CommandAnswer::ended:
        loop_.forget(connection_.get());
        end_with(answer.exit_code == 0 ? success_text() : exit_code_text(words(), answer.exit_code));
        break;
    }
  }

  std::string words() const { return join(command_.argv, " "); }

  void end_with(std::string status) {
    end_ = std::move(status);
    for (Output& output : outputs_) output.is_drained = false;
    if (command_.terminal)
      deadline_ = loop_.after(kTerminalPatience, [this] {
        deadline_.reset();
        is_patience_over_ = true;
        pump();
      });
    pump();
  }

  void finish(const std::string& status) {
    if (released_) return;
    send_on(*socket, Channel::status, status);
    socket->close();
    release();
  }

  /// Closes the connection to the keeper, which then kills the command.
  void release() {
    if (std::exchange(released_, true)) return;
    if (deadline_) loop_.cancel(*deadline_);
    if (pump_timer_) loop_.cancel(*pump_timer_);
    for (const Fd* fd : {&connection_, &terminal_, &in_owner_, &outputs_[0].owner, &outputs_[1].owner})
      if (*fd) loop_.forget(fd->get());
    connection_ = Fd();
    terminal_ = Fd();
    in_owner_ = Fd();
    in_.reset();
    for (Output& output : outputs_) output = {output.channel};
  }

  EventLoop& loop_;
  PodFolder folder_;
  CommandRequest command_;
  WantedStreams wanted_;
  Fd connection_;  ///< to the container's keeper
  Fd terminal_, in_owner_;
  std::optional<int> in_;  ///< the command's input, while it reads
  std::string to_command_;
  Output outputs_[2] = {{Channel::out}, {Channel::err}};
  std::optional<std::string> end_;  ///< the Status to send after all output
  std::optional<EventLoop::Timer> deadline_, pump_timer_;
  bool in_ends_ = false, has_started_ = false, is_patience_over_ = false, released_ = false;
};

}  // namespace

std::unique_ptr<SocketSession> exec_session(EventLoop& loop, const PodFolder& folder, CommandRequest command,
                                            const WantedStreams& wanted) {
  return std::make_unique<ExecSession>(loop, folder, std::move(command), wanted);
}

}  // namespace kml::local
