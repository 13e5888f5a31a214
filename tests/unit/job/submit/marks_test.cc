#include "kml/job/submit/marks.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/job/views/kinds.h"

namespace marks_test {

using namespace kml;
using namespace kml::job;

TEST_CASE("submit: jobs get a random name and marks, other objects must have a name") {
  Marks marks = new_marks("Ana Maria", "train", {"python", "train it.py"});
  Json unnamed = {{"apiVersion", "batch/v1"}, {"kind", "Job"}};
  Json generated = {{"apiVersion", "batch/v1"}, {"kind", "Job"}, {"metadata", {{"generateName", "sweep-"}}}};
  std::vector<Json> sent = marked({unnamed, generated}, marks);
  CHECK(base_of_drawn_name(sent[0]["metadata"]["name"]) == "train");
  CHECK(base_of_drawn_name(sent[1]["metadata"]["name"]) == "sweep");
  CHECK_FALSE(sent[1]["metadata"].contains("generateName"));
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/user"] == "ana-maria");
  CHECK(sent[0]["metadata"]["labels"]["kml.dev/submit-id"] == marks.submit_id);
  CHECK(sent[0]["metadata"]["annotations"]["kml.dev/command"] == "python 'train it.py'");
  Json settings = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}};
  CHECK_THROWS_AS(marked({settings}, marks), Error);
}

TEST_CASE("submit: only a random suffix is removed from a name") {
  CHECK(base_of_drawn_name("train-x7f2q") == "train");
  CHECK(base_of_drawn_name("train-large") == "train-large");
  CHECK(base_of_drawn_name("x7f2q") == "x7f2q");
  CHECK(drawn_name(std::string(80, 'a')).size() == 63);
}

}  // namespace marks_test
