#include "job/commands/list_kind.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "job/tables/kind_tables.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

/// A word for objects that another command lists.
struct ListedElsewhere {
  std::string_view words, command;
};

constexpr ListedElsewhere kListedElsewhere[] = {
    {"sweep sweeps trial trials", "kml sweep list"},
    {"run runs experiment experiments", "kml runs"},
    {"pipeline pipelines", "kml run list"},
    {"schedule schedules cronjob cronjobs cj", "kml schedule list"},
    {"serve served service services svc svcs model models deployment deployments deploy", "kml serve list"},
    {"artifact artifacts", "kml artifact list"},
    {"template templates", "kml template list"},
    {"environment environments env envs", "kml env list"},
    {"session sessions dev", "kml dev --list"},
    {"gpu gpus", "kml top nodes"},
    {"user users usage", "kml usage"},
    {"pod pods po rank ranks task tasks event events", "kml status JOB"},
};

/// The command that lists such objects; empty if there is none.
std::string_view lister_of(const std::string& word) {
  for (const ListedElsewhere& row : kListedElsewhere) {
    const std::vector<std::string> words = split(row.words, ' ');
    if (std::find(words.begin(), words.end(), word) != words.end()) return row.command;
  }
  return {};
}

}  // namespace

Error not_in_list(std::string what, std::string why, std::string fix) {
  Error error(ErrorCode::failure, std::move(what), std::move(why), std::move(fix));
  error.reason = "NotFound";
  return error;
}

Error unmatched_pattern(const std::string& pattern, const std::string& namespace_name) {
  return not_in_list("no job in namespace " + namespace_name + " matches \"" + pattern + "\"", "",
                     "`kml list` shows the jobs there");
}

Error unknown_in_list(const std::string& word, const std::string& namespace_name,
                      std::vector<std::string> jobs) {
  if (job::find_listed_kind(word))
    return not_in_list("no job \"" + word + "\" in namespace " + namespace_name,
                       "after the word jobs, every word is the name of a job", "kml list " + word);
  if (const std::string_view lister = lister_of(lower(word)); !lister.empty())
    return usage_error("`kml list` does not list " + word, "", std::string(lister));
  std::vector<std::string> kinds = {"jobs"};
  for (const job::ListedKindInfo& kind : job::listed_kinds()) kinds.emplace_back(kind.word);
  const std::string otherwise = "the kinds are " + join(kinds, ", ");
  std::ranges::move(kinds, std::back_inserter(jobs));
  return not_in_list("\"" + word + "\" is neither a job in namespace " + namespace_name +
                         " nor a kind that `kml list` lists",
                     "", suggestion(lower(word), jobs, otherwise));
}

std::string text_of_listed_kinds() {
  std::string text;
  for (const job::ListedKindInfo& kind : job::listed_kinds()) {
    text += (text.empty() ? "- " : "\n- ") + std::string(kind.word) + ": " + std::string(kind.shown);
  }
  return text;
}

int run_list_kind(Context& context, const job::ListedKindInfo& kind, const ListingOptions& options) {
  const bool for_table = options.output.empty() || options.output == "wide";
  const job::KindListing listing =
      job::list_kind(context.client(), kind,
                     {context.list_namespace(options.all_namespaces), options.filter.selector, for_table});
  if (!for_table) {
    ui::print_objects(context.streams(), listing.items, options.output, true, !options.no_headers);
    return 0;
  }
  for (const std::string& what : listing.unknown) context.note("cannot determine " + what);

  if (listing.items.empty())
    context.note("no " + std::string(kind.word) +
                 (listing.is_namespaced && !options.all_namespaces
                      ? " in namespace " + context.place().namespace_name
                      : ""));
  else
    ui::print_kind(
        context.streams(), listing,
        {options.all_namespaces && listing.is_namespaced, options.output == "wide", !options.no_headers},
        system_clock().now());
  return 0;
}

}  // namespace kml::cli
