"""Adds to a wheel what it says about its contents: THIRD_PARTY.md, the licenses, and a list in SPDX format.

Usage: wheel_contents.py WHEEL PREFIX ROOT LINKED [CUDA_VERSION EULA]

PREFIX is the folder that tools/wheel_deps.sh made, with versions.tsv (name, version) and licenses/. LINKED is a file
with the static libraries that the wheel's library is linked with, one per line; each must belong to a part with a
license. EULA is the text of NVIDIA's license. The wheel is rewritten in place, with the files in its .dist-info folder,
where PEP 639 and PEP 770 expect them. SOURCE_DATE_EPOCH is the date of the list.
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
from typing import NamedTuple

# Libraries of the CUDA toolkit that NVIDIA's license permits to distribute (its Attachment A).
CUDA_ARCHIVES = ("libcudart_static.a", "libcudadevrt.a")
CUDA_LICENSE = "LicenseRef-NVIDIA-CUDA-EULA"
# The LGPL, with a permission to link the compiled files with anything and to distribute the result.
GLIBC_LICENSE = "LicenseRef-glibc-startup-exception"


class ContentsError(Exception):
    """A wheel that must not be distributed."""


class Dependency(NamedTuple):
    """A row of third_party.tsv; `package` is empty for a library that is not in the wheels."""

    name: str
    archives: tuple[str, ...]
    package: str
    license: str
    texts: tuple[str, ...]
    homepage: str


class Part(NamedTuple):
    """A library in the wheel. `texts` has the license: name of a file, and its content."""

    name: str
    version: str
    license: str
    source: str
    purl: str
    texts: dict[str, str]
    archives: tuple[str, ...] = ()


def read_table(path: pathlib.Path) -> list[Dependency]:
    rows = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            fields = ["" if field == "-" else field for field in line.split("\t")]
            name, archives, package, license_id, texts, homepage = fields
            rows.append(Dependency(name, tuple(archives.split()), package, license_id, tuple(texts.split()), homepage))
    return rows


def text_of(path: pathlib.Path) -> str:
    if not path.is_file():
        return ""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:  # the names of some authors
        return content.decode("latin-1")


def leading_comment(path: pathlib.Path) -> str:
    """The comment at the beginning of a C or C++ file, which is its license."""
    return text_of(path).partition("*/")[0].lstrip("/* \n") + "\n"


def package_url(kind: str, name: str, version: str, qualifiers: str = "") -> str:
    return f"pkg:{kind}/{name}@{urllib.parse.quote(version, safe='')}{qualifiers}"


def debian_parts(table: list[Dependency], prefix: pathlib.Path) -> list[Part]:
    versions = dict(line.split("\t")[:2] for line in (prefix / "versions.tsv").read_text().splitlines())
    parts = []
    for row in table:
        if row.package:
            version = versions.get(row.package, "")
            texts = {text: text_of(prefix / "licenses" / row.package / text) for text in row.texts}
            purl = package_url("deb/debian", row.package, version, "?arch=source")
            # Without the epoch of the package.
            shown = version.rpartition(":")[2]
            parts.append(Part(row.package, shown, row.license, row.homepage, purl, texts, row.archives))
    return parts


def package_folder(package: str) -> pathlib.Path:
    """Where a package of PyPI is installed."""
    return pathlib.Path(str(importlib.metadata.distribution(package).locate_file(package)))


def robin_map_part(header: pathlib.Path) -> Part:
    """The hash table inside nanobind."""
    version = ".".join(re.findall(r"#define TSL_RH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text_of(header)))
    source = "https://github.com/Tessil/robin-map"
    purl = package_url("github", "Tessil/robin-map", version)
    return Part("robin-map", version, "MIT", source, purl, {"LICENSE": leading_comment(header)})


def nanobind_parts() -> list[Part]:
    version = importlib.metadata.version("nanobind")
    licenses = [file for file in importlib.metadata.files("nanobind") or [] if file.name == "LICENSE"]
    texts = {file.name: text_of(pathlib.Path(str(file.locate()))) for file in licenses[:1]}
    archives = ("libnanobind-static.a", "libnanobind-static-abi3.a")
    source, purl = "https://github.com/wjakob/nanobind", package_url("pypi", "nanobind", version)
    headers = package_folder("nanobind") / "ext" / "robin_map" / "include" / "tsl"
    return [
        Part("nanobind", version, "BSD-3-Clause", source, purl, texts, archives),
        robin_map_part(headers / "robin_growth_policy.h"),
    ]


def zig_parts() -> list[Part]:
    """What Zig's compiler links without naming it on the command line."""
    version, zig = importlib.metadata.version("ziglang"), package_folder("ziglang")
    purl = package_url("pypi", "ziglang", version)
    llvm = {f"{name}.txt": text_of(zig / "lib" / name / "LICENSE.TXT") for name in ("libcxx", "libcxxabi", "libunwind")}
    glibc = {"exception.txt": leading_comment(zig / "lib" / "libc" / "glibc" / "stdlib" / "atexit.c")}
    runtime = {"LICENSE": text_of(zig / "LICENSE")}
    return [
        Part("libc++", f"of Zig {version}", "Apache-2.0 WITH LLVM-exception", "https://libcxx.llvm.org", purl, llvm),
        Part("compiler_rt", f"of Zig {version}", "MIT", "https://ziglang.org", purl, runtime),
        Part("glibc (start-up code)", f"of Zig {version}", GLIBC_LICENSE, "https://sourceware.org/glibc", purl, glibc),
    ]


