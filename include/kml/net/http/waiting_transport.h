#pragma once

#include <memory>
#include <string>

#include "kml/net/http/transport.h"

namespace kml::http {

/// A transport over libcurl that tells the user for which host send() and send_all() wait, see Waiting.
/// `what` says what kml is doing, for example "looking up the data".
std::unique_ptr<Transport> make_waiting_transport(Endpoint endpoint, std::string what);

}  // namespace kml::http
