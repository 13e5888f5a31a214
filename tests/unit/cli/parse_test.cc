#include "cli/parse.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"

namespace parse_test {

using namespace kml;
using namespace kml::cli;

namespace {

struct Fixture {
  Fixture() : root("kml", "") {
    root.option("-n,--namespace", "NAME", namespace_name, "");
    Command make("make", "");
    make.option("--env", "K=V", env, "");
    make.option("--tail", "N", tail, "");
    make.choice("--dry-run", {"client", "server"}, dry_run, "");
    make.options.back().implied = "client";
    make.flag("-f,--follow", follow, "");
    make.argv = &argv;
    make.unknown_flags = &unknown;
    make.run = [](Context&) { return 0; };
    Command show("show", "");
    show.takes("JOB", words, "", 1, 2);
    show.run = [](Context&) { return 0; };
    Command group("group", "");
    group.subcommands = {show};
    root.subcommands = {make, show, group};
  }
  Selected read(std::vector<std::string> arguments) { return parse(root, arguments); }
  std::string refusal(std::vector<std::string> arguments) {
    try {
      read(std::move(arguments));
    } catch (const Error& error) {
      CHECK(error.code == ErrorCode::usage);
      return error.message + "|" + (error.why.empty() ? error.fix : error.why);
    }
    return "accepted";
  }

  Command root;
  std::string namespace_name, dry_run;
  std::vector<std::string> env, argv, words;
  std::vector<UnknownFlag> unknown;
  std::optional<long long> tail;
  bool follow = false;
};

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "parse: an empty argument is an error, because a command would treat it as \"any name\"") {
  for (const Strings& arguments :
       {Strings{"show", ""}, {"show", "bert", ""}, {"group", "show", "", "bert"}}) {
    CHECK(refusal(arguments) == "an argument is empty|perhaps a variable has no value");
  }
  CHECK(refusal({"make", "--", "echo", ""}) == "accepted");
}

TEST_CASE_FIXTURE(Fixture, "parse: words after -- are passed to the job unchanged") {
  read({"make", "--env", "A=1", "--env", "B=[1,2]", "--", "run", "--env", "[1,2]", "--", "-n"});
  CHECK(env == Strings{"A=1", "B=[1,2]"});
  CHECK(argv == Strings{"run", "--env", "[1,2]", "--", "-n"});
}

TEST_CASE_FIXTURE(Fixture, "parse: flags that every command has may stand anywhere") {
  CHECK(read({"-n", "show", "group", "-n=b", "show", "x"}).path == "kml group show");
  CHECK(namespace_name == "b");
  CHECK(words == Strings{"x"});
}

TEST_CASE_FIXTURE(Fixture, "parse: unknown flags are kept if the command accepts them") {
  read({"make", "--steps", "500", "--fast", "--rate=0.1", "-f"});
  REQUIRE(unknown.size() == 3);
  CHECK(unknown[0].name == "steps");
  CHECK(unknown[0].value.value_or("") == "500");
  CHECK(unknown[1].name == "fast");
  CHECK_FALSE(unknown[1].value);
  CHECK(unknown[2].name == "rate");
  CHECK(unknown[2].value.value_or("") == "0.1");
  CHECK(follow);
}

TEST_CASE_FIXTURE(Fixture, "parse: a flag with an implied value does not consume the next word") {
  read({"make", "--dry-run", "--tail", "3"});
  CHECK(dry_run == "client");
  read({"make", "--dry-run=server"});
  CHECK(dry_run == "server");
}

TEST_CASE_FIXTURE(Fixture, "parse: the error for a wrong command line names the nearest valid word") {
  CHECK(refusal({"mkae"}) == "unknown command \"mkae\"|did you mean \"make\"? `kml --help` lists all");
  CHECK(refusal({"group", "shwo"}) ==
        "unknown command \"group shwo\"|did you mean \"show\"? `kml group --help` lists all");
  CHECK(refusal({"show", "x", "--namespce", "b"}) ==
        "unknown flag \"--namespce\"|did you mean \"--namespace\"? `kml show --help` lists all");
  CHECK(refusal({"show", "x", "-q"}) == "unknown flag \"-q\"|see `kml show --help`");
  CHECK(refusal({"show"}).starts_with("JOB is missing"));
  CHECK(refusal({"show", "a", "b", "c"}).starts_with("unexpected argument \"c\""));
  CHECK(refusal({"make", "python"}).ends_with("the command follows \"--\""));
  CHECK(refusal({"make", "--tail", "-1"}).starts_with("invalid value \"-1\" for --tail"));
  CHECK(refusal({"make", "--dry-run=sever"}).starts_with("invalid value \"sever\" for --dry-run"));
  CHECK(refusal({"make", "--tail"}) != "accepted");
}

TEST_CASE_FIXTURE(Fixture, "parse: a command that only has subcommands prints its help") {
  CHECK(read({"group"}).help);
  CHECK(read({"make", "--help"}).help);
  CHECK(read({}).command == &root);
}

}  // namespace parse_test
