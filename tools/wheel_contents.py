"""Adds to a wheel what it says about its contents: THIRD_PARTY.md, the licenses, and a list in SPDX format.

Usage: wheel_contents.py WHEEL PREFIX ROOT [CUDA_VERSION]

PREFIX is the folder that tools/wheel_deps.sh made, with versions.tsv (name, version, SPDX license) and licenses/. The
wheel is rewritten in place, with the files in its .dist-info folder, where PEP 639 and PEP 770 expect them.
"""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Part(NamedTuple):
    """A library in the wheel: where its sources are, and the text of its license if it is at hand."""

    name: str
    version: str
    license: str
    source: str
    text: pathlib.Path | None


def debian_parts(prefix: pathlib.Path) -> list[Part]:
    parts = []
    for line in (prefix / "versions.tsv").read_text().splitlines():
        name, version, license_id = line.split("\t")
        source = f"https://sources.debian.org/src/{name}/"
        # Without the epoch of the package.
        parts.append(Part(name, version.rpartition(":")[2], license_id, source, prefix / "licenses" / f"{name}.txt"))
    return parts


def license_file(package: str, *names: str) -> pathlib.Path | None:
    files = importlib.metadata.files(package) or []
    for name in names:
        for file in files:
            if file.name == name:
                return pathlib.Path(str(file.locate()))
    return None


def toolchain_parts(cuda_version: str | None) -> list[Part]:
    zig = importlib.metadata.version("ziglang")
    parts = [
        Part(
            "nanobind",
            importlib.metadata.version("nanobind"),
            "BSD-3-Clause",
            "https://github.com/wjakob/nanobind",
            license_file("nanobind", "LICENSE"),
        ),
        Part(
            "libc++, libc++abi and libunwind",
            f"of Zig {zig}",
            "Apache-2.0 WITH LLVM-exception",
            "https://llvm.org",
            license_file("ziglang", "LICENSE.TXT"),
        ),
    ]
    if cuda_version:
        source = "https://docs.nvidia.com/cuda/eula/"
        parts.append(Part("CUDA runtime (static)", cuda_version, "LicenseRef-NVIDIA-CUDA-EULA", source, None))
    return parts


def third_party(parts: list[Part]) -> str:
    rows = "".join(f"| {part.name} | {part.version} | {part.license} | {part.source} |\n" for part in parts)
    return (
        "# What this package contains besides Octavo\n\n"
        "These libraries are linked into the package. The texts of their licenses are next to this file.\n\n"
        "| name | version | license (SPDX) | source |\n|---|---|---|---|\n"
        f"{rows}\n"
        "libexif and libcsv are under the LGPL. To use another version of them, build the package from its sources\n"
        "with that version: `tools/wheel.sh` in Octavo's repository has the commands.\n"
    )


def spdx(name: str, version: str, parts: list[Part]) -> str:
    packages = [("octavo", version, "Apache-2.0", "NOASSERTION")]
    packages += [(part.name, part.version, part.license, part.source) for part in parts]
    ids = [f"SPDXRef-Package-{number}" for number in range(len(packages))]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}",
        "creationInfo": {"created": "1980-01-01T00:00:00Z", "creators": ["Tool: octavo-tools-wheel_contents.py"]},
        "packages": [
            {
                "SPDXID": package_id,
                "name": package,
                "versionInfo": package_version,
                "licenseConcluded": license_id,
                "licenseDeclared": license_id,
                "copyrightText": "NOASSERTION",
                "downloadLocation": source,
                "filesAnalyzed": False,
            }
            for package_id, (package, package_version, license_id, source) in zip(ids, packages, strict=True)
        ],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": ids[0]},
            *(
                {"spdxElementId": ids[0], "relationshipType": "STATIC_LINK", "relatedSpdxElement": other}
                for other in ids[1:]
            ),
        ],
    }
    if any(part.license.startswith("LicenseRef") for part in parts):
        document["hasExtractedLicensingInfos"] = [
            {
                "licenseId": "LicenseRef-NVIDIA-CUDA-EULA",
                "extractedText": "NVIDIA CUDA Toolkit End User License Agreement, https://docs.nvidia.com/cuda/eula/",
            }
        ]
    return json.dumps(document, indent=1) + "\n"


def main() -> None:
    wheel, prefix, root = (pathlib.Path(argument) for argument in sys.argv[1:4])
    cuda_version = sys.argv[4] if len(sys.argv) > 4 else None
    parts = debian_parts(prefix) + toolchain_parts(cuda_version)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", folder, wheel], check=True, capture_output=True)
        (content,) = pathlib.Path(folder).iterdir()
        (info,) = content.glob("*.dist-info")
        licenses = info / "licenses"
        licenses.mkdir(exist_ok=True)
        (licenses / "LICENSE").write_bytes((root / "LICENSE").read_bytes())
        (licenses / "THIRD_PARTY.md").write_text(third_party(parts))
        for part in parts:
            if part.text is not None:
                (licenses / f"{part.name.split(',')[0]}.txt").write_bytes(part.text.read_bytes())
        (info / "sboms").mkdir(exist_ok=True)
        version = content.name.partition("-")[2]
        (info / "sboms" / "octavo.spdx.json").write_text(spdx(wheel.stem, version, parts))
        wheel.unlink()
        command = [sys.executable, "-m", "wheel", "pack", "-d", wheel.parent, content]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
