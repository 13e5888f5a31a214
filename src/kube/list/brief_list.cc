#include "kml/kube/list/brief_list.h"

#include <algorithm>
#include <memory>

#include "kml/base/memory.h"
#include "kube/client/request_parts.h"
#include "kube/list/brief_fields.h"
#include "kube/list/protobuf_list.h"

namespace kml::kube {

namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
/// After this time, the list is requested in pages instead; each of them has its own time limit.
constexpr std::chrono::minutes kLongestListing{2};
/// A list is given up after this time without data. A server needs some seconds to make a large list.
constexpr std::chrono::seconds kLongestSilence{30};

/// A list that is being received. It is requested as a whole: for pages, the server would read from its disk
/// instead of its memory, and each page would wait for the one before.
class Listing {
 public:
  /// `held` is the number of bytes that all listings hold unparsed.
  Listing(http::Transport& transport, const BriefQuery& query, size_t& held)
      : transport_(transport),
        query_(query),
        held_(held),
        kind_(*query.kind),
        fields_(brief_fields(kind_, query.detail)),
        splitter_([this](std::string_view item) { take_item(item); }) {
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
  /// When its last data arrived, or, before that, when it began.
  http::SteadyTime heard() const { return heard_; }
  /// Whether the list, or an error, is complete.
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
      if (is_protobuf_)
        splitter_.take(data);
      else
        take_text(data);
    } catch (const Error&) {
      give_up();
    }
    return !done_;
  }

  /// An item may have two bytes as protobuf, and needs many more as JSON.
  void take_item(std::string_view item) {
    constexpr size_t kBetweenLooks = 10'000, kMostPerItem = 1024;
    if (++items_ % kBetweenLooks == 0) require_memory(name(), kBetweenLooks * kMostPerItem);
    add(from_protobuf(item, fields_));
  }

  void take_text(std::string_view data) {
    constexpr size_t kMuch = size_t{1} << 20;
    const size_t size = json_.size() + data.size();
    if (held_ + data.size() > kLongestAnswer) return give_up();
    if (size > kMuch && size > json_.capacity()) require_memory(name(), 2 * size);
    held_ += data.size();
    json_.append(data);
  }

  /// What is too large as a whole may fit in pages.
  void give_up() {
    done_ = true;
    drop_text();
    list_ = {};
  }

  void drop_text() {
    held_ -= json_.size();
    json_ = {};
  }

  void end(const http::Response& response, const Error* broken) {
    done_ = true;
    if (broken) return give_up();
    if (response.status / 100 == 2) {
      final_ = is_protobuf_ ? splitter_.is_whole() : take_json();
    } else if (response.status / 100 == 4 && response.status != 401 && response.status != 429) {
      list_.error = response_error("cannot list " + std::string(kind_.plural), response);
      final_ = true;
    }
  }

  bool take_json() {
    Json whole;
    try {
      whole = parse_json(json_, name());
    } catch (const Error&) {
      return false;
    }
    drop_text();
    if (!is_list(whole, kind_)) return false;
    for (Json& item : whole["items"]) {
      if (!item.is_object()) continue;
      if (const auto metadata = item.find("metadata"); metadata != item.end() && metadata->is_object())
        metadata->erase("managedFields");  // often the larger part of an object
      add(std::move(item));
    }
    return true;
  }

  void add(Json object) {
    api::set_kind(object, kind_);
    query_.take ? query_.take(std::move(object)) : list_.items.push_back(std::move(object));
  }

  std::string name() const { return "the list of " + std::string(kind_.plural); }

  http::Transport& transport_;
  const BriefQuery& query_;
  size_t& held_;
  size_t items_ = 0;
  const api::ResourceKind& kind_;
  const Message fields_;
  BriefList list_;
  ProtobufListSplitter splitter_;
  std::string json_;
  http::SteadyTime heard_ = transport_.now();
  bool is_protobuf_ = false, done_ = false, final_ = false;
  std::unique_ptr<http::Stream> stream_;
};

BriefList list_in_json(Client& client, const BriefQuery& query) {
  try {
    std::vector<Json> items =
        client.list(*query.kind, query.namespace_name, {query.label_selector, {}}).items;
    if (!query.take) return {std::move(items), {}};
    for (Json& item : items) query.take(std::move(item));
    return {};
  } catch (const Error& error) {
    if (error.http_status == 0) throw;  // the server cannot be reached, so further lists would fail too
    return {{}, error};
  }
}

}  // namespace

std::vector<BriefList> list_briefly(Client& client, std::span<const BriefQuery> queries) {
  http::Transport& transport = client.transport();
  std::vector<std::unique_ptr<Listing>> listings;
  size_t held = 0;
  for (const BriefQuery& query : queries)
    listings.push_back(std::make_unique<Listing>(transport, query, held));
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
