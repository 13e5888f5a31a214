#include "kml/job/capacity/kind_listing.h"

#include <doctest/doctest.h>

#include <sstream>

#include "job/tables/kind_tables.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "support/fake_transport.h"

namespace kind_listing_test {

using namespace kml;
using namespace kml::job;

namespace {

KindListing list(FakeTransport& transport, const char* word, const std::string& namespace_name = "lab") {
  kube::Client client(transport);
  const ListedKindInfo* info = find_listed_kind(word);
  REQUIRE(info);
  return list_kind(client, *info, {namespace_name});
}

std::string table_of(const KindListing& listing) {
  std::ostringstream out, err;
  ui::print_kind({out, err}, listing, {}, Time() + std::chrono::hours(24 * 365 * 56));
  return out.str();
}

Json items(Json array) {
  return {{"kind", "List"}, {"apiVersion", "v1"}, {"items", std::move(array)}};
}

}  // namespace

TEST_CASE("kind listing: a kind is found by kml's word and by kubectl's names, in upper or lower case") {
  for (const char* word : {"claims", "pvc", "PVC", "persistentvolumeclaim", "claim"})
    CHECK(find_listed_kind(word)->kind == ListedKind::claims);
  CHECK(find_listed_kind("lq")->kind == ListedKind::queues);
  CHECK(find_listed_kind("quota")->kind == ListedKind::quotas);
  CHECK(find_listed_kind("bert") == nullptr);
  CHECK(find_listed_kind("") == nullptr);
}

TEST_CASE(
    "kind listing: a node shows the sum of the pods' requests, its taints, and why it accepts no pods") {
  FakeTransport transport;
  transport.answer("GET", "/api/v1/nodes", items(Json::parse(R"([
    {"metadata": {"name": "n10"}, "status": {"allocatable": {"cpu": "8", "memory": "16Gi"},
      "conditions": [{"type": "Ready", "status": "False", "message": "container runtime is down"}]}},
    {"metadata": {"name": "n2", "labels": {"nvidia.com/gpu.product": "Tesla-T4"}},
      "spec": {"taints": [{"key": "team", "value": "ml", "effect": "NoSchedule"}]},
      "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "4"},
        "conditions": [{"type": "Ready", "status": "True"}]}}])")));
  SUBCASE("pods may be listed") {
    transport.answer("GET", "/api/v1/pods", items(Json::parse(R"([
      {"metadata": {"name": "a", "namespace": "lab"}, "status": {"phase": "Running"}, "spec": {"nodeName": "n2",
        "containers": [{"name": "main", "resources": {"requests": {"cpu": "1500m", "memory": "2Gi", "nvidia.com/gpu": "3"}}}]}},
      {"metadata": {"name": "b", "namespace": "lab"}, "status": {"phase": "Failed"}, "spec": {"nodeName": "n2",
        "containers": [{"name": "main", "resources": {"requests": {"cpu": "2"}}}]}}])")));
    const std::string table = table_of(list(transport, "nodes"));
    const std::vector<std::string> lines = split(table, '\n');
    CHECK(lines[1].starts_with("n2"));
    CHECK(contains(lines[1], "t4    3/4   1     1.5/4"));
    CHECK(contains(lines[1], "2.0Gi/8.0Gi"));
    CHECK(contains(lines[1], "team=ml:NoSchedule  ready"));
    CHECK(contains(lines[2], "not ready: container runtime is down"));
  }
  SUBCASE("pods may not be listed") {
    transport.answer("GET", "/api/v1/pods", {{"kind", "Status"}}, 403);
    const KindListing listing = list(transport, "nodes");
    CHECK(contains(table_of(listing), "?/4"));
    REQUIRE(listing.unknown.size() == 1);
    CHECK(contains(listing.unknown[0], "you may not list pods of all namespaces"));
  }
}

TEST_CASE("kind listing: a claim shows who mounts it, and why it is not bound") {
  FakeTransport transport;
  transport.answer("GET", "/api/v1/namespaces/lab/persistentvolumeclaims", items(Json::parse(R"([
    {"metadata": {"name": "open", "namespace": "lab", "uid": "u1"}, "status": {"phase": "Pending"},
     "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "5Gi"}}}},
    {"metadata": {"name": "data", "namespace": "lab", "uid": "u2"}, "status": {"phase": "Bound", "capacity": {"storage": "9Gi"}},
     "spec": {"accessModes": ["ReadOnlyMany", "ReadWriteMany"]}}])")));
  transport.answer("GET", "/api/v1/namespaces/lab/pods", items(Json::parse(R"([
    {"metadata": {"name": "bert-x", "namespace": "lab", 
       "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "bert", "controller": true}]},
     "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}, "status": {"phase": "Running"}},
    {"metadata": {"name": "bare", "namespace": "lab"},
     "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}, "status": {"phase": "Running"}}])")));
  transport.answer("GET", "/api/v1/namespaces/lab/events", items(Json::parse(R"([
    {"involvedObject": {"kind": "PersistentVolumeClaim", "name": "open", "uid": "u1"},
     "lastTimestamp": "2026-01-01T00:00:00Z", "message": "storageclass \"fast\" not found"}])")));
  const std::vector<std::string> lines = split(table_of(list(transport, "pvc")), '\n');
  CHECK(contains(lines[1], "data   Bound    9Gi   ROX,RWX"));
  CHECK(contains(lines[1], "bert,pod bare"));
  CHECK(contains(lines[2], "open   Pending  5Gi   RWO      fast"));
  CHECK(contains(lines[2], "storageclass \"fast\" not found"));
}

TEST_CASE(
    "kind listing: a kind that the user may not list, or that the server does not have, is reported by "
    "name") {
  FakeTransport transport;
  const auto failure = [&](const char* word, const std::string& path, int status) {
    transport.answer(
        "GET", path,
        {{"kind", "Status"}, {"message", "forbidden"}, {"reason", "Forbidden"}, {"code", status}}, status);
    try {
      list(transport, word);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorCode::failure, "none");
  };
  const Error forbidden = failure("nodes", "/api/v1/nodes", 403);
  CHECK(forbidden.code == ErrorCode::auth);
  CHECK(contains(forbidden.message, "nodes"));
  CHECK(
      contains(failure("pc", "/apis/scheduling.k8s.io/v1/priorityclasses", 403).message, "priorityclasses"));
  CHECK(failure("limits", "/api/v1/namespaces/lab/limitranges", 404).message == "the server has no limits");
  transport.answer("GET", "/apis/scheduling.volcano.sh/v1beta1/queues", {{"kind", "Status"}}, 404);
  CHECK(failure("queues", "/apis/kueue.x-k8s.io", 404).message == "found no Kueue or Volcano queues");
}

TEST_CASE("kind listing: Volcano's queues, with the GPUs that they grant") {
  FakeTransport transport;
  transport.answer("GET", "/apis/kueue.x-k8s.io", {{"kind", "Status"}}, 404);
  transport.answer("GET", "/apis/scheduling.volcano.sh/v1beta1/queues", Json::parse(R"({"items": [
    {"metadata": {"name": "vq"}, "spec": {"capability": {"cpu": 32, "nvidia.com/gpu": 8}},
     "status": {"allocated": {"nvidia.com/gpu": "4"}, "inqueue": 1, "running": 2, "state": "Open"}},
    {"metadata": {"name": "old"}, "status": {"state": "Closed"}}]})"));
  const std::vector<std::string> lines = split(table_of(list(transport, "queues")), '\n');
  CHECK(contains(lines[1], "old"));
  CHECK(contains(lines[1], "closed"));
  CHECK(contains(lines[2], "vq"));
  CHECK(contains(lines[2], "4/8"));
  CHECK(contains(lines[2], "active"));
}

TEST_CASE("kind listing: a limit range has a line for each resource") {
  FakeTransport transport;
  transport.answer("GET", "/api/v1/namespaces/lab/limitranges", items(Json::parse(R"([
    {"metadata": {"name": "small", "namespace": "lab"}, "spec": {"limits": [
      {"type": "Container", "max": {"cpu": "4"}, "default": {"cpu": "1", "memory": "1Gi"}}]}}])")));
  const std::vector<std::string> lines = split(table_of(list(transport, "limits")), '\n');
  CHECK(contains(lines[1], "small        Container  cpu       -    4"));
  CHECK(contains(lines[2], "memory"));
}

TEST_CASE("kind listing: a secret shows its keys without their values") {
  FakeTransport transport;
  transport.answer("GET", "/api/v1/namespaces/lab/secrets", items(Json::parse(R"([
    {"metadata": {"name": "token", "namespace": "lab",
       "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{\"data\":{\"KEY\":\"c2VjcmV0\"}}"}},
     "type": "Opaque", "data": {"KEY": "c2VjcmV0"}}])")));
  const KindListing listing = list(transport, "secrets");
  CHECK_FALSE(contains(listing.items[0].dump(), "c2VjcmV0"));
  CHECK(contains(table_of(listing), "KEY"));
}

}  // namespace kind_listing_test
