#include "local/api_fixture.h"

#include "kml/base/text.h"

namespace watch_test {

using namespace kml;
using namespace kml::local;

namespace {

/// One event per line, such as "ADDED a" or "ERROR 410".
std::string summary(const std::string& text) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    const Json event = Json::parse(line);
    const std::string type = event["type"];
    lines += type + " " +
             (type == "ERROR" ? event["object"]["code"].dump()
                              : string_at(event, {"object", "metadata", "name"})) +
             "\n";
  }
  return lines;
}

struct WatchFixture : ApiFixture {
  std::string revision() { return std::to_string(store.revision()); }
  HttpResponse watch(const std::string& query) { return send("GET", kMaps + "?watch=true&" + query); }
  void relabel(const std::string& name, const std::string& value) {
    patch(200, kMaps + "/" + name, "application/merge-patch+json",
          {{"metadata", {{"labels", {{"app", value}}}}}});
  }
};

}  // namespace

TEST_CASE_FIXTURE(WatchFixture, "watch: starts with the existing objects, or after the given revision") {
  expect(201, "POST", kMaps, config_map("a"));
  const std::string after_a = revision();
  expect(201, "POST", kMaps, config_map("b"));
  HttpResponse all = watch("x=y"), later = watch("resourceVersion=" + after_a);
  CHECK(summary(drain(all)) == "ADDED a\nADDED b\n");
  CHECK(summary(drain(later)) == "ADDED b\n");
  int woken = 0;
  all.stream->on_ready = [&] { ++woken; };
  expect(200, "DELETE", kMaps + "/a");
  expect(201, "POST", "/api/v1/namespaces/kube-system/configmaps", config_map("elsewhere"));
  CHECK(woken == 1);
  CHECK(summary(drain(all)) == "DELETED a\n");
}

TEST_CASE_FIXTURE(WatchFixture,
                  "watch: an object that starts or stops matching is reported as added or deleted") {
  HttpResponse chosen = watch("labelSelector=app=x");
  expect(201, "POST", kMaps, config_map("a", {{"app", "y"}}));
  CHECK(drain(chosen).empty());
  relabel("a", "x");
  relabel("a", "x");  // no change, no event
  CHECK(summary(drain(chosen)) == "ADDED a\n");
  patch(200, kMaps + "/a", "application/merge-patch+json", {{"data", {{"k", "v"}}}});
  CHECK(summary(drain(chosen)) == "MODIFIED a\n");
  relabel("a", "y");
  expect(200, "DELETE", kMaps + "/a");
  CHECK(summary(drain(chosen)) == "DELETED a\n");
}

TEST_CASE_FIXTURE(WatchFixture, "watch: ends with 410 if the revision is no longer known") {
  for (int i = 0; i < 4100; ++i) {
    const std::string name = "m" + std::to_string(i);
    Json object = config_map(name);
    object["metadata"]["namespace"] = "default";
    store.create(*api::find_kind("v1", "ConfigMap"), std::move(object));
  }
  bool ended = false;
  HttpResponse old = watch("resourceVersion=1"), future = watch("resourceVersion=999999");
  CHECK(summary(drain(old, &ended)) == "ERROR 410\n");
  CHECK(ended);
  CHECK(summary(drain(future)) == "ERROR 410\n");
  CHECK(watch("resourceVersion=x").status == 400);
}

TEST_CASE_FIXTURE(WatchFixture, "watch: ends at its timeout, with a bookmark if the client wants bookmarks") {
  expect(201, "POST", kMaps, config_map("a"));
  HttpResponse with = watch("allowWatchBookmarks=true&timeoutSeconds=0&resourceVersion=" + revision()),
               without = watch("timeoutSeconds=0&resourceVersion=" + revision());
  loop.after(std::chrono::milliseconds(1), [&] { loop.stop(); });
  loop.run();
  bool ended = false;
  const std::string text = drain(with, &ended);
  CHECK(ended);
  CHECK(string_at(Json::parse(text), {"type"}) == "BOOKMARK");
  CHECK(string_at(Json::parse(text), {"object", "metadata", "resourceVersion"}) == revision());
  CHECK(drain(without, &ended).empty());
  CHECK(ended);
}

TEST_CASE_FIXTURE(WatchFixture, "watch: initial events end with a bookmark that marks their end") {
  expect(201, "POST", kMaps, config_map("a"));
  HttpResponse streamed =
      watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  const auto lines = split(drain(streamed), '\n');
  REQUIRE(lines.size() == 3);
  CHECK(summary(lines[0]) == "ADDED a\n");
  CHECK(string_at(Json::parse(lines[1]),
                  {"object", "metadata", "annotations", "k8s.io/initial-events-end"}) == "true");
}

}  // namespace watch_test
