#include "files/skipped_names.hpp"

#include "catch.hpp"

using namespace octavo::files;

TEST_CASE("hidden files and those that systems leave in folders are skipped", "[unit][files]") {
  for (const char* const name :
       {".DS_Store", "._1.png", ".ipynb_checkpoints", "__MACOSX", "@eaDir", "Thumbs.db", "THUMBS.DB", "thumbs.db",
        "desktop.ini", "Desktop.ini", "$RECYCLE.BIN", "$Recycle.Bin", "System Volume Information", "lost+found",
        "#recycle", "@Recycle", "__pycache__", "Icon\r"}) {
    INFO(name);
    CHECK(is_skipped_name(name));
  }
}

TEST_CASE("names that only resemble those of systems are not skipped", "[unit][files]") {
  for (const char* const name : {"__macosx", "MACOSX", "Thumbs.db.png", "Thumbs", "recycle", "recycler", "lost", "Icon",
                                 "eaDir", "a.ini", "_", "", "1.png"}) {
    INFO(name);
    CHECK_FALSE(is_skipped_name(name));
  }
}
