"""Compiled templates are kept where only their user can write, and never cost more than compiling again."""

from pathlib import Path

import jinja2
import pytest

from siteplan_gis.report.template_cache import kept_templates, templates_kept

TEXT = "{% for name in names %}\n<{{ name }}>{% endfor %}"


@pytest.fixture(autouse=True)
def above(tmp_path, monkeypatch):
    """An empty cache of this test."""
    from siteplan_gis.measures.compiling import cache_folder

    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    cache_folder.cache_clear()
    kept_templates.cache_clear()
    yield tmp_path / "kept"
    cache_folder.cache_clear()
    kept_templates.cache_clear()


def rendered(*, trim_blocks=True):
    with templates_kept():
        template = jinja2.Environment(autoescape=True, trim_blocks=trim_blocks).from_string(TEXT)
    return template.render(names=["a", "&"])


def files(above):
    return sorted(path for path in above.rglob("*.cache"))


def test_a_template_is_compiled_once(above, monkeypatch):
    assert rendered() == "<a><&amp;>"
    assert len(files(above)) == 1
    monkeypatch.setattr(jinja2.Environment, "_parse", None)
    assert rendered() == "<a><&amp;>"


def test_other_options_are_another_template(above):
    assert (rendered(), rendered(trim_blocks=False)) == ("<a><&amp;>", "\n<a>\n<&amp;>")
    assert len(files(above)) == 2


def test_nothing_of_the_library_stays_changed():
    before = jinja2.Environment.compile
    rendered()
    assert jinja2.Environment.compile is before


@pytest.mark.parametrize("content", [b"", b"j2", None, b"\x00" * 200], ids=["empty", "cut", "half", "zeros"])
def test_a_damaged_file_is_written_anew(above, content):
    rendered()
    (file,) = files(above)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] if content is None else content)
    assert rendered() == "<a><&amp;>"
    assert file.read_bytes() == whole


def test_a_folder_that_others_can_write_to_is_not_used(above):
    folder = Path(kept_templates().directory)
    kept_templates.cache_clear()
    folder.chmod(0o777)
    assert kept_templates() is None
    assert rendered() == "<a><&amp;>"
    assert files(above) == []


def test_a_link_to_a_folder_is_not_used(tmp_path):
    folder = Path(kept_templates().directory)
    kept_templates.cache_clear()
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert kept_templates() is None


def test_a_folder_that_cannot_be_made_or_filled_is_done_without(above):
    above.parent.mkdir(exist_ok=True)
    above.write_bytes(b"")
    assert kept_templates() is None
    assert rendered() == "<a><&amp;>"
    above.unlink()
    kept_templates.cache_clear()
    Path(kept_templates().directory).rmdir()
    assert rendered() == "<a><&amp;>"
