#include "kml/kube/objects/gang.h"

#include <doctest/doctest.h>

namespace gang_test {

using namespace kml;

TEST_CASE("gang: a Job's pods run together if kml marked it, or if it asks the scheduler for a gang") {
  struct Row {
    const char* what;
    const char* job;
    bool is_gang;
  };
  for (const Row& row :
       {Row{"an array", R"({"spec": {"parallelism": 4}})", false},
        Row{"marked by kml", R"({"metadata": {"annotations": {"kml.dev/gang": "true"}}})", true},
        Row{"marked otherwise", R"({"metadata": {"annotations": {"kml.dev/gang": "false"}}})", false},
        Row{"its pods are marked",
            R"({"spec": {"template": {"metadata": {"annotations": {"kml.dev/gang": "true"}}}}})", true},
        Row{"its own gang", R"({"spec": {"scheduling": {"schedulingPolicy": {"gang": {"minCount": 2}}}}})",
            true}}) {
    CAPTURE(row.what);
    CHECK(api::is_gang(parse_json(row.job, "job")) == row.is_gang);
  }
}

}  // namespace gang_test
