#include "kml/kube/list/brief_list.h"

#include <algorithm>
#include <memory>

#include "kml/base/memory.h"
#include "kube/client/request_parts.h"
#include "kube/list/brief_fields.h"
#include "kube/list/json_list.h"
#include "kube/list/protobuf_list.h"
#include "kube/list/prune.h"

namespace kml::kube {

namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
/// After this time, requests the list in pages instead. Each page has its own time limit.
constexpr std::chrono::minutes kLongestListing{2};
/// If no data arrives for this time, the list is abandoned. A server needs some seconds to make a large list.
constexpr std::chrono::seconds kLongestSilence{30};

/// A list that is being received. It is requested as a whole, because pages would be slower: the server would
/// read them from its disk, not from memory, and each page would wait for the one before.
class Listing {
 public:
  Listing(http::Transport& transport, const BriefQuery& query)
      : transport_(transport),
        query_(query),
        kind_(*query.kind),
        fields_(brief_fields(kind_, query.detail)),
        protobuf_([this](std::string_view item) { take_item(from_protobuf(item, fields_), item.size()); }),
        json_([this](std::string_view item) { take_json(item); }) {
    unneeded_.insert(unneeded_.end(), query.unneeded.begin(), query.unneeded.end());
    const std::string accept = (fields_.empty() ? "" : std::string(kProtobuf) + ", ") + "application/json";
    Query path(kind_.path(query.namespace_name));
    path.add_if("labelSelector", query.label_selector);
    if (query.may_be_old) path.add("resourceVersion", "0");
    stream_ = transport.stream(
        {.path = path.text(), .headers = {{"Accept", accept}}},
        {.on_headers = [this](const http::Response& response) { look_at(response); },
         .on_data = [this](std::string_view data) { return take(data); },
         .on_end = [this](const http::Response& response, const Error* broken) { end(response, broken); }});
  }

  bool done() const { return done_; }
  /// When data last arrived or, if none has, when the request started.
  http::SteadyTime heard() const { return heard_; }
  /// Whether the complete list or an error has arrived.
  bool is_final() const { return final_; }
  BriefList& list() { return list_; }

 private:
  void look_at(const http::Response& response) {
    heard_ = transport_.now();
    is_protobuf_ = response.header("content-type").starts_with(kProtobuf);
  }

  bool take(std::string_view data) {
    heard_ = transport_.now();
    try {
      is_protobuf_ ? protobuf_.take(data) : json_.take(data);
    } catch (const Error&) {
      give_up();
    }
    return !done_;
  }

  void take_json(std::string_view text) {
    Json item = parse_json(pruned(text, unneeded_), name());
    if (const auto metadata = item.find("metadata"); metadata != item.end() && metadata->is_object())
      metadata->erase("managedFields");
    keep_only(fields_, item);
    take_item(std::move(item), text.size());
  }

  /// `size` is how many bytes the item took in the response. In memory, it needs many times as much.
  void take_item(Json item, size_t size) {
    constexpr size_t kLeastPerItem = 1024, kBetweenLooks = size_t{10} << 20;
    taken_ += size + kLeastPerItem;
    if (taken_ > kBetweenLooks) {
      require_memory(name(), taken_);
      taken_ = 0;
    }
    api::set_kind(item, kind_);
    if (query_.shorten) query_.shorten(item);
    query_.take ? query_.take(std::move(item)) : list_.items.push_back(std::move(item));
  }

  /// Gives up this request. A list that is too large as a whole may be received in pages.
  void give_up() {
    done_ = true;
    list_ = {};
  }

  void end(const http::Response& response, const Error* broken) {
    done_ = true;
    if (broken) return give_up();
    if (response.status / 100 == 2) {
      final_ = is_protobuf_ ? protobuf_.is_whole() : is_whole_json();
    } else if (response.status / 100 == 4 && response.status != 429) {
      list_.error = error_of(response);
      final_ = true;
    }
  }

  Error error_of(http::Response response) const {
    if (is_protobuf_) try {
        response.body = status_from_protobuf(response.body).dump();
      } catch (const Error&) {
        response.body.clear();  // damaged
      }
    return response_error("cannot list " + std::string(kind_.plural), response);
  }

  bool is_whole_json() const {
    try {
      return is_list(parse_json(json_.rest(), name()), kind_);
    } catch (const Error&) {
      return false;
    }
  }

  std::string name() const { return "the list of " + std::string(kind_.plural); }

  http::Transport& transport_;
  const BriefQuery& query_;
  size_t taken_ = 0;  ///< how many bytes arrived since the memory was last checked
  const api::ResourceKind& kind_;
  const Message fields_;
  /// managedFields is often the larger part of an object
  std::vector<std::string_view> unneeded_ = {"managedFields"};
  BriefList list_;
  ProtobufListSplitter protobuf_;
  JsonListSplitter json_;
  http::SteadyTime heard_ = transport_.now();
  bool is_protobuf_ = false, done_ = false, final_ = false;
  std::unique_ptr<http::Stream> stream_;
};

BriefList list_in_json(Client& client, const BriefQuery& query) {
  try {
    std::vector<Json> items =
        client
            .list(*query.kind, query.namespace_name,
                  {.label_selector = query.label_selector,
                   .shorten = [&](Json& item) { keep_only(brief_fields(*query.kind, query.detail), item); }})
            .items;
    if (query.shorten) std::ranges::for_each(items, query.shorten);
    if (!query.take) return {std::move(items), {}};
    for (Json& item : items) query.take(std::move(item));
    return {};
  } catch (const Error& error) {
    if (error.http_status == 0) throw;  // the server is unreachable, so further lists would fail, too
    return {{}, error};
  }
}

}  // namespace

std::vector<BriefList> list_briefly(Client& client, std::span<const BriefQuery> queries) {
  http::Transport& transport = client.transport();
  std::vector<std::unique_ptr<Listing>> listings;
  for (const BriefQuery& query : queries) listings.push_back(std::make_unique<Listing>(transport, query));
  const http::SteadyTime until = transport.now() + kLongestListing;
  std::vector<BriefList> results;
  for (size_t i = 0; i < queries.size(); ++i) {
    const auto end = [&] { return std::min(until, listings[i]->heard() + kLongestSilence); };
    while (!listings[i]->done() && transport.now() < end())
      transport.wait(std::chrono::ceil<std::chrono::milliseconds>(end() - transport.now()));
    results.push_back(listings[i]->is_final() ? std::move(listings[i]->list())
                                              : list_in_json(client, queries[i]));
    listings[i].reset();
  }
  return results;
}

}  // namespace kml::kube
