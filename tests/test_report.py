"""The HTML report in a real browser: what it shows, what it refuses to do, and how large it is."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from memtriage.core.verdict import FactVerdict, ProbeVerdict, Retrieved, StoreSummary, Verdict
from memtriage.metrics.retrieval import ALL as ALL_MEASURES
from memtriage.report.html.page import About, visible, write_report
from memtriage.report.html.payload import draw, fair_shares
from memtriage.tables.measures import measure_rows
from memtriage.tables.outcomes import outcomes
from memtriage.tables.standings import standings
from memtriage.tables.table import table

Browser = Any
Page = Any

ABOUT = About(
    title="Five built-in memories on MemFail",
    created="2025-01-31T12:00:00+00:00",
    version="0.1.0",
    suite="memfail",
    data="generated, seed 7",
    command="memtriage run memfail --systems bm25,dense,hybrid --k 5,10,20 --seed 7",
    depth="memory",
)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "nul\x00bell\x07esc\x1b[31m",
    "\u202eright to left\u202c שלום",
    "family 👩‍👩‍👧 and a lone \ud83d",
    "%{x} <b>bold</b> $x^2$ &lt;i&gt;",
)
WORDS = (
    "harbour lantern copper Tuesday orchard violin marble ferry pepper attic winter saddle canyon kettle meadow "
    "pilot ribbon granite basil tunnel cello mirror quarry falcon ginger cabin velvet compass willow ember "
    "sister neighbour teacher usually never prefers keeps visits after before during because whenever small "
    "green quiet early second morning evening bought painted repaired studied promised forgot cooked "
    "the a of in to and with"
).split()
TASKS = {"conditional-easy": 138, "conditional-hard": 138, "coexisting": 138, "persona": 150, "long-hop": 128}
SYSTEMS = {
    # what becomes of a hundred probes at k=20: stored badly, mangled, not retrieved; the rest is right
    "none": (100, 0, 0),
    "bm25": (0, 0, 38),
    "dense": (0, 0, 31),
    "hybrid": (0, 0, 19),
    "full-context": (0, 0, 0),
    "my-summariser": (22, 30, 12),
}


@dataclass
class Run:
    """A made-up run: verdicts as they would stream from disk, and the texts behind their keys."""

    texts: dict[str, str] = field(default_factory=dict)
    probes: list[ProbeVerdict] = field(default_factory=list)

    def known(self, keys: Collection[str]) -> Mapping[str, str]:
        return {key: self.texts[key] for key in keys if key in self.texts}

    def stores(self) -> list[StoreSummary]:
        places = {(p.suite, p.task, p.system, p.episode): p.k_returned for p in self.probes}
        return [StoreSummary(*place, 12, 40 + i % 7, 900 + 31 * (i % 11), 0.01) for i, place in enumerate(places)]

    def write(self, out: Path, about: About = ABOUT) -> Path:
        rows = table(self.probes, self.stores())
        measured, answered = measure_rows(self.probes), outcomes(self.probes)
        found = standings(self.probes, rows)
        return write_report(out, iter(self.probes), self.stores(), rows, self.known, about, found, measured, answered)


def made_up_run(scale: float = 1.0, ks: tuple[int, ...] = (5, 10, 20), memories: int = 60) -> Run:
    """Six systems on five tasks; the same memories and questions for all of them."""
    run, rng = Run(), random.Random(7)
    for task, count in TASKS.items():
        for number in range(max(2, int(count * scale))):
            _add_probe(run, rng, task, number, ks, memories)
    return run


def _add_probe(run: Run, rng: random.Random, task: str, number: int, ks: tuple[int, ...], memories: int) -> None:
    episode = f"{task}-{number // 3:04}"
    details = (" ".join(rng.choices(WORDS, k=2)), " ".join(rng.choices(WORDS, k=3)))
    fact = f"{rng.choice(WORDS).capitalize()} {details[0]} {rng.choice(WORDS)} {details[1]}."
    keys = [f"{episode}-{i:03}" for i in range(memories)]
    for key in keys:
        run.texts.setdefault(key, " ".join(rng.choices(WORDS, k=rng.randint(8, 26))).capitalize() + ".")
    witness = rng.choice(keys)
    run.texts[witness] += " " + fact
    question = f"What did {' '.join(rng.choices(WORDS, k=12))}?"
    for system, shares in SYSTEMS.items():
        luck = rng.random() * 100
        ranked = [key for key in rng.sample(keys, len(keys)) if key != witness] + [witness]
        scores = sorted((rng.random() * 20 for _ in keys), reverse=True)
        for k in ks:
            verdict = _verdict(shares, luck, k / ks[-1])
            if verdict == "correct" and ranked.index(witness) >= k:
                ranked.insert(k // 2, ranked.pop(ranked.index(witness)))
            wanted = 0 if system == "none" else len(keys) if system == "full-context" else k
            retrieved = tuple(Retrieved(key, i + 1, scores[i]) for i, key in enumerate(ranked[:wanted]))
            stage = {"not_stored": "storage", "summary_error": "summary", "not_retrieved": "retrieval"}.get(verdict)
            order = ("storage", "summary", "retrieval")
            passed = order.index(stage) if stage else 3
            judged = FactVerdict(
                fact=f"{number}-f",
                text=fact,
                details=details,
                verdict=verdict,
                why=f"2 critical details looked for in {len(keys)} memories; {stage or 'every stage'} decided",
                stages={s: "pass" if i < passed else "fail" if i == passed else "n/a" for i, s in enumerate(order)},
                witness=() if verdict == "not_stored" else (witness,),
                lost="never" if verdict == "not_stored" else None,
            )
            run.probes.append(
                ProbeVerdict(
                    *("memfail", task, system, episode, f"q{number:04}", k, "memory", verdict, question, details[1]),
                    facts=(judged,),
                    retrieved=retrieved,
                    k_returned=len(retrieved),
                    context_tokens=24 * len(retrieved),
                    seconds=0.0021,
                    cluster=episode,
                    tags={"N": str(number % 5)},
                )
            )


def _verdict(shares: tuple[int, int, int], luck: float, k_share: float) -> Verdict:
    stored, mangled, hidden = shares
    if mangled and luck > 92:
        return "uncertain"
    if luck < stored:
        return "not_stored"
    if luck < stored + mangled:
        return "summary_error"
    return "not_retrieved" if luck < stored + mangled + hidden * (1.9 - 0.9 * k_share) else "correct"


def probe(verdict: Verdict = "correct", **changes: Any) -> ProbeVerdict:
    """One probe by hand, with one fact and the memory it rests on."""
    fact = FactVerdict("f1", "Ann rides only on Mondays", ("only on Mondays",), verdict, "seen", witness=("m1",))
    made = ProbeVerdict(
        *("memfail", "persona", "bm25", "e1", "p1", 5, "memory", verdict, "When does Ann ride?", "on Mondays"),
        facts=(fact,),
        retrieved=(Retrieved("m1", 1, 2.5),),
        k_returned=1,
    )
    return replace(made, **changes)


def few(**changes: Any) -> Run:
    return Run({"m1": "Ann rides only on Mondays, she says."}, [probe(**changes)])


# ---- without a browser --------------------------------------------------------------------------


def test_sample_prefers_failures_and_keeps_the_same_probes_for_every_system() -> None:
    probes = [
        probe("not_retrieved" if i % 5 == 0 else "correct", system=system, probe=f"p{i}")
        for system in ("bm25", "dense")
        for i in range(100)
    ]
    sample = draw(iter(probes), table(probes, []), most=60)
    kept = [{p.probe for p in bucket} for bucket in sample.kept.values()]
    assert (sample.shown, sample.total) == (60, 200)
    assert kept[0] == kept[1]
    assert {f"p{i}" for i in range(0, 100, 5)} <= kept[0]


def test_shares_add_up_and_small_rows_are_kept_whole() -> None:
    assert fair_shares(100, {0: 3, 1: 500, 2: 60, 3: 500}) == {0: 3, 2: 32, 1: 32, 3: 33}


def test_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    run = made_up_run(scale=0.02)
    assert run.write(tmp_path / "a.html").read_bytes() == run.write(tmp_path / "b.html").read_bytes()


def test_a_directory_gets_a_report_html(tmp_path: Path) -> None:
    assert few().write(tmp_path) == tmp_path / "report.html"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_visible_shows_what_would_otherwise_act() -> None:
    assert visible("a\x1b[0m\u202e\ud83d 👩‍👧\n") == "a␛[0m⟨U+202E⟩⟨U+D83D⟩ 👩‍👧\n"


# ---- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six systems, 692 probes, three k: 12,456 verdicts, 60 memories per full-context probe."""
    run = made_up_run()
    assert len(run.probes) == 12_456
    return run.write(tmp_path_factory.mktemp("demo") / "report.html")


