#include "local/shim/probe_attempt.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "local/shim/command_channel.h"

namespace kml::local {

namespace {

using Done = std::function<void(const std::string&)>;

/// The common part of all attempts: a socket, one response, and a time limit.
class SocketAttempt : public ProbeAttempt {
 public:
  SocketAttempt(EventLoop& loop, int64_t timeout_seconds, Done done) : loop_(loop), done_(std::move(done)) {
    timer_ = loop_.after(std::chrono::seconds(timeout_seconds),
                         [this, timeout_seconds] { finish(timed_out(timeout_seconds)); });
  }
  ~SocketAttempt() override { give_up(); }

 protected:
  virtual void on_event() = 0;
  virtual std::string timed_out(int64_t seconds) const = 0;

  void watch(Fd socket) {
    socket_ = std::move(socket);
    loop_.watch(socket_.get(), EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, [this](uint32_t) { on_event(); });
  }
  int socket() const { return socket_.get(); }

  /// The callback may destroy this object.
  void finish(const std::string& problem) {
    give_up();
    const Done done = std::exchange(done_, nullptr);
    if (done) done(problem);
  }
  /// Calls finish() a little later, so that it can be used in the constructor.
  void finish_later(const std::string& problem) {
    loop_.cancel(timer_);
    timer_ = loop_.after(std::chrono::nanoseconds(0), [this, problem] { finish(problem); });
  }

 private:
  void give_up() {
    loop_.cancel(timer_);
    if (socket_) loop_.forget(socket_.get());
    socket_ = Fd();
  }

  EventLoop& loop_;
  Done done_;
  EventLoop::Timer timer_{};
  Fd socket_;
};

/// Does the same as the kubelet, but connects to the loopback address, which all pods share.
class PortAttempt : public SocketAttempt {
 public:
  PortAttempt(EventLoop& loop, const ProbePlan& plan, Done done)
      : SocketAttempt(loop, plan.timeout, std::move(done)), plan_(plan) {
    Fd connection(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(plan.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!connection ||
        (::connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 &&
         errno != EINPROGRESS))
      finish_later(cannot_connect(errno));
    else
      watch(std::move(connection));
  }

 private:
  std::string cannot_connect(int error) const {
    return fmt::format("dial tcp 127.0.0.1:{}: connect: {}", plan_.port, std::strerror(error));
  }
  std::string timed_out(int64_t seconds) const override {
    return fmt::format("no answer from port {} within {} s", plan_.port, seconds);
  }

  void on_event() override {
    if (!connected_) {
      int failure = 0;
      socklen_t size = sizeof failure;
      ::getsockopt(socket(), SOL_SOCKET, SO_ERROR, &failure, &size);
      if (failure != 0) return finish(cannot_connect(failure));
      sockaddr_storage peer{};
      size = sizeof peer;
      if (::getpeername(socket(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;  // not yet
      connected_ = true;
      if (plan_.action == "tcp") return finish("");
      send_request();
    }
    read_answer();
  }

  void send_request() {
    std::string request = fmt::format("GET {} HTTP/1.1\r\n", plan_.path.empty() ? "/" : plan_.path);
    bool has_host = false;
    for (const std::string& header : plan_.headers) {
      request += header + "\r\n";
      has_host |= header.starts_with("Host:");
    }
    if (!has_host) request += fmt::format("Host: 127.0.0.1:{}\r\n", plan_.port);
    request += "User-Agent: kube-probe/kml\r\nAccept: */*\r\nConnection: close\r\n\r\n";
    // The request is so short that a new connection always has room for it.
    [[maybe_unused]] const ssize_t sent = ::send(socket(), request.data(), request.size(), MSG_NOSIGNAL);
  }

  /// Reads the status. A code from 200 to 399 is a success (pkg/probe/http).
  void read_answer() {
    char buffer[512];
    ssize_t got = 0;
    while (answer_.size() < kStatusLine && (got = ::recv(socket(), buffer, sizeof buffer, 0)) > 0)
      answer_.append(buffer, static_cast<size_t>(got));
    if (answer_.size() < kStatusLine)
      return got < 0 && errno == EAGAIN ? void() : finish(fmt::format("Get {}: no HTTP answer", plan_.path));
    int code = 0;
    if (answer_.starts_with("HTTP/1."))
      std::from_chars(answer_.data() + kStatusLine - 3, answer_.data() + kStatusLine, code);
    finish(code >= 200 && code < 400 ? "" : fmt::format("HTTP probe failed with statuscode: {}", code));
  }

  static constexpr size_t kStatusLine = 12;  ///< "HTTP/1.1 200"
  const ProbePlan& plan_;
  std::string answer_;
  bool connected_ = false;
};

/// Runs a command in the container, see CommandRequest.
class CommandAttempt : public SocketAttempt {
 public:
  CommandAttempt(EventLoop& loop, const ProbePlan& plan, const std::string& container, const Fd& requests,
                 Done done)
      : SocketAttempt(loop, plan.timeout, std::move(done)) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
      finish_later("cannot make a socket");
      return;
    }
    Fd own(ends[0]);
    const Fd keepers(ends[1]);
    const int given[] = {keepers.get()};
    if (send_message(requests.get(), to_json(CommandRequest{container, plan.argv}).dump(), given))
      watch(std::move(own));
    else
      finish_later("too many commands are being started in the container");
  }

 private:
  std::string timed_out(int64_t seconds) const override {
    return fmt::format("command timed out after {} s", seconds);
  }

  void on_event() override {
    for (;;) {
      const auto message = receive_message(socket());
      if (!message) return errno == EAGAIN ? void() : finish("the command was killed");
      CommandAnswer answer{};
      if (message->text.size() != sizeof answer) continue;
      std::memcpy(&answer, message->text.data(), sizeof answer);
      if (answer.kind == CommandAnswer::refused) return finish(answer.text);
      if (answer.kind == CommandAnswer::ended)
        return finish(answer.exit_code == 0
                          ? ""
                          : fmt::format("command terminated with exit code {}", answer.exit_code));
    }
  }
};

}  // namespace

std::unique_ptr<ProbeAttempt> start_probe_attempt(EventLoop& loop, const ProbePlan& plan,
                                                  const std::string& container, const Fd* requests,
                                                  Done done) {
  if (plan.action != "exec") return std::make_unique<PortAttempt>(loop, plan, std::move(done));
  static const Fd none;
  return std::make_unique<CommandAttempt>(loop, plan, container, requests ? *requests : none,
                                          std::move(done));
}

}  // namespace kml::local
