"""A release as an object: verified, saved whole or not at all, asked in many ways, and gone when nobody holds it."""

from __future__ import annotations

import gc
import stat
from pathlib import Path

import pytest

import incrowd

from .conftest import WORDS


def test_it_is_verified_against_the_frame_it_was_made_from(people: incrowd.Frame, release: incrowd.Release) -> None:
    assert release.verified and release.verify() and release.verify(against=people)
    other = incrowd.sample(rows=2000, seed=8)
    verdict = release.verify(against=other)
    assert not verdict and verdict.faults


def test_it_stands_in_a_private_folder_until_nobody_holds_it(people: incrowd.Frame) -> None:
    made = incrowd.anonymize(people, **WORDS)
    folder = made.path.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    frame = made.frame
    del made
    gc.collect()
    assert not folder.exists() and frame.num_rows == 2000


def test_a_refused_release_leaves_nothing(people: incrowd.Frame) -> None:
    places = [place for place in (Path("/dev/shm"), Path("/tmp")) if place.is_dir()]
    before = {path for place in places for path in place.glob("incrowd-*")}
    with pytest.raises(incrowd.Infeasible) as refused:
        incrowd.anonymize(people, **dict(WORDS, k=5000))
    assert refused.value.code == "IC601" and refused.value.facts[0]["way_out"]
    gc.collect()
    left = {path for place in places for path in place.glob("incrowd-*")} - before
    assert not left


def test_it_is_saved_whole_and_never_over_another(
    release: incrowd.Release, people: incrowd.Frame, tmp_path: Path
) -> None:
    saved = release.save(tmp_path / "adult")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adult", "adult.internal"]
    assert saved.manifest == release.manifest and saved.verify(against=people)
    with pytest.raises(incrowd.ReleaseError, match="IC604"):
        release.save(tmp_path / "adult")
    release.save(tmp_path / "adult", force=True)
    data = tmp_path / "adult" / "data.arrow"
    data.write_bytes(data.read_bytes()[:-1])
    assert not saved.verify() and not incrowd.verify(tmp_path / "adult")
    with pytest.raises(incrowd.ReleaseError, match="IC630"):
        incrowd.Release(tmp_path / "adult")
    with pytest.raises(incrowd.IncrowdError):
        saved.save(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_it_is_written_where_and_how_it_is_told(people: incrowd.Frame, tmp_path: Path) -> None:
    made = incrowd.anonymize(people, **WORDS, output=tmp_path / "release", output_format="csv")
    assert (tmp_path / "release" / "data.csv").is_file() and made.verify(against=people)
    with pytest.raises(incrowd.AskError, match="data.csv"):
        _ = made.frame


def test_its_measures_say_what_it_loses(release: incrowd.Release) -> None:
    assert release.measures is not None and 0 < release.measures.lm < 1
    assert [why.name for why in release.why] == ["age", "sex", "education"]
    assert release.explain("age").levels and release.promises and release.findings == release.notes
    assert release.record is not None and release.record["randomness"]["seed"] == 1


def test_its_report_has_a_page_to_publish_and_one_to_sign(
    release: incrowd.Release, people: incrowd.Frame, tmp_path: Path
) -> None:
    plan = incrowd.Plan()
    plan.context.purpose = "<script>research</script>"
    report = incrowd.report(release, tmp_path / "pages", against=people, plan=plan)
    assert "<script>research" not in report.public + report.internal
    assert (tmp_path / "pages" / "public.html").read_text() == report.public
    assert stat.S_IMODE((tmp_path / "pages" / "internal.html").stat().st_mode) == 0o600
    assert "sandbox" in report._repr_html_() and "<h1" not in report._repr_html_()


def test_limits_are_asked_of_attacks(release: incrowd.Release, people: incrowd.Frame) -> None:
    tight = incrowd.attack(release, against=people, limits={"prosecutor": 0.01, "prosecutor.mean": 0.001})
    assert not tight and {one["attack"] for one in tight.exceeded} == {"prosecutor"}
    assert incrowd.attack(release, limits=[incrowd.LimitPlan("prosecutor", 0.2)])


def test_a_hierarchy_is_given_as_an_object(people: incrowd.Frame) -> None:
    trees = incrowd.sample_hierarchies()
    made = incrowd.anonymize(people, **dict(WORDS, hierarchies={"education": trees["education"], "age": [10, 20]}))
    assert made.verify(against=people)
    assert incrowd.cover(trees["education"], people, "education").complete
    lacking = incrowd.cover(incrowd.Hierarchy("High-school;*\n"), people, "education", show_values=True)
    assert not lacking and lacking.uncovered_values
    with pytest.raises(incrowd.AskError, match="IC501"):
        incrowd.Hierarchy("a;b;*\na;c\n")