@pytest.fixture(scope="module")
def demo_page(browser: Browser, demo: Path) -> Iterator[Page]:
    """The demo on a desktop, opened once for all tests that only look around in it."""
    with opened(browser, demo, charts=True) as page:
        yield page


@contextmanager
def opened(browser: Browser, path: Path, charts: bool = False, breaks: str = "", **options: Any) -> Iterator[Page]:
    """The page from disk; it fails on any console error, dialog or request beyond the file itself."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options)
    context.set_default_timeout(300_000)  # a busy machine is no reason to fail
    context.add_init_script(breaks)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    if charts:
        drawn(page)
    yield page
    context.close()
    assert wrong == []


def drawn(page: Page) -> None:
    page.wait_for_selector("html[data-charts=drawn]")


def until(page: Page, holds: str) -> None:
    """Wait until an expression holds, frame by frame. Playwright's own wait evaluates text, which the page forbids."""
    page.evaluate(
        f"""() => new Promise((done, fail) => {{
            const held = () => {{ try {{ return {holds}; }} catch {{ return false; }} }};
            const look = (frames) => {{
                if (held()) done();
                else if (frames) requestAnimationFrame(() => look(frames - 1));
                else fail(new Error('it never held'));
            }};
            look(3600);
        }})"""
    )


def overflow(page: Page) -> int:
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


def shown(page: Page, selector: str) -> str:
    return str(page.locator(selector).first.inner_text())


