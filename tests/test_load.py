"""A fitted model through a file and through pickle: what comes back, and which files are refused."""

import pickle

import numpy as np
import pandas as pd
import pytest

from crisptopics import Corpus, CrispTopics, Words, load, read_corpus
from crisptopics.errors import ModelFileError
from crisptopics.fitted import pack
from crisptopics.model import Model
from crisptopics.save import save_model

X = np.random.RandomState(0).poisson(np.repeat(np.eye(3) + 0.1, 8, axis=1), size=(10, 3, 24)).reshape(30, 24)
X[:, -1] = 0  # a word that no document has
NEW = np.random.RandomState(1).poisson(0.5, size=(7, 24))
WORDS = [f"größe {column}" for column in range(24)]


def fitted(data=X, **parameters):
    return CrispTopics(**({"n_components": 3, "penalty": 3.0, "random_state": 0} | parameters)).fit(data)


@pytest.fixture(params=["Corpus", "pandas", "nameless"])
def pair(request, tmp_path):
    """A fitted model, and the same model through a file."""
    forms = {
        "Corpus": lambda: Corpus.from_counts(X, vocabulary=WORDS),
        "pandas": lambda: pd.DataFrame(X, columns=WORDS),
        "nameless": lambda: X,
    }
    model = fitted(forms[request.param](), smoothing=0.3, tol=1e-5, max_iter=20, algorithm="word")
    model.save(tmp_path / "m.crisp")
    return model, load(tmp_path / "m.crisp")


def test_a_loaded_model_does_what_the_saved_one_did(pair):
    model, loaded = pair
    new = Corpus.from_counts(NEW)
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    np.testing.assert_array_equal(loaded.assign(new).toarray(), model.assign(new).toarray())
    assert -1 in loaded.assign(new).data
    assert loaded.score(new) == model.score(new)
    assert loaded.top_words(4) == model.top_words(4)
    pd.testing.assert_frame_equal(loaded.topics_frame(4), model.topics_frame(4))
    pd.testing.assert_frame_equal(loaded.documents_frame(new), model.documents_frame(new))
    pd.testing.assert_frame_equal(loaded.words_frame(new), model.words_frame(new))
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()


