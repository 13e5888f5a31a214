#include "tracking/mlflow/mlflow_files.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "kml/base/files.h"
#include "support/fake_transport.h"
#include "support/temporary_folder.h"

namespace mlflow_files_test {

using namespace kml;
using namespace kml::tracking;

namespace {

const std::string kArtifacts = "/api/2.0/mlflow-artifacts/artifacts/";

PushedRun pushed_run(const std::string& uri, const std::string& digest = "") {
  PushedRun run;
  run.id = "abc";
  run.known = {{"info", {{"run_id", "abc"}, {"artifact_uri", uri}}}};
  if (!digest.empty())
    run.known["data"]["tags"] = Json::array({{{"key", "kml.artifact.train/model"}, {"value", digest}}});
  return run;
}

}  // namespace

TEST_CASE("mlflow: the files of a run are sent below its artifact root, without links") {
  const TemporaryFolder temporary;
  const std::filesystem::path model = temporary.path() / "model";
  std::filesystem::create_directories(model / "a b");
  write_file_atomically(model / "a b" / "§", "weights");
  std::filesystem::create_symlink("/etc/passwd", model / "link");
  FakeTransport transport;
  MlflowClient client(transport, "http://host");
  SUBCASE("to a server that stores the files") {
    std::string uri, path;
    SUBCASE("the files are sent to the MLflow server itself") {
      uri = "mlflow-artifacts:/7/abc/artifacts";
    }
    SUBCASE("the files are sent to the MLflow server under another host name") {
      uri = "mlflow-artifacts://other:5000/7/abc/artifacts";
    }
    transport.answer("PUT", kArtifacts + "7/abc/artifacts/train/model/a%20b/%C2%A7", Json::object());
    transport.answer("POST", "/api/2.0/mlflow/runs/set-tag", Json::object());
    PushedRun run = pushed_run(uri, "old");
    CHECK(push_files(client, run, {{"train/model", model, "new"}}).artifacts == 1);
    CHECK(transport.requests[0].body == "weights");
    CHECK(Json::parse(transport.requests[1].body) ==
          Json{{"run_id", "abc"}, {"key", "kml.artifact.train/model"}, {"value", "new"}});
    CHECK(run.faults.empty());
  }
  SUBCASE("except those that cannot be sent") {
    for (const char* name : {"large", "refused", "right"})
      write_file_atomically(temporary.path() / name, name);
    std::filesystem::resize_file(temporary.path() / "large", (std::uintmax_t{1} << 30) + 1);
    transport.answer("PUT", kArtifacts + "7/abc/artifacts/refused",
                     {{"error_code", "INVALID_PARAMETER_VALUE"}, {"message", "Invalid path"}}, 400);
    transport.answer("PUT", kArtifacts + "7/abc/artifacts/epoch%3D3.ckpt", Json::object());
    transport.answer("POST", "/api/2.0/mlflow/runs/set-tag", Json::object());
    PushedRun run = pushed_run("mlflow-artifacts:/7/abc/artifacts");
    const auto in_folder = [&](const char* name) { return temporary.path() / name; };
    CHECK(push_files(client, run,
                     {{"large", in_folder("large"), "1"},
                      {"refused", in_folder("refused"), "2"},
                      {"epoch=3.ckpt", in_folder("right"), "3"}})
              .artifacts == 1);
    REQUIRE(run.faults.size() == 2);
    CHECK(run.faults[0] == "large is not sent: it is larger than 1 GiB");
    CHECK(run.faults[1].find("refused is not sent: ") == 0);
    CHECK(Json::parse(transport.requests.back().body) ==
          Json{{"run_id", "abc"}, {"key", "kml.artifact.epoch_3.ckpt"}, {"value", "3"}});
  }
  SUBCASE("a file that the server fails to store is tried again, and does not hold back the other files") {
    std::filesystem::create_directory(temporary.path() / "made");
    for (const char* name : {"a", "b", "c"}) write_file_atomically(temporary.path() / "made" / name, name);
    const Json failure = {{"error_code", "INTERNAL_ERROR"}, {"message", "disk"}};
    for (int attempt = 0; attempt < 3; ++attempt)
      transport.answer("PUT", kArtifacts + "7/abc/artifacts/made/a", failure, 500);
    transport.answer("PUT", kArtifacts + "7/abc/artifacts/made/b", failure, 503);
    for (const char* name : {"b", "c"})
      transport.answer("PUT", kArtifacts + "7/abc/artifacts/made/" + name, Json::object());
    PushedRun run = pushed_run("mlflow-artifacts:/7/abc/artifacts");
    const SentFiles sent = push_files(client, run, {{"made", temporary.path() / "made", "1"}});
    CHECK(sent.artifacts == 0);
    CHECK(sent.files == 2);
    CHECK(sent.refused == 1);
    REQUIRE(run.faults.size() == 1);
    CHECK(run.faults[0] == "made/a is not sent: MLflow at http://host refused a request (500): disk");
  }
  SUBCASE("existing files are not sent again") {
    PushedRun run = pushed_run("mlflow-artifacts:/7/abc/artifacts", "same");
    CHECK(push_files(client, run, {{"train/model", model, "same"}}).artifacts == 0);
  }
  SUBCASE("kml sends no files if the server's clients must write to a bucket") {
    PushedRun run = pushed_run("s3://bucket/7/abc/artifacts");
    CHECK(push_files(client, run, {{"train/model", model, "new"}}).artifacts == 0);
    REQUIRE(run.faults.size() == 1);
    CHECK(run.faults[0].find("s3://bucket/7/abc/artifacts") != std::string::npos);
  }
}

}  // namespace mlflow_files_test
