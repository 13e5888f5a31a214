#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"

namespace volume_cause_test {

using namespace kml;
using namespace kml::test;

TEST_CASE("why: a volume claim that was missing, or was being deleted, is judged as it is now") {
  const Json bert = make_job("bert");
  Json mounts = make_pod(bert);
  mounts["spec"]["volumes"] = parse_json(R"([{"persistentVolumeClaim": {"claimName": "data"}}])", "volumes");
  const Json there = parse_json(R"({"metadata": {"name": "data", "namespace": "lab"}})", "claim");
  Json leaving = there;
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T01:55:00Z";
  const std::string
      not_found = "persistentvolumeclaim \"data\" not found",
      deleted = "persistentvolumeclaim \"data\" is being deleted",
      missing = "volume claim data does not exist in namespace lab",
      stays =
          "volume claim data of namespace lab is being deleted since 2026-01-01T01:55:00Z (5m), "
          "and stays until no pod mounts it";
  struct Row {
    std::string said;
    std::vector<Json> claims;
    CauseCode code;
    std::string summary;
  };
  for (const Row& row : std::vector<Row>{
           {deleted, {leaving}, CauseCode::volume_missing, stays},
           {not_found, {leaving}, CauseCode::volume_missing, stays},
           {deleted, {}, CauseCode::volume_missing, missing},
           {not_found, {}, CauseCode::volume_missing, missing},
           {not_found,
            {there},
            CauseCode::scheduling,
            "its volume claim exists now; the scheduler tries again by itself"},
       }) {
    CAPTURE(row.said);
    Known known(bert, {unschedulable(mounts, "0/1 nodes are available: " + row.said + ". not found")});
    known.facts.claims = row.claims;
    CHECK(known.cause().code == row.code);
    CHECK(known.cause().summary == row.summary);
  }
}

}  // namespace volume_cause_test
