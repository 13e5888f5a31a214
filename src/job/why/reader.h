#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/why/facts.h"
#include "kml/kube/client/client.h"

namespace kml::job {

/// Reads the objects that the user may read, counts the requests, and records what was forbidden. Does not
/// record a kind that the server lacks, such as quotas on the embedded server.
class Reader {
 public:
  static constexpr int kMostRequests = 11;

  Reader(kube::Client& client, int requests_so_far) : client_(client), requests_(requests_so_far) {}

  /// The objects of a list. Empty if the user may not read them, if the server lacks their kind, or if too
  /// many requests have been sent.
  using Objects = std::optional<std::vector<Json>>;
  /// `what` is the name of the objects in `unknown`, such as "nodes".
  Objects list(const std::string& what, const api::ResourceKind& kind, const std::string& namespace_name,
               const std::string& field_selector = {}, const std::string& label_selector = {});
  Objects list(const std::string& what, const api::ResourceKind& kind, const std::string& namespace_name,
               const kube::ListOptions& options);
  /// Like list(), for many objects: returns only the fields that a queue shows (see kube::Detail).
  Objects list_briefly(const std::string& what, const api::ResourceKind& kind,
                       const std::string& namespace_name);
  /// The object. Empty if it does not exist or the user may not read it, or if too many requests have been
  /// sent. Does not add to `unknown`.
  std::optional<Json> get_if_allowed(const api::ResourceKind& kind, const std::string& namespace_name,
                                     const std::string& name);
  /// Like get_if_allowed(), but adds to `unknown` what the user may not read.
  std::optional<Json> get(const std::string& what, const api::ResourceKind& kind,
                          const std::string& namespace_name, const std::string& name);
  std::optional<Json> get_raw_if_there(const std::string& path);
  /// Passes on each of Kueue's Workloads, see job::each_workload(). Returns false if the user may not read
  /// them, or if too many requests have been sent.
  bool each_workload(const std::string& what, const api::ResourceKind& kind,
                     const std::string& namespace_name, const std::function<void(Json)>& take);

  /// Allows this many more requests.
  void allow(int more) { most_ = requests_ + more; }
  int requests() const { return requests_; }
  /// what is unknown because the user may not read it, such as "nodes: you may not read them"
  std::vector<std::string> unknown;

 private:
  void remember(const std::string& what, const Error& error);

  kube::Client& client_;
  int requests_, most_ = kMostRequests;
};

/// How many requests find_job() needs at least to find this job by its name without its kind.
int requests_to_find(const Json& job);

/// Reads Kueue's objects for the job: workloads, its LocalQueue, and that queue's ClusterQueue.
void read_queue(Reader& reader, Facts& facts);
/// Reads Volcano's PodGroups, and the queue of the job's own PodGroup.
void read_volcano(Reader& reader, Facts& facts);

}  // namespace kml::job
