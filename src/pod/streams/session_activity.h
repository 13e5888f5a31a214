#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "kml/kube/client/client.h"
#include "kml/kube/client/remote_process.h"
#include "kml/net/http/transport.h"
#include "kml/pod/streams/running_rank.h"

namespace kml::pod {

/// Tells the idle guard of a `kml dev` session that its user is active. The guard runs in the pod, where it
/// cannot see how many bytes pass through a forwarded port.
class SessionActivity {
 public:
  /// `note` is called with a sentence if the guard cannot be reached. `client` must outlive this object.
  SessionActivity(kube::Client& client, std::function<void(const std::string&)> note)
      : client_(client), note_(std::move(note)) {}

  /// Call this when the user's program sends this many bytes to the rank. Does nothing if the rank does not
  /// belong to a session.
  void add(const RunningRank& rank, size_t bytes);

 private:
  kube::Client& client_;
  std::function<void(const std::string&)> note_;
  http::SteadyTime begin_ = {};  ///< the start of the guard's step in which `bytes_` arrived
  size_t bytes_ = 0;
  bool is_told_ = false, has_failed_ = false;
  std::unique_ptr<kube::RemoteProcess> telling_;
};

}  // namespace kml::pod
