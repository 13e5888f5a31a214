#include "local/streams/pod_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kml/base/json.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/api/api_error.h"
#include "local/http/http_server.h"
#include "local/logs/container_choice.h"
#include "local/shim/pod_folder.h"
#include "local/streams/attach_session.h"
#include "local/streams/exec_session.h"
#include "local/streams/port_session.h"
#include "local/streams/stream_request.h"

namespace kml::local {

namespace {

/// The maximum number of sessions. Each uses up to eight descriptors, and enough must be left for requests.
size_t most_sessions() {
  return connections_by_open_files() / 8;
}

/// A session that is included in the number of sessions for as long as it exists.
class Counted : public SocketSession {
 public:
  Counted(std::unique_ptr<SocketSession> session, std::shared_ptr<size_t> count)
      : session_(std::move(session)), count_(std::move(count)) {
    ++*count_;
  }
  ~Counted() override { --*count_; }

  void on_open() override {
    session_->socket = socket;
    session_->on_open();
  }
  void on_message(std::string_view payload) override { session_->on_message(payload); }
  void on_sent() override { session_->on_sent(); }
  void on_closed() override { session_->on_closed(); }

 private:
  std::unique_ptr<SocketSession> session_;
  std::shared_ptr<size_t> count_;
};

/// The name of the requested container. Throws Error unless it is running.
std::string running_container(const Json& pod, const HttpRequest& request) {
  if (api::node_of(pod).empty())
    throw bad_request(fmt::format("pod {} does not have a host assigned", api::name_of(pod)));
  const ContainerRun run = choose_container(pod, request.parameter("container"), false);
  if (run.terminated)
    throw api_error(500, "InternalError", fmt::format("container not found (\"{}\")", run.container));
  return run.container;
}

WantedStreams wanted_streams(const HttpRequest& request) {
  WantedStreams wanted{request.is_true("stdin"), request.is_true("stdout"), request.is_true("stderr")};
  if (!wanted.in && !wanted.out && !wanted.err)
    throw bad_request("you must specify at least 1 of stdin, stdout, stderr");
  return wanted;
}

/// The ports in `ports=80&ports=81` or "80,81". A channel's number is one byte and each port needs two
/// channels, so there can be 126 ports.
std::vector<int> asked_ports(const HttpRequest& request) {
  constexpr size_t kMostPorts = 126;
  std::vector<int> ports;
  const auto [begin, end] = request.all_query.equal_range("ports");
  for (auto it = begin; it != end; ++it)
    for (const std::string& text : split(it->second, ',')) {
      const int port = port_number(text);
      if (port == 0) throw bad_request(fmt::format("\"{}\" is not a port", text));
      ports.push_back(port);
    }
  if (ports.empty()) throw bad_request("query parameter \"ports\" is required");
  if (ports.size() > kMostPorts) throw bad_request("too many ports for one connection");
  return ports;
}

}  // namespace

PodStreams::PodStreams(EventLoop& loop, PodLogs& logs, std::filesystem::path folder)
    : loop_(loop), logs_(logs), folder_(std::move(folder)) {}

bool PodStreams::offers(const std::string& subresource) {
  return subresource == "exec" || subresource == "attach" || subresource == "portforward";
}

HttpResponse PodStreams::open(const std::string& subresource, const Json& pod, const HttpRequest& request) {
  HttpResponse response = answer(subresource, pod, request);
  if (*open_ >= most_sessions())
    throw api_error(
        429, "TooManyRequests",
        fmt::format("{} streams into pods are open, which is as many as this server allows", *open_));
  response.session = std::make_unique<Counted>(std::move(response.session), open_);
  return response;
}

HttpResponse PodStreams::answer(const std::string& subresource, const Json& pod, const HttpRequest& request) {
  if (subresource == "portforward") return forward_ports(pod, request);
  HttpResponse response{.status = 101};
  // Created before the protocol is checked. If the protocol is rejected, the client tries again with SPDY and
  // shows the second error, which must then be the same.
  response.session = subresource == "exec" ? exec(pod, request) : attach(pod, request);
  response.protocol = choose_protocol(request, {kChannelsV5, kChannelsV4});
  return response;
}

std::unique_ptr<SocketSession> PodStreams::exec(const Json& pod, const HttpRequest& request) {
  CommandRequest command{running_container(pod, request), {}, request.is_true("tty")};
  const auto [begin, end] = request.all_query.equal_range("command");
  for (auto it = begin; it != end; ++it) command.argv.push_back(it->second);
  if (command.argv.empty()) throw bad_request("you must specify at least 1 command for the container");
  // A kubelet rejects such a command, too, because strings in its protobuf messages must be UTF-8.
  if (!std::all_of(command.argv.begin(), command.argv.end(), is_utf8))
    throw bad_request("the command is not valid UTF-8");
  return exec_session(loop_, pod_folder(folder_, api::uid_of(pod)), std::move(command),
                      wanted_streams(request));
}

std::unique_ptr<SocketSession> PodStreams::attach(const Json& pod, const HttpRequest& request) {
  const std::string container = running_container(pod, request);
  const WantedStreams wanted = wanted_streams(request);
  if (wanted.in)
    throw bad_request(
        "cannot attach stdin: containers of kml's embedded server read from /dev/null; attach without stdin, "
        "or use exec");
  AttachSources sources;
  const auto add = [&](Channel channel, const char* stream) {
    HttpRequest log{.method = "GET"};
    log.query = {{"container", container},
                 {"follow", "true"},
                 {"tailLines", "0"},
                 {"unfinished", "true"},
                 {"stream", stream}};
    sources.emplace_back(channel, logs_.read(pod, log).stream);
  };
  if (wanted.out) add(Channel::out, "Stdout");
  if (wanted.err && !request.is_true("tty")) add(Channel::err, "Stderr");
  if (sources.empty()) throw bad_request("you must specify at least 1 of stdin, stdout, stderr");
  return attach_session(std::move(sources));
}

HttpResponse PodStreams::forward_ports(const Json& pod, const HttpRequest& request) {
  if (string_at(pod, {"status", "phase"}) != "Running")
    throw bad_request(fmt::format("cannot forward ports: pod {} is not running", api::name_of(pod)));
  HttpResponse response{.status = 101};
  response.protocol = choose_protocol(request, {kTunnel, kChannelsV4});
  response.session = response.protocol == kTunnel ? spdy_port_session(loop_, pod)
                                                  : channel_port_session(loop_, pod, asked_ports(request));
  return response;
}

}  // namespace kml::local
