#include "serve/model/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/kube/objects/object.h"

namespace kml::serve {

namespace {

const api::ResourceKind& service_kind() {
  return *api::find_kind("v1", "Service");
}

/// Whether a connection to this port on this machine is accepted.
bool accepts_connections(int port) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::string url_of(bool is_local, const Json& service) {
  const Json& ports = array_at(service, {"spec", "ports"});
  if (ports.empty()) return {};
  const long long port = int_at(ports[0], {is_local ? "nodePort" : "port"});
  if (port == 0) return {};
  const std::string host = is_local ? "127.0.0.1" : api::name_of(service) + "." + api::namespace_of(service);
  return "http://" + host + ":" + std::to_string(port);
}

std::string port_to_forward(const ServeSettings& settings, const std::string& url) {
  return settings.by_kserve ? std::to_string(settings.port) : url.substr(url.rfind(':') + 1);
}

std::string reachable_url(kube::Client& client, const std::string& namespace_name, const std::string& name,
                          bool is_local, const job::Interrupt& interrupt) {
  for (int attempt = 0;; ++attempt) {
    std::string url = url_of(is_local, client.get(service_kind(), namespace_name, name));
    if (!url.empty() && (!is_local || accepts_connections(std::stoi(url.substr(url.rfind(':') + 1)))))
      return url;
    constexpr int kTries = 500;
    if (attempt == kTries)
      throw Error(ErrorCode::unreachable, "service " + name + " does not answer",
                  "the embedded server has not opened its port",
                  "see the log; `kml local status` shows its path");
    interrupt.pause(std::chrono::milliseconds(10));
  }
}

http::Response post_to_served(kube::Client& client, const std::string& namespace_name,
                              const std::string& service, const std::string& local_url,
                              const std::string& path, const std::string& body) {
  http::Request request{.method = "POST", .path = path, .body = body};
  request.headers = {{"Content-Type", "application/json"}};
  if (!local_url.empty()) return http::make_curl_transport({.url = local_url})->send(request);
  request.path = service_kind().path(namespace_name, service, "proxy") + path;
  return client.transport().send(request);
}

}  // namespace kml::serve
