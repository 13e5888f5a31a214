#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace kml {

/// Compresses short texts that resemble each other, each by itself. 10,000 objects of one kind take a tenth
/// of their memory.
class TextPacker {
 public:
  /// `example` is a text like those that will be packed. Throws Error if memory runs out.
  explicit TextPacker(std::string example);
  ~TextPacker();
  TextPacker(const TextPacker&) = delete;
  TextPacker& operator=(const TextPacker&) = delete;

  std::string pack(std::string_view text);
  /// The text that this packer has packed.
  std::string unpack(std::string_view packed);

 private:
  struct Streams;
  const std::string example_;
  const std::unique_ptr<Streams> streams_;
};

}  // namespace kml
