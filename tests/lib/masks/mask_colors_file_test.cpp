// The file that maps the colors of masks to classes.
#include <octavo/mask_colors.hpp>

#include <fstream>
#include <octavo/errors.hpp>
#include <utility>

#include "catch.hpp"
#include "temporary_folder.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

using Classes = std::map<MaskColor, std::uint8_t>;
using Names = std::map<int, std::string>;

MaskColors read(const std::string& text, const std::string& name = "colors.txt") {
  const TemporaryFolder folder;
  std::ofstream(folder / name) << text;
  return read_mask_colors(folder / name);
}

const Classes kRoadAndCar = {{{128, 64, 128}, 0}, {{0, 0, 142}, 1}};
const Names kRoadAndCarNames = {{0, "road"}, {1, "parked car"}};

}  // namespace

TEST_CASE("lines give the class number of each color", "[unit][masks]") {
  const std::string text = GENERATE("# a comment\n128,64,128,0\n0,0,142,1\n", "\xEF\xBB\xBF#804080 0\r\n#00008e 1\r\n",
                                    "128 64 128\t0\n\n0  0 142  1", "#804080, 0\n#00008E, 1");
  CAPTURE(text);
  const MaskColors colors = read(text);
  CHECK(colors.classes == kRoadAndCar);
  CHECK(colors.names.empty());
}

TEST_CASE("names of classes are numbered in the order of the file", "[unit][masks]") {
  const std::string text =
      GENERATE("128 64 128 road\n0 0 142 parked car\n", "name,r,g,b\nroad,128,64,128\n\"parked car\",0,0,142\n",
               "color;class\n#804080;road\n#00008E;parked car\n");
  CAPTURE(text);
  const MaskColors colors = read(text);
  CHECK(colors.classes == kRoadAndCar);
  CHECK(colors.names == kRoadAndCarNames);
}

TEST_CASE("a name may have several colors, and 255 means pixels to ignore", "[unit][masks]") {
  const MaskColors colors = read("#000000 255\n#804080 road\n#804081 road\n#00008E car\n");
  CHECK(colors.classes == Classes{{{0, 0, 0}, 255}, {{128, 64, 128}, 0}, {{128, 64, 129}, 0}, {{0, 0, 142}, 1}});
  CHECK(colors.names == Names{{0, "road"}, {1, "car"}});
}

TEST_CASE("a CSV file with numbers and names keeps both", "[unit][masks]") {
  const MaskColors colors = read("R,G,B,id,name\n128,64,128,7,road\n0,0,142,26,parked car\n", "colors.csv");
  CHECK(colors.classes == Classes{{{128, 64, 128}, 7}, {{0, 0, 142}, 26}});
  CHECK(colors.names == Names{{7, "road"}, {26, "parked car"}});
}

TEST_CASE("a column of numbers has the classes and one of text their names, whatever they are called",
          "[unit][masks]") {
  const auto [text, name] = GENERATE(std::pair("class,id,r,g,b\nroad,7,128,64,128\nparked car,26,0,0,142\n", "c.csv"),
                                     std::pair("label;color;value\nroad;#804080;7\nparked car;#00008E;26", "c.csv"),
                                     std::pair(R"([{"color": "#804080", "class": "road", "id": 7},
                                                   {"color": "#00008E", "class": "parked car", "id": "26"}])",
                                               "c.json"));
  CAPTURE(text);
  const MaskColors colors = read(text, name);
  CHECK(colors.classes == Classes{{{128, 64, 128}, 7}, {{0, 0, 142}, 26}});
  CHECK(colors.names == Names{{7, "road"}, {26, "parked car"}});
}

