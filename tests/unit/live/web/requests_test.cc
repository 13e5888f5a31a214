#include "live/web/requests.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "kml/base/error.h"
#include "live/web/consent.h"
#include "live/web/feed.h"

namespace requests_test {

using namespace kml::live;
using kml::Error;
using kml::Json;
using kml::local::BodySource;
using kml::local::HttpRequest;
using Words = std::vector<std::string>;

namespace {

const Words kClusters = {"prod", "local"};

HttpRequest request_with(const std::string& path,
                         const std::vector<std::pair<std::string, std::string>>& query) {
  HttpRequest request;
  request.path = path;
  for (const auto& [name, value] : query) {
    request.query.emplace(name, value);
    request.all_query.emplace(name, value);
  }
  return request;
}

Change set_job(const std::string& id) {
  return {.cluster = "prod", .table = Table::jobs, .id = id, .order = id, .data = R"({"name":"x"})"};
}

std::string all_of(BodySource& body) {
  std::string text, piece;
  while (body.read(piece) == BodySource::Next::more) text += std::exchange(piece, "");
  return text;
}

}  // namespace

TEST_CASE("requests: a path becomes the kml command that produces the response") {
  const auto why = question_of(
      request_with("/data/why", {{"cluster", "prod"}, {"namespace", "lab"}, {"name", "bert"}}), kClusters);
  REQUIRE(why);
  CHECK(why->command.words == Words{"why", "bert", "-o", "json"});
  CHECK(why->command.cluster == "prod");
  CHECK(why->command.namespace_name == "lab");
  const auto runs = question_of(
      request_with("/data/runs", {{"cluster", "local"}, {"name", "a1"}, {"name", "b2"}}), kClusters);
  CHECK(runs->command.words == Words{"runs", "report", "a1", "b2", "-o", "-"});
  CHECK(runs->prints_page);
  CHECK_FALSE(question_of(request_with("/data/secrets", {}), kClusters));
}

TEST_CASE("requests: names that would be flags, other clusters, and several names are rejected") {
  const std::vector<std::vector<std::pair<std::string, std::string>>> rows = {
      {{"cluster", "prod"}, {"name", "--kubeconfig=/etc/passwd"}},
      {{"cluster", "prod"}, {"name", "-A"}},
      {{"cluster", "prod"}, {"name", ""}},
      {{"cluster", "prod"}, {"name", "a b"}},
      {{"cluster", "prod"}, {"name", "a\nb"}},
      {{"cluster", "prod"}},
      {{"cluster", "prod"}, {"name", "a"}, {"name", "b"}},
      {{"cluster", "other"}, {"name", "a"}},
      {{"cluster", "prod"}, {"namespace", "-x"}, {"name", "a"}},
  };
  for (const auto& row : rows) CHECK_THROWS_AS(question_of(request_with("/data/why", row), kClusters), Error);
}

TEST_CASE("requests: only the listed actions become commands") {
  const Json cancel = {{"action", "cancel"}, {"cluster", "prod"}, {"namespace", "lab"}, {"name", "bert"}};
  CHECK(action_of(cancel, kClusters).words == Words{"cancel", "bert"});
  const Json rerun = {{"action", "rerun"}, {"cluster", "prod"}, {"name", "bert"}, {"priority", "high"}};
  CHECK(action_of(rerun, kClusters).words == Words{"rerun", "bert", "--priority=high"});
  for (const char* action : {"delete", "exec", "submit", "", "cancel --all"}) {
    Json other = cancel;
    other["action"] = action;
    CHECK_THROWS_AS(action_of(other, kClusters), Error);
  }
  Json flag = rerun;
  flag["priority"] = "-x";
  CHECK_THROWS_AS(action_of(flag, kClusters), Error);
  CHECK_THROWS_AS(action_of(Json(3), kClusters), Error);
}

TEST_CASE("requests: the data of a report is found in its page") {
  CHECK(
      data_of_page("<script id=\"data\" type=\"application/json\">{\"a\":\"\\u003c/script>\"}</script><p>") ==
      "{\"a\":\"\\u003c/script>\"}");
  CHECK(data_of_page("no page").empty());
  CHECK(data_of_page("<script id=\"data\" type=\"application/json\">{").empty());
}

TEST_CASE("consent: an action is carried out once, and only for two minutes") {
  Consent consent;
  const auto now = Consent::SteadyTime();
  const std::string id = consent.ask({"prod", "lab", {"cancel", "bert"}}, now);
  CHECK_FALSE(consent.take("guess", now));
  const auto command = consent.take(id, now + std::chrono::seconds(119));
  REQUIRE(command);
  CHECK(command->words == Words{"cancel", "bert"});
  CHECK_FALSE(consent.take(id, now));
  const std::string late = consent.ask({"prod", "lab", {"cancel", "bert"}}, now);
  CHECK_FALSE(consent.take(late, now + std::chrono::seconds(121)));
}

TEST_CASE("feed: a listener gets everything first, then the changes") {
  std::vector<Change> everything = {set_job("lab/Job/a")};
  Broadcast broadcast([&] { return everything; });
  const auto body = broadcast.listen();
  int ready = 0;
  body->on_ready = [&] { ++ready; };
  const std::string first = all_of(*body);
  CHECK(first.starts_with("event: all\ndata: {}\n\nevent: changes\ndata: [{"));
  CHECK(first.find("lab/Job/a") != std::string::npos);
  broadcast.send({set_job("lab/Job/b"), set_job("lab/Job/c")});
  CHECK(ready == 1);
  const std::string second = all_of(*body);
  CHECK(second == "event: changes\ndata: [" + line_of(set_job("lab/Job/b")) + "," +
                      line_of(set_job("lab/Job/c")) + "]\n\n");
  broadcast.beat();
  CHECK(all_of(*body) == ": still here\n\n");
}

TEST_CASE("feed: a listener that reads slowly gets everything again, not every change") {
  std::vector<Change> everything = {set_job("lab/Job/a")};
  Broadcast broadcast([&] { return everything; });
  const auto body = broadcast.listen();
  all_of(*body);
  for (int i = 0; i < 1000; ++i) broadcast.send({set_job("lab/Job/" + std::to_string(i))});
  everything = {set_job("lab/Job/newest")};
  const std::string text = all_of(*body);
  CHECK(text.starts_with("event: all"));
  CHECK(text.find("newest") != std::string::npos);
  CHECK(text.find("lab/Job/7\"") == std::string::npos);
}

TEST_CASE("feed: many changes are sent in parts") {
  std::vector<Change> many;
  for (int i = 0; i < 5000; ++i) many.push_back(set_job("lab/Job/" + std::to_string(i)));
  const auto events = events_of(many);
  CHECK(events.size() > 3);
  for (const std::string& event : events) CHECK(event.size() < (size_t{80} << 10));
}

}  // namespace requests_test
