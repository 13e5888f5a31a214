#include "job/submit/secret_env.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <utility>

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/streams.h"
#include "kml/base/text.h"
#include "kml/job/submit/secret_text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

constexpr const char* kTakenOut = "<kept out of the record>";

/// Visits the variables in a manifest's containers whose values are in the manifest itself.
void each_variable(Json& object, const std::function<void(const std::string& name, Json& value)>& visit) {
  each_pod_template(object, [&](Json& pod, int) {
    api::visit_containers(api::part_in(pod, "spec"), [&](Json& container) {
      for (Json& variable : api::part_in(container, "env"))
        if (!api::value_of(variable).empty()) visit(api::entry_name(variable), variable["value"]);
    });
  });
}

}  // namespace

void take_out_secrets(Json& object) {
  each_variable(object, [](const std::string& name, Json& value) {
    if (is_secret(name, value.get_ref<const std::string&>())) value = kTakenOut;
  });
}

void put_in_secrets(std::vector<Json>& objects, const std::function<std::string(const char*)>& value_of) {
  std::set<std::string> missing;
  for (Json& object : objects)
    each_variable(object, [&](const std::string& name, Json& value) {
      if (value != kTakenOut) return;
      value = value_of(name.c_str());
      if (value.get_ref<const std::string&>().empty()) missing.insert(name);
    });
  if (missing.empty()) return;
  const std::string names = join(std::vector<std::string>(missing.begin(), missing.end()), ", ");
  throw usage_error("the run needs values that are not in its record: " + names,
                    "kml does not record values that look like secrets",
                    "export " + names + ", then try again");
}

namespace {

/// Linux's MAX_ARG_STRLEN, which includes "NAME=" and the final zero byte. No program can be started with a
/// longer variable.
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
  if (const char* value = variable_for_job(variable.name)) return value;
  throw usage_error("the environment has no variable " + variable.name +
                    ": export it, because kml does not store its value");
}

std::string problem_with(const spec::SecretVariable& variable, const std::string& value) {
  if (value.empty()) return "the value of " + variable.name + " is empty";
  if (value.size() + variable.name.size() + 2 > kLongestVariable)
    return "the value of " + variable.name +
           " is longer than the limit of a variable (128 KiB): mount it as a file";
  if (value.find('\0') != std::string::npos || !is_utf8(value))
    return "the value of " + variable.name + " is not UTF-8 text: mount it as a file";
  return {};
}

}  // namespace

std::map<std::string, std::string> read_secret_values(std::span<const spec::SecretVariable> variables,
                                                      std::istream& standard_input) {
  std::map<std::string, std::string> values;
  Error error = usage_error("cannot read a secret");
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
      problem = message_and_why(failure);
      if (error.fix.empty()) error.fix = failure.fix;
    }
    if (!problem.empty()) error.problems.push_back(variable.origin.problem(std::move(problem)));
  }
  if (!error.problems.empty()) throw error;
  return values;
}

}  // namespace kml::job