def test_the_demo_fits_and_draws_every_chart(demo: Path, demo_page: Page) -> None:
    page = demo_page
    assert demo.stat().st_size < 5_000_000
    assert "Retrieval is the weakest stage" in shown(page, "h1")
    panels = page.locator(".panel")
    assert panels.count() == 2 * len(TASKS) + 2
    assert page.locator(".panel .plot > svg").count() == panels.count()
    assert page.locator(".panel .errorbar").count() > 0
    assert set(page.locator(".panel-depth").all_inner_texts()) == {"memory-only"}
    assert set(page.locator(".chip.depth").all_inner_texts()) == {"memory-only depth"}
    assert "cl100k_base" in shown(page, "footer")
    assert "Wilson 95 %" in shown(page, "footer")
    assert ABOUT.command in shown(page, "footer code")


def test_a_row_opens_to_its_probes_and_a_probe_to_its_facts_and_memories(demo_page: Page) -> None:
    page = demo_page
    page.select_option("#f-task", "coexisting")
    page.select_option("#f-system", "bm25")
    page.select_option("#f-k", "20")
    assert page.locator("tr.row").count() == 1
    page.locator("tr.row .opener").press("Enter")
    assert page.locator("tr.row .opener").get_attribute("aria-expanded") == "true"
    assert page.locator(".probe").count() == 40
    page.get_by_role("button", name="Show 40 more").click()
    assert page.locator(".probe").count() == 80
    page.locator(".pick[data-verdict=correct]").click()
    page.locator(".probe > button").first.press("Enter")
    inside = page.locator(".inside")
    assert inside.locator(".fact .badge").inner_text() == "correct"
    passed = [stage.get_attribute("title") for stage in inside.locator(".strip .s-p").all()]
    assert passed == ["storage: pass", "summary: pass", "retrieval: pass"]
    assert inside.locator(".fact mark").count() >= 2
    inside.get_by_role("button", name="Show 12 more").click()
    assert inside.locator(".retrieved .memory").count() == 20
    assert inside.locator(".retrieved .memory.witness mark").count() >= 2
    assert inside.locator(".matrix .cell").count() == len(SYSTEMS) * 3


def test_probes_can_be_searched_by_their_question(browser: Browser, tmp_path: Path) -> None:
    run = few()
    run.probes += [probe("not_retrieved", probe=f"p{i}", question=f"Where is number {i}?") for i in range(2, 99)]
    with opened(browser, run.write(tmp_path / "r.html")) as page:
        page.locator(".opener").click()
        page.get_by_label("Search in the questions").fill("NUMBER 42")
        assert page.locator(".probe .q").all_inner_texts() == ["Where is number 42?"]


def test_the_table_sorts_by_any_column(demo_page: Page) -> None:
    page = demo_page
    for name in ("task", "system", "k"):
        page.select_option(f"#f-{name}", "")
    page.locator("[data-sort=success]").click()
    assert "full-context" in shown(page, "tr.row")
    page.locator("[data-sort=success]").click()
    assert "none" in shown(page, "tr.row")
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"


def test_errors_and_na_have_columns_of_their_own_and_only_na_is_not_asked(browser: Browser, tmp_path: Path) -> None:
    verdicts: tuple[Verdict, ...] = ("correct", "error", "error", "n/a", "uncertain")
    run = Run(probes=[probe(v, probe=f"p{i}", error="it broke") for i, v in enumerate(verdicts)])
    with opened(browser, run.write(tmp_path / "r.html")) as page:
        cells = {c.get_attribute("data-label"): c.inner_text() for c in page.locator("tr.row td").all()}
        # 1 of 4 asked; the bounds are Wilson's of 1 and of 4 of 4.
        assert cells["Success [95 %]"] == "25.0 %\n[4.6, 100.0]"
        assert (cells["Uncertain"], cells["n/a"], cells["Error"]) == ("1", "1", "2")
        page.locator(".opener").click()
        page.locator(".pick[data-verdict=error]").click()
        page.locator(".probe > button").first.click()
        assert "it broke" in shown(page, ".inside")


def test_a_system_that_only_raised_stays_in_cards_charts_and_table(browser: Browser, tmp_path: Path) -> None:
    """Two tasks of 40 and of 10 probes, of which bm25 has 20 and 9: 58 % pooled, 70 % as the mean of tasks."""
    sizes = {"large": (20, 40), "small": (9, 10)}
    run = Run(
        probes=[
            probe(verdict, probe=f"p{i}", task=task, system=system, context_tokens=tokens, error=error)
            for task, (right, n) in sizes.items()
            for i in range(n)
            for system, verdict, tokens, error in (
                ("bm25", "correct" if i < right else "not_retrieved", 30, None),
                ("broken", "error", None, "boom"),
            )
        ]
    )
    with opened(browser, run.write(tmp_path / "r.html"), charts=True) as page:
        assert "cannot be told apart: bm25 58\u00a0% (44–71\u00a0%) and broken 0\u00a0% (0–100" in shown(page, ".lead")
        cards = page.locator(".system-card").all_inner_texts()
        assert ["58\u00a0%" in cards[0], "44–71\u00a0%" in cards[0], "pooled over 2 tasks" in cards[0]] == [True] * 3
        assert "mean of tasks 70\u00a0%" in cards[0]
        assert "0\u00a0%" in cards[1]
        assert "0–100\u00a0%" in cards[1]
        assert "50 errors widen the interval" in cards[1]
        # 29 probes that only bm25 gets right; had the errors been right, the other would be 21 of 50 ahead.
        assert page.locator(".rivals td").all_inner_texts() == [
            *("broken", "50", "−58.0", "−70.6 to −42.5", "−58.0 to +42.0", "29 / 0", "0 / 50", "0", "< 0.001", "29.5"),
            "cannot be told apart",
        ]
        drawn = page.evaluate(
            "[...document.querySelectorAll('#by-k-panels .plot')]"
            ".map((plot) => [...plot.querySelectorAll('.mark')].map((mark) => +mark.dataset.x))"
        )
        assert drawn == [[0.5], [0.9]]  # nothing is known of the other, so it has a line without a mark
        assert "broken" in shown(page, "#by-k-panels .plot >> nth=0")
        marks = page.locator("#cost-panels .plot >> nth=0").locator(".mark")
        assert [mark.get_attribute("data-y") for mark in marks.all()] == ["0.7"]
        assert "no tokens were measured, so that they have no place: broken (0.0 % [0.0 %, 100.0 %]" in shown(
            page, "#cost-note"
        )
        assert page.locator("tr.row").count() == 4
    alone = replace(run, probes=[one for one in run.probes if (one.system, one.task) == ("broken", "small")])
    with opened(browser, alone.write(tmp_path / "alone.html"), charts=True) as page:
        assert shown(page, "h1") == "All 10 questions ended in an error: boom."
        assert page.locator("#by-k-panels .mark, #cost-panels .mark").count() == 0
        assert page.locator("#cost-task").input_value() == "small"


