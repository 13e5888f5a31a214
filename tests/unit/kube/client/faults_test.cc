#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>

#include "kml/base/files.h"
#include "kml/kube/client/client.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "kml/kube/objects/status.h"
#include "support/environment.h"
#include "support/scripted_server.h"
#include "support/temporary_folder.h"
#include "support/test_certificates.h"

namespace faults_test {

using namespace kml;
using namespace kml::kube;

namespace {

const api::ResourceKind& kJobs = *api::find_kind("batch/v1", "Job");
const Json kJob = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"name", "bert"}}}};

template <typename Function>
Error error_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error;
  }
  FAIL("it succeeded");
  return {ErrorCode::failure, ""};
}

/// A client and a server with these responses. The client does not pause between attempts.
struct Pair {
  explicit Pair(ScriptedServer::Handler handler)
      : server(std::move(handler)), transport(http::make_curl_transport({.url = server.url()})) {}

  ScriptedServer server;
  std::unique_ptr<http::Transport> transport;
  Client client{*transport, [](std::chrono::milliseconds) {}};
};

}  // namespace

TEST_CASE(
    "faults: a rejected creation is reported with its reason; without Retry-After, only a 401 makes kml send "
    "it again") {
  struct Row {
    int status;
    std::string body, headers;
    ErrorCode code;
    std::vector<std::string> said;
  };
  auto status = [](int code, const char* reason, const char* message, Json details = {}) {
    return api::failure_status(code, reason, message, std::move(details)).dump();
  };
  const Json causes = {{"causes", {{{"field", "spec.parallelism"}, {"message", "must not be negative"}}}}};
  const Row table[] = {
      {401, status(401, "Unauthorized", "Unauthorized"), "", ErrorCode::auth, {"(401)", "log in"}},
      {403,
       status(403, "Forbidden", "user ana cannot create"),
       "",
       ErrorCode::auth,
       {"user ana cannot create"}},
      {404, "404 page not found\n", "", ErrorCode::failure, {"404 page not found"}},
      {409,
       status(409, "AlreadyExists", "bert exists"),
       "",
       ErrorCode::failure,
       {"bert exists", "another name"}},
      {413,
       status(413, "RequestEntityTooLarge", "limit is 3145728"),
       "",
       ErrorCode::failure,
       {"limit is 3145728", "fix: make the object smaller"}},
      {422,
       status(422, "Invalid", "Job is invalid", causes),
       "",
       ErrorCode::failure,
       {"spec.parallelism: must not be negative"}},
      {429,
       status(429, "TooManyRequests", "later"),
       "X-Kubernetes-PF-FlowSchema-UID: f1\r\nX-Kubernetes-PF-PriorityLevel-UID: p1\r\n",
       ErrorCode::failure,
       {"later", "flow schema with UID f1", "priority level with UID p1"}},
      {500, status(500, "InternalError", "etcd is gone"), "", ErrorCode::failure, {"etcd is gone"}},
      {502, "<html>" + std::string(100'000, 'x'), "", ErrorCode::failure, {"<html>xxx"}},
      {504, "", "", ErrorCode::unreachable, {"gave no reason"}},
      {302,
       "",
       "Location: https://login.test/\r\n",
       ErrorCode::failure,
       {"https://login.test/", "does not follow redirects"}},
  };
  for (const Row& row : table) {
    CAPTURE(row.status);
    Pair pair([&](const ReceivedRequest&, ServerConnection& connection) {
      connection.answer(row.status, row.body, row.headers);
    });
    const Error error = error_of([&] { pair.client.create(kJobs, "team", kJob); });
    CHECK(error.code == row.code);
    CHECK(error.http_status == row.status);
    const std::string text = describe(error);
    for (const std::string& words : row.said) CHECK_MESSAGE(text.find(words) != std::string::npos, text);
    CHECK(text.size() < 3000);
    CHECK(pair.server.requests().size() ==
          (row.status == 401 ? 2 : 1));  // a plugin may give another credential
  }
}

TEST_CASE("faults: kml waits while the server answers with 429 or 503, and gives up after 10 repetitions") {
  std::atomic<int> storms = 0;
  std::atomic<int> left = 0;
  Pair pair([&](const ReceivedRequest&, ServerConnection& connection) {
    if (left-- <= 0) return connection.answer(201, kJob.dump());
    connection.answer(++storms % 2 ? 429 : 503, "", "Retry-After: 1\r\n");
  });
  left = 10;
  CHECK(pair.client.create(kJobs, "team", kJob) == kJob);
  left = 1000;
  CHECK(error_of([&] { pair.client.create(kJobs, "team", kJob); }).http_status != 0);
  CHECK(storms == 10 + 11);
}

TEST_CASE("faults: Ctrl-C works while the server asks to wait for a minute") {
  Pair pair([](const ReceivedRequest&, ServerConnection& connection) {
    connection.answer(503, "", "Retry-After: 60\r\n");
  });
  sigset_t interrupt, before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &interrupt, &before);
  ::raise(SIGINT);
  Client client(*pair.transport);
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).code == ErrorCode::interrupted);
  int taken = 0;
  ::sigwait(&interrupt, &taken);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("faults: after a broken connection, reading is retried, and creation is not") {
  ScriptedServer::Handler breaks;
  SUBCASE("closed without an answer") {
    breaks = [](const ReceivedRequest&, ServerConnection& connection) { connection.close(); };
  }
  SUBCASE("half closed") {
    breaks = [](const ReceivedRequest&, ServerConnection& connection) {
      connection.half_close();
      connection.wait_for_close();
    };
  }
  SUBCASE("reset") {
    breaks = [](const ReceivedRequest&, ServerConnection& connection) { connection.reset(); };
  }
  SUBCASE("cut within the body") {
    breaks = [](const ReceivedRequest&, ServerConnection& connection) {
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"kind\": \"Jo");
      connection.close();
    };
  }
  Pair pair(breaks);
  const Error reading = error_of([&] { pair.client.get(kJobs, "team", "bert"); });
  CHECK(reading.code == ErrorCode::unreachable);
  CHECK(reading.reason == http::kConnectionBroke);
  CHECK(pair.server.requests().size() == 11);

  const size_t before = pair.server.requests().size();
  CHECK(error_of([&] { pair.client.create(kJobs, "team", kJob); }).reason == http::kConnectionBroke);
  CHECK(pair.server.requests().size() == before + 1);
}

