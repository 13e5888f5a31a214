#include "local/routes/api_server.h"

#include <fmt/format.h>

#include "kml/base/exception_text.h"
#include "local/api/api_error.h"
#include "local/api/selection.h"
#include "local/routes/routes.h"
#include "local/routes/scale.h"
#include "local/store/object.h"
#include "local/tables/representation.h"

namespace kml::local {

namespace {

/// Compares the texts in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

Error method_not_allowed(const HttpRequest& request, std::string_view why) {
  return api_error(405, "MethodNotAllowed",
                   fmt::format("the server does not allow {} on {}: {}", request.method, request.path, why));
}

}  // namespace

ApiServer::ApiServer(EventLoop& loop, Store& store, const Clock& clock, const std::filesystem::path& folder,
                     std::string token, std::string user)
    : store_(store),
      clock_(clock),
      token_("Bearer " + std::move(token)),
      user_(std::move(user)),
      images_(folder),
      admission_(store, images_),
      deletion_(store, clock),
      writes_(store, clock, admission_, deletion_),
      watches_(loop, store, clock),
      logs_(loop, store, clock, folder),
      streams_(loop, logs_, folder),
      metrics_(store, clock, folder) {}

HttpResponse ApiServer::check_token(const HttpRequest& request) const {
  if (same_secret(request.authorization, token_)) return {};
  return error_response(api_error(401, "Unauthorized", "Unauthorized"));
}

HttpResponse ApiServer::handle(const HttpRequest& request) {
  HttpResponse response = answer(request);
  if (std::string trouble = trouble_(); !trouble.empty()) response.warnings.push_back(std::move(trouble));
  return response;
}

HttpResponse ApiServer::answer(const HttpRequest& request) {
  try {
    return dispatch(request);
  } catch (const Error& error) {
    return error_response(error);
  } catch (const std::exception& error) {
    return error_response(api_error(500, "InternalError", exception_text(error)));
  }
}

HttpResponse ApiServer::dispatch(const HttpRequest& request) {
  const std::string& method = request.method;
  if (method == "GET") {
    if (request.path == "/readyz" || request.path == "/livez" || request.path == "/healthz")
      return {.content_type = "text/plain; charset=utf-8", .body = "ok"};
    if (auto document = discovery_document(request.path)) return json_response(200, *document);
  }
  if (auto answer = review(request, user_)) return std::move(*answer);
  if (auto answer = metrics_.answer(request)) return std::move(*answer);
  const ApiPath path = parse_api_path(request.path);
  // Clients may also request a stream by POST; which verb they use depends on the version.
  const bool is_stream = path.kind->kind == "Pod" && PodStreams::offers(path.subresource);
  if (method == "GET" || (method == "POST" && is_stream)) return read(path, request);
  if (path.kind->kind == "Node" && (method == "POST" || method == "DELETE"))
    throw method_not_allowed(request, "the embedded server has one node, this machine");
  if (path.subresource == "scale" && has_scale(*path.kind) && (method == "PUT" || method == "PATCH"))
    return write_scale(store_, admission_, path, request);
  const bool is_status = path.subresource == "status" && has_status(*path.kind);
  if (!path.subresource.empty() && !(is_status && (method == "PUT" || method == "PATCH")))
    throw not_offered(fmt::format("{} of {}/{}", method, path.kind->plural, path.subresource));
  if (method == "POST" && path.name.empty()) return writes_.create(path, request);
  if (method == "PUT" && !path.name.empty()) return writes_.replace(path, request);
  if (method == "PATCH" && !path.name.empty()) return writes_.patch(path, request);
  if (method == "DELETE")
    return path.name.empty() ? deletion_.remove_collection(path, request) : deletion_.remove(path, request);
  throw method_not_allowed(request, "this resource has no such verb");
}

HttpResponse ApiServer::read(const ApiPath& path, const HttpRequest& request) {
  if (!path.subresource.empty()) return read_subresource(path, request);
  if (request.is_true("watch")) return watches_.open(path, request);
  if (path.name.empty()) return list_objects(store_, clock_, path, request);
  requested_revision(request,
                     store_.revision());  // a revision that the store has not reached is rejected
  ObjectPtr object = store_.get(*path.kind, path.namespace_name, path.name);
  if (!object) throw not_found(*path.kind, path.name);
  return {.body = Representation(*path.kind, request).of_object(*object, clock_.now())};
}

HttpResponse ApiServer::read_subresource(const ApiPath& path, const HttpRequest& request) {
  ObjectPtr object = store_.get(*path.kind, path.namespace_name, path.name);
  const std::string uid = request.parameter("uid");
  if (path.subresource == "log" && !uid.empty() && (!object || uid_of(*object) != uid))
    return logs_.read_kept(path.namespace_name + "/" + path.name, uid, request);
  if (!object) throw not_found(*path.kind, path.name);
  if (path.subresource == "status" && has_status(*path.kind)) return json_response(200, *object);
  if (path.subresource == "scale" && has_scale(*path.kind)) return json_response(200, scale_of(*object));
  if (path.subresource == "log" && path.kind->kind == "Pod") return logs_.read(*object, request);
  if (path.kind->kind == "Pod" && PodStreams::offers(path.subresource))
    return streams_.open(path.subresource, *object, request);
  throw not_offered(fmt::format("{}/{}", path.kind->plural, path.subresource));
}

}  // namespace kml::local