def test_accuracy_has_a_column_where_answers_were_judged(browser: Browser, tmp_path: Path) -> None:
    judged = [
        probe("not_retrieved", probe=f"p{i}", depth="full", answer="On Mondays.", right=i < 3, task="meme/cascade")
        for i in range(4)
    ]
    with opened(browser, Run(probes=judged).write(tmp_path / "r.html")) as page:
        cells = {c.get_attribute("data-label"): c.inner_text() for c in page.locator("tr.row td").all()}
        assert cells["Accuracy [95 %]"].startswith("75.0 %")
        assert cells["Success [95 %]"].startswith("0.0 %")
        page.locator("[data-sort=accuracy]").click()
        page.locator(".opener").click()
        page.locator(".probe > button").first.click()
        assert "Answer (right without its evidence)" in shown(page, ".inside")
    with opened(browser, few().write(tmp_path / "n.html")) as page:
        assert page.locator("[data-sort=accuracy]").count() == 0


def test_lost_later_and_the_answer_are_reported(browser: Browser, tmp_path: Path) -> None:
    fact = FactVerdict("f", "Ann rides", ("rides",), "not_stored", "gone", lost="later", lost_after="s7")
    run = Run(probes=[probe("not_stored", facts=(fact,), depth="full", answer="On Fridays.")])
    with opened(browser, run.write(tmp_path / "r.html", replace(ABOUT, depth="full"))) as page:
        page.locator(".opener").click()
        page.locator(".probe > button").click()
        assert "disappeared later after session s7" in shown(page, ".fact")
        assert "On Fridays." in shown(page, ".inside")
        assert set(page.locator(".chip.depth").all_inner_texts()) == {"full depth"}


def test_long_lists_keep_their_witnesses_and_count_the_rest(browser: Browser, tmp_path: Path) -> None:
    keys = [f"k{i}" for i in range(300)]
    fact = FactVerdict("f", "Ann rides", ("rides",), "correct", "seen", witness=("k200",))
    run = Run(dict.fromkeys(keys, "Ann rides."))
    run.probes = [
        probe(facts=(fact,), k_returned=300, retrieved=tuple(Retrieved(k, i + 1) for i, k in enumerate(keys)))
    ]
    with opened(browser, run.write(tmp_path / "r.html")) as page:
        page.locator(".opener").click()
        page.locator(".probe > button").click()
        page.get_by_role("button", name="Show 13 more").click()
        assert page.locator(".retrieved .memory").count() == 21
        assert "#201" in shown(page, ".retrieved .memory.witness")
        assert "and 279 more" in shown(page, ".inside")


def hostile_run() -> Run:
    run = Run({"m1": " ".join(HOSTILE), "long": "start " + "x" * 1_000_000 + " only on Mondays"})
    for i, text in enumerate(HOSTILE):
        fact = FactVerdict(text, text, (text,), "not_retrieved", text, witness=("m1", "long", "gone"), detector=text)
        run.probes.append(
            ProbeVerdict(
                *("memfail", text, text, text, text, 5, "memory", "not_retrieved", text, text),
                facts=(replace(fact, lost="later", lost_after=text),),
                retrieved=(Retrieved("m1", 1, why=text), Retrieved("long", 2), Retrieved("gone", 3)),
                k_returned=3,
                context_tokens=10 + i,
                answer=text,
                error=text,
                tags={text: text},
            )
        )
    return run


