#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/net/http/transport.h"
#include "kml/serve/model/manifests.h"

namespace kml::serve {

/// The URL of a Service: "http://127.0.0.1:23456" on this machine, "http://NAME.NAMESPACE:8080" inside a
/// cluster. Empty if the Service has no port yet.
std::string url_of(bool is_local, const Json& service);

/// The port to give to `kml port`. `url` is the program's address in the cluster. An update keeps the port in
/// the address, even if --port changes, and `kml port` leads from that port to the program. Pods of KServe
/// are only known by their own port.
std::string port_to_forward(const ServeSettings& settings, const std::string& url);

/// Waits until the Service has a port, and returns its URL. On this machine, waits until the port accepts
/// connections, too, which takes a moment after the Service was created. Throws Error (unreachable) if this
/// takes too long, and Error (interrupted) if a signal arrives.
std::string reachable_url(kube::Client& client, const std::string& namespace_name, const std::string& name,
                          bool is_local, const job::Interrupt& interrupt);

/// Posts JSON to a path of the served model, and returns the response. Uses `local_url` or, if that is empty,
/// the API server's proxy for the Service and its port ("iris:8080").
http::Response post_to_served(kube::Client& client, const std::string& namespace_name,
                              const std::string& service, const std::string& local_url,
                              const std::string& path, const std::string& body);

}  // namespace kml::serve
