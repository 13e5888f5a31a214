#include "kml/jobs/submit/secret_values.h"

#include <cstdlib>
#include <iterator>
#include <utility>

#include "kml/core/files.h"
#include "kml/core/quiet_terminal.h"
#include "kml/core/utf8.h"

namespace kml::jobs {

namespace {

/// MAX_ARG_STRLEN of Linux: no program can be started with a longer variable, "NAME=" and the final 0
/// included.
constexpr size_t kLongestVariable = size_t{128} << 10;

std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

std::string value_of(const spec::SecretVariable& variable, std::istream& standard_input) {
  using From = spec::SecretVariable::From;
  if (variable.from == From::file) return without_line_end(read_file(variable.file, kLongestVariable));
  if (variable.from == From::standard_input) {
    const QuietTerminal quiet;
    return without_line_end({std::istreambuf_iterator<char>(standard_input), {}});
  }
  if (const char* value = std::getenv(variable.name.c_str())) return value;
  throw usage_error("the environment has no variable " + variable.name + ": export it; kml keeps no value");
}

std::string problem_with(const spec::SecretVariable& variable, const std::string& value) {
  if (value.empty()) return "the value of " + variable.name + " is empty";
  if (value.size() + variable.name.size() + 2 > kLongestVariable)
    return "the value of " + variable.name +
           " is longer than a variable can be (128 KiB): mount it as a file";
  if (value.find('\0') != std::string::npos || !is_utf8(value))
    return "the value of " + variable.name + " is no UTF-8 text: mount it as a file";
  return {};
}

}  // namespace

std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input) {
  std::map<std::string, std::string> values;
  Error error = usage_error("a secret cannot be taken along");
  bool input_is_read = false;
  for (const spec::SecretVariable& variable : variables) {
    std::string problem;
    try {
      const bool reads_input = variable.from == spec::SecretVariable::From::standard_input;
      if (reads_input && std::exchange(input_is_read, true)) {
        problem = "only one secret can be read from standard input";
      } else {
        values[variable.name] = value_of(variable, standard_input);
        problem = problem_with(variable, values[variable.name]);
      }
    } catch (const Error& failure) {
      problem = failure.message + (failure.why.empty() ? "" : ": " + failure.why);
    }
    if (!problem.empty()) error.problems.push_back(variable.origin.problem(std::move(problem)));
  }
  if (!error.problems.empty()) throw error;
  return values;
}

}  // namespace kml::jobs
