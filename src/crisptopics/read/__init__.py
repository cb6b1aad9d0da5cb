"""From text to a Corpus: the only place that tokenises."""