def test_hostile_text_is_shown_and_does_nothing(browser: Browser, tmp_path: Path) -> None:
    about = About(*HOSTILE[:6], depth="memory", notes=HOSTILE)
    path = hostile_run().write(tmp_path / "r.html", about)
    with opened(browser, path, charts=True, viewport={"width": 360, "height": 740}) as page:
        scripts = page.locator("script").count()
        for opener in page.locator(".opener").all():
            opener.click()
        for button in page.locator(".probe > button").all():
            button.click()
        text = page.locator("body").inner_text()
        assert HOSTILE[0] in page.locator("[title*='why it came back']").all_inner_texts()
        for said in (
            *HOSTILE[:2],
            "nul␀bell␇esc␛[31m",
            "⟨U+202E⟩right to left⟨U+202C⟩ שלום",
            "👩‍👩‍👧 and a lone ⟨U+D83D⟩",
        ):
            assert said in text
        assert page.locator("img, iframe, object, embed, b:text-is('bold')").count() == 0
        assert page.locator("script").count() == scripts
        assert overflow(page) <= 0
        ticks = page.locator("#stage-panels text").all_text_contents()
        assert any(tick.startswith("<img src=x") for tick in ticks)
        assert any("%{x} <b>bold" in tick for tick in ticks)


def ranked(system: str, task: str, found: tuple[bool, ...]) -> list[ProbeVerdict]:
    """Questions whose evidence came among the first five, or did not come at all."""
    return [
        probe(
            "correct" if came else "not_retrieved",
            probe=f"p{i}",
            system=system,
            task=task,
            suite="longmemeval",
            depth="full",
            answer="On Mondays.",
            right=came or i % 2 == 0,
            measures={str(m): float(came) for m in ALL_MEASURES},
        )
        for i, came in enumerate(found)
    ]


def test_rankings_and_answers_have_tables_of_their_own(browser: Browser, tmp_path: Path) -> None:
    probes = ranked("bm25", "longmemeval/multi-session", (True, True, True, False))
    probes += ranked("dense", "longmemeval/multi-session", (True, False, False, False))
    with opened(browser, Run(probes=probes).write(tmp_path / "r.html")) as page:
        lines = [line.inner_text().split() for line in page.locator("#measures tbody tr:has(td)").all()]
        assert lines[0][:4] == ["bm25", "4", "75.0", "30–95"]
        assert lines[1][:4] == ["dense", "4", "25.0", "5–70"]
        cells = [line.locator("td").all_inner_texts() for line in page.locator("#answers tbody tr:has(td)").all()]
        assert [[*row[:3], *row[4:]] for row in cells] == [
            ["bm25", "5", "4", "3", "0", "0", "1", "0", "0"],
            ["dense", "5", "4", "1", "0", "1", "2", "0", "0"],
        ]
    with opened(browser, few().write(tmp_path / "n.html")) as page:
        assert page.locator("#measures, #answers").count() == 0


def test_hostile_names_do_nothing_in_those_tables_either(browser: Browser, tmp_path: Path) -> None:
    probes = [one for text in HOSTILE[:4] for one in ranked(text, f"longmemeval/{text}", (True, False))]
    probes += ranked("w" * 300, "t" * 300, (True,))
    path = Run(probes=probes).write(tmp_path / "r.html")
    with opened(browser, path, viewport={"width": 360, "height": 740}) as page:
        for section in ("#measures", "#answers"):
            assert HOSTILE[0] in page.locator(section).inner_text()
            assert page.locator(section).locator("img, iframe, script, b:text-is('bold')").count() == 0
        assert overflow(page) <= 0


def test_a_huge_memory_is_cut_and_says_so(browser: Browser, tmp_path: Path) -> None:
    text = "start " + "x " * 500_000 + "she rides only on Mondays now" + " y" * 50
    path = Run({"m1": text}, [probe()]).write(tmp_path / "r.html")
    with opened(browser, path) as page:
        page.locator(".opener").click()
        page.locator(".probe > button").click()
        memory = page.locator(".retrieved .memory")
        assert f"of {len(text):,} characters" in memory.inner_text()
        assert memory.locator("mark").inner_text() == "only on Mondays"
        memory.get_by_role("button", name="Show all").click()
        assert memory.inner_text().count("x x x") > 100


