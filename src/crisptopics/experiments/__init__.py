"""The paper's tables and figures, one module each, with the paper's numbers beside ours.

`crisptopics reproduce` runs them. This file imports nothing heavy, so that `--help` can name the experiments.
"""

NAMES = ("nmi", "objective", "reconstruction", "time", "likelihood", "pairs", "gibbs-start", "starts")
PAPER_NAMES = {"table1": "nmi"}  # the paper's number of the table
