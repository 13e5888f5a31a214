#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/why/facts.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Reads what the user may read, counts the requests, and records what was forbidden. A kind that the server
/// does not have, such as quotas on kml's own server, is treated as having no objects.
class Reader {
 public:
  static constexpr int kMostRequests = 10;

  Reader(kube::Client& client, int requests_so_far) : client_(client), requests_(requests_so_far) {}

  /// Empty if reading is forbidden or too many requests have been sent.
  using Objects = std::optional<std::vector<Json>>;
  /// `what` names them in `unknown`: "nodes".
  Objects list(const std::string& what, const api::ResourceKind& kind, const std::string& namespace_name,
               const std::string& field_selector = {}, const std::string& label_selector = {});
  /// Like list(), for many objects: returns only the fields that a queue shows (see kube::Detail).
  Objects list_briefly(const std::string& what, const api::ResourceKind& kind,
                       const std::string& namespace_name);
  /// Empty if the object is forbidden or does not exist, or if too many requests have been sent. Does not
  /// record this in `unknown`.
  std::optional<Json> get_if_allowed(const api::ResourceKind& kind, const std::string& namespace_name,
                                     const std::string& name);
  std::optional<Json> get_raw_if_there(const std::string& path);

  /// Allows this many more requests than have been sent.
  void allow(int more) { most_ = requests_ + more; }
  int requests() const { return requests_; }
  std::vector<std::string> unknown;  ///< "nodes: you may not list them"

 private:
  void remember(const std::string& what, const Error& error);

  kube::Client& client_;
  int requests_, most_ = kMostRequests;
};

/// The number of requests that find_job() sends to find this job by its bare name.
int requests_to_find(const Json& job);

/// Reads Kueue's objects for the job: the workloads, its LocalQueue and the ClusterQueue behind that.
void read_queue(Reader& reader, Facts& facts);
/// Reads Volcano's PodGroups, and the queue of the job's own.
void read_volcano(Reader& reader, Facts& facts);

}  // namespace kml::job
