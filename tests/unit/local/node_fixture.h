#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "local/controllers/bootstrap.h"
#include "local/server/node.h"
#include "local/store/object.h"
#include "support/temporary_folder.h"

namespace kml::local {

/// A node with its controllers and a store in a temporary folder. Its pods are real processes.
class NodeFixture {
 public:
  NodeFixture() {
    options.folder = folder.path();
    options.binary = KML_BINARY;
    options.fake_gpus = 2;
    options.cpu = "4";
    options.retry_delay = std::chrono::milliseconds(1);
    begin();
  }
  ~NodeFixture() {
    // Running processes must not outlive the test.
    for (const api::ResourceKind* kind : {&kinds::job, &kinds::pytorchjob})
      for (const ObjectPtr& job : server->store.list(*kind, ""))
        server->store.remove(*kind, namespace_of(*job), name_of(*job));
    for (const ObjectPtr& pod : server->store.list(kinds::pod, ""))
      server->store.modify(kinds::pod, namespace_of(*pod), name_of(*pod), [](Json& next) {
        next["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
        next["metadata"]["deletionGracePeriodSeconds"] = 0;
        next["metadata"].erase("finalizers");
      });
    turn_until([&] { return server->store.list(kinds::pod, "").empty(); });
  }

  void begin() {
    server.emplace(folder.path());
    create_initial_objects(server->store);
    server->node.emplace(server->loop, server->store, options);
    server->node->start();
  }
  /// Restarts the server as after kill -9: no pod or client gets a message.
  void crash_and_restart() {
    server.reset();
    begin();
  }

  /// Runs the server's loop until the condition holds. Returns false if it does not within five minutes.
  template <typename Condition>
  bool turn_until(Condition condition) {
    bool held = false;
    EventLoop& loop = server->loop;
    const auto timeout = loop.after(std::chrono::minutes(5), [&] { loop.stop(); });
    std::function<void()> check = [&] {
      if ((held = condition())) return loop.stop();
      poll = loop.after(std::chrono::milliseconds(2), check);
    };
    poll = loop.after(std::chrono::milliseconds(0), check);
    loop.run();
    loop.cancel(timeout);
    loop.cancel(poll);
    return held;
  }

  ObjectPtr create(const std::string& json) {
    Json object = Json::parse(json);
    object["metadata"]["namespace"] = "default";
    return server->store.create(*api::kind_of(object), object);
  }
  /// A Job with one pod that runs the script. `more` is merged into the spec.
  ObjectPtr create_job(const std::string& name, const std::string& script, const std::string& more = "{}") {
    Json job = {{"apiVersion", "batch/v1"},
                {"kind", "Job"},
                {"metadata", {{"name", name}, {"namespace", "default"}}},
                {"spec",
                 {{"parallelism", 1},
                  {"completions", 1},
                  {"backoffLimit", 6},
                  {"template",
                   {{"spec",
                     {{"restartPolicy", "Never"},
                      {"terminationGracePeriodSeconds", 5},
                      {"containers",
                       {{{"name", "main"}, {"image", "any"}, {"command", {"sh", "-c", script}}}}}}}}}}}};
    job["spec"].merge_patch(Json::parse(more));
    return server->store.create(kinds::job, job);
  }
  Json job(const std::string& name) const {
    ObjectPtr found = server->store.get(kinds::job, "default", name);
    return found ? *found : Json::object();
  }
  Json pytorchjob(const std::string& name) const {
    ObjectPtr found = server->store.get(kinds::pytorchjob, "default", name);
    return found ? *found : Json::object();
  }
  bool finished(const std::string& name) const {
    return api::condition_is_true(job(name), "Complete") || api::condition_is_true(job(name), "Failed");
  }
  std::vector<ObjectPtr> pods() const { return server->store.list(kinds::pod, "default"); }
  /// The pod, if there is exactly one.
  Json pod() const { return pods().size() == 1 ? *pods()[0] : Json::object(); }
  std::string failure_reason(const std::string& name) const {
    const Json object = job(name);
    return api::condition(object, "Failed").reason();
  }
  std::vector<Json> events(const std::string& reason) const {
    std::vector<Json> found;
    for (const ObjectPtr& event : server->store.list(kinds::event, ""))
      if (string_at(*event, {"reason"}) == reason) found.push_back(*event);
    return found;
  }
  /// The output lines of all containers' first runs, without times.
  std::string output() const {
    std::string text;
    std::error_code missing;  // the folder does not exist before the first pod
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "pods", missing))
      if (entry.path().filename() == "0.log")
        for (const std::string& line : split(read_file(entry.path()), '\n'))
          if (line.size() > 40) text += line.substr(40) + "\n";
    return text;
  }
  std::string file(const std::string& name) const { return (folder.path() / name).string(); }
  std::string content(const std::string& name) const {
    return read_file_if_exists(folder.path() / name).value_or("");
  }

  TemporaryFolder folder;
  NodeOptions options;
  EventLoop::Timer poll{};
  struct Server {
    explicit Server(const std::filesystem::path& state) : store(state / "store.db", system_clock()) {}
    EventLoop loop;
    Store store;
    std::optional<LocalNode> node;
  };
  std::optional<Server> server;
};

}  // namespace kml::local
