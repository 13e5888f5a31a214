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

/// Reports to the idle guard of a `kml dev` session that its user is active. The guard runs in the pod, where
/// no file says how many bytes pass through a forwarded port.
class SessionActivity {
 public:
  /// `note` gets a sentence if the guard cannot be informed. `client` must outlive the object.
  SessionActivity(kube::Client& client, std::function<void(const std::string&)> note)
      : client_(client), note_(std::move(note)) {}

  /// The user's program sends this number of bytes to the rank. Does nothing if the rank is not a session's.
  void add(const RunningRank& rank, size_t bytes);

 private:
  kube::Client& client_;
  std::function<void(const std::string&)> note_;
  http::SteadyTime begin_ = {};  ///< of the guard's step in which `bytes_` came
  size_t bytes_ = 0;
  bool is_told_ = false, has_failed_ = false;
  std::unique_ptr<kube::RemoteProcess> telling_;
};

}  // namespace kml::pod
