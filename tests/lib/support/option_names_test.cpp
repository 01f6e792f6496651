#include <octavo/option_names.hpp>

#include "catch.hpp"

using namespace octavo;

TEST_CASE("each front end spells the options in a message", "[unit][support]") {
  const std::string message = "skip it with `on_error=skip`, or allow more with `max_pixels`; run `octavo verify`";
  CHECK(with_command_line_options(message) ==
        "skip it with --on-error skip, or allow more with --max-pixels; run `octavo verify`");
  CHECK(with_python_options(message) ==
        "skip it with on_error=\"skip\", or allow more with max_pixels=; run `octavo verify`");
}

TEST_CASE("text that names no option stays as it is", "[unit][support]") {
  for (const char* text : {"", "`", "a ` b", "``", "`nothing`", "`nothing=1`", "read `a`b`: damaged"}) {
    CHECK(with_command_line_options(text) == text);
    CHECK(with_python_options(text) == text);
  }
  CHECK(with_command_line_options("read \"a`b\": omit `range`") == "read \"a`b\": omit --range");
}

TEST_CASE("every option name is written in the message form of its id", "[unit][support]") {
  for (const OptionName& option : kOptionNames) {
    const std::string shown = with_command_line_options("`" + std::string(option.id) + "`");
    CHECK(!option.python.empty());
    if (option.command_line.empty()) {  // only Python has it
      CHECK(shown == option.id);
      continue;
    }
    CHECK(shown == option.command_line);
    CHECK(option.command_line.starts_with("--"));
  }
  CHECK(with_command_line_options("use `border=edge`") == "use border=edge");
  CHECK(with_python_options("use `border=edge`") == "use border=\"edge\"");
  CHECK(with_python_options("use `channels=3`") == "use channels=3");
  CHECK(with_command_line_options("`limit` must be at least 1") == "--limit must be at least 1");
  CHECK(with_python_options("`limit` must be at least 1") == "limit= must be at least 1");
}

TEST_CASE("values with characters that shells replace are quoted on the command line only", "[unit][support]") {
  CHECK(with_command_line_options("use `masks={stem}_mask.png`") == "use --masks '{stem}_mask.png'");
  CHECK(with_python_options("use `masks={stem}_mask.png`") == "use masks=\"{stem}_mask.png\"");
  CHECK(with_command_line_options("use `on_error=skip`") == "use --on-error skip");
}