def cuda_part(version: str, eula: pathlib.Path) -> Part:
    source = "https://docs.nvidia.com/cuda/eula/"
    purl = package_url("generic", "cuda-cudart", version)
    texts = {"EULA.txt": text_of(eula)}
    return Part("CUDA runtime (static)", version, CUDA_LICENSE, source, purl, texts, CUDA_ARCHIVES)


# ---- Checks ----------------------------------------------------------------------------------------------------------


def check_parts(parts: list[Part], linked: list[str]) -> None:
    """Raises if a linked library belongs to no part, or a part has no license text or a license that needs more."""
    if not linked:
        raise ContentsError("no static library is linked; the list that tools/wheel.sh makes is wrong")
    known = {archive for part in parts for archive in part.archives}
    for path in linked:
        name = pathlib.PurePath(path).name
        if name not in known and not name.startswith("liboctavo_"):
            raise ContentsError(f"{name} is linked, but not listed; add it to tools/third_party.tsv with its license")
    for part in parts:
        if not part.texts or not all(text.strip() for text in part.texts.values()):
            raise ContentsError(f"{part.name} has no license text in build/wheel; compile it again, or correct its row")
        if re.search(r"\bA?L?GPL-", part.license):
            raise ContentsError(f"{part.name} is under {part.license}: users could not replace it in a wheel")


# ---- Files of the wheel ----------------------------------------------------------------------------------------------


def folder_of(part: Part) -> str:
    """The folder of its license files in the wheel."""
    return re.sub(r"[^\w.-]+", "-", part.name.replace("+", "x")).strip("-")


def third_party(parts: list[Part]) -> str:
    rows = ""
    for part in parts:
        texts = ", ".join(f"{folder_of(part)}/{file}" for file in part.texts)
        rows += f"| {part.name} | {part.version} | {part.license} | {texts} | {part.source} |\n"
    text = (
        "# What this package contains besides Octavo\n\n"
        "These libraries are linked into the package. The texts of their licenses are in the folders next to this\n"
        "file.\n\n"
        "| name | version | license (SPDX) | texts | source |\n|---|---|---|---|---|\n"
        f"{rows}\n"
        "No license demands that users can replace the library: the start-up code of glibc, which every program\n"
        "contains, is under the LGPL with a permission to link it without conditions. Most libraries are compiled\n"
        "from Debian's sources (https://sources.debian.org/src/NAME/VERSION/); `tools/wheel_deps.sh` in Octavo's\n"
        "repository has the commands.\n\n"
        "This software is based in part on the work of the Independent JPEG Group.\n"
    )
    if any(part.license == CUDA_LICENSE for part in parts):
        text += (
            "\nThe CUDA runtime is part of the NVIDIA CUDA Toolkit. NVIDIA's license permits to distribute it with an\n"
            "application (Attachment A of its text); it applies to that library only.\n"
        )
    return text


