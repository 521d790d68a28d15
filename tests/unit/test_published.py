"""What is published says what the published tables say."""

import pytest

from tvgp.study.publish import pages


def test_no_template_has_a_number_of_its_own(project):
    templates = sorted((project / pages.TEMPLATES).rglob("*.md"))
    typed = {path.name: pages.typed(path.read_text(encoding="utf-8")) for path in templates}
    assert len(templates) >= 4
    assert not {name: numbers for name, numbers in typed.items() if numbers}


def test_every_page_is_what_its_template_makes_of_the_tables(project):
    if not (project / pages.RESULTS / pages.RECORD).is_file():
        pytest.skip("nothing is published yet: make publish")
    differ = [page.name for page, text in pages.render(project) if page.read_text(encoding="utf-8") != text]
    assert differ == []
