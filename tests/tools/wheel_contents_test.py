"""Checks tools/wheel_contents.py and tools/third_party.tsv: nothing is linked into a wheel without its license."""

from __future__ import annotations

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import wheel_contents  # noqa: E402
from wheel_contents import ContentsError, Part  # noqa: E402

TABLE = wheel_contents.read_table(ROOT / "tools" / "third_party.tsv")
ZLIB = Part(
    "zlib", "1.3", "Zlib", "https://zlib.net", "pkg:deb/debian/zlib@1.3", {"LICENSE": "Keep this."}, ("libz.a",)
)
CUDA = Part("CUDA", "13.0", wheel_contents.CUDA_LICENSE, "https://x", "pkg:generic/x@13.0", {"EULA.txt": "Agree."})


class TheTable(unittest.TestCase):
    def test_it_lists_every_dependency_of_the_build(self) -> None:
        cmake = (ROOT / "cmake" / "OctavoDependencies.cmake").read_text()
        found = set(re.findall(r"^ *octavo_find_dependency\((\w+) FOR", cmake, re.MULTILINE))
        # HDF5's own dependencies are found in a loop.
        (loop,) = re.findall(r"foreach\(name ([\w ]+)\)", cmake)
        self.assertGreater(len(found), 15)
        self.assertEqual(found | set(loop.split()), {row.name for row in TABLE})

    def test_every_library_in_the_wheels_has_a_license_and_its_texts(self) -> None:
        for row in TABLE:
            self.assertTrue(row.license and row.homepage.startswith("http"), row)
            self.assertEqual(bool(row.package), bool(row.texts), row)
            self.assertFalse(row.archives and not row.package, row)

    def test_every_package_has_commands_that_compile_it(self) -> None:
        script = (ROOT / "tools" / "wheel_deps.sh").read_text()
        recipes = set(re.findall(r"^compile_(\w+)\(\)", script, re.MULTILINE))
        self.assertEqual({re.sub(r"[-.]", "_", row.package) for row in TABLE if row.package}, recipes)


class TheCheck(unittest.TestCase):
    def test_a_linked_library_that_is_not_listed_stops_the_build(self) -> None:
        wheel_contents.check_parts([ZLIB], ["lib/liboctavo_core.a", "/prefix/lib/libz.a"])
        with self.assertRaisesRegex(ContentsError, "libnew.a is linked, but not listed"):
            wheel_contents.check_parts([ZLIB], ["/prefix/lib/libz.a", "/prefix/lib/libnew.a"])
        with self.assertRaisesRegex(ContentsError, "no static library is linked"):
            wheel_contents.check_parts([ZLIB], [])

    def test_a_library_without_license_text_stops_the_build(self) -> None:
        for texts in ({}, {"LICENSE": ""}, {"LICENSE": " \n"}, {"LICENSE": "Keep this.", "NOTICE": ""}):
            with self.assertRaisesRegex(ContentsError, "zlib has no license text"):
                wheel_contents.check_parts([ZLIB._replace(texts=texts)], ["libz.a"])

    def test_a_library_under_a_copyleft_license_stops_the_build(self) -> None:
        for license_id in ("LGPL-2.1-or-later", "GPL-2.0-only", "MIT AND AGPL-3.0-or-later"):
            with self.assertRaisesRegex(ContentsError, "zlib is under"):
                wheel_contents.check_parts([ZLIB._replace(license=license_id)], ["libz.a"])


class TheFiles(unittest.TestCase):
    def contents(self, parts: list[Part]) -> dict[str, str]:
        """The files that are added to a folder .dist-info."""
        os.environ["SOURCE_DATE_EPOCH"] = "86400"
        with tempfile.TemporaryDirectory() as folder:
            info = pathlib.Path(folder)
            (info / "METADATA").write_text("Name: octavo\nLicense-File: old\n\nText: License-File: kept\n")
            wheel_contents.add_contents(info, "octavo-1.2", "1.2", ROOT / "LICENSE", parts)
            return {str(path.relative_to(info)): path.read_text() for path in info.rglob("*") if path.is_file()}

    def test_every_part_is_listed_with_its_text(self) -> None:
        files = self.contents([ZLIB, CUDA])
        self.assertEqual(files["licenses/zlib/LICENSE"], "Keep this.")
        self.assertEqual(files["licenses/LICENSE"], (ROOT / "LICENSE").read_text())
        self.assertIn("| zlib | 1.3 | Zlib | zlib/LICENSE | https://zlib.net |", files["licenses/THIRD_PARTY.md"])
        self.assertIn("Attachment A", files["licenses/THIRD_PARTY.md"])
        self.assertNotIn("Attachment A", self.contents([ZLIB])["licenses/THIRD_PARTY.md"])

    def test_the_metadata_names_every_license_file(self) -> None:
        self.assertEqual(
            self.contents([ZLIB])["METADATA"],
            "Name: octavo\nLicense-File: LICENSE\nLicense-File: THIRD_PARTY.md\nLicense-File: zlib/LICENSE\n\n"
            "Text: License-File: kept\n",
        )

    def test_the_list_has_names_versions_package_urls_and_the_given_date(self) -> None:
        text = self.contents([ZLIB, CUDA])["sboms/octavo.spdx.json"]
        document = json.loads(text)
        self.assertEqual(document["creationInfo"]["created"], "1970-01-02T00:00:00Z")
        shown = [(each["name"], each["versionInfo"], each["licenseDeclared"]) for each in document["packages"]]
        self.assertEqual(shown[:2], [("octavo", "1.2", "Apache-2.0"), ("zlib", "1.3", "Zlib")])
        urls = [each["externalRefs"][0]["referenceLocator"] for each in document["packages"]]
        self.assertEqual(urls, ["pkg:pypi/octavo@1.2", "pkg:deb/debian/zlib@1.3", "pkg:generic/x@13.0"])
        self.assertEqual(document["hasExtractedLicensingInfos"][0]["extractedText"], "Agree.")
        self.assertEqual(text, self.contents([ZLIB, CUDA])["sboms/octavo.spdx.json"])
        other = json.loads(self.contents([ZLIB])["sboms/octavo.spdx.json"])
        self.assertNotEqual(document["documentNamespace"], other["documentNamespace"])

    def test_versions_of_debian_are_quoted_in_package_urls(self) -> None:
        url = wheel_contents.package_url("deb/debian", "zlib", "1:1.2.13.dfsg-1+b~1", "?arch=source")
        self.assertEqual(url, "pkg:deb/debian/zlib@1%3A1.2.13.dfsg-1%2Bb~1?arch=source")


if __name__ == "__main__":
    unittest.main()
