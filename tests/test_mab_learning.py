"""Test-time learning: labelled sentences and talks about films, what they need, and what the nearest examples vote."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage import registry as plugins
from memtriage.core.episode import Episode, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.store import diagnose
from memtriage.diagnose.votes import labels, majority, votes
from memtriage.suites.kit.words import lists
from memtriage.suites.memoryagentbench.context import PACKAGE, Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import icl, recommendation
from memtriage.suites.memoryagentbench.generate.labelled_files import read
from memtriage.suites.memoryagentbench.labelled_examples import blocks, released_context
from memtriage.systems.retrieval.units import Granularity, cut
from memtriage.text.sentences import spans
from memtriage.text.tokens import count_tokens

FRUIT = ("apple", "pear", "plum", "fig")


def generate(length: int, seed: int = 1, rows: int = 20, **options: str) -> Context:
    return next(icl.contexts(length, rows, seed, {k.removesuffix("_"): v for k, v in options.items()}))


def talks(length: int, seed: int = 1, rows: int = 20) -> Context:
    return next(recommendation.contexts(length, rows, seed, {}))


def table(path: Path, each: int = 10, header: str = "text,category") -> Path:
    """A file with so many sentences about each fruit."""
    rows = [f"Sentence {n} is about the {fruit},{fruit}" for fruit in FRUIT for n in range(each)]
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def verdicts(told: Episode, system: str, ks: Sequence[int] = (10,)) -> list[ProbeVerdict]:
    """A real system put through an episode and diagnosed."""
    memory = plugins.system(system).build()
    if hasattr(memory.system, "reveal"):
        memory.system.reveal(told)
    for session in told.sessions:
        memory.store_conversation(session)
    memory.settle()
    kept = {m.id: m.text for m in memory.get_all_memories()}
    asking = Session("query", (Turn("user", "?", "query/0"),))
    traces = [
        Trace(
            probe.id,
            k,
            "end",
            tuple(
                Retrieved(m.id, rank) for rank, m in enumerate(memory.retrieve_memories(probe.text, asking, k), start=1)
            ),
        )
        for probe in told.probes
        for k in ks
    ]
    history = History(
        Ingest(len(told.sessions), 0.0, memories=len(kept)), (Snapshot("end", told.sessions[-1].id, None, tuple(kept)),)
    )
    return list(diagnose(told, history, traces, lambda keys: {key: kept[key] for key in keys}, "suite", system))


def success(told: Episode, system: str, k: int = 10) -> float:
    found = verdicts(told, system, (k,))
    return sum(verdict.verdict == "correct" for verdict in found) / len(found)


# ------------------------------------------------------------------ labelled files


def test_every_published_layout_is_read(tmp_path: Path) -> None:
    (tmp_path / "clinc.json").write_text(
        json.dumps(
            {
                "train": [["wake me", "alarm"], ["play jazz", "music"]],
                "val": [["never shown", "alarm"]],
                "test": [["ring at six", "alarm"]],
                "oos_train": [["how tall is he", "oos"]],
                "oos_test": [["who won", "oos"]],
            }
        )
    )
    found = read(tmp_path / "clinc.json")
    assert [(e.text, e.label) for e in found.train] == [
        ("wake me", "alarm"),
        ("play jazz", "music"),
        ("how tall is he", "oos"),
    ]
    assert [e.text for e in found.test] == ["ring at six", "who won"]

    row = {"scenario": "alarm", "intent": "set", "text": "wake  me", "split": "train"}
    (tmp_path / "nlu.json").write_text(json.dumps([row, {**row, "intent": "stop"}, {**row, "split": "test"}]))
    found = read(tmp_path / "nlu.json")
    assert [(e.text, e.label) for e in found.train] == [("wake me", "alarm_set"), ("wake me", "alarm_stop")]
    assert len(found.test) == 1

    (tmp_path / "train.label").write_bytes(b"DESC:manner How is caf\xe9 made ?\nENTY:food What is pie ?\n")
    trec = tmp_path / "train.label"
    assert [(e.text, e.label) for e in read(trec).train] == [("How is café made ?", "DESC"), ("What is pie ?", "ENTY")]
    assert [e.label for e in read(trec, fine=True).train] == ["DESC:manner", "ENTY:food"]

    (tmp_path / "trec.csv").write_text("text,coarse_label,fine_label\nHow is pie made ?,2,24\nWhat is pie ?,1,9\n")
    assert [e.label for e in read(tmp_path / "trec.csv").train] == ["2", "1"]
    assert [e.label for e in read(tmp_path / "trec.csv", fine=True).train] == ["24", "9"]

    (tmp_path / "a.csv").write_text('text,category\n"One, with a comma",x\nTwo,y\n')
    (tmp_path / "b.jsonl").write_text('{"utterance": "One", "intent": 4}\n\n{"utterance": "Two", "intent": 5}\n')
    (tmp_path / "c.tsv").write_text("said\tkind\nOne\tx\nTwo\ty\n")
    assert [e.text for e in read(tmp_path / "a.csv").train] == ["One, with a comma", "Two"]
    assert [e.label for e in read(tmp_path / "b.jsonl").train] == ["4", "5"]
    assert [e.label for e in read(tmp_path / "c.tsv", text="said", label="kind").train] == ["x", "y"]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", "text,category\nOne,x\n ,y\n", r"a\.csv, row 2 has no text"),
        ("a.csv", "text,category\nOne,x\nTwo,\n", r"a\.csv, row 2 has no label"),
        ("a.csv", "text,category\nOne,x\nLabel: 4,y\n", r"a\.csv, row 2.*reads as if it gave a label"),
        ("a.csv", "said,category\nOne,x\n", r"a\.csv, row 1 has no column such as text.*it has: said, category"),
        ("a.csv", "text,category\n", r"a\.csv holds no labelled sentences"),
        ("a.csv", "text,category\nOne,x\nTwo,x\n", r"a\.csv, row 1: all sentences have the label 'x'"),
        ("a.csv", "text,category\nOne,x\nTwo,y\nThree,y\n", r"a\.csv, row 1 is the only example of 'x'"),
        ("a.json", "[1]", r"a\.json, row 1 is no object"),
        ("a.json", '{"other": []}', r"a\.json has no list `train`.*it has: other"),
        ("a.json", '{"train": [["x"]]}', r"a\.json, train, row 1 is no pair"),
        ("a.jsonl", '{"text": "One", "label": "x"}\n{', r"a\.jsonl, line 2 is not JSON"),
        ("a.label", "ENTY:food What is pie ?\nWhat is cake ?\n", r"a\.label, line 2.*COARSE:fine"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_row(
    tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=complaint):
        generate(1_000, from_=str(tmp_path / name))


def test_a_label_that_only_the_test_file_has_is_refused_with_its_row(tmp_path: Path) -> None:
    test = tmp_path / "test.csv"
    test.write_text("text,category\nNew words about the pear,pear\nSomething else,kiwi\n")
    with pytest.raises(BadInput, match=r"test\.csv, row 2 has the label 'kiwi'"):
        generate(1_000, from_=str(table(tmp_path / "train.csv")), test=str(test))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"shots": "0"}, "shots must be a whole number"),
        ({"shots": "many"}, "shots must be a whole number"),
        ({"shots": "999"}, "only 20 examples to show, not 999"),
        ({"shots": "3"}, "4 labels, but only 3 examples"),
    ],
)
def test_shots_that_the_file_can_not_give_are_refused(
    tmp_path: Path, options: Mapping[str, str], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        next(icl.contexts(1_000, 20, 1, {"from": str(table(tmp_path / "train.csv")), **options}))


def test_sentences_are_shown_once_and_those_with_two_labels_never(tmp_path: Path) -> None:
    path = table(tmp_path / "train.csv", each=6)
    with path.open("a") as file:
        file.write("sentence 0 is about the APPLE!,apple\nTorn,pear\ntorn,fig\n")
    context = generate(5_000, from_=str(path), rows=4)
    said = [sentence.casefold() for _, sentence, _ in blocks(context.text)] + [
        q.text.casefold() for q in context.queries
    ]
    assert "torn" not in said
    assert sorted(said).count("sentence 0 is about the apple") + said.count("sentence 0 is about the apple!") == 1
    assert len(said) == 24


def test_held_out_sentences_come_in_turn_from_every_label(tmp_path: Path) -> None:
    context = generate(5_000, from_=str(table(tmp_path / "train.csv")), rows=8, shots="20")
    assert Counter(query.tags["class"] for query in context.queries) == dict.fromkeys(FRUIT, 2)
    assert Counter(label for _, _, label in blocks(context.text)) == {str(n): 5 for n in range(4)}
    assert context.source == "icl_train_20shot_balance"


# ------------------------------------------------------------------ contexts


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), length=st.sampled_from([2_000, 6_000, 20_000]), rows=st.integers(1, 100))
def test_made_up_contexts_are_balanced_and_never_show_what_they_ask(seed: int, length: int, rows: int) -> None:
    context = generate(length, seed, rows)
    shown = list(blocks(context.text))
    counts = Counter(label for _, _, label in shown)
    assert sorted(map(int, counts)) == list(range(len(counts)))
    assert max(counts.values()) - min(counts.values()) <= 1
    assert abs(count_tokens(context.text) - length) <= 0.03 * length
    assert len(context.queries) == rows == len({query.id for query in context.queries})
    sentences = {sentence for _, sentence, _ in shown}
    assert len(sentences) == len(shown)
    by_id = {passage.id: passage for passage in context.passages}
    for query in context.queries:
        (gold,) = query.golds
        assert query.text not in sentences
        assert query.scoring == "exact"
        assert len(query.needed) == counts[gold]
        assert all(by_id[id].text.endswith(f"\nLabel: {gold}") for (id,) in query.needed)
    for passage in context.passages[:20]:
        assert context.text[passage.start :].startswith(passage.text)


def test_labels_are_spread_over_the_whole_context() -> None:
    numbers = [label for _, _, label in blocks(generate(20_000).text)]
    for label in set(numbers):
        places = [place for place, other in enumerate(numbers) if other == label]
        each = len(numbers) / len(places)
        assert all((n - 0.5) * each <= place <= (n + 1.5) * each for n, place in enumerate(places))


def test_one_label_is_put_in_many_words() -> None:
    assert len(lists(PACKAGE, "labels/intents")) >= 60
    context = generate(100_000, rows=1)
    by_label: dict[str, set[str]] = {}
    for _, sentence, label in blocks(context.text):
        by_label.setdefault(label, set()).add(" ".join(sentence.split()[:4]))
    assert min(map(len, by_label.values())) > 20


def test_every_template_can_be_put_in_words() -> None:
    names = {
        name
        for templates in lists(PACKAGE, "labels/intents").values()
        for t in templates
        for name in re.findall(r"\{(\w+)\}", t)
    }
    assert names <= set(lists(PACKAGE, "labels/phrases"))


@pytest.mark.parametrize("kind", ["icl", "recommendation"])
def test_the_same_seed_gives_the_same_context_and_another_one_another(kind: str) -> None:
    make = generate if kind == "icl" else talks
    assert make(6_000, 1) == make(6_000, 1)
    assert make(6_000, 1).text != make(6_000, 2).text


def test_released_blocks_parse_back_however_they_are_written() -> None:
    text = "Here they come:\n\nIs it far?\nlabel: 4\n\nwhere to\n Label:  12 \n\nIt hurts. Badly.\nLabel: 4\n"
    assert [(text[start : start + 3], sentence, label) for start, sentence, label in blocks(text)] == [
        ("Is ", "Is it far?", "4"),
        ("whe", "where to", "12"),
        ("It ", "It hurts. Badly.", "4"),
    ]
    run_on = "Is it far?\nLabel: 4\nIt hurts.\nLabel: 2\n"
    assert [block[1:] for block in blocks(run_on)] == [("Is it far?", "4"), ("It hurts.", "2")]


def test_released_questions_need_any_example_of_their_label() -> None:
    text = "Is it far?\nlabel: 4\n\nWhere to?\nlabel: 12\n\nHow far is that?\nlabel: 4"
    context = released_context("c", "icl_x", text, [("mine", "Far away?", ("4",))], {})
    (query,) = context.queries
    assert query.id == "mine"
    assert [p.text for p in context.passages] == ["Is it far?\nlabel: 4", "How far is that?\nlabel: 4"]
    assert query.needed == tuple((p.id,) for p in context.passages)
    with pytest.raises(BadInput, match=r"icl_x, context c, question 1 has the label.*5.*no example"):
        released_context("c", "icl_x", text, [("mine", "Far?", ("5",))], {})


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), length=st.sampled_from([6_000, 32_000]))
def test_what_to_recommend_follows_from_talks_of_people_with_the_same_tastes(seed: int, length: int) -> None:
    context = talks(length, seed)
    assert abs(count_tokens(context.text) - length) <= 0.03 * length
    told = context.text.split("\n\n")
    borders = set(spans(context.text))
    by_id = {passage.id: passage for passage in context.passages}
    owner: dict[str, tuple[str, ...]] = {}
    for query in context.queries:
        assert 1 <= len(query.golds) <= 5
        assert not any(gold in query.text for gold in query.golds)
        assert query.text not in context.text
        named = [by_id[id] for (id,) in query.needed]
        assert {gold for gold in query.golds if any(gold in p.text for p in named)} == set(query.golds)
        assert all((p.start, p.start + len(p.text)) in borders for p in named)
        praises = {p.text for p in named}
        # All who praise one of the films do so in talks of this group, and nobody else does.
        for talk in told:
            liked = [line for line in talk.split("\n") if line in praises]
            others = [g for g in query.golds if any(g in line for line in talk.split("\n"))]
            assert bool(liked) == bool(others)
        for gold in query.golds:
            assert owner.setdefault(gold, query.golds) == query.golds
    assert len({query.text for query in context.queries}) == len(context.queries)


def test_titles_are_no_part_of_each_other() -> None:
    golds = sorted({gold for query in talks(100_000, rows=200).queries for gold in query.golds})
    assert len(golds) > 200
    everything = "\n".join(golds)
    assert all(everything.count(gold) == 1 for gold in golds)


def test_a_length_without_room_for_a_talk_is_refused() -> None:
    with pytest.raises(BadInput, match="20 tokens are too few"):
        talks(20)


# ------------------------------------------------------------------ votes


@pytest.mark.parametrize(
    ("memories", "elected"),
    [
        (["a\nLabel: 1", "b\nLabel: 2", "c\nLabel: 2"], "2"),
        (["a\nLabel: 1", "b\nLabel: 2", "c\nLabel: 2", "d\nLabel: 1"], "1"),  # a tie goes to the best-ranked
        (["a\nLabel: 3\n\nb\nLabel: 3", "c\nLabel: 2"], "3"),
        (["the label is 7", "nothing"], None),
        ([], None),
    ],
)
def test_the_majority_of_labels(memories: list[str], elected: str | None) -> None:
    assert majority([label for text in memories for label in labels(text)]) == elected
    probe = Probe("p", "?", "2", (), scoring="exact", tags={"vote": "label"}, golds=("2",))
    assert votes(probe, memories) == {"Vote": float(elected == "2")}
    assert votes(Probe("p", "?", "2", ()), memories) == {}


def test_votes_are_measured_at_every_k_of_a_real_run() -> None:
    told = episode(generate(6_000, rows=30))
    found = verdicts(told, "bm25:granularity=paragraph", (1, 5))
    by_k = {k: [v for v in found if v.k == k] for k in (1, 5)}
    assert all(set(v.measures) == {"Vote"} for v in found)
    # With one example, its label is the vote; and it is right just where an example of the label came back.
    assert all((v.measures["Vote"] == 1) == (v.verdict == "correct") for v in by_k[1])
    assert 0 < sum(v.measures["Vote"] for v in by_k[1]) <= len(by_k[1])


def test_a_paragraph_is_the_text_between_blank_lines() -> None:
    session = Session("s", (Turn("user", "One.\nTwo.\n \n\n Three.\n\n", "s#0"),), None)
    kept = cut(session, Granularity.parse("paragraph"))
    assert [(m.id, m.text, m.sources) for m in kept] == [
        ("s#0#0", "One.\nTwo.", ("s#0",)),
        ("s#0#1", "Three.", ("s#0",)),
    ]


# ------------------------------------------------------------------ through layout and diagnosis


@pytest.mark.parametrize("context", [generate(6_000, rows=10), talks(6_000, rows=10)], ids=lambda c: c.kind)
def test_the_oracle_brings_all_that_is_needed_and_nothing_brings_nothing(context: Context) -> None:
    told = episode(context, chunk=512)
    assert success(told, "oracle") == 1.0
    assert success(told, "full-context") == 1.0
    assert success(told, "bm25:granularity=paragraph", 10_000) == 1.0
    assert success(told, "none") == 0.0
    for session in told.sessions:  # no example and no talk is torn apart
        for block in session.text.split("\n\n")[1:-1]:
            assert block in context.text.split("\n\n")


def test_a_verdict_on_many_alternatives_is_that_on_all_of_them() -> None:
    """Asked one by one, the alternatives say the same as together; only the one that came back is listed."""
    told = episode(generate(12_000, rows=12, shots="500"), chunk=512)
    few = Episode(
        told.id,
        told.task,
        told.sessions,
        told.facts,
        tuple(
            Probe(f"{probe.id}/{n}", probe.text, probe.gold, ids)
            for probe in told.probes
            for n, ids in enumerate([probe.sufficient[i : i + 4] for i in range(0, len(probe.sufficient), 4)])
        ),
    )
    assert max(len(probe.sufficient) for probe in told.probes) <= 16
    wide = _merged(told)
    together = {v.probe: v for v in verdicts(wide, "bm25:granularity=paragraph", (3,))}
    apart = verdicts(few, "bm25:granularity=paragraph", (3,))
    for probe in wide.probes:
        assert len(probe.sufficient) > 16
        alone = [v for v in apart if v.question == probe.text]
        own = {fact.fact for v in alone for fact in v.facts if fact.verdict == "correct"}
        assert (together[probe.id].verdict == "correct") == bool(own & {id for (id,) in probe.sufficient})
        assert len(together[probe.id].facts) <= 16
    assert {v.verdict for v in together.values()} >= {"correct"}


def _merged(told: Episode) -> Episode:
    """Probes that any example of their own or of the next two probes' labels would answer."""
    probes = told.probes
    return Episode(
        told.id,
        told.task,
        told.sessions,
        told.facts,
        tuple(
            Probe(p.id, p.text, p.gold, tuple(dict.fromkeys(p.sufficient + q.sufficient + r.sufficient)))
            for p, q, r in zip(probes, probes[1:] + probes[:1], probes[2:] + probes[:2], strict=True)
        ),
    )


