#include "live/commands/record_rows.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "kml/base/error.h"
#include "kml/engine/journal/journal.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/kube/objects/object.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/tracking/runs/tracked_run.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_selection.h"
#include "sweep/commands/sweep_selection.h"
#include "tracking/tables/tracked_runs.h"

namespace kml::cli {

using live::Table;

namespace {

/// How many of the newest submits, sweeps and pipelines on this machine are shown.
constexpr size_t kMostSubmits = 500, kMostJournals = 200;
/// How often kml checks what no time of a file shows: whether an engine was killed, which journals are the
/// newest, and whether two changes of a folder had the same time.
constexpr std::chrono::milliseconds kCloseLook{500};
/// The records of all submits are in one file, which may be long. Reading it takes up at most this part of
/// the time.
constexpr int kPartForSubmits = 10;

/// Sorts running sweeps and pipeline runs before ended ones, and newer ones before older ones.
std::string order_of_record(bool has_ended, Time begun) {
  return fmt::format("{} {:016x}", has_ended ? 1 : 0,
                     std::numeric_limits<std::int64_t>::max() - begun.time_since_epoch().count());
}

/// The time of a submit, so that it is later than that of the submit before it. Submits have times in whole
/// seconds, and those of the same second are shown in the order of their records.
Time distinct(Time time, Time& last) {
  const bool is_same_second = last >= time && last - time < std::chrono::seconds(1);
  return last = is_same_second ? last + nanoseconds(1) : time;
}

/// Keeps at most kMostJournals files, those that were written last.
void keep_newest(std::vector<std::pair<std::string, std::filesystem::path>>& files) {
  if (files.size() <= kMostJournals) return;
  std::vector<std::pair<std::filesystem::file_time_type, size_t>> dated;
  for (size_t i = 0; i < files.size(); ++i) {
    std::error_code none;
    const auto written = std::filesystem::last_write_time(files[i].second, none);
    if (!none) dated.emplace_back(written, i);
  }
  const size_t count = std::min(dated.size(), kMostJournals);
  std::partial_sort(dated.begin(), dated.begin() + static_cast<std::ptrdiff_t>(count), dated.end(),
                    std::greater<>());
  std::vector<std::pair<std::string, std::filesystem::path>> kept;
  for (size_t i = 0; i < count; ++i) kept.push_back(std::move(files[dated[i].second]));
  files = std::move(kept);
}

/// Replaces these members of a row. Removes the members that no longer have a value.
void set_or_erase(Json& row, const Json& members) {
  for (const auto& [name, value] : members.items()) row.erase(name);
  set_said(row, members);
}

/// Names why a step ran as such. Beside "done", it would be read as the cause of that state.
void tell_why_it_ran(Json& step, const pipeline::StepState& state) {
  const bool is_over_or_runs =
      state.phase == pipeline::Phase::running || state.phase == pipeline::Phase::done;
  if (!is_over_or_runs || (!state.cause.empty() && state.cause != state.ran_because)) return;
  step.erase("cause");
  set_said(step, {{"ranBecause", state.ran_because}});
}

std::vector<std::string> job_keys_of(const job::Submission& submit) {
  std::vector<std::string> keys;
  for (const Json* job : submit.jobs()) keys.push_back(job::job_key(*job));
  return keys;
}

/// At most `most` of the values, evenly spread, including the last one.
Json thinned(const std::vector<double>& values, size_t most) {
  Json kept = Json::array();
  const size_t step = values.size() / most + 1;
  for (size_t i = (values.size() - 1) % step; i < values.size(); i += step) kept.push_back(values[i]);
  return kept;
}

}  // namespace

RecordRows::RecordRows(Context& context, RowWriter& rows, LiveOutcomes& outcomes)
    : context_(context),
      rows_(rows),
      outcomes_(outcomes),
      sweeps_{Table::sweeps, sweep::sweeps_folder()},
      pipelines_{Table::pipelines, pipeline::runs_folder()} {}

bool RecordRows::is_of_this_context(const Json& target) const {
  return target.is_null() || string_at(target, {"context"}) == context_.place().context;
}

void RecordRows::update_files() {
  const auto now = std::chrono::steady_clock::now();
  looks_closely_ = now >= next_close_look_;
  if (looks_closely_) next_close_look_ = now + kCloseLook;
  update(sweeps_, [this](const std::string& name) { return read_sweep(name); });
  update(pipelines_, [this](const std::string& name) { return read_pipeline(name); });
  update_submits();
}

RecordRows::Stamp RecordRows::stamp_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return {};
  return {facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
}

void RecordRows::list(Journals& journals) {
  const Stamp stamp = stamp_of(journals.folder);
  if (stamp == journals.folder_stamp && !looks_closely_) return;
  journals.folder_stamp = stamp;
  journals.files.clear();
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(journals.folder, none))
    journals.files.emplace_back(entry.path().filename(), entry.path() / "journal.jsonl");
  keep_newest(journals.files);
}

