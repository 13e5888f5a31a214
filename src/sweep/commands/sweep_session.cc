#include "sweep/commands/sweep_session.h"

#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/retry_notes.h"
#include "kml/base/host_name.h"
#include "kml/base/text.h"
#include "kml/job/submit/marks.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/journal/record.h"
#include "kml/sweep/tables/sweep_table.h"
#include "sweep/commands/sweep_planned.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_view.h"

namespace kml::cli {

namespace {

std::unique_ptr<sweep::Runner> runner_for(Context& context, const sweep::SweepState& state,
                                          const sweep::TrialTemplate& trial_template,
                                          const job::Interrupt& interrupt) {
  sweep::SweepRunnerOptions options = runner_options(context, state.spec(), state.id(), trial_template);
  if (!state.spec().is_indexed)
    return sweep::make_sweep_runner(context.client(), std::move(options), interrupt);
  return sweep::make_indexed_runner(context.client(), std::move(options), state.spec(),
                                    context.target().endpoint.url, interrupt);
}

/// Adds to the Error how to resume the sweep, because its journal is intact.
Error with_resume(Error error, const std::string& name) {
  error.fix += (error.fix.empty() ? "" : "; ") + ("`kml sweep resume " + name + "` then continues the sweep");
  return error;
}

}  // namespace

int report_end(Context& context, const sweep::SweepState& state) {
  context.note("sweep " + state.spec().name + " ended: " + state.end().reason);
  context.note(ui::sweep_summary(state, state.sessions().last));
  if (const std::string untried = ui::untried_in_words(state); !untried.empty()) context.note(untried);
  show_log_hint(context, state);
  if (!has_result(state)) return static_cast<int>(ErrorCode::job_failed);
  if (!state.best()) {
    context.note("front: kml sweep best " + state.spec().name);
    return 0;
  }
  context.note("best: " + ui::in_words(state.spec(), state.trials()[*state.best()].values) +
               "   (kml sweep best " + state.spec().name + ")");
  return 0;
}

std::string owner() {
  return "process " + std::to_string(::getpid()) + " of " + job::user_name() + " on " + host_name() +
         ", since " + rfc3339(system_clock().now());
}

std::string begin_or_change(sweep::Journal& journal, Context& context, const sweep::SweepSpec& spec,
                            const std::string& new_id, const std::function<Json()>& code) {
  sweep::SweepState state;
  journal.read([&](const sweep::Record& record) { state.apply(record); });
  const Time now = system_clock().now();
  if (state.is_empty()) {
    journal.add({now, sweep::record::Sweep{new_id, spec.document, target_of(context), code()}});
    journal.commit();
    return new_id;
  }
  check_target(context, state);
  require_same_space(spec.name, state.spec().document, spec.document);
  const Json document = sweep::continued(state.spec().document, spec.document);
  if (document == state.spec().document) return state.id();
  journal.add({now, sweep::record::Change{document}});
  journal.commit();
  return state.id();
}

sweep::SweepRunnerOptions runner_options(Context& context, const sweep::SweepSpec& spec,
                                         const std::string& id, const sweep::TrialTemplate& trial_template) {
  std::vector<std::string> metrics = spec.objective.additional;
  metrics.push_back(spec.objective.metric);
  return {spec.name,
          id,
          context.target().namespace_name,
          spec.stopping.resource,
          spec.collector,
          std::move(metrics),
          spec.conditions,
          sweep::ends_of_trials(spec),
          spec.stopping.rule == sweep::StopRule::none || spec.stopping.promote,
          retry_notes(context),
          [&](const sweep::TrialJob& job) { return trial_template.manifest(job); },
          [&](const sweep::TrialJob& job) { return trial_template.metrics_file(job); }};
}

int go_on(Context& context, const std::string& name, sweep::Journal& journal, const SessionHooks& hooks) {
  sweep::SweepState state;
  journal.read([&](const sweep::Record& record) { state.apply(record); });
  check_target(context, state);
  const sweep::TrialTemplate trial_template(state.spec());
  context.tell_target();
  const job::Interrupt interrupt;
  const auto runner = runner_for(context, state, trial_template, interrupt);
  SweepView view(context);
  const UnsteppedClock clock(system_clock());
  const auto on_step = [&](const sweep::Engine& now) {
    view.show(now.state(), &now, now.waits());
    hooks.on_step(now);
  };
  const bool is_planned = !plan_of_begun_sweep(name).empty();
  sweep::Engine engine(journal, *runner, clock, {on_step, hooks.stop_wish, is_planned});
  try {
    engine.run(owner());
  } catch (const Error& error) {
    view.end();
    if (error.code != ErrorCode::interrupted) throw with_resume(error, name);
    context.note("running trials continue; `kml sweep resume " + name +
                 "` continues the sweep, `kml sweep stop " + name + "` stops it");
    return static_cast<int>(error.code);
  }
  view.end();
  return report_end(context, engine.state());
}

std::filesystem::path stop_file(const std::string& name) {
  return sweep::sweep_folder(name) / "stop";
}

int go_on_here(Context& context, const std::string& name, sweep::Journal& journal,
               std::function<void(const sweep::Engine& engine)> on_step) {
  const std::filesystem::path file = stop_file(name);
  const auto stop_wish = [&] {
    const sweep::StopWish wish = sweep::stop_wish_of(read_file_if_exists(file));
    if (wish != sweep::StopWish::none) journal.use_last_space();
    return wish;
  };
  const int code = go_on(context, name, journal, {stop_wish, std::move(on_step)});
  std::filesystem::remove(file);
  return code;
}

}  // namespace kml::cli
