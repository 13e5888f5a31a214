#include "kml/job/submit/rerun.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include "job/packages/planned.h"
#include "job/submit/code_at_commit.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/packages/locked.h"
#include "kml/job/submit/code.h"
#include "kml/job/submit/marks.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/task.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// Whether the text is the job's name, or its kind and name: "pytorchjob/bert".
bool is_name_of(const Json& job, std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return api::name_of(job) == text;
  return lower(api::kind_name(job)) == lower(std::string(text.substr(0, slash))) &&
         api::name_of(job) == text.substr(slash + 1);
}

}  // namespace

const Submission& find_run(const std::vector<Submission>& submissions, std::string_view id_or_job) {
  if (id_or_job == "@" && !submissions.empty()) return submissions.back();
  const Submission* found = nullptr;
  std::vector<std::string> names;
  const std::optional<TaskName> task = parse_task_name(id_or_job);
  bool is_array = false;  // whether `task` has the name of an array
  for (const Submission& submission : submissions)
    for (const Json* job : submission.jobs()) {
      names.push_back(api::name_of(*job));
      if (is_name_of(*job, id_or_job)) found = &submission;
      is_array = is_array || (task && api::is_indexed(*job) && names.back() == task->array);
    }
  if (found) return *found;  // a complete name is not treated as the start of an id
  for (const Submission& submission : submissions) {
    if (!is_run_id(id_or_job, submission.id)) continue;
    if (found)
      throw usage_error("several runs start with \"" + std::string(id_or_job) + "\"", "",
                        "type more characters of the id");
    found = &submission;
  }
  if (found) return *found;
  if (is_array)
    throw Error(ErrorCode::failure, "job " + task->array + " has no task " + std::to_string(task->number), "",
                "`kml status " + task->array + "` shows its tasks");
  for (const Submission& submission : submissions)
    for (const Json& object : submission.objects)
      if (api::kind_name(object) == "CronJob" && api::name_of(object) == id_or_job)
        throw Error(ErrorCode::failure, "no run \"" + std::string(id_or_job) + "\"",
                    std::string(id_or_job) + " is a schedule",
                    "kml schedule run-now " + std::string(id_or_job));
  throw Error(ErrorCode::failure, "no run \"" + std::string(id_or_job) + "\"", "",
              suggestion(id_or_job, names, "`kml history` shows the runs"));
}

namespace {

/// Replaces all strings that equal `from`. With `anywhere`, also replaces `from` inside longer strings.
void rename_in(Json& value, const std::string& from, const std::string& to, bool anywhere) {
  if (value.is_string()) {
    std::string& text = value.get_ref<std::string&>();
    if (text == from) text = to;
    if (!anywhere) return;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  } else if (value.is_structured()) {
    for (Json& item : value) rename_in(item, from, to, anywhere);
  }
}

/// Renames the Secret in each `secretKeyRef`, and collects the keys.
void rename_references(Json& value, const std::string& from, const std::string& to,
                       std::set<std::string>& keys) {
  if (!value.is_structured()) return;
  if (Json* reference =
          value.is_object() && value.contains("secretKeyRef") ? &value["secretKeyRef"] : nullptr;
      reference && api::entry_name(*reference) == from) {
    (*reference)["name"] = to;
    keys.insert(api::key_of(*reference));
  }
  for (Json& item : value) rename_references(item, from, to, keys);
}

/// Removes the dependencies: a rerun does not wait for the jobs that the original run waited for.
Json without_dependencies(Json object) {
  if (api::annotation_of(object, api::kAfter).empty()) return object;
  api::part_in(object, "metadata")["annotations"].erase(std::string(api::kAfter));
  api::set_suspended(object, false);
  return object;
}

}  // namespace

std::vector<Json> objects_to_run_again(const Submission& submission, const std::string& wanted_name,
                                       std::string_view key) {
  if (!wanted_name.empty() && submission.jobs().size() > 1)
    throw usage_error("--name sets the name of one job, but that run has " +
                      std::to_string(submission.jobs().size()));
  std::vector<Json> objects;
  for (const Json& object : submission.objects)
    if (api::kind_name(object) != "Secret") objects.push_back(without_dependencies(object));
  Marks marks;
  marks.key = key;
  size_t number = 0;
  for (const Json* job : submission.jobs()) {
    const std::string name = api::name_of(*job);
    const std::string base = base_of_drawn_name(name);
    const std::string drawn = marks.draw_name(base, number++);
    const std::string renamed = wanted_name.empty() ? drawn : wanted_name;
    // A generated name is unmistakable. A name that a user chose may also be a word in the command, so it is
    // only replaced where it is the whole string.
    for (Json& object : objects) rename_in(object, name, renamed, base != name);
  }
  return objects;
}

namespace {

/// A command's named argument and its new value.
class Argument {
 public:
  Argument(std::string name, std::string value) : name_(std::move(name)), value_(std::move(value)) {}

  void set_in(std::vector<std::string>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      std::string& word = words[i];
      const size_t dashes = std::min(word.find_first_not_of('-'), word.size());
      const size_t equals = std::min(word.find('=', dashes), word.size());
      const bool has_value = equals < word.size();
      if (dashes == 0 && !has_value) continue;
      const std::string name = word.substr(dashes, equals - dashes);
      if (name.size() > 1 && std::find(seen_.begin(), seen_.end(), name) == seen_.end())
        seen_.push_back(name);
      if (name != name_ || (!has_value && i + 1 == words.size())) continue;
      has_value ? word.replace(equals + 1, std::string::npos, value_) : words[++i] = value_;
      is_set_ = true;
    }
  }

