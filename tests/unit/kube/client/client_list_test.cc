#include "kml/base/memory.h"
#include "kml/kube/objects/status.h"
#include "kube/client/client_fixture.h"

namespace client_test {

TEST_CASE_FIXTURE(Fixture, "client: list fetches all pages and sets each item's kind") {
  transport.answer("GET", kPath + "?labelSelector=a%3Db&limit=2",
                   {{"metadata", {{"resourceVersion", "7"}, {"continue", "next"}}},
                    {"items", {{{"metadata", {{"name", "a"}}}}, {{"metadata", {{"name", "b"}}}}}}});
  transport.answer("GET", kPath + "?labelSelector=a%3Db&limit=2&continue=next",
                   {{"metadata", {{"resourceVersion", "7"}}}, {"items", {{{"metadata", {{"name", "c"}}}}}}});
  const ListResult result =
      client.list(kJobs, "team", {.label_selector = "a=b", .field_selector = {}, .limit = 2});
  CHECK(result.items == std::vector{job("a"), job("b"), job("c")});
  CHECK(result.resource_version == "7");
}

TEST_CASE_FIXTURE(
    Fixture, "client: an answer that is not a list is an error that shows the answer, not an empty list") {
  struct Row {
    Json answer;
    const char* said;
  };
  const Row rows[] = {
      {Json::object(), "the answer is not a list of jobs: {}"},
      {Json::array(), "the answer is not a list of jobs: []"},
      {nullptr, "the answer is not a list of jobs: null"},
      {"hello", "the answer is not a list of jobs: \"hello\""},
      {{{"items", 5}, {"kind", "JobList"}}, "the answer is not a list of jobs"},
      {{{"kind", "Job"}, {"items", Json::array()}}, "the answer is not a list of jobs"},
      {{{"jobs", Json::array()}}, "the answer is not a list of jobs: {\"jobs\":[]}"},
      {{{"kind", "SecretList"}, {"items", Json::array()}}, "the answer is not a list of jobs"},
      {{{"kind", "Status"}, {"status", "Failure"}, {"code", 403}, {"message", "User ana may not"}},
       "User ana may not"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.answer.dump());
    transport.answer("GET", kPath, row.answer);
    const Error listed = error_of([&] { client.list(kJobs, "team"); });
    CHECK_MESSAGE(describe(listed).find(row.said) != std::string::npos, describe(listed));
  }
  transport.answer("GET", kPath,
                   {{"kind", "Status"}, {"status", "Failure"}, {"code", 403}, {"message", "no"}});
  CHECK(error_of([&] { client.list(kJobs, "team"); }).code == ErrorCode::auth);
  transport.answer("GET", kPath + "/bert",
                   {{"kind", "Status"}, {"status", "Failure"}, {"code", 403}, {"message", "no"}});
  CHECK(error_of([&] { client.get(kJobs, "team", "bert"); }).code == ErrorCode::auth);
  transport.answer("GET", kPath, {{"kind", "JobList"}, {"items", nullptr}});
  CHECK(client.list(kJobs, "team").items.empty());
}

TEST_CASE_FIXTURE(Fixture,
                  "client: a list whose pages expired restarts with larger pages, and finally in one piece") {
  transport.answer("GET", kPath + "?limit=500",
                   {{"metadata", {{"continue", "next"}}}, {"items", {{{"metadata", {{"name", "old"}}}}}}});
  for (const char* limit : {"500", "4000", "32000"}) {
    const std::string page = kPath + "?limit=" + limit;
    if (page != kPath + "?limit=500")
      transport.answer("GET", page, {{"metadata", {{"continue", "next"}}}, {"items", Json::array()}});
    transport.answer("GET", page + "&continue=next", api::failure_status(410, "Expired", "too old"), 410);
  }
  transport.answer(
      "GET", kPath,
      {{"metadata", {{"resourceVersion", "9"}}}, {"items", {{{"metadata", {{"name", "new"}}}}}}});
  CHECK(client.list(kJobs, "team").items == std::vector{job("new")});
  CHECK(transport.requests.back().path == kPath);
}

TEST_CASE_FIXTURE(Fixture, "client: a page that is too large is requested in smaller ones") {
  transport.stub("GET", kPath + "?limit=500",
                 {.broken = std::make_shared<Error>(too_large("the response", "it is long"))});
  transport.answer("GET", kPath + "?limit=62", {{"items", {{{"metadata", {{"name", "a"}}}}}}});
  CHECK(client.list(kJobs, "team").items == std::vector{job("a")});
}

TEST_CASE_FIXTURE(Fixture, "client: a list that never ends is an error") {
  SUBCASE("pages without an end") {
    for (int page = 0; page < 10'000; ++page)
      transport.answer("GET", kPath,
                       {{"metadata", {{"continue", std::to_string(page)}}}, {"items", Json::array()}});
    const Error error = error_of([&] { client.list(kJobs, "team"); });
    CHECK(error.message == "the list of jobs is too large");
    CHECK(error.why == "it has more than 10000 pages");
  }
  SUBCASE("pages that expire again and again") {
    for (int round = 0; round < 4; ++round) {  // 500, 4,000, 32,000, all
      transport.answer("GET", kPath, {{"metadata", {{"continue", "next"}}}, {"items", Json::array()}});
      transport.answer("GET", kPath, api::failure_status(410, "Expired", "too old"), 410);
    }
    CHECK(error_of([&] { client.list(kJobs, "team"); }).http_status == 410);
  }
}

TEST_CASE_FIXTURE(Fixture, "client: a list that is rejected with 410 at once is an error") {
  transport.answer("GET", kPath, api::failure_status(410, "Expired", "too old"), 410);
  CHECK(error_of([&] { client.list(kJobs, "team"); }).http_status == 410);
}

}  // namespace client_test