def test_too_many_probes_are_sampled_and_the_page_says_so(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtriage.report.html.page.PAYLOAD_LIMIT", 25_000)
    run = made_up_run(scale=0.05)
    with opened(browser, run.write(tmp_path / "r.html")) as page:
        note = shown(page, ".note")
        assert note.startswith("Showing ")
        assert f"of {len(run.probes):,} probes" in note
        assert "verdicts.jsonl" in note
        counts = [int(cell.inner_text()) for cell in page.locator("tr.row td[data-label=n]").all()]
        assert sum(counts) == len(run.probes)
        page.locator(".opener").nth(3).click()
        assert "failures first" in shown(page, ".probes .note")


def test_a_phone_never_scrolls_sideways(demo_page: Page) -> None:
    page = demo_page
    page.set_viewport_size({"width": 360, "height": 740})
    assert overflow(page) <= 0
    page.locator(".opener").nth(4).click()
    page.locator(".probe > button").first.click()
    assert overflow(page) <= 0


def test_hostile_names_do_not_widen_a_phone(browser: Browser, tmp_path: Path) -> None:
    run = few(system="w" * 300, task="t" * 300, question="q" * 3000)
    with opened(browser, run.write(tmp_path / "r.html"), viewport={"width": 360, "height": 740}) as page:
        page.locator(".opener").click()
        page.locator(".probe > button").click()
        assert overflow(page) <= 0


def test_dark_follows_the_system_and_the_button_turns_it(demo_page: Page) -> None:
    page = demo_page
    colours = """[getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('.plot .tick')).fill]"""
    light = page.evaluate(colours)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("#theme[aria-pressed=true]")
    drawn(page)
    dark = page.evaluate(colours)
    assert (light[0], dark[0]) == ("rgb(247, 247, 245)", "rgb(18, 20, 23)")
    assert light[1] != dark[1]
    page.locator("#theme").click()
    drawn(page)
    assert page.evaluate(colours) == light


def test_charts_answer_to_their_controls(demo_page: Page) -> None:
    page = demo_page
    bars = "[...document.querySelectorAll('#stage-panels .piece')].map((bar) => bar.getAttribute('width'))"
    at_20 = page.evaluate(bars)
    page.get_by_role("button", name="k = 5", exact=True).click()
    page.locator("#systems").get_by_role("button", name="dense").click()
    page.select_option("#cost-task", "persona")
    drawn(page)
    assert page.evaluate(bars) != at_20
    lines = page.locator("#by-k-panels .plot >> nth=0").locator(".line").all()
    assert {line.get_attribute("data-name") for line in lines} == set(SYSTEMS) - {"dense"}
    costs = page.locator("#cost-panels .plot >> nth=0")
    assert costs.locator(".errorbar").count() == costs.locator(".mark").count() > 0


def test_a_point_and_a_bar_say_what_they_stand_for(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, few(verdict="not_retrieved").write(tmp_path / "r.html"), charts=True) as page:
        assert page.locator(".tip").count() == 0
        page.locator("#by-k-panels .mark").hover(force=True)
        assert shown(page, ".tip").splitlines()[0].startswith("bm25, k = ")
        page.locator("#stage-panels .piece").hover()
        assert "not retrieved: 1 of 1 (100.0 %)" in shown(page, ".tip")
        page.locator("h1").hover()
        assert page.locator(".tip:visible").count() == 0


def test_charts_fit_the_window_they_are_in(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, few().write(tmp_path / "r.html"), charts=True) as page:
        wide = "document.querySelector('.plot > svg').width.baseVal.value"
        before = page.evaluate(wide)
        page.set_viewport_size({"width": 340, "height": 700})
        until(page, f"{wide} < {before}")
        assert overflow(page) <= 0


def test_the_table_works_when_the_charts_can_not(browser: Browser, tmp_path: Path) -> None:
    breaks = "HTMLCanvasElement.prototype.getContext = () => { throw new Error('no canvas'); }"
    with opened(browser, few().write(tmp_path / "r.html"), breaks=breaks) as page:
        page.wait_for_selector("#trouble:visible")
        assert "charts could not be drawn (no canvas)" in shown(page, "#trouble")
        assert page.locator(".panel:visible").count() == 0
        page.locator(".opener").click()
        assert page.locator(".probe").count() == 1


def test_no_other_script_may_run(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    page.goto(few().write(tmp_path / "r.html").as_uri())
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = true'}))")
    assert page.evaluate("window.ran") is None
    page.close()


def test_without_scripts_the_headline_stands_and_a_hint_is_given(browser: Browser, tmp_path: Path) -> None:
    path = few(verdict="not_retrieved").write(tmp_path / "r.html")
    with opened(browser, path, java_script_enabled=False) as page:
        assert shown(page, "h1") == "bm25 loses most at retrieval: 100\u00a0% of 1 probes fail there."
        assert shown(page, ".lead") == "No probe is known to succeed."
        assert "need JavaScript" in page.locator("noscript").inner_text()


def test_an_empty_run_says_so(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, Run().write(tmp_path / "r.html")) as page:
        page.wait_for_selector("#trouble:visible")
        assert "nothing was asked" in shown(page, "#trouble")


# ---- what a page of variants looks like ---------------------------------------------------------

VARIANTS = {
    # how many of 40 probes succeed
    "none": 0,
    "full-context": 40,
    "bm25": 22,
    "full-context:newest=50": 21,
    "full-context:newest=500": 37,
    "lme:value=session,key=value+fact,expand=true": 35,
    "lme:value=session,key=value+fact,expand=false": 20,
    "facts": 4,
}
EVERY: tuple[Verdict, ...] = (
    "not_stored",
    "summary_error",
    "not_retrieved",
    "reasoning_error",
    "uncertain",
    "n/a",
    "error",
)


@pytest.fixture(scope="module")
def variants_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Variants of a few systems at one k, with answers, every verdict, and as many tokens for all of them."""
    run = Run({"m1": "Ann rides only on Mondays, she says."})
    run.probes = [
        probe(
            "correct" if i < right else "n/a" if i == 39 else EVERY[i % 4],
            **{"probe": f"p{i}", "episode": f"e{i}", "system": system, "task": "memfail/long-hop-of-many-words"},
            **{"depth": "full", "answer": "On Mondays.", "right": i < right, "context_tokens": 240},
        )
        for system, right in VARIANTS.items()
        for i in range(40)
    ]
    run.probes += [
        replace(one, task="memfail/persona", verdict=EVERY[i % 7]) for i, one in enumerate(run.probes) if i % 4 == 0
    ]
    with opened(browser, run.write(tmp_path_factory.mktemp("variants") / "r.html"), charts=True) as page:
        yield page


TOO_WIDE = """[...document.querySelectorAll('main *')].filter((each) => each.scrollWidth > each.clientWidth + 1
    && getComputedStyle(each).overflowX !== 'visible').map((each) => each.outerHTML.slice(0, 80))"""
BEYOND = """[...document.querySelectorAll('main *')].filter((each) => !each.closest('svg')
    && each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80))"""


@pytest.mark.parametrize("width", [1280, 1440, 1600])
def test_nothing_is_wider_than_its_place(variants_page: Page, width: int) -> None:
    variants_page.set_viewport_size({"width": width, "height": 900})
    assert variants_page.locator("tr.row >> nth=0").locator("td").count() == 16
    assert variants_page.evaluate(TOO_WIDE) == []
    assert variants_page.evaluate(BEYOND) == []


def test_the_variants_fit_a_phone(variants_page: Page) -> None:
    variants_page.set_viewport_size({"width": 390, "height": 800})
    assert overflow(variants_page) <= 0


OVERPRINTED = """[...document.querySelectorAll('.plot > svg')].flatMap((chart) => {
    const frame = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll('text')].map((text) => ({ of: text, box: text.getBoundingClientRect() }));
    const outside = texts.filter(({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1);
    const pairs = texts.flatMap((a, i) => texts.slice(i + 1).map((b) => [a, b]));
    const met = pairs.filter(([a, b]) => a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1
        && a.box.top < b.box.bottom - 3 && b.box.top < a.box.bottom - 3);
    return [...outside.map((each) => [each]), ...met].map((each) => each.map(({ of }) => of.textContent).join(' on '));
})"""


@pytest.mark.parametrize("width", [390, 1280])
def test_labels_in_charts_stand_clear_of_each_other(variants_page: Page, width: int) -> None:
    variants_page.set_viewport_size({"width": width, "height": 900})
    until(
        variants_page,
        "[...document.querySelectorAll('.plot > svg')].every((svg) => svg.clientWidth === svg.parentNode.clientWidth)",
    )
    assert variants_page.evaluate(OVERPRINTED) == []
    for panel in variants_page.locator("#cost-panels .panel").all():  # all have the same tokens
        assert panel.locator(".beside").count() in (0, len(VARIANTS))


def test_variants_are_told_apart_in_charts_and_references_come_last(variants_page: Page) -> None:
    page = variants_page
    page.set_viewport_size({"width": 1280, "height": 900})
    ticks = page.locator("#stage-panels .plot >> nth=0").locator(".tick").all_text_contents()
    assert ticks[:2] == ["none", "full-context"]  # from the bottom up
    variants = {"full-context:50", "full-context:500", "lme:expand=true", "lme:expand=false"}
    assert set(ticks[2 : len(VARIANTS)]) == {"bm25", "facts"} | variants
    cards = page.locator(".system-card").all_inner_texts()
    assert [card.split("\n")[0] for card in cards][-2:] == ["full-context", "none"]
    rows = page.locator("tr.row .system-cell").all_inner_texts()
    assert rows[6:8] == ["none", "full-context"]


def test_one_k_is_drawn_as_a_line_for_each_system(variants_page: Page) -> None:
    plot = variants_page.locator("#by-k-panels .plot >> nth=0")
    assert shown(variants_page, "#by-k-h") == "Success at k = 5"
    heights = {mark.get_attribute("data-y") for mark in plot.locator(".mark").all()}
    assert len(heights) == len(VARIANTS)
    assert plot.locator(".errorbar").count() == len(VARIANTS)


def test_every_two_systems_are_paired_and_what_can_not_be_told_apart_is_said(variants_page: Page) -> None:
    page = variants_page
    assert page.locator(".contrasts").bounding_box()["width"] > 300
    lines = [line.locator("td, th").all_inner_texts() for line in page.locator(".contrasts tbody tr").all()]
    assert len(lines) == len(VARIANTS) - 2  # without floor and ceiling
    gains = [[cell.replace("−", "-") for cell in line[2:]] for line in lines]
    for i in range(len(gains)):
        assert gains[i][i] == ""
        for j in range(i):
            assert float(gains[i][j]) == -float(gains[j][i])
    told = page.locator(".contrast.better, td.contrast.worse").count()
    assert 0 < told < len(gains) * (len(gains) - 1)
    said = shown(page, ".said")
    assert "pairs of systems can be told apart, with p corrected for the 15 comparisons. These cannot: " in said
    assert "facts" not in said
    title = str(page.locator("td.contrast.better >> nth=0").get_attribute("title"))
    assert "p < 0.001, corrected p < 0.001: better" in title


# ---- links --------------------------------------------------------------------------------------


def linked_run() -> Run:
    """Two tasks, two systems and two k; the first question was answered twice, and needs two facts."""
    run = Run({"m1": "Ann rides only on Mondays, she says."})
    facts = tuple(FactVerdict(f"f{n}", f"Ann has {n} horses", (), "not_retrieved", "gone") for n in (1, 2))
    for task in ("memfail/long-hop", "memfail/persona"):
        for system in ("bm25", "full-context:newest=5,note=50%, \ud83d&#?"):
            for k in (5, 10):
                where = {"task": task, "system": system, "k": k}
                run.probes += [
                    probe("not_retrieved", **where, facts=facts, repeat=repeat, answer=f"answer {repeat}")
                    for repeat in (0, 1)
                ]
                run.probes += [probe(**where, probe=f"p{i}", question=f"Number {i}?") for i in range(2, 60)]
    return run


@pytest.fixture(scope="module")
def linked_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with opened(browser, linked_run().write(tmp_path_factory.mktemp("links") / "r.html"), charts=True) as page:
        yield page


SEEN = """({
    filters: ['task', 'system', 'k', 'sort'].map((name) => document.getElementById('f-' + name).value),
    charts: [...document.querySelectorAll('#systems [aria-pressed=false], #stage-k [aria-pressed=true]')]
        .map((button) => button.textContent).concat(document.getElementById('cost-task').value),
    rows: [...document.querySelectorAll('tr.row.open')].map((row) => +row.dataset.row),
    probes: [...document.querySelectorAll('.probe.open')].map((probe) => probe.querySelector('.id').textContent),
    listed: [...document.querySelectorAll('.probes [role=status]')].map((status) => status.textContent),
    facts: [...document.querySelectorAll('.fact.chosen .text')].map((text) => text.textContent),
})"""


def test_every_state_is_in_the_address_and_the_way_back_leads_through_all_of_them(linked_page: Page) -> None:
    page = linked_page
    seen = [page.evaluate(SEEN)]
    steps = (
        lambda: page.select_option("#f-task", "memfail/persona"),
        lambda: page.select_option("#f-k", "10"),
        lambda: page.locator("[data-sort=success]").click(),
        lambda: page.locator(".opener").nth(1).click(),
        lambda: page.locator(".pick[data-verdict=correct]").click(),
        lambda: page.locator(".probe > button").nth(3).click(),
        lambda: page.get_by_role("button", name="k = 5", exact=True).click(),
        lambda: page.locator("#systems").get_by_role("button", name="bm25").click(),
        lambda: page.select_option("#cost-task", "memfail/persona"),
    )
    for act in steps:
        act()
        seen.append(page.evaluate(SEEN))
        assert seen[-1] != seen[-2]
    page.get_by_label("Search in the questions").fill("number 7")
    page.locator("header nav a[href='#stages']").click()
    last = page.evaluate(SEEN)
    assert last["listed"] == ["1 of 1"]
    page.reload()
    drawn(page)
    page.wait_for_selector(".probes")
    assert page.evaluate(SEEN) == {**last, "probes": []}  # the open one is not among those that are searched for
    page.go_back()
    for before in reversed(seen[:-1]):
        page.go_back()
        wanted = json.dumps(before, ensure_ascii=False, separators=(",", ":"))
        until(page, f"JSON.stringify({SEEN}) === {json.dumps(wanted)}")


def test_a_link_leads_to_a_probe_and_to_a_fact(linked_page: Page) -> None:
    page = linked_page
    base = page.url.split("#")[0]
    page.goto("about:blank")
    page.goto(f"{base}#table?open=memfail/persona,bm25,10&probe=e1,p1,2&fact=f2")
    page.wait_for_selector(".fact.chosen")
    assert page.locator(".fact.chosen .text").all_inner_texts() == ["Ann has 2 horses"]
    assert page.locator("tr.row.open").count() == page.locator(".probe.open").count() == 1
    assert "answer 1" in shown(page, ".inside")
    until(page, "document.querySelector('.fact.chosen').getBoundingClientRect().top < innerHeight / 2")
    # A probe beyond the first that are listed; and on to the same one elsewhere, by its own link.
    page.goto(f"{base}#table?open=memfail/persona,bm25,10&probe=e1,p59")
    until(page, "document.querySelector('.probe.open .id').textContent === 'p59'")
    page.locator(".matrix .cell:not(.here)").last.click()
    until(page, "document.querySelector('tr.row.open .system-cell').textContent.includes('newest=5')")
    assert page.locator(".probe.open .id").all_inner_texts() == ["p59"]
    page.go_back()
    until(page, "document.querySelector('tr.row.open .system-cell').textContent === 'bm25'")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("table?task=<img src=x onerror=alert(1)>", "the task <img src=x onerror=alert(1)>"),
        ("table?open=memfail/persona,bm25,7", "a row for memfail/persona, bm25 and k = 7"),
        ("table?open=memfail/persona,bm25,10&probe=e1,gone%1b&fact=f", "the probe gone␛ of e1; the fact f"),
        ("table?k=%zz&sort=constructor&system=%00", "k = %zz; the column constructor; the system ␀"),
    ],
)
def test_a_link_to_what_is_not_there_says_so(linked_page: Page, link: str, said: str) -> None:
    page = linked_page
    page.goto(f"{page.url.split('#')[0]}#{link}")
    until(page, f"document.getElementById('lost').textContent.includes({json.dumps(said)})")
    assert shown(page, "#lost").startswith("This page doesn't have what the link asks for: ")
    assert page.locator("tr.row").count() == 8
    page.select_option("#f-k", "5")
    assert page.locator("#lost:visible").count() == 0


def test_a_link_that_makes_no_sense_shows_the_whole_page(linked_page: Page) -> None:
    for link in ("__proto__?__proto__=1&open&probe=&fact=x", "nowhere", "?&&==,,", "f-task"):
        linked_page.goto(f"{linked_page.url.split('#')[0]}#{link}")
        assert linked_page.locator("tr.row").count() == 8
