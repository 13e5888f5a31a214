#include "local/http/http_server.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "local/http/gnutls.h"
#include "local/http/http_stream.h"
#include "local/http/web_socket.h"

namespace kml::local {

RequestDeadlines::~RequestDeadlines() {
  for (const auto& [socket, timer] : timers_) loop_.cancel(timer);
}

void RequestDeadlines::start(int socket, std::chrono::nanoseconds limit) {
  stop(socket);
  // libmicrohttpd owns the socket. It notices the shutdown, and closes the socket.
  timers_[socket] = loop_.after(limit, [this, socket] { end(socket); });
}

void RequestDeadlines::end(int socket) {
  stop(socket);
  ::shutdown(socket, SHUT_RDWR);
}

void RequestDeadlines::stop(int socket) {
  auto found = timers_.find(socket);
  if (found == timers_.end()) return;
  loop_.cancel(found->second);
  timers_.erase(found);
}

namespace {

// A connection that carries no byte in either direction for this long is ended, because its client does not
// read.
constexpr unsigned kIdleSeconds = 120;
constexpr size_t kHeaderMemory = 64 << 10;

/// One request that is being received.
struct Exchange {
  HttpRequest request;
  bool too_large = false;
  std::optional<HttpResponse> held = {};  ///< a response that may not be sent yet
};

MHD_Result add_parameter(void* cls, MHD_ValueKind, const char* key, const char* value) {
  auto* request = static_cast<HttpRequest*>(cls);
  request->query.emplace(key, value ? value : "");
  request->all_query.emplace(key, value ? value : "");
  return MHD_YES;
}

std::string header(MHD_Connection* connection, const char* name) {
  const char* value = microhttpd().lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value ? value : "";
}

int socket_of(MHD_Connection* connection) {
  return microhttpd().get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/// Decodes %XX in place, but leaves %00 unchanged, because a zero byte would cut off the rest of the text.
size_t unescape(void*, MHD_Connection*, char* text) {
  char* to = text;
  for (const char* from = text; *from != '\0'; ++to) {
    unsigned char byte = 0;
    const bool escaped = *from == '%' && std::isxdigit(static_cast<unsigned char>(from[1])) &&
                         std::isxdigit(static_cast<unsigned char>(from[2]));
    if (escaped) std::from_chars(from + 1, from + 3, byte, 16);
    *to = byte != 0 ? static_cast<char>(byte) : *from;
    from += byte != 0 ? 3 : 1;
  }
  *to = '\0';
  return static_cast<size_t>(to - text);
}

size_t announced_size(MHD_Connection* connection) {
  const std::string text = header(connection, "Content-Length");
  size_t size = 0;
  std::from_chars(text.data(), text.data() + text.size(), size);
  return size;
}

/// The header for a warning without a specific code (RFC 7234). A header must not contain line breaks.
std::string warning_header(const std::string& text) {
  std::string quoted;
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return "299 - \"" + quoted + "\"";
}

HttpResponse too_large() {
  return {.status = 413,
          .body =
              R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
              R"("message":"Request entity too large: limit is 3145728","reason":"RequestEntityTooLarge",)"
              R"("code":413})"};
}

}  // namespace

struct HttpServer::State {
  State(EventLoop& event_loop, Gate first, Handler then, const HttpLimits& its_limits)
      : loop(event_loop),
        gate(std::move(first)),
        handler(std::move(then)),
        limits(its_limits),
        deadlines(event_loop),
        streams(event_loop),
        sockets(event_loop) {
    streams.on_resumed = [this] { run_soon(); };
    sockets.on_progress = [this] { run_soon(); };
  }

  void run_soon() {
    if (timer_set) loop.cancel(timer);
    timer = loop.after(std::chrono::milliseconds(0), [this] {
      timer_set = false;
      run();
    });
    timer_set = true;
  }

  /// Runs libmicrohttpd, and runs it again whenever it asks for that.
  void run() {
    if (timer_set) loop.cancel(timer);
    timer_set = false;
    microhttpd().run(daemon);
    if (timer_set) return;  // a stream has become ready meanwhile, so it runs soon
    unsigned long long milliseconds = 0;
    if (microhttpd().get_timeout(daemon, &milliseconds) != MHD_YES) return;
    // While libmicrohttpd waits for a client's handshake, it asks to run again at once, over and over. Its
    // epoll descriptor reports when there is something to do.
    if (!handshaking.empty()) milliseconds = std::max(milliseconds, 1ULL);
    timer = loop.after(std::chrono::milliseconds(milliseconds), [this] {
      timer_set = false;
      run();
    });
    timer_set = true;
  }

