#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  int limit = 500;                          ///< the size of a page; all pages are requested
  std::function<void(Json&)> shorten = {};  ///< if set, removes unneeded fields from each object in a page
};

struct ListResult {
  std::vector<Json> items;  ///< the listed objects, each with apiVersion and kind
  std::string resource_version;
};

/// The format of a patch. `apply` is a server-side apply by the field manager "kml".
enum class PatchType { json, merge, strategic, apply };
enum class Propagation { background, foreground, orphan };

struct DeleteOptions {
  /// Kubernetes' own default for a Job would leave its pods behind
  Propagation propagation = Propagation::background;
  std::optional<int> grace_seconds = {};
  std::string uid = {};  ///< if set, only an object with this uid is deleted
};

struct LogOptions {
  std::string container = {};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::string since_time = {};  ///< RFC 3339
  std::optional<std::chrono::seconds> since_seconds =
      {};  ///< the maximum age of lines, on the node's clock; not together with since_time
  std::optional<long long> tail_lines = {};
  std::optional<long long> limit_bytes = {};  ///< returns at most this many bytes, from the start of the log
  std::string gone_uid =
      {};  ///< read the log of a removed pod with this uid; only the embedded server keeps such logs
  bool unfinished = false;  ///< returns incomplete lines, too; only the embedded server supports this
};

/// One of many objects to create.
struct Creation {
  std::string namespace_name;
  const Json& object;
};

/// Called to wait before a request is sent again.
using Pause = std::function<void(std::chrono::milliseconds)>;

/// Called with the reason why a client waits, such as "the server answered 503".
using Told = std::function<void(const std::string& why)>;

class Waits;

/// The Kubernetes REST API over one Transport. Objects are JSON, and failures are kml::Error with the
/// `reason` that the server gave. An empty namespace lists all namespaces. If the server asks for a request
/// to be repeated later (429 or 5xx with Retry-After), the client repeats it. It also repeats requests that
/// are safe to repeat if their connection broke or the server was busy. It gives up after at most two minutes
/// of waits without any success.
class Client {
 public:
  /// If `pause` is not set, the client sleeps, and throws Error (interrupted) if a blocked SIGINT or SIGTERM
  /// arrives. `told` is called once for each series of waits that the user would notice.
  explicit Client(http::Transport& transport, Pause pause = {}, Told told = {});
  ~Client();

  /// Sends a POST request. The server rejects unknown fields. With `dry_run`, it does not store the object.
  Json create(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object,
              bool dry_run = false);
  /// Creates many objects of one kind, several at the same time over a few connections. Calls `on_answer` for
  /// each finished request, with the index of its object, and with the stored object or the Error. Sends an
  /// object a second time only if the server has rejected it with 401.
  void create_all(const api::ResourceKind& kind, std::span<const Creation> creations, bool dry_run,
                  const std::function<void(size_t index, const Json* created, const Error*)>& on_answer);
  Json get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name);
  /// Like get(), but returns the Error for any status other than 2xx. Meant for objects that may not exist:
  /// throwing the first exception in a process takes milliseconds.
  std::variant<Json, Error> try_get(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  std::optional<Json> get_if_exists(const api::ResourceKind& kind, std::string_view namespace_name,
                                    std::string_view name);
  ListResult list(const api::ResourceKind& kind, std::string_view namespace_name,
                  const ListOptions& options = {});
  Json replace(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object);
  Json patch(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
             PatchType type, const Json& patch, std::string_view subresource = {});
  /// Deletes an object. The pods of a Job are deleted, too, unless `options` say otherwise.
  void remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
              const DeleteOptions& options = {});
  /// Returns the lines of a log that `options` select, as one text.
  std::string log(std::string_view namespace_name, std::string_view pod, const LogOptions& options = {});
  /// Sends these GET requests in parallel. While the result exists, requests for the same objects return
  /// these responses. Code that reads one object after another then only waits for one round trip. An object
  /// is requested again if the connection broke or the server was busy. While an earlier result exists, sends
  /// only requests that are not among its own. Do not use this where an object is read again to see whether
  /// it has changed.
  class AskedAhead;
  [[nodiscard]] std::unique_ptr<AskedAhead> ask_ahead(std::vector<http::Request> requests);
  /// Call this if a round trip takes less than a millisecond: ask_ahead() then sends nothing.
  void set_near() { is_near_ = true; }
  /// Sends a GET request for any path, including its query: "/version", "/readyz".
  std::string get_raw(std::string_view path);

  /// The kind of an object. Asks the server about kinds that are not api::is_known(), and throws Error if the
  /// server does not have them.
  const api::ResourceKind& kind_of(const Json& object);

  AbsentKinds& absent_kinds() { return absent_kinds_; }

  /// The transport. Like the client, it repeats a request once if the server rejects it with 401, except for
  /// upgrade().
  http::Transport& transport() { return *transport_; }

 private:
  /// Returns the body of a 2xx response, or the Error for a web page or another status. Throws Error if there
  /// is no response, or if a webhook could not be called. `tried` is a phrase such as "cannot get job
  /// \"bert\"".
  std::variant<std::string, Error> answer_to(const http::Request& request, const std::string& tried);
  /// Like answer_to(), but throws the Error.
  std::string send(const http::Request& request, const std::string& tried);
  Json send_json(const http::Request& request, const std::string& tried);

  std::unique_ptr<http::Transport> transport_;
  std::unique_ptr<Waits> waits_;
  AskedAhead* asked_ahead_ = nullptr;
  bool is_near_ = false;
  AbsentKinds absent_kinds_;
  std::list<api::ResourceKind> discovered_;
  std::set<const api::ResourceKind*> served_;  ///< further kinds that the server has
  std::list<std::string> names_;               ///< owns the texts to which the views in `discovered_` point
};

/// The request that Client::get() sends.
http::Request get_request(const api::ResourceKind& kind, std::string_view namespace_name,
                          std::string_view name);
/// The request that Client::list() sends for a page. `next_page` is empty for the first page.
http::Request list_request(const api::ResourceKind& kind, std::string_view namespace_name,
                           const ListOptions& options, const std::string& next_page = {});

/// The responses to the requests of Client::ask_ahead().
class Client::AskedAhead {
 public:
  AskedAhead(Client& client, std::vector<http::Request> requests);
  ~AskedAhead() { client_.asked_ahead_ = outer_; }
  AskedAhead(const AskedAhead&) = delete;

  /// The response to the request. Empty if it was not sent ahead, its connection broke or the server was
  /// busy. If the request has failed otherwise, throws its Error.
  std::optional<http::Response> find(const http::Request& request) const;

 private:
  using Answer = std::variant<http::Response, Error>;

  const Answer* answer_to(const http::Request& request) const;

  Client& client_;
  AskedAhead* outer_;  ///< the AskedAhead that existed when this one was made; nullptr if there was none
  std::map<std::string, Answer> answers_;  ///< by path
};

/// The request for a pod's log, which Client::log() and streams use.
http::Request log_request(std::string_view namespace_name, std::string_view pod, const LogOptions& options);

}  // namespace kml::kube
