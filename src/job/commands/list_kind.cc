#include "job/commands/list_kind.h"

#include "job/tables/kind_tables.h"
#include "kml/base/text.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

Error unknown_in_list(const std::string& word, const std::string& namespace_name) {
  std::vector<std::string> words = {"jobs"};
  for (const job::ListedKindInfo& kind : job::listed_kinds()) words.emplace_back(kind.word);
  return usage_error("\"" + word + "\" is neither a job in namespace " + namespace_name +
                         " nor a kind that `kml list` lists",
                     "the kinds are " + join(words, ", "), did_you_mean(lower(word), words));
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
