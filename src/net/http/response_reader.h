#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "net/http/request_handle.h"

namespace kml::http {

/// Stores a response, within limits, as libcurl passes it on. libcurl's callbacks only store data here, and
/// never call other code.
class ResponseReader {
 public:
  /// `server` is the server's name for messages.
  ResponseReader(ResponseBody body, std::string server) : body_(body), server_(std::move(server)) {}
  ResponseReader(const ResponseReader&) = delete;

  /// Starts to read the response to that request. The request's handle must be destroyed before this object.
  void read(RequestHandle& request);

  bool has_headers() const { return has_headers_; }
  bool succeeded() const { return response_.status / 100 == 2; }
  Response& response() { return response_; }
  /// Whether this object has ended the response early, because the rest of an error's body is not needed.
  bool is_cut() const { return is_cut_; }
  /// Why this object has ended the response, if it could not be stored.
  std::optional<Error> refusal() const;
  /// Replaces `data` by the part of a streamed body that arrived since the last call.
  void take_data(std::string& data);

 private:
  static size_t on_header(char* data, size_t size, size_t count, void* self) noexcept;
  static size_t on_body(char* data, size_t size, size_t count, void* self) noexcept;
  /// Calls `take`, for a callback of libcurl. If the result is not `size`, libcurl ends the response. Stores
  /// an Error that `take` throws.
  template <typename Take>
  size_t taken(size_t size, const Take& take) noexcept;
  void take_header(std::string_view line);
  size_t take_body(std::string_view data);
  size_t take_fault(std::string_view data);
  size_t take_stream(std::string_view data);
  /// Throws Error if a response of this size is too large.
  void check_size(size_t size) const;
  std::string name() const { return "the response of " + server_; }

  const CurlLibrary& curl_ = curl_library();
  const ResponseBody body_;
  const std::string server_;
  CURL* handle_ = nullptr;
  Response response_;
  bool has_headers_ = false;
  size_t header_bytes_ = 0;
  std::string data_;     ///< the part of a streamed body that was not taken yet
  size_t streamed_ = 0;  ///< how many bytes of a streamed body have arrived
  bool is_paused_ = false, is_cut_ = false, is_out_of_memory_ = false;
  std::optional<Error> refusal_;
};

}  // namespace kml::http
