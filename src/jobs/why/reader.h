#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/why/facts.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// Reads what may be read, counts the requests, and remembers what was forbidden. Kinds that the server does
/// not have, as kml's own has no quotas, count as having no objects.
class Reader {
 public:
  static constexpr int kMostRequests = 10;

  Reader(kube::Client& client, int requests_so_far) : client_(client), requests_(requests_so_far) {}

  /// Nothing if it is forbidden, or too many requests have been sent.
  using Objects = std::optional<std::vector<Json>>;
  /// `what` names them in `unknown`: "nodes".
  Objects list(const std::string& what, const api::ResourceKind& kind, const std::string& namespace_name,
               const std::string& field_selector = {}, const std::string& label_selector = {});
  /// The same for many, with what a queue shows of each (see kube::Detail).
  Objects list_briefly(const std::string& what, const api::ResourceKind& kind,
                       const std::string& namespace_name);
  /// Without a word where it is forbidden, not there, or too many requests have been sent.
  std::optional<Json> get_if_allowed(const api::ResourceKind& kind, const std::string& namespace_name,
                                     const std::string& name);
  std::optional<Json> get_raw_if_there(const std::string& path);

  int requests() const { return requests_; }
  std::vector<std::string> unknown;  ///< "nodes: you may not list them"

 private:
  void remember(const std::string& what, const Error& error);

  kube::Client& client_;
  int requests_;
};

/// How many requests find_job() sends until it has found this one by its bare name.
int requests_to_find(const Json& job);

/// Reads what Kueue says of the job: the workloads, its LocalQueue and the ClusterQueue behind that.
void read_queue(Reader& reader, Facts& facts);

}  // namespace kml::jobs
