#include "checkpoint/attempts.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "support/temporary_folder.h"

using namespace trainer;

namespace {

struct Fixture {
  kml::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "attempts.jsonl";
  std::vector<std::string> said;

  AttemptLog open(const std::string& pod) {
    return {folder.path(), {pod, "n1"}, [this](const std::string& text) { said.push_back(text); }};
  }
  void write(const std::string& text) { std::ofstream(file, std::ios::app) << text; }
};

const char* const kStarted =
    R"({"attempt":1,"pod":"a","node":"n1","start":"2026-01-02T03:04:05Z","first_step":0})";

}  // namespace

TEST_CASE_FIXTURE(
    Fixture, "attempts: each attempt reads the earlier ones, with the steps at which they began and ended") {
  {
    AttemptLog first = open("a");
    CHECK(first.earlier().empty());
    first.begin(0);
    first.end(640, "SIGTERM");
  }
  AttemptLog second = open("b");
  REQUIRE(second.earlier().size() == 1);
  const Attempt& first = second.earlier()[0];
  CHECK(first.number == 1);
  CHECK(first.place.pod == "a");
  CHECK(first.place.node == "n1");
  CHECK(first.first_step == 0);
  CHECK(first.last_step == 639);
  CHECK(first.reason == "SIGTERM");
  CHECK(first.start.size() == 20);
  CHECK(first.end >= first.start);
  CHECK(second.begin(640).number == 2);
}

TEST_CASE_FIXTURE(Fixture, "attempts: an attempt that was killed has a start and no end") {
  open("a").begin(0);
  open("b").begin(100);
  AttemptLog third = open("c");
  REQUIRE(third.earlier().size() == 2);
  CHECK(third.earlier()[1].first_step == 100);
  CHECK_FALSE(third.earlier()[1].last_step);
  CHECK(third.earlier()[1].reason.empty());
}

TEST_CASE_FIXTURE(Fixture, "attempts: an attempt that was stopped before its first step has no last step") {
  CHECK_FALSE(open("a").begin(7).last_step);
  AttemptLog log = open("b");
  log.begin(7);
  CHECK_FALSE(log.end(7, "SIGTERM").last_step);
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: a line cut off by a crash is skipped, and does not swallow the next one") {
  write(std::string(kStarted) + "\n" + R"({"attempt":1,"pod":"a","no)");
  AttemptLog second = open("b");
  REQUIRE(second.earlier().size() == 1);
  CHECK(second.earlier()[0].reason.empty());
  second.begin(10);
  CHECK(open("c").earlier().size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "attempts: other lines are not attempts") {
  write("\n[]\n{}\nnull\n{\"attempt\":\"x\"}\n" + std::string(kStarted) + "\n\xff\n");
  CHECK(open("b").earlier().size() == 1);
}

TEST_CASE_FIXTURE(Fixture,
                  "attempts: a file that cannot be read or written is reported, and training continues") {
  std::filesystem::create_directory(file);
  AttemptLog log = open("a");
  CHECK(log.begin(0).number == 1);
  CHECK(log.end(5, "finished").last_step == 4);
  REQUIRE(said.size() == 3);
  CHECK(said[0].find("cannot read") == 0);
  CHECK(said[2].find("cannot record this attempt in " + file.string()) == 0);
}

TEST_CASE_FIXTURE(Fixture, "attempts: the line printed for kml is the line in the file, after a prefix") {
  AttemptLog log = open("a");
  log.begin(0);
  const std::string line = attempt_line(log.end(5, "error: \xff\n"));
  CHECK(line.find('\n') == std::string::npos);
  CHECK(line.find("kml-attempt: {\"attempt\":1,\"pod\":\"a\",\"node\":\"n1\",\"start\":\"") == 0);
  std::ifstream stream(file);
  std::string begun, ended;
  std::getline(stream, begun);
  std::getline(stream, ended);
  CHECK(line == "kml-attempt: " + ended);
}

TEST_CASE("attempts: without POD_NAME and NODE_NAME, the pod is the host, and the node is unknown") {
  std::map<std::string, std::string> values = {{"POD_NAME", "bert-x7k2p"}, {"NODE_NAME", "n1"}};
  const auto get = [&](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
  CHECK(find_place(get).pod == "bert-x7k2p");
  CHECK(find_place(get).node == "n1");
  values.clear();
  CHECK_FALSE(find_place(get).pod.empty());
  CHECK(find_place(get).node.empty());
}
