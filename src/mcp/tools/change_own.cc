#include <algorithm>
#include <array>
#include <optional>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "mcp/tools/changes.h"

namespace kml::mcp {

namespace {

using Words = std::vector<std::string>;

/// What a plan can start, other than jobs: each word is a command with the subcommands `status` and `stop`.
constexpr std::array<std::string_view, 3> kStoppable = {"sweep", "run", "serve"};

/// A part of the call: one sweep, run or served program, or all jobs together.
struct Part {
  std::string kind;  ///< one of kStoppable; empty for jobs
  Words names;

  Words question() const {
    return kind.empty() ? with({"list", "-o", "json"}, names) : Words{kind, "status", names[0], "-o", "json"};
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
  const std::string own = name.substr(slash + 1);
  if (own.empty() || own.starts_with("-") || contains(own, "/"))  // kml would read it as an option or a path
    throw usage_error("\"" + cleaned_text(name) + "\" is not a name");
  return Part{name.substr(0, slash), {own}};
}

std::vector<Part> parts_of(const std::string& command, const Words& names) {
  std::vector<Part> parts;
  Part jobs;
  for (const std::string& name : names) {
    if (name.find_first_of("*?[@") != std::string::npos)
      throw usage_error("\"" + cleaned_text(name) + "\" is not the name of a job",
                        "patterns could select other jobs", "list the names");
    if (const auto stoppable = part_of(name); stoppable && command == "cancel")
      parts.push_back(*stoppable);
    else
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
  size_t count_of_questions() const { return shared_.permissions.allows("others") ? 0 : parts_.size(); }

  void check(const Part& part, const Json& printed) const {
    if (!part.kind.empty() && part.kind != "serve") {
      if (!shared_.own.has_begun(string_at(printed, {"plan"})))
        throw not_own(part.kind + " " + part.names[0], part);
      return;
    }
    for (const Json& object : objects_in(printed))
      if (!shared_.own.has(api::uid_of(object)))
        throw not_own((part.kind.empty() ? "job " : "served program ") + api::name_of(object),
                      {part.kind, {api::name_of(object)}});
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
