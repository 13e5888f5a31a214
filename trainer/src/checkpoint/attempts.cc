#include "checkpoint/attempts.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace trainer {

namespace {

using Json = nlohmann::ordered_json;

std::string utc_now() {
  const time_t now = time(nullptr);
  struct tm parts;
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  return text;
}

Json to_json(const Attempt& attempt) {
  Json json = {{"attempt", attempt.number},
               {"pod", attempt.place.pod},
               {"node", attempt.place.node},
               {"start", attempt.start},
               {"first_step", attempt.first_step}};
  if (!attempt.end.empty()) json["end"] = attempt.end;
  if (attempt.last_step) json["last_step"] = *attempt.last_step;
  if (!attempt.reason.empty()) json["reason"] = attempt.reason;
  return json;
}

/// Throws an exception of nlohmann's library if the JSON is not an attempt.
Attempt from_json(const Json& json) {
  Attempt attempt{json.at("attempt"),      {json.at("pod"), json.at("node")},
                  json.at("start"),        json.value("end", ""),
                  json.at("first_step"),   {},
                  json.value("reason", "")};
  if (json.contains("last_step")) attempt.last_step = json["last_step"].get<uint64_t>();
  return attempt;
}

std::string text_of(const Attempt& attempt) {
  return to_json(attempt).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The attempts in a file. If several lines describe the same attempt, the last one is used.
std::vector<Attempt> read_attempts(const std::filesystem::path& file) {
  const std::vector<uint8_t> bytes = read_file(file);
  std::vector<Attempt> attempts;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto newline = std::find(at, bytes.end(), '\n');
    try {
      Attempt attempt = from_json(Json::parse(at, newline));
      if (!attempts.empty() && attempts.back().number == attempt.number) attempts.pop_back();
      attempts.push_back(std::move(attempt));
    } catch (const Json::exception&) {
    }
    at = newline == bytes.end() ? newline : newline + 1;
  }
  return attempts;
}

}  // namespace

Place find_place(const std::function<const char*(const char*)>& get) {
  const auto value = [&](const char* name) {
    const char* text = get(name);
    return std::string(text ? text : "");
  };
  Place place{value("POD_NAME"), value("NODE_NAME")};
  if (char host[HOST_NAME_MAX + 1]; place.pod.empty() && gethostname(host, sizeof host) == 0)
    place.pod = host;
  return place;
}

AttemptLog::AttemptLog(const std::filesystem::path& folder, Place place, Say say)
    : file_(folder / "attempts.jsonl"), say_(std::move(say)) {
  try {
    if (std::filesystem::exists(file_)) earlier_ = read_attempts(file_);
  } catch (const std::system_error& error) {
    say_("cannot read " + file_.string() + ": " + errno_text(error.code().value()));
  }
  now_.number = earlier_.empty() ? 1 : earlier_.back().number + 1;
  now_.place = std::move(place);
}

const Attempt& AttemptLog::begin(uint64_t first_step) {
  now_.start = utc_now();
  now_.first_step = first_step;
  append();
  return now_;
}

const Attempt& AttemptLog::end(uint64_t next_step, std::string reason) {
  now_.end = utc_now();
  if (next_step > now_.first_step) now_.last_step = next_step - 1;
  now_.reason = std::move(reason);
  append();
  return now_;
}

void AttemptLog::append() try {
  const Fd fd(open(file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (fd.get() < 0) throw std::system_error(errno, std::generic_category());
  write_all(fd.get(), (ends_within_line(fd.get()) ? "\n" : "") + text_of(now_) + "\n");
  if (fsync(fd.get()) != 0) throw std::system_error(errno, std::generic_category());
} catch (const std::system_error& error) {
  say_("cannot record this attempt in " + file_.string() + ": " + errno_text(error.code().value()));
}

std::string attempt_line(const Attempt& attempt) {
  return "kml-attempt: " + text_of(attempt);
}

}  // namespace trainer
