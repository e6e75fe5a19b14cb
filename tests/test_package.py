"""The package as it is installed: one version, metadata, links that work anywhere, `python -m goofspiel`."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import metadata, version
from pathlib import Path

import pytest

import goofspiel

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_one_version() -> None:
    assert version("goofspiel") == goofspiel.__version__
    done = subprocess.run([sys.executable, "-m", "goofspiel", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"goofspiel {goofspiel.__version__}\n"
    for file, pattern in {"CITATION.cff": r"^version: (\S+)$", "CHANGELOG.md": r"^## (\d\S*)"}.items():
        said = re.findall(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert said[:1] in ([goofspiel.__version__], []), file
        assert said or file == "CHANGELOG.md"  # before the first release


def test_the_readme_of_the_package_links_to_whole_addresses() -> None:
    text = here = (ROOT / "README.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for one in project["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(one["pattern"], one["replacement"].replace("$HFPR_VERSION", goofspiel.__version__), text)
    links, relative = LINK.findall(text), [link for link in LINK.findall(here) if not re.match("[a-z]+:|#", link)]
    assert len(links) == len(LINK.findall(here))
    assert relative
    assert all(re.match("https://|#", link) for link in links)
    whole = f"https://github.com/goofspiel/goofspiel/blob/v{goofspiel.__version__}/"
    images = f"https://raw.githubusercontent.com/goofspiel/goofspiel/v{goofspiel.__version__}/"
    for link in relative:
        assert (images if link.endswith(".png") else whole) + link in links
        assert (ROOT / link.partition("#")[0]).exists()


def test_metadata() -> None:
    said = metadata("goofspiel")
    whole = f"https://github.com/goofspiel/goofspiel/blob/v{goofspiel.__version__}/"
    assert f"]({whole}docs/" in str(said.json["description"])
    urls = dict(line.split(", ") for line in said.get_all("Project-URL", []))
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= urls.keys()
    assert said["License-Expression"] == "MIT"
    assert said["Requires-Python"] == ">=3.11"


@pytest.mark.parametrize("name", ["SECURITY.md", "CITATION.cff", "LICENSE", "CHANGELOG.md"])
def test_what_people_look_for_is_there(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8").strip()


def test_a_shell_completes_verbs_and_options(tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    command = [sys.executable, "-m", "goofspiel", "completion", "bash"]
    script = tmp_path / "completion"
    script.write_text(subprocess.run(command, capture_output=True, text=True, check=True).stdout, encoding="utf-8")
    ask = 'COMP_WORDS=({0}); COMP_CWORD=$(({1} - 1)); _shtab_goofspiel; echo "${{COMPREPLY[@]}}"'
    for words, completed in {"goofspiel so": "solve", "goofspiel solve --resu": "--resume"}.items():
        asked = f"source {script}; {ask.format(words, len(words.split()))}"
        said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True).stdout
        assert completed in said.split()
