#include "pod/copy/sent_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "kml/base/tar.h"
#include "pod/copy/common.h"

namespace kml::pod {

namespace {

constexpr size_t kPiece = size_t{256} << 10;

TarEntry::Type tar_type(CopyEntry::Kind kind) {
  switch (kind) {
    case CopyEntry::Kind::folder: return TarEntry::Type::folder;
    case CopyEntry::Kind::link: return TarEntry::Type::link;
    default: return TarEntry::Type::file;
  }
}

}  // namespace

FileSource::FileSource(std::filesystem::path file, std::uintmax_t offset, std::uintmax_t size, Sent sent)
    : file_(std::move(file)),
      fd_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)),
      left_(size - offset),
      sent_(std::move(sent)) {
  if (!fd_ || ::lseek(fd_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
    throw system_error("cannot read " + file_.string(), errno);
}

std::string FileSource::next() {
  std::string piece(static_cast<size_t>(std::min<std::uintmax_t>(left_, kPiece)), '\0');
  ssize_t got = 0;
  while (!piece.empty() && (got = ::read(fd_.get(), piece.data(), piece.size())) < 0)
    if (errno != EINTR) throw system_error("cannot read " + file_.string(), errno);
  if (got == 0 && left_ > 0)
    throw Error(ErrorCode::failure, "cannot copy " + file_.string(), "it became shorter while it was copied");
  piece.resize(static_cast<size_t>(got));
  left_ -= piece.size();
  sent_(piece.size());
  return piece;
}

std::uintmax_t BundleSource::add(std::uintmax_t size, std::filesystem::path place) {
  const std::uintmax_t begin = blocks_;
  blocks_ += blocks_of(size);
  files_.emplace_back(size, std::move(place));
  return begin;
}

std::string BundleSource::next() {
  std::string piece;
  for (; piece.size() < kPiece && !files_.empty(); files_.pop_front()) {
    const auto& [size, place] = files_.front();
    FileSource file(place, 0, size, sent_);
    for (std::string part; !(part = file.next()).empty();) piece += part;
    append_tar_padding(size, piece);
  }
  return piece;
}

void TarSource::add(std::string name, const CopyEntry& entry, std::filesystem::path place) {
  members_.push_back({std::move(name), &entry, std::move(place)});
}

std::string TarSource::next() {
  std::string piece;
  std::uintmax_t sent = 0;
  while (piece.size() < kPiece && !members_.empty()) {
    const auto& [name, entry, place] = members_.front();
    TarEntry header{.name = name,
                    .type = tar_type(entry->kind),
                    .target = entry->target,
                    .mode = entry->kind == CopyEntry::Kind::folder ? entry->mode | kOwnFolder : entry->mode,
                    .modified = static_cast<unsigned long long>(std::max(entry->modified, 0LL))};
    if (entry->kind == CopyEntry::Kind::file) {
      append_tar_header(header, entry->size, piece);
      FileSource file(place, 0, entry->size, [&](std::uintmax_t bytes) { sent += bytes; });
      ContentSum sum(tool_);
      for (std::string part; !(part = file.next()).empty(); piece += part)
        if (on_sum_) sum.add(part);
      if (on_sum_) on_sum_(*entry, sum.text());
      append_tar_padding(entry->size, piece);
    } else {
      append_tar_header(header, 0, piece);
    }
    members_.pop_front();
  }
  if (piece.empty() && !std::exchange(has_ended_, true)) {
    if (on_end_) on_end_(piece);
    append_tar_end(piece);
  }
  sent_(sent);
  return piece;
}

}  // namespace kml::pod
