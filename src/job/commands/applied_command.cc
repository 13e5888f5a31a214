#include "job/commands/applied_command.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "cli/commands.h"
#include "cli/parse.h"
#include "kml/base/error.h"
#include "kml/base/file_error.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

/// What an apply of a plan has started, on this machine. While an AppliedOnce exists, no other process of
/// this user applies the plan.
class AppliedOnce {
 public:
  explicit AppliedOnce(const std::string& id) {
    const fs::path folder = state_folder() / "plans";
    make_private_folder(folder);
    file_ = folder / (id + ".json");
    const fs::path lock = folder / (id + ".lock");
    lock_ = Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) throw file_error("write", lock, errno);
    lock_exclusively(lock_, lock);
  }

  /// What an earlier apply has started; empty if there was none.
  std::optional<Json> earlier() const {
    const auto text = read_file_if_exists(file_);
    return text ? std::optional(parse_json(*text, file_.string())) : std::nullopt;
  }
  void note(const Json& started) const { write_file_atomically(file_, compact_text(started) + "\n"); }

 private:
  fs::path file_;
  Fd lock_;
};

/// The object that the command starts (a sweep, a run or a Deployment), with only its kind and its name.
Json started_by(const job::PlanFile& plan) {
  const Json& object = plan.objects.at(0);
  return {{"apiVersion", api::api_version_of(object)},
          {"kind", api::kind_name(object)},
          {"metadata", {{"name", api::name_of(object)}, {"namespace", plan.namespace_name}}}};
}

void refuse_to_follow(const job::PlanFile& plan, const SendOptions& options) {
  if (!options.follow && !options.wait && !options.timeout) return;
  const std::string name = api::name_of(plan.objects.at(0));
  throw usage_error("--follow and --wait apply only to plans of jobs", "this plan is for kml " + plan.command,
                    plan.command == "serve" ? "leave them out; kml waits until the program is ready"
                                            : "afterwards: kml " + plan.command + " attach " + name);
}

/// The words of the command line, with the flags of `kml apply`.
std::vector<std::string> words_of(const job::PlanFile& plan, const SendOptions& options) {
  std::vector<std::string> words, more;
  for (const Json& word : array_at(plan.request, {"words"}))
    if (word.is_string()) words.push_back(word);
  if (plan.command == "rerun") {
    if (options.follow) more.emplace_back("--follow");
    if (options.wait) more.emplace_back("--wait");
    if (options.timeout) more.push_back("--timeout=" + std::to_string(options.timeout->count()) + "s");
    if (!options.output.empty()) more.push_back("--output=" + options.output);
  }
  words.insert(std::find(words.begin(), words.end(), "--"), more.begin(), more.end());
  return words;
}

int run_again(const GlobalOptions& target, Streams& streams, const job::PlanFile& plan,
              const std::string& file, const SendOptions& options) {
  GlobalOptions again;
  const std::vector<std::string> words = words_of(plan, options);
  const Command root = command_tree(again, words);
  const Selected selected = parse(root, words);
  again.context = target.context;
  again.namespace_name = target.namespace_name;
  again.kubeconfig = target.kubeconfig;
  again.typed = plan.submit;
  again.arguments = words;
  again.applied_plan = fs::absolute(file).string();
  Context context(again, streams);
  return selected.command->run(context);
}

}  // namespace

int apply_command_plan(const GlobalOptions& target, Streams& streams, const job::PlanFile& plan,
                       const std::string& file, const SendOptions& options) {
  if (plan.command == "rerun") return run_again(target, streams, plan, file, options);
  refuse_to_follow(plan, options);
  if (job::plan_id(plan) != plan.id)
    throw usage_error(file + " was changed after it was written", "its id does not match its content",
                      "make a new plan: kml " + plan.command + " … --plan FILE");
  const Json started = started_by(plan);
  const AppliedOnce applied(plan.id);
  const bool is_applied = applied.earlier().has_value();
  Context context(target, streams);
  if (is_applied) context.note("the plan was applied earlier; not starting it again");
  const bool prints_data = ui::is_data(options.output) || options.output == "name";
  std::ostringstream unused;
  Streams quiet{unused, streams.err, false, streams.err_is_terminal, false, streams.width};
  if (!is_applied)
    if (const int code = run_again(target, prints_data ? quiet : streams, plan, file, options); code != 0)
      return code;
  applied.note(started);
  if (prints_data) ui::print_objects(streams, std::vector{started}, options.output, false);
  return 0;
}

}  // namespace kml::cli
