#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/absent_kinds.h"
#include "kml/kube/objects/resource.h"
#include "kml/net/http/transport.h"

namespace kml::kube {

struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  int limit = 500;                          ///< page size; all pages are requested
  std::function<void(Json&)> shorten = {};  ///< if set, removes unneeded fields from each object of a page
};

struct ListResult {
  std::vector<Json> items;  ///< each with apiVersion and kind
  std::string resource_version;
};

/// The format of a patch's body. `apply` is a server-side apply by the manager Client::kFieldManager.
enum class PatchType { json, merge, strategic, apply };
enum class Propagation { background, foreground, orphan };

struct DeleteOptions {
  Propagation propagation = Propagation::background;  ///< a Job's own default leaves its pods behind
  std::optional<int> grace_seconds = {};
  std::string uid = {};  ///< if set, only an object with this uid is deleted
};

struct LogOptions {
  std::string container = {};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::string since_time = {};                             ///< RFC 3339
  std::optional<std::chrono::seconds> since_seconds = {};  ///< by the node's clock; replaces since_time
  std::optional<long long> tail_lines = {};
  std::optional<long long> limit_bytes = {};  ///< at most this many bytes, from the beginning
  std::string gone_uid =
      {};  ///< read the log of a removed pod with this uid; only kml's own server keeps such logs
  bool unfinished = false;  ///< also return lines that are not yet complete; only by kml's own server
};

/// One of many objects to create.
struct Creation {
  std::string namespace_name;
  const Json& object;
};

/// Waits before a request is sent again.
using Pause = std::function<void(std::chrono::milliseconds)>;

/// Called with the reason for which a client waits: "the server answered 503".
using Told = std::function<void(const std::string& why)>;

class Waits;

/// The Kubernetes REST API over one Transport. Objects are JSON; failures are kml::Error with `reason` set.
/// An empty namespace lists all namespaces. If the server asks to repeat a request later (429, or 5xx with
/// Retry-After), the client does so. It also repeats a GET whose connection broke. After two minutes without
/// any success it gives up.
class Client {
 public:
  /// If `pause` is not set, the client sleeps, and throws Error (interrupted) if a blocked SIGINT arrives.
  /// `told` is called once if the wait is long enough for the user to notice.
  explicit Client(http::Transport& transport, Pause pause = {}, Told told = {});
  ~Client();

  /// Sends a POST. The server rejects unknown fields. With `dry_run`, the server does not store the object.
  Json create(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object,
              bool dry_run = false);
  /// Creates many objects of one kind, several at a time over a few connections. Calls `on_answer` for each
  /// one that completes, with its index and the stored object or the error. Sends no object twice.
  void create_all(const api::ResourceKind& kind, std::span<const Creation> creations, bool dry_run,
                  const std::function<void(size_t index, const Json* created, const Error*)>& on_answer);
  Json get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);
  /// The same for an object that need not exist: returns the Error for any response other than 2xx, because
  /// the first exception of a process takes milliseconds.
  std::variant<Json, Error> try_get(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  std::optional<Json> get_if_exists(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  ListResult list(const api::ResourceKind& kind, std::string_view namespace_name,
                  const ListOptions& options = {});
  Json replace(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object);
  Json patch(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
             PatchType type, const Json& patch, std::string_view subresource = {});
  /// Deletes an object. The pods of a Job are deleted too, unless `options` say otherwise.
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
              const DeleteOptions& options = {});
  /// Returns a whole log, without following it.
  std::string log(std::string_view namespace_name, std::string_view pod, const LogOptions& options = {});
  /// Sends these GETs in parallel. Until `answers` is destroyed, get() and list() of the same objects return
  /// these responses, each once, so that code that reads one after the other waits for one round trip. After
  /// a broken connection, they send their own requests.
  class AskedAhead;
  [[nodiscard]] std::unique_ptr<AskedAhead> ask_ahead(const std::vector<http::Request>& requests);
  /// Sends a GET for any path, with the query: "/version", "/readyz".
  std::string get_raw(std::string_view path);

  /// The kind of an object, from the table of known kinds or from the server's discovery. Throws Error if the
  /// server does not have the kind.
  const api::ResourceKind& kind_of(const Json& object);

  AbsentKinds& absent_kinds() { return absent_kinds_; }

  /// Like the client, it repeats once what the server rejects with 401.
  http::Transport& transport() { return *transport_; }

 private:
  /// Returns the body of a 2xx response, or the Error of any other. Throws Error without a response. `tried`
  /// is a phrase such as "cannot get job \"bert\"".
  std::variant<std::string, Error> answer_to(const http::Request& request, const std::string& tried);
  /// The same, but throws the Error.
  std::string send(const http::Request& request, const std::string& tried);
  Json send_json(const http::Request& request, const std::string& tried);

  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Waits> waits_;
  AskedAhead* asked_ahead_ = nullptr;
  AbsentKinds absent_kinds_;
  std::list<api::ResourceKind> discovered_;
  std::list<std::string> names_;  ///< owns the texts to which the views in `discovered_` refer
};

/// The requests of Client::get() and, for its first page, Client::list().
http::Request get_request(const api::ResourceKind& kind, std::string_view namespace_name,
                          std::string_view name);
http::Request list_request(const api::ResourceKind& kind, std::string_view namespace_name,
                           const ListOptions& options, const std::string& next_page = {});

/// The responses to Client::ask_ahead().
class Client::AskedAhead {
 public:
  AskedAhead(Client& client, const std::vector<http::Request>& requests);
  ~AskedAhead() { client_.asked_ahead_ = nullptr; }
  AskedAhead(const AskedAhead&) = delete;

  /// The response to the request, if it was sent ahead. Throws its Error.
  std::optional<http::Response> take(const http::Request& request);

 private:
  using Answer = std::variant<http::Response, Error>;

  Client& client_;
  std::map<std::string, Answer> answers_;  ///< by path
};

/// The request for a pod's log. Client::log and streams use it.
http::Request log_request(std::string_view namespace_name, std::string_view pod, const LogOptions& options);

}  // namespace kml::kube
