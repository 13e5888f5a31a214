#include "sweep/commands/sweep_selection.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/engine/journal/journal.h"
#include "kml/sweep/journal/journal.h"
#include "sweep/commands/sweep_in_cluster.h"

namespace kml::cli {

namespace fs = std::filesystem;

bool has_begun(const std::string& name) {
  return engine::has_begun(sweep::sweep_folder(name));
}

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sweep::sweeps_folder(), ignored))
    if (has_begun(entry.path().filename())) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> shown_sweeps(Context& context) {
  std::vector<std::string> names = sweep_names();
  if (runs_for_agent())
    std::erase_if(names, [&](const std::string& name) {
      const std::optional<sweep::record::Sweep> first = first_record(name);
      return first && !context.shows(first->target);
    });
  return names;
}

void read_sweep(Context& context, const std::string& name,
                const std::function<void(const sweep::Record& record)>& take) {
  std::vector<std::string> names = shown_sweeps(context);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return sweep::read_journal(sweep::sweep_folder(name), take);
  if (const auto there = find_cluster_sweep(context, name)) return read_cluster_sweep(context, *there, take);
  for (const ClusterSweep& sweep : cluster_sweeps(context)) names.push_back(sweep.marks.name);
  throw usage_error("no sweep " + name, "", suggestion(name, names, "`kml sweep list` lists the sweeps"));
}

sweep::SweepState state_of(Context& context, const std::string& name) {
  sweep::SweepState state;
  read_sweep(context, name, [&](const sweep::Record& record) { state.apply(record); });
  return state;
}

std::optional<Json> begun_document(Context& context, const std::string& name) {
  if (has_begun(name)) {
    try {
      return state_of(context, name).spec().document;
    } catch (Error& error) {
      error.fix +=
          (error.fix.empty() ? "" : "; ") +
          ("`kml sweep delete " + name + "` removes the sweep, and --replace puts a new one in its place");
      throw;
    }
  }
  const auto there = find_cluster_sweep(context, name);
  return there ? std::optional(there->document()) : std::nullopt;
}

std::optional<sweep::record::Sweep> first_record(const std::string& name) {
  std::optional<sweep::record::Sweep> first;
  try {
    sweep::read_journal(sweep::sweep_folder(name), [&](const sweep::Record& record) {
      if (const auto* sweep = std::get_if<sweep::record::Sweep>(&record.what); sweep && !first)
        first = *sweep;
    });
  } catch (const Error&) {
    // Even a sweep with a damaged journal can be deleted.
  }
  return first;
}

bool is_for_this_machine(const std::string& name) {
  const std::optional<sweep::record::Sweep> first = first_record(name);
  return first && string_at(first->target, {"context"}) == kLocal;
}

bool is_left(const std::string& name, const sweep::SweepState& state) {
  return state.end().reason.empty() && has_begun(name) && !sweep::writer_of(sweep::sweep_folder(name));
}

std::string left_in_words(const std::string& name) {
  return "no engine is running: kml sweep resume " + name;
}

Time told_until(const std::string& name, const sweep::SweepState& state) {
  const Time now = system_clock().now();
  if (!state.end().reason.empty()) return state.sessions().last;
  if (!is_left(name, state)) return now;
  const Time sign = sweep::last_sign_of_life(sweep::sweep_folder(name)).value_or(Time{});
  return std::clamp(sign, state.sessions().last, std::max(now, state.sessions().last));
}

Json target_of(Context& context) {
  return {{"context", context.target().context}, {"namespace", context.target().namespace_name}};
}

namespace {

/// A part of a sweep file with the flag that sets it: "spec.parameters (--param)".
std::string with_flags(const std::string& part) {
  static constexpr std::pair<std::string_view, std::string_view> kFlags[] = {
      {"spec.parameters", "--param"},
      {"spec.constraints", "--constraint"},
      {"spec.objective", "--maximize, --minimize"},
      {"spec.objectives", "--maximize, --minimize"},
      {"spec.algorithm", "--algorithm"},
      {"spec.seed", "--seed"},
      {"spec.fidelity", "--resource"},
      {"spec.earlyStopping", "--early-stopping"},
      {"spec.deterministic", "--deterministic"},
      {"spec.fanOut", "--fan-out"},
      {"spec.metricsCollectorSpec", "--metrics-file"},
      {"spec.checkpointDir", "--checkpoint-dir"},
      {"spec.trialTemplate", "the command and the job's flags"}};
  for (const auto& [name, flags] : kFlags)
    if (name == part) return part + " (" + std::string(flags) + ")";
  return part;
}

}  // namespace

void require_same_space(const std::string& name, const Json& before, const Json& after) {
  std::vector<std::string> changed = sweep::changed_space(before, after);
  if (changed.empty()) return;
  std::transform(changed.begin(), changed.end(), changed.begin(), with_flags);
  throw usage_error("the name " + name + " is in use by another sweep",
                    "these parts differ: " + join(changed, ", "),
                    "`kml sweep resume " + name +
                        "` continues the other sweep; --fork starts a new one that learns from its results; "
                        "--replace, or `kml sweep delete " +
                        name + "`, removes the other sweep and its jobs");
}

void check_target(Context& context, const sweep::SweepState& state) {
  check_target(context, state.spec().name, state.target());
}

void check_target(Context& context, const std::string& name, const Json& target) {
  if (target_of(context) == target) return;
  throw usage_error(
      "sweep " + name + " runs in " + string_at(target, {"context"}) + "/" + string_at(target, {"namespace"}),
      "this command's target is " + context.target().context + "/" + context.target().namespace_name,
      "--context " + string_at(target, {"context"}) + " -n " + string_at(target, {"namespace"}));
}

}  // namespace kml::cli
