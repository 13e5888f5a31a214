#include "run/options.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/error.h"

using namespace trainer;

namespace {

Options parse(std::vector<const char*> arguments) {
  return parse_options(arguments);
}

/// The error in the form "what | why | fix".
std::string refusal(std::vector<const char*> arguments) {
  try {
    parse_options(arguments);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    return std::string(error.what()) + " | " + error.why() + " | " + error.fix();
  }
  return "";
}

}  // namespace

TEST_CASE("options: a value may be given in two ways, and a name may be spelled in two ways") {
  CHECK(parse({"--max_steps", "500"}).max_steps == 500);
  CHECK(parse({"--max-steps=500"}).max_steps == 500);
  CHECK(parse({"--batch_size=7", "--checkpoint_dir", "a=b"}).checkpoint_dir == "a=b");
  CHECK(parse({"--seed=18446744073709551615"}).seed == 18446744073709551615u);
  CHECK(parse({"--dropout=1"}).keep == 1.0f);
  CHECK(parse({"--launch=single"}).single);
}

TEST_CASE("options: the error for an unknown flag names the nearest known one") {
  CHECK(refusal({"--max_step", "5"}).find("did you mean --max_steps?") != std::string::npos);
  CHECK(refusal({"--learning-rat=5"}).find("did you mean --learning_rate?") != std::string::npos);
  CHECK(refusal({"--xyzzy"}).find("kml-trainer --help lists the flags") != std::string::npos);
}

TEST_CASE("options: the error for a bad value says what would be valid") {
  CHECK(refusal({"--max_steps", "five"}).find("it takes a whole number from 0") != std::string::npos);
  CHECK(refusal({"--batch-size=0"}).find("it takes a whole number from 1 to 65535") != std::string::npos);
  CHECK(refusal({"--batch-size=5.5"}).find("it takes a whole number") != std::string::npos);
  CHECK(refusal({"--dropout=1.5"}).find("it takes a number from 0.001") != std::string::npos);
  CHECK(refusal({"--learning_rate=nan"}).find("it takes a number") != std::string::npos);
  CHECK(refusal({"--seed=-1"}).find("it takes a whole number") != std::string::npos);
  CHECK(refusal({"--seed"}).find("a value is missing") != std::string::npos);
  CHECK(refusal({"--help=yes"}).find("takes no value") != std::string::npos);
  CHECK(refusal({"train"}).find("takes only flags") != std::string::npos);
  CHECK(refusal({"--launch=alone"}).find("it takes auto or single") != std::string::npos);
  CHECK(refusal({"--device=gpu"}).find("it takes cpu, cuda or auto") != std::string::npos);
}
