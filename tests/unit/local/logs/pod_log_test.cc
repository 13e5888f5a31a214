#include <filesystem>
#include <fstream>

#include "local/api_fixture.h"

namespace pod_log_test {

using namespace kml;
using namespace kml::local;

namespace {

const api::ResourceKind& kPod = *api::find_kind("v1", "Pod");

struct LogFixture : ApiFixture {
  std::filesystem::path logs;

  LogFixture() {
    Json made = expect(201, "POST", kPods, pod("p"));
    logs = folder.path() / "pods" / string_at(made, {"metadata", "uid"}) / "logs" / "main";
    std::filesystem::create_directories(logs);
    set_state({{"running", Json::object()}});
  }

  void set_state(const Json& state, int restarts = 0, const Json& last_state = Json::object()) {
    store.modify(kPod, "default", "p", [&](Json& next) {
      next["spec"]["nodeName"] = "here";
      next["status"]["containerStatuses"] = Json::array(
          {{{"name", "main"}, {"state", state}, {"lastState", last_state}, {"restartCount", restarts}}});
    });
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream(logs / file, std::ios::app) << text;
  }

  HttpResponse get(const std::string& query = "x=y") { return send("GET", kPods + "/p/log?" + query); }
  std::string text(const std::string& query = "x=y") {
    HttpResponse response = get(query);
    CHECK(response.status == 200);
    return drain(response);
  }
  std::string refusal(const std::string& query = "x=y") {
    HttpResponse response = get(query);
    CHECK(response.status == 400);
    return string_at(Json::parse(response.body), {"message"});
  }
};

constexpr const char* kThree =
    "2026-01-01T00:00:01.100000000Z stdout F one\n"
    "2026-01-01T00:00:02.200000000Z stderr F two\n"
    "2026-01-01T00:00:03.300000000Z stdout F three\n";

}  // namespace

TEST_CASE_FIXTURE(LogFixture, "pod_log: returns lines as written, or with timestamps") {
  write("0.log", kThree);
  CHECK(text() == "one\ntwo\nthree\n");
  CHECK(text("timestamps=true&tailLines=1") == "2026-01-01T00:00:03.300000000Z three\n");
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: tailLines, sinceTime and limitBytes select a part") {
  write("0.log", kThree);
  CHECK(text("tailLines=0").empty());
  CHECK(text("tailLines=2") == "two\nthree\n");
  CHECK(text("tailLines=9") == "one\ntwo\nthree\n");
  // The API server passes whole seconds, and lines of that second are included.
  CHECK(text("sinceTime=2026-01-01T00:00:02.900Z") == "two\nthree\n");
  CHECK(text("sinceSeconds=1").empty());
  CHECK(text("limitBytes=5") == "one\nt");
  CHECK(get("sinceSeconds=1&sinceTime=2026-01-01T00:00:02Z").status == 422);
  CHECK(get("tailLines=-1").status == 422);
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: parts of a long line are joined, by stream") {
  write("0.log",
        "2026-01-01T00:00:01.000000000Z stdout P aaa\n"
        "2026-01-01T00:00:01.000000000Z stderr F err\n"
        "2026-01-01T00:00:01.000000000Z stdout P bbb\n"
        "2026-01-01T00:00:01.000000000Z stdout F ccc\n"
        "torn\n"
        "2026-01-01T00:00:01.000000000Z stdout P ddd\n"
        "2026-01-01T00:00:01.000000000Z stdout F eee\n"
        "2026-01-01T00:00:02.000000000Z stdout P end");
  CHECK(text() == "err\naaabbbccc\ndddeee\n");
  CHECK(text("tailLines=1") == "dddeee\n");
}

TEST_CASE_FIXTURE(LogFixture,
                  "pod_log: a progress bar is passed on as it is redrawn, and joined to no other line") {
  write("0.log",
        "2026-01-01T00:00:01.000000000Z stderr P 1%\r\n"
        "2026-01-01T00:00:02.000000000Z stderr P 2%\r\n"
        "2026-01-01T00:00:03.000000000Z stdout F loss=1\n"
        "2026-01-01T00:00:04.000000000Z stderr P 3%\r\n"
        "2026-01-01T00:00:05.000000000Z stderr F done\n"
        "2026-01-01T00:00:06.000000000Z stderr P 4%\r\n");
  CHECK(text() == "1%\r2%\r\nloss=1\n3%\rdone\n4%\r");
  CHECK(text("timestamps=true") ==
        "2026-01-01T00:00:01.000000000Z 1%\r2%\r\n"
        "2026-01-01T00:00:03.000000000Z loss=1\n"
        "2026-01-01T00:00:04.000000000Z 3%\rdone\n"
        "2026-01-01T00:00:06.000000000Z 4%\r");
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: an unfinished line is passed on if the client asks for such lines") {
  write("0.log",
        "2026-01-01T00:00:01.000000000Z stdout P no end\n"
        "2026-01-01T00:00:02.000000000Z stderr F between\n");
  HttpResponse whole = get("follow=true"), parts = get("follow=true&unfinished=true");
  const auto next = [](HttpResponse& response) {
    std::string piece;
    response.stream->read(piece);
    return piece;
  };
  CHECK(next(whole) == "between\n");
  CHECK(next(parts) == "no end\nbetween\n");
  write("0.log", "2026-01-01T00:00:03.000000000Z stdout F , then one\n");
  CHECK(next(whole) == "no end, then one\n");
  CHECK(next(parts) == ", then one\n");
}

TEST_CASE_FIXTURE(LogFixture,
                  "pod_log: an unfinished bar without a carriage return at its end is passed on, too") {
  write("0.log",
        "2026-01-01T00:00:01.000000000Z stderr P \r1%\n"
        "2026-01-01T00:00:02.000000000Z stderr P \r2\n"
        "2026-01-01T00:00:03.000000000Z stderr P %\n");
  HttpResponse follow = get("follow=true");
  std::string piece;
  follow.stream->read(piece);
  CHECK(piece == "\r1%\r2%");
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: rotated files come first, oldest first") {
  write("0.log.20260101-000001", "2026-01-01T00:00:01.000000000Z stdout F one\n");
  write("0.log.20260101-000002", "2026-01-01T00:00:02.000000000Z stdout F two\n");
  write("0.log", "2026-01-01T00:00:03.000000000Z stdout F three\n");
  CHECK(text() == "one\ntwo\nthree\n");
  CHECK(text("tailLines=2") == "two\nthree\n");
}

TEST_CASE_FIXTURE(
    LogFixture, "pod_log: following continues through a rotation to the container's end, and loses nothing") {
  write("0.log", kThree);
  HttpResponse follow = get("follow=true&tailLines=1");
  int woken = 0;
  follow.stream->on_ready = [&] { ++woken, loop.stop(); };
  bool ended = true;
  CHECK(drain(follow, &ended) == "three\n");
  CHECK(!ended);
  write("0.log", "2026-01-01T00:00:04.000000000Z stdout F four\n");
  loop.run();  // until inotify wakes it
  CHECK(drain(follow, &ended) == "four\n");
  write("0.log", "2026-01-01T00:00:05.000000000Z stdout F five\n");
  std::filesystem::rename(logs / "0.log", logs / "0.log.20260101-000005");
  write("0.log", "2026-01-01T00:00:06.000000000Z stdout F six\n");
  CHECK(drain(follow, &ended) == "five\nsix\n");
  CHECK(!ended);
  write("0.log", "2026-01-01T00:00:07.000000000Z stdout F last\n");
  woken = 0;
  set_state({{"terminated", {{"exitCode", 0}}}});
  CHECK(woken == 1);
  CHECK(drain(follow, &ended) == "last\n");
  CHECK(ended);
}

TEST_CASE_FIXTURE(LogFixture,
                  "pod_log: a slow reader learns where a rotation removed lines, and how many bytes") {
  write("0.log",
        "2026-01-01T00:00:01.000000000Z stdout F one\n"
        "2026-01-01T00:00:02.000000000Z stdout P unfini\n");
  const auto rotate = [this](const std::string& name) {
    std::filesystem::rename(logs / "0.log", logs / name);
  };
  HttpResponse follow = get("follow=true");
  CHECK(drain(follow) == "one\n");
  rotate("0.log.20260101-000002");
  write("0.log", "2026-01-01T00:00:03.000000000Z stdout F shed\n");
  rotate("0.log.20260101-000003");
  write("0.log", "2026-01-01T00:00:04.000000000Z stdout F three\n");
  const std::string kMissing =
      "kml: lines are missing here: 45 bytes were removed before they were read, because the log exceeded "
      "the server's limit\n";
  std::string missing;
  SUBCASE("files that the reader never opened") {
    std::filesystem::remove(logs / "0.log.20260101-000002");
    std::filesystem::remove(logs / "0.log.20260101-000003");
    write("0.removed", "2 136 0.log.20260101-000003\n");
    missing = kMissing;
  }
  SUBCASE("a file that is recorded, but not removed yet") {
    std::filesystem::remove(logs / "0.log.20260101-000002");
    write("0.removed", "2 136 0.log.20260101-000003\n");
    missing = kMissing;
  }
  SUBCASE("only the lines that the reader had already read") {
    std::filesystem::remove(logs / "0.log.20260101-000002");
    write("0.removed", "1 91 0.log.20260101-000002\n");
    CHECK(drain(follow) == "unfinished\nthree\n");
    return;
  }
  CHECK(drain(follow) == "unfini\n" + missing + "three\n");
  CHECK(drain(follow).empty());
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: `previous` selects the container's previous run") {
  write("0.log", "2026-01-01T00:00:01.000000000Z stdout F before\n");
  write("1.log", "2026-01-01T00:00:02.000000000Z stdout F now\n");
  CHECK(refusal("previous=true") == "previous terminated container \"main\" in pod \"p\" not found");
  set_state({{"running", Json::object()}}, 1, {{"terminated", {{"exitCode", 1}}}});
  CHECK(text("previous=true") == "before\n");
  CHECK(text() == "now\n");
  set_state({{"waiting", {{"reason", "CrashLoopBackOff"}}}}, 1, {{"terminated", {{"exitCode", 1}}}});
  CHECK(text() == "now\n");
}

TEST_CASE_FIXTURE(LogFixture, "pod_log: a log that cannot be shown is rejected in the API server's words") {
  CHECK(refusal("container=other") == "container other is not valid for pod p");
  set_state({{"waiting", {{"reason", "PodInitializing"}}}});
  CHECK(refusal() == "container \"main\" in pod \"p\" is waiting to start: PodInitializing");
  Json two = pod("two");
  two["spec"]["containers"].push_back({{"name", "side"}, {"image", "x"}, {"command", Json::array({"true"})}});
  expect(201, "POST", kPods, two);
  CHECK(send("GET", kPods + "/two/log").status == 204);  // the pod is not bound to a node yet
  store.modify(kPod, "default", "two", [](Json& next) { next["spec"]["nodeName"] = "here"; });
  HttpResponse unnamed = send("GET", kPods + "/two/log");
  CHECK(unnamed.status == 400);
  CHECK(unnamed.body.find("a container name must be specified for pod two, choose one of: [main side]") !=
        std::string::npos);
  expect(404, "GET", kPods + "/gone/log");
}

}  // namespace pod_log_test
