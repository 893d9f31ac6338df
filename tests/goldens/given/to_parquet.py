"""Writes generated contexts the way the released parquet files have them."""

import json
from pathlib import Path

import pyarrow
from pyarrow import parquet

SPLITS = {
    "Accurate_Retrieval": {
        "sh-docqa": "ruler_qa1_4K",
        "mh-docqa": "ruler_qa2_4K",
        "eventqa": "eventqa_4096",
        "longmemeval": "longmemeval_s*",
    },
    "Test_Time_Learning": {"icl": "icl_banking77_100shot_balance", "recommendation": "recsys_redial_full"},
    "Long_Range_Understanding": {"summarization": "infbench_sum_eng_shots2", "detective": "detective_qa"},
    "Conflict_Resolution": {
        "factconsolidation-sh": "factconsolidation_sh_4k",
        "factconsolidation-mh": "factconsolidation_mh_4k",
    },
}
titles = {}
out = Path("d/parquet")
out.mkdir()
for split, kinds in SPLITS.items():
    rows = []
    for kind, source in kinds.items():
        context = json.loads(Path(f"d/mab/memoryagentbench_{kind}.jsonl").read_text().split("\n")[0])
        for title in context["titles"]:
            titles.setdefault(title, len(titles))
        queries = context["queries"]
        golds = [query["golds"] for query in queries]
        if kind == "recommendation":
            golds = [[str(titles.setdefault(title, len(titles))) for title in each] for each in golds]
        rows.append(
            {
                "context": context["text"],
                "questions": [query["text"] for query in queries],
                "answers": golds,
                "metadata": {
                    "source": source,
                    "qa_pair_ids": [query["id"] for query in queries],
                    "question_types": [query["tags"].get("type", "") for query in queries],
                    "question_dates": [query["asked_at"] or "" for query in queries],
                    "keypoints": golds[0] if kind == "summarization" else [],
                },
            }
        )
    parquet.write_table(pyarrow.Table.from_pylist(rows), out / f"{split}-00000-of-00001.parquet")
named = {f"<http://example.org/{title.replace(' ', '_')}_(1984_film)>": id for title, id in titles.items()}
(out / "entity2id.json").write_text(json.dumps(named))
