#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/api/resource.h"
#include "kml/core/json.h"
#include "kml/http/transport.h"

namespace kml::kube {

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  int limit = 500;  ///< page size; all pages are fetched
};

struct ListResult {
  std::vector<Json> items;  ///< each with apiVersion and kind
  std::string resource_version;
};

/// How a patch's body is to be read; `apply` is a server-side apply (Client::kFieldManager).
enum class PatchType { json, merge, strategic, apply };
enum class Propagation { background, foreground, orphan };

struct DeleteOptions {
  Propagation propagation = Propagation::background;  ///< a Job's own default would orphan its pods
  std::optional<int> grace_seconds = {};
  std::string uid = {};  ///< precondition, where given
};

struct LogOptions {
  std::string container = {};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::string since_time = {};                             ///< RFC 3339
  std::optional<std::chrono::seconds> since_seconds = {};  ///< by the node's clock; instead of since_time
  std::optional<long long> tail_lines = {};
  std::optional<long long> limit_bytes = {};  ///< from the beginning
  std::string gone_uid =
      {};  ///< of a pod that is gone: kml's own server keeps its log; others know no such thing
  bool unfinished = false;  ///< lines before their newline has come, from kml's own server
};

/// One of many objects to create.
struct Creation {
  std::string namespace_name;
  const Json& object;
};

/// Waits before a request is sent again.
using Pause = std::function<void(std::chrono::milliseconds)>;

/// Is told why a client waits: "the server answered 503".
using Told = std::function<void(const std::string& why)>;

class Waits;

/// The Kubernetes REST API over one Transport: JSON objects in and out, failures as kml::Error with `reason`
/// set. An empty namespace lists all namespaces. A request that the server asks to repeat later (429 or 5xx
/// with Retry-After) is repeated, and so is a GET whose connection broke; after two minutes without any
/// success the client gives up.
class Client {
 public:
  /// Without a `pause` of its own it sleeps, and throws Error (interrupted) if a blocked SIGINT comes. `told`
  /// is called once if the wait is long enough for a person to notice.
  explicit Client(http::Transport& transport, Pause pause = {}, Told told = {});
  ~Client();

  /// POST. The server refuses fields that it does not know. With `dry_run` nothing is stored.
  Json create(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object,
              bool dry_run = false);
  /// The same for many of one kind, several at a time over few connections; `on_answer` gets each one's
  /// index, and the stored object or the error that stands for it, as they come in. None is sent twice.
  void create_all(const api::ResourceKind& kind, std::span<const Creation> creations, bool dry_run,
                  const std::function<void(size_t index, const Json* created, const Error*)>& on_answer);
  Json get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);
  std::optional<Json> get_if_exists(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  ListResult list(const api::ResourceKind& kind, std::string_view namespace_name,
                  const ListOptions& options = {});
  Json replace(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object);
  Json patch(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
             PatchType type, const Json& patch, std::string_view subresource = {});
  /// A Job's pods go with it unless `options` say otherwise.
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
              const DeleteOptions& options = {});
  /// A finite log, whole.
  std::string log(std::string_view namespace_name, std::string_view pod, const LogOptions& options = {});
  /// GET of any path, with the query: "/version", "/readyz".
  std::string get_raw(std::string_view path);

  /// The kind of an object, from the table of known kinds, else from the server's discovery. Throws Error
  /// if the server has no such kind.
  const api::ResourceKind& kind_of(const Json& object);

  http::Transport& transport() { return transport_; }

 private:
  /// The body of a 2xx answer; throws for any other. `tried` as in "cannot get job \"bert\"".
  std::string send(const http::Request& request, const std::string& tried);
  Json send_json(const http::Request& request, const std::string& tried);

  http::Transport& transport_;
  std::unique_ptr<Waits> waits_;
  std::list<api::ResourceKind> discovered_;
  std::list<std::string> names_;  ///< what the views of `discovered_` point to
};

/// The request for a pod's log: for Client::log and for streams.
http::Request log_request(std::string_view namespace_name, std::string_view pod, const LogOptions& options);

}  // namespace kml::kube
