#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kml::local {

/// Follows the HTTP/1 messages in one direction of a connection, without keeping their bodies (RFC 9112).
class HttpMessages {
 public:
  /// How a message's body ends.
  enum class Body { none, by_length, by_chunks, with_connection };
  struct Head {
    std::string first_line = {};
    uint64_t length = 0;
    bool has_length = false, has_encoding = false, is_chunked = false;
  };
  struct Events {
    std::function<Body(const Head& head)> head;
    std::function<void()> end;  ///< called at the end of the message, which includes the body
  };

  explicit HttpMessages(Events events) : events_(std::move(events)) {}

  void take(std::string_view bytes);
  /// Whether a message has begun, but not ended.
  bool is_inside() const { return part_ != Part::head || !head_.first_line.empty() || !line_.empty(); }

 private:
  enum class Part { head, body, chunk_size, chunk, trailer, rest };

  void take_line(std::string_view& bytes);
  void skip(std::string_view& bytes);
  void on_line(std::string_view line);
  void on_head_line(std::string_view line);
  void on_chunk_size(std::string_view line);
  void begin(Body body);
  void end();

  Events events_;
  Part part_ = Part::head;
  Head head_;
  std::string line_;   ///< the beginning of a line whose end has not arrived
  uint64_t left_ = 0;  ///< how many bytes are left of the body, or of a chunk with its line end
};

}  // namespace kml::local