  MHD_Result upgrade(MHD_Connection* connection, HttpResponse response, const UpgradeHeaders& asked) {
    MHD_Response* message =
        sockets.response(connection, asked, response.protocol, std::move(response.session));
    if (!message) return MHD_NO;
    const MHD_Result queued = microhttpd().queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, message);
    microhttpd().destroy_response(message);
    return queued;
  }

  MHD_Result answer(MHD_Connection* connection, HttpResponse response, const UpgradeHeaders& asked = {}) {
    deadlines.stop(socket_of(connection));
    if (response.session) return upgrade(connection, std::move(response), asked);
    MHD_Response* message = nullptr;
    if (response.stream) {
      message = streams.response(connection, std::move(response.stream));
    } else {
      auto* body = new std::string(std::move(response.body));
      message = microhttpd().create_response_from_buffer_with_free_callback_cls(
          body->size(), body->data(), [](void* cls) { delete static_cast<std::string*>(cls); }, body);
    }
    if (!message) return MHD_NO;
    microhttpd().add_response_header(message, "Content-Type", response.content_type.c_str());
    for (const std::string& warning : response.warnings)
      microhttpd().add_response_header(message, "Warning", warning_header(warning).c_str());
    if (!response.allow.empty()) microhttpd().add_response_header(message, "Allow", response.allow.c_str());
    for (const auto& [name, value] : response.headers)
      microhttpd().add_response_header(message, name.c_str(), value.c_str());
    MHD_Result queued =
        microhttpd().queue_response(connection, static_cast<unsigned>(response.status), message);
    microhttpd().destroy_response(message);
    return queued;
  }

  MHD_Result begin(MHD_Connection* connection, const char* path, const char* method, void** slot) {
    handshaking.erase(connection);
    auto* exchange = new Exchange;
    *slot = exchange;
    HttpRequest& request = exchange->request;
    request.method = method;
    request.path = path;
    request.content_type = header(connection, "Content-Type");
    request.authorization = header(connection, "Authorization");
    request.accept = header(connection, "Accept");
    request.upgrade = {header(connection, "Upgrade"), header(connection, "Sec-WebSocket-Key"),
                       header(connection, "Sec-WebSocket-Version"),
                       header(connection, "Sec-WebSocket-Protocol")};
    request.browser = {header(connection, "Host"), header(connection, "Origin"), header(connection, "Cookie"),
                       header(connection, "Sec-Fetch-Site"), header(connection, "X-Kml-Key")};
    microhttpd().get_connection_values(connection, MHD_GET_ARGUMENT_KIND, add_parameter, &request);
    HttpResponse refusal = gate(request);
    const bool is_known = !request.authorization.empty() || !request.browser.page_key.empty();
    if (refusal.status == 200 && is_known) std::erase(strangers, connection);
    if (refusal.status != 200) return answer(connection, std::move(refusal));
    if (announced_size(connection) > kMaxBody) return answer(connection, too_large());
    return MHD_YES;
  }

  MHD_Result access(MHD_Connection* connection, const char* path, const char* method, const char* upload,
                    size_t* upload_size, void** slot) {
    auto* exchange = static_cast<Exchange*>(*slot);
    if (!exchange) return begin(connection, path, method, slot);
    if (*upload_size > 0) {
      exchange->too_large |= exchange->request.body.size() + *upload_size > kMaxBody;
      if (!exchange->too_large) exchange->request.body.append(upload, *upload_size);
      *upload_size = 0;
      return MHD_YES;
    }
    const UpgradeHeaders& asked = exchange->request.upgrade;
    if (exchange->held) return answer(connection, std::move(*exchange->held), asked);
    HttpResponse response = exchange->too_large ? too_large() : handler(exchange->request);
    if (may_send()) return answer(connection, std::move(response), asked);
    // libmicrohttpd will call again when the connection is resumed.
    deadlines.stop(socket_of(connection));
    exchange->held = std::move(response);
    microhttpd().suspend_connection(connection);
    held.push_back(connection);
    return MHD_YES;
  }

  void welcome(MHD_Connection* connection) {
    handshaking.insert(connection);
    strangers.push_back(connection);
    deadlines.start(socket_of(connection), limits.first_request);
    const size_t most = limits.strangers > 0 ? limits.strangers : std::max(limits.connections / 4, 1U);
    if (strangers.size() <= most) return;
    deadlines.end(socket_of(strangers.front()));
    strangers.erase(strangers.begin());
  }

  void send_held() {
    if (held.empty()) return;
    for (MHD_Connection* connection : std::exchange(held, {})) microhttpd().resume_connection(connection);
    run();
    if (!held.empty()) run_soon();  // for pipelined requests that were already read, no event will come
  }

