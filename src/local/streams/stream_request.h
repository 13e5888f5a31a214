#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "local/http/http_message.h"

namespace kml::local {

/// Subprotocols of exec and attach: k8s.io/apimachinery/pkg/util/remotecommand. The fifth can close stdin.
inline constexpr std::string_view kChannelsV5 = "v5.channel.k8s.io", kChannelsV4 = "v4.channel.k8s.io";

/// The first byte of a message of those.
enum class Channel : char { in = 0, out = 1, err = 2, status = 3, size = 4, close = '\xff' };

/// The first subprotocol of the client's that is among those offered. Throws 400 if it has none, or does not
/// ask for a WebSocket.
std::string choose_protocol(const HttpRequest& request, std::initializer_list<std::string_view> offered);

/// A message of a channel.
void send_on(WebSocket& socket, Channel channel, std::string_view bytes);

/// A session holds about so much for its client, and for what it speaks to.
inline constexpr size_t kMostHeld = size_t{128} << 10;
/// Clients take messages of this size at least.
inline constexpr size_t kLargestMessage = size_t{32} << 10;

/// v1.Status of what ended as asked, in the words of the kubelet.
std::string success_text();
/// Of a command that ended with another code than 0.
std::string exit_code_text(const std::string& command, int exit_code);
/// Of a fault that is not the command's.
std::string internal_error_text(const std::string& why);

}  // namespace kml::local
