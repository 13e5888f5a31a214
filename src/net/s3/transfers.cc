#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/s3/client.h"
#include "net/s3/faults.h"
#include "net/s3/xml.h"

namespace kml::s3 {

namespace {

constexpr std::uintmax_t kPart = std::uintmax_t{8} << 20;
/// The maximum number of parts that are in memory, and are transferred, at the same time.
constexpr size_t kAtOnce = 4;

/// The size of a part. S3 allows at most 10,000 parts.
std::uintmax_t part_size(std::uintmax_t size) {
  constexpr std::uintmax_t kMostParts = 10'000;
  return std::max(kPart, (size + kMostParts - 1) / kMostParts);
}

std::string read_piece(int file, std::uintmax_t at, std::uintmax_t size) {
  std::string bytes(size, '\0');
  for (size_t got = 0; got < size;) {
    const ssize_t more = ::pread(file, bytes.data() + got, size - got, static_cast<off_t>(at + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw system_error("cannot read a file to send", errno);
    if (more == 0)
      throw Error(ErrorCode::failure, "cannot send a file", "it became shorter while it was sent");
    got += static_cast<size_t>(more);
  }
  return bytes;
}

void write_piece(int file, std::uintmax_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t more = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw system_error("cannot write data from S3", errno);
    at += static_cast<std::uintmax_t>(more);
    bytes.remove_prefix(static_cast<size_t>(more));
  }
}

/// How many bytes at the beginning of the file are complete. Pieces that are transferred at the same time
/// arrive in any order, so only those of earlier rounds are certain.
std::uintmax_t complete_bytes(int file, std::uintmax_t size) {
  struct stat there {};
  if (::fstat(file, &there) != 0 || there.st_size <= 0) return 0;
  constexpr std::uintmax_t kRound = kPart * kAtOnce;
  return (std::min(static_cast<std::uintmax_t>(there.st_size), size) - 1) / kRound * kRound;
}

/// Waits for the disk. Otherwise, after a power cut, these bytes could be missing in the middle of a longer
/// file.
void sync_piece(int file) {
#ifdef __APPLE__
  const int failed = ::fsync(file);
#else
  const int failed = ::fdatasync(file);
#endif
  if (failed != 0) throw system_error("cannot write data from S3", errno);
}

Error gone(const std::string& key, const std::string& why) {
  Error error(ErrorCode::failure, "cannot get " + key + " from S3", why);
  error.reason = kObjectGone;
  return error;
}

}  // namespace

void Client::send_file(const std::string& key, const std::filesystem::path& path, std::uintmax_t size) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw system_error("cannot read " + path.string(), errno);
  if (size <= kPart) return write({{key, read_piece(file.get(), 0, size)}});
  const std::string upload = begin_parts(key);
  try {
    send_parts(key, upload, file.get(), size);
  } catch (...) {
    try {
      send({.method = "DELETE", .key = key, .query = "uploadId=" + percent_encoded(upload)});
      // the first error is more important, and the bucket's rules can remove the parts
    } catch (const Error&) {
    }
    throw;
  }
}

std::string Client::begin_parts(const std::string& key) {
  const Call call{.method = "POST", .key = key, .query = "uploads="};
  const http::Response response = send(call);
  std::string upload = xml_text(response.body, "UploadId");
  if (response.status != 200 || upload.empty()) throw fault(call, response);
  return upload;
}

/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html
void Client::send_parts(const std::string& key, const std::string& upload, int file, std::uintmax_t size) {
  const std::uintmax_t part = part_size(size);
  const std::string of_upload = "uploadId=" + percent_encoded(upload);
  std::vector<std::string> tags;
  for (std::uintmax_t at = 0; at < size;) {
    std::vector<Call> calls;
    const size_t first = tags.size();
    for (; at < size && calls.size() < kAtOnce; at += part)
      calls.push_back({.method = "PUT",
                       .key = key,
                       .query = fmt::format("partNumber={}&{}", first + calls.size() + 1, of_upload),
                       .body = read_piece(file, at, std::min(part, size - at))});
    tags.resize(first + calls.size());
    send(std::move(calls), [&](size_t i, const http::Response& response) {
      if (response.status != 200) throw fault({.method = "PUT", .key = key}, response);
      tags[first + i] = response.header("etag");
    });
  }
  Call call{.method = "POST", .key = key, .query = of_upload, .body = "<CompleteMultipartUpload>"};
  for (size_t i = 0; i < tags.size(); ++i)
    call.body += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, tags[i]);
  call.body += "</CompleteMultipartUpload>";
  const http::Response response = send(call);
  // If the response to the first attempt was lost, the upload has already been completed and no longer
  // exists.
  if (response.status == 404)
    if (const auto object = look(key); object && object->size == size) return;
  if (response.status != 200 || !xml_elements(response.body, "Error", 1).empty()) throw fault(call, response);
}

void Client::get_file(const std::string& key, std::uintmax_t size, int file, bool continues) {
  for (std::uintmax_t at = continues && size > 0 ? complete_bytes(file, size) : 0; at < size;) {
    std::vector<Call> calls;
    const std::uintmax_t first = at;
    for (; at < size && calls.size() < kAtOnce; at += kPart)
      calls.push_back(
          {.key = key,
           .headers = {{"Range", fmt::format("bytes={}-{}", at, std::min(at + kPart, size) - 1)}}});
    send(std::move(calls), [&](size_t i, const http::Response& response) {
      const std::uintmax_t begin = first + i * kPart;
      if (response.status == 416) throw gone(key, "it is shorter than before");
      if (is_gone(response)) throw gone(key, "it does not exist");
      if (response.status != 206 && response.status != 200) throw fault({.key = key}, response);
      if (response.body.size() != std::min(kPart, size - begin)) throw gone(key, "its size has changed");
      write_piece(file, begin, response.body);
    });
    if (continues && at < size) sync_piece(file);
  }
}

}  // namespace kml::s3
