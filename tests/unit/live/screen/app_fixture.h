#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "kml/base/text.h"
#include "live/screen/app.h"

/// The screen of `kml ui` with rows that a test sets, and the commands that it asks for.
namespace app_fixture {

using namespace kml;
using namespace kml::live;

inline const Time kNow = *parse_rfc3339("2026-01-01T01:00:00Z");

/// Records what the screen asks for.
struct Recorder : Outside {
  void start(Pane& pane, const std::vector<std::string>& argv, TerminalSize size) override {
    started.push_back(join({argv.data() + 1, argv.size() - 1}, " "));
    panes[started.back()] = &pane;
    sizes[&pane] = size;
  }
  void resize(Pane& pane, TerminalSize size) override { sizes[&pane] = size; }
  void stop(Pane& pane) override {
    std::erase_if(panes, [&](const auto& entry) { return entry.second == &pane; });
  }
  void run_in_front(const std::vector<std::string>& argv) override {
    in_front = join({argv.data() + 1, argv.size() - 1}, " ");
  }
  void copy(std::string_view text) override { copied = text; }

  std::vector<std::string> started;
  std::map<std::string, Pane*> panes;  ///< by command
  std::map<Pane*, TerminalSize> sizes;
  std::string in_front, copied;
};

struct Fixture {
  explicit Fixture(std::vector<std::string> clusters = {"prod"}, TerminalSize size = {80, 12})
      : tables(clusters), app(tables, options, scopes_of(clusters), outside, size) {}

  static std::vector<Scope> scopes_of(const std::vector<std::string>& clusters) {
    std::vector<Scope> scopes;
    for (const std::string& name : clusters) scopes.push_back({name, "lab"});
    return scopes;
  }
  void set(Table table, const std::string& id, const std::string& order, Json row,
           const std::string& cluster = "prod") {
    tables.apply({.kind = Change::Kind::set,
                  .cluster = cluster,
                  .table = table,
                  .id = id,
                  .order = order,
                  .data = json_text(row)},
                 kNow);
  }
  void job(const std::string& name, const std::string& order, const std::string& state,
           const std::string& cause = "", const std::string& where = "lab",
           const std::string& cluster = "prod") {
    Json row = {{"name", name},
                {"namespace", where},
                {"kind", "Job"},
                {"state", state},
                {"active", state != "Failed"},
                {"created", "2026-01-01T00:30:00Z"},
                {"user", "ana"},
                {"gpus", 2}};
    if (!cause.empty()) row["cause"] = cause;
    if (state == "Waiting") row["group"] = "";
    set(Table::jobs, where + "/Job/" + name, order, row, cluster);
  }
  void sync() {
    for (const Cluster& cluster : tables.clusters())
      tables.apply({.kind = Change::Kind::synced, .cluster = cluster.name}, kNow);
  }
  /// Presses keys: characters, or names such as <Enter>.
  void press(std::string keys) {
    static const std::pair<const char*, Key> kNamed[] = {
        {"<Enter>", {KeyKind::enter}},    {"<Esc>", {KeyKind::escape}},       {"<Down>", {KeyKind::down}},
        {"<Back>", {KeyKind::backspace}}, {"<C-c>", {KeyKind::control, "c"}}, {"<Tab>", {KeyKind::tab}}};
    while (!keys.empty()) {
      const auto named =
          std::ranges::find_if(kNamed, [&](const auto& each) { return keys.starts_with(each.first); });
      app.handle(named != std::end(kNamed) ? named->second : Key{KeyKind::text, keys.substr(0, 1)}, kNow);
      keys.erase(0, named != std::end(kNamed) ? std::string(named->first).size() : 1);
    }
  }
  void paste(const std::string& text) { app.handle({KeyKind::paste, text}, kNow); }
  std::vector<std::string> screen() {
    app.update(kNow);
    return app.draw(kNow).text();
  }
  /// The row of the screen that contains the text; empty if there is none.
  std::string row_with(const std::string& text) {
    for (const std::string& row : screen())
      if (contains(row, text)) return row;
    return "";
  }
  std::string last() { return screen().back(); }
  /// Checks that the terminal gets no codes that clear it or change its title, and no text runs backward.
  void require_harmless() {
    const Canvas drawn = app.draw(kNow);
    const std::string bytes = difference(Canvas(drawn.rows(), drawn.columns()), drawn, true);
    for (const char* harm : {"\x1B]", "\x1B[2J", "\x07", "\n", "\u202E"}) CHECK_FALSE(contains(bytes, harm));
  }
  size_t selected_row() {
    const Canvas canvas = app.draw(kNow);
    for (size_t row = 0; row < canvas.rows(); ++row)
      if (canvas.at(row, 0).style.ends_with("7")) return row;
    return 0;
  }

  Tables tables;
  cli::GlobalOptions options;
  Recorder outside;
  App app;
};

}  // namespace app_fixture
