#include "local/streams/exec_session.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "local/streams/command_call.h"
#include "local/streams/command_input.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

// How many pieces of an output a session sends in one turn of the event loop at most.
constexpr int kPiecesInTurn = 32;

// How long to wait for the command's last output if another process still has its terminal open.
constexpr std::chrono::milliseconds kTerminalPatience{500};

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
      : loop_(loop),
        folder_(folder),
        wanted_(wanted),
        call_(loop, std::move(command),
              {.ended = [this](std::string status) { end_with(std::move(status)); },
               .unanswered = [this](const std::string& status) { finish(status); }}),
        input_(loop) {}
  ~ExecSession() override { release(); }

  void on_open() override {
    // As the kubelet does, first sends an empty message, so that the client knows that the server is ready.
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
      case Channel::in: input_.add(bytes); break;
      case Channel::size: resize(bytes); break;
      case Channel::close:
        if (bytes == std::string_view("\0", 1)) input_.end();
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
    int fd = -1;  ///< the descriptor in `owner`, or the terminal's
    Fd owner = {};
    bool is_drained = true;
  };

  void begin() {
    std::array<Fd, 3> theirs;
    if (call_.has_terminal())
      theirs[0] = open_terminal();
    else
      open_pipes(theirs);
    const int descriptors[] = {theirs[0].get(), theirs[1].get(), theirs[2].get()};
    call_.begin(folder_, std::span(descriptors).first(call_.has_terminal() ? 1 : 3));
  }

  Fd open_terminal() {
    terminal_ = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!terminal_ || ::unlockpt(terminal_.get()) != 0) throw system_error("cannot make a terminal", errno);
    Fd theirs(::ioctl(terminal_.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!theirs) throw system_error("cannot open a terminal", errno);
    do_not_block(terminal_);
    if (wanted_.in) input_.open(terminal_);
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
      do_not_block(pipe.writer);
      input_.open(std::move(pipe.writer), [this] { feed(); });
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

  void feed() {
    input_.feed();
    if (!released_) socket->read_more(input_.held() < kMostHeld);
  }

  void resize(std::string_view text) {
    const Json size = Json::parse(text, nullptr, false);
    if (!terminal_ || !size.is_object()) return;
    winsize window{};
    window.ws_col = static_cast<unsigned short>(std::clamp<int64_t>(int_at(size, {"Width"}), 0, 0xffff));
    window.ws_row = static_cast<unsigned short>(std::clamp<int64_t>(int_at(size, {"Height"}), 0, 0xffff));
    ::ioctl(terminal_.get(), TIOCSWINSZ, &window);
  }

  /// Sends the command's output at the speed at which the client reads. Once the command has ended, only
  /// sends output that was already written, because a process that the command left behind may keep the
  /// streams open forever.
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

  /// Reads a piece. Returns false if no more output is available now.
  bool read_piece(Output& output) {
    char buffer[kLargestMessage];
    const ssize_t got = ::read(output.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) return true;
    // Output may need a moment to pass through a terminal.
    output.is_drained =
        got == 0 || (got < 0 && (errno != EAGAIN || !call_.has_terminal() || is_patience_over_));
    if (got > 0) {
      send_on(*socket, output.channel, {buffer, static_cast<size_t>(got)});
      return true;
    }
    if (got < 0 && errno == EAGAIN) return false;
    // If no process has a terminal open any more, reading it fails with EIO.
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

  void end_with(std::string status) {
    end_ = std::move(status);
    for (Output& output : outputs_) output.is_drained = false;
    if (call_.has_terminal())
      patience_ = loop_.after(kTerminalPatience, [this] {
        patience_.reset();
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

  /// Closes the connection to the keeper, which makes the keeper kill the command.
  void release() {
    if (std::exchange(released_, true)) return;
    if (patience_) loop_.cancel(*patience_);
    if (pump_timer_) loop_.cancel(*pump_timer_);
    call_.drop();
    input_.close();
    for (const Fd* fd : {&terminal_, &outputs_[0].owner, &outputs_[1].owner})
      if (*fd) loop_.forget(fd->get());
    terminal_ = Fd();
    for (Output& output : outputs_) output = {output.channel};
  }

  EventLoop& loop_;
  PodFolder folder_;
  WantedStreams wanted_;
  CommandCall call_;
  Fd terminal_;
  CommandInput input_;
  Output outputs_[2] = {{Channel::out}, {Channel::err}};
  std::optional<std::string> end_;  ///< the Status to send once all output is sent
  std::optional<EventLoop::Timer> patience_, pump_timer_;
  bool is_patience_over_ = false, released_ = false;
};

}  // namespace

std::unique_ptr<SocketSession> exec_session(EventLoop& loop, const PodFolder& folder, CommandRequest command,
                                            const WantedStreams& wanted) {
  return std::make_unique<ExecSession>(loop, folder, std::move(command), wanted);
}

}  // namespace kml::local
