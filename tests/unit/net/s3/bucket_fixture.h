#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kml/net/s3/client.h"
#include "support/fake_transport.h"

namespace kml::s3 {

/// Passes requests to a transport that the test owns.
class LentTransport final : public http::Transport {
 public:
  explicit LentTransport(http::Transport& own) : own_(own) {}

  http::Response send(const http::Request& request) override { return own_.send(request); }
  void send_all(std::span<const http::Request> requests,
                std::function<void(size_t, const http::Response*, const Error*)> on_answer) override {
    own_.send_all(requests, std::move(on_answer));
  }
  std::unique_ptr<http::Stream> stream(http::Request request, http::StreamHandler handler) override {
    return own_.stream(std::move(request), std::move(handler));
  }
  std::unique_ptr<http::Connection> upgrade(http::Request request, http::ConnectionHandler handler) override {
    return own_.upgrade(std::move(request), std::move(handler));
  }
  std::unique_ptr<http::Timer> after(std::chrono::milliseconds delay, std::function<void()> call) override {
    return own_.after(delay, std::move(call));
  }
  http::SteadyTime now() const override { return own_.now(); }
  void wait(std::chrono::milliseconds timeout, std::span<const int> wake_fds) override {
    own_.wait(timeout, wake_fds);
  }

 private:
  http::Transport& own_;
};

/// A bucket on a server with responses from the test.
struct BucketFixture {
  FakeTransport server;
  std::vector<http::Endpoint> endpoints;  ///< endpoints to which requests were sent
  std::vector<std::chrono::milliseconds> pauses;

  MakeTransport make_transport() {
    return [this](http::Endpoint endpoint) {
      endpoints.push_back(std::move(endpoint));
      return std::make_unique<LentTransport>(server);
    };
  }
  /// A client for s3://data/team with a key from a profile.
  Client client() {
    Profile profile;
    profile.name = "dev";
    profile.credentials = {{"aws_access_key_id", "AKID"}, {"aws_secret_access_key", "secret"}};
    return Client(
        {{"data", "team"}, "eu-west-1"},
        CredentialSource(profile, "eu-west-1", make_transport(), system_clock()), make_transport(),
        [this](std::chrono::milliseconds delay) { pauses.push_back(delay); }, system_clock());
  }
};

inline std::string header_of(const http::Request& request, const std::string& name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return {};
}

}  // namespace kml::s3