  EventLoop& loop;
  Gate gate;
  Handler handler;
  std::function<bool()> may_send = [] { return true; };
  std::vector<MHD_Connection*> held;  ///< connections that are suspended until their responses may be sent
  HttpLimits limits;
  RequestDeadlines deadlines;
  HttpStreams streams;
  WebSockets sockets;
  /// connections in a handshake, or which have not sent their first request
  std::set<MHD_Connection*> handshaking;
  std::vector<MHD_Connection*> strangers;  ///< sorted with the oldest first; see HttpLimits
  MHD_Daemon* daemon = nullptr;
  int epoll = -1;
  EventLoop::Timer timer;
  bool timer_set = false;
};

namespace {

/// No exception may pass through libmicrohttpd's frames, so an exception ends the connection here.
template <typename State>
MHD_Result on_access(void* cls, MHD_Connection* connection, const char* path, const char* method, const char*,
                     const char* upload, size_t* upload_size, void** slot) {
  try {
    return static_cast<State*>(cls)->access(connection, path, method, upload, upload_size, slot);
  } catch (const std::exception&) {
    return MHD_NO;
  }
}

template <typename State>
void on_connection(void* cls, MHD_Connection* connection, void**, MHD_ConnectionNotificationCode code) {
  auto* state = static_cast<State*>(cls);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) return state->welcome(connection);
  state->handshaking.erase(connection);
  std::erase(state->strangers, connection);
  state->sockets.forget(connection);
  state->deadlines.stop(socket_of(connection));
  state->run_soon();  // libmicrohttpd only accepts waiting connections when it runs
}

template <typename State>
void on_completed(void* cls, MHD_Connection* connection, void** slot, MHD_RequestTerminationCode) {
  auto* state = static_cast<State*>(cls);
  state->deadlines.start(socket_of(connection), state->limits.next_request);
  delete static_cast<Exchange*>(*slot);
  *slot = nullptr;
}

}  // namespace

unsigned connections_by_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 384;
  constexpr rlim_t kMost = 4096;
  return static_cast<unsigned>(std::clamp<rlim_t>(std::min(files.rlim_cur, kMost * 8) * 3 / 8, 1, kMost));
}

HttpServer::HttpServer(EventLoop& loop, Fd listener, const Identity* identity, Gate gate, Handler handler,
                       const HttpLimits& limits)
    : state_(std::make_unique<State>(loop, std::move(gate), std::move(handler), limits)) {
  const unsigned flags =
      MHD_USE_EPOLL | MHD_USE_SUSPEND_RESUME | MHD_ALLOW_UPGRADE | (identity ? MHD_USE_TLS : MHD_NO_FLAG);
  const char* key = identity ? identity->key.c_str() : nullptr;
  const char* certificate = identity ? identity->certificate.c_str() : nullptr;
  // libmicrohttpd assumes that GnuTLS is initialized. That may not be the case if an earlier server created
  // the identity.
  if (identity) gnutls();
  state_->daemon = microhttpd().start_daemon(
      flags, 0, nullptr, nullptr, &on_access<State>, state_.get(), MHD_OPTION_LISTEN_SOCKET, listener.get(),
      MHD_OPTION_HTTPS_MEM_KEY, key, MHD_OPTION_HTTPS_MEM_CERT, certificate, MHD_OPTION_CONNECTION_LIMIT,
      limits.connections, MHD_OPTION_CONNECTION_TIMEOUT, kIdleSeconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      kHeaderMemory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, &on_completed<State>,
      state_.get(), MHD_OPTION_NOTIFY_CONNECTION, &on_connection<State>, state_.get(),
      MHD_OPTION_UNESCAPE_CALLBACK, &unescape, nullptr, MHD_OPTION_END);
  if (!state_->daemon) throw Error(ErrorCode::failure, "cannot start the embedded server's HTTP");
  listener.release();  // libmicrohttpd will close the listener
  state_->epoll = microhttpd().get_daemon_info(state_->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  loop.watch(state_->epoll, EPOLLIN, [state = state_.get()](uint32_t) { state->run(); });
}

void HttpServer::hold_answers_unless(std::function<bool()> may_send) {
  state_->may_send = std::move(may_send);
}

void HttpServer::send_held() {
  state_->send_held();
}

HttpServer::~HttpServer() {
  for (MHD_Connection* connection : state_->held) microhttpd().resume_connection(connection);
  state_->loop.forget(state_->epoll);
  state_->streams.on_resumed = nullptr;
  state_->streams.end_all();
  state_->sockets.on_progress = nullptr;
  state_->sockets.end_all();
  microhttpd().stop_daemon(state_->daemon);
  if (state_->timer_set) state_->loop.cancel(state_->timer);
}

}  // namespace kml::local
