#include "base/json_events.h"

#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/mark.h>

#include <iterator>
#include <string>

#include "kml/base/json.h"

namespace kml::yaml {

namespace {

/// The reader's position in the text, and the position where the last value or key starts.
class Place {
 public:
  const YAML::Mark& token() const { return token_; }

  void take(char c) {
    if (in_string_)
      take_in_string(c);
    else if (c == ',' || c == ':')
      awaits_token_ = true;
    else if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
      take_token(c);
    const bool continues_character = (static_cast<unsigned char>(c) & 0xC0) == 0x80;  // of UTF-8
    if (!continues_character) ++now_.column;
    if (c == '\n') now_.column = 0, ++now_.line;
  }

 private:
  void take_in_string(char c) {
    if (is_escaped_ || c == '\\')
      is_escaped_ = !is_escaped_;
    else if (c == '"')
      in_string_ = false;
  }
  void take_token(char c) {
    if (awaits_token_) token_ = now_;
    awaits_token_ = c == '{' || c == '[';
    in_string_ = c == '"';
  }

  YAML::Mark now_, token_;
  bool awaits_token_ = true, in_string_ = false, is_escaped_ = false;
};

/// An iterator that updates the Place for each character that the parser reads.
class Characters {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Characters(const char* at, Place* place) : at_(at), place_(place) {}
  reference operator*() const { return *at_; }
  Characters& operator++() {
    place_->take(*at_++);
    return *this;
  }
  bool operator==(const Characters& other) const { return at_ == other.at_; }
  bool operator!=(const Characters& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Place* place_;
};

class Reader : public nlohmann::json_sax<Json> {
 public:
  Reader(const Place& place, YAML::EventHandler& events) : place_(place), events_(events) {}

  bool null() override {
    events_.OnNull(place_.token(), 0);
    return true;
  }
  bool boolean(bool value) override { return plain(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return plain(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return plain(std::to_string(value)); }
  bool number_float(number_float_t, const std::string& text) override {
    return scalar("tag:yaml.org,2002:float", text);
  }
  bool string(std::string& text) override { return scalar("!", text); }
  bool binary(binary_t&) override { return false; }
  bool key(std::string& text) override { return scalar("!", text); }
  bool start_object(std::size_t) override {
    events_.OnMapStart(place_.token(), "?", 0, YAML::EmitterStyle::Flow);
    return true;
  }
  bool end_object() override {
    events_.OnMapEnd();
    return true;
  }
  bool start_array(std::size_t) override {
    events_.OnSequenceStart(place_.token(), "?", 0, YAML::EmitterStyle::Flow);
    return true;
  }
  bool end_array() override {
    events_.OnSequenceEnd();
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool plain(const std::string& text) { return scalar("?", text); }
  bool scalar(const char* tag, const std::string& text) {
    events_.OnScalar(place_.token(), tag, 0, text);
    return true;
  }

  const Place& place_;
  YAML::EventHandler& events_;
};

}  // namespace

bool read_json(std::string_view text, YAML::EventHandler& events) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '[') || !Json::accept(text))
    return false;
  Place place;
  Reader reader(place, events);
  events.OnDocumentStart(place.token());
  const bool is_whole = Json::sax_parse(Characters(text.data(), &place),
                                        Characters(text.data() + text.size(), &place), &reader);
  events.OnDocumentEnd();
  return is_whole;
}

}  // namespace kml::yaml