void RecordRows::update(Journals& journals, const std::function<bool(const std::string& name)>& read) {
  list(journals);
  std::map<std::string, Seen> now;
  for (const auto& [name, file] : journals.files) {
    const auto before = journals.seen.find(name);
    const bool is_known = before != journals.seen.end();
    Seen seen = is_known ? before->second : Seen();
    seen.stamp = stamp_of(file);
    if (seen.stamp == Stamp()) continue;
    // A killed engine does not write that it has ended.
    if (!is_known || (seen.is_open && looks_closely_))
      seen.engine = engine::writer_of(file.parent_path()).value_or("");
    const bool is_same =
        is_known && before->second.stamp == seen.stamp && before->second.engine == seen.engine;
    if (!is_known && !engine::has_begun(file.parent_path())) continue;
    if (!is_same) seen.is_open = read(name);
    now.emplace(name, std::move(seen));
  }
  for (const auto& [name, before] : journals.seen)
    if (!now.contains(name)) {
      rows_.drop(journals.table, name);
      rows_.drop(Table::runs, (journals.table == Table::sweeps ? "sweep/" : "run/") + name);
    }
  journals.seen = std::move(now);
}

bool RecordRows::read_sweep(const std::string& name) {
  sweep::SweepState state;
  const SweepRow row = sweep_row(context_, name, &state);
  const bool is_open = !state.is_empty() && state.end().reason.empty();
  if (!state.is_empty() && !is_of_this_context(state.target())) return is_open;
  set_sweep(name, row, state);
  if (state.is_empty()) return is_open;
  const tracking::TrackedRun run = tracking::tracked_sweep(state, {});
  set_run(run, run.time);
  return is_open;
}

void RecordRows::set_sweep(const std::string& id, const SweepRow& row, const sweep::SweepState& state) {
  Json json = to_json(row);
  if (!row.fault.empty()) {
    json["state"] = "unreadable";
    json["cause"] = row.fault;
    return rows_.set(Table::sweeps, id, order_of_record(true, {}), json);
  }
  set_said(json, {{"namespace", string_at(state.target(), {"namespace"})}, {"cause", state.end().reason}});
  if (!state.end().reason.empty()) json["state"] = "Ended";  // the column for the cause shows the reason
  json["running"] = state.lists().running.size();
  if (const std::vector<double> best = ui::best_so_far(state); !best.empty())
    json["history"] = thinned(best, 60);
  rows_.set(Table::sweeps, id, order_of_record(!state.end().reason.empty(), state.sessions().begun), json);
}

bool RecordRows::read_pipeline(const std::string& name) {
  try {
    const pipeline::RunState state = pipeline::read_run(name);
    if (!is_of_this_context(state.head().target)) return !state.end();
    set_pipeline(name, state, pipeline::is_left(state), "this machine");
    const tracking::TrackedRun run = tracking::tracked_pipeline(state, {}, {}, {});
    set_run(run, run.time);
    return !state.end();
  } catch (const Error& error) {
    rows_.set(Table::pipelines, name, order_of_record(true, {}),
              {{"name", name}, {"state", "unreadable"}, {"cause", message_and_why(error)}});
    return false;
  }
}

void RecordRows::set_pipeline(const std::string& id, const pipeline::RunState& state, bool is_left,
                              const std::string& engine) {
  Json json = ui::run_to_json(pipeline::pipeline_of(state), state, is_left);
  json["engine"] = engine;
  for (Json& step : json["steps"]) tell_why_it_ran(step, state.step(string_at(step, {"name"})));
  const std::string cause =
      is_left ? "no engine is running: kml run resume " + state.name() : state.first_failure();
  set_said(json, {{"namespace", string_at(state.head().target, {"namespace"})}, {"cause", cause}});
  rows_.set(Table::pipelines, id, order_of_record(state.end().has_value(), state.began().value_or(Time{})),
            json);
}

Json RecordRows::row_of_run(const tracking::TrackedRun& run) {
  Json row = ui::to_json(run);
  row.erase("nested");
  const size_t slash = run.target.find('/');
  if (slash != std::string::npos) row["namespace"] = run.target.substr(slash + 1);
  return row;
}

void RecordRows::set_run(const tracking::TrackedRun& run, Time order) {
  rows_.set(Table::runs, run.id, order_of_record(true, order), row_of_run(run));
}

void RecordRows::update_submits() {
  const auto now = std::chrono::steady_clock::now();
  if (const Stamp stamp = stamp_of(state_folder() / "runs.jsonl");
      stamp != submits_stamp_ && now >= next_submits_) {
    submits_stamp_ = stamp;
    read_submits();
    const auto read = std::chrono::steady_clock::now();
    next_submits_ = read + (read - now) * kPartForSubmits;
  }
  if (!shows_open_) return;
  for (const std::string& id : outcomes_.take_changed())
    if (const auto open = open_submits_.find(id); open != open_submits_.end()) set_open(open->second);
}

