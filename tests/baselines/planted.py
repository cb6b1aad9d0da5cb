"""A corpus whose topics are known and easy."""

import numpy as np

N_TOPICS, N_WORDS = 3, 30


def planted(n_documents=300, stray=0.2, seed=0):
    """Documents of 40 tokens; document d has most from topic d % 3, whose words are ten columns."""
    random = np.random.RandomState(seed)
    topics = np.tile(np.arange(n_documents)[:, None] % N_TOPICS, 40)
    moved = random.rand(*topics.shape) < stray
    topics[moved] = random.randint(N_TOPICS, size=np.count_nonzero(moved))
    words = topics * 10 + random.randint(10, size=topics.shape)
    return np.array([np.bincount(row, minlength=N_WORDS) for row in words])


TOPICS = np.kron(np.eye(N_TOPICS), np.full((1, 10), 0.1))