def test_released_banking_sentences_are_labelled_by_their_neighbours() -> None:
    train, test = shared_data("icl/banking77_train.csv"), shared_data("icl/banking77_test.csv")
    context = generate(40_000, rows=40, from_=str(train), test=str(test), shots="1540")
    counts = Counter(label for _, _, label in blocks(context.text))
    assert set(counts.values()) == {20}
    assert len(counts) == 77
    found = verdicts(episode(context), "dense:granularity=paragraph", (10,))
    assert sum(v.measures["Vote"] for v in found) >= 0.7 * len(found)


@settings(max_examples=40, deadline=None)
@given(
    texts=st.lists(
        st.lists(st.lists(st.sampled_from("fox owl hen cow ewe".split()), min_size=1), min_size=1, max_size=40)
    ),
    stems=st.frozensets(st.sampled_from("fox owl hen cow".split())),
    share=st.sampled_from([0.34, 0.75, 1.0]),
)
def test_words_are_found_in_long_memories_as_in_short_ones(
    texts: list[list[list[str]]], stems: frozenset[str], share: float
) -> None:
    library = SentenceIndex([])
    for number, said in enumerate(texts):
        library.add(str(number), "\n".join(f"{' '.join(one).capitalize()}." for one in said))
    scope = frozenset(range(0, len(texts), 2))
    within = [n for memory in sorted(scope) for n in library.sentences_of(memory)]
    used = {n: len(stems & set(library.kept.sentences[n].stems)) for n in within}
    assert library.using_any(stems, scope) == [n for n in within if used[n]]
    assert list(library.using_all(stems, scope)) == [n for n in within if used[n] == len(stems)]
    assert list(library.covering(stems, share, scope)) == [n for n in within if used[n] >= share * len(stems)]


