/*
   Flat JSON objects.
*/
#include "json_line.hpp"
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace heptane
{

namespace
{

std::string quoted(const std::string &text)
{
  std::string out = "\"";

  for (const char c : text) {
    char escape[8];

    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      out += escape;
    } else out += c;
  }
  return out + '"';
}

class Reader {
public:
  Reader(const std::string &text) : line(text) {}

  bool Object(JsonMembers *members)
  {
    if (!Take('{')) return Fail("a line is one object in braces");
    if (Take('}')) return End();
    do {
      std::string key, value;

      if (!Text(&key)) return Fail("a key in quotes is missing");
      if (!Take(':')) return Fail("the colon after a key is missing");
      if (!Value(&value)) return Fail("the value of " + key + " is no string, number, true, false or null");
      (*members)[key] = value;
    } while (Take(','));
    return Take('}') ? End() : Fail("the closing brace is missing");
  }
  const std::string &Why() const { return why; }

private:
  bool Fail(const std::string &what)
  {
    why = what + ", column " + std::to_string(at + 1);
    return false;
  }
  void Blanks()
  {
    while (at < line.size() && std::isspace(static_cast<unsigned char>(line[at]))) at++;
  }
  bool Take(char c)
  {
    Blanks();
    if (at >= line.size() || line[at] != c) return false;
    at++;
    return true;
  }
  bool End()
  {
    Blanks();
    return at == line.size() || Fail("there is text after the object");
  }
  /* The character after a backslash */
  bool Escape(std::string *out)
  {
    if (at >= line.size()) return false;
    const char c = line[at++];

    if (c == 'u') {
      if (at + 4 > line.size()) return false;
      char      *end;
      const auto digits = line.substr(at, 4);
      const long code   = std::strtol(digits.c_str(), &end, 16);
      if (*end || code > 0x7f) return false; /* this program escapes only control characters */
      at += 4;
      *out += static_cast<char>(code);
      return true;
    }
    *out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    return c == 'n' || c == 't' || c == '"' || c == '\\' || c == '/';
  }
  bool Text(std::string *out)
  {
    if (!Take('"')) return false;
    while (at < line.size()) {
      const char c = line[at++];

      if (c == '"') return true;
      if (c != '\\') *out += c;
      else if (!Escape(out)) return false;
    }
    return false;
  }
  bool Value(std::string *out)
  {
    Blanks();
    if (at < line.size() && line[at] == '"') return Text(out);
    const std::size_t begin = at;

    while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) || line[at] == '+' || line[at] == '-' || line[at] == '.')) at++;
    *out = line.substr(begin, at - begin);
    if (*out == "true" || *out == "false" || *out == "null") return true;
    char *end;
    std::strtod(out->c_str(), &end);
    return !out->empty() && !*end && std::isdigit(static_cast<unsigned char>(out->back()));
  }

  const std::string &line;
  std::size_t        at = 0;
  std::string        why;
};

} // namespace

JsonLine &JsonLine::Add(const char *key, const std::string &value)
{
  members.emplace_back(key, quoted(value));
  return *this;
}

JsonLine &JsonLine::Add(const char *key, double value)
{
  char text[40];

  std::snprintf(text, sizeof(text), "%.6g", value);
  members.emplace_back(key, std::isfinite(value) ? text : "null");
  return *this;
}

JsonLine &JsonLine::Add(const char *key, long long value)
{
  members.emplace_back(key, std::to_string(value));
  return *this;
}

JsonLine &JsonLine::Add(const JsonLine &other)
{
  members.insert(members.end(), other.members.begin(), other.members.end());
  return *this;
}

std::string JsonLine::Text() const
{
  std::string out = "{";

  for (const auto &m : members) out += (out.size() > 1 ? ", " : "") + quoted(m.first) + ": " + m.second;
  return out + "}";
}

bool parse_json_line(const std::string &line, JsonMembers *members, std::string *why)
{
  Reader reader(line);

  members->clear();
  const bool good = reader.Object(members);
  *why            = reader.Why();
  return good;
}

bool number_of(const JsonMembers &members, const char *key, double *value, std::string *why)
{
  const auto found = members.find(key);
  char      *end   = nullptr;

  if (found == members.end()) {
    *why = std::string("has no ") + key;
    return false;
  }
  *value = std::strtod(found->second.c_str(), &end);
  if (end != found->second.c_str() && !*end && std::isfinite(*value) && *value >= 0) return true;
  *why = std::string(key) + " is " + found->second + ", and must be a number that is not negative";
  return false;
}

bool whole_number_of(const JsonMembers &members, const char *key, double most, double *value, std::string *why)
{
  if (!number_of(members, key, value, why)) return false;
  if (*value <= most && *value == std::floor(*value)) return true;
  *why = std::string(key) + " is " + members.at(key) + ", and must be a whole number of at most " + std::to_string(static_cast<long long>(most));
  return false;
}

bool is_of_kind(const JsonMembers &members, const char *kind, int schema, const char *file, const char *reader, std::string *why)
{
  const auto what = members.find("what");
  double     found;

  if (what == members.end() || what->second != kind) {
    *why = std::string("is not of a ") + file + ": its \"what\" is not \"" + kind + "\"";
    return false;
  }
  if (!number_of(members, "schema", &found, why)) return false;
  if (found == schema) return true;
  *why = "has schema " + members.at("schema") + ", and this " + reader + " reads schema " + std::to_string(schema);
  return false;
}

} // namespace heptane