  void set_in(Json& words) {
    std::vector<std::string> texts;
    for (const Json& word : words) texts.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    set_in(texts);
    words = std::move(texts);
  }

  void require_set() const {
    if (is_set_) return;
    throw usage_error(
        "the run's command has no argument \"" + name_ + "\"",
        seen_.empty() ? "none of its arguments has the form NAME=VALUE or --NAME VALUE" : "",
        suggestion(name_, seen_,
                   (seen_.empty() ? "" : "its arguments are " + join(seen_, ", ") + "; or ") +
                       std::string("give the complete command: kml rerun RUN -- COMMAND ARGUMENT…")));
  }

 private:
  const std::string name_, value_;
  std::vector<std::string> seen_;
  bool is_set_ = false;
};

}  // namespace

void set_argument(std::vector<Json>& objects, std::vector<std::string>& command, std::string_view change) {
  const size_t begin = std::min(change.find_first_not_of('-'), change.size());
  const size_t equals = change.find('=', begin);
  if (equals == std::string_view::npos || equals == begin)
    throw usage_error("\"" + std::string(change) + "\" is not of the form NAME=VALUE");
  Argument argument(std::string(change.substr(begin, equals - begin)),
                    std::string(change.substr(equals + 1)));
  for (Json& object : objects)
    each_pod_template(object, [&](Json& pod, int) {
      Json& containers = api::part_in(api::part_in(pod, "spec"), "containers");
      for (const char* part : {"command", "args"})
        if (!containers.empty() && containers.front().contains(part))
          argument.set_in(containers.front()[part]);
    });
  argument.set_in(command);
  argument.require_set();
  for (Json& object : objects)
    if (!api::annotation_of(object, api::kCommand).empty())
      api::set_annotation(object, api::kCommand, shell_quoted(without_idle_guard(command)));
}

namespace {

bool is_that_code(const Code& code, const std::vector<std::string>& secrets) {
  return std::is_permutation(code.secrets.begin(), code.secrets.end(), secrets.begin(), secrets.end());
}

/// The parts that are still in the cluster because other jobs own them; empty if any part is missing.
std::optional<Code> code_in_cluster(kube::Client& client, const Submission& submission,
                                    const std::vector<std::string>& secrets) {
  Code code;
  for (const std::string& name : secrets) {
    const auto secret =
        client.get_if_exists(*api::find_kind("v1", "Secret"), submission.namespace_name, name);
    const auto part = base64_decoded(secret ? string_at(*secret, {"data", "code"}) : "");
    if (!secret || !part) return {};
    code.secrets.push_back(name);
    code.parts.push_back(*part);
  }
  return code;
}

}  // namespace

CodeAgain code_to_run_again(const std::function<kube::Client&()>& client, const Submission& submission,
                            const Marks& marks, const std::vector<Json>& objects) {
  const std::vector<std::string> names = secrets_of(objects, kCodeSecretPrefix);
  if (names.empty()) return {};
  std::error_code none;
  if (std::filesystem::is_directory(submission.code_folder, none))
    if (const Code now = pack_code(submission.code_folder); is_that_code(now, names))
      return {code_belongings(now, marks, objects), ""};
  const std::string changed =
      submission.code_folder + " has changed since then; the run gets its code as it was, ";
  if (const auto code = code_in_cluster(client(), submission, names))
    return {code_belongings(*code, marks, objects), changed + "from the cluster"};
  const std::string commit = string_at(submission.git, {"commit"}).substr(0, 8);
  const auto of_commit = code_at_commit(submission.code_folder, submission.git);
  if (of_commit && is_that_code(*of_commit, names))
    return {code_belongings(*of_commit, marks, objects),
            changed + "from commit " + commit +
                (bool_at(submission.git, {"dirty"}) ? " and its uncommitted changes" : "")};
  throw Error(ErrorCode::failure, "the code of run " + submission.id.substr(0, 8) + " is deleted",
              "its jobs were deleted, " + submission.code_folder + " has changed since then, and " +
                  (commit.empty() ? "it was not in a git repository"
                                  : "commit " + commit + " with the recorded changes has other files"),
              "restore the folder (`kml history -o json` shows the commit and the uncommitted changes), "
              "or submit the folder as it is now");
}

void packages_to_run_again(const Submission& submission, const Marks& marks, bool is_local,
                           SubmitPlan& plan) {
  const std::vector<std::string> names = secrets_of(plan.objects, packages::kSecretPrefix);
  const bool has_others = !plan.packages.is_null();  // flags of the rerun ask for them
  if (names.empty() || has_others) return;
  const packages::PlannedPackages again = packages::packages_again(submission.packages, is_local);
  for (Json& object : plan.objects)
    for (const std::string& name : names) rename_in(object, name, again.secret, false);
  std::ranges::move(shared_secret(again.files, again.secret, marks, plan.objects),
                    std::back_inserter(plan.belongings));
  plan.packages = again.record;
}

std::vector<spec::SecretVariable> rename_secret_object(std::vector<Json>& objects, const std::string& from,
                                                       const std::string& to) {
  std::set<std::string> names;
  for (Json& object : objects) rename_references(object, from, to, names);
  std::vector<spec::SecretVariable> variables;
  for (const std::string& name : names)
    variables.push_back(
        {name, spec::SecretVariable::From::environment, {}, {spec::Source::environment, name}});
  return variables;
}

}  // namespace kml::job
