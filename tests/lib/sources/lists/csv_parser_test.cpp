#include "sources/lists/table/csv_parser.hpp"

#include <octavo/errors.hpp>

#include "catch.hpp"

using namespace octavo;

namespace {

struct Record {
  std::vector<std::string> fields;
  std::int64_t line = 0;
  bool operator==(const Record&) const = default;
};

/// The records of a text that arrives in pieces of `piece_bytes`.
std::vector<Record> records(const std::string& text, char separator = ',', std::size_t piece_bytes = 1000) {
  std::vector<Record> taken;
  sources::CsvParser parser(separator, [&](std::vector<std::string> fields, std::int64_t line) {
    taken.push_back({std::move(fields), line});
    return true;
  });
  for (std::size_t at = 0; at < text.size(); at += piece_bytes) parser.parse(text.substr(at, piece_bytes));
  parser.finish();
  return taken;
}

}  // namespace

TEST_CASE("CSV records have fields with and without quotes", "[unit][pack]") {
  CHECK(records("a,b\n1,2\n") == std::vector<Record>{{{"a", "b"}, 1}, {{"1", "2"}, 2}});
  CHECK(records("\"a,\"\"b\"\"\",\"\"\n") == std::vector<Record>{{{"a,\"b\"", ""}, 1}});
  CHECK(records("a,,\n,") == std::vector<Record>{{{"a", "", ""}, 1}, {{"", ""}, 2}});
  CHECK(records("a;b,c", ';') == std::vector<Record>{{{"a", "b,c"}, 1}});
  CHECK(records("").empty());
}

TEST_CASE("blanks around CSV fields are not part of them", "[unit][pack]") {
  CHECK(records(" a b\t, \" c \" ,  \n") == std::vector<Record>{{{"a b", " c ", ""}, 1}});
  CHECK(records("a ") == std::vector<Record>{{{"a"}, 1}});
  // A tab is not a blank if it separates fields.
  CHECK(records("a\t\t b \n\t", '\t') == std::vector<Record>{{{"a", "", "b"}, 1}, {{"", ""}, 2}});
}

TEST_CASE("every kind of line end counts once in CSV, also inside quotes", "[unit][pack]") {
  const std::vector<Record> expected = {{{"a"}, 1}, {{"b\r\nc"}, 3}, {{"d"}, 5}, {{"e"}, 6}};
  const std::string text = "a\r\n \n\"b\r\nc\"\rd\ne";
  CHECK(records(text) == expected);
  for (std::size_t piece_bytes = 1; piece_bytes < text.size(); ++piece_bytes) {
    CHECK(records(text, ',', piece_bytes) == expected);
  }
}

TEST_CASE("CSV with unclear quotes or too long records is refused with the line", "[unit][pack]") {
  for (const char* text : {"a\nb\"c\n", "a\n\"b\"c\n", "a\n\"b\" \"c\"\n"}) {
    CHECK_THROWS_WITH(records(text), ContainsSubstring("line 2 is not valid CSV: it has quotes inside a field"));
  }
  CHECK_THROWS_WITH(records("a\n\"b\nc"), ContainsSubstring("the quotes that begin in line 2 do not end"));
  CHECK_THROWS_WITH(records("a\n" + std::string((1 << 20) + 1, 'b')),
                    ContainsSubstring("line 2 has more than 1048576 bytes"));
  CHECK(records(std::string(1 << 20, 'b') + "\n").size() == 1);
  CHECK(records(std::string(99'999, ',')).at(0).fields.size() == 100'000);
  CHECK_THROWS_WITH(records(std::string(100'000, ',')), ContainsSubstring("line 1 has more than 100000 fields"));
}

TEST_CASE("a CSV parser stops when its caller has enough records", "[unit][pack]") {
  int count = 0;
  sources::CsvParser parser(',', [&](const std::vector<std::string>&, std::int64_t) { return ++count < 2; });
  parser.parse("a\nb\nc\nd\"d\n");
  parser.finish();
  CHECK(parser.is_done());
  CHECK(count == 2);
}
