#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/net/registry/settings.h"
#include "net/registry/challenge.h"
#include "net/registry/place.h"

namespace kml::registry {

/// One request to a registry, or to a server to which the registry sent kml.
struct Call {
  std::string method = "GET";
  Place place;
  http::Headers headers = {};
  std::string body = {};
  /// Whether a second attempt does no harm if the server has executed the first one.
  bool may_repeat = true;
};

/// The requests to one registry, with the user's credentials. This class finds out how the registry wants the
/// credentials (https://distribution.github.io/distribution/spec/auth/token/), and gets another token when
/// one expires. Credentials are only sent to the registry itself, and to the token server that the registry
/// names.
class Session {
 public:
  /// `scopes` are the actions that the tokens must allow, such as "repository:team/train:pull,push".
  Session(std::string host, std::vector<std::string> scopes, const Settings& settings);

  /// The name for messages: "registry.example:5000".
  const std::string& host() const { return host_; }
  /// A path below the registry's API: at("/team/train/tags/list").
  Place at(const std::string& path);

  /// Sends the call, and repeats it if the connection breaks or the server is busy. Follows redirections of a
  /// GET or HEAD, and sets call.place to the last place. Throws Error (unreachable) if no response arrives,
  /// and Error (auth) if the registry demands a login and the user has none.
  http::Response send(Call& call);
  http::Response send(Call&& call) { return send(call); }
  /// Sends the calls at the same time. Then sends the calls without a final response again, one after
  /// another.
  std::vector<http::Response> send_all(std::vector<Call>& calls);
  /// Waits before the repetition with this number, from 1. Honors Retry-After up to a minute.
  void pause_before(int attempt, const http::Response* response = nullptr) const;

 private:
  void begin();
  http::Response begin_with(const std::string& scheme);
  http::Transport& transport(const std::string& origin);
  http::Request request_of(const Call& call);
  bool authorize(const http::Response& response);
  void get_token();
  http::Response request_token(const Place& place);
  Credentials credentials() const;

  const std::string host_;
  const std::vector<std::string> scopes_;
  const Settings& settings_;
  std::string origin_;  ///< the registry's server; empty until the registry has answered
  std::map<std::string, std::unique_ptr<http::Transport>> transports_;
  Challenge challenge_;
  std::string authorization_;  ///< the header's value; empty if none is needed
  std::chrono::steady_clock::time_point renewed_after_ = std::chrono::steady_clock::time_point::max();
};

/// The Error for a response that refuses to do `what`, such as "read docker.io/library/python:3".
Error fault_of(const http::Response& response, const std::string& host, const std::string& what);
/// The Error for a response that no registry would send.
Error bad_answer(const std::string& host, const std::string& why);

}  // namespace kml::registry