def test_questions_by_type_are_labelled_coarsely_or_finely() -> None:
    for options, count in (({"labels": "question-types"}, 6), ({"labels": "question-types", "fine": "yes"}, 50)):
        (context,) = icl.contexts(12_000, 60, 3, options)
        shown = list(blocks(context.text))
        assert len({label for _, _, label in shown}) == count
        assert not {query.text for query in context.queries} & {text for _, text, _ in shown}
        assert len({text for _, text, _ in shown}) == len(shown)
        assert len(context.queries) == 60
        by_class = {query.tags["class"]: query.golds for query in context.queries}
        assert all(by_class[query.tags["class"]] == query.golds for query in context.queries)
    with pytest.raises(BadInput, match="intents have no finer labels"):
        next(icl.contexts(12_000, 10, 3, {"labels": "intents", "fine": "yes"}))
    with pytest.raises(BadInput, match="did you mean 'intents'"):
        next(icl.contexts(12_000, 10, 3, {"labels": "intent"}))


def test_more_questions_than_the_paper_asks_about_one_context_make_more_of_them() -> None:
    made = list(icl.contexts(4_000, 420, 5, {}))
    assert [len(context.queries) for context in made] == [84] * 5
    kinds = [context.source.split("_")[1] for context in made]
    assert kinds == ["made", "made", "made", "question", "question"]
    assert len({context.id for context in made}) == len({context.text for context in made}) == 5
