#include "net/http/response_reader.h"

#include <utility>

#include "kml/base/memory.h"
#include "kml/base/text.h"

namespace kml::http {

namespace {

/// A decompressed response may have this size plus a multiple of its compressed size. At best, zlib
/// compresses a list of similar pods to a 140th of its size, and the API server compresses it to a 45th.
constexpr size_t kUnpackedAnyway = size_t{16} << 20;
constexpr size_t kUnpackedTimes = 200;
/// The maximum size of a body if the status is not 2xx.
constexpr size_t kLongestFault = size_t{1} << 20, kLongestStreamFault = size_t{64} << 10;
/// The maximum size of all headers in a response together. libcurl before 8.3 only limits the size of each
/// header.
constexpr size_t kLongestHeaders = size_t{256} << 10;
/// For less than this, the memory is not checked.
constexpr size_t kMuch = size_t{1} << 20;
/// If its owner is busy, a stream is paused when this much is waiting.
constexpr size_t kMostWaiting = size_t{64} << 10;

}  // namespace

void ResponseReader::read(RequestHandle& request) {
  handle_ = request.get();
  request.set(CURLOPT_HEADERFUNCTION, &ResponseReader::on_header);
  request.set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  request.set(CURLOPT_WRITEFUNCTION, &ResponseReader::on_body);
  request.set(CURLOPT_WRITEDATA, static_cast<void*>(this));
}

template <typename Take>
size_t ResponseReader::taken(size_t size, const Take& take) noexcept {
  try {
    try {
      return take();
    } catch (const Error& error) {
      refusal_ = error;
    }
  } catch (...) {  // copying an Error may throw, too
    is_out_of_memory_ = true;
  }
  return size == 0 ? 1 : 0;
}

size_t ResponseReader::on_header(char* data, size_t size, size_t count, void* self) noexcept {
  auto& reader = *static_cast<ResponseReader*>(self);
  return reader.taken(size * count, [&] {
    reader.take_header({data, size * count});
    return size * count;
  });
}

size_t ResponseReader::on_body(char* data, size_t size, size_t count, void* self) noexcept {
  auto& reader = *static_cast<ResponseReader*>(self);
  return reader.taken(size * count, [&] { return reader.take_body({data, size * count}); });
}

void ResponseReader::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kLongestHeaders)
    throw too_large(name(), "its headers have more than " + size_text(kLongestHeaders));
  if (has_headers_) return;  // a header after the body is a trailer
  line = trim(line);
  if (line.starts_with("HTTP/")) {
    response_.headers.clear();
    return;
  }
  if (line.empty()) {
    long status = 0;
    curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    has_headers_ = status >= 200;
    return;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos)
    response_.headers.emplace(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
}

void ResponseReader::check_size(size_t size) const {
  if (size > kLongestAnswer) throw too_large(name(), "it has more than " + size_text(kLongestAnswer));
  // A text that grows is copied to a new buffer of twice the size.
  if (size > kMuch && size > response_.body.capacity()) require_memory(name(), 2 * size);
  curl_off_t received = 0;
  if (size <= kUnpackedAnyway) return;
  curl_.easy_getinfo(handle_, CURLINFO_SIZE_DOWNLOAD_T, &received);
  const size_t most = kUnpackedAnyway + kUnpackedTimes * static_cast<size_t>(received);
  if (size > most)
    throw Error(ErrorCode::failure, "cannot accept the response of " + server_,
                "its " + std::to_string(received >> 10) + " KiB unpack to more than " +
                    std::to_string(most >> 20) + " MiB, which is too much for a list of objects",
                "if you trust the server, set disable-compression: true for its cluster in the kubeconfig");
}

size_t ResponseReader::take_body(std::string_view data) {
  if (!succeeded()) return take_fault(data);
  if (body_ == ResponseBody::streamed) return take_stream(data);
  check_size(response_.body.size() + data.size());
  response_.body.append(data);
  return data.size();
}

size_t ResponseReader::take_fault(std::string_view data) {
  const size_t longest = body_ == ResponseBody::whole ? kLongestFault : kLongestStreamFault;
  response_.body.append(data.substr(0, longest - response_.body.size()));
  is_cut_ = response_.body.size() == longest;
  return is_cut_ ? 0 : data.size();
}

/// The owner may keep the data that it takes, so the memory is checked from time to time.
size_t ResponseReader::take_stream(std::string_view data) {
  if (data_.size() >= kMostWaiting) {
    is_paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  if (streamed_ / kMuch != (streamed_ + data.size()) / kMuch) require_memory(name(), kMuch);
  streamed_ += data.size();
  data_.append(data);
  return data.size();
}

void ResponseReader::take_data(std::string& data) {
  data.clear();
  data.swap(data_);
  if (std::exchange(is_paused_, false)) curl_.easy_pause(handle_, CURLPAUSE_CONT);
}

std::optional<Error> ResponseReader::refusal() const {
  return is_out_of_memory_ ? out_of_memory() : refusal_;
}

}  // namespace kml::http
