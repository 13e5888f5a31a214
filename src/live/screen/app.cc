#include "live/screen/app.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kml/base/text.h"
#include "live/model/own_command.h"

namespace kml::live {

namespace {

Json without_state(Json row) {
  for (const char* key : {"state", "ended", "finished"}) row.erase(key);
  return row;
}

}  // namespace

App::App(Tables& tables, const cli::GlobalOptions& options, std::vector<Scope> scopes, Outside& outside,
         TerminalSize size)
    : tables_(tables), options_(options), scopes_(std::move(scopes)), outside_(outside), size_(size) {
  for (const View view : kAllViews) lists_[view] = std::make_unique<ListView>(view, tables_);
  set_scopes();
}

App::~App() {
  if (shown_ && shown_->is_running) outside_.stop(*shown_->pane);
  for (Aside& aside : asides_) outside_.stop(*aside.pane);
}

void App::set_scopes() {
  for (auto& [view, list] : lists_) list->set_scopes(all_namespaces_ ? std::vector<Scope>() : scopes_);
}

/// The rows between the title and the last line.
TerminalSize App::pane_size() const {
  return {size_.columns, std::max(size_.rows - 2, 1)};
}

void App::resize(TerminalSize size) {
  size_ = size;
  if (job_) job_->resize(pane_size());
  if (shown_ && shown_->is_running) outside_.resize(*shown_->pane, pane_size());
}

void App::update(Time now) {
  if (job_ && open_) {
    const auto& [table, cluster, id] = *open_;
    const Row* row = tables_.find(table, cluster, id);
    // A new job with the name of the old one has another log and other metrics.
    if (row && !job_->shows(*row)) open_job(*row);
    job_->update(row, now);
  }
  for (auto aside = asides_.begin(); aside != asides_.end();) {
    const std::vector<std::string> lines = aside->pane->text();
    for (; aside->told < lines.size(); ++aside->told) tell(*aside, lines[aside->told]);
    if (!aside->pane->has_ended()) {
      ++aside;
      continue;
    }
    outside_.stop(*aside->pane);
    aside = asides_.erase(aside);
  }
}

/// Shows one line of a command's output. Skips the line with the target, which the screen already shows. Also
/// skips the lines `why:` and `fix:` after an error, and notes after the command's answer.
void App::tell(Aside& aside, const std::string& line) {
  if (line.empty() || line.starts_with("→ ") || said_.starts_with("kml: error: ")) return;
  const bool is_note = line.starts_with("kml: ") && !line.starts_with("kml: error: ");
  if (is_note && aside.has_answered) return;
  aside.has_answered = aside.has_answered || !is_note;
  said_ = line;
}

void App::handle(const Key& key, Time now) {
  if (prompt_) {
    const Prompt::Result result = prompt_->take(key);
    if (prompt_->kind == Prompt::Kind::filter)
      list().set_filter(result == Prompt::Result::given_up ? prompt_->before : prompt_->text);
    if (result == Prompt::Result::typing) return;
    const Prompt prompt = *std::exchange(prompt_, std::nullopt);
    if (result == Prompt::Result::done) answer(prompt);
    return;
  }
  if (key.kind == KeyKind::paste) return;  // nothing is open that takes text
  said_.clear();
  if (shows_help_)
    shows_help_ = false;
  else if (!scroll(key) && !handle_common(key))
    handle_in_list(key);
  update(now);
}

void App::answer(const Prompt& prompt) {
  switch (prompt.kind) {
    case Prompt::Kind::filter: return;
    case Prompt::Kind::view: return go_to(std::string(trim(prompt.text)));
    case Prompt::Kind::question:
    case Prompt::Kind::port: return prompt.act(prompt.text);
  }
}

void App::go_to(const std::string& word) {
  if (word == "q" || word == "quit" || word == "q!") {
    is_over_ = true;
    return;
  }
  if (const auto view = view_of_word(word)) return show_view(*view);
  std::vector<std::string> names;
  for (const View view : kAllViews) names.emplace_back(name_of(view));
  said_ = "no view \"" + word + "\"; the views are " + join(names, ", ");
}

void App::show_view(View view) {
  while (shown_ || job_) close_topmost();
  view_ = view;
}

bool App::scroll(const Key& key) {
  const KeyKind kind = key.kind;
  if (key.is("j") || kind == KeyKind::down)
    move(1);
  else if (key.is("k") || kind == KeyKind::up)
    move(-1);
  else if (kind == KeyKind::page_down || key.is_control("f") || key.is(" "))
    move(page());
  else if (kind == KeyKind::page_up || key.is_control("b"))
    move(-page());
  else if (key.is_control("d"))
    move(page() / 2);
  else if (key.is_control("u"))
    move(-page() / 2);
  else if (key.is("g") || kind == KeyKind::home)
    move_to_end(false);
  else if (key.is("G") || kind == KeyKind::end)
    move_to_end(true);
  else
    return false;
  return true;
}

void App::move(long long by) {
  if (shown_) return shown_->pane->scroll(by);
  if (job_) return job_->scroll(by);
  list().move(by);
}

void App::move_to_end(bool last) {
  if (shown_) return last ? shown_->pane->scroll_to_last() : shown_->pane->scroll_to_first();
  if (job_) return last ? job_->scroll_to_last() : job_->scroll_to_first();
  last ? list().move_to_last() : list().move_to_first();
}

long long App::page() const {
  if (shown_) return std::max(size_.rows - 3, 1);
  if (job_) return static_cast<long long>(job_->page());
  return static_cast<long long>(lists_.at(view_)->page());
}

/// Keys that mean the same everywhere.
bool App::handle_common(const Key& key) {
  if (key.is("?")) {
    shows_help_ = true;
  } else if (key.is(":")) {
    prompt_ = Prompt{.kind = Prompt::Kind::view, .label = ":"};
  } else if (key.is("y")) {
    copy();
  } else if (key.is_control("c")) {
    is_over_ = true;
  } else if (key.is("q") || key.kind == KeyKind::escape) {
    // Esc also dismisses a message or a mistyped word, so it must not end the program.
    if (!close_topmost() && key.is("q")) is_over_ = true;
  } else if (key.kind == KeyKind::text && key.text >= "1" && key.text <= "8" && key.text.size() == 1) {
    show_view(kAllViews[static_cast<size_t>(key.text[0] - '1')]);
  } else {
    const auto& actions = all_actions();
    const auto action = std::ranges::find_if(actions, [&](const Action& each) { return key.is(each.key); });
    if (action == actions.end()) return false;
    run_action(*action);
  }
  return true;
}

void App::handle_in_list(const Key& key) {
  if (shown_ || job_) return;
  if (key.is("/"))
    prompt_ = Prompt{.label = "/", .text = list().filter(), .before = list().filter()};
  else if (key.is("0")) {
    all_namespaces_ = !all_namespaces_;
    set_scopes();
    said_ = all_namespaces_ ? "all namespaces" : "only the namespace of the context";
  } else if (key.kind == KeyKind::enter || key.kind == KeyKind::right)
    open_details();
  else if (key.kind == KeyKind::tab)
    show_view(kAllViews[(static_cast<size_t>(view_) + 1) % kAllViews.size()]);
}

/// Closes the topmost of these: a pane, a job, the filter. Returns whether one was open.
bool App::close_topmost() {
  if (shown_) {
    if (shown_->is_running) outside_.stop(*shown_->pane);
    shown_.reset();
  } else if (job_) {
    job_.reset();
    open_.reset();
  } else if (!list().filter().empty()) {
    list().set_filter("");
  } else {
    return false;
  }
  return true;
}

/// The row on which an action acts: that of the open job, or the selected one.
const Row* App::acted_row() {
  if (!open_) return list().selected();
  const auto& [table, cluster, id] = *open_;
  return tables_.find(table, cluster, id);
}

Table App::acted_table() const {
  return open_ ? std::get<Table>(*open_) : table_of(view_);
}

void App::open_details() {
  const Row* row = list().selected();
  if (!row) return;
  list().hold();
  const Json data = parse_json(row->data, "a row");
  if (table_of(view_) == Table::jobs && string_at(data, {"kind"}) != "Pod") return open_job(*row);
  if (const Row* job = job_of_run(*row, data)) return open_job(*job);
  if (const auto words = words_of_details(view_, data); !words.empty()) return show(*row, words);
  shown_ = Shown{std::make_unique<Pane>(), "", false};
  shown_->pane->add(text_of_row(data));
  shown_->pane->end();
  shown_->pane->show_from_top();
}

void App::open_job(const Row& row) {
  open_ = {Table::jobs, row.cluster->name, row.id};
  job_ = std::make_unique<JobScreen>(row, options_, outside_, pane_size());
}

/// The job of a submit, if it still exists; null for rows of other views.
const Row* App::job_of_run(const Row& row, const Json& data) {
  if (view_ != View::runs || string_at(data, {"kind"}) != "job") return nullptr;
  const std::string mark = "\"submitId\":\"" + string_at(data, {"run"}) + "\"";
  const auto& jobs = tables_.rows(Table::jobs);
  const auto found = std::ranges::find_if(
      jobs, [&](const Row* job) { return job->cluster == row.cluster && contains(job->data, mark); });
  return found == jobs.end() ? nullptr : *found;
}

void App::show(const Row& row, const std::vector<std::string>& words) {
  if (shown_) close_topmost();
  shown_ = Shown{std::make_unique<Pane>(), typed_command(options_, row, words), true};
  if (std::ranges::find(words, "logs") == words.end()) shown_->pane->show_from_top();
  outside_.start(*shown_->pane, command_for(options_, row, words), pane_size());
}

/// "dev/lab: ", if rows of several clusters or namespaces are shown; otherwise empty.
std::string App::place_of(const Row& row) const {
  const bool has_several = tables_.clusters().size() > 1;
  if (!has_several && !all_namespaces_) return {};
  return (has_several ? row.cluster->name + "/" : "") + row.namespace_name + ": ";
}

void App::run_action(const Action& action) {
  const Row* row = acted_row();
  if (!row) return;
  list().hold();
  const Json data = parse_json(row->data, "a row");
  std::vector<std::string> words = words_of(action, view_, data);
  const std::string name = string_at(data, {"name"});
  if (words.empty()) {
    const bool has_ended = !words_of(action, view_, without_state(data)).empty();
    said_ = has_ended
                ? name + " has ended"
                : "\"" + std::string(action.verb) + "\" does not apply to " + std::string(name_of(view_));
    return;
  }
  // The row may change or disappear before the user answers.
  const auto again = [this, table = acted_table(), cluster = row->cluster->name, id = row->id] {
    return tables_.find(table, cluster, id);
  };
  switch (action.how) {
    case Action::How::show: return show(*row, words);
    case Action::How::in_front: return outside_.run_in_front(command_for(options_, *row, words));
    case Action::How::ask:
      prompt_ = Prompt{.kind = Prompt::Kind::question,
                       .label = place_of(*row) + join(words, " ") + "? [y/N] ",
                       .act = [this, again, words](const std::string&) {
                         if (const Row* there = again()) run_aside(*there, words);
                       }};
      return;
    case Action::How::with_port:
      prompt_ = Prompt{.kind = Prompt::Kind::port,
                       .label = place_of(*row) + "port of " + name + ": ",
                       .act = [this, again, words](const std::string& port) {
                         std::vector<std::string> all = words;
                         all.push_back(port);
                         if (const Row* there = again(); there && !port.empty()) run_aside(*there, all);
                       }};
      return;
  }
}

void App::run_aside(const Row& row, const std::vector<std::string>& words) {
  asides_.push_back({std::make_unique<Pane>(), typed_command(options_, row, words)});
  said_ = asides_.back().command;
  outside_.start(*asides_.back().pane, command_for(options_, row, words), {200, 24});
}

std::string App::shown_command() {
  if (shown_ && !shown_->command.empty()) return shown_->command;
  const Row* row = acted_row();
  if (job_ && row)
    return typed_command(options_, *row, {"why", job_argument(parse_json(row->data, "a row"))});
  return command_of_list(row ? *row->cluster : tables_.clusters().front());
}

/// Nodes have no namespace.
std::string App::command_of_list(const Cluster& cluster) const {
  cli::GlobalOptions own = options_in(options_, cluster, "");
  if (all_namespaces_ || view_ == View::nodes) own.namespace_name.clear();
  std::vector<std::string> words = words_of(view_);
  if (all_namespaces_ && takes_all_namespaces(view_)) words.emplace_back("-A");
  return typed_with(own, words);
}

void App::copy() {
  const std::string command = shown_command();
  outside_.copy(command);
  said_ = "copied: " + command;
}

}  // namespace kml::live
