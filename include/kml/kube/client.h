#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"
#include "kml/http/transport.h"

namespace kml::kube {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int limit = 500;  ///< page size; all pages are fetched
};

struct ListResult {
  std::vector<Json> items;  ///< each with apiVersion and kind
  std::string resource_version;
};

enum class PatchType { json, merge, strategic, apply };
enum class Propagation { background, foreground, orphan };

struct DeleteOptions {
  Propagation propagation = Propagation::background;  ///< a Job's own default would orphan its pods
  std::optional<int> grace_seconds;
  std::string uid;  ///< precondition, where given
};

struct LogOptions {
  std::string container;
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::string since_time;  ///< RFC 3339
  std::optional<long long> tail_lines;
};

/// The Kubernetes REST API over one Transport: JSON objects in and out, failures as kml::Error with `reason`
/// set. An empty namespace lists all namespaces.
class Client {
 public:
  explicit Client(http::Transport& transport) : transport_(transport) {}

  Json create(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object,
              bool dry_run = false);
  Json get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);
  std::optional<Json> get_if_exists(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  ListResult list(const api::ResourceKind& kind, std::string_view namespace_name,
                  const ListOptions& options = {});
  Json replace(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object);
  Json patch(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
             PatchType type, const Json& patch, std::string_view subresource = {});
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
              const DeleteOptions& options = {});
  /// A finite log, whole.
  std::string log(std::string_view namespace_name, std::string_view pod, const LogOptions& options = {});
  /// GET of any path: "/version", "/readyz".
  std::string get_raw(std::string_view path);

  /// The kind of an object, from the table of known kinds, else from the server's discovery. Throws Error
  /// where the server has no such kind.
  const api::ResourceKind& kind_of(const Json& object);

  http::Transport& transport() { return transport_; }

 private:
  http::Transport& transport_;
};

/// The request for a pod's log: for Client::log and for streams.
http::Request log_request(std::string_view namespace_name, std::string_view pod, const LogOptions& options);

}  // namespace kml::kube
