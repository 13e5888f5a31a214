#include "mcp/tools/call.h"

#include <algorithm>
#include <filesystem>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/capacity/kind_listing.h"
#include "kml/job/submit/plan_file.h"
#include "mcp/tools/arguments.h"
#include "mcp/tools/changes.h"
#include "mcp/tools/own_files.h"
#include "mcp/tools/plans.h"

namespace kml::mcp {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Runs the tool's command once.
class OneCommand : public Call {
 public:
  OneCommand(Words words, size_t most_bytes) : words_(std::move(words)), most_bytes_(most_bytes) {}

  std::optional<Words> next(const std::vector<Ran>& ran) override {
    return ran.empty() ? std::optional(words_) : std::nullopt;
  }
  Json result(const std::vector<Ran>& ran) override {
    return tool_result(said_by(ran.back()), most_bytes_, false);
  }

 private:
  Words words_;
  size_t most_bytes_;
};

/// The first error of a job, then the last lines of its log.
class Logs : public Call {
 public:
  Logs(CommandLine line, size_t most_bytes) : line_(std::move(line)), most_bytes_(most_bytes) {}

  std::optional<Words> next(const std::vector<Ran>& ran) override {
    if (ran.empty() && line_.names.size() == 1)
      return Words{"logs", "--first-error", "-o", "json", line_.names[0]};
    if (ran.size() < steps()) return with({"logs", "-o", "json"}, line_.words());
    return {};
  }

  Json result(const std::vector<Ran>& ran) override {
    Said said = said_by(ran.back());
    Json data = {{"lines", lines_in(ran.back().out)}};
    if (steps() > 1 && ran[0].exit_code == 0)
      if (Said first = said_by(ran[0]); first.data.is_object()) data["firstError"] = in_brief(first.data);
    said.data = std::move(data);
    return tool_result(said, most_bytes_, true);
  }

 private:
  size_t steps() const { return line_.names.size() == 1 ? 2 : 1; }

  /// The first error, with only the last of its lines, to leave room for the log.
  static Json in_brief(Json first) {
    constexpr size_t kMost = 20;
    Json& lines = first["lines"];
    if (lines.is_array() && lines.size() > kMost)
      lines.erase(lines.begin(), lines.end() - static_cast<Json::difference_type>(kMost));
    return first;
  }

  static Json lines_in(const std::string& out) {
    Json lines = Json::array();
    for (const std::string& line : split(out, '\n'))
      if (Json json = Json::parse(line, nullptr, false); json.is_object()) lines.push_back(std::move(json));
    return lines;
  }

  CommandLine line_;
  size_t most_bytes_;
};

/// Throws usage Error for a flag that the command does not have, or that no tool offers. Also throws for a
/// flag without its value, because it would take the next word of the command line as its value.
void require_whole_flag(const Tool& kind, const std::string& word) {
  std::vector<std::string> known;
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  for (const Tool::Property& property : kind.properties) {
    if (property.flag.empty()) continue;
    known.push_back(property.flag);
    if (property.flag != name) continue;
    if (property.takes_next && equals == std::string::npos)
      throw usage_error("flag " + name + " has no value", "", name + "=" + property.value_name);
    return;
  }
  throw usage_error("kml " + join(kind.words, " ") + " has no flag " + cleaned_text(name) + " for plans",
                    "flags have the form --NAME=VALUE, or --NAME",
                    suggestion(name, known, "it has: " + join(known, " ")));
}

/// Adds the words of the argument `flags`, such as "--shm=16Gi".
void add_flags(const Tool& kind, const Json& flags, CommandLine& line) {
  for (const Json& flag : flags.is_array() ? flags : Json::array({flags})) {
    if (!flag.is_string()) throw usage_error("argument flags is not a list of strings");
    require_whole_flag(kind, flag);
    line.options.push_back(flag);
  }
}

/// The command to plan, with its arguments. Throws usage Error if the command would read files that
/// require_own_files() forbids.
CommandLine line_of_plan(const Tool& plan, const Json& arguments, Words& command) {
  const Json* kind_given = find(arguments, {"kind"});
  if (kind_given && !kind_given->is_string() && !kind_given->is_null())
    throw usage_error("argument kind is not a string");
  const std::string wanted = string_at(arguments, {"kind"}, "submit");
  const Json flags = arguments.value("flags", Json::array());
  std::vector<std::string> names;
  for (const Tool& kind : plan.kinds) {
    names.push_back(kind.name);
    if (kind.name != wanted) continue;
    CommandLine line = command_line(kind, arguments, {"kind", "flags"});
    add_flags(kind, flags, line);
    require_own_files(kind, line);
    command = kind.words;
    return line;
  }
  throw usage_error(
      "\"" + cleaned_text(wanted) + "\" is not a kind of plan", "",
      suggestion(wanted == "job" ? "submit" : wanted, names, "the kinds are " + join(names, ", ")));
}

/// Plans a job, a sweep or another command, and keeps the plan under its id.
class MakePlan : public Call {
 public:
  MakePlan(const Tool& tool, const Json& arguments, size_t most_bytes) : most_bytes_(most_bytes) {
    CommandLine line = line_of_plan(tool, arguments, words_);
    make_private_folder(plans_folder());
    remove_old_plans();
    draft_ = plans_folder() / ("draft-" + random_hex(8));
    // These options come first, so that no other flag can take one of them as its value: without --plan, the
    // command would start.
    line.options.insert(line.options.begin(), {"--plan=" + draft_.string(), "-o", "json"});
    words_ = with(std::move(words_), line.words());
  }
  ~MakePlan() override {
    std::error_code none;
    fs::remove(draft_, none);
  }

  std::optional<Words> next(const std::vector<Ran>& ran) override {
    if (ran.empty()) return words_;
    if (ran[0].exit_code == 0) {
      const job::PlanFile plan = job::read_plan_file(draft_);
      id_ = plan.id;
      fs::rename(draft_, file_of_plan(id_));
    }
    return {};
  }

  Json result(const std::vector<Ran>& ran) override {
    Said said = said_by(ran.back());
    if (said.data.is_object())
      for (const char* part : {"request", "checksum"}) said.data.erase(part);
    return tool_result(said, most_bytes_, false);
  }
  std::string plan_id() const override { return id_; }

 private:
  fs::path draft_;
  Words words_;
  std::string id_;
  size_t most_bytes_;
};

/// Jobs are listed in brief, because a model would have to read whole objects.
std::string format_of(const Tool& tool, const CommandLine& line) {
  const bool is_of_jobs = line.names.empty() || !job::find_listed_kind(line.names[0]);
  return tool.kind == ToolKind::list && is_of_jobs ? "brief" : "json";
}

}  // namespace

std::unique_ptr<Call> start_call(const Tool& tool, const Json& arguments, Shared& shared) {
  if (tool.kind == ToolKind::plan) return std::make_unique<MakePlan>(tool, arguments, shared.most_bytes);
  CommandLine line = command_line(tool, arguments);
  switch (tool.kind) {
    case ToolKind::apply: return apply_plan(line.names.at(0), shared);
    case ToolKind::own_jobs: return change_own(tool.words[0], line.names, shared);
    case ToolKind::logs: return std::make_unique<Logs>(std::move(line), shared.most_bytes);
    case ToolKind::plan:
    case ToolKind::list:
    case ToolKind::command: break;
  }
  Words words = tool.words;
  if (tool.has_data) words = with(std::move(words), {"-o", format_of(tool, line)});
  return std::make_unique<OneCommand>(with(std::move(words), line.words()), shared.most_bytes);
}

}  // namespace kml::mcp
