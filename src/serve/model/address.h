#pragma once

#include <string>

#include "kml/base/json.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/client.h"
#include "kml/net/http/transport.h"
#include "kml/serve/model/manifests.h"

namespace kml::serve {

/// Where a Service answers: "http://127.0.0.1:23456" on this machine, "http://NAME.NAMESPACE:8080" inside a
/// cluster. Empty if the Service has no port yet.
std::string url_of(bool is_local, const Json& service);

/// The URL, once the Service answers: the embedded server gives it a port a moment after its creation. Throws
/// Error (unreachable) if it does not, (interrupted) on a signal.
std::string reachable_url(kube::Client& client, const std::string& namespace_name, const std::string& name,
                          bool is_local, const job::Interrupt& interrupt);

/// Posts JSON to a path of the served program and returns the answer: at `local_url` or, if that is empty, by
/// way of the API server.
http::Response post_to_served(kube::Client& client, const std::string& namespace_name,
                              const ServeSettings& settings, const std::string& local_url,
                              const std::string& path, const std::string& body);

}  // namespace kml::serve
