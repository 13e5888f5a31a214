#include "pod/streams/port_forward.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/base/ready_files.h"
#include "kml/base/text.h"
#include "kml/kube/client/port_stream.h"
#include "pod/streams/loopback.h"
#include "pod/streams/session_activity.h"

namespace kml::pod {

namespace {

constexpr size_t kMostOnTheWay = size_t{256} << 10;
/// How much input is kept that was sent before the pod's first reply. It is sent again if the rank gets a new
/// pod.
constexpr size_t kMostKept = size_t{64} << 10;
constexpr std::chrono::seconds kLongestWaitForPorts{10};
/// How many descriptors must be free before a connection is accepted: those for its stream to the API server.
/// Otherwise the client would be accepted only to be disconnected.
constexpr size_t kStreamDescriptors = 4;
/// How long a pod may be silent after the client has closed its sending side. The client may be gone, or may
/// wait for the rest of a reply. (containerd allows the pod one second.)
constexpr std::chrono::seconds kSilenceAfterEnd{5};
/// How long kml waits before it accepts connections again, if no descriptor was free for one.
constexpr std::chrono::milliseconds kListenAgain{200};

/// A connection from a program on this machine to a pod.
struct Forwarded {
  Forwarded(Fd its_socket, int its_port)
      : socket(std::move(its_socket)), writer(socket.get()), port(its_port) {}

  Fd socket;
  PatientWriter writer;
  int port;
  std::unique_ptr<kube::PortStream> stream;
  std::string pod_uid = {};
  std::string kept = {};  ///< the input sent so far
  /// whether the pod has not replied yet; `kept` then has all of the input
  bool may_move = true;
  bool client_has_ended = false;  ///< whether the client sends no more
  bool pod_has_ended = false;     ///< whether only the remaining output must be written
  std::optional<Error> failure = {};
  /// started when the client ends its input, and restarted by each output after that
  std::unique_ptr<http::Timer> silence = {};
  bool pod_is_silent = false;  ///< whether `silence` has run out
};

/// Whether `count` more descriptors can be opened. Tries this with copies of `fd`.
bool has_descriptors(size_t count, int fd) {
  std::vector<Fd> copies;
  while (copies.size() < count)
    if (!copies.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 0))) return false;
  return true;
}

}  // namespace

PortPair parse_port_pair(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string local = text.substr(0, colon == std::string::npos ? text.size() : colon);
  const std::string remote = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto number = [](const std::string& digits) {
    const std::optional<int> port = digits.empty() ? std::optional<int>() : whole_number(digits);
    return port && *port <= 65535 ? *port : -1;
  };
  const PortPair pair{local.empty() ? 0 : number(local), number(remote)};
  if (pair.local < 0 || pair.remote <= 0)
    throw usage_error("\"" + text + "\" is not a port",
                      "use REMOTE, LOCAL:REMOTE or :REMOTE, such as 9000:8888, with ports up to 65535");
  return pair;
}

class PortForward::State {
 public:
  State(kube::Client& client, RunningRank rank, std::vector<PortPair> ports, Find find, Note note)
      : client_(client),
        rank_(std::move(rank)),
        ports_(std::move(ports)),
        find_(std::move(find)),
        note_(std::move(note)),
        activity_(client, [this](const std::string& text) { tell_once(text); }) {
    for (PortPair& pair : ports_) {
      listeners_.push_back(listen_on_loopback(pair.local));
      pair.local = listeners_.back().port;
    }
    listen(true);
  }

  const std::vector<PortPair>& ports() const { return ports_; }
  void run(const job::Interrupt& interrupt);

 private:
  void listen(bool on);
  void accept_all();
  void accept_later();
  void connect(Forwarded& forwarded);
  void attend(Forwarded& forwarded);
  void read_client(Forwarded& forwarded);
  void await_reply(Forwarded& forwarded);
  void take_failure(Forwarded& forwarded);
  bool moves(Forwarded& forwarded);
  void tell_once(const std::string& text) {
    if (told_.insert(text).second) note_(text);
  }

  kube::Client& client_;
  RunningRank rank_;
  std::vector<PortPair> ports_;
  Find find_;
  Note note_;
  SessionActivity activity_;
  std::vector<Listeners> listeners_;
  ReadyFiles ready_;
  std::list<Forwarded> all_;
  std::set<std::string> told_;
  std::unique_ptr<http::Timer> listen_again_;
  bool is_pod_known_ = true;
};

void PortForward::State::run(const job::Interrupt& interrupt) {
  const int wake[] = {ready_.fd(), interrupt.fd()};
  while (true) {
    client_.transport().wait(kLongestWaitForPorts, wake);
    interrupt.check();
    accept_all();
    for (auto at = all_.begin(); at != all_.end();) {
      attend(*at);
      const bool is_over = at->writer.is_closed() || (at->pod_has_ended && at->writer.pending() == 0);
      if (is_over) ready_.forget(at->socket.get());
      at = is_over ? all_.erase(at) : std::next(at);
    }
  }
}

void PortForward::State::listen(bool on) {
  for (const Listeners& listeners : listeners_)
    for (const Fd& socket : listeners.sockets) ready_.want(socket.get(), on, false);
}

