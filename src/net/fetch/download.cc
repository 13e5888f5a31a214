#include "net/fetch/download.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"

namespace kml::fetch {

namespace {

constexpr int kPartial = 206, kNotSatisfiable = 416;

std::optional<std::uintmax_t> number_in(std::string_view text) {
  std::uintmax_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  return fault == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// "bytes 100-199/200" (RFC 9110, section 14.4)
struct ContentRange {
  std::optional<std::uintmax_t> begin, total;

  explicit ContentRange(std::string_view text) {
    const size_t space = text.find(' '), dash = text.find('-'), slash = text.find('/');
    if (space == text.npos || dash == text.npos || slash == text.npos || dash < space || slash < dash) return;
    begin = number_in(text.substr(space + 1, dash - space - 1));
    total = number_in(text.substr(slash + 1));
  }
};

/// The download of one file.
class Download {
 public:
  Download(Getter& getter, Beneath& folder, const RemoteFile& file, const std::atomic<bool>& is_stopped)
      : getter_(getter),
        folder_(folder),
        file_(file),
        is_stopped_(is_stopped),
        place_(file.place),
        content_(file.expected),
        part_(folder.open_part(file.path)) {}

  /// Returns false if the whole file must be fetched again, because an earlier attempt has left wrong bytes.
  bool run() {
    read_part();
    const bool is_continued = content_.size() > 0;
    const std::optional<std::uintmax_t>& size = file_.expected.size;
    if (!size || content_.size() < *size) fetch_rest();
    if (content_.is_right()) {
      folder_.complete(file_.path, 0644, system_clock().now().time_since_epoch() / std::chrono::seconds(1));
      return true;
    }
    part_ = Fd();
    folder_.remove_part(file_.path);
    if (is_continued) return false;
    const std::string& wanted = file_.expected.sha256;
    throw changed(wanted.empty() ? "its digest differs"
                                 : "its sha256 is " + content_.sha256() + ", not " + wanted);
  }

 private:
  Error changed(const std::string& how) const {
    return Error(ErrorCode::failure, "the content of " + file_.path + " is not the expected one",
                 file_.place.origin + " sends a different file: " + how);
  }

  /// Adds the bytes of an earlier attempt.
  void read_part() {
    std::string piece(size_t{1} << 20, '\0');
    for (;;) {
      const ssize_t got = ::read(part_.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw system_error("cannot read an earlier part of " + file_.path, errno);
      if (got == 0) return;
      content_.add({piece.data(), static_cast<size_t>(got)});
    }
  }

  void fetch_rest() {
    const Reading reading{
        .headers = [&] { return range(); },
        .begin = [&](const http::Response& response) { begin(response); },
        .take = [&](std::string_view bytes) { return take(bytes); },
    };
    http::Response response;
    for (std::optional<std::uintmax_t> begun;; begun = content_.size()) {
      response = getter_.read(place_, reading);
      const bool is_refused = response.status / 100 == 4 && response.status != kNotSatisfiable;
      if (!is_refused || place_.url() == file_.place.url() || begun == content_.size()) break;
      place_ = file_.place;  // the permission for the URL to which the server redirected has expired
    }
    // With 416, the earlier part may be the whole file.
    if (response.status / 100 != 2 && (response.status != kNotSatisfiable || content_.size() == 0))
      throw refused(response, file_.path);
  }

  http::Headers range() const {
    if (content_.size() == 0) return {};
    return {{"Range", fmt::format("bytes={}-", content_.size())}};
  }

  void begin(const http::Response& response) {
    const ContentRange range(response.header("content-range"));
    const bool is_partial = response.status == kPartial;
    const auto total = is_partial ? range.total : number_in(response.header("content-length"));
    if (file_.expected.size && total && *total != *file_.expected.size)
      throw changed(fmt::format("it has {} bytes instead of {}", *total, *file_.expected.size));
    if (is_partial && range.begin != content_.size())
      throw Error(ErrorCode::failure, "cannot read " + file_.path,
                  place_.origin + " sends a different range than the requested one");
    skipped_ = is_partial ? 0 : content_.size();  // a server without ranges sends everything
  }

  bool take(std::string_view bytes) {
    if (is_stopped_) throw Error(ErrorCode::interrupted, "stopped");
    const auto known = std::min<std::uintmax_t>(skipped_, bytes.size());
    bytes.remove_prefix(known);
    skipped_ -= known;
    if (file_.expected.size && content_.size() + bytes.size() > *file_.expected.size)
      throw changed(fmt::format("it has more than {} bytes", *file_.expected.size));
    if (!write_whole(part_.get(), bytes)) throw not_written(errno);
    content_.add(bytes);
    return !bytes.empty();
  }

  Error not_written(int errno_value) const {
    const bool is_full = errno_value == ENOSPC || errno_value == EDQUOT;
    return system_error("cannot write " + file_.path, errno_value,
                        is_full ? "free space on the volume: kml gc --data-store pvc/NAME" : "");
  }

  Getter& getter_;
  Beneath& folder_;
  const RemoteFile& file_;
  const std::atomic<bool>& is_stopped_;
  Place place_;
  Content content_;
  Fd part_;
  std::uintmax_t skipped_ = 0;  ///< how many of the next bytes are already stored
};

void make_folders(Beneath& folder, const std::string& path) {
  for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    folder.make_folder(path.substr(0, slash), 0755);
}

}  // namespace

Error refused(const http::Response& response, const std::string& what) {
  Error error(ErrorCode::failure, "cannot read " + what,
              "the server answers with status " + std::to_string(response.status));
  if (response.status == 401 || response.status == 403) {
    error.code = ErrorCode::auth;
    error.fix =
        "for a private or gated repository of Hugging Face: export HF_TOKEN, and add --secret HF_TOKEN; "
        "kml logs in to no other server";
  } else if (response.status == 404 || response.status == 410) {
    error.code = ErrorCode::usage;
    error.why = "it does not exist, or no longer exists";
  }
  error.http_status = response.status;
  return error;
}

void download(Getter& getter, Beneath& folder, const RemoteFile& file, const std::atomic<bool>& is_stopped) {
  make_folders(folder, file.path);
  if (Download(getter, folder, file, is_stopped).run()) return;
  Download(getter, folder, file, is_stopped).run();
}

}  // namespace kml::fetch
