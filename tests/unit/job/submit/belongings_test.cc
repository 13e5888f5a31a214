#include "kml/job/submit/belongings.h"

#include <doctest/doctest.h>

#include "support/environment.h"
#include "support/fake_transport.h"
#include "support/temporary_folder.h"

namespace belongings_test {

using namespace kml;
using namespace kml::job;

namespace {

const std::string kSecrets = "/api/v1/namespaces/lab/secrets", kSecret = kSecrets + "/kml-1";
const std::string kJob = "/apis/batch/v1/namespaces/lab/jobs/bert";
const Json kMarks = {{"kml.dev/submit-id", "1"}};

Json job() {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", "bert"}, {"namespace", "lab"}, {"labels", kMarks}}},
          {"spec", {{"secretName", "kml-1"}}}};
}

Json created(Json object) {
  object["metadata"]["uid"] = "uid-of-" + string_at(object, {"metadata", "name"});
  object["metadata"]["resourceVersion"] = "7";
  return object;
}

Belonging secret(bool is_shared = false) {
  return {{{"apiVersion", "v1"},
           {"kind", "Secret"},
           {"metadata", {{"name", "kml-1"}, {"namespace", "lab"}, {"labels", kMarks}}}},
          {{"KEY", "value"}},
          is_shared};
}

Json failure(int code, const char* reason) {
  return {{"kind", "Status"}, {"status", "Failure"}, {"code", code}, {"reason", reason}, {"message", reason}};
}

/// A state folder, a server without stubs, and a submit to it.
struct Submit {
  TemporaryFolder state;
  EnvironmentVariable variable{"KML_STATE_DIR", state.path().c_str()};
  FakeTransport transport;
  kube::Client client{transport, [](std::chrono::milliseconds) {}};

