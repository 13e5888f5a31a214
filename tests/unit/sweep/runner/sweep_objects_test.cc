#include "kml/sweep/runner/sweep_objects.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/fake_transport.h"

namespace kml::sweep::sweep_objects_test {

namespace {

const SweepMarks kMarks{"s", "new-id", "team"};

Json owner(const char* uid) {
  return {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "kml-sweep-s"}, {"uid", uid}}}};
}

/// A Secret that was left by another sweep with the same name, whose ConfigMap had this uid.
Json secret_of(const char* owner_uid) {
  Json secret = {{"apiVersion", "v1"}, {"kind", "Secret"}};
  secret["metadata"] = {
      {"name", "kml-sweep-s"},
      {"namespace", "team"},
      {"uid", "secret-uid"},
      {"labels", {{"kml.dev/submit-id", "old-id"}}},
      {"ownerReferences",
       {{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "kml-sweep-s"}, {"uid", owner_uid}}}}};
  return secret;
}

Json asked() {
  return {{"apiVersion", "v1"}, {"kind", "Secret"}, {"metadata", {{"name", "kml-sweep-s"}}}};
}

constexpr const char* kSecrets = "/api/v1/namespaces/team/secrets";
constexpr const char* kSecret = "/api/v1/namespaces/team/secrets/kml-sweep-s";

}  // namespace

TEST_CASE("sweep_objects: objects left by a deleted sweep with the same name are replaced") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kSecret, secret_of("old-uid"));
  transport.answer("DELETE", kSecret, Json::object());
  transport.answer("POST", kSecrets, asked(), 201);
  make_owned(client, kMarks, owner("new-uid"), asked());
  CHECK(transport.requests.size() == 3);
  CHECK(transport.requests[1].body.find("secret-uid") != std::string::npos);
}

TEST_CASE("sweep_objects: an object that another sweep owns is left alone") {
  FakeTransport transport;
  kube::Client client(transport);
  transport.answer("GET", kSecret, secret_of("new-uid"));
  CHECK_THROWS_AS(make_owned(client, kMarks, owner("new-uid"), asked()), Error);
}

}  // namespace kml::sweep::sweep_objects_test
