#include "kml/kube/objects/status.h"
#include "kube/client/client_fixture.h"

namespace webhook_test {

using namespace client_test;

namespace {

/// What the API server answers if it cannot call a webhook.
Json uncalled_webhook() {
  const std::string cause =
      "failed calling webhook \"check.example.com\": failed to call webhook: Post "
      "\"https://checks.ops.svc:443/jobs?timeout=10s\": context deadline exceeded";
  return api::failure_status(500, "InternalError", "Internal error occurred: " + cause,
                             {{"causes", {{{"message", cause}}}}});
}

}  // namespace

TEST_CASE(
    "client: a request whose webhook fails is repeated, and after a minute the error names the webhook") {
  FakeTransport transport;
  std::vector<std::string> told;
  Client client(
      transport, [&](std::chrono::milliseconds) { transport.run_for(std::chrono::seconds(10)); },
      [&](const std::string& why) { told.push_back(why); });
  const std::string cause =
      "the cluster could not call webhook \"check.example.com\": Post "
      "\"https://checks.ops.svc:443/jobs?timeout=10s\": context deadline exceeded";
  SUBCASE("the webhook recovers") {
    for (int i = 0; i < 6; ++i) transport.answer("POST", kPath, uncalled_webhook(), 500);
    transport.answer("POST", kPath, job("bert"), 201);
    client.create(kJobs, "team", job("bert"));
  }
  SUBCASE("the webhook never answers") {
    for (int i = 0; i < 7; ++i) transport.answer("POST", kPath, uncalled_webhook(), 500);
    const Error error = error_of([&] { client.create(kJobs, "team", job("bert")); });
    CHECK(describe(error) ==
          "kml: error: cannot create job \"bert\" (500)\n  why: " + cause +
              "; tried 7 times in 60 s\n  fix: service checks in namespace ops must have a pod that answers"
              ": ask the cluster's administrator to repair it, then try again\n");
    CHECK(error.reason == api::kWebhookFailed);
  }
  CHECK(told == std::vector<std::string>{cause + "; retrying for up to a minute"});
}

}  // namespace webhook_test