void PortForward::State::accept_all() {
  for (size_t i = 0; i < listeners_.size(); ++i)
    for (const Fd& listener : listeners_[i].sockets)
      while (is_readable(listener.get())) {
        if (!has_descriptors(1 + kStreamDescriptors, listener.get())) return accept_later();
        Fd socket = accept_from(listener);
        if (!socket) break;  // the client is already gone
        Forwarded& forwarded = all_.emplace_back(std::move(socket), ports_[i].remote);
        if (is_pod_known_ || moves(forwarded)) connect(forwarded);
      }
}

void PortForward::State::accept_later() {
  // While a connection waits for a descriptor, each wait would end at once.
  tell_once("too many connections at once (ulimit -n): others wait until some close");
  listen(false);
  listen_again_ = client_.transport().after(kListenAgain, [this] { listen(true); });
}

void PortForward::State::connect(Forwarded& forwarded) {
  forwarded.failure.reset();
  forwarded.pod_uid = rank_.pod_uid;
  try {
    forwarded.stream = std::make_unique<kube::PortStream>(
        client_, rank_.namespace_name, rank_.pod, rank_.port_for(forwarded.port),
        kube::PortHandler{.on_data =
                              [this, &forwarded](std::string_view bytes) {
                                forwarded.may_move = false;
                                forwarded.kept.clear();
                                forwarded.writer.write(bytes);
                                if (forwarded.client_has_ended) await_reply(forwarded);
                              },
                          .on_end =
                              [&forwarded](const Error* error) {
                                if (error) forwarded.failure = *error;
                                forwarded.pod_has_ended = true;
                              }});
    if (!forwarded.kept.empty()) forwarded.stream->send(forwarded.kept);
  } catch (const Error& error) {
    forwarded.failure = error;
    forwarded.pod_has_ended = true;
  }
}

/// Looks up the rank's pod. Returns true if it is a new pod. Otherwise marks the connection as ended.
bool PortForward::State::moves(Forwarded& forwarded) {
  try {
    rank_ = find_();
    is_pod_known_ = true;
    if (rank_.pod_uid != forwarded.pod_uid) return true;
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) throw;
    tell_once(message_and_why(error));
    is_pod_known_ = false;
  }
  forwarded.pod_has_ended = true;
  return false;
}

void PortForward::State::take_failure(Forwarded& forwarded) {
  const Error error = *std::exchange(forwarded.failure, {});
  // For a deleted pod, the server responds with 404; for a pod that has ended, with the kubelet's error.
  if (forwarded.may_move && moves(forwarded)) {
    note_("continuing with pod " + rank_.pod);
    told_.clear();
    forwarded.pod_has_ended = false;
    return connect(forwarded);
  }
  if (!forwarded.may_move) is_pod_known_ = false;  // the next connection looks up the pod
  tell_once(message_and_why(error));
}

void PortForward::State::read_client(Forwarded& forwarded) {
  char buffer[30 << 10];
  const ssize_t count = ::recv(forwarded.socket.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    forwarded.client_has_ended = true;
    await_reply(forwarded);
    // The client has reset the connection, so the pod's reply is dropped.
    if (count < 0) forwarded.pod_has_ended = true;
    return;
  }
  const std::string_view bytes(buffer, static_cast<size_t>(count));
  if (forwarded.may_move) forwarded.kept += bytes;
  if (forwarded.kept.size() > kMostKept) forwarded.may_move = false, forwarded.kept.clear();
  forwarded.stream->send(bytes);
  activity_.add(rank_, bytes.size());
}

void PortForward::State::await_reply(Forwarded& forwarded) {
  forwarded.silence =
      client_.transport().after(kSilenceAfterEnd, [&forwarded] { forwarded.pod_is_silent = true; });
}

void PortForward::State::attend(Forwarded& forwarded) {
  if (forwarded.failure) take_failure(forwarded);
  if (std::exchange(forwarded.pod_is_silent, false)) {
    const bool is_paused = forwarded.writer.pending() > 0;
    if (is_paused) await_reply(forwarded);
    forwarded.pod_has_ended = !is_paused;
  }
  const bool is_open = forwarded.stream && !forwarded.pod_has_ended && !forwarded.client_has_ended;
  if (is_open && forwarded.stream->unsent() < kMostOnTheWay && is_readable(forwarded.socket.get()))
    read_client(forwarded);
  forwarded.writer.flush();
  if (!forwarded.stream) return;
  if (!forwarded.pod_has_ended) forwarded.stream->pause(forwarded.writer.pending() > kMostOnTheWay);
  ready_.want(forwarded.socket.get(), is_open && forwarded.stream->unsent() < kMostOnTheWay,
              forwarded.writer.pending() > 0);
}

PortForward::PortForward(kube::Client& client, RunningRank rank, std::vector<PortPair> ports, Find find,
                         Note note)
    : state_(std::make_unique<State>(client, std::move(rank), std::move(ports), std::move(find),
                                     std::move(note))) {}

PortForward::~PortForward() = default;

const std::vector<PortPair>& PortForward::ports() const {
  return state_->ports();
}

void PortForward::run(const job::Interrupt& interrupt) {
  state_->run(interrupt);
}

}  // namespace kml::pod
