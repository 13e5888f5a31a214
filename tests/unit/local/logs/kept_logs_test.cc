#include <filesystem>

#include "kml/base/files.h"
#include "local/api_fixture.h"

namespace kept_logs_test {

using namespace kml;
using namespace kml::local;

namespace {

const std::string kUid = "1b2c-3d";

/// A deleted pod "gone" that has left only its folder.
struct KeptFixture : ApiFixture {
  KeptFixture() {
    write("0.log", "first");
    write("1.log", "second");
    write_file_atomically(path() / "owner", "job-uid\ndefault/gone");
  }
  std::filesystem::path path() const { return folder.path() / "pods" / kUid; }
  void write(const std::string& file, const std::string& text, const std::string& container = "main") {
    std::filesystem::create_directories(path() / "logs" / container);
    write_file_atomically(path() / "logs" / container / file,
                          "2026-01-01T00:00:01.100000000Z stdout F " + text + "\n");
  }
  HttpResponse get(const std::string& pod, const std::string& query) {
    return send("GET", kPods + "/" + pod + "/log?" + query);
  }
  std::string text(const std::string& query) {
    HttpResponse response = get("gone", query);
    REQUIRE_MESSAGE(response.status == 200, response.body);
    return drain(response);
  }
};

}  // namespace

TEST_CASE_FIXTURE(KeptFixture, "kept_logs: a pod's log can be read by uid after the pod is gone") {
  CHECK(text("uid=" + kUid) == "second\n");
  CHECK(text("uid=" + kUid + "&previous=true") == "first\n");
  CHECK(text("uid=" + kUid + "&timestamps=true&container=main&follow=true") ==
        "2026-01-01T00:00:01.100000000Z second\n");
  write("0.log", "other", "side");
  CHECK(get("gone", "uid=" + kUid).status == 400);
  CHECK(get("gone", "uid=" + kUid + "&container=none").status == 400);
  CHECK(get("gone", "uid=" + kUid + "&container=side&previous=true").status == 400);
  CHECK(text("uid=" + kUid + "&container=side") == "other\n");
}

TEST_CASE_FIXTURE(KeptFixture, "kept_logs: only logs of the requested pod are read, from its own folder") {
  CHECK(get("gone", "x=y").status == 404);
  CHECK(get("other", "uid=" + kUid).status == 404);
  for (const char* uid : {"", "aa", "../pods/1b2c-3d", "..", "1b2c-3d/", "/"})
    CHECK(get("gone", "uid=" + std::string(uid)).status == 404);
}

}  // namespace kept_logs_test