void RecordRows::show_open_runs() {
  if (std::exchange(shows_open_, true)) return;
  for (auto& [id, open] : open_submits_) set_open(open);
}

void RecordRows::read_submits() {
  const job::Submissions records = job::Submissions::of_user();
  const std::map<std::string, job::RunNotes> notes = records.notes();
  std::set<std::string> before = std::exchange(submits_, {});
  open_submits_.clear();
  std::set<std::string> wanted;
  Time last;
  for (job::Submission& submit : records.read(kMostSubmits)) {
    if (submit.context != context_.place().context || submit.jobs().empty()) continue;
    if (tracking::is_maintenance(submit)) continue;
    submits_.insert(submit.id);
    before.erase(submit.id);
    const auto about = notes.find(submit.id);
    const tracking::TrackedRun run =
        tracking::tracked_submit(submit, about == notes.end() ? job::RunNotes() : about->second);
    const Time order = distinct(run.time, last);
    if (run.state != "Unknown") {
      set_run(run, order);
      continue;
    }
    wanted.insert(submit.id);
    OpenSubmit& open = open_submits_[submit.id];
    open = {{}, job_keys_of(submit), row_of_run(run), order_of_record(true, order)};
    open.submit.id = submit.id;
    open.submit.is_open = submit.is_open;
    open.submit.outcomes = std::move(submit.outcomes);
    if (shows_open_) set_open(open);
  }
  for (const std::string& id : before) rows_.drop(Table::runs, id);
  outcomes_.want(std::move(wanted));
}

/// Like job::outcome_of(): the first job that has not succeeded decides, so the others are not looked up. For
/// a job without a recorded end, uses the state that the server reported. A submit without a recorded end may
/// have been killed, or still be sending: if the server has reported some of its jobs, these decide.
job::SubmissionOutcome RecordRows::outcome_now(const OpenSubmit& open) const {
  const LiveOutcomes::ByJob* seen = outcomes_.of(open.submit.id);
  job::SubmissionOutcome whole = job::outcome_of(open.submit);
  if (open.submit.is_open && !seen) return whole;
  for (const std::string& key : open.jobs) {
    const auto known = open.submit.outcomes.find(key);
    const job::Outcome* outcome = known == open.submit.outcomes.end() ? nullptr : &known->second;
    if (!outcome && seen)
      if (const auto live = seen->find(key); live != seen->end()) outcome = &live->second;
    if (!outcome && open.submit.is_open) continue;
    if (!outcome) return {"Unknown"};
    whole = {std::string(job::name_of(outcome->state)), outcome->cause, outcome->finished};
    if (outcome->state != job::State::succeeded) return whole;
  }
  return whole;
}

void RecordRows::set_open(OpenSubmit& open) {
  const job::SubmissionOutcome outcome = outcome_now(open);
  Json row = open.row;
  row["state"] = outcome.state;
  set_or_erase(row, {{"cause", outcome.cause}, {"finished", api::time_text(outcome.finished)}});
  rows_.set(Table::runs, open.submit.id, open.order, row);
}

void RecordRows::update_sweep(const std::string& id, const ClusterSweep& sweep) {
  sweep::SweepState state;
  const SweepRow row = sweep_row(context_, sweep, &state);
  set_sweep(id, row, state);
  // A resumed sweep has its old end until its engine has started.
  if (!state.end().reason.empty() && !engine_runs(context_, sweep.engine())) sweeps_there_.end(id);
}

void RecordRows::update_run(const std::string& id, const ClusterEngine& run) {
  const FoundRun found{state_of_run(context_, run), run};
  set_pipeline(id, found.state, is_left(context_, found), "in the cluster");
  if (found.state.end() && !engine_runs(context_, run)) runs_there_.end(id);
}

void RecordRows::update_cluster() {
  if (context_.place().is_local) return;
  const auto id_of = [](const auto& engine) { return "cluster/" + engine.marks.name; };
  // One journal that cannot be read, for example as its engine has not started, must not hide the others.
  const auto try_to = [&](const auto& update) {
    try {
      update();
    } catch (const Error& error) {
      if (error.code == ErrorCode::interrupted || error.code == ErrorCode::unreachable) throw;
      rows_.say(live::Change::Kind::note, message_and_why(error));
    }
  };
  for (const ClusterSweep& sweep : cluster_sweeps(context_))
    if (sweeps_there_.must_read(id_of(sweep), sweep.object))
      try_to([&] { update_sweep(id_of(sweep), sweep); });
  for (const std::string& id : sweeps_there_.take_gone()) rows_.drop(Table::sweeps, id);
  for (const ClusterEngine& run : cluster_runs(context_))
    if (runs_there_.must_read(id_of(run), run.object)) try_to([&] { update_run(id_of(run), run); });
  for (const std::string& id : runs_there_.take_gone()) rows_.drop(Table::pipelines, id);
}

}  // namespace kml::cli
