#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "kml/local/http_message.h"

namespace kml::local {

/// The subprotocols for exec and attach: k8s.io/apimachinery/pkg/util/remotecommand. Version 5 can close
/// stdin. Port forwarding uses version 4, too.
inline constexpr std::string_view kChannelsV5 = "v5.channel.k8s.io", kChannelsV4 = "v4.channel.k8s.io";

/// The first byte of each message in these subprotocols. In port forwarding, it has other meanings, see
/// channel_port_session().
enum class Channel : char { in = 0, out = 1, err = 2, status = 3, size = 4, close = '\xff' };

/// The first subprotocol in the client's list that this server offers. Throws 400 if there is none, or if the
/// client does not request a WebSocket.
std::string choose_protocol(const HttpRequest& request, std::initializer_list<std::string_view> offered);

/// Sends a message on a channel.
void send_on(WebSocket& socket, Channel channel, std::string_view bytes);

/// A session holds about this many bytes for its client, and as many for the other side.
inline constexpr size_t kMostHeld = size_t{128} << 10;
/// All clients accept messages of this size.
inline constexpr size_t kLargestMessage = size_t{32} << 10;

/// The v1.Status of a success, worded as by the kubelet.
std::string success_text();
/// The v1.Status of a command that ended with an exit code other than 0.
std::string exit_code_text(const std::string& command, int exit_code);
/// The v1.Status of an error that the command did not cause.
std::string internal_error_text(const std::string& why);

}  // namespace kml::local
