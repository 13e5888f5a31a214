#include <algorithm>
#include <string>
#include <utility>

#include "kml/base/text.h"
#include "live/screen/actions.h"
#include "live/screen/app.h"

namespace kml::live {

namespace {

/// How long a note is shown.
constexpr std::chrono::seconds kNote{15};

constexpr std::pair<std::string_view, std::string_view> kHelp[] = {
    {"1 … 8, Tab", "views: queue, jobs, nodes, runs, sweeps, pipelines, serves, schedules"},
    {":", "a view by its name, or :q"},
    {"j k, arrows", "down, up"},
    {"g G, Home End", "to the first, to the last"},
    {"Ctrl-F Ctrl-B", "a page down, a page up; Ctrl-D and Ctrl-U: half a page"},
    {"/", "show only the rows with this text"},
    {"0", "all namespaces, or only that of the context"},
    {"Enter", "open a job: the reason for its state, its metrics and its log"},
    {"l", "the log, as it is written"},
    {"w", "why it waits or has failed"},
    {"i", "its state, pods and events"},
    {"a", "its attempts"},
    {"s", "a shell in its first pod"},
    {"p", "forward a port"},
    {"c", "cancel, stop or pause (asks)"},
    {"r", "run again, resume or start now (asks)"},
    {"y", "copy the kml command that prints the same"},
    {"Esc", "back"},
    {"q", "back; quit if nothing is open"},
    {"Ctrl-Z", "to the shell; fg returns"},
};

}  // namespace

Canvas App::draw(Time now) {
  Canvas canvas(static_cast<size_t>(size_.rows), static_cast<size_t>(size_.columns));
  if (canvas.rows() < 3 || canvas.columns() < 10) return canvas;
  draw_title(canvas);
  draw_last_line(canvas);
  const size_t end = draw_troubles(canvas, canvas.rows() - 1, now);
  if (shows_help_) {
    draw_help(canvas);
  } else if (shown_) {
    shown_->pane->draw(canvas, 1, end);
    if (shown_->is_running && shown_->pane->is_empty()) canvas.put(1, 0, "…", "2");
  } else if (job_) {
    job_->draw(canvas, 1, end, acted_row(), now);
  } else {
    list().draw(canvas, 1, end, now);
    if (list().count() == 0 && end > 2) canvas.put(2, 0, text_without_rows(), "2");
  }
  return canvas;
}

/// Says that there are no rows only if all clusters could be read.
std::string App::text_without_rows() {
  const std::string rows(view_ == View::queue ? "jobs" : name_of(view_));
  std::vector<std::string> unread;
  for (const Cluster& cluster : tables_.clusters())
    if (!cluster.is_synced) {
      if (cluster.trouble.empty()) return "reading …";
      unread.push_back(cluster.name);
    }
  if (!unread.empty()) return "the " + rows + " of " + some_of(unread) + " are unknown";
  if (!list().filter().empty()) return "no " + rows + " with \"" + list().filter() + "\"";
  return "no " + rows + (all_namespaces_ || view_ == View::nodes ? "" : " in this namespace; 0 shows all");
}

void App::draw_title(Canvas& canvas) {
  std::vector<std::string> clusters;
  for (const Cluster& cluster : tables_.clusters()) clusters.push_back(cluster.name);
  std::string where = some_of(clusters);
  if (!all_namespaces_ && scopes_.size() == 1) where += "/" + scopes_[0].namespace_name;
  size_t column = canvas.put(0, 0, "kml", "1");
  column = canvas.put(0, column + 1, where, "36");
  if (shown_) {
    canvas.put(0, column + 2, shown_->command);
    return;
  }
  const size_t letters = letters_of_views(canvas.columns(), column);
  for (const View view : kAllViews)
    column = canvas.put(0, column + 2, title_of_view(view, letters), view == view_ ? "1;4" : "2");
}

/// The title of a view: its key and name and, for the shown view, its number of rows and its filter.
std::string App::title_of_view(View view, size_t letters) {
  std::string title = std::to_string(static_cast<size_t>(view) + 1) + " ";
  if (view != view_) return title + std::string(name_of(view).substr(0, letters));
  title += std::string(name_of(view)) + " " + std::to_string(list().count());
  return title + (list().filter().empty() ? "" : " /" + list().filter());
}

/// How many letters of the other views' names fit into the first line.
size_t App::letters_of_views(size_t columns, size_t used) {
  size_t letters = std::string_view("pipelines").size();
  for (; letters > 0; --letters) {
    size_t width = used;
    for (const View view : kAllViews) width += 2 + ui::display_width(title_of_view(view, letters));
    if (width <= columns) break;
  }
  return letters;
}

void App::draw_help(Canvas& canvas) {
  size_t row = 1;
  for (const auto& [keys, meaning] : kHelp) {
    if (row + 1 >= canvas.rows()) return;
    canvas.put(row, 1, keys, "1");
    canvas.put(row++, 18, meaning);
  }
}

/// A line for each cluster that cannot be read, or has a new note, above the row `end`. Returns the first of
/// these rows.
size_t App::draw_troubles(Canvas& canvas, size_t end, Time now) {
  for (const Cluster& cluster : tables_.clusters()) {
    const bool is_lost = !cluster.trouble.empty();
    const bool has_note = !cluster.note.empty() && now - cluster.noted < kNote;
    if ((!is_lost && !has_note) || end <= canvas.rows() / 2) continue;
    canvas.put(--end, 0,
               cluster.name + ": " + (is_lost ? "lost, trying again: " + cluster.trouble : cluster.note),
               is_lost ? "31" : "33");
  }
  return end;
}

/// The keys that do something here. Those of a job are too many for 80 columns, so some are only in the help.
std::string App::hints() {
  const bool is_list = !job_ && !shown_;
  const Row* row = acted_row();
  std::string keys = is_list && row ? "Enter open  " : "";
  const Json data = row ? parse_json(row->data, "a row") : Json();
  for (const Action& action : all_actions()) {
    const auto words = row ? words_of(action, view_, data) : std::vector<std::string>();
    if (!words.empty() && contains(is_list ? "l w c r" : "l w i a s c", action.key))
      keys += std::string(action.key) + " " + name_of(action, words) + "  ";
  }
  return keys + (is_list ? "/ filter  : view  ? help  q quit" : "y copy  q back  ? help");
}

void App::draw_last_line(Canvas& canvas) {
  const size_t last = canvas.rows() - 1;
  if (prompt_) {
    const size_t column = canvas.put(last, 0, prompt_->label, "1");
    const size_t after = canvas.put(last, column, prompt_->text);
    canvas.put(last, after, " ", "7");
  } else if (!said_.empty()) {
    canvas.put(last, 0, said_);
  } else {
    canvas.put(last, 0, hints(), "2");
  }
}

}  // namespace kml::live
