#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "tracking/commands/tracked_runs.h"

namespace kml::cli {

namespace {

struct NotesOptions {
  std::vector<std::string> words;
};

/// Turns "T=V" into {"T": "V"}, and "T-" into {"T": null}.
Json tags_of(const std::vector<std::string>& words) {
  Json tags = Json::object();
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals != std::string::npos && equals > 0)
      tags[word.substr(0, equals)] = word.substr(equals + 1);
    else if (equals == std::string::npos && word.size() > 1 && word.ends_with('-'))
      tags[word.substr(0, word.size() - 1)] = nullptr;
    else
      throw usage_error("\"" + word + "\" is not a tag", "", "TAG=VALUE sets a tag, TAG- removes it");
  }
  return tags;
}

int run_tag(Context& context, const NotesOptions& options) {
  const Json tags = tags_of({options.words.begin() + 1, options.words.end()});
  const std::vector<tracking::TrackedRun> runs = recorded_runs(context);
  const tracking::TrackedRun& run = run_named(runs, options.words[0]);
  job::Submissions::of_user().add_tags(run.id, tags);
  context.streams().out << "run " << run.name << " tagged\n";
  return 0;
}

int run_note(Context& context, const NotesOptions& options) {
  const std::vector<tracking::TrackedRun> runs = recorded_runs(context);
  const tracking::TrackedRun& run = run_named(runs, options.words[0]);
  const std::vector<std::string> text(options.words.begin() + 1, options.words.end());
  job::Submissions::of_user().add_note(run.id, join(text, " "));
  context.streams().out << "run " << run.name << " noted\n";
  return 0;
}

}  // namespace

Command runs_tag_command() {
  auto options = std::make_shared<NotesOptions>();
  Command command{"tag", "Set or remove tags of a run"};
  command.examples = "# Mark the run for the paper\nkml runs tag bert paper=yes";
  command.takes("RUN TAG=VALUE", options->words, "name or id of a run, then tags; TAG- removes a tag", 2);
  command.run = [options](Context& context) { return run_tag(context, *options); };
  return command;
}

Command runs_note_command() {
  auto options = std::make_shared<NotesOptions>();
  Command command{"note", "Write a note on a run, replacing an earlier one"};
  command.examples = "kml runs note bert 'diverges after epoch 3'";
  command.takes("RUN TEXT", options->words, "name or id of a run, then the note", 2);
  command.run = [options](Context& context) { return run_note(context, *options); };
  return command;
}

}  // namespace kml::cli
