#include "live/web/site.h"

#include <algorithm>
#include <utility>

#include "kml/base/clean.h"
#include "kml/base/error.h"
#include "kml/base/json.h"
#include "live/web/running.h"

namespace kml::live {

using local::HttpRequest;
using local::HttpResponse;
using std::chrono::steady_clock;

namespace {

HttpResponse json_response(int status, const Json& value) {
  HttpResponse response{.status = status, .body = json_text(value)};
  protect(response);
  return response;
}

HttpResponse refusal(int status, const std::string& text) {
  return json_response(status, {{"error", {{"what", text}}}});
}

/// What a command has printed instead of data: with -o json, an error as JSON.
Json error_in(const std::string& errors) {
  const size_t begin = errors.find("{\n");
  const Json json = begin == std::string::npos ? Json() : Json::parse(errors.substr(begin), nullptr, false);
  const Json& error = object_at(json, {"error"});
  return string_at(error, {"what"}).empty() ? Json{{"what", errors}} : error;
}

/// The output of a command as JSON: {"data"} or, if it has printed no data, {"error"}, with its exit code.
std::string answer_text(const Outcome& outcome, bool prints_page) {
  const std::string data = prints_page ? data_of_page(outcome.out) : outcome.out;
  Json rest = {{"exitCode", outcome.exit_code}};
  const std::string errors = without_colours(clean(outcome.errors));
  if (data.empty()) rest["error"] = error_in(errors);
  std::string text = json_text(rest);
  if (data.empty()) return text;
  text.back() = ',';
  return text + "\"data\":" + data + "}";
}

}  // namespace

Site::Site(Model& model, SiteSettings settings)
    : model_(model),
      settings_(std::move(settings)),
      server_(settings_.port),
      door_(server_.port()),
      broadcast_([&model] { return model.tables().snapshot(); }),
      calls_(server_) {}

std::string Site::address() const {
  return "http://127.0.0.1:" + std::to_string(server_.port()) + door_.entry();
}

void Site::run() {
  update();
  tick();
  beat();
  server_.run(
      [this](const HttpRequest& request) {
        auto refused = door_.refuse(request);
        return refused ? std::move(*refused) : HttpResponse();
      },
      [this](const HttpRequest& request) {
        try {
          return respond(request);
        } catch (const Error& error) {
          return refusal(400, error.message);
        }
      });
}

/// The feeds' descriptors change when a feed is started again.
void Site::watch_model() {
  for (const int fd : watched_) server_.forget(fd);
  watched_ = model_.fds();
  for (const int fd : watched_) server_.watch(fd, [this] { update(); });
}

void Site::update() {
  for (const int fd : std::exchange(watched_, {})) server_.forget(fd);
  broadcast_.send(model_.update());
  watch_model();
  if (!model_.has_more() || is_update_due_) return;
  // Requests are answered between two parts of a long update.
  is_update_due_ = true;
  server_.after(std::chrono::milliseconds(0), [this] {
    is_update_due_ = false;
    update();
  });
}

/// Restarts the feeds that have ended.
void Site::tick() {
  const auto delay =
      std::clamp(model_.longest_wait(), std::chrono::milliseconds(20), std::chrono::milliseconds(1000));
  server_.after(delay, [this] {
    update();
    tick();
  });
}

void Site::beat() {
  server_.after(std::chrono::seconds(20), [this] {
    broadcast_.beat();
    beat();
  });
}

std::vector<std::string> Site::clusters() const {
  std::vector<std::string> names;
  for (const Cluster& cluster : model_.tables().clusters()) names.push_back(cluster.name);
  return names;
}

HttpResponse Site::file(const std::string& path) const {
  const PageFiles& files = settings_.files;
  if (path == "/") return page_response(files.page);
  HttpResponse response;
  if (path == "/app.css") {
    response.content_type = "text/css; charset=utf-8";
    response.body = files.style;
  } else {
    response.content_type = "text/javascript; charset=utf-8";
    response.body = path == "/app.js" ? files.script : files.enter_script;
  }
  protect(response);
  return response;
}

HttpResponse Site::respond(const HttpRequest& request) {
  const std::string& path = request.path;
  if (request.method == "POST") {
    if (!request.content_type.starts_with("application/json")) return refusal(415, "the body must be JSON");
    if (!settings_.may_act)
      return refusal(403, "this page is read-only; kml ui --web --actions allows actions");
    const Json asked = parse_json(request.body, "the request");
    if (path == "/data/ask") return ask(asked);
    return path == "/data/act" ? act(asked) : refusal(404, "no such page");
  }
  if (path == "/enter") return door_.enter(request);
  if (path == "/" || path == "/app.css" || path == "/app.js" || path == "/enter.js") return file(path);
  if (path == "/data/settings") {
    Json settings = {{"actions", settings_.may_act}};
    set_said(settings, {{"kubeconfig", settings_.kubeconfig}});
    return json_response(200, settings);
  }
  if (path == "/data/changes") {
    HttpResponse response{.content_type = "text/event-stream", .stream = broadcast_.listen()};
    protect(response);
    return response;
  }
  if (const auto question = question_of(request, clusters())) return answer(*question);
  return refusal(404, "no such page");
}

HttpResponse Site::answer(const Question& question) {
  if (question.follows) return calls_.follow(settings_.kml(question.command));
  return calls_.ask(settings_.kml(question.command),
                    [prints_page = question.prints_page](const Outcome& outcome) {
                      return answer_text(outcome, prints_page);
                    });
}

HttpResponse Site::ask(const Json& asked) {
  const RowCommand command = action_of(asked, clusters());
  return json_response(
      200, {{"id", consent_.ask(command, steady_clock::now())}, {"command", settings_.typed(command)}});
}

HttpResponse Site::act(const Json& asked) {
  const auto command = consent_.take(string_at(asked, {"id"}), steady_clock::now());
  if (!command) return refusal(409, "this question was already answered, or is too old");
  const auto body_of = [](const Outcome& outcome) {
    return json_text({{"exitCode", outcome.exit_code},
                      {"out", without_colours(clean(outcome.out))},
                      {"errors", without_colours(clean(outcome.errors))}});
  };
  return calls_.ask(settings_.kml(*command), body_of, true);
}

}  // namespace kml::live
