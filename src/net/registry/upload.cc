#include "net/registry/upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kml/base/text.h"

namespace kml::registry {

namespace {

constexpr size_t kSmallestChunk = size_t{64} << 10;
/// A registry may ask for larger chunks, but not for ones that would fill the memory.
constexpr size_t kLargestChunk = size_t{64} << 20;
constexpr int kMostFailures = 8, kMostBegun = 6;

/// How many bytes the registry has, from a header such as "0-99". "0-0" means none, as registries send it
/// before the first chunk. Empty for any other text.
std::optional<std::uintmax_t> bytes_in_range(std::string_view header) {
  if (header.starts_with("bytes=")) header.remove_prefix(6);
  if (!header.starts_with("0-")) return {};
  header.remove_prefix(2);
  std::uintmax_t last = 0;
  const auto [end, fault] = std::from_chars(header.data(), header.data() + header.size(), last);
  if (fault != std::errc() || end != header.data() + header.size()) return {};
  return last == 0 ? 0 : last + 1;
}

/// Whether the registry may accept the same data later.
bool is_temporary(int status) {
  constexpr int kTimeout = 408, kOtherRange = 416, kTooMany = 429;
  return status == kTimeout || status == kOtherRange || status == kTooMany ||
         (status >= 500 && status != 501);
}

/// Whether a registry that does not support chunks may reject the first chunk with this status.
bool may_be_about_chunks(int status) {
  constexpr int kStatuses[] = {400, 405, 411, 415, 416, 501};
  return std::ranges::find(kStatuses, status) != std::end(kStatuses);
}

}  // namespace

Error Upload::refusal(const http::Response& response) const {
  return fault_of(response, reference_.host, "write to " + reference_.repository_name());
}

void Upload::begin() {
  if (++begun_ > kMostBegun) throw bad_answer(reference_.host, "it loses uploads before they are complete");
  Call call{.method = "POST", .place = session_.at("/" + reference_.repository + "/blobs/uploads/")};
  const http::Response response = session_.send(call);
  if (response.status != 202) throw refusal(response);
  place_ = resolved(call.place, response.header("location"));
  offset_ = 0;
  const int least = whole_number(response.header("oci-chunk-min-length")).value_or(0);
  chunk_ = std::clamp<size_t>(static_cast<size_t>(least), chunk_, kLargestChunk);
}

void Upload::run() {
  begin();
  do
    while (!is_whole() && offset_ < blob_.size) send_chunk();
  while (!finish());
}

std::optional<http::Response> Upload::send(Call call) {
  call.may_repeat = false;
  try {
    return session_.send(call);
  } catch (const Error& error) {
    if (error.reason != http::kConnectionBroke || ++failures_ > kMostFailures) throw;
    session_.pause_before(failures_);
    return {};
  }
}

void Upload::send_chunk() {
  const size_t size = std::min<std::uintmax_t>(chunk_, blob_.size - offset_);
  const auto response =
      send({.method = "PATCH",
            .place = place_,
            .headers = {{"Content-Type", "application/octet-stream"},
                        {"Content-Range", fmt::format("{}-{}", offset_, offset_ + size - 1)}},
            .body = content_(offset_, size)});
  if (response && response->status / 100 == 2)
    take_chunk(*response, offset_ + size);
  else
    recover(response);
}

void Upload::take_chunk(const http::Response& response, std::uintmax_t end) {
  place_ = resolved(place_, response.header("location"));
  const std::string range = response.header("range");
  const std::uintmax_t has = range.empty() ? end : bytes_in_range(range).value_or(end + 1);
  if (has > end) throw bad_answer(reference_.host, "it claims to have data that was not sent: " + range);
  // A registry that accepts only a few bytes at a time would keep kml busy forever.
  if (has == end || has >= offset_ + kSmallestChunk)
    failures_ = 0;
  else if (++failures_ > kMostFailures)
    throw bad_answer(reference_.host, "it does not keep the data that it accepts");
  offset_ = has;
  if (progress_) progress_(offset_);
}

/// Prepares the next attempt after a request that did not succeed.
void Upload::recover(const std::optional<http::Response>& response) {
  constexpr int kUnknown = 404, kTooLargeStatus = 413, kOtherRange = 416;
  const int status = response ? response->status : 0;
  if (status == kTooLargeStatus && chunk_ > kSmallestChunk) {
    chunk_ = std::max(kSmallestChunk, std::min<std::uintmax_t>(chunk_, blob_.size) / 2);
    ask_where();
  } else if (status == kUnknown) {
    begin();
  } else if (offset_ == 0 && may_be_about_chunks(status) && !takes_only_whole_) {
    // After a broken connection, libcurl may have sent the chunk again, although the registry already has a
    // part of it.
    if (status == kOtherRange) ask_where();
    takes_only_whole_ = offset_ == 0;
    if (takes_only_whole_) begin();
  } else if (!response) {
    ask_where();
  } else if (is_temporary(status) && ++failures_ <= kMostFailures) {
    session_.pause_before(failures_, &*response);
    ask_where();
  } else {
    throw refusal(*response);
  }
}

/// Finds out how many bytes the registry has. If the registry does not say how many, all bytes are sent
/// again.
void Upload::ask_where() {
  if (is_whole()) return begin();
  Call call{.place = place_};
  const http::Response response = session_.send(call);
  const auto has = bytes_in_range(response.header("range"));
  if (response.status / 100 != 2 || !has || *has > blob_.size) return begin();
  if (*has >= offset_ + kSmallestChunk) failures_ = 0;
  offset_ = *has;
  if (const std::string next = response.header("location"); !next.empty())
    place_ = resolved(call.place, next);
}

bool Upload::ask_if_stored() {
  Call call{.method = "HEAD", .place = session_.at("/" + reference_.repository + "/blobs/" + blob_.digest)};
  return session_.send(call).status == 200;
}

/// Ends the upload, with all data if the blob is sent as a whole. Returns false if it must be continued.
bool Upload::finish() {
  Call call{.method = "PUT",
            .place = place_,
            .headers = {{"Content-Type", "application/octet-stream"}},
            .body = is_whole() ? content_(0, blob_.size) : std::string()};
  call.place.path += (contains(place_.path, "?") ? "&" : "?") + ("digest=" + percent_encoded(blob_.digest));
  const auto response = send(std::move(call));
  if (response && response->status / 100 == 2) {
    const std::string stored = response->header("docker-content-digest");
    if (is_digest(stored) && stored != blob_.digest)
      throw bad_answer(reference_.host, "it stored " + stored + " instead of " + blob_.digest);
    if (progress_) progress_(blob_.size);
    return true;
  }
  // The registry may have stored the blob although its response was lost.
  if (ask_if_stored()) return true;
  if (response && response->status == 413 && is_whole() && !takes_only_whole_ && blob_.size > kSmallestChunk)
    chunk_ = blob_.size;  // recover() halves this value
  recover(response);
  return false;
}

}  // namespace kml::registry