TEST_CASE("columns that compete for the classes are refused", "[unit][masks]") {
  CHECK_THROWS_WITH(read("id,label,color\n7,8,#804080\n"),
                    ContainsSubstring("columns \"id\" and \"label\" both have class numbers; keep one"));
  CHECK_THROWS_WITH(read(R"([{"color": "#804080", "name": "road", "class": "flat"}])", "c.json"),
                    ContainsSubstring("columns \"name\" and \"class\" both have class names; keep one"));
  // Names of digits are names if there are numbers.
  CHECK(read("name,id,color\n3,7,#804080\n").names == Names{{7, "3"}});
  CHECK(read("name,color\n3,#804080\n").classes == Classes{{{128, 64, 128}, 3}});
  CHECK_THROWS_WITH(read("name,id,color\nroad,7,#804080\ncar,,#00008E\n"),
                    ContainsSubstring("line 3: it has no class"));
}

TEST_CASE("a line may have a class number and its name", "[unit][masks]") {
  const std::string text =
      GENERATE("128 64 128 7 road\n0 0 142 26 parked car\n", "128,64,128,7,road\n0,0,142,26,parked car\n",
               "#804080 7 road\n#00008E\t26\tparked car", "128,64,128,road,7\n\"0,0,142\",\"parked car\",26\n",
               "128;64;128;\"7\";\"road\"\n0;0;142;26;parked car");
  CAPTURE(text);
  const MaskColors colors = read(text);
  CHECK(colors.classes == Classes{{{128, 64, 128}, 7}, {{0, 0, 142}, 26}});
  CHECK(colors.names == Names{{7, "road"}, {26, "parked car"}});
}

TEST_CASE("a number that no class can have is not a name", "[unit][masks]") {
  const std::string number = GENERATE("256", "-1", "+1", "7.0", "99999999999");
  CAPTURE(number);
  const auto refusal = ContainsSubstring("class " + number + " is not a whole number from 0 to 255");
  CHECK_THROWS_WITH(read("128,64,128," + number), ContainsSubstring("line 1: ") && refusal);
  CHECK_THROWS_WITH(read("128 64 128 " + number + " road"), refusal);
  CHECK_THROWS_WITH(read("id,name,color\n" + number + ",road,#804080\n"), ContainsSubstring("line 2: ") && refusal);
  CHECK_THROWS_WITH(read("{\"#804080\": \"" + number + "\"}", "c.json"), refusal);
  CHECK_THROWS_WITH(make_mask_colors({{{1, 2, 3}, number}}), refusal);
  CHECK_THROWS_WITH(read("128 64 128 255 7"),
                    ContainsSubstring("line 1: it has the numbers 255 and 7 after its color"));
  CHECK_THROWS_WITH(read("128,64,128,255,7"),
                    ContainsSubstring("line 1: it has the numbers 255 and 7 after its color"));
}

TEST_CASE("CSV may have quotes, and commas in them", "[unit][masks]") {
  const std::string text = GENERATE(
      "\"name\",\"r\",\"g\",\"b\"\r\n\"road, paved\",\"128\",\"64\",\"128\"\r\n\"a "
      "\"\"car\"\"\",\"0\",\"0\",\"142\"\r\n",
      "# a \"comment\nclass,rgb\n\"road, paved\",\"128,64,128\"\n\"a \"\"car\"\"\",0 0 142\n",
      "128,64,128,\"road, paved\"\n0,0,142,\"a \"\"car\"\"\"\n");
  CAPTURE(text);
  const MaskColors colors = read(text);
  CHECK(colors.classes == kRoadAndCar);
  CHECK(colors.names == Names{{0, "road, paved"}, {1, "a \"car\""}});
  CHECK(read("128 64 128 \"road, paved\"\n").names == Names{{0, "road, paved"}});
  CHECK_THROWS_WITH(read("name,color\nro\"ad,#804080\n"), ContainsSubstring("line 2 is not valid CSV"));
}

TEST_CASE("JSON gives colors as keys, as values or in a list", "[unit][masks]") {
  const std::string text = GENERATE(R"({"#804080": "road", "0,0,142": "parked car"})",
                                    R"({"road": [128, 64, 128], "parked car": "#00008E"})",
                                    R"([{"color": "#804080", "id": 0, "name": "road"},
                                        {"color": [0, 0, 142], "id": 1, "name": "parked car"}])",
                                    R"([{"color": "#804080", "name": "road"},
                                        {"color": [0, 0, 142], "name": "parked car"}])");
  CAPTURE(text);
  const MaskColors colors = read(text, "c.json");
  CHECK(colors.classes == kRoadAndCar);
  CHECK(colors.names == kRoadAndCarNames);
}

TEST_CASE("a wrong line of the mask colors is named", "[unit][masks]") {
  CHECK_THROWS_WITH(read("1,2,3,0\n1,2\n"),
                    ContainsSubstring("colors.txt\": line 2: it is neither \"R G B CLASS\" nor"));
  CHECK_THROWS_WITH(read("1,2,256,0\n"), ContainsSubstring("line 1: it is neither"));
  CHECK_THROWS_WITH(read("1,2,3,0\n4,5,6,256\n"),
                    ContainsSubstring("line 2: class 256 is not a whole number from 0 to 255"));
  CHECK_THROWS_WITH(read("1,2,3,0\n1,2,3,1\n"), ContainsSubstring("line 2: the color #010203 already has another"));
  CHECK_THROWS_WITH(read("1,2,3,0\n4,5,6,car\n"), ContainsSubstring("line 2: class \"car\" is a name, earlier ones"));
  CHECK_THROWS_WITH(read("r,g,b,name\n1,2,3\n"), ContainsSubstring("line 2: it has 3 columns, the first line has 4"));
  CHECK_THROWS_WITH(read("# nothing\n"), ContainsSubstring("there are no colors"));
  CHECK_THROWS_WITH(read("{\"a\": 1}", "c.json"), ContainsSubstring("key \"a\": neither it nor its value is a color"));
  CHECK_THROWS_WITH(read("[{\"name\": \"a\"}]", "c.json"), ContainsSubstring("entry 1: it is not an object with"));
  CHECK_THROWS_AS(read_mask_colors("no such file"), IoError);
}

TEST_CASE("more than 255 names of mask classes are an error", "[unit][masks]") {
  std::vector<std::pair<MaskColor, std::string>> classes;
  for (int i = 0; i < 255; ++i) classes.push_back({{static_cast<std::uint8_t>(i), 0, 0}, "c" + std::to_string(i)});
  CHECK(make_mask_colors(classes).classes.at({254, 0, 0}) == 254);
  classes.push_back({{0, 1, 0}, "one more"});
  CHECK_THROWS_WITH(make_mask_colors(classes), ContainsSubstring("color #000100: it is the 256th class name"));
  CHECK_THROWS_AS(make_mask_colors(classes), InvalidArgument);
}