def test_a_loaded_model_has_the_attributes_of_the_saved_one(pair):
    model, loaded = pair
    np.testing.assert_array_equal(loaded.components_, model.components_)
    np.testing.assert_array_equal(loaded.topic_word_counts_, model.topic_word_counts_)
    assert loaded.history_ == model.history_
    for name in ("objective_", "stop_reason_", "n_iter_", "penalty_", "n_components_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(model, name), name
    assert hasattr(loaded, "feature_names_in_") == hasattr(model, "feature_names_in_")
    if hasattr(model, "feature_names_in_"):
        assert loaded.feature_names_in_.tolist() == WORDS
    assert not hasattr(loaded, "assignments_")
    for name in ("n_components", "penalty", "algorithm", "max_iter", "tol", "smoothing"):
        assert loaded.get_params()[name] == model.get_params()[name], name


def test_a_loaded_model_can_be_saved_and_fitted_again(pair, tmp_path):
    model, loaded = pair
    model.save(tmp_path / "one.crisp")
    loaded.save(tmp_path / "two.crisp")
    assert (tmp_path / "one.crisp").read_bytes() == (tmp_path / "two.crisp").read_bytes()
    loaded.set_params(random_state=0).fit(X)
    assert loaded.objective_ == model.objective_


def test_a_loaded_model_still_checks_columns(pair):
    _, loaded = pair
    with pytest.raises(ValueError, match="X has 23 features, but CrispTopics is expecting 24 features"):
        loaded.transform(Corpus.from_counts(X[:, 1:]))


def test_a_loaded_model_still_checks_names(tmp_path):
    fitted(pd.DataFrame(X, columns=WORDS)).save(tmp_path / "m.crisp")
    loaded = load(str(tmp_path / "m.crisp"))
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.transform(pd.DataFrame(X, columns=["other", *WORDS[1:]]))


def test_an_interrupted_model_without_a_whole_iteration_can_be_saved(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("crisptopics.solve.improve", interrupted)
    fitted().save(tmp_path / "m.crisp")
    loaded = load(tmp_path / "m.crisp")
    assert (loaded.stop_reason_, loaded.history_, loaded.n_iter_) == ("interrupted", [], 0)


def test_numpy_numbers_as_parameters_can_be_saved(tmp_path):
    fitted(n_components=np.int64(3), penalty=np.float32(2.5), max_iter=np.uint8(9)).save(tmp_path / "m.crisp")
    assert load(tmp_path / "m.crisp").get_params()["penalty"] == 2.5


def save_with(path, parameters=(), fit=(), without=()):
    """Write a good model file but for a few entries."""
    model = fitted()
    stored = pack(model.get_params(), vars(model))
    entries = [
        {name: value for name, value in (old | dict(new)).items() if name not in without}
        for old, new in ((stored.parameters, parameters), (stored.fit, fit))
    ]
    save_model(Model(stored.topic_word_counts, stored.vocabulary, *entries, stored.soft_counts), path)


RECORD = {"stage": "word", "penalty": 3.0, "objective": 5.0, "moved": 1, "topics_per_document": 1.0, "seconds": 0.1}


def test_the_files_below_are_good_but_for_their_entries(tmp_path):
    save_with(tmp_path / "m.crisp", fit={"history": [RECORD]})
    assert load(tmp_path / "m.crisp").history_[0].moved == 1


@pytest.mark.parametrize(
    "parameters",
    [
        {"unknown": 1},
        {"n_components": 0},
        {"n_components": "3"},
        {"penalty": -1.0},
        {"penalty": None},
        {"penalty": "Auto"},
        {"algorithm": "magic"},
        {"max_iter": 0.5},
        {"tol": 2.0},
        {"smoothing": 0.0},
        {"n_jobs": 0},
        {"callback": "print"},
        {"n_components": 7},
        {"verbose": "yes"},
        {"init": 3},
    ],
)
def test_nonsense_parameters_are_refused(tmp_path, parameters):
    save_with(tmp_path / "m.crisp", parameters)
    with pytest.raises(ModelFileError, match=r"m\.crisp' does not hold what a fit leaves \(.*\); save it again$"):
        load(tmp_path / "m.crisp")


@pytest.mark.parametrize(
    "fit",
    [
        {"penalty": 0.0},
        {"penalty": True},
        {"penalty": "much"},
        {"penalty": None},
        {"objective": "low"},
        {"objective": None},
        {"seed": "x"},
        {"seed": -1},
        {"stop_reason": 3},
        {"stop_reason": "tired"},
        {"history": {}},
        {"history": [RECORD | {"objective": "low"}]},
        {"history": [RECORD | {"moved": 0.5}]},
        {"history": None},
        {"history": 5},
        {"history": "word"},
        {"history": [5]},
        {"history": {"stage": "word"}},
        {"history": [RECORD | {"more": 1}]},
        {"history": [{"stage": "word"}]},
    ],
)
def test_a_nonsense_fit_is_refused(tmp_path, fit):
    save_with(tmp_path / "m.crisp", fit=fit)
    with pytest.raises(ModelFileError, match=r"m\.crisp' does not hold what a fit leaves \(.*\); save it again$"):
        load(tmp_path / "m.crisp")


@pytest.mark.parametrize("missing", ["seed", "penalty", "objective", "stop_reason", "history", "n_components"])
def test_a_file_without_the_story_of_the_fit_is_refused(tmp_path, missing):
    save_with(tmp_path / "m.crisp", without=[missing])
    with pytest.raises(ModelFileError, match=r"does not hold what a fit leaves \(KeyError: '"):
        load(tmp_path / "m.crisp")


def test_a_missing_file_is_no_model_file_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "never.crisp")


def test_a_pickled_model_is_the_same():
    model = fitted(pd.DataFrame(X, columns=WORDS))
    copy = pickle.loads(pickle.dumps(model))
    new = pd.DataFrame(NEW, columns=WORDS)
    np.testing.assert_array_equal(copy.transform(new), model.transform(new))
    np.testing.assert_array_equal(copy.assignments_.toarray(), model.assignments_.toarray())
    np.testing.assert_array_equal(copy.topic_word_counts_, model.topic_word_counts_)
    assert copy.history_ == model.history_
    assert copy.score(new) == model.score(new)
    assert copy.feature_names_in_.tolist() == WORDS


@pytest.fixture
def reviews(tmp_path):
    lines = ["The ferry crossing was late.", "A late ferry, again late!", "Strong coffee.", "Coffee, strong coffee"]
    (tmp_path / "reviews.txt").write_text("\n".join(lines), encoding="utf-8")
    return read_corpus(tmp_path / "reviews.txt", words=Words(phrases=True, stop_words=["was", "the"]))


def test_a_model_keeps_how_its_corpus_was_read(reviews, tmp_path):
    model = fitted(reviews, n_components=2)
    model.save(tmp_path / "m.crisp")
    loaded = load(tmp_path / "m.crisp")
    assert loaded.recipe_ == model.recipe_ == reviews.details.recipe
    assert loaded.reading_ == model.reading_ == reviews.details.reading
    again = read_corpus(tmp_path / "reviews.txt", recipe=loaded.recipe_)
    np.testing.assert_array_equal(loaded.transform(again), model.transform(reviews))


def test_a_model_of_bare_counts_has_no_recipe(tmp_path):
    model = fitted()
    model.save(tmp_path / "m.crisp")
    for one in (model, load(tmp_path / "m.crisp")):
        assert one.recipe_ is None
        assert one.reading_ is None


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"recipe": {"version": 1}}, "this is no recipe of a corpus: its fields are"),
        ({"recipe": 7}, "recipe is a int, not an object"),
        ({"reading": ["a"]}, "reading is a list, not an object"),
    ],
)
def test_odd_recipes_in_model_files_are_refused(reviews, tmp_path, changes, reason):
    model = fitted(reviews, n_components=2)
    plain = pack(model.get_params(), vars(model))
    bad = Model(plain.topic_word_counts, plain.vocabulary, plain.parameters, plain.fit | changes, plain.soft_counts)
    save_model(bad, tmp_path / "m.crisp")
    with pytest.raises(ModelFileError, match=reason):
        load(tmp_path / "m.crisp")


def test_a_recipe_without_a_vocabulary_is_refused(reviews, tmp_path):
    plain = pack(fitted().get_params(), vars(fitted()))
    fit = plain.fit | {"recipe": reviews.details.recipe}
    bad = Model(plain.topic_word_counts, None, plain.parameters, fit, plain.soft_counts)
    save_model(bad, tmp_path / "m.crisp")
    with pytest.raises(ModelFileError, match="there is a recipe, but no vocabulary"):
        load(tmp_path / "m.crisp")
