#include <algorithm>

#include "kml/base/memory.h"
#include "kml/base/signals.h"
#include "kml/kube/client/client.h"
#include "kml/kube/objects/object.h"
#include "kube/client/request_parts.h"

namespace kml::kube {

namespace {

constexpr int kMostPages = 10'000;
/// By how much the page size is divided if a page is too large, because its objects may be ConfigMaps of 1
/// MiB.
constexpr int kFewerPerPage = 8;
/// By how much the page size is multiplied if pages expired before the next one was requested. Above
/// kLargestPage, everything is requested as one page, which may exceed the limit for a single response.
constexpr int kMorePerPage = 8, kLargestPage = 32'000;

/// Appends the items of a page to those of earlier pages. Throws Error if the response is not a list;
/// otherwise, a login page, a proxy or another service would look like a server without objects.
void take_items(Json& page, const api::ResourceKind& kind, const ListOptions& options,
                const std::string& tried, ListResult& result) {
  if (!is_list(page, kind)) throw unexpected_answer(page, tried, "a list of " + std::string(kind.plural));
  for (Json& item : page["items"]) {
    if (!item.is_object()) continue;
    if (options.shorten) options.shorten(item);
    set_kind(item, kind);
    result.items.push_back(std::move(item));
  }
}

}  // namespace

http::Request list_request(const api::ResourceKind& kind, std::string_view namespace_name,
                           const ListOptions& options, const std::string& next_page) {
  Query query(kind.path(namespace_name));
  query.add_if("labelSelector", options.label_selector);
  query.add_if("fieldSelector", options.field_selector);
  if (options.limit > 0) query.add("limit", std::to_string(options.limit));
  query.add_if("continue", next_page);
  return {.path = query.text(), .headers = {{"Accept", "application/json"}}};
}

ListResult Client::list(const api::ResourceKind& kind, std::string_view namespace_name,
                        const ListOptions& options) {
  ListOptions now = options;
  ListResult result;
  const std::string tried = "cannot list " + std::string(kind.plural),
                    listing = "the list of " + std::string(kind.plural);
  std::string next_page;
  for (int pages = 0; pages < kMostPages; ++pages) {
    throw_if_interrupted();
    require_memory(listing, size_t{1} << 20);
    Json page;
    try {
      page = send_json(list_request(kind, namespace_name, now, next_page), tried);
    } catch (const Error& error) {
      if (error.reason == kTooLarge && now.limit > 1) {
        now.limit = std::max(now.limit / kFewerPerPage, 1);
        continue;
      }
      if (error.http_status != 410 || next_page.empty() || now.limit == 0) throw;
      // The server has discarded the state that the pages belong to. Starts again with fewer but larger
      // pages, and finally with a single one.
      result.items.clear();
      next_page.clear();
      now.limit = now.limit * kMorePerPage <= kLargestPage ? now.limit * kMorePerPage : 0;
      continue;
    }
    take_items(page, kind, options, tried, result);
    result.resource_version = api::revision_of(page);
    next_page = string_at(page, {"metadata", "continue"});
    if (next_page.empty()) return result;
  }
  throw too_large(listing, "it has more than " + std::to_string(kMostPages) + " pages");
}

}  // namespace kml::kube
