#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/base/tree_names.h"
#include "net/fetch/listing.h"

namespace kml::fetch {

namespace {

constexpr size_t kMostPages = 10'000, kMostFiles = 1'000'000;

std::string api_of(const Source& source) {
  return "/api/" + source.place;
}

bool is_commit(std::string_view text) {
  constexpr size_t kDigits = 40;
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error odd_answer(const std::string& why) {
  return {ErrorCode::failure, hub_endpoint() + " does not respond like a hub", why, "check HF_ENDPOINT"};
}

struct Page {
  Json content;
  std::string next;  ///< the URL of the next page; empty on the last one
};

/// The URL of the next page, from a header such as `<https://…>; rel="next"` (RFC 8288); empty on the last
/// one.
std::string next_page(const std::string& header) {
  const size_t begin = header.find('<'), end = header.find('>');
  if (begin == header.npos || end == header.npos || end < begin || !contains(header.substr(end), "next"))
    return {};
  return header.substr(begin + 1, end - begin - 1);
}

Page page_at(Getter& getter, Place& place, const std::string& what) {
  const http::Response response = getter.get(place);
  if (response.status != 200) throw refused(response, what);
  if (response.is_web_page()) throw odd_answer("it sends a web page");
  return {parse_json(response.body, what), next_page(response.header("link"))};
}

/// The path of a file relative to the folder that the source names.
std::string path_of(const Source& source, const Json& entry) {
  std::string path = string_at(entry, {"path"});
  if (!source.folder.empty()) {
    if (!path.starts_with(source.folder + "/"))
      throw odd_answer("a file is not in the requested folder: " + path);
    path.erase(0, source.folder.size() + 1);
  }
  if (!is_path_beneath(path)) throw odd_answer("the name of a file is not a valid path: " + path);
  return path;
}

RemoteFile file_of(const Source& source, const Json& entry) {
  RemoteFile file{.path = path_of(source, entry)};
  const bool is_dataset = source.place.starts_with("datasets/");
  const std::string repository = is_dataset ? source.place : source.place.substr(source.place.find('/') + 1);
  file.place = place_of_url(hub_endpoint());
  if (file.place.path == "/") file.place.path.clear();
  file.place.path += "/" + repository + "/resolve/" + source.version + "/" +
                     percent_encoded(string_at(entry, {"path"}), true);
  const Json& large = object_at(entry, {"lfs"});
  Expected& expected = file.expected;
  expected.sha256 = string_at(large, {"oid"});
  if (large.empty()) expected.git_id = string_at(entry, {"oid"});
  const long long size = int_at(large.empty() ? entry : large, {"size"}, -1);
  expected.size = static_cast<std::uintmax_t>(size);
  const bool has_digest = large.empty() ? is_commit(expected.git_id) && *expected.size <= kLargestInGit
                                        : is_sha256_hex(expected.sha256);
  if (size < 0 || !has_digest) throw odd_answer("it gives no size or no digest of " + file.path);
  return file;
}

}  // namespace

std::string hub_endpoint() {
  std::string endpoint = environment("HF_ENDPOINT");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  if (endpoint.empty()) return "https://huggingface.co";
  if (!endpoint.starts_with("https://") && !endpoint.starts_with("http://"))
    throw usage_error("HF_ENDPOINT is not a URL: " + endpoint);
  return endpoint;
}

void use_hub_token(Getter& getter) {
  if (const std::string token = environment("HF_TOKEN"); !token.empty())
    getter.use_token(place_of_url(hub_endpoint()).origin, token);
}

std::string commit_of(Getter& getter, const Source& source) {
  if (is_commit(source.version)) return source.version;
  Place place =
      place_of_url(hub_endpoint() + api_of(source) + "/revision/" + percent_encoded(source.version));
  std::string commit = string_at(page_at(getter, place, source.text()).content, {"sha"});
  if (!is_commit(commit)) throw odd_answer("it names no commit of " + source.text());
  return commit;
}

std::vector<RemoteFile> files_in_hub(Getter& getter, const Source& source) {
  std::vector<RemoteFile> files;
  Place place = place_of_url(hub_endpoint() + api_of(source) + "/tree/" + source.version +
                             (source.folder.empty() ? "" : "/" + percent_encoded(source.folder, true)) +
                             "?recursive=true");
  for (size_t count = 1;; ++count) {
    const Page page = page_at(getter, place, source.text());
    if (!page.content.is_array()) throw odd_answer("its list of files is not a JSON array");
    for (const Json& entry : page.content)
      if (string_at(entry, {"type"}) == "file") files.push_back(file_of(source, entry));
    if (page.next.empty()) break;
    if (count == kMostPages || files.size() > kMostFiles) throw odd_answer("its list of files does not end");
    const Place following = registry::resolved(place, page.next);
    if (following.origin != place.origin) throw odd_answer("its list of files continues on another server");
    place = following;
  }
  if (files.empty()) throw usage_error("cannot read " + source.text(), "it has no files");
  return files;
}

}  // namespace kml::fetch
