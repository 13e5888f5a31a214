#include "kml/kube/client/client.h"

#include "kml/base/memory.h"
#include "kml/kube/objects/object.h"
#include "kube/client/renewing_transport.h"
#include "kube/client/request_parts.h"
#include "kube/client/retry.h"
#include "kube/client/write_requests.h"

namespace kml::kube {

namespace {

/// A log may be large, and its node slow.
constexpr std::chrono::minutes kLogTimeout{10};

std::string quoted(const api::ResourceKind& kind, std::string_view name) {
  return std::string(kind.singular) + " \"" + std::string(name) + "\"";
}

/// The object's name for messages. Before the server has created the object, a generated name is unknown.
std::string name_of(const Json& object) {
  std::string name = api::name_of(object);
  return name.empty() ? api::generate_name_of(object) + "…" : name;
}

http::Request create_request(const api::ResourceKind& kind, std::string_view namespace_name,
                             const Json& object, bool dry_run) {
  Query query = writing(kind.path(namespace_name));
  if (dry_run) query.add("dryRun", "All");
  return json_request("POST", query.text(), object);
}

std::string creating(const api::ResourceKind& kind, const Json& object) {
  return "cannot create " + quoted(kind, name_of(object));
}

/// Replaces the message of a transport's error by what kml tried to do.
Error named(Error error, const std::string& tried) {
  if (error.message.empty()) error.message = tried;
  if (error.http_status != 0) return error;
  error.why = message_and_why(error);
  error.message = tried;
  return error;
}

Json parsed_answer(const std::string& body, const std::string& tried) {
  try {
    return parse_json(body, "the API server's response");
  } catch (const Error& error) {
    if (error.reason == kTooLarge || error.code == ErrorCode::interrupted) throw named(error, tried);
    // The connection broke, or the response did not come from the API server. It is unknown whether the
    // server has acted.
    throw Error(ErrorCode::unreachable, tried, error.message + ": " + error.why,
                "check the proxies between this machine and the server, then try again");
  }
}

Json parsed_object(const std::string& body, const api::ResourceKind& kind, const std::string& tried) {
  Json object = parsed_answer(body, tried);
  // A response without a name comes from a different service. Reviews have no names.
  const bool is_named = !api::name_of(object).empty() || kind.kind.ends_with("Review");
  const Json* named = find(object, {"kind"});
  const bool is_other = named && !named->is_null() && *named != kind.kind;
  if (!object.is_object() || !is_named || is_other)
    throw unexpected_answer(object, tried, "a " + std::string(kind.kind));
  set_kind(object, kind);
  return object;
}

/// Throws Error unless the body is a Status that reports success or, if the object still exists for a while,
/// the object.
void require_deleted(const std::string& body, const api::ResourceKind& kind, const std::string& tried) {
  const Json answer = parsed_answer(body, tried);
  const std::string named = string_at(answer, {"kind"});
  const bool is_status = named == "Status" && string_at(answer, {"status"}) == "Success";
  if (!is_status && named != kind.kind)
    throw unexpected_answer(answer, tried, "the deleted object or a Status");
}

template <typename Value>
Value value_or_throw(std::variant<Value, Error> found) {
  if (Error* error = std::get_if<Error>(&found)) throw std::move(*error);
  return std::get<Value>(std::move(found));
}

const char* policy_of(Propagation propagation) {
  switch (propagation) {
    case Propagation::background: return "Background";
    case Propagation::foreground: return "Foreground";
    case Propagation::orphan: return "Orphan";
  }
  return "";
}

}  // namespace

Client::Client(http::Transport& transport, Pause pause, Told told)
    : transport_(renewing(transport)),
      waits_(std::make_unique<Waits>(pause ? std::move(pause) : sleep_or_interrupt, std::move(told))) {}

Client::~Client() = default;

Client::AskedAhead::AskedAhead(Client& client, std::vector<http::Request> requests)
    : client_(client), outer_(client.asked_ahead_) {
  client.asked_ahead_ = this;
  std::erase_if(requests,
                [&](const http::Request& request) { return client.is_near_ || answer_to(request); });
  client.transport_->send_all(
      requests, [&](size_t index, const http::Response* response, const Error* error) {
        // Does not keep the response of a busy server, or a broken connection, so that answer_to() asks
        // again.
        if (response ? is_busy(*response) : error->reason == http::kConnectionBroke) return;
        answers_.emplace(requests[index].path, response ? Answer(*response) : Answer(*error));
      });
}

const Client::AskedAhead::Answer* Client::AskedAhead::answer_to(const http::Request& request) const {
  const auto found = request.method == "GET" ? answers_.find(request.path) : answers_.end();
  if (found != answers_.end()) return &found->second;
  return outer_ ? outer_->answer_to(request) : nullptr;
}

std::optional<http::Response> Client::AskedAhead::find(const http::Request& request) const {
  const Answer* answer = answer_to(request);
  if (!answer) return {};
  if (const Error* error = std::get_if<Error>(answer)) throw *error;
  return std::get<http::Response>(*answer);
}

std::unique_ptr<Client::AskedAhead> Client::ask_ahead(std::vector<http::Request> requests) {
  return std::make_unique<AskedAhead>(*this, std::move(requests));
}

std::variant<std::string, Error> Client::answer_to(const http::Request& request, const std::string& tried) {
  try {
    std::optional<http::Response> known = asked_ahead_ ? asked_ahead_->find(request) : std::nullopt;
    http::Response response = known ? std::move(*known) : send_with_retry(*transport_, request, *waits_);
    if (response.status / 100 == 2) {
      if (response.is_web_page()) return unexpected_answer(response.body, tried, "from Kubernetes");
      return std::move(response.body);
    }
    return response_error(tried, response);
  } catch (const Error& error) {
    throw named(error, tried);
  }
}

std::string Client::send(const http::Request& request, const std::string& tried) {
  return value_or_throw(answer_to(request, tried));
}

Json Client::send_json(const http::Request& request, const std::string& tried) {
  return parsed_answer(send(request, tried), tried);
}

Json Client::create(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object,
                    bool dry_run) {
  const std::string tried = creating(kind, object);
  Json created =
      parsed_object(send(create_request(kind, namespace_name, object, dry_run), tried), kind, tried);
  absent_kinds_.forget(kind);
  return created;
}

void Client::create_all(const api::ResourceKind& kind, std::span<const Creation> creations, bool dry_run,
                        const std::function<void(size_t, const Json*, const Error*)>& on_answer) {
  std::vector<http::Request> requests;
  for (const Creation& creation : creations)
    requests.push_back(create_request(kind, creation.namespace_name, creation.object, dry_run));
  transport_->send_all(requests, [&](size_t index, const http::Response* response, const Error* error) {
    const std::string tried = creating(kind, creations[index].object);
    Json created;
    std::optional<Error> wrong;
    try {
      if (error) throw named(*error, tried);
      if (response->status / 100 != 2) throw response_error(tried, *response);
      created = parsed_object(response->body, kind, tried);
      absent_kinds_.forget(kind);
    } catch (const Error& caught) {
      wrong = caught;
    }
    on_answer(index, wrong ? nullptr : &created, wrong ? &*wrong : nullptr);
  });
}

Json Client::get(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name) {
  return value_or_throw(try_get(kind, namespace_name, name));
}

std::variant<Json, Error> Client::try_get(const api::ResourceKind& kind, std::string_view namespace_name,
                                          std::string_view name) {
  const std::string tried = "cannot get " + quoted(kind, name);
  auto answer = answer_to(get_request(kind, namespace_name, name), tried);
  if (Error* error = std::get_if<Error>(&answer)) return std::move(*error);
  return parsed_object(std::get<std::string>(answer), kind, tried);
}

std::optional<Json> Client::get_if_exists(const api::ResourceKind& kind, std::string_view namespace_name,
                                          std::string_view name) {
  auto found = try_get(kind, namespace_name, name);
  // A 404 with any other reason is about the kind or the path.
  if (const Error* error = std::get_if<Error>(&found); error && error->reason == "NotFound") return {};
  return value_or_throw(std::move(found));
}

Json Client::replace(const api::ResourceKind& kind, std::string_view namespace_name, const Json& object) {
  const std::string name = api::name_of(object), tried = "cannot replace " + quoted(kind, name);
  const std::string path = writing(kind.object_path(namespace_name, name)).text();
  return parsed_object(send(json_request("PUT", path, object), tried), kind, tried);
}

Json Client::patch(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                   PatchType type, const Json& patch, std::string_view subresource) {
  const std::string tried = "cannot change " + quoted(kind, name);
  return parsed_object(send(patch_request(kind, namespace_name, name, type, patch, subresource), tried), kind,
                       tried);
}

void Client::remove(const api::ResourceKind& kind, std::string_view namespace_name, std::string_view name,
                    const DeleteOptions& options) {
  Json body = {
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", policy_of(options.propagation)}};
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  const std::string tried = "cannot delete " + quoted(kind, name);
  require_deleted(send(json_request("DELETE", kind.object_path(namespace_name, name), body), tried), kind,
                  tried);
}

http::Request get_request(const api::ResourceKind& kind, std::string_view namespace_name,
                          std::string_view name) {
  return {.path = kind.object_path(namespace_name, name), .headers = {{"Accept", "application/json"}}};
}

http::Request log_request(std::string_view namespace_name, std::string_view pod, const LogOptions& options) {
  Query query(api::find_kind("v1", "Pod")->path(namespace_name, pod, "log"));
  query.add_if("container", options.container);
  if (options.follow) query.add("follow", "true");
  if (options.previous) query.add("previous", "true");
  if (options.timestamps) query.add("timestamps", "true");
  query.add_if("sinceTime", options.since_time);
  if (options.since_seconds) query.add("sinceSeconds", std::to_string(options.since_seconds->count()));
  if (options.tail_lines) query.add("tailLines", std::to_string(*options.tail_lines));
  if (options.limit_bytes) query.add("limitBytes", std::to_string(*options.limit_bytes));
  query.add_if("uid", options.gone_uid);
  if (options.unfinished) query.add("unfinished", "true");
  return {.path = query.text(), .timeout = options.follow ? http::Request{}.timeout : kLogTimeout};
}

std::string Client::log(std::string_view namespace_name, std::string_view pod, const LogOptions& options) {
  return send(log_request(namespace_name, pod, options),
              "cannot read the log of pod \"" + std::string(pod) + "\"");
}

std::string Client::get_raw(std::string_view path) {
  return send({.path = std::string(path)}, "cannot get " + std::string(path));
}

}  // namespace kml::kube
