#include "engine/in_cluster/journal_copy.h"

#include <fstream>
#include <map>

#include "kml/base/archive.h"
#include "kml/base/memory.h"
#include "kml/base/text.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::engine {

namespace {

/// The size of a part before compression; compression reduces it to about a sixth. The last part is rewritten
/// whenever the journal grows. An object can hold at most 1 MiB of data (ConfigMap validation).
constexpr size_t kPart = size_t{256} << 10;
// larger than kPart, because a single record may exceed kPart
constexpr size_t kLargestPart = size_t{64} << 20;
constexpr size_t kLargestJournal = size_t{256} << 20;
constexpr const char* kJournalKey = "journal.gz";

std::string part_name(const EngineMarks& marks, size_t part) {
  return engine_object_name(marks) + "-" + std::to_string(part);
}

/// The complete lines from position `from` to the end. Leaves out a line that is still being written.
std::string whole_lines(const std::filesystem::path& file, size_t from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

}  // namespace

JournalCopy::JournalCopy(kube::Client& client, EngineMarks marks, Json owner, std::filesystem::path journal)
    : client_(client), marks_(std::move(marks)), owner_(std::move(owner)), journal_(std::move(journal)) {}

void JournalCopy::update() {
  const std::string added = whole_lines(journal_, read_);
  for (size_t begin = 0; begin < added.size();) {
    const size_t end = added.find('\n', begin) + 1, size = end - begin;
    if (!text_.empty() && text_.size() + size > kPart) {
      put();  // where a part ends depends only on the records, so every copy has the same parts
      ++part_;
      text_.clear();
      put_ = 0;
    }
    text_.append(added, begin, size);
    read_ += size;
    begin = end;
  }
  put();
}

void JournalCopy::put() {
  if (put_ == text_.size()) return;
  const Json part = {{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata",
                      {{"name", part_name(marks_, part_)},
                       {"labels", {{std::string(api::kJournalPart), std::to_string(part_)}}}}},
                     {"binaryData", {{kJournalKey, base64_encoded(gzipped(text_))}}}};
  make_owned(client_, marks_, owner_, part);
  put_ = text_.size();
}

std::string read_journal_copy(kube::Client& client, const EngineMarks& marks) {
  const kube::ListOptions options{.label_selector = std::string(api::kSubmitId) + "=" + marks.id + "," +
                                                    std::string(api::kJournalPart)};
  std::map<size_t, std::string> parts;
  size_t size = 0;
  for (const Json& part :
       client.list(*api::find_kind("v1", "ConfigMap"), marks.namespace_name, options).items) {
    const auto number = whole_number(api::label_of(part, api::kJournalPart));
    // Checks the name, too: anyone can give an object these labels, but only the engine could create an
    // object with this name.
    if (!number || api::name_of(part) != part_name(marks, static_cast<size_t>(*number))) continue;
    const auto bytes = base64_decoded(string_at(part, {"binaryData", kJournalKey}));
    std::string& text = parts[static_cast<size_t>(*number)] = gunzipped(bytes.value_or(""), kLargestPart);
    size += text.size();
    if (size > kLargestJournal)
      throw too_large("the copy of the journal of " + marks.kind + " " + marks.name,
                      "it has more than " + size_text(kLargestJournal));
  }
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto part = parts.find(i);
    if (part == parts.end())
      throw Error(ErrorCode::failure,
                  "the copy of the journal of " + marks.kind + " " + marks.name + " has gaps",
                  "ConfigMap " + part_name(marks, i) + " does not exist",
                  "the engine writes the copy again when it starts; the journal itself is on its volume");
    text += part->second;
  }
  return text;
}

}  // namespace kml::engine
