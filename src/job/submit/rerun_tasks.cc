#include "job/submit/rerun_tasks.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "job/render/task_numbering.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/submit/rerun.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/views/task.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

bool is_array(const Json& object) {
  return is_plain_job(object) && api::is_indexed(object) && has_tasks(object);
}

/// The number of the task at an index; empty if the array does not have that index.
std::optional<int> number_at(const Json& job, int index) {
  const auto numbers = task_numbers(api::pod_template_of(job));
  if (numbers) return numbers->at(index);
  return index < api::completions_of(job) ? std::optional(index) : std::nullopt;
}

bool has_task(const Json& job, int number) {
  const auto numbers = task_numbers(api::pod_template_of(job));
  return numbers ? numbers->index_of(number).has_value() : number_at(job, number).has_value();
}

/// Parses a text that TaskNumbers wrote. Any other text makes std::get throw.
spec::TaskNumbers parsed(const std::string& text) {
  return std::get<spec::TaskNumbers>(spec::TaskNumbers::parse(text));
}

}  // namespace

SubmissionAndTasks find_run_or_task(const std::vector<Submission>& submissions, std::string_view text) {
  try {
    return {&find_run(submissions, text)};
  } catch (const Error&) {
    const std::optional<TaskName> task = parse_task_name(text);
    if (!task) throw;
    for (auto submission = submissions.rbegin(); submission != submissions.rend(); ++submission)
      for (const Json* job : submission->jobs())
        if (api::name_of(*job) == task->array && is_array(*job) && has_task(*job, task->number))
          return {&*submission, parsed(std::to_string(task->number))};
    throw;
  }
}

spec::TaskNumbers failed_tasks(const Json& job) {
  const std::string name = api::name_of(job);
  if (!is_array(job))
    throw usage_error("job " + name + " is not an array job", "", "leave out --failed to run it again");
  const IndexRanges failed(api::failed_indexes(job)), completed(api::completed_indexes(job));
  // If the job has failed, the tasks that it could not start have failed, too.
  const bool is_over = api::condition_is_true(job, "Failed");
  std::string text;
  int first = 0, last = -2;
  const auto add_range = [&] {
    if (last >= 0) text += (text.empty() ? "" : ",") + std::to_string(first) + "-" + std::to_string(last);
  };
  for (int index = 0; index < api::completions_of(job); ++index) {
    if (!failed.contains(index) && (!is_over || completed.contains(index))) continue;
    const int number = number_at(job, index).value_or(index);
    if (number != last + 1) {
      add_range();
      first = number;
    }
    last = number;
  }
  add_range();
  if (text.empty()) throw Error(ErrorCode::failure, "no task of " + name + " has failed");
  return parsed(text);
}

void keep_tasks(std::vector<Json>& objects, const spec::TaskNumbers& tasks) {
  const auto job = std::find_if(objects.begin(), objects.end(), is_array);
  if (job == objects.end()) throw usage_error("the run has no array job");
  Json& spec = (*job)["spec"];
  spec["completions"] = tasks.count();
  spec["parallelism"] = std::min<long long>(int_at(spec, {"parallelism"}, tasks.count()), tasks.count());
  if (const std::string problem = render::keep_tasks(spec["template"], tasks); !problem.empty())
    throw usage_error("kml cannot run only some of the tasks again", problem);
}

}  // namespace kml::job