TEST_CASE("faults: the error after several failed attempts also mentions an earlier failure") {
  std::atomic<int> count = 0;
  Pair pair([&](const ReceivedRequest&, ServerConnection& connection) {
    if (++count < 3) return connection.answer(503, "", "Retry-After: 0\r\n");
    connection.write("nonsense\r\n\r\n");
    connection.close();
  });
  const Error error = error_of([&] { pair.client.create(kJobs, "team", kJob); });
  CHECK_MESSAGE(describe(error).find("before that: the server returned 503") != std::string::npos,
                describe(error));
}

TEST_CASE("faults: after a response that is not JSON, or ends early, the outcome is unknown") {
  const char* body = "";
  SUBCASE("cut short") {
    body = R"({"kind": "Job", "metadata": {"na)";
  }
  SUBCASE("a proxy's page") {
    body = "<html>welcome</html>";
  }
  SUBCASE("nothing") {}
  Pair pair([&](const ReceivedRequest&, ServerConnection& connection) { connection.answer(200, body); });
  const Error error = error_of([&] { pair.client.create(kJobs, "team", kJob); });
  CHECK(error.code == ErrorCode::unreachable);
  CHECK(error.http_status == 0);
  CHECK(pair.server.requests().size() == 1);
}

TEST_CASE("faults: a host name that does not resolve is reported") {
  auto transport = http::make_curl_transport({.url = "https://no-such-host.invalid:6443"});
  Client client(*transport);
  const Error error = error_of([&] { client.get(kJobs, "team", "bert"); });
  CHECK(error.code == ErrorCode::unreachable);
  CHECK_MESSAGE(error.why.find("no-such-host.invalid") != std::string::npos, describe(error));
  CHECK(error.fix.find("check `server` of this cluster") != std::string::npos);
}

TEST_CASE(
    "faults: after a rejection, the credential is fetched again and the request repeated; no credential is "
    "sent over plain http") {
  TemporaryFolder folder;
  EnvironmentVariable home("HOME", folder.path().c_str());
  EnvironmentVariable kuberc("KUBERC", nullptr);
  const TestCertificates& certificates = TestCertificates::get();
  auto handler = [](const ReceivedRequest& request, ServerConnection& connection) {
    const auto header = request.headers.find("authorization");
    if (header != request.headers.end() && header->second == "Bearer 2")
      return connection.answer(200, kJob.dump());
    connection.answer(401, api::failure_status(401, "Unauthorized", "Unauthorized").dump());
  };
  ScriptedServer server(handler, ScriptedServer::Tls::yes), plain(handler);
  write_file_atomically(folder.path() / "plugin", R"(#!/bin/sh
echo run >> "$RUNS"
echo '{"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1",'
echo '"status": {"token": "'$(wc -l < "$RUNS")'"}}'
)",
                        0700);
  KubeconfigOptions options;
  options.kubeconfig = folder.path() / "config";
  auto client_of = [&](const std::string& url) {
    write_file_atomically(
        options.kubeconfig,
        "current-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"
        "clusters: [{name: a, cluster: {server: '" +
            url + "', certificate-authority: '" + certificates.pem_path("ca").string() +
            "'}}]\nusers: [{name: a, user: {exec: {command: ./plugin, interactiveMode: Never, "
            "apiVersion: client.authentication.k8s.io/v1, env: [{name: RUNS, value: '" +
            (folder.path() / "runs").string() + "'}]}}}]\n");
    return http::make_curl_transport(find_target(options)->endpoint);
  };
  auto unsafe = client_of(plain.url());
  CHECK(unsafe->send({.path = "/"}).status == 401);
  CHECK_FALSE(read_file_if_exists(folder.path() / "runs"));

  auto transport = client_of(server.url());
  Client client(*transport);
  for (int i = 0; i < 3; ++i) CHECK(client.get(kJobs, "team", "bert") == kJob);
  CHECK(server.requests().size() == 1 + 3);
  CHECK(read_file(folder.path() / "runs") == "run\nrun\n");
}

}  // namespace faults_test