def spdx(name: str, version: str, parts: list[Part], created: datetime.datetime) -> str:
    own = Part("octavo", version, "Apache-2.0", "NOASSERTION", package_url("pypi", "octavo", version), {})
    packages = [own, *parts]
    ids = [f"SPDXRef-Package-{number}" for number in range(len(packages))]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: octavo-tools-wheel_contents.py"],
        },
        "packages": [
            {
                "SPDXID": package_id,
                "name": part.name,
                "versionInfo": part.version,
                "licenseConcluded": part.license,
                "licenseDeclared": part.license,
                "copyrightText": "NOASSERTION",
                "downloadLocation": "NOASSERTION",
                "homepage": part.source,
                "filesAnalyzed": False,
                "externalRefs": [
                    {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.purl}
                ],
            }
            for package_id, part in zip(ids, packages, strict=True)
        ],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": ids[0]},
            *(
                {"spdxElementId": ids[0], "relationshipType": "STATIC_LINK", "relatedSpdxElement": other}
                for other in ids[1:]
            ),
        ],
    }
    own_texts = [
        {"licenseId": part.license, "extractedText": "".join(part.texts.values())}
        for part in parts
        if part.license.startswith("LicenseRef")
    ]
    if own_texts:
        document["hasExtractedLicensingInfos"] = own_texts
    # Different contents must have different names.
    digest = hashlib.sha256(json.dumps(document).encode()).hexdigest()[:16]
    document["documentNamespace"] = f"https://spdx.org/spdxdocs/{name}-{digest}"
    return json.dumps(document, indent=1) + "\n"


def with_license_files(metadata: str, names: list[str]) -> str:
    """The METADATA of a wheel, with each license file, as PEP 639 demands."""
    head, separator, body = metadata.partition("\n\n")
    lines = [line for line in head.split("\n") if not line.startswith("License-File:")]
    return "\n".join([*lines, *(f"License-File: {name}" for name in names)]) + separator + body


def add_contents(info: pathlib.Path, name: str, version: str, own_license: pathlib.Path, parts: list[Part]) -> None:
    """Writes the files to the folder .dist-info of an unpacked wheel."""
    licenses = info / "licenses"
    files = {"LICENSE": own_license.read_bytes(), "THIRD_PARTY.md": third_party(parts).encode()}
    for part in parts:
        files.update({f"{folder_of(part)}/{file}": text.encode() for file, text in part.texts.items()})
    for file, content in files.items():
        (licenses / file).parent.mkdir(parents=True, exist_ok=True)
        (licenses / file).write_bytes(content)
    metadata = info / "METADATA"
    metadata.write_text(with_license_files(metadata.read_text(), list(files)))
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    (info / "sboms").mkdir(exist_ok=True)
    (info / "sboms" / "octavo.spdx.json").write_text(spdx(name, version, parts, created))


def main() -> None:
    wheel, prefix, root, linked = (pathlib.Path(argument) for argument in sys.argv[1:5])
    parts = debian_parts(read_table(root / "tools" / "third_party.tsv"), prefix) + nanobind_parts() + zig_parts()
    if len(sys.argv) > 5:
        parts.append(cuda_part(sys.argv[5], pathlib.Path(sys.argv[6])))
    try:
        check_parts(parts, linked.read_text().split())
    except ContentsError as error:
        sys.exit(f"tools/wheel_contents.py: error: list what {wheel.name} contains: {error}")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "-d", folder, wheel], check=True, capture_output=True)
        (content,) = pathlib.Path(folder).iterdir()
        (info,) = content.glob("*.dist-info")
        add_contents(info, content.name, content.name.partition("-")[2], root / "LICENSE", parts)
        wheel.unlink()
        command = [sys.executable, "-m", "wheel", "pack", "-d", wheel.parent, content]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
