"""German from end to end and Chinese for the detector: how texts are read, what rows are like, what is found."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_to_num import alpha2digit
from typer.testing import CliRunner

from memtriage import api, registry
from memtriage.cli.main import app
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.diagnose.judge.prompts import Case, prompt
from memtriage.diagnose.lexical.reading import read
from memtriage.diagnose.lexical.statement import statement
from memtriage.diagnose.store import diagnose
from memtriage.record.episodes import EpisodeReader, write_episodes
from memtriage.runner.answer_prompts import answer_call
from memtriage.suites.kit.localized import filled
from memtriage.suites.memfail.generate.rows import generate_rows
from memtriage.suites.memfail.rows import DATASETS, ConditionalRow, LongHopRow, PersonaRow
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.text.language import Language, codes, english, in_language, language, speaking, spoken
from memtriage.text.sentences import sentences
from memtriage.text.words import words
from memtriage.validate.calibrate import calibrate
from memtriage.validate.calibrate_pairs import EXPECTED, calibrate_pairs, shipped_pairs

GERMAN = language("de")
CHINESE = language("zh")
assert GERMAN is not None
assert CHINESE is not None


def forms(text: str, said: str = "") -> list[str]:
    return [unit.form for unit in statement(text, said).units]


# ------------------------------------------------------------------ reading German


def test_german_sentences_end_where_germans_end_them() -> None:
    text = "Am 3. März zog Lena z. B. in den 2. Stock. Dr. Meier kam um 17 Uhr. Er wohnt dort seit 2019. Und du?"
    with speaking("de"):
        assert sentences(text) == [
            "Am 3. März zog Lena z. B. in den 2. Stock.",
            "Dr. Meier kam um 17 Uhr.",
            "Er wohnt dort seit 2019.",
            "Und du?",
        ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("einundzwanzig Tassen", "21 Tassen"),
        ("dreieinhalb Stunden", "3,5 Stunden"),
        ("1.200 Meter", "1200 Meter"),
        ("am dritten März", "am 3. März"),
        ("am 03.03.2024", "am 3. März 2024"),
        ("um halb sieben", "um 6:30 Uhr"),
        ("um Viertel vor acht", "um 7.45 Uhr"),
        ("zweimal im Jahr", "2 Mal im Jahr"),
        ("sie trinkt", "sie trank"),
        ("kleine Häuser", "ein kleines Haus"),
        ("Lenas Rad", "das Rad von Lena"),
    ],
)
def test_german_spellings_of_one_thing_are_one(one: str, other: str) -> None:
    with speaking("de"):
        assert words(one).stems == words(other).stems or set(words(one).stems) == set(words(other).stems)


def test_german_negation_and_conditions_are_marks() -> None:
    with speaking("de"):
        assert words("Er trinkt keinen Kaffee und nie Tee.").polarity == ("never", "no")
        assert words("Sie kommt nur, wenn es regnet.").polarity == ("only",)
        marks = {mark.kind for mark in statement("Vielleicht kommt sie, falls es nicht regnet.").marks}
        assert {"hedge", "doubt", "condition", "negation"} <= marks
        # Not is a noun here, die an article and will a verb: none of them is the English word.
        assert words("Die Not ist groß.").polarity == ()
        assert forms("Lena will Gift.") == ["lena", "want", "gift·"]


def test_german_days_are_counted_from_the_day_they_were_said() -> None:
    with speaking("de"):
        [unit] = [u for u in statement("Vor zwei Wochen zog ich um.", "2024-03-20").units if u.dates]
        assert unit.dates == ("march",)
        [unit] = [u for u in statement("Gestern war ich da.", "2024-03-01").units if u.dates]
        assert unit.dates == ("29", "february")
        assert "tomorrow" in forms("Ich komme morgen.")
        assert "morn" in forms("Ich komme am Morgen.")


def test_a_capital_makes_no_name_in_german() -> None:
    with speaking("de"):
        kinds = {u.surface: u.kind for u in statement("Gestern traf Lena Albers ihre Nachbarin in Köln.").units}
    assert kinds["Lena"] == kinds["Albers"] == kinds["Köln"] == "name"
    assert kinds["Nachbarin"] == "word"


@given(st.sampled_from(sorted(GERMAN._spelled)))
def test_german_number_words_are_what_another_reader_takes_them_for(word: str) -> None:
    if "einhalb" in word or word == "zwo":  # the other reader doesn't know these
        return
    assert alpha2digit(word, "de", 0.0).rstrip(".") == GERMAN.prepared(word)


# ------------------------------------------------------------------ reading Chinese


def spelled_in_chinese(n: int) -> str:
    """A number below ten thousand as it is written out."""
    digits, powers = "零一二三四五六七八九", ("千", "百", "十", "")
    text = "".join(digits[int(d)] + (p if d != "0" else "") for d, p in zip(f"{n:04}", powers, strict=True))
    text = re.sub("零+", "零", text).strip("零")
    return text.removeprefix("一") if 10 <= n < 20 else text


@given(st.integers(1, 9_999))
def test_chinese_numbers(n: int) -> None:
    assert f" {n} " in f" {CHINESE.prepared(spelled_in_chinese(n) + '元')} "


def test_chinese_is_read_in_words() -> None:
    with speaking("zh"):
        assert forms("我妹妹三月三日搬到了苏州。") == ["user", "sister", "march", "3", "move", "苏州"]
        assert words("我从不喝咖啡").polarity == ("never",)
        assert forms("下午五点半")[0] == "17:30"
        assert sentences("我住在成都。你呢？好。") == ["我住在成都。", "你呢？", "好。"]
        # Numerals that are no numbers stay what they are.
        assert not any(unit.kind == "number" for unit in statement("我们一起吃三明治").units)


def test_unknown_chinese_words_are_met_wherever_they_stand() -> None:
    with speaking("zh"):
        assert set(words("他买了一台榨汁机").stems) >= {"榨汁·", "汁机·"}


# ------------------------------------------------------------------ the language is data


def test_a_language_is_its_file_alone() -> None:
    data: dict[str, Any] = {
        "name": "Spanish",
        "stemmer": "spanish",
        "exact": {"not": "no", "never": "nunca", "only": "solo", "i": "yo", "the": "el la", "a": "un una"},
        "senses": {"drink": "beber bebe bebí", "sister": "hermana"},
        "dates": {"march": "marzo"},
        "numbers": {
            "small": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
            "dieciséis diecisiete dieciocho diecinueve",
            "one_inside": "uno",
            "tens": "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
            "pair": "{ten} y {unit}",
            "hundred": "cien",
            "hundreds": "{unit}cientos",
            "thousand": "mil",
            "thousands": "{unit} mil",
            "half": "{unit} y medio",
            "ordinals": "primer",
            "ordinals_of": "1",
            "ordinal_below_twenty": "avo",
            "ordinal_from_twenty": "avo",
            "ordinal_endings": "o a",
        },
    }
    spanish = Language("es", data)
    assert spanish.prepared("treinta y cinco tazas") == "35 tazas"
    assert [form for _, form, _ in spanish.read(["yo", "nunca", "bebí", "café"])] == ["i", "never", "drink", "caf·"]
    assert [kind for *_, kind in spanish.read(["marzo"])] == ["date"]


@pytest.mark.parametrize("code", [code for code in codes() if code != "en"])
def test_every_word_of_a_file_is_read_as_an_english_word(code: str) -> None:
    found = language(code)
    assert found is not None
    for kind in ("exact", "senses"):
        for form, listed in found.data[kind].items():
            assert re.fullmatch(r"[a-z]+(_[a-z]+)*|[0-9.]+", form), form
            twice = [word for word, n in Counter(listed.split()).items() if n > 1]
            assert not twice, (form, twice)


def test_who_goes_on_speaks_the_language_from_before() -> None:
    assert spoken() is None
    seen: list[str] = []

    def texts() -> Any:
        for _ in range(2):
            here = spoken()
            seen.append(here.code if here else "en")
            yield "x"

    for _ in in_language("de", texts()):
        assert spoken() is None
    assert seen == ["de", "de"]
    with speaking("de"):
        assert english("niemals") == "never"
        other: list[object] = []
        thread = threading.Thread(target=lambda: other.append(spoken()))
        thread.start()
        thread.join()
        assert other == [None]  # a thread begins in English unless it is given the context
        with speaking("en"):
            assert english("niemals") == "niemals"
    with pytest.raises(BadInput, match="unknown language 'tlh'"), speaking("tlh"):
        pass


def test_gaps_are_filled_with_and_without_a_capital() -> None:
    assert filled("{Er} mag {sein} Rad, {x}.", {"er": "sie", "sein": "ihr", "x": "ja"}) == "Sie mag ihr Rad, ja."


# ------------------------------------------------------------------ pairs of facts and memories


@pytest.mark.parametrize(("code", "right", "decided"), [("de", 0.85, 0.3), ("zh", 0.9, 0.45)])
def test_pairs_of_other_languages(code: str, right: float, decided: float) -> None:
    pairs = shipped_pairs(code)
    assert len(pairs) >= 60
    assert {pair.label for pair in pairs} == {"states", "alters", "lacks"}
    [score] = calibrate_pairs(pairs).scores
    committed = [o for o in score.outcomes if o.found != "uncertain"]
    assert [o for o in committed if o.found != o.expected] == []
    assert len(committed) >= decided * len(pairs)
    with speaking(code):
        labels = [read(statement(p.fact, p.said or ""), statement(p.memory)).label for p in pairs]
    assert sum(a == p.label for a, p in zip(labels, pairs, strict=True)) >= right * len(pairs)


def test_a_german_memory_is_read_as_german() -> None:
    fact = Fact("f", "Ich trinke morgens keinen Kaffee.", ("s/0",), ("morgens keinen Kaffee",))
    verdicts = {}
    for memory in ("Ich trinke morgens keinen Kaffee.", "Ich trinke morgens Kaffee.", "Der Nutzer mag Katzen."):
        episode = Episode(
            "e",
            "t",
            (Session("s", (Turn("user", fact.text, "s/0"),)),),
            (fact,),
            (Probe("p", "Was trinke ich nicht?", "Kaffee", (("f",),)),),
            language="de",
        )
        verdicts[memory] = _verdict(episode, memory)
    assert list(verdicts.values()) == [EXPECTED["states"], EXPECTED["alters"], EXPECTED["lacks"]]


def _verdict(episode: Episode, memory: str) -> str:
    from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace

    history = History(Ingest(1, 0.0, memories=1), (Snapshot("end", "s", None, ("m",)),))
    trace = Trace("p", 1, "end", (Retrieved("m", 1),))
    [verdict] = diagnose(episode, history, [trace], lambda keys: dict.fromkeys(keys, memory), "t", "x")
    return verdict.facts[0].verdict


# ------------------------------------------------------------------ German rows

ENGLISH_WORDS = re.compile(r"\b(?:the|and|is|are|with|what|which|when|only|because|about|does|would)\b")


def loaded(task: str, rows: int, seed: int = 3, **options: str) -> list[Episode]:
    [found] = registry.tasks(task)[1]
    return list(found.load(Request(seed, rows, None, {"language": "de", **options})).episodes)


@pytest.mark.parametrize("dataset", DATASETS)
def test_memfail_in_german(dataset: str) -> None:
    rows, _ = generate_rows(dataset, 11, 40, language="de")
    assert rows == generate_rows(dataset, 11, 40, language="de")[0]
    assert rows != generate_rows(dataset, 12, 40, language="de")[0]
    for row in rows:
        assert not re.search(r"[{}\[\]]|  ", repr(row).replace("\\n", "")), row
        assert not ENGLISH_WORDS.search(repr(row).partition("(")[2].replace("condition_met", "")), row
        if isinstance(row, ConditionalRow):
            assert all(sentence in row.essay for sentence in row.evidence)
            assert all(any(detail in sentence for sentence in row.evidence) for detail in row.details)
            assert row.ground_truth_answer.startswith("Ja" if row.condition_met == "yes" else "Nein")
            with speaking("de"):
                places = [sentences(row.essay).index(sentence) for sentence in row.evidence]
            assert all(b - a > 1 for a, b in pairwise(places))
        if isinstance(row, LongHopRow):
            assert row.choices[ord(row.correct_choice) - 65] == row.ground_truth_answer == row.chain[-1]
            assert len(set(row.choices)) == 5
            assert len(row.facts) == row.hop_count + 1


def test_german_strangers_are_told_of_nowhere() -> None:
    rows = [row for row in generate_rows("persona", 5, 100, language="de")[0] if isinstance(row, PersonaRow)]
    told = {row.entity.split()[0] for row in rows}
    asked = {q.distractor.split()[0] for row in rows for q in row.questions if q.distractor}
    assert told.isdisjoint(asked)
    assert len({row.entity for row in rows}) == 100
    shares = [question.is_misleading for row in rows for question in row.questions]
    assert 0.4 < sum(shares) / len(shares) < 0.6


@pytest.mark.parametrize("domain", ["personal-life", "software-project"])
@pytest.mark.parametrize("phrasing", ["explicit", "implicit", "none"])
def test_meme_in_german(domain: str, phrasing: str) -> None:
    for episode in loaded(f"meme/{domain}", 6, filler="2k", phrasing=phrasing):
        assert episode.language == "de"
        said = {turn.id: turn.text for session in episode.sessions for turn in session.turns}
        for fact in episode.facts:
            assert all(fact.text.rstrip(".") in said[turn] for turn in fact.turns), fact
        asked = Counter(probe.task for probe in episode.probes)
        assert {"meme/cascade", "meme/absence", "meme/deletion", "meme/tracking", "meme/aggregation"} <= asked.keys()
        texts = [*said.values(), *(text for probe in episode.probes for text in (probe.text, probe.gold))]
        assert not any(re.search(r"\{\w", text) or ENGLISH_WORDS.search(text) for text in texts)


def test_longmemeval_in_german() -> None:
    episodes = loaded("longmemeval/s", 60, sessions="4", pool="40")
    types = Counter(episode.probes[0].task for episode in episodes)
    assert len(types) == 7
    for episode in episodes:
        probe = episode.probes[0]
        said = {turn.id: turn.text for session in episode.sessions for turn in session.turns}
        assert all(
            sentence in said[turn] for fact in episode.facts for turn in fact.turns for sentence in fact.evidence
        )
        assert not any(re.search(r"\{\w", text) or ENGLISH_WORDS.search(text) for text in (*said.values(), probe.gold))
        numbers = [int(detail.split()[0]) for fact in episode.facts for detail in fact.details[1:]]
        if probe.tags["op"] == "sum" and numbers:
            assert int(probe.gold.split()[0]) == sum(numbers)
        if probe.tags["op"] == "count" and numbers:
            assert int(probe.gold) == len(numbers)
        if probe.task.endswith("knowledge-update"):
            assert episode.facts[-1].details[0].lower() == probe.gold.lower()
            assert [old.fact for old in probe.outdated] == [episode.facts[0].id]


def test_days_in_german_questions_are_those_of_the_chats() -> None:
    from datetime import date

    checked = 0
    for episode in loaded("longmemeval/oracle", 120):
        probe = episode.probes[0]
        if probe.tags["op"] != "time" or not episode.facts:
            continue
        days = [
            date.fromisoformat(session.timestamp[:10])
            for fact in episode.facts
            for session in episode.sessions
            if session.timestamp and any(turn.id in fact.turns for turn in session.turns)
        ]
        found = re.search(r"\d+", probe.gold)
        if found and probe.asked_at:
            end = days[1] if len(days) > 1 else date.fromisoformat(probe.asked_at[:10])
            assert int(found[0]) == (end - days[0]).days
        elif not found:
            first = episode.facts[days.index(min(days))]
            assert probe.gold.lower() == first.details[0].lower()
        checked += 1
    assert checked > 10


# ------------------------------------------------------------------ from end to end


def test_a_german_run(tmp_path: Path) -> None:
    run = api.run(
        "oracle",
        "none",
        "bm25",
        suite=["memfail/conditional-easy", "memfail/long-hop"],
        out=tmp_path / "run",
        k=[4],
        rows=12,
        options={"language": "de"},
        progress=False,
    )
    found: dict[str, Counter[str]] = {}
    for verdict in run.verdicts():
        found.setdefault(verdict.system, Counter())[verdict.verdict] += 1
    assert set(found["oracle"]) == {"correct"}
    assert set(found["none"]) == {"not_stored"}
    assert found["bm25"]["correct"] > 12
    assert "uncertain" not in found["bm25"]


def test_bm25_stems_in_the_language_of_the_conversation() -> None:
    def asked(code: str) -> str:
        with speaking(code):
            system = BM25()
            for n, text in enumerate(("Das Haus ist alt.", "Der Wald war dunkel.")):
                system.store_conversation(Session(f"s{n}", (Turn("user", text, f"s{n}/0"),)))
            query = Session("q", (Turn("user", "Welche Häuser?", "q/0"),))
            return system.retrieve_memories("Welche Häuser?", query, 1)[0].text

    assert asked("de") == "Das Haus ist alt."
    assert asked("en") == "Der Wald war dunkel."  # no word in common: the newest comes first


def test_models_are_told_the_language() -> None:
    probe = Probe("p", "Wo ist der Kessel?", "im Keller", ())
    fact = Fact("f", "Der Kessel ist im Keller.", (), ())
    plain, _ = answer_call(probe, [])
    with speaking("de"):
        german, _ = answer_call(probe, [])
        judged = prompt("storage", registry.rubric("memfail/persona").storage, [Case((fact,))])
    assert "German" not in plain.messages[0].content
    assert german.messages[0].content.endswith("Answer in German (Deutsch).")
    assert "is in German (Deutsch)" in judged.call.messages[0].content


def test_the_record_keeps_the_language(tmp_path: Path) -> None:
    said = (Session("s", (Turn("user", "Hallo", "s/0"),)),)
    entries = write_episodes(
        tmp_path, [Episode("a", "t", said, (), ()), Episode("b", "t", said, (), (), language="de")]
    )
    reader = EpisodeReader(tmp_path, entries)
    assert [episode.language for episode in reader] == ["en", "de"]
    reader.close()
    stored = [json.loads((tmp_path / "episodes" / entry["file"]).read_text()) for entry in entries]
    assert ["language" in one for one in stored] == [False, True]


@pytest.mark.parametrize(
    ("suite", "rows", "least"), [("memfail/conditional-easy", 40, 0.95), ("memfail/long-hop", 40, 0.95)]
)
def test_planted_losses_are_found_in_german(suite: str, rows: int, least: float) -> None:
    result = calibrate(loaded(suite, rows, seed=9), 0.5, 9)
    assert result.false_alarms == 0
    assert result.planted > 10
    assert result.attributed >= least * result.planted


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["run", "--suite", "memfail", "--system", "none", "--language", "fr"],
            "memfail has no rows in the language 'fr'",
        ),
        (["calibrate", "--language", "zh"], "memfail has no rows in the language 'zh'"),
        (["calibrate", "--language", "de", "--style", "profile"], "in English alone"),
        (["calibrate", "--rewritten", "--language", "xx"], "unknown language with rewritten memories 'xx'"),
        (["run", "--suite", "locomo", "--system", "none", "--language", "de"], "unknown option of suite locomo"),
    ],
)
def test_languages_that_are_not_there(command: list[str], message: str, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "run")] if command[0] == "run" else []
    result = CliRunner().invoke(app, [*command, *out])
    assert result.exit_code != 0
    assert message in " ".join((result.output + str(result.exception or "")).split())


def test_generated_german_files_say_so_and_are_valid(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(
        app, ["data", "generate", "memfail", "--language", "de", "--rows", "8", "--out", str(tmp_path)]
    )
    assert made.exit_code == 0, made.output
    record = json.loads((tmp_path / "long_hop" / "generation_config.json").read_text())
    assert record["language"] == "de"
    checked = runner.invoke(app, ["data", "validate", str(tmp_path)])
    assert checked.exit_code == 0, checked.output


def test_no_two_german_habits_are_told_of_one_name() -> None:
    for dataset in ("conditional-easy", "long-hop"):
        [episode] = loaded(f"memfail/{dataset}", 100)
        named = Counter(fact.subject for fact in episode.facts if fact.id.endswith(("/rule", "/1")))
        assert named.most_common(1)[0][1] == 1