  Belongings belongings(bool is_shared = false) {
    return {client, "https://a", {secret(is_shared)}, {job()}};
  }
  size_t notes() const {
    const std::filesystem::path folder = state.path() / "submits";
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
  const http::Request& last() const { return transport.requests.back(); }
};

}  // namespace

TEST_CASE("belongings: the Secret is created before the job, and the job then becomes its owner") {
  Submit submit;
  submit.transport.answer("POST", kSecrets, created(secret().object), 201);
  submit.transport.answer("PATCH", kSecret, created(secret().object));
  Belongings belongings = submit.belongings();
  belongings.create();
  CHECK(Json::parse(submit.last().body)["data"]["KEY"] == "dmFsdWU=");
  CHECK(submit.notes() == 1);
  belongings.hand_over({created(job())});
  const Json owners = Json::parse(submit.last().body)["metadata"]["ownerReferences"];
  REQUIRE(owners.size() == 1);
  CHECK(owners[0]["uid"] == "uid-of-bert");
  CHECK(submit.notes() == 0);
}

TEST_CASE(
    "belongings: objects left by a killed submit get its job as their owner, or are deleted if it does not "
    "exist") {
  Submit submit;
  submit.transport.answer("POST", kSecrets, created(secret().object), 201);
  submit.belongings().create();  // after this, the process is killed
  CHECK(submit.notes() == 1);
  SUBCASE("a Secret on another server is not changed") {
    settle_abandoned(submit.client, "https://b");
    CHECK(submit.notes() == 1);
    return;
  }
  SUBCASE("the job is there") {
    submit.transport.answer("GET", kJob, created(job()));
    submit.transport.answer("GET", kSecret, created(secret().object));
    submit.transport.answer("PATCH", kSecret, created(secret().object));
  }
  SUBCASE("the job does not exist") {
    submit.transport.answer("GET", kJob, failure(404, "NotFound"), 404);
    submit.transport.answer("GET", kSecret, created(secret().object));
    submit.transport.answer("DELETE", kSecret, Json::object());
  }
  SUBCASE("another submit's job has the name") {
    Json other = created(job());
    other["metadata"]["labels"]["kml.dev/submit-id"] = "2";
    submit.transport.answer("GET", kJob, other);
    submit.transport.answer("GET", kSecret, created(secret().object));
    submit.transport.answer("DELETE", kSecret, Json::object());
  }
  settle_abandoned(submit.client, "https://a");
  CHECK(submit.notes() == 0);
}

TEST_CASE("belongings: a submit does not delete the objects of another submit that is still running") {
  Submit submit;
  submit.transport.answer("POST", kSecrets, created(secret().object), 201);
  Belongings belongings = submit.belongings();
  belongings.create();
  settle_abandoned(submit.client, "https://a");
  CHECK(submit.notes() == 1);
}

TEST_CASE("belongings: an existing shared secret is reused, and gets one more owner") {
  Submit submit;
  submit.transport.answer("POST", kSecrets, failure(409, "AlreadyExists"), 409);
  Json theirs = created(secret().object);
  theirs["metadata"]["labels"]["kml.dev/submit-id"] = "2";
  theirs["metadata"]["ownerReferences"] = Json::array({{{"uid", "another"}}});
  theirs["data"] = {{"KEY", "dmFsdWU="}};
  submit.transport.answer("GET", kSecret, theirs);  // kml checks whether the Secret is this submit's own
  submit.transport.answer("GET", kSecret, theirs);
  Belongings belongings = submit.belongings(true);
  belongings.create();
  SUBCASE("another client has changed the Secret meanwhile") {
    submit.transport.answer("PATCH", kSecret, failure(409, "Conflict"), 409);
    submit.transport.answer("GET", kSecret, theirs);
    submit.transport.answer("PATCH", kSecret, theirs);
    belongings.hand_over({created(job())});
    CHECK(Json::parse(submit.last().body)["metadata"]["ownerReferences"].size() == 2);
  }
  SUBCASE("the Secret was deleted meanwhile, and is created again") {
    submit.transport.answer("PATCH", kSecret, failure(404, "NotFound"), 404);
    submit.transport.answer("POST", kSecrets, created(secret().object), 201);
    belongings.hand_over({created(job())});
    CHECK(Json::parse(submit.last().body)["metadata"]["ownerReferences"][0]["uid"] == "uid-of-bert");
  }
}

TEST_CASE("belongings: a shared secret whose contents do not match its name is not used") {
  for (const Json& data : {Json{{"KEY", "b3RoZXI="}}, Json{{"KEY", "dmFsdWU="}, {"MORE", ""}}, Json()}) {
    Submit submit;
    submit.transport.answer("POST", kSecrets, failure(409, "AlreadyExists"), 409);
    Json theirs = created(secret().object);
    theirs["metadata"]["labels"]["kml.dev/submit-id"] = "2";
    theirs["data"] = data;
    for (int i = 0; i < 2; ++i) submit.transport.answer("GET", kSecret, theirs);
    CHECK_THROWS_WITH_AS(submit.belongings(true).create(), "Secret \"kml-1\" has unexpected contents", Error);
  }
}

TEST_CASE("belongings: if the job is rejected, its secret is deleted") {
  Submit submit;
  submit.transport.answer("POST", kSecrets, created(secret().object), 201);
  submit.transport.answer("GET", kJob, failure(404, "NotFound"), 404);
  submit.transport.answer("GET", kSecret, created(secret().object));
  submit.transport.answer("DELETE", kSecret, Json::object());
  Belongings belongings = submit.belongings();
  belongings.create();
  belongings.give_up();
  CHECK(submit.notes() == 0);
}

TEST_CASE("belongings: an incomplete note of a submit is deleted") {
  Submit submit;
  make_private_folder(submit.state.path() / "submits");
  write_file_atomically(submit.state.path() / "submits" / "1.json", "{\"serv");
  settle_abandoned(submit.client, "https://a");
  CHECK(submit.notes() == 0);
}

}  // namespace belongings_test
