#include "kml/kube/objects/made_name.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"
#include "kml/kube/objects/names.h"

namespace kml::made_name_test {

using namespace api;

TEST_CASE("made name: for a wrong name, a valid one is proposed") {
  const std::string letters(70, 'a');
  struct Row {
    std::string name;
    MadeName rule;
    std::string proposal;  ///< the proposed name; empty if the name is valid
  };
  const Row rows[] = {
      {"lr1", {}, ""},
      {"7b", {}, ""},
      {"7b", {.begins_with_letter = true}, "job-7b"},
      {"MyRun_1", {}, "myrun-1"},
      {"a.b", {}, "a-b"},
      {"-a-", {}, "a"},
      {"ü", {}, "job"},
      {"", {}, "job"},
      {letters.substr(0, 63), {}, ""},
      {letters.substr(0, 64), {}, letters.substr(0, 63)},
      {letters.substr(0, 52), {.longest = 52}, ""},
      {letters.substr(0, 53), {.longest = 52}, letters.substr(0, 52)},
      {letters.substr(0, 51) + "-b", {.longest = 52}, letters.substr(0, 51)},
      {std::string(53, '7'), {.longest = 52, .begins_with_letter = true}, "job-" + std::string(48, '7')},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string problem = made_name_problem(row.name, row.rule);
    CHECK(problem.empty() == row.proposal.empty());
    if (row.proposal.empty()) continue;
    CHECK_MESSAGE(problem.ends_with("; take " + row.proposal), problem);
    CHECK(made_name_problem(row.proposal, row.rule).empty());
    try {
      require_made_name("the run", row.name, row.rule);
      FAIL("it is wrong");
    } catch (const Error& error) {
      CHECK(error.code == ErrorCode::usage);
      CHECK(error.fix == "use another name, such as " + row.proposal);
    }
  }
}

}  // namespace kml::made_name_test
