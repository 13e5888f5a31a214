#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "mcp/tools/changes.h"

namespace kml::mcp {

namespace {

using Words = std::vector<std::string>;

/// What a plan can start, other than jobs: each word is a command with the subcommands `status` and `stop`.
constexpr std::array<std::string_view, 3> kStoppable = {"sweep", "run", "serve"};

/// The name in "bert" and "pytorchjob/bert".
std::string name_in(const std::string& word) {
  return word.substr(word.rfind('/') + 1);
}

/// Throws usage Error for a word that kml could read as something else than the name of one object, such as a
/// pattern, an option, a path or the newest job.
void require_plain_name(const std::string& word) {
  const size_t slash = word.find('/');
  const std::string kind = slash == std::string::npos ? "job" : word.substr(0, slash);
  const std::string name = slash == std::string::npos ? word : word.substr(slash + 1);
  if (api::dns_subdomain_problem(kind).empty() && api::dns_subdomain_problem(name).empty()) return;
  throw usage_error("\"" + cleaned_text(word) + "\" is not the name of a job",
                    "patterns and other words could select other jobs", "give the names of the jobs");
}

/// A part of the call: one sweep, run or served program, or all jobs together.
struct Part {
  std::string kind;  ///< one of kStoppable; empty for jobs
  Words names;

  /// Asks for jobs by the word "jobs", because a job may have the name of a kind, such as "claims".
  Words question() const {
    if (!kind.empty()) return {kind, "status", names[0], "-o", "json"};
    Words words = {"list", "-o", "json", "jobs"};
    for (const std::string& name : names) words.push_back(name_in(name));
    return words;
  }
  Words change(const std::string& command) const {
    return kind.empty() ? with({command, "--yes"}, names) : Words{kind, "stop", names[0]};
  }

 private:
  static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

/// The part that a name such as sweep/lr1 stands for; empty for the name of a job.
std::optional<Part> part_of(const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos || std::ranges::count(kStoppable, name.substr(0, slash)) == 0) return {};
  return Part{name.substr(0, slash), {name.substr(slash + 1)}};
}

std::vector<Part> parts_of(const std::string& command, const Words& names) {
  std::vector<Part> parts;
  Part jobs;
  for (const std::string& name : names) {
    require_plain_name(name);
    if (const auto stoppable = part_of(name); stoppable && command == "cancel")
      parts.push_back(*stoppable);
    else if (std::ranges::find(jobs.names, name) == jobs.names.end())
      jobs.names.push_back(name);
  }
  if (!jobs.names.empty()) parts.push_back(std::move(jobs));
  return parts;
}

class ChangeOwn : public Call {
 public:
  ChangeOwn(std::string command, const Words& names, Shared& shared)
      : command_(std::move(command)), parts_(parts_of(command_, names)), shared_(shared) {}

  /// First asks about all parts, then changes them.
  std::optional<Words> next(const std::vector<Ran>& ran) override {
    if (!ran.empty() && ran.back().exit_code != 0) return {};
    const size_t questions = count_of_questions();
    if (!ran.empty() && ran.size() <= questions) check(parts_[ran.size() - 1], said_by(ran.back()).data);
    if (ran.size() < questions) return parts_[ran.size()].question();
    if (ran.size() == questions && command_ == "resume") count_again(said_by(ran.back()).data);
    const size_t at = ran.size() - questions;
    return at < parts_.size() ? std::optional(parts_[at].change(command_)) : std::nullopt;
  }

  Json result(const std::vector<Ran>& ran) override {
    Said said = said_by(ran.back());
    std::string text;
    for (size_t i = count_of_questions(); i < ran.size(); ++i) text += ran[i].out;
    said.data = text.empty() ? Json() : Json{{"text", text}};
    return tool_result(said, shared_.most_bytes, false);
  }
  bool is_alone() const override { return true; }

 private:
  bool is_own(const Json& object) const { return shared_.own.has(api::uid_of(object)); }

  /// How many parts to ask about first. Before a resume, these are always all parts, because the budget
  /// counts resumed jobs again.
  size_t count_of_questions() const {
    return shared_.permissions.allows("others") && command_ != "resume" ? 0 : parts_.size();
  }

  void count_again(const Json& printed) const {
    shared_.spending.reserve_again(objects_in(printed), [this](const Json& job) { return is_own(job); });
  }

  void check(const Part& part, const Json& printed) const {
    if (part.kind == "sweep" || part.kind == "run") {
      if (!shared_.own.has_begun(string_at(printed, {"plan"})))
        throw not_own(part.kind + " " + part.names[0], part);
      return;
    }
    const std::vector<Json> objects = objects_in(printed);
    if (part.kind.empty()) require_exactly(part.names, objects);
    if (shared_.permissions.allows("others")) return;
    if (objects.empty()) throw not_own(part.kind + " " + part.names[0], part);
    for (const Json& object : objects)
      if (!is_own(object))
        throw not_own((part.kind.empty() ? "job " : "served program ") + api::name_of(object),
                      {part.kind, {api::name_of(object)}});
  }

  /// The answer must have all of the named jobs, and nothing else.
  static void require_exactly(const Words& names, const std::vector<Json>& objects) {
    std::set<std::string> wanted, found;
    for (const std::string& name : names) wanted.insert(name_in(name));
    for (const Json& object : objects)
      if (job::is_job(object)) found.insert(api::name_of(object));
    if (wanted == found && std::ranges::all_of(objects, job::is_job)) return;
    throw usage_error("these names are not the names of jobs: " + cleaned_text(join(names, ", ")), "",
                      "call the tool \"list\" to see the jobs");
  }

  Error not_own(const std::string& what, const Part& part) const {
    Words words = part.kind.empty() ? Words{command_, part.names[0]} : part.change(command_);
    return usage_error("this server did not create " + cleaned_text(what), "",
                       "ask the user, who can run: kml " + shell_quoted(words));
  }

  std::string command_;
  std::vector<Part> parts_;
  Shared& shared_;
};

}  // namespace

std::unique_ptr<Call> change_own(const std::string& command, const std::vector<std::string>& names,
                                 Shared& shared) {
  return std::make_unique<ChangeOwn>(command, names, shared);
}

}  // namespace kml::mcp
