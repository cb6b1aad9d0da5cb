"""Every error that is the caller's to mend; each also is the built-in error that scikit-learn users expect."""


class CrispTopicsError(Exception):
    """Base of all errors that crisptopics raises on purpose."""


class CorpusError(CrispTopicsError, ValueError):
    """The documents cannot be used as they are."""


class ModelFileError(CrispTopicsError, ValueError):
    """A model file is broken, was changed, or is not a model file."""


class MissingExtraError(CrispTopicsError, ImportError):
    """A feature needs an optional package; the message names the extra that installs it."""
