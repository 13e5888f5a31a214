#pragma once

#include <filesystem>
#include <string_view>

namespace kml::jobs {

/// A file's bytes as they are now, read by the system where they are looked at. Empty where there is no file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace kml::jobs
