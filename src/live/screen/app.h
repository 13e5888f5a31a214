#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/context.h"
#include "live/model/tables.h"
#include "live/screen/actions.h"
#include "live/screen/canvas.h"
#include "live/screen/job_screen.h"
#include "live/screen/keys.h"
#include "live/screen/list_view.h"
#include "live/screen/outside.h"
#include "live/screen/prompt.h"

namespace kml::live {

/// `kml ui` in a terminal: what each key does, and what the screen shows. It does no input or output itself.
class App {
 public:
  /// `scopes` are the namespaces of the clusters' contexts. `options` are the options of the commands that it
  /// runs.
  App(Tables& tables, const cli::GlobalOptions& options, std::vector<Scope> scopes, Outside& outside,
      TerminalSize size);
  ~App();

  void handle(const Key& key, Time now);
  void resize(TerminalSize size);
  /// Call this after changes of the tables or of panes, and from time to time.
  void update(Time now);
  Canvas draw(Time now);
  bool is_over() const { return is_over_; }
  void show_view(View view);
  /// Shows a text in the last line until the next key.
  void say(std::string text) { said_ = std::move(text); }

 private:
  /// A pane that fills the screen, with the command that it shows.
  struct Shown {
    std::unique_ptr<Pane> pane;
    std::string command;
    bool is_running = false;  ///< whether a command writes to the pane
  };
  /// A command that runs in the background, to change something or to forward a port.
  struct Aside {
    std::unique_ptr<Pane> pane;
    std::string command;
    size_t told = 0;            ///< how many of the command's lines were shown
    bool has_answered = false;  ///< whether one of these lines was not a note
  };

  ListView& list() { return *lists_.at(view_); }
  void handle_in_list(const Key& key);
  bool handle_common(const Key& key);
  bool scroll(const Key& key);
  void move(long long by);
  void move_to_end(bool last);
  long long page() const;
  bool close_topmost();
  void open_details();
  void open_job(const Row& row);
  const Row* job_of_run(const Row& row, const Json& data);
  Table acted_table() const;
  void tell(Aside& aside, const std::string& line);
  void show(const Row& row, const std::vector<std::string>& words);
  void run_action(const Action& action);
  void run_aside(const Row& row, const std::vector<std::string>& words);
  void answer(const Prompt& prompt);
  void go_to(const std::string& word);
  void copy();
  const Row* acted_row();
  std::string shown_command();
  std::string command_of_list(const Cluster& cluster) const;
  std::string place_of(const Row& row) const;
  void set_scopes();

  std::string text_without_rows();
  void draw_title(Canvas& canvas);
  std::string title_of_view(View view, size_t letters);
  size_t letters_of_views(size_t columns, size_t used);
  void draw_help(Canvas& canvas);
  size_t draw_troubles(Canvas& canvas, size_t end, Time now);
  void draw_last_line(Canvas& canvas);
  std::string hints();
  TerminalSize pane_size() const;

  Tables& tables_;
  const cli::GlobalOptions& options_;
  const std::vector<Scope> scopes_;
  Outside& outside_;
  TerminalSize size_;
  View view_ = View::queue;
  std::map<View, std::unique_ptr<ListView>> lists_;
  bool all_namespaces_ = false, shows_help_ = false, is_over_ = false;
  /// the row whose details are open: its table, cluster and id
  std::optional<std::tuple<Table, std::string, std::string>> open_;
  std::unique_ptr<JobScreen> job_;
  std::optional<Shown> shown_;
  std::list<Aside> asides_;
  std::optional<Prompt> prompt_;
  std::string said_;
};

}  // namespace kml::live
